"""What is announced, how a notification is named and signed, and when it is sent again.

See docs/spec/wire.md#notifications, docs/spec/wire.md#signature and
docs/spec/states-and-codes.md#events.
"""

import base64
import hmac
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

import msgspec

from hundi.kernel.events import Kind
from hundi.kernel.ids import partner_of_recipient, recipient_of_partner

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
"""Which later news of the same payment makes an event untrue.

It does not wait for it, and the event is not sent.
"""
GIVEN_BACK_WHOLE = (Kind.PAID, Kind.LATE_SUCCESS, Kind.CAPTURED)
"""Events that a refund of all that was captured makes untrue."""


ASIDE = (Kind.ATTEMPT_FAILED, Kind.EXCESS_PAYMENT, Kind.EXCESS_REFUNDED, Kind.EXCESS_REFUND_FAILED)
"""Events that say nothing of the order itself.

The other events of a payment never wait for them.
"""


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
"""The largest part of a gap that is added to it at random, so that a recovering server is not met
by all at once.
"""
RETRY_AFTER_S_MAX = 6 * 3_600
"""The longest a server's own Retry-After is obeyed."""
PROBE_GAP_S = 600
"""Seconds between probes of a failing endpoint."""
QUIET_S = 3_600
"""An endpoint that took nothing for this long, and let a delivery run out of its schedule, is
failing.
"""

_WEBHOOK_ID = re.compile(r"ipn_([1-9][0-9]{0,18})_([1-9][0-9]{0,14})_([1-9][0-9]{0,8})\Z")
_LEAD_WEBHOOK_ID = re.compile(r"lead_([A-Z0-9]{4,10})_([1-9][0-9]{0,14})_([1-9][0-9]{0,8})\Z")
_DELAY_SECONDS = re.compile(r"[0-9]{1,9}\Z")


class DeliveryKey(msgspec.Struct, frozen=True):
    """The key of one delivery: the event_no-th event of a payment, or of a lead.

    The webhook id is made of it, so it never changes. merchant_id: whom it is for; a partner's
    number, below zero, for news of a lead, whose id is then in place of the payment's.
    """

    merchant_id: int
    payment_id: int
    event_no: int

    @property
    def webhook_id(self) -> str:
        """Return the identity the server sees, unique over all merchants and partners."""
        if affiliate := partner_of_recipient(self.merchant_id):
            return f"lead_{affiliate}_{self.payment_id}_{self.event_no}"
        return f"ipn_{self.merchant_id}_{self.payment_id}_{self.event_no}"


def parse_webhook_id(text: str) -> DeliveryKey | None:
    """Return the announcement a webhook id names, or None when the text is none of ours."""
    if match := _LEAD_WEBHOOK_ID.match(text):
        return DeliveryKey(recipient_of_partner(match[1]), int(match[2]), int(match[3]))
    match = _WEBHOOK_ID.match(text)
    return DeliveryKey(int(match[1]), int(match[2]), int(match[3])) if match else None


class Delivery(msgspec.Struct, frozen=True):
    """One announcement as it is claimed for sending.

    facts: what was true of the payment at the event. attempt_no: which try this is, from 1 and
    never reused. position: which try of the present round of the schedule. scheduled_from: when
    that round began, UTC. probe: it is sent to find out whether a failing endpoint is back.
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
    """A notification's body in the form the recipient chose; the body is UTF-8."""

    content_type: str
    body: bytes


