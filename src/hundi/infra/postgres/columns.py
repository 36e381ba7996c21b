"""Columns of tables, named once: SQL lists, parameter numbers and values follow from the names."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from textwrap import fill
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from hundi.kernel.money import Money

Row = TypeVar("Row")

LINE_MAX = 110
"""Characters of a line of generated SQL, so that a statement can be read in a log."""


def _names(kind: Callable[..., object]) -> Iterable[str]:
    """Return the fields of a dataclass or struct, in their order."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return [each.name for each in fields(kind)]  # type: ignore[arg-type] (a dataclass is called to make a row)


def _list(texts: Iterable[str]) -> str:
    return fill(", ".join(texts), LINE_MAX)


def numbers(count: int) -> str:
    """Return `$1, $2` for this many arguments of a function."""
    return _list(f"${number}" for number in range(1, count + 1))


class Sliceable(Protocol):
    """A row that can be read by place."""

    def __getitem__(self, place: Any, /) -> Any:
        """Return one value, or a tuple of them for a slice."""
        ...


class Columns:
    """Some columns in one order.

    paths: for each column, the attribute that holds its value, such as `amount.paise`.
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        """Store the columns. Raises ValueError for fewer than two."""
        if len(paths) < 2:  # noqa: PLR2004 (with one, attrgetter returns the value itself and no tuple)
            message = f"{', '.join(paths) or 'no column'}: columns are at least two"
            raise ValueError(message)
        self._paths = dict(paths)
        self.values: Callable[[object], tuple[Any, ...]] = attrgetter(*paths.values())
        """Return an object's values for the columns, in their order."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns' names."""
        return tuple(self._paths)

    def __len__(self) -> int:
        """Return the number of columns, and of parameters."""
        return len(self._paths)

    def only(self, *names: str) -> "Columns":
        """Return these columns, in this order."""
        return Columns({name: self._paths[name] for name in names})

    def but(self, *names: str) -> "Columns":
        """Return all columns but these."""
        unknown = set(names) - set(self._paths)
        if unknown:
            raise KeyError(*unknown)
        return Columns({name: path for name, path in self._paths.items() if name not in names})

    def listed(self, alias: str = "") -> str:
        """Return `a, b`, or `t.a, t.b` with an alias."""
        return _list(f"{alias}.{name}" if alias else name for name in self._paths)

    def numbered(self, first: int) -> str:
        """Return `$4, $5`, from a first parameter on."""
        return _list(f"${number}" for number, _ in enumerate(self._paths, first))

    def assigned(self, first: int) -> str:
        """Return `a = $4, b = $5`, from a first parameter on."""
        return _list(f"{name} = ${number}" for number, name in enumerate(self._paths, first))


@dataclass(frozen=True, slots=True)
class Field:
    """How a field is read from its columns.

    columns: for each column the attribute of the field that it holds; None for one column with the
    field's own name.
    """

    read: Callable[..., object]
    columns: Mapping[str, str] | None = None


def choice(kind: type[StrEnum]) -> Field:
    """Return the field of an enumeration, read from a table: calling the class takes far longer."""
    return Field({each.value: each for each in kind}.__getitem__)


AMOUNT = Field(Money, {"amount_paise": "paise", "currency": "currency"})
"""An amount of money, in the two columns that every table has for it."""


class Table(Columns, Generic[Row]):
    """The columns of a record: a field is a column of its name unless its `Field` differs."""

    def __init__(self, kind: Callable[..., Row], special: Mapping[str, Field]) -> None:
        """Take a dataclass or struct, and its fields that are not one plain column."""
        paths: dict[str, str] = {}
        plan: list[tuple[int, int, Callable[..., object] | None]] = []
        for name in _names(kind):
            special_field = special.get(name)
            start = len(paths)
            if special_field is None or special_field.columns is None:
                paths[name] = name
            else:
                paths |= {
                    column: f"{name}.{part}" for column, part in special_field.columns.items()
                }
            plan.append((start, len(paths), special_field.read if special_field else None))
        super().__init__(paths)
        self._kind = kind
        self._plan = tuple(plan)

    def read(self, row: Sliceable, start: int = 0) -> Row:
        """Return the record in a row selected by `listed`, from its column `start` on."""
        values = row[start : start + len(self._paths)]
        return self._kind(
            *[
                values[first]
                if read is None
                else read(values[first])
                if end - first == 1
                else read(*values[first:end])
                for first, end, read in self._plan
            ]
        )
