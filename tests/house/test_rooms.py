"""A feature's folder has the same four files; a second noun is a room with files of its own."""

from collections.abc import Iterable
from pathlib import PurePath

import pytest

from tests.house.source import Source, ours

WINGS = (
    "payments",
    "money",
    "merchants",
    "partners",
    "staff",
    "notifications",
    "letters",
    "status",
)
"""The wings whose folders are features."""
FOUR = {"__init__", "rules", "store", "actions", "jobs"}
_FORMAT = "one format of a bank's files; its room reads or writes each of them alike"
_DOCUMENT = "reads a document of any shape, which has no types before it was read"
_REGISTERS = "registers are made as acquirers are, with a port that plug-ins are written for"
ODD = {
    "money/payouts/files/forms.py": _FORMAT,
    "money/payouts/files/iso20022.py": _FORMAT,
    "money/payouts/routing/document.py": _DOCUMENT,
    "money/reconciliation/camt.py": _FORMAT,
    "money/reconciliation/csv_lines.py": _FORMAT,
    "money/reconciliation/mt940.py": _FORMAT,
    "money/reports/pages.py": "draws what the reports say, and decides nothing",
    "money/reports/sheets.py": "writes the lines of reports as files, and decides nothing",
    "money/reports/table_pages.py": "draws the lines of any report, and decides nothing",
    "money/reports/workbooks.py": "writes the lines of any report, and decides nothing",
    "payments/risk/conditions.py": _DOCUMENT,
    "payments/risk/document.py": _DOCUMENT,
    "payments/risk/faults.py": _DOCUMENT,
    "payments/routing/document.py": _DOCUMENT,
    "partners/identity/document.py": "writes and reads XML, by a library without types",
    "partners/registers/contract.py": _REGISTERS,
    "partners/registers/plugins.py": _REGISTERS,
    "partners/registers/port.py": _REGISTERS,
    "partners/registers/routing.py": _REGISTERS,
    "partners/registers/sandbox.py": _REGISTERS,
    "partners/registers/upstream.py": _REGISTERS,
}
"""Files with another name than the four, and why."""


def odd_files(sources: Iterable[Source]) -> set[str]:
    """Return the files of features with other names than the four."""
    paths = (PurePath(source.name.removeprefix("src/hundi/")) for source in sources)
    return {str(path) for path in paths if path.parts[0] in WINGS and path.stem not in FOUR}


def test_a_feature_has_the_same_four_files() -> None:
    assert odd_files(ours()) == set(ODD)


@pytest.mark.parametrize(
    ("name", "is_odd"),
    [
        ("src/hundi/payments/attempts/requests.py", True),
        ("src/hundi/money/fees/rules/bands.py", True),
        ("src/hundi/payments/attempts/inquiries/actions.py", False),
        ("src/hundi/notifications/jobs.py", False),
        ("src/hundi/infra/clock.py", False),
        ("src/hundi/payments.py", False),
    ],
)
def test_an_odd_file_is_found(name: str, *, is_odd: bool) -> None:
    assert bool(odd_files([Source(name, "")])) is is_odd
