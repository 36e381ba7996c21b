"""Faults of a risk document, collected while it is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

TEXT_LENGTH_MAX = 255


class RiskFaultCode(StrEnum):
    """What can be wrong with a document."""

    UNREADABLE = "unreadable"
    """It is neither TOML nor JSON, or too large."""
    UNKNOWN_KEY = "unknown_key"
    """A key that a rule set does not have."""
    MISSING_KEY = "missing_key"
    """A key that is needed is not there."""
    WRONG_TYPE = "wrong_type"
    """A value is of another type than its key needs."""
    OUT_OF_RANGE = "out_of_range"
    """A value is outside what its key allows."""
    UNKNOWN_VALUE = "unknown_value"
    """An action, field, metric, subject or list that there is not."""
    WRONG_OPERATOR = "wrong_operator"
    """A condition has no comparison, several, or one that does not fit its field."""
    DUPLICATE_NAME = "duplicate_name"
    """Two rules have one name."""
    NO_CONDITION = "no_condition"
    """A rule without conditions would match every payment."""
    CONTRADICTION = "contradiction"
    """The conditions of a rule can never hold together."""
    CONFLICT = "conflict"
    """Two rules have the same conditions."""


@dataclass(frozen=True, slots=True)
class RiskFault:
    """One fault of a document.

    rule: its name or place, "" for the whole document. field: the path of the value.
    """

    code: RiskFaultCode
    rule: str
    field: str
    words: str


@dataclass
class Reading:
    """The faults found so far, and the lists that conditions may name."""

    faults: list[RiskFault] = field(default_factory=list)
    lists: dict[str, list[str]] = field(default_factory=dict)

    def add(self, code: RiskFaultCode, rule: str, path: str, words: str) -> None:
        """Add a fault."""
        self.faults.append(RiskFault(code, rule, path, words))


def unknown_keys(
    reading: Reading, rule: str, path: str, table: Mapping[str, Any], names: set[str]
) -> None:
    """Add a fault for every key that a table may not have."""
    for key in table:
        if key not in names:
            allowed = ", ".join(sorted(names))
            reading.add(
                RiskFaultCode.UNKNOWN_KEY,
                rule,
                f"{path}.{key}".lstrip("."),
                f"allowed here: {allowed}",
            )


def read_text(
    reading: Reading, rule: str, path: str, value: object, *, empty: bool = True
) -> str | None:
    """Return a text within its length; add a fault and return None for anything else."""
    if not isinstance(value, str):
        reading.add(
            RiskFaultCode.WRONG_TYPE, rule, path, f"expected a text, received {as_shown(value)}"
        )
        return None
    if len(value) > TEXT_LENGTH_MAX or (not value and not empty):
        least = 0 if empty else 1
        reading.add(
            RiskFaultCode.OUT_OF_RANGE,
            rule,
            path,
            f"expected {least} to {TEXT_LENGTH_MAX} characters",
        )
        return None
    return value


_BITS_SHOWN_MAX = 256


def as_shown(value: object) -> str:
    """Return a value's kind and its first 40 characters, for the words of a fault."""
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number with a point",
        str: "a text",
        list: "a list",
    }
    kind = "a date or time" if isinstance(value, datetime) else kinds.get(type(value), "a table")
    if not isinstance(value, str | int | float):
        return kind
    # Python refuses the decimal text of a number of thousands of digits.
    text = (
        hex(value)
        if isinstance(value, int) and value.bit_length() > _BITS_SHOWN_MAX
        else str(value)
    )
    return f"{kind} ({text[:40]})"


def one_of(reading: Reading, rule: str, path: str, value: object, kind: type[StrEnum]) -> Any:  # noqa: ANN401 (a member of kind)
    """Return a member of a kind; add a fault and return None for anything else."""
    allowed = ", ".join(kind)
    if value is None:
        reading.add(RiskFaultCode.MISSING_KEY, rule, path, f"allowed: {allowed}")
    elif not isinstance(value, str) or value not in set(kind):
        reading.add(
            RiskFaultCode.UNKNOWN_VALUE,
            rule,
            path,
            f"received {as_shown(value)}; allowed: {allowed}",
        )
    else:
        return kind(value)
    return None
