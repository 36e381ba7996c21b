"""The page about routing names every word that a plan may have."""

import re

import msgspec
import pytest

from hundi.acquirers.plans.document import RoutingFaultCode
from hundi.payments.routing.document import RoutingRuleWords, WhenWords
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "routing.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Field", {each.name for each in msgspec.structs.fields(RoutingRuleWords)}),
        ("Condition", {each.name for each in msgspec.structs.fields(WhenWords)}),
        ("Code", set(RoutingFaultCode)),
    ],
)
def test_tables_have_every_word(title: str, words: set[str]) -> None:
    table = re.search(rf"^\| {title} \|.*\n\|[ -|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table, title
    assert {
        word for row in table[1].splitlines() for word in re.findall(r"`(\w+)`", row.split("|")[1])
    } == words
