"""A page is one compiled function: everything that a template inherits and includes is in its place."""

from pathlib import Path

import pytest

from hundi.instruments.methods import CHANNELS
from hundi.page import compiling
from hundi.page.texts import DEFAULT_LANGUAGE

CHOOSE = Path(compiling.__file__).parent / "templates" / "choose.html"


def test_a_page_joins_no_parts_when_it_is_shown():
    template = compiling.template("choose.html", DEFAULT_LANGUAGE)
    written = "".join(map(str, template.root_render_func.__code__.co_consts))
    assert template.blocks == {}
    assert "<!doctype html>" in written, "what it inherits"
    assert 'name="cvv"' in written, "what it includes"


@pytest.mark.parametrize("code", CHANNELS)
def test_every_channel_has_a_row(code):
    assert f'code == "{code}" %}}{{% include' in CHOOSE.read_text()
