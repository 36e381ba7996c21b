"""Results of verbs for people: amounts, times and lists as text."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hundi.kernel.clock import ist
from hundi.kernel.money import Money, shown

_PAISE, _CURRENCY = "_paise", "_currency"


def in_rupees(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry with amounts for people: `amount_paise` becomes `amount`.

    The currency is `amount_currency`, else the entry's, else rupees.
    """
    if not any(name.endswith(_PAISE) for name in entry):
        return entry
    currency = entry.get("currency") or "INR"
    own = {
        name.removesuffix(_CURRENCY): str(value)
        for name, value in entry.items()
        if name.endswith(_CURRENCY)
    }
    return {
        name.removesuffix(_PAISE): _amount(value, own.get(name.removesuffix(_PAISE), currency))
        if name.endswith(_PAISE)
        else value
        for name, value in entry.items()
        if name != "currency" and not name.endswith(_CURRENCY)
    }


def _amount(value: object, currency: str) -> object:
    return shown(Money(value, currency)) if type(value) is int else value


def text_of(value: object) -> str:
    """Return a value as text for people.

    Times are to the second, in Indian time; control characters are removed.
    """
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {text_of(each)}" for name, each in in_rupees(value).items())
    if isinstance(value, list | tuple):
        texts = [text_of(each) for each in value]
        return ("\n" if any(" " in each for each in texts) else ", ").join(texts)
    if isinstance(value, datetime):
        return f"{ist(value):%d %b %Y, %H:%M:%S IST}".lstrip("0")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    return "".join(each if each.isprintable() or each == "\n" else "�" for each in str(value))
