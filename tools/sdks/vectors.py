"""Writes `sdks/vectors`: what every SDK has to answer, as Python does (`make sdks-written`)."""

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hundi.wire import cipher, strict_json
from tools.sdks import messages
from tools.sdks.peer import answer

FOLDER = Path(__file__).parents[2] / "sdks" / "vectors"
Case = tuple[str, str, Mapping[str, Any]]
"""A case: its name, what is asked, and with what."""
LOGIN = {"username": "demo-user", "password": "demo-pass"}
KEY = cipher.encryption_key(**LOGIN)
IV = "0123456789abcdef"
ODD = {
    "plain": "ORD-1001",
    "Devanagari": "आशा राव",
    "conjunct": "क्षत्रिय",
    "Tamil": "தமிழ்",
    "emoji of two halves": "😀👩‍👩‍👧",
    "fullwidth": "\uff5e\uff01",
    "combining": "e\u0301 \u00e9",
    "line separators": "a\u2028b\u2029c",
    "controls": "a\u0000b\u001f\u007fc",
    "quotes": "\"'\\/<>&",
    "braces": "}{][",
    "white": " \t\r\n ",
    "last character": "\U0010ffff",
    "empty": "",
}


def _encoded(text: str | bytes) -> str:
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return base64.b64encode(raw).decode()


def cipher_cases() -> Iterator[Case]:
    """Yield seals, openings and what cannot be opened."""
    for name, text in ODD.items():
        yield f"seal {name}", "seal", {**LOGIN, "text": text, "iv": IV}
        yield f"open {name}", "open", {**LOGIN, "encdata": cipher.seal(KEY, text.encode(), IV)}
        yield f"key {name}", "key", {"username": text, "password": "p" + text}
    for length in (15, 16, 17, 31, 32, 1024):
        yield f"seal {length} bytes", "seal", {**LOGIN, "text": "x" * length, "iv": " ~" * 8}
    sealed = cipher.seal(KEY, b'{"a":"' + b'x+y","n":10.50}', IV)
    of_json = {
        "an object": sealed,
        "a list": cipher.seal(KEY, b"[1]", IV),
        "a repeated key": cipher.seal(KEY, b'{"a":1,"a":1}', IV),
        "no JSON": cipher.seal(KEY, b"{", IV),
    }
    for name, encdata in of_json.items():
        yield f"JSON: {name}", "open_json", {**LOGIN, "encdata": encdata}
    longer = cipher.seal(KEY, b"?" * 200, IV)
    changed = {
        "spaces for plus": longer.replace("+", " "),
        "line breaks": f"{longer[:40]}\r\n{longer[40:]}\n",
        "another key": cipher.seal(b"0" * 32, b"x", IV),
        "bad base64": longer[:-1] + "!",
        "no padding": longer.rstrip("="),
        "one block short": longer[:-24],
        "half a block": longer[: 16 + 12],
        "only an IV": IV,
        "short": "abc",
        "nothing": "",
        "IV with a control": "\x01" + longer[1:],
        "IV not ASCII": "é" + longer[1:],
        "data after padding": longer + "AAAA",
        "padding in the middle": longer[:40] + "=" + longer[41:],
    }
    for name, encdata in changed.items():
        yield f"open: {name}", "open", {**LOGIN, "encdata": encdata}


