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
    there: dict[str, int] = {}
    for account, brand in accounts:
        name = names.get(account, brand)
        if name == HIDDEN:
            continue
        there[name] = number = there.get(name, 0) + 1
        name = name if number == 1 else f"{name} {number}"
        plain = _BETWEEN.sub("-", name.lower()).strip("-") or str(len(there))
        yield PublicAcquirer(account, name, f"acquirer-{plain}")
