"""The page about fees names every mistake that a price plan can have, as the code says it."""

import ast
import re
from itertools import pairwise

from hundi.instruments.card import CARD_TYPES, Scheme
from hundi.money.fees.document.rules import (
    UNNAMED,
    PlanDocument,
    PlanFaultCode,
    PriceRuleWords,
    PriceWords,
)
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "fees.md").read_text("utf-8")


def rows(title: str) -> dict[str, str]:
    """Return the table that has a title: first cell to second."""
    table = re.search(rf"^\| {re.escape(title)} \|.*\n\|[ -|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table, title
    return {row.split("|")[1].strip(): row.split("|")[2].strip() for row in table[1].splitlines()}


def words_of(cells: dict[str, str]) -> set[str]:
    return {word for cell in cells for word in re.findall(r"`(\w+)`", cell)}


def test_every_mistake_is_told() -> None:
    tree = ast.parse((ROOT / "src/hundi/money/fees/document/rules.py").read_text("utf-8"))
    body = next(
        each.body
        for each in tree.body
        if isinstance(each, ast.ClassDef) and each.name == PlanFaultCode.__name__
    )
    told = {
        f"`{member.value.value}`": " ".join(str(text.value.value).split())
        for member, text in pairwise(body)
        if isinstance(member, ast.Assign) and isinstance(text, ast.Expr)
        if isinstance(member.value, ast.Constant) and isinstance(text.value, ast.Constant)
    }
    assert told.keys() == {f"`{code.value}`" for code in PlanFaultCode}
    assert rows("Code") == told


def test_every_key_is_told() -> None:
    prices = set(PriceWords.__struct_fields__)
    assert words_of(rows("Key of a price")) == prices
    assert words_of(rows("Key of a rule")) == set(PriceRuleWords.__struct_fields__) - prices - {
        "name"
    }
    assert words_of(rows("Key")) == set(PlanDocument.__struct_fields__)


def test_every_network_and_type_is_told() -> None:
    told = " ".join(rows("Key of a rule").values())
    assert all(f"`{each}`" in told for each in (*Scheme, *CARD_TYPES, UNNAMED))
