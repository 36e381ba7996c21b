"""Bodies of every accepted content type mean the same, replies keep the shape old readers need."""

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import cipher, envelope, strict_json

KEY = cipher.encryption_key("demo-user", "demo-pass")
SENT = {
    "merchant_id": "12345",
    "privatekey": "ab" * 32,
    "encdata": "0123456789abcdef" + "a+/=",
    "checksum": "7",
    "chmod": "upi",
    "mer_dom": "aHR0cHM6Ly94",
    "apyVer": "",
}
PARSED = envelope.OuterEnvelope(
    "12345", "ab" * 32, "0123456789abcdefa+/=", "7", "upi", "aHR0cHM6Ly94", {"apyVer": ""}
)
FORM, JSON, MULTIPART = (
    "application/x-www-form-urlencoded",
    "application/json",
    "multipart/form-data; boundary=XX",
)


def multipart(fields):
    """Return a multipart body with the boundary XX."""
    part = '--XX\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    return (
        "".join(part.format(name, value) for name, value in fields.items()) + "--XX--\r\n"
    ).encode()


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (FORM, urlencode(SENT).encode()),
        (FORM + "; charset=UTF-8", urlencode(SENT).encode()),
        (FORM.upper() + ";charset=iso-8859-1", urlencode(SENT).encode()),
        (MULTIPART, multipart(SENT)),
        ('Multipart/Form-Data; charset=utf-8; boundary="XX"', multipart(SENT)),
        (JSON, json.dumps(SENT).encode()),
        ("application/json; charset=utf-8", json.dumps(SENT, indent=2).encode()),
        ("", json.dumps(SENT).encode()),
        ("", urlencode(SENT).encode()),
        (JSON, json.dumps(SENT | {"merchant_id": 12345, "apyVer": None}).encode()),
    ],
)
def test_content_types(content_type, body):
    assert envelope.parse_outer(content_type, body) == PARSED


@pytest.mark.parametrize("alias", ["merchant_id", "mercid", "mid"])
@pytest.mark.parametrize("data", ["encdata", "data", "encData"])
def test_aliases(alias, data):
    for content_type, body in (
        (FORM, urlencode({alias: "1", data: "x"}).encode()),
        (JSON, json.dumps({alias: "1", data: "x"}).encode()),
        (MULTIPART, multipart({alias: "1", data: "x"})),
    ):
        parsed = envelope.parse_outer(content_type, body)
        assert (parsed.merchant_id, parsed.encdata) == ("1", "x")


def test_an_unencoded_plus_arrives_as_space_and_still_opens():
    sealed = next(
        text
        for number in range(99)
        if "+" in (text := cipher.seal(KEY, b'{"n":%d}' % number, "0123456789abcdef"))
    )
    parsed = envelope.parse_outer(FORM, b"merchant_id=1&encdata=" + sealed.encode())
    assert "+" not in parsed.encdata
    assert cipher.open_json(KEY, parsed.encdata) == cipher.open_json(KEY, sealed)


@pytest.mark.parametrize(
    ("content_type", "body", "reason"),
    [
        ("text/plain", b"merchant_id=1", "content type"),
        ("application/xml", b"<x/>", "content type"),
        (JSON, b"merchant_id=1", "not a JSON object"),
        (JSON, b"[]", "not a JSON object"),
        (JSON, b'{"mid":"1","mid":"2"}', "twice"),
        (JSON, b'{"mid":"1","merchant_id":"2"}', "came twice"),
        (FORM, b"merchant_id=1&merchant_id=2", "came twice"),
        (FORM, b"&".join(b"f%d=1" % number for number in range(65)), "form fields"),
        (MULTIPART, b"", "multipart"),
        (MULTIPART, b"--XX\r\nbroken", "multipart"),
        (MULTIPART, multipart({f"f{number}": "" for number in range(65)}), "multipart"),
        ("multipart/form-data", multipart(SENT), "multipart"),
        (
            MULTIPART,
            (
                b'--XX\r\nContent-Disposition: form-data; name="encdata"; '
                b'filename="x"\r\n\r\nx\r\n--XX--\r\n'
            ),
            "holds a file",
        ),
    ],
)
def test_unreadable_bodies_say_why(content_type, body, reason):
    with pytest.raises(envelope.UnreadableEnvelope, match=reason):
        envelope.parse_outer(content_type, body)


def test_the_same_value_twice_and_an_empty_repeat_are_harmless():
    body = b"mid=1&merchant_id=1&mercid=&checksum=&checksum=7"
    parsed = envelope.parse_outer(FORM, body)
    assert (parsed.merchant_id, parsed.checksum) == ("1", "7")


def test_the_flat_split_form_stays_readable_as_extra_fields():
    parsed = envelope.parse_outer(
        JSON, b'{"mercid":1,"TRANSACTION_ID":77,"SPLIT_VALUES":"10|20","L":[1.50]}'
    )
    assert parsed.extra == {"TRANSACTION_ID": "77", "SPLIT_VALUES": "10|20", "L": "[1.50]"}


def test_credentials_stay_out_of_the_repr():
    assert SENT["privatekey"] not in repr(PARSED)
    assert SENT["encdata"] not in repr(PARSED)


@given(
    st.sampled_from(
        [FORM, JSON, MULTIPART, "", "multipart/form-data;boundary=\xff", FORM + "; charset=rot13"]
    ),
    st.binary(),
)
def test_any_body_gives_an_envelope_or_unreadable(content_type, body):
    try:
        assert isinstance(envelope.parse_outer(content_type, body), envelope.OuterEnvelope)
    except envelope.UnreadableEnvelope:
        return


