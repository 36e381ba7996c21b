"""The ways in which clients make a wrong checksum: each is a text and its result."""

import hashlib
import html
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, quote_plus

from hundi.wire import strict_json
from hundi.wire.fields import FieldError, paise_from_text
from hundi.wire.merchant import checksum
from hundi.wire.merchant.payments import CAMEL_CASE
from hundi.wire.strict_json import JsonValue

_AMOUNT = re.compile(r"(?:sb_)?(?:max)?amount\Z|refund_amount\Z")

Fields: TypeAlias = Mapping[str, JsonValue]
Part: TypeAlias = tuple[str, str]
"""A piece of a text, after the name of its field."""
Spell: TypeAlias = Callable[[str, JsonValue], str]
Named: TypeAlias = Sequence[tuple[str, str]]
"""Mistakes in words, each with the text that it inserts."""


class Variation(NamedTuple):
    """One way to make a checksum, right or wrong.

    order: the names of the joined values.
    """

    mistake: str
    order: tuple[str, ...]
    spell: Spell
    tail: str
    head: str = ""
    hashed_by: str = "sha256"
    whole: bool = False
    """Whether the message's JSON text replaces its values."""

    def parts(self, fields: Fields) -> tuple[Part, ...]:
        """Return the hashed text, in its parts."""
        middle = tuple((name, self.spell(name, fields[name])) for name in self.order)
        if self.whole:
            middle = (("", strict_json.compact(dict(fields))),)
        return (
            *((("", self.head),) if self.head else ()),
            *middle,
            *((("date", self.tail),) if self.tail else ()),
        )

    def digest(self, fields: Fields) -> str:
        """Return the result."""
        return hashlib.new(
            self.hashed_by, joined(self.parts(fields)).encode(), usedforsecurity=False
        ).hexdigest()


def joined(parts: Sequence[Part]) -> str:
    """Return the text of parts."""
    return "".join(piece for _, piece in parts)


def right(fields: Fields, now: datetime) -> Variation:
    """Return the form v4 with today's date in India, as it should be."""
    return Variation(
        "", tuple(sorted(fields)), _as_it_is, now.astimezone(checksum.INDIA).date().isoformat()
    )


def mistakes(fields: Fields, heads: Named, now: datetime, days: int) -> Iterator[Variation]:
    """Yield the usual mistakes in making a checksum, the likeliest first.

    heads: texts that some clients put in front. days: how many days around today are tried as its
    date.
    """
    today, as_it_should_be = now.astimezone(checksum.INDIA).date(), right(fields, now)
    orders, tails, spells = _orders(fields), _tails(today), _spells(fields)
    wrong = as_it_should_be._replace
    (in_order_sent, sent), *others = orders
    yield wrong(mistake=in_order_sent, order=sent)
    yield wrong(mistake="a text without the date", tail="")
    yield wrong(mistake="a text without the date, values in the order sent,", order=sent, tail="")
    yield from [wrong(mistake=words, tail=tail) for words, tail in tails]
    yield from [wrong(mistake=words, order=order) for words, order in others]
    yield wrong(mistake="the JSON text in place of the values", whole=True)
    yield from [wrong(mistake=words, spell=spell) for words, spell in spells]
    yield from _left_out(as_it_should_be)
    yield from [wrong(mistake=words, head=head) for words, head in heads]
    yield from [
        wrong(mistake=f"{each} in place of sha256", hashed_by=each)
        for each in ("md5", "sha1", "sha512")
    ]
    yield from _twice(as_it_should_be, orders, tails, spells)
    for distance in range(1, days):
        for day in (today - timedelta(days=distance), today + timedelta(days=distance)):
            yield wrong(mistake=f"the date {day}", tail=day.isoformat())


def _left_out(whole: Variation) -> Iterator[Variation]:
    for name in whole.order:
        yield whole._replace(
            mistake=f"a text without {name}",
            order=tuple(each for each in whole.order if each != name),
        )


def _twice(
    whole: Variation,
    orders: Sequence[tuple[str, tuple[str, ...]]],
    tails: Named,
    spells: Sequence[tuple[str, Spell]],
) -> Iterator[Variation]:
    """Yield two mistakes at once, of kinds that often come together."""
    undated = [("no date", ""), *tails]
    for (first, order), (second, tail) in itertools.product(orders, undated):
        yield whole._replace(mistake=f"{_trimmed(first)}, and {second}", order=order, tail=tail)
    for (first, spell), (second, tail) in itertools.product(spells, undated):
        yield whole._replace(mistake=f"{first}, and {second}", spell=spell, tail=tail)
    for (first, order), (second, spell) in itertools.product(orders, spells):
        yield whole._replace(mistake=f"{_trimmed(first)}, and {second}", order=order, spell=spell)


