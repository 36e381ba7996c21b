"""Random messages that every SDK has to read and write as Python does."""

import base64
import json
import random
from collections.abc import Iterator
from typing import Any

from hundi.wire import cipher
from tools.sdks.messages import CREDENTIALS

_ALPHABETS = (
    "abcXYZ0189-_.",
    " \t\r\n\x00\x1f\x7f\"'\\/<>&+=%}{][,:",
    "आशाக்தமிழ்é\u0301ÿ",
    "\u2028\u2029\ufeff\uff5e\ue000\uffff",
    "😀👩‍👧\U0001f600\U0010ffff\U0001d49c",
)
_DEPTH_MAX = 3
_IVS = "".join(map(chr, range(32, 127)))


class _Dice:
    """Draws values from a seeded generator."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 (no secret: the same seed gives the same messages)

    def text(self, length_max: int = 24) -> str:
        """Return a text of one or several scripts."""
        signs = self.random.choice((self.random.choice(_ALPHABETS), "".join(_ALPHABETS)))
        return "".join(self.random.choices(signs, k=self.random.randint(0, length_max)))

    def value(self, depth: int = 0) -> Any:  # noqa: ANN401 (JSON)
        """Return a JSON value whose numbers are whole."""
        draw = self.random.randint(0, 9 if depth < _DEPTH_MAX else 6)
        if draw <= 3:  # noqa: PLR2004 (4 of 10)
            return self.text()
        if draw <= 6:  # noqa: PLR2004 (3 of 10)
            return self.random.choice([None, True, False, self.random.randint(-(10**15), 10**15)])
        if draw == 7:  # noqa: PLR2004 (1 of 10)
            return [self.value(depth + 1) for _ in range(self.random.randint(0, 4))]
        return {self.text(8): self.value(depth + 1) for _ in range(self.random.randint(0, 4))}

    def fields(self) -> dict[str, Any]:
        """Return the fields of a message."""
        return {self.text(10): self.value() for _ in range(self.random.randint(0, 8))}

    def texts(self) -> dict[str, str]:
        """Return fields that are texts, as requests are."""
        return {self.text(10): self.text(80) for _ in range(self.random.randint(0, 8))}

    def day(self) -> str:
        """Return a day."""
        return f"20{self.random.randint(10, 99)}-{self.random.randint(1, 12):02}-15"

    def initial(self) -> str:
        """Return an IV."""
        return "".join(self.random.choices(_IVS, k=16))

    def login(self) -> dict[str, str]:
        """Return a user name and a password."""
        return {"username": self.text(12), "password": self.text(12)}

    def broken(self, text: str) -> str:
        """Return a text with some characters replaced, taken away or put in."""
        signs = list(text)
        for _ in range(self.random.randint(1, 3)):
            place = self.random.randint(0, len(signs))
            signs[place : place + self.random.randint(0, 2)] = self.random.choice(
                [
                    "",
                    "{",
                    "}",
                    "[",
                    ",",
                    ":",
                    '"',
                    "\\",
                    "u",
                    "0",
                    ".",
                    "e",
                    "-",
                    "é",
                    " ",
                    "=",
                    "A",
                ]
            )
        return "".join(signs)


def requests(seed: int) -> Iterator[dict[str, Any]]:
    """Yield requests without end; the same seed gives the same ones."""
    dice = _Dice(seed)
    while True:
        login, iv = dice.login(), dice.initial()
        key = cipher.encryption_key(**login)
        text = json.dumps(dice.fields(), ensure_ascii=dice.random.random() < 0.5)  # noqa: PLR2004 (every second)
        encdata = cipher.seal(key, text.encode(), iv)
        as_json = dice.broken(text) if dice.random.random() < 0.5 else text  # noqa: PLR2004 (as above)
        yield _request("seal", {**login, "text": dice.text(200), "iv": iv})
        yield _request("open", {**login, "encdata": encdata})
        yield _request("open", {**login, "encdata": dice.broken(encdata)})
        yield _request("open_json", {**login, "encdata": encdata})
        yield _request("json", {"base64": base64.b64encode(as_json.encode()).decode()})
        yield _request("checksum", {"fields": dice.fields(), "day": dice.day()})
        yield _request("privatekey", {"secret": dice.text(), **login})
        values = [dice.text(12) for _ in range(7)]
        yield _request("secure_hash", {"values": values, "payer_vpa": dice.text(8)})
        wrapped = {"fields": dice.texts(), "day": dice.day(), "iv": iv}
        yield _request("envelope", {"credentials": CREDENTIALS, **wrapped})
        yield _request(
            "paise",
            {"text": dice.broken(f"{dice.random.randint(0, 10**6)}.{dice.random.randint(0, 99)}")},
        )


def _request(do: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"do": do, "with": given}
