"""How a notification is named, signed, and sent again; pure.

See docs/spec/wire.md#notifications, docs/spec/wire.md#signature and
docs/spec/states-and-codes.md#events.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

import msgspec

from hundi.kernel.events import Kind
from hundi.kernel.ids import partner_of_recipient, recipient_of_partner
from hundi.kernel.standard_webhooks import standard_headers

_NEWS_OF_SUCCESS = (
    Kind.PAID,
    Kind.LATE_SUCCESS,
    Kind.AUTHORISED,
    Kind.CAPTURED,
    Kind.MANDATE_APPROVED,
)
SUPERSEDED_BY: Mapping[Kind, Sequence[Kind]] = {
    Kind.ATTEMPT_FAILED: _NEWS_OF_SUCCESS,
    Kind.FAILED: _NEWS_OF_SUCCESS,
    Kind.EXPIRED: _NEWS_OF_SUCCESS,
    Kind.UNKNOWN: _NEWS_OF_SUCCESS,
    Kind.MANDATE_FAILED: (Kind.MANDATE_APPROVED,),
    Kind.UNDER_REVIEW: (*_NEWS_OF_SUCCESS, Kind.FAILED),
    Kind.AUTHORISED: (Kind.CAPTURED, Kind.VOIDED),
}
"""The later news of the same payment that makes an event untrue.