def json_cases() -> Iterator[Case]:
    """Yield texts that are JSON, and texts that are nearly so."""
    texts = {
        **{
            f"odd: {name}": json.dumps({name: text}, ensure_ascii=False)
            for name, text in ODD.items()
        },
        **{f"escaped: {name}": json.dumps({name: text}) for name, text in ODD.items()},
        "numbers": '{"a":10.50,"b":-0,"c":1e400,"d":0.10E+05,"e":12345678901234567890123}',
        "words": '{"t":true,"f":false,"n":null,"l":[],"o":{}}',
        "order of keys": '{"10":1,"2":2,"a":3,"1":4}',
        "keys of JavaScript": '{"__proto__":1,"constructor":2,"toString":3}',
        "spaces": ' \t\r\n{ "a" : [ 1 , 2 ] } \n',
        "solidus": '{"a":"\\/"}',
        "escapes": '{"a":"\\b\\f\\n\\r\\t\\"\\\\"}',
        "a pair of halves": '{"a":"\\ud83d\\ude00"}',
        "a repeated key": '{"a":1,"a":2}',
        "a repeated key inside": '{"a":{"b":1,"b":1}}',
        "the same key spelled twice": '{"a":1,"\\u0061":1}',
        "a lone half": '{"a":"\\ud83d"}',
        "halves turned": '{"a":"\\ude00\\ud83d"}',
        "half in a key": '{"\\ud83d":1}',
        "NaN": '{"a":NaN}',
        "infinity": '{"a":-Infinity}',
        "leading zero": '{"a":01}',
        "plus": '{"a":+1}',
        "bare point": '{"a":1.}',
        "no whole": '{"a":.5}',
        "hexadecimal": '{"a":0x1}',
        "comma at the end": '{"a":1,}',
        "comma in a list": "[1,]",
        "single quotes": "{'a':1}",
        "a comment": '{"a":1}//',
        "two objects": "{}{}",
        "a list": "[]",
        "a text": '"a"',
        "nothing": "",
        "a control in a text": '{"a":"\n"}',
        "an unknown escape": '{"a":"\\x41"}',
        "short escape": '{"a":"\\u12"}',
        "Arabic digits": '{"a":\u0661}',
        "no-break space": '{"a":\u00a01}',
        "byte order mark": "\ufeff{}",
        "16 levels": '{"a":' + "[" * 15 + "]" * 15 + "}",
        "17 levels": '{"a":' + "[" * 16 + "]" * 16 + "}",
        "512 values": '{"a":[' + ",".join("1" * 511) + "]}",
        "513 values": '{"a":[' + ",".join("1" * 512) + "]}",
        "commas in texts": json.dumps({"a": "," * 2000 + "{[" * 600}),
    }
    for name, text in texts.items():
        yield name, "json", {"base64": _encoded(text)}
    for name, raw in {"not UTF-8": b'{"a":"\xff"}', "overlong": b'{"a":"\xc0\xaf"}'}.items():
        yield name, "json", {"base64": _encoded(raw)}
    yield "a surrogate in UTF-8", "json", {"base64": _encoded('{"a":"\ud800"}')}


def checksum_cases() -> Iterator[Case]:
    """Yield messages whose checksums differ where order or spelling is not the gateway's."""
    fields: dict[str, dict[str, Any]] = {
        **{f"odd: {name}": {"a": text, name: "x"} for name, text in ODD.items()},
        "order of keys": {"b": "1", "B": "2", "a_": "3", "a": "4", "10": "5", "9": "6", "": "7"},
        "order beyond the first plane": {"\uff5e": "1", "\U0001f600": "2", "\ue000": "3"},
        "order of values": {"a": "\uff5e", "b": "\U0001f600", "c": "\ue000", "d": "z"},
        "null": {"a": None, "b": "x"},
        "words": {"a": True, "b": False},
        "inner": {"a": {"z": "आ", "b": [1, None, "x"]}, "b": []},
        "nothing": {},
    }
    for name, given in fields.items():
        yield name, "checksum", {"fields": given, "day": "2026-01-15"}
    for name, text in ODD.items():
        secret = {"secret": text, "username": "u" + text, "password": text + "p"}
        yield f"privatekey {name}", "privatekey", secret
        values = [text, "777", "10.00", "200", text, "12345", "demo-user"]
        yield f"secure hash {name}", "secure_hash", {"values": values, "payer_vpa": ""}
        yield f"secure hash of UPI {name}", "secure_hash", {"values": values, "payer_vpa": "a@upi"}
        wrapped = {"fields": {"orderid": "ORD-1", "customvar": text}, "day": "2026-01-15", "iv": IV}
        yield f"envelope {name}", "envelope", {"credentials": messages.CREDENTIALS, **wrapped}
    batch = {"transactions": [{"ap_transactionid": "215000000000001", "amount": "10.00"}]}
    given = {"fields": batch, "day": "2026-12-31", "iv": IV}
    yield "envelope with a list", "envelope", {"credentials": messages.CREDENTIALS, **given}


