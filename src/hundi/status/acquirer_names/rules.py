"""Rules of public names: an operator's name, else the brand, each once; pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

HIDDEN = ""
"""The public name of an acquirer that does not stand on the page."""
NAME_LENGTH_MAX = 60
_BETWEEN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class PublicAcquirer:
    """An acquirer as everybody sees it. account: its own name, which nobody sees."""

    account: str
    name: str
    public_id: str


def public_acquirers(
    accounts: Iterable[tuple[str, str]], names: Mapping[str, str]
) -> Iterator[PublicAcquirer]:
    """Yield the acquirers that stand on the page, each under a name of its own.

    accounts: each account's own name, with its brand. names: an operator's public names.
    """
    shown: set[str] = set()
    ids: set[str] = set()
    for account, brand in accounts:
        wanted = names.get(account, brand)
        if wanted == HIDDEN:
            continue
        name = _free(wanted, " ", shown)
        plain = _free(_BETWEEN.sub("-", name.lower()).strip("-") or "other", "-", ids)
        yield PublicAcquirer(account, name, f"acquirer-{plain}")


def _free(wanted: str, between: str, taken: set[str]) -> str:
    """Return a text, with a number where it is taken, and take it."""
    text, number = wanted, 1
    while text in taken:
        number += 1
        text = f"{wanted}{between}{number}"
    taken.add(text)
    return text
