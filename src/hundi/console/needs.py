"""What needs the person who looks: each thing one click from its act, none that they may not do."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from asyncpg import Record

from hundi.console import second_person
from hundi.console.approvals import KINDS
from hundi.console.assets import PREFIX
from hundi.console.complaints import KINDS as COMPLAINTS
from hundi.console.lists import counted, words
from hundi.console.queries import across, needs
from hundi.console.visits import ALL, ConsoleVisit
from hundi.doctor.certificates import store as certificates
from hundi.doctor.certificates.rules import OLD, is_known
from hundi.doctor.rules import Level
from hundi.kernel.clock import for_people, ist, world_now
from hundi.kernel.money import Money, shown
from hundi.payments.reviews import store as reviews
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.verbs.mcp import add as add_assistant_key

_ROWS_MAX = 50
_LISTED_MAX = 5
"""Things of one kind that are listed; the rest is behind a link."""
_GIVEN_UP_WITHIN = timedelta(days=7)
_LOOKED_BACK = timedelta(days=30)
_KEY_ENDS_WITHIN = timedelta(days=14)
_SOON = timedelta(days=2)


class NeedKind(StrEnum):
    """What can wait for a person, in the order of Home."""

    DISPUTE = "dispute"
    """A dispute that nobody answered."""
    COMPLAINT = "complaint"
    """A payer's complaint that nobody answered; across merchants, after its deadline."""
    APPROVAL = "approval"
    """A request of somebody else that waits for a second person."""
    PAYOUT_BACK = "payout_back"
    """A payout that did not arrive and was not tried again."""
    PAYOUT_RELEASE = "payout_release"
    """Payouts that a person releases."""
    REVIEW = "review"
    """Payments that are held until somebody looks."""
    SERVER_FAILING = "server_failing"
    """A merchant's server that takes no notifications."""
    NOTIFICATION_LOST = "notification_lost"
    """Notifications that were given up."""
    UNKNOWN = "unknown"
    """Payments about which the bank says nothing."""
    BEARER_KEY = "bearer_key"
    """A key of the plain interface that ends."""
    ASSISTANT_KEY = "assistant_key"
    """A key of somebody's assistant that ends."""
    CERTIFICATE = "certificate"
    """A certificate that ends, or that nobody looks at."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that waits for the person. urgent: it ends soon, or money or orders wait."""

    kind: NeedKind
    title: str
    words: str
    href: str
    is_urgent: bool = False


