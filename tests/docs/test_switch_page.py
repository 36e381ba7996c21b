"""The page about switching has a section for each known kind of client, with its command."""

import re

from hundi.merchants.directory.clients.rules import CLIENTS
from tests.docs.examples import ROOT


def test_each_kind_says_what_stays_and_what_changes() -> None:
    page = (ROOT / "docs" / "switch.md").read_text("utf-8").split("## By kind of client\n")[1]
    sections = dict(re.findall(r"^### (\S+)\n(.*?)(?=^### |\Z)", page, re.MULTILINE | re.DOTALL))
    assert list(sections) == list(CLIENTS)
    for kind, words in sections.items():
        assert f"`--client {kind}`" in words
        assert "**Stays:**" in words
        assert "**Changes:**" in words
