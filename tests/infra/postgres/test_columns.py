"""Columns named once: lists, numbers and values have one order, and rows become values."""

from dataclasses import dataclass
from enum import StrEnum

import pytest

from hundi.infra.postgres.columns import Field, Table, numbers
from hundi.kernel.money import Money


class Colour(StrEnum):
    """A word that is stored as text."""

    RED = "red"


@dataclass(frozen=True, slots=True)
class Kite:
    """A row."""

    kite_id: int
    colour: Colour
    price: Money
    name: str = ""


KITE = Table(
    Kite,
    {"colour": Field(Colour), "price": Field(Money, {"paise": "paise", "currency": "currency"})},
)
RED = Kite(7, Colour.RED, Money(250, "USD"), "Asha")


def test_lists_numbers_and_values_have_one_order() -> None:
    assert KITE.listed() == "kite_id, colour, paise, currency, name"
    assert KITE.listed("k") == "k.kite_id, k.colour, k.paise, k.currency, k.name"
    assert KITE.numbered(3) == "$3, $4, $5, $6, $7"
    assert KITE.values(RED) == (7, Colour.RED, 250, "USD", "Asha")
    assert len(KITE) == 5


def test_some_columns_keep_their_paths() -> None:
    some = KITE.only("name", "paise")
    assert some.assigned(2) == "name = $2, paise = $3"
    assert some.values(RED) == ("Asha", 250)
    assert KITE.but("name", "colour", "kite_id").values(RED) == (250, "USD")


def test_a_column_that_is_not_there_is_no_column() -> None:
    with pytest.raises(KeyError):
        KITE.only("name", "tail")
    with pytest.raises(KeyError):
        KITE.but("tail")


def test_one_column_is_refused() -> None:
    with pytest.raises(ValueError, match="name: columns are at least two"):
        KITE.only("name")


def test_a_function_is_given_so_many_arguments() -> None:
    assert numbers(3) == "$1, $2, $3"


def test_a_row_becomes_the_value_it_was_written_from() -> None:
    stored = (7, "red", 250, "USD", "Asha")
    assert KITE.read(stored) == RED
    assert KITE.read((1, 2, *stored), 2) == RED
