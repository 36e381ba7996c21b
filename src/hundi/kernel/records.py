"""Records: values of several fields that are never changed, only replaced."""

import dataclasses
from typing import Any, TypeVar

_Record = TypeVar("_Record")


def replace(record: _Record, /, **changes: Any) -> _Record:  # noqa: ANN401 (the type of each field)
    """Return this record with some fields changed, as `copy.replace` of Python 3.13 does.

    record: a dataclass or a `msgspec.Struct`, which `dataclasses.replace` does not take.
    """
    by_itself = getattr(record, "__replace__", None)
    if by_itself is None:
        return dataclasses.replace(record, **changes)  # type: ignore[type-var] # noqa: TID251 (a dataclass before 3.13)
    return by_itself(**changes)
