"""A page is one compiled function.

Everything that a template inherits and includes is in its place.
"""

import re
from pathlib import Path

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