def _everything(_kind: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Recipient:
    """Who is told: a merchant or a partner. url: "" for nowhere.

    keys: for signatures, newest first.

    redirect_delivers: whether a redirect counts as an answer. hears: says whether it is told of
    events of a kind. render: makes the body of a delivery.
    """

    url: str
    keys: Sequence[str] = field(repr=False)
    render: Callable[[Delivery], Rendered]
    redirect_delivers: bool = False
    hears: Callable[[str], bool] = _everything


class DeliveryOutcome(msgspec.Struct, frozen=True):
    """How one try ended.

    url: where it was sent, "" when it was not. status: HTTP status, None when no answer came;
    problem: why it did not count, "" when it did. latency_ms: from the call to the answer or its
    absence. answer: the first 2 kB of the answer's body. retry_after: the server's own header, ""
    when it sent none. redirect_delivers: whether the merchant's setting takes a redirect, which is
    never followed, as an answer. forbidden_here: this worker's own setting forbids the address.
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
        """Return whether the merchant's server took it.

        Any 2xx, or a 3xx where its setting says so.
        """
        return self.status is not None and self.status // 100 in (
            (2, 3) if self.redirect_delivers else (2,)
        )


NO_ENDPOINT = DeliveryOutcome("", None, 0, problem="there is no notification address")
UNWANTED = DeliveryOutcome("", None, 0, problem="the merchant does not hear of this event")


_NOT_SENT = {NO_ENDPOINT: DeliveryState.NO_ENDPOINT, UNWANTED: DeliveryState.UNWANTED}


class DeliveryVerdict(msgspec.Struct, frozen=True):
    """What a try makes of its delivery and of the endpoint.

    due_at: when to try again, for a delivery that waits. probe_at: set when the endpoint counts as
    failing: the next probe.
    """

    state: DeliveryState
    due_at: datetime | None = None
    probe_at: datetime | None = None


def verdict(
    delivery: Delivery, outcome: DeliveryOutcome, ended_at: datetime, *, quiet: bool, jitter: float
) -> DeliveryVerdict:
    """Decide what comes after a try.

    quiet: nothing was delivered to this merchant lately. Only then does a delivery that ran out of
    its schedule mean that the endpoint fails; otherwise it is this one message that the merchant's
    server does not take. jitter: random in [0, 1).
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
    """Return when to try again after failed try number `position`, None at the schedule's end.

    retry_after_s: what the server asked for, 0 when nothing; it can only delay. jitter: a random
    number in [0, 1).
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
    """Return the seconds that a Retry-After header asks for; 0 when absent or unreadable.

    The header holds a number or an HTTP date.
    """
    text = header.strip()
    if _DELAY_SECONDS.match(text):
        return int(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        # Whatever that parser trips over, the schedule stands.
        return 0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0, int((aware - now).total_seconds()))


def share_out(wanted: Mapping[int, int], free: int) -> dict[int, int]:
    """Return how many of the free places each merchant gets: everybody one before anybody a second.

    wanted: how many each could use, in the order in which they are served.
    """
    got: Counter[int] = Counter()
    waiting: dict[int, int] = {
        merchant_id: count for merchant_id, count in wanted.items() if count > 0
    }
    while waiting and free > 0:
        served = list(waiting)[:free]
        got.update(served)
        free -= len(served)
        waiting = {
            merchant_id: count for merchant_id, count in waiting.items() if got[merchant_id] < count
        }
    return dict(got)


def signed_headers(
    key: DeliveryKey, rendered: Rendered, webhook_keys: Sequence[str], now: datetime
) -> dict[str, str]:
    """Return the Standard Webhooks headers of a delivery."""
    return signature_headers(key.webhook_id, rendered, webhook_keys, now)


def signature_headers(
    webhook_id: str, rendered: Rendered, webhook_keys: Sequence[str], now: datetime
) -> dict[str, str]:
    """Return the Standard Webhooks headers, with a signature for each current key, newest first."""
    at_s = int(now.timestamp())
    signed = f"{webhook_id}.{at_s}.".encode() + rendered.body
    return {
        "content-type": rendered.content_type,
        "webhook-id": webhook_id,
        "webhook-timestamp": str(at_s),
        "webhook-signature": " ".join(_signature(each, signed) for each in webhook_keys),
    }


def _signature(webhook_key: str, signed: bytes) -> str:
    """Return one signature.

    The library's own took four times as long, once for every notification of every try.
    """
    secret = base64.b64decode(webhook_key.removeprefix("whsec_") + "==")
    return "v1," + base64.b64encode(hmac.digest(secret, signed, "sha256")).decode()


@dataclass(frozen=True, slots=True)
class DeliveryStatus:
    """Where one announcement stands, for people. due_at: when it is sent next, while it waits."""

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
    """One try as it was kept: when, where, and how it ended."""

    attempt_no: int
    at: datetime
    outcome: DeliveryOutcome


@dataclass(frozen=True, slots=True)
class FailingEndpoint:
    """A merchant whose endpoint is only probed until it answers again."""

    merchant_id: int
    since: datetime
    problem: str
    probe_at: datetime
