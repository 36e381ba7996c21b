"""Rules of saved filters: their names, their length and their number; pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.kernel.refusals import RefusalCode, refuse

NAME_LENGTH_MAX = 40
QUERY_LENGTH_MAX = 500
SAVED_MAX = 20
"""Filters that one person may save for one list."""
_LIST = re.compile(r"[a-z]{1,30}(-[a-z]{1,30})?\Z")
_QUERY = re.compile(r"[A-Za-z0-9_.~%+=&-]+\Z")


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A filter of one list. merchant_id: 0 at the operator's look across merchants.

    query: the part of the list's address after the question mark.
    """

    merchant_id: int
    person_id: int
    list_name: str
    name: str
    query: str
    saved_at: datetime


def checked(wanted: SavedFilter, saved: Sequence[SavedFilter]) -> SavedFilter:
    """Return a filter to save, which takes the place of one with its name.

    saved: the person's filters of the same list. Raises Refused (FIELD_INVALID).
    """
    if not 0 < len(wanted.name) <= NAME_LENGTH_MAX or not wanted.name.isprintable():
        allowed = f"1 to {NAME_LENGTH_MAX} characters"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="name", received=wanted.name[:64], allowed=allowed
        )
    if not _LIST.match(wanted.list_name):
        raise refuse(RefusalCode.FIELD_INVALID, field="list", received=wanted.list_name[:40])
    if len(wanted.query) > QUERY_LENGTH_MAX or not _QUERY.match(wanted.query):
        allowed = f"the filters of a list's address, at most {QUERY_LENGTH_MAX} characters"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="query", received=wanted.query[:64], allowed=allowed
        )
    others = [each for each in saved if each.name != wanted.name]
    if len(others) >= SAVED_MAX:
        allowed = f"at most {SAVED_MAX} of one list: remove one first"
        raise refuse(RefusalCode.FIELD_INVALID, field="name", received=wanted.name, allowed=allowed)
    return wanted
