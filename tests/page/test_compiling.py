"""A page is one compiled function.

Everything that a template inherits and includes is in its place.
"""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

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


def test_every_channel_has_a_row_of_its_own():
    rows = re.findall(r'code == "(\w+)" %}{% include "_(\w+)\.html" %}', CHOOSE.read_text())
    assert sorted(rows) == sorted((code, code) for code in CHANNELS)


@given(
    st.one_of(st.text(), st.sampled_from("&<>'\""), st.integers(), st.none(), st.text().map(Markup))
)
def test_a_value_is_printed_as_the_library_escapes_it(value: object):
    assert compiling.printed(value) == Markup.escape(value)


@pytest.mark.parametrize("name", sorted(path.name for path in CHOOSE.parent.glob("[!_]*.html")))
def test_every_value_of_a_page_is_printed_by_us(name: str):
    names = compiling.template(name, DEFAULT_LANGUAGE).root_render_func.__code__.co_names
    assert "printed" in names
    assert "escape" not in names
