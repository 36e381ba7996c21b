"""A price plan goes into its form, its text, and back as the same plan."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.console.price_form import (
    LISTS,
    fields_of,
    rows_of,
    text_of,
    typed_plan,
    with_row,
    without_row,
)
from hundi.kernel.typed_toml import read_toml
from hundi.money.fees.document.rules import PlanDocument, PriceRuleWords, PriceWords, read

paise = st.integers(0, 10**15 - 1)
numbers = {"fixed_paise": paise, "minimum_paise": paise, "maximum_paise": paise}
points = st.integers(0, 10_000)
ticked = {
    name: st.sets(st.sampled_from(values)).map(
        lambda chosen, values=values: tuple(each for each in values if each in chosen)
    )
    for name, values in LISTS.items()
}
names = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)
rules = st.builds(
    PriceRuleWords,
    name=names,
    basis_points=points,
    above_paise=paise,
    up_to_paise=paise,
    **ticked,
    **numbers,
)
documents = st.builds(
    PlanDocument,
    aggregator=st.booleans(),
    turnover=st.sampled_from(["small", "large"]),
    note=st.text(max_size=40),
    rules=st.lists(rules, max_size=5).map(tuple),
    otherwise=st.none() | st.builds(PriceWords, basis_points=points, **numbers),
)


@given(documents)
def test_a_document_is_the_same_after_its_text(document: PlanDocument) -> None:
    assert msgspec.convert(read_toml(text_of(document)), PlanDocument) == document


@given(documents)
def test_a_document_is_the_same_after_its_form(document: PlanDocument) -> None:
    """Also one with faults: what is wrong with it is said, and nothing of it is lost."""
    typed = typed_plan(fields_of(document))
    as_text = text_of(document).replace("\\r\\n", "\\n")
    assert typed.text == as_text
    found = read(typed.text)
    assert (typed.document == found) if isinstance(found, PlanDocument) else typed.faults


def test_each_fault_is_at_its_field() -> None:
    fields = {
        "turnover": "small",
        "r1_name": "cards",
        "r1_channels_pg": "1",
        "r1_basis_points": "two",
        "r2_name": "banks",
        "r2_channels_nb": "1",
        "r2_fixed_paise": "ten rupees",
    }
    assert set(typed_plan(fields).faults) == {"r1_basis_points", "r2_fixed_paise"}
    fields |= {"r1_basis_points": "2.00", "r2_fixed_paise": "15"}
    faults = typed_plan(fields).faults
    assert "nothing may be charged" in faults["r1_name"], "RuPay debit cards are free by law"
    fields |= {"r1_networks_Visa": "1", "r1_card_types_credit": "1"}
    assert set(typed_plan(fields).faults) == {""}, "some payments have no price"
    right = typed_plan(
        {
            **fields,
            "has_otherwise": "1",
            "otherwise_basis_points": "0.40",
            "otherwise_maximum_paise": "200",
        }
    )
    assert right.document
    assert right.document.rules[1].fixed_paise == 1500
    assert right.document.rules[0].basis_points == 200


@pytest.mark.parametrize("number", [1, 2])
def test_rows_come_and_go(number: int) -> None:
    fields = with_row(with_row({"r1_name": "a"}))
    assert rows_of(fields) == [1, 2, 3]
    assert rows_of(without_row(fields, number)) == [each for each in (1, 2, 3) if each != number]
    assert without_row({"r11_name": "b", "r1_name": "a"}, 1) == {"r11_name": "b"}
