"""The style sheet: dark by the system, or by the reader against it."""

import pytest

from tests.house.source import ROOT
from tools.site.look import stylesheet

TOKENS = (ROOT / "src/hundi/infra/look/tokens.css").read_text("utf-8")


def test_the_readers_choice_has_the_same_colours_as_the_systems() -> None:
    written = stylesheet(TOKENS, ".own {}")
    by_system, chosen = written.split(':root[data-scheme="light"]')
    dark = "--ground: #14161c;"
    assert TOKENS.count(dark) == 1
    assert by_system.count(dark) == chosen.count(dark) == 1
    assert written.endswith(".own {}")


def test_tokens_that_are_written_otherwise_end_the_build() -> None:
    with pytest.raises(ValueError, match="no :root"):
        stylesheet(TOKENS.replace("prefers-color-scheme", "prefers-contrast"), "")
