"""Tables of fields in `docs/spec`, written from the messages of `wire`.

A comment names the message above a table: `<!-- fields: RefundResult -->`. Rows with several names,
marks, and all columns without a declaration are written by hand and stay.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hundi.wire.merchant.payments import INITIATE
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.message import Record
from hundi.wire.partner.table import OPERATIONS as OF_PARTNERS
from hundi.wire.parts import Declared, Part, parts
from hundi.wire.schema import schema_of

_TABLE = re.compile(r"^<!-- fields: (\w+) -->\n\n(?P<lines>(?:\|.*\n)+)", re.MULTILINE)
_NAME = re.compile(r"`([^`]+)`([^,(]*)")
_MARK = re.compile(r"\(\*[^)]*\*\)")
_TYPES = {"string": "text", "null": "null", "boolean": "`true` or `false`"}
_WRITTEN_BY_HAND = re.compile(r"^(?!yes$|no$|$)")
Row = tuple[list[str], Mapping[str, str], str, list[str]]
"""Names, the declaration of each, the mark of all, and the further cells."""


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """One name on the wire. part: its declaration, None in a Record."""

    name: str
    type: str
    part: Part | None

    def cell(self, head: str, hand_text: str) -> str | None:
        """Return the cell of a column, None for a hand-written one."""
        if head == "Type":
            return self.type
        if self.part is None:
            return None
        if head == "Required":
            called_for = self.part.when is not None and _WRITTEN_BY_HAND.match(hand_text)
            return hand_text if called_for else "yes" if self.part.is_required else "no"
        if head.startswith("Other names"):
            return ", ".join(f"`{each}`" for each in self.part.older)
        return None


def messages() -> dict[str, type[Any]]:
    """Return every declared message by name, those inside others too."""
    declared = [
        each
        for operation in (INITIATE, *OPERATIONS, *OF_PARTNERS)
        for each in (operation.request, operation.reply)
    ]
    return {each.__name__: each for whole in declared for each in _with_all_inside(whole)}


def _with_all_inside(declared: type[Any]) -> Iterator[type[Any]]:
    yield declared
    if not issubclass(declared, Record):
        for part in parts(declared):
            if part.kind.inside is not None:
                yield from _with_all_inside(part.kind.inside)


def fields_of(declared: type[Declared | Record]) -> Iterator[DeclaredField]:
    """Yield the fields of a message in order, spread ones included."""
    if issubclass(declared, Record):
        properties = schema_of(declared)["properties"]
        for name in declared.__struct_fields__:
            yield DeclaredField(name, _type(properties[name]), None)
        return
    for part in parts(declared):
        if part.kind.shape != "spread" or part.kind.inside is None:
            yield DeclaredField(part.name, _type(part.kind.schema), part)
            continue
        for each in fields_of(part.kind.inside):
            when = each.part.when or part.when if each.part else None
            of_all = part.is_required and each.part is not None and each.part.is_required
            yield DeclaredField(each.name, each.type, _of_spread(each.part, when, of_all=of_all))


def _of_spread(part: Part | None, when: Any, *, of_all: bool) -> Part | None:  # noqa: ANN401 (a condition)
    if part is None:
        return None
    default = part.default if of_all or not part.is_required else None
    facts = (part.attribute, part.name, part.kind, part.meaning, part.older)
    return Part(*facts, default, part.hidden, part.unused, when)


def _type(schema: Mapping[str, Any]) -> str:
    types = schema.get("type", "object")
    listed: Sequence[str] = [types] if isinstance(types, str) else types
    return " or ".join(_TYPES.get(each, each) for each in listed)


def rewritten(page: str) -> str:
    """Return a page with its tables of fields as declared."""
    known = messages()

    def table(match: re.Match[str]) -> str:
        lines = match["lines"].splitlines()
        return "\n".join([f"<!-- fields: {match[1]} -->", "", *_table(known[match[1]], lines), ""])

    return _TABLE.sub(table, page)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _row(line: str) -> Row:
    first, *others = _cells(line)
    names = dict(_NAME.findall(_MARK.sub("", first)))
    mark = _MARK.search(first)
    suffixes = {name: suffix.rstrip() for name, suffix in names.items()}
    return [*names], suffixes, f" {mark[0]}" if mark else "", others


def _table(declared: type[Any], lines: list[str]) -> Iterator[str]:
    head, rule, *body = lines
    yield from (head, rule)
    heads, rows = _cells(head)[1:], [_row(line) for line in body]
    fields = {each.name: each for each in fields_of(declared)}
    written = set[str]()
    for name in fields:
        if name in written:
            continue
        row = next((each for each in rows if name in each[0]), ([name], {}, "", [""] * len(heads)))
        together = [each for each in fields if each in row[0]]
        written.update(together)
        yield _line([fields[each] for each in together], heads, row)


def _line(fields: list[DeclaredField], heads: list[str], row: Row) -> str:
    _, suffixes, mark, cells = row
    first = ", ".join(f"`{each.name}`{suffixes.get(each.name, '')}" for each in fields) + mark
    others = list[str]()
    for head, cell_text in zip(heads, cells, strict=True):
        derived = list(dict.fromkeys(each.cell(head, cell_text) for each in fields))
        types = [each for each in derived if each is not None]
        if "Type" in head and len(types) > 1:
            types = [each.type for each in fields]
        others.append(cell_text if None in derived else ", ".join(filter(None, types)))
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in (first, *others))
