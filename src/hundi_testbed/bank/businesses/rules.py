"""Rules for changes of a registered business; pure."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from typing import Any

from hundi_testbed.bank.businesses.seeds import STATUSES, RegisteredBusiness
from hundi_testbed.bank.registers import TEXT_MAX, is_day, is_text

CHANGEABLE = tuple(
    each.name for each in fields(RegisteredBusiness) if each.type is str and each.name != "gstin"
)
_DAY = "%d/%m/%Y"
_DAYS = ("registered_on", "updated_on", "cancelled_on")
_NAMES = ("legal_name", "trade_name")


def changed(
    entry: Mapping[str, Any], changes: Mapping[str, str], today: date
) -> dict[str, Any] | str:
    """Return the whole entry with these fields changed, or the reason against it.

    A business cancelled without a day is so from today; one that is not cancelled has no such day.
    """
    why_not = next(filter(None, (_refusal(name, value) for name, value in changes.items())), "")
    if why_not:
        return why_not
    after = {**entry, **changes}
    if after["status"] != "Cancelled":
        if changes.get("cancelled_on"):
            return (
                f"cancelled_on is for a business that is Cancelled; this one is {after['status']}"
            )
        return after | {"cancelled_on": ""}
    if not after["cancelled_on"]:
        if "cancelled_on" in changes:
            return "cancelled_on cannot be empty: the business is Cancelled"
        return after | {"cancelled_on": today.strftime(_DAY)}
    return after


def _refusal(name: str, value: str) -> str:
    if name not in CHANGEABLE:
        return f"{name} is none of {' '.join(CHANGEABLE)}"
    if name == "status" and value not in STATUSES:
        return f"status is one of {' '.join(STATUSES)}"
    if name in _DAYS and not is_day(value, _DAY) and (value or name != "cancelled_on"):
        return f"{name} is a day, DD/MM/YYYY"
    if name in _NAMES and not value.strip():
        return f"{name} cannot be empty"
    return "" if is_text(value) else f"{name} is at most {TEXT_MAX} printable characters"
