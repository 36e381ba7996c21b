"""Compiles each template of the page, with all its parts, into one function for each language.

Inherited and included parts, and everything that is the same on every page, are inlined before
compiling: every payment requests a page, and joining its parts each time would cost as much as
filling it (decision 0073).
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined, Template, nodes
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from hundi.api.addresses import WHERE_PAGE
from hundi.instruments.card import RANGES, Problem
from hundi.kernel.languages import OWN_NAMES
from hundi.page.assets import ASSETS, STATIC_PATH
from hundi.page.icons import ICONS
from hundi.page.texts import DEFAULT_LANGUAGE, LANGUAGES, fixed_text, speaker

TEMPLATES = Path(__file__).parent / "templates"
_CONSTANT = re.compile(r'\{\{ (t|icons|assets)\["([^"]+)"\](?:\.(href|integrity))? \}\}')
_INCLUDE = re.compile(r'\{% include "([^"]+)" %\}')


@cache
def template(name: str, language: str) -> Template:
    """Return a compiled template.

    Each language and page is compiled at its first request. Raises FileNotFoundError for a missing
    template.
    """
    environment = _environment(language)
    tree = _in_one_piece(
        name, lambda each: environment.parse(_constants_written_in(_whole(each), language), each)
    )
    return Template.from_code(
        environment, environment.compile(tree, name, name), environment.globals
    )


def compile_for_most() -> None:
    """Compile every page in the languages of most customers, before the first of them comes.

    It takes a quarter of a second, so only a process that shows pages does it.
    """
    for name in sorted(path.name for path in TEMPLATES.glob("[!_]*.html")):
        for language in (DEFAULT_LANGUAGE, "hi"):
            template(name, language)


@cache
def _environment(language: str) -> Environment:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(
        static_path=STATIC_PATH,
        where_page=WHERE_PAGE,
        icons=ICONS,
        card_rules=_card_rules(language),
        language=language,
        switch=_switch(language),
    )
    return environment


def _card_rules(language: str) -> Markup:
    """Return the server's card rules and their words for the page's script, as an attribute."""
    say = speaker(language)
    ranges = [
        [one.first, one.last, one.scheme.value, one.scheme.lengths, one.scheme.cvv_length]
        for one in RANGES
    ]
    words = {problem.value: say(problem.value) for problem in Problem}
    return Markup.escape(
        json.dumps({"ranges": ranges, "words": words}, ensure_ascii=False, separators=(",", ":"))
    )


def _switch(language: str) -> Markup:
    """Return a button for each other language; the same on every page, so inlined."""
    button = Markup('<button class="link" name="lang" value="{0}" lang="{0}">{1}</button>\n')
    others = [each for each in OWN_NAMES if each in LANGUAGES and each != language]
    return Markup("").join(button.format(each, OWN_NAMES[each]) for each in others)


def _whole(name: str) -> str:
    """Return a template with its included templates."""
    return _INCLUDE.sub(lambda found: _whole(found[1]), (TEMPLATES / name).read_text("utf-8"))


def _constants_written_in(source: str, language: str) -> str:
    """Return a template with everything inlined that is the same on every page.

    Texts without values, icons and file names are two thirds of a page; inlined, they cost nothing.
    """

    def written(found: re.Match[str]) -> str:
        kind, name, part = found.groups()
        match kind:
            case "t":
                fixed = fixed_text(language, name)
                return found[0] if fixed is None else fixed
            case "icons":
                return ICONS[name]
            case _:
                return getattr(ASSETS[name], part)

    return _CONSTANT.sub(written, source)


def _in_one_piece(name: str, parse: Callable[[str], nodes.Template]) -> nodes.Template:
    """Return a template with its inherited parts. parse: reads one by its name."""
    tree = parse(name)
    blocks: dict[str, nodes.Block] = {}
    while (base := tree.find(nodes.Extends)) is not None:
        for block in tree.find_all(nodes.Block):
            # The template's own version of a block overrides the inherited one.
            blocks.setdefault(block.name, block)
        assert isinstance(base.template, nodes.Const)
        tree = parse(base.template.value)
    return _BlockFiller(blocks).visit(tree)


class _BlockFiller(NodeTransformer):
    """Inlines each block's most derived version, and gives each condition its `else`: nothing."""

    def __init__(self, blocks: Mapping[str, nodes.Block]) -> None:
        self._blocks = blocks

    def visit_Block(self, node: nodes.Block) -> list[nodes.Node]:  # noqa: N802 (a name of the library)
        """Return the content of a block."""
        return [
            each
            for part in self._blocks.get(node.name, node).body
            for each in self.visit_list(part)
        ]

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:  # noqa: N802 (a name of the library)
        """Return a condition with its `else`."""
        if node.expr2 is None:
            node.expr2 = nodes.Const("")
        return self.generic_visit(node)