def _trimmed(words: str) -> str:
    return words.removesuffix(",")


def _orders(fields: Fields) -> list[tuple[str, tuple[str, ...]]]:
    by_key, sent = tuple(sorted(fields)), tuple(fields)
    found = [
        ("the values in the order sent, not in key order,", sent),
        (
            "sorting the values, not the keys,",
            tuple(sorted(fields, key=lambda name: _as_it_is(name, fields[name]))),
        ),
        ("the keys sorted without regard to capitals", tuple(sorted(fields, key=str.lower))),
        (
            "the keys sorted by their camel-case names",
            tuple(sorted(fields, key=_camel_case)),
        ),
        ("the keys sorted backwards", tuple(reversed(by_key))),
    ]
    return [
        (words, order)
        for words, order in found
        if order != by_key or words.startswith("the values in the order")
    ]


def _camel_case(name: str) -> str:
    return CAMEL_CASE.get(name, name)


def _tails(today: date) -> Named:
    forms = (
        "%d-%m-%Y",
        "%Y%m%d",
        "%d/%m/%Y",
        "%m/%d/%Y",
        "%m-%d-%Y",
        "%Y/%m/%d",
        "%d-%m-%y",
        "%y-%m-%d",
    )
    return [(f"the date written {form}", today.strftime(form)) for form in forms]


def _as_it_is(_: str, value: JsonValue) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, str) else strict_json.compact(value)


def _spells(fields: Fields) -> list[tuple[str, Spell]]:
    """Return the ways to spell values wrong that change any of these fields."""
    plain: list[tuple[str, Callable[[str], str]]] = [
        ("values percent-encoded once more (a space as %20)", partial(quote, safe="")),
        ("values encoded as in a form once more (a space as +)", quote_plus),
        ("values with HTML's entities (&amp;)", partial(html.escape, quote=True)),
        (
            "values with slashes escaped (\\/), as PHP's json_encode writes them",
            lambda text: text.replace("/", "\\/"),
        ),
        ("values with non-ASCII escaped (\\u0905)", lambda text: json.dumps(text)[1:-1]),
        ("values whose UTF-8 was read as Latin-1", lambda text: text.encode().decode("latin-1")),
        ("values without spaces around them", str.strip),
        ("values in lower case", str.lower),
        ("values in upper case", str.upper),
        ("values in quotes", lambda text: f'"{text}"'),
    ]
    found: list[tuple[str, Spell]] = [(words, partial(_changed, change)) for words, change in plain]
    found += [
        (words, partial(_amount, form))
        for words, form in (
            ("the amount without its decimal places", "whole"),
            ("the amount without zeros at its end", "short"),
            ("the amount with two decimal places", "two"),
            ("the amount in paise", "paise"),
            ("the amount with commas", "commas"),
        )
    ]
    found.append(("objects and arrays with spaces behind , and :", _spaced))
    as_it_is = {name: _as_it_is(name, value) for name, value in fields.items()}
    return [
        (words, spell)
        for words, spell in found
        if any(spell(name, value) != as_it_is[name] for name, value in fields.items())
    ]


def _changed(change: Callable[[str], str], name: str, value: JsonValue) -> str:
    return change(_as_it_is(name, value))


def _amount(form: str, name: str, value: JsonValue) -> str:
    text = _as_it_is(name, value)
    if not _AMOUNT.match(name):
        return text
    try:
        paise = paise_from_text(text)
    except FieldError:
        return text
    rupees, cents = divmod(paise, 100)
    return {
        "whole": str(rupees),
        "short": f"{rupees}.{cents:02}".rstrip("0").rstrip("."),
        "two": f"{rupees}.{cents:02}",
        "paise": str(paise),
        "commas": f"{rupees:,}.{cents:02}",
    }[form]


def _spaced(name: str, value: JsonValue) -> str:
    """Return a value as most languages write JSON by default."""
    return _with_spaces(value) if isinstance(value, dict | list) else _as_it_is(name, value)


def _with_spaces(value: JsonValue) -> str:
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(
                f"{json.dumps(name)}: {_with_spaces(inner)}" for name, inner in value.items()
            )
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(_with_spaces(inner) for inner in value) + "]"
    return strict_json.compact(value)
