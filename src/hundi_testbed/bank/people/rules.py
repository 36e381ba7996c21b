"""Rules for changes of a holder of an identity number; pure."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime

from hundi_testbed.bank.people.seeds import RegisteredPerson
from hundi_testbed.bank.registers import TEXT_MAX, is_day, is_text

CHANGEABLE = tuple(each.name for each in fields(RegisteredPerson))
_DAY = "%d-%m-%Y"
_FIRST_YEAR = 1900
_PHOTO_BYTES_MAX = 20_000
_JPEG = b"\xff\xd8\xff"
_FORMS = {
    "name": (re.compile(r".*\S.*\Z"), "a name"),
    "gender": (re.compile(r"[FMT]\Z"), "F, M or T"),
    "pincode": (re.compile(r"[1-9][0-9]{5}\Z"), "six digits, the first no 0"),
    "mobile": (re.compile(r"(?:[6-9][0-9]{9})?\Z"), "ten digits, the first 6 to 9, or nothing"),
    "email": (re.compile(r"(?:[^@\s]+@[^@\s]+)?\Z"), "an e-mail address, or nothing"),
    "vid_last4": (re.compile(r"[0-9]{4}\Z"), "four digits"),
}


def refusal(changes: Mapping[str, str], today: date) -> str:
    """Return the reason against a change of a holder, "" when there is none."""
    return next(filter(None, (_refusal(name, value, today) for name, value in changes.items())), "")


def _refusal(name: str, value: str, today: date) -> str:
    if name not in CHANGEABLE:
        return f"{name} is none of {' '.join(CHANGEABLE)}"
    if name == "photo":
        return (
            ""
            if not value or _is_photo(value)
            else f"photo is base64 of a JPEG of {_PHOTO_BYTES_MAX} bytes at most"
        )
    if name == "dob" and not _is_birthday(value, today):
        return f"dob is a day, DD-MM-YYYY, from {_FIRST_YEAR} to today"
    if not is_text(value):
        return f"{name} is at most {TEXT_MAX} printable characters"
    form, words = _FORMS.get(name, (None, ""))
    return "" if form is None or form.match(value) else f"{name} is {words}"


def _is_birthday(text: str, today: date) -> bool:
    if not is_day(text, _DAY):
        return False
    born = datetime.strptime(text, _DAY).date()  # noqa: DTZ007 (a day has no zone)
    return born.year >= _FIRST_YEAR and born <= today


def _is_photo(text: str) -> bool:
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return content.startswith(_JPEG) and len(content) <= _PHOTO_BYTES_MAX