@given(
    st.binary(max_size=120),
    st.sampled_from([b"", b"--XX\r\n", b'--XX\r\nContent-Disposition: form-data; name="a"\r\n']),
)
def test_any_multipart_body_gives_an_envelope_or_unreadable(middle, head):
    try:
        envelope.parse_outer(MULTIPART, head + middle + b"\r\n--XX--\r\n")
    except envelope.UnreadableEnvelope:
        return


@given(st.text(), st.binary())
def test_any_content_type_gives_an_envelope_or_unreadable(content_type, body):
    for sent in (content_type, "multipart/form-data;" + content_type):
        try:
            envelope.parse_outer(sent, body)
        except envelope.UnreadableEnvelope:
            continue


REPLY = {
    "data": {"b": "x"},
    "status_code": "200",
    "message": "ok",
    "status": "success",
    "response_code": "00",
}


def test_message_stands_before_data_and_data_last():
    assert envelope.reply_bytes(REPLY) == (
        b'{"status_code":"200","status":"success","response_code":"00","message":"ok","data":{"b":"x"}}'
    )


TRICKY = st.text(st.sampled_from('{}"\\,:[]/\x00\x01\nआ\N{GRINNING FACE}'))


@given(
    st.dictionaries(
        TRICKY,
        TRICKY
        | st.lists(TRICKY)
        | st.dictionaries(TRICKY, TRICKY)
        | st.integers(0, 999)
        | st.none(),
    )
)
def test_a_closing_brace_inside_a_string_is_escaped_and_nothing_else_changes(data):
    encoded = envelope.reply_bytes({"data": data, "message": "}"})
    assert json.loads(encoded) == {"message": "}", "data": data}
    assert rb"\u007d" in encoded
    outside = json.dumps(strip(json.loads(encoded)))
    assert encoded.count(b"}") == outside.count("}")


def strip(value):
    """Return the value with every string emptied, keys numbered."""
    if isinstance(value, dict):
        return {str(number): strip(item) for number, item in enumerate(value.values())}
    if isinstance(value, list):
        return [strip(item) for item in value]
    return "" if isinstance(value, str) else value


def test_reply_formats():
    plain = envelope.wrap_reply("plain", "12345", REPLY, KEY)
    encrypted = json.loads(envelope.wrap_reply("encrypted", "12345", REPLY, KEY))
    both = json.loads(envelope.wrap_reply("both", "12345", REPLY, KEY))
    assert plain == envelope.reply_bytes(REPLY)
    assert list(encrypted) == ["merchant_id", "response"]
    assert list(both)[:2] == ["merchant_id", "response"]
    assert list(both)[-2:] == ["message", "data"]
    assert cipher.open_(KEY, encrypted["response"]) == cipher.open_(KEY, both["response"]) == plain
    assert {name: both[name] for name in REPLY} == REPLY


@pytest.mark.parametrize("fmt", ["both", "encrypted", "plain"])
def test_whoever_is_not_authenticated_is_answered_in_plain(fmt):
    assert envelope.wrap_reply(fmt, "12345", REPLY, None) == envelope.reply_bytes(REPLY)


def test_our_own_replies_parse_strictly():
    assert strict_json.parse(envelope.reply_bytes(REPLY))["data"] == {"b": "x"}


def test_a_part_that_was_made_ready_is_sent_like_any_other() -> None:
    part = [{"name": 'a } in a "name"', "plain": "x"}, {"name": "b"}]
    whole = {"status_code": "200", "message": "}", "data": part}
    assert envelope.reply_bytes(whole | {"data": envelope.ready(part)}) == envelope.reply_bytes(
        whole
    )


def test_a_charset_that_a_part_chooses_is_not_obeyed() -> None:
    # Decoding this as what it says to be takes the square of its length.
    part = (
        b'--XX\r\nContent-Disposition: form-data; name="data"\r\nContent-Type: text/plain; '
        b"charset=punycode\r\n\r\n"
    )
    body = part + b"9" * 400_000 + b"\r\n--XX--\r\n"
    assert envelope.parse_outer(MULTIPART, body).encdata == "9" * 400_000
    assert (
        envelope.parse_outer(MULTIPART + "; charset=idna", multipart({"data": "x"})).encdata == "x"
    )


@pytest.mark.parametrize("content_type", [FORM, MULTIPART, JSON])
def test_text_is_utf_8_as_it_stands(content_type: str) -> None:
    name = "आशा राव"
    bodies = {
        FORM: f"name={name}".encode(),
        MULTIPART: multipart({"name": name}),
        JSON: b'{"name":"%s"}' % name.encode(),
    }
    assert envelope.parse_outer(content_type, bodies[content_type]).extra == {"name": name}


@pytest.mark.parametrize("content_type", [FORM, MULTIPART])
def test_a_byte_that_is_no_text_damages_itself_only(content_type: str) -> None:
    bodies = {
        FORM: b"a=x%FFy\xff&data=z",
        MULTIPART: multipart({"a": "x", "data": "z"}).replace(b"x\r\n", b"x\xffy\xff\r\n", 1),
    }
    parsed = envelope.parse_outer(content_type, bodies[content_type])
    assert (parsed.extra, parsed.encdata) == ({"a": "x\ufffdy\ufffd"}, "z")
