"""Which terminals and sales are taken, and which addresses may list them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.partners.pos import rules
from hundi.partners.pos.rules import Sale, SaleRecord

SALE = Sale(
    10001,
    "T1",
    "bill-7",
    datetime(2026, 11, 20, tzinfo=UTC),
    450_00,
    table_no="7",
    mobile="9820012345",
)
KEPT = SaleRecord(1, SALE.at, "SALE", 450_00, 0, "7", "XXXXXX2345")


@pytest.mark.parametrize(
    ("terminal_id", "label"), [("T", "Counter"), ("A1b2C3d4E5f6G7h8", "मुख्य काउंटर")]
)
def test_terminals_that_can_be_registered(terminal_id: str, label: str) -> None:
    rules.check_terminal(terminal_id, label)


@pytest.mark.parametrize(
    ("terminal_id", "label", "name"),
    [
        ("", "Counter", "terminal_id"),
        ("T-1", "Counter", "terminal_id"),
        ("T" * 17, "Counter", "terminal_id"),
        ("T1\n", "Counter", "terminal_id"),
        ("T1", "", "label"),
        ("T1", "x" * (rules.LABEL_MAX + 1), "label"),
    ],
)
def test_the_part_of_a_terminal_that_cannot_be_is_named(
    terminal_id: str, label: str, name: str
) -> None:
    with pytest.raises(Refused) as told:
        rules.check_terminal(terminal_id, label)
    assert (told.value.refusal.code, told.value.refusal.field) == (RefusalCode.FIELD_INVALID, name)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"kind": "VOID"},
        {"kind": "REFUND"},
        {"amount_paise": 1},
        {"amount_paise": rules.AMOUNT_MAX_PAISE, "edited_paise": rules.AMOUNT_MAX_PAISE},
        {"table_no": "", "mobile": ""},
        {"reference": "r" * rules.REFERENCE_MAX},
        {"reference": "4532987610345214"},
        {"reference": "INV-4532987610345214"},
    ],
)
def test_sales_that_are_kept(changed: dict[str, Any]) -> None:
    rules.check_sale(replace(SALE, **changed))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("type", {"kind": "TIP"}),
        ("amount", {"amount_paise": 0}),
        ("amount", {"amount_paise": rules.AMOUNT_MAX_PAISE + 1}),
        ("edit_amount", {"edited_paise": -1}),
        ("edit_amount", {"edited_paise": rules.AMOUNT_MAX_PAISE + 1}),
        ("mobile", {"mobile": "982001234"}),
        ("mobile", {"mobile": "982001234५"}),
        ("table", {"table_no": "t" * (rules.TABLE_MAX + 1)}),
        ("reference", {"reference": ""}),
        ("reference", {"reference": "r" * (rules.REFERENCE_MAX + 1)}),
        ("reference", {"reference": "card 4532987610345214"}),
        ("reference", {"reference": "4532-9876-1034-5214"}),
    ],
)
def test_the_part_of_a_sale_that_cannot_be_is_named(name: str, changed: dict[str, Any]) -> None:
    with pytest.raises(Refused) as told:
        rules.check_sale(replace(SALE, **changed))
    assert (told.value.refusal.code, told.value.refusal.field) == (RefusalCode.FIELD_INVALID, name)


def test_a_refused_mobile_number_is_not_repeated() -> None:
    with pytest.raises(Refused) as told:
        rules.check_sale(replace(SALE, mobile="982001234567"))
    assert told.value.refusal.received == "12 characters"


@pytest.mark.parametrize(("mobile", "kept"), [("9820012345", "XXXXXX2345"), ("", "")])
def test_of_a_mobile_number_the_last_four_digits_are_kept(mobile: str, kept: str) -> None:
    assert rules.masked(mobile) == kept


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({}, True),
        ({"at": datetime(2026, 11, 21, tzinfo=UTC)}, True),
        ({"mobile": "9999992345"}, True),
        ({"kind": "VOID"}, False),
        ({"amount_paise": 451_00}, False),
        ({"edited_paise": 1}, False),
        ({"table_no": "8"}, False),
        ({"mobile": "9820012346"}, False),
    ],
)
def test_a_repeated_sale_says_the_same_as_what_is_kept(
    changed: dict[str, Any], *, same: bool
) -> None:
    assert KEPT.is_of(replace(SALE, **changed)) is same