News does not wait for such an event, and the event is not sent.
"""
GIVEN_BACK_WHOLE = (Kind.PAID, Kind.LATE_SUCCESS, Kind.CAPTURED)
"""Events that a refund of the whole captured amount makes untrue."""


ASIDE = (Kind.ATTEMPT_FAILED, Kind.EXCESS_PAYMENT, Kind.EXCESS_REFUNDED, Kind.EXCESS_REFUND_FAILED)
"""Events that are not about the order itself; other events of a payment never wait for them."""


class DeliveryState(StrEnum):
    """The state of one delivery.

    waiting ⇄ sending → delivered, unwanted, exhausted, no_endpoint, superseded.
    A replay brings delivered, unwanted, exhausted and no_endpoint back to waiting.
    """

    WAITING = "waiting"
    """It is sent at `due_at`."""
    SENDING = "sending"
    """A worker has claimed it; when the lease ends, another may claim it."""
    DELIVERED = "delivered"
    """The merchant's server answered 2xx, or a redirect where the merchant's setting takes that."""
    UNWANTED = "unwanted"
    """The merchant does not hear of events of this kind; it can be replayed once it does."""
    EXHAUSTED = "exhausted"
    """The schedule ended without a 2xx; it can be replayed."""
    NO_ENDPOINT = "no_endpoint"
    """The merchant had no notification address when it was due; it can be replayed."""
    SUPERSEDED = "superseded"
    """Later news of the payment made it untrue before the merchant's server took it; it is not sent
    any more.
    """


RETRY_GAPS_S = (30, 120, 600, 1_800, 3_600)
"""Seconds from one failed try to the next; the first try is at once (docs/spec/wire.md#retries)."""
LATER_GAP_S = 3 * 3_600
"""Seconds between the tries after those."""
SCHEDULE_S_MAX = 72 * 3_600
"""No try begins later than this after the announcement (or its replay)."""
JITTER = 0.1
"""The largest random addition to a gap, so that not all tries reach a recovering server at once."""
RETRY_AFTER_S_MAX = 6 * 3_600
"""The longest Retry-After of a server that is obeyed."""
PROBE_GAP_S = 600
"""Seconds between probes of a failing endpoint."""
QUIET_S = 3_600
"""An endpoint fails if it took nothing for this long and a delivery's schedule ended."""

_WEBHOOK_ID = re.compile(r"ipn_([1-9][0-9]{0,18})_([1-9][0-9]{0,14})_([1-9][0-9]{0,8})\Z")
_LEAD_WEBHOOK_ID = re.compile(r"lead_([A-Z0-9]{4,10})_([1-9][0-9]{0,14})_([1-9][0-9]{0,8})\Z")
_DELAY_SECONDS = re.compile(r"[0-9]{1,9}\Z")


class DeliveryKey(msgspec.Struct, frozen=True):
    """The key of one delivery: the event_no-th event of a payment, or of a lead.

    The webhook id is made from it, so it never changes. merchant_id: the recipient; for news of a
    lead a partner's number, below zero, and the lead's id is in place of the payment's.
    """

    merchant_id: int
    payment_id: int
    event_no: int

    @property
    def webhook_id(self) -> str:
        """Return the id that the server sees, unique over all merchants and partners."""
        if affiliate := partner_of_recipient(self.merchant_id):
            return f"lead_{affiliate}_{self.payment_id}_{self.event_no}"
        return f"ipn_{self.merchant_id}_{self.payment_id}_{self.event_no}"


def parse_webhook_id(text: str) -> DeliveryKey | None:
    """Return the key in a webhook id, None for a text that is not ours."""
    if match := _LEAD_WEBHOOK_ID.match(text):
        return DeliveryKey(recipient_of_partner(match[1]), int(match[2]), int(match[3]))
    match = _WEBHOOK_ID.match(text)
    return DeliveryKey(int(match[1]), int(match[2]), int(match[3])) if match else None


class Delivery(msgspec.Struct, frozen=True):
    """One announcement, claimed for sending.

    facts: true of the payment at the event. attempt_no: the try's number, from 1 and never reused.
    position: of the try in the present round of the schedule. scheduled_from: the start of that
    round, UTC. probe: it tests whether a failing endpoint is back.
    """

    key: DeliveryKey
    kind: str
    facts: dict[str, Any]
    created_at: datetime
    attempt_no: int
    position: int
    scheduled_from: datetime
    probe: bool


class Rendered(msgspec.Struct, frozen=True):
    """A notification's body in the recipient's form, as UTF-8."""

    content_type: str
    body: bytes


def _everything(_kind: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Recipient:
    """A merchant or partner that gets notifications.

    url: "" for none. keys: for signatures, newest first. redirect_delivers: whether a redirect
    counts as an answer. hears: whether it gets events of a kind. render: makes the body of a
    delivery.
    """

    url: str
    keys: Sequence[str] = field(repr=False)
    render: Callable[[Delivery], Rendered]
    redirect_delivers: bool = False
    hears: Callable[[str], bool] = _everything


class DeliveryOutcome(msgspec.Struct, frozen=True):
    """The result of one try.

    url: where it was sent, "" if it was not. status: HTTP status, None without an answer. problem:
    why it did not count, "" if it did. latency_ms: from the call to the answer or its absence.
    answer: the first 2 kB of the answer's body. retry_after: the server's header, "" for none.
    redirect_delivers: whether the merchant's setting accepts a redirect, which is never followed.
    forbidden_here: this worker's own setting forbids the address.
    """

    url: str
    status: int | None
    latency_ms: int
    answer: str = ""
    problem: str = ""
    retry_after: str = ""
    redirect_delivers: bool = False
    forbidden_here: bool = False

    @property
    def delivered(self) -> bool:
        """Return whether the merchant's server took it: a 2xx, or a 3xx if its setting says so."""
        return self.status is not None and self.status // 100 in (
            (2, 3) if self.redirect_delivers else (2,)
        )


NO_ENDPOINT = DeliveryOutcome("", None, 0, problem="there is no notification address")
UNWANTED = DeliveryOutcome("", None, 0, problem="the merchant does not hear of this event")


_NOT_SENT = {NO_ENDPOINT: DeliveryState.NO_ENDPOINT, UNWANTED: DeliveryState.UNWANTED}


class DeliveryVerdict(msgspec.Struct, frozen=True):
    """The effect of a try on its delivery and on the endpoint.

    due_at: the next try of a waiting delivery. probe_at: the next probe of a failing endpoint, else
    None.
    """

    state: DeliveryState
    due_at: datetime | None = None
    probe_at: datetime | None = None


def verdict(
    delivery: Delivery, outcome: DeliveryOutcome, ended_at: datetime, *, quiet: bool, jitter: float
) -> DeliveryVerdict:
    """Decide what follows a try.

    quiet: nothing was delivered to this merchant lately. Only then does the end of a delivery's
    schedule mean that the endpoint fails; otherwise the server refuses this one message. jitter:
    random in [0, 1).
    """
    if outcome in _NOT_SENT:
        return DeliveryVerdict(_NOT_SENT[outcome])
    if outcome.delivered:
        return DeliveryVerdict(DeliveryState.DELIVERED)
    asked_s = retry_after_seconds(outcome.retry_after, ended_at)
    due_at = next_due(
        delivery.position, delivery.scheduled_from, ended_at, retry_after_s=asked_s, jitter=jitter
    )
    fails = delivery.probe or (due_at is None and quiet)
    probe_at = next_probe(ended_at, retry_after_s=asked_s, jitter=jitter) if fails else None
    return DeliveryVerdict(
        DeliveryState.WAITING if due_at else DeliveryState.EXHAUSTED, due_at, probe_at
    )


def next_due(
    position: int, scheduled_from: datetime, now: datetime, *, retry_after_s: int, jitter: float
) -> datetime | None:
    """Return the time of the try after failed try `position`, None at the schedule's end.

    retry_after_s: the server's wish, 0 for none; it can only delay. jitter: random in [0, 1).
    """
    gap_s = RETRY_GAPS_S[position - 1] if position <= len(RETRY_GAPS_S) else LATER_GAP_S
    due = now + timedelta(
        seconds=max(gap_s, min(retry_after_s, RETRY_AFTER_S_MAX)) * (1 + JITTER * jitter)
    )
    return due if due <= scheduled_from + timedelta(seconds=SCHEDULE_S_MAX) else None


def next_probe(now: datetime, *, retry_after_s: int, jitter: float) -> datetime:
    """Return when to probe a failing endpoint again."""
    return now + timedelta(
        seconds=max(PROBE_GAP_S, min(retry_after_s, RETRY_AFTER_S_MAX)) * (1 + JITTER * jitter)
    )


def retry_after_seconds(header: str, now: datetime) -> int:
    """Return the seconds in a Retry-After header (a number or an HTTP date); 0 if unreadable."""
    text = header.strip()
    if _DELAY_SECONDS.match(text):
        return int(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        # Whatever error the parser raises, the schedule stays.
        return 0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0, int((aware - now).total_seconds()))


def share_out(demand: Mapping[int, int], free: int) -> dict[int, int]:
    """Return each merchant's share of the free places: one for each before a second for any.

    demand: how many each could use, in the order of service.
    """
    got: dict[int, int] = {}
    waiting = [merchant_id for merchant_id, count in demand.items() if count > 0]
    while waiting and free > 0:
        for merchant_id in waiting[:free]:
            got[merchant_id] = got.get(merchant_id, 0) + 1
        free -= len(waiting)
        waiting = [each for each in waiting if got.get(each, 0) < demand[each]]
    return got


def signed_headers(
    key: DeliveryKey, rendered: Rendered, webhook_keys: Sequence[str], now: datetime
) -> dict[str, str]:
    """Return the Standard Webhooks headers of a delivery."""
    return signature_headers(key.webhook_id, rendered, webhook_keys, now)


def signature_headers(
    webhook_id: str, rendered: Rendered, webhook_keys: Sequence[str], now: datetime
) -> dict[str, str]:
    """Return the Standard Webhooks headers, with a signature for each current key, newest first."""
    return standard_headers(webhook_id, rendered.body, rendered.content_type, webhook_keys, now)


@dataclass(frozen=True, slots=True)
class DeliveryStatus:
    """The state of one announcement, for people. due_at: the next try, while it waits."""

    key: DeliveryKey
    kind: str
    state: DeliveryState
    created_at: datetime
    due_at: datetime
    tries: int
    delivered_at: datetime | None
    last_status: int | None
    last_problem: str


@dataclass(frozen=True, slots=True)
class DeliveryTry:
    """One stored try: its time, address and result."""

    attempt_no: int
    at: datetime
    outcome: DeliveryOutcome


@dataclass(frozen=True, slots=True)
class FailingEndpoint:
    """A merchant whose endpoint gets only probes until it answers again."""

    merchant_id: int
    since: datetime
    problem: str
    probe_at: datetime
