"""When reports are fetched, and how a report becomes a statement; pure."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from hundi.acquirers.port.settlement_reports import ReportLine
from hundi.kernel.clock import INDIA, business_day
from hundi.kernel.records import replace
from hundi.money.reconciliation.rules import CsvMapping, LineKind, StatementError

FORMAT = CsvMapping(
    columns={
        "kind": "kind",
        "sign": "sign",
        "gross": "gross",
        "fee": "fee",
        "net": "net",
        "reference": "reference",
        "rrn": "number",
        "utr": "utr",
        "day": "day",
    },
    kinds={
        each.value: each
        for each in (LineKind.PAYMENT, LineKind.REFUND, LineKind.CHARGEBACK, LineKind.OTHER)
    },
    signs={"credit": "credit", "debit": "debit"},
    amounts_in="paise",
    trailer="TOTAL",
    trailer_count="reference",
    trailer_sum="net",
)
"""How the file of a fetched report is written and read."""
MORNING = time(6, 0, tzinfo=INDIA)
"""From this time of day reports are fetched: acquirers make them at night."""
DAYS_AGAIN = 4
"""The last days that every run fetches: acquirers add lines and transfers days later."""
DAYS_MAX = 31
"""How many days back a run goes for days that were never fetched."""
AGAIN_AFTER = timedelta(minutes=15)
AGAIN_AFTER_MAX = timedelta(hours=4)
"""The delay before a failed run is tried again: the first, and the longest after doublings."""
ERROR_MAX = 300
_DOUBLINGS_MAX = 10
_HEAD = ("kind", "sign", "gross", "fee", "net", "reference", "number", "utr", "day", "acquirer")


@dataclass(frozen=True, slots=True)
class LineIdentity:
    """The identity of an imported line: two that agree in all of it are the same line."""

    kind: str
    is_credit: bool
    gross_paise: int
    net_paise: int
    reference: str
    rrn: str
    utr: str
    day: date


@dataclass(frozen=True, slots=True)
class ReportRun:
    """When an acquirer's reports are fetched next, and how the last run ended.

    wanted_at: since when a run is due, unchanged while tries fail. due_at: of the next try; during
    a run, the end of its lease. error: of the last try. last_day: every day up to it was fetched.
    """

    connector: str
    wanted_at: datetime
    due_at: datetime
    failures: int = 0
    error: str = ""
    last_day: date | None = None
    fetched_at: datetime | None = None


def days_of(run: ReportRun, now: datetime) -> list[date]:
    """Return the days to fetch: the newest that have ended, and those never fetched."""
    yesterday = business_day(now) - timedelta(days=1)
    first = yesterday if run.last_day is None else min(yesterday, run.last_day + timedelta(days=1))
    back = min((yesterday - first).days + DAYS_AGAIN, DAYS_MAX)
    return [yesterday - timedelta(days=each) for each in reversed(range(back))]


def after(run: ReportRun, errors: Mapping[date, str], now: datetime) -> ReportRun:
    """Return the next run after one of `days_of`.

    errors: by day, for days that could not be fetched.
    """
    if not errors:
        morning = datetime.combine(business_day(now), MORNING)
        following = morning if morning > now else morning + timedelta(days=1)
        yesterday = business_day(now) - timedelta(days=1)
        return ReportRun(run.connector, following, following, last_day=yesterday, fetched_at=now)
    first = min(errors)
    wait = min(AGAIN_AFTER * 2 ** min(run.failures, _DOUBLINGS_MAX), AGAIN_AFTER_MAX)
    return replace(
        run,
        due_at=now + wait,
        failures=run.failures + 1,
        error=errors[first][:ERROR_MAX],
        last_day=run.last_day and max(run.last_day, first - timedelta(days=1)),
    )


def key_of(line: ReportLine) -> LineIdentity:
    """Return the identity of a line."""
    return LineIdentity(
        line.kind.value,
        line.is_credit,
        line.gross_paise,
        line.net_paise,
        line.reference,
        line.number,
        line.utr,
        line.day,
    )


def with_transfers(lines: Sequence[ReportLine]) -> tuple[list[ReportLine], int]:
    """Return the lines whose transfer is known, and how many have none yet.

    A line without a transfer has that of its settlement. Raises StatementError for a settlement
    with two transfers.
    """
    transfers: dict[str, str] = {}
    for line in lines:
        if (
            line.settlement
            and line.utr
            and transfers.setdefault(line.settlement, line.utr) != line.utr
        ):
            utrs = f"{transfers[line.settlement]} and {line.utr}"
            message = (
                f"settlement {line.settlement} is said to have come as {utrs}: ask the acquirer"
            )
            raise StatementError(message)
    full = [replace(each, utr=each.utr or transfers.get(each.settlement, "")) for each in lines]
    ready = [each for each in full if each.utr]
    return ready, len(full) - len(ready)


def unseen(lines: Iterable[ReportLine], before: Iterable[LineIdentity]) -> list[ReportLine]:
    """Return the lines that no earlier report has.

    Repeated lines count as often as they are new.
    """
    counts = Counter(before)
    new_lines: list[ReportLine] = []
    for line in lines:
        key = key_of(line)
        if counts[key] > 0:
            counts[key] -= 1
        else:
            new_lines.append(line)
    return new_lines


def file_of(connector: str, day: date, lines: Sequence[ReportLine]) -> bytes:
    """Return the file of a report: the same lines give the same bytes, no lines cover the day."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    net = 0
    for line in lines:
        amounts = (line.gross_paise, line.fee_paise, line.net_paise)
        net += line.net_paise if line.is_credit else -line.net_paise
        sign = "credit" if line.is_credit else "debit"
        names = (line.reference, line.number, line.utr, line.day.isoformat(), connector)
        writer.writerow((line.kind.value, sign, *amounts, *names))
    writer.writerow(("TOTAL", "", "", "", net, len(lines), "", "", day.isoformat(), connector))
    return text.getvalue().encode()