def value_cases() -> Iterator[Case]:
    """Yield texts of money and time, right and wrong."""
    amounts = [
        "1",
        "1.5",
        "1499.50",
        "0.01",
        "9999999999.99",
        "007",
        "0",
        "0.00",
        "00",
        "1.234",
        "-1",
        "+1",
        "1,",
        "1,000",
        "1e3",
        ".5",
        "5.",
        "\u0661",
        "1..2",
        "10000000000",
        "₹1",
    ]
    for text in (*amounts, "", " 1", "1 ", "1\n"):
        yield f"paise {text!r}", "paise", {"text": text}
    for paise in ("0", "1", "10", "99", "100", "149950", "999999999999"):
        yield f"amount {paise}", "amount_text", {"paise": paise}
    texts = {
        "money": ("0", "0.00", "1499.50", "00.0", "", "-1", "1.234", "x"),
        "balance": ("-1499.50", "1499.50", "0.00", "-0.00", "--1", "-"),
        "money_or_none": ("", "0.00", "5"),
        "limit": ("", "0.00", "10.5"),
        "whole": ("0", "7", "007", "-1", "1.0", "", "x", " 1"),
        "number": ("0", "215000000000001", ""),
        "yes_or_no": ("true", "True", "false", "no", ""),
        "day": ("2026-01-15", "2024-02-29", "2026-02-29", "2026-13-01", "", "15-01-2026", "x"),
        "moment": (
            "2026-01-15T12:00:00+05:30",
            "2026-01-15T06:30:00Z",
            "2026-12-31T23:59:59-08:00",
            "2026-01-15T12:00:00",
            "2026-02-30T12:00:00+05:30",
            "2026-01-15T25:00:00+05:30",
            "x",
            "",
        ),
    }
    for kind, given in texts.items():
        for text in given:
            yield f"{kind} {text!r}", "read", {"kind": kind, "text": text}
    for text in (
        "15-01-2026 12:00:00",
        "29-02-2024 00:00:00",
        "29-02-2026 00:00:00",
        "2026-01-15 12:00:00",
        "15-01-2026 24:00:00",
        "15-01-2026",
        "",
    ):
        yield f"record's time {text!r}", "record_time", {"text": text}


def credentials_cases() -> Iterator[Case]:
    """Yield webhook keys, of which those that prove nothing are refused."""
    keys = {
        "of 24 bytes": "whsec_" + "A" * 32,
        "of 25 bytes": "whsec_" + "A" * 34 + "==",
        "of 32 bytes": "whsec_" + "A" * 43 + "=",
        "that decodes to nothing": "whsec_A",
        "with no bytes": "whsec_",
        "of 3 bytes": "whsec_AAAA",
        "of 23 bytes": "whsec_" + "A" * 31 + "=",
        "without its padding": "whsec_" + "A" * 43,
        "with too much padding": "whsec_" + "A" * 43 + "==",
        "of one letter too many": "whsec_" + "A" * 33,
        "in the other alphabet": "whsec_" + "-_" * 16,
        "with a newline": "whsec_" + "A" * 32 + "\n",
        "without its beginning": "A" * 32,
    }
    given = {"fields": {"orderid": "ORD-1"}, "day": "2026-01-15", "iv": IV}
    for name, key in keys.items():
        for place, both in {"alone": [key], "as the older": [messages.WEBHOOK_KEY, key]}.items():
            own = messages.CREDENTIALS | {"webhook_keys": both}
            yield f"a key {name}, {place}", "envelope", {"credentials": own, **given}
    own = messages.CREDENTIALS | {"webhook_keys": []}
    yield "no key", "envelope", {"credentials": own, **given}


FILES = {
    "credentials": credentials_cases,
    "cipher": cipher_cases,
    "json": json_cases,
    "checksums": checksum_cases,
    "values": value_cases,
    "signatures": messages.signature_cases,
    "callbacks": messages.callback_cases,
    "replies": messages.reply_cases,
}


def written(name: str) -> str:
    """Return a file of vectors: each case on a line, with Python's answer."""
    lines = []
    for title, do, given in FILES[name]():
        asked = json.dumps({"do": do, "with": given}, ensure_ascii=True)
        read = strict_json.parse(asked.encode(), strict_json.REPLY_VALUES_MAX)
        lines.append(json.dumps({"name": title, **json.loads(asked), **answer(read)}))
    return '{"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    for file in FILES:
        (FOLDER / f"{file}.json").write_text(written(file), "utf-8")
