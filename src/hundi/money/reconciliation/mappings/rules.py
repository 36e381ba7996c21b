"""Mappings that people chose, by the layout of the file; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from hundi.money.reconciliation.rules import CsvMapping


@dataclass(frozen=True, slots=True)
class ChosenMapping:
    """How a layout was read from some moment on.

    connector: "" for our own bank account's files. layout: of the file, by its first row.
    """

    connector: str
    layout: bytes
    version_no: int
    mapping: CsvMapping
    chosen_by: str
    chosen_at: datetime


def layout_of(delimiter: str, head: Sequence[str]) -> bytes:
    """Return the digest by which a layout is recognised: the names and order of its columns."""
    return sha256("\0".join((delimiter, *(name.strip() for name in head))).encode()).digest()