async def of_visit(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    """Return what the person may act on, the most urgent first. merchants: of the place."""
    found: list[Need] = []
    for permission, find in NEEDS.values():
        if visit.may(permission):
            found += await find(visit, merchants)
    return sorted(found, key=lambda need: not need.is_urgent)


async def _names(visit: ConsoleVisit, rows: Collection[Record]) -> Mapping[int, str]:
    """Return the beginning of each title: the merchant's name, across merchants."""
    if visit.merchant_id or not rows:
        return {}
    names = await across.names_of(visit.db, {row["merchant_id"] for row in rows})
    return {number: f"{name}: " for number, name in names.items()}


def _at(merchant_id: int, path: str) -> str:
    return f"{PREFIX}{merchant_id or ALL}/{path}"


def _more(
    visit: ConsoleVisit, kind: NeedKind, noun: str, rows: Sequence[Any], path: str
) -> list[Need]:
    left = len(rows) - _LISTED_MAX
    text = f"{left}{'' if len(rows) < _ROWS_MAX else ' or more'} further {noun}"
    return [Need(kind, text, "", visit.href(path))] if left > 0 else []


async def _disputes(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    rows = await needs.disputes(visit.db, merchants, _ROWS_MAX)
    names = await _names(visit, rows)
    listed = [
        Need(
            NeedKind.DISPUTE,
            f"{names.get(row['merchant_id'], '')}Answer the {words(row['phase']).lower()} over "
            f"{shown(Money(row['amount_paise'], row['currency']))}",
            f"by {for_people(row['respond_by'])}" if row["respond_by"] else "",
            _at(row["merchant_id"], f"disputes/{row['dispute_id']}"),
            is_urgent=row["respond_by"] is not None and row["respond_by"] < visit.now + _SOON,
        )
        for row in rows[:_LISTED_MAX]
    ]
    path = "disputes?state=open" if visit.merchant_id else "across/disputes"
    return listed + _more(visit, NeedKind.DISPUTE, "disputes", rows, path)


async def _complaints(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    """Return complaints to answer; the operator sees those that wait beyond their deadline."""
    late = None if visit.merchant_id else visit.now
    rows = await needs.complaints(visit.db, merchants, late, _ROWS_MAX)
    names = await _names(visit, rows)
    listed = [
        Need(
            NeedKind.COMPLAINT,
            f"{names.get(row['merchant_id'], '')}Answer a payer: {COMPLAINTS[row['kind']].lower()}",
            f"by {for_people(row['answer_by'])}",
            _at(row["merchant_id"], f"complaints/{row['complaint_id']}"),
            is_urgent=row["answer_by"] < visit.now + _SOON,
        )
        for row in rows[:_LISTED_MAX]
    ]
    path = "complaints?state=open" if visit.merchant_id else "across/complaints"
    return listed + _more(visit, NeedKind.COMPLAINT, "complaints", rows, path)


async def _approvals(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    """Return the requests that this person may decide: another one made them."""
    places = merchants if visit.merchant_id else [OPERATOR, *merchants]
    rows = await needs.approvals(visit.db, places, visit.now, _ROWS_MAX)
    not_by = {visit.person.person_id} | (await second_person.linkers(visit) if rows else set())
    rows = [
        row
        for row in rows
        if row["made_by"] not in not_by
        and row["kind"] in KINDS
        and visit.may(KINDS[row["kind"]].permission)
    ]
    names = await _names(visit, [row for row in rows if row["merchant_id"]])
    listed = [
        Need(
            NeedKind.APPROVAL,
            f"{names.get(row['merchant_id'], '')}Decide: {row['title']}",
            f"asked for by {row['maker']}, open until {for_people(row['ends_at'])}",
            _at(row["merchant_id"], f"approvals/{row['approval_id']}"),
            is_urgent=True,
        )
        for row in rows[:_LISTED_MAX]
    ]
    return listed + _more(visit, NeedKind.APPROVAL, "requests", rows, "approvals")


async def _to_release(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    waiting = await needs.to_release(visit.db, merchants)
    names = await _names(visit, waiting)
    release = [
        Need(
            NeedKind.PAYOUT_RELEASE,
            f"{names.get(row['merchant_id'], '')}Release {counted(row['number'], 'payout')}",
            f"{shown(Money(row['paise']))} in all",
            _at(row["merchant_id"], "payouts"),
        )
        for row in waiting[:_LISTED_MAX]
    ]
    more = "merchants with payouts to release"
    return release + _more(visit, NeedKind.PAYOUT_RELEASE, more, waiting, _payouts_path(visit))


def _payout_href(visit: ConsoleVisit, row: Record) -> str:
    # At a merchant's place its payouts are one list.
    path = f"across/payouts/{row['merchant_id']}/{row['payout_id']}"
    return visit.href("payouts" if visit.merchant_id else path)


def _payouts_path(visit: ConsoleVisit) -> str:
    return "payouts" if visit.merchant_id else "across/payouts"


async def _returned(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    back = await needs.returned(visit.db, merchants, visit.now - _LOOKED_BACK, _ROWS_MAX)
    names = await _names(visit, back)
    returned = [
        Need(
            NeedKind.PAYOUT_BACK,
            f"{names.get(row['merchant_id'], '')}A payout of {shown(Money(row['amount_paise']))} "
            f"was {words(row['state']).lower()}",
            "Look at the account, then pay it again",
            _payout_href(visit, row),
            is_urgent=True,
        )
        for row in back[:_LISTED_MAX]
    ]
    more = "payouts that did not arrive"
    return returned + _more(visit, NeedKind.PAYOUT_BACK, more, back, _payouts_path(visit))


async def _reviews(visit: ConsoleVisit, _: Sequence[int]) -> list[Need]:
    if visit.merchant_id:
        return []
    rows = await reviews.select_waiting(visit.db, _ROWS_MAX)
    many = f"{_ROWS_MAX} or more held payments" if len(rows) == _ROWS_MAX else ""
    title = f"Review {many or counted(len(rows), 'held payment')}"
    asked = "release or reject each: the customer waits"
    return [Need(NeedKind.REVIEW, title, asked, visit.href("reviews"))] if rows else []


def _server(name: str) -> str:
    return f"The address {name}" if name else "The server"


async def _failing(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    failing = await needs.failing(visit.db, merchants)
    names = await _names(visit, failing)
    return [
        Need(
            NeedKind.SERVER_FAILING,
            f"{names.get(row['merchant_id'], '')}{_server(row['name'])} takes no notifications",
            f"since {for_people(row['since'])}: {row['problem']}",
            _at(
                row["merchant_id"],
                f"integration/endpoints/{row['endpoint_no']}"
                if row["endpoint_no"]
                else "integration",
            ),
            is_urgent=True,
        )
        for row in failing[:_LISTED_MAX]
    ]


async def _given_up(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    rows = await needs.given_up(visit.db, merchants, visit.now - _GIVEN_UP_WITHIN)
    names = await _names(visit, rows)
    query = urlencode({"state": "exhausted", "since": f"{_first_day(visit, _GIVEN_UP_WITHIN)}"})
    return [
        Need(
            NeedKind.NOTIFICATION_LOST,
            f"{names.get(row['merchant_id'], '')}Send "
            f"{counted(row['number'], 'failed notification')} again",
            "given up in the last 7 days",
            _at(row["merchant_id"], f"deliveries?{query}"),
        )
        for row in rows[:_LISTED_MAX]
    ]


async def _unknown(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    rows = await needs.unknown(visit.db, merchants, visit.now - _LOOKED_BACK)
    names = await _names(visit, rows)
    query = urlencode({"state": "unknown", "since": f"{_first_day(visit, _LOOKED_BACK)}"})
    return [
        Need(
            NeedKind.UNKNOWN,
            f"{names.get(row['merchant_id'], '')}The bank says nothing about "
            f"{counted(row['number'], 'payment')}",
            f"the oldest of {for_people(row['since'])}: compare with your bank, then tell the "
            "customer",
            _at(row["merchant_id"], f"payments?{query}"),
        )
        for row in rows[:_LISTED_MAX]
    ]


async def _keys(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    rows = await needs.ending_keys(
        visit.db, merchants, visit.now, visit.now + _KEY_ENDS_WITHIN, _ROWS_MAX
    )
    names = await _names(visit, rows)
    return [
        Need(
            NeedKind.BEARER_KEY,
            f"{names.get(row['merchant_id'], '')}Replace the bearer key {row['name']}",
            f"it ends on {for_people(row['expires_at'])}",
            _at(row["merchant_id"], "keys"),
            is_urgent=row["expires_at"] < visit.now + _SOON,
        )
        for row in rows[:_LISTED_MAX]
    ]


async def _assistant_keys(visit: ConsoleVisit, merchants: Sequence[int]) -> list[Need]:
    # Their life is by the world's clock, which a demo's may have left behind.
    now = world_now()
    places = merchants if visit.merchant_id else [OPERATOR, *merchants]
    rows = await needs.ending_assistant_keys(
        visit.db, places, now, now + _KEY_ENDS_WITHIN, _ROWS_MAX
    )
    names = await _names(visit, [row for row in rows if row["merchant_id"]])
    return [
        Need(
            NeedKind.ASSISTANT_KEY,
            f"{names.get(row['merchant_id'], '')}Replace the assistant's key {row['name']}",
            f"it ends on {for_people(row['ends_at'])}",
            _at(row["merchant_id"], add_assistant_key.path),
            is_urgent=row["ends_at"] < now + _SOON,
        )
        for row in rows[:_LISTED_MAX]
    ]


async def _certificates(visit: ConsoleVisit, _: Sequence[int]) -> list[Need]:
    """Return what was seen of certificates: once a day by a worker, or by the doctor's page."""
    if visit.merchant_id:
        return []
    kind, looks = NeedKind.CERTIFICATE, await certificates.looks(visit.db)
    if not is_known(looks, world_now()):
        words_there = f"no worker looked within {OLD.days} days; a new one does within minutes"
        return [
            Need(kind, "Let the doctor look at certificates", words_there, visit.href("doctor"))
        ]
    return [
        Need(
            kind,
            f"{finding.about}: {finding.kind.meaning}",
            f"{finding.seen}; seen {for_people(look.looked_at)}",
            visit.href("doctor"),
            is_urgent=finding.kind.level is Level.FAULT,
        )
        for look in looks
        for finding in look.findings
    ]


def _first_day(visit: ConsoleVisit, span: timedelta) -> str:
    return f"{ist(visit.now - span):%Y-%m-%d}"


Find = Callable[[ConsoleVisit, Sequence[int]], Awaitable[list[Need]]]
NEEDS: Mapping[NeedKind, tuple[Permission, Find]] = {
    NeedKind.DISPUTE: (Permission.DISPUTES_ANSWER, _disputes),
    NeedKind.COMPLAINT: (Permission.PAYMENTS_NOTE, _complaints),
    NeedKind.APPROVAL: (Permission.APPROVALS_SEE, _approvals),
    NeedKind.PAYOUT_BACK: (Permission.PAYOUTS_RELEASE, _returned),
    NeedKind.PAYOUT_RELEASE: (Permission.PAYOUTS_RELEASE, _to_release),
    NeedKind.REVIEW: (Permission.RISK_CHANGE, _reviews),
    NeedKind.SERVER_FAILING: (Permission.SETTINGS_CHANGE, _failing),
    NeedKind.NOTIFICATION_LOST: (Permission.DELIVERIES_REPLAY, _given_up),
    NeedKind.UNKNOWN: (Permission.PAYMENTS_NOTE, _unknown),
    NeedKind.BEARER_KEY: (Permission.KEYS_CHANGE, _keys),
    NeedKind.ASSISTANT_KEY: (Permission.KEYS_CHANGE, _assistant_keys),
    NeedKind.CERTIFICATE: (Permission.ACQUIRERS_CHANGE, _certificates),
}
"""Who is told what: those who may act on it."""
