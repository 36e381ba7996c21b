"""What an endpoint may be, and how one of its deliveries is known; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import msgspec

from hundi.kernel.events import Kind
from hundi.kernel.names import is_name, name_words
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.merchants.directory.keys.rules import WEBHOOK_KEYS_MAX, mark_of
from hundi.merchants.directory.rules import NotificationForm, is_web_address
from hundi.notifications.rules import Delivery, DeliveryState, DeliveryTry

ENDPOINTS_MAX = 16
"""Endpoints of one merchant that are not removed."""
NAME_LENGTH_MAX = 60
URL_LENGTH_MAX = 2_000
FORMS: tuple[NotificationForm, ...] = ("standard", "json", "json-encrypted", "form")
"""The forms of an endpoint, the default first."""


class EndpointState(StrEnum):
    """The state of an endpoint: enabled ⇄ disabled, and either → removed."""

    ENABLED = "enabled"
    """Its chosen events are written and sent."""
    DISABLED = "disabled"
    """Nothing is written for it; what waits is sent once it is enabled again."""
    REMOVED = "removed"
    """It gets nothing any more; what it was told stays readable."""


class EndpointTarget(msgspec.Struct, frozen=True):
    """What is sealed of an endpoint: its address, and its webhook keys, newest first."""

    url: str
    keys: tuple[str, ...]

    def __repr__(self) -> str:
        """Hide the keys: this value reaches tracebacks."""
        return "EndpointTarget(****)"


@dataclass(frozen=True, slots=True)
class EndpointChoice:
    """What a person chooses of an endpoint. events: some of `Kind`, in its order."""

    name: str
    url: str
    form: NotificationForm
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WebhookEndpoint:
    """One endpoint of a merchant.

    keys: of its signatures, newest first. failing_since, probe_at: set while only one delivery at a
    time is tried; problem: of its last failed try then.
    """

    merchant_id: int
    endpoint_no: int
    name: str
    state: EndpointState
    url: str
    form: NotificationForm
    events: tuple[str, ...]
    made_at: datetime
    changed_at: datetime
    keys: tuple[str, ...] = field(repr=False)
    failing_since: datetime | None = None
    problem: str = ""
    probe_at: datetime | None = None

    @property
    def mark(self) -> str:
        """Return the beginning of the SHA-256 of its newest key, by which people tell it."""
        return mark_of(self.keys[0])

    @property
    def mark_before(self) -> str:
        """Return that of the key before, "" for none."""
        return mark_of(self.keys[1]) if len(self.keys) > 1 else ""


class EndpointDelivery(msgspec.Struct, frozen=True):
    """One event claimed for one endpoint."""

    endpoint_no: int
    delivery: Delivery

    @property
    def webhook_id(self) -> str:
        """Return the id that the server sees: of the event, and of the endpoint."""
        return f"{self.delivery.key.webhook_id}_{self.endpoint_no}"


@dataclass(frozen=True, slots=True)
class EndpointDeliveryStatus:
    """The state of one event at one endpoint, for people. due_at: the next try, while it waits."""

    endpoint_no: int
    payment_id: int
    event_no: int
    kind: str
    state: DeliveryState
    created_at: datetime
    due_at: datetime
    tries: int
    last: DeliveryTry | None


def check_choice(choice: EndpointChoice) -> None:
    """Raise Refused naming the first value that an endpoint cannot have; no address is called."""
    if not is_name(choice.name, NAME_LENGTH_MAX):
        raise _wrong("name", choice.name, name_words(NAME_LENGTH_MAX))
    if not is_web_address(choice.url) or len(choice.url) > URL_LENGTH_MAX:
        allowed = "an http or https address of printable ASCII, without a user name"
        raise _wrong("url", choice.url, allowed)
    if choice.form not in FORMS:
        raise _wrong("form", choice.form, " ".join(FORMS))
    if not choice.events:
        raise _wrong("events", "", "one event at least")
    for event in choice.events:
        if event not in frozenset(Kind):
            raise _wrong("events", event, " ".join(Kind))


def check_room(endpoints: Sequence[WebhookEndpoint]) -> None:
    """Raise Refused (FIELD_INVALID) for one endpoint too many."""
    if sum(each.state is not EndpointState.REMOVED for each in endpoints) >= ENDPOINTS_MAX:
        raise _wrong("name", "", f"{ENDPOINTS_MAX} addresses at most: remove one first")


def in_order(events: Iterable[str]) -> tuple[str, ...]:
    """Return events each once, known ones in the order of `Kind`, unknown ones behind."""
    chosen = dict.fromkeys(events)
    known = [each for each in Kind if each in chosen]
    return (*map(str, known), *(each for each in chosen if each not in frozenset(Kind)))


def events_of_all(endpoints: Iterable[WebhookEndpoint]) -> tuple[str, ...]:
    """Return the events that some enabled endpoint has chosen, in the order of `Kind`."""
    enabled = [each for each in endpoints if each.state is EndpointState.ENABLED]
    return in_order(event for each in enabled for event in each.events)


def with_new_key(keys: Sequence[str], new: str, *, overlap: bool) -> tuple[str, ...]:
    """Return the keys after a rotation. overlap: whether the newest old one signs beside it."""
    return (new, *keys)[: WEBHOOK_KEYS_MAX if overlap else 1]


def _wrong(name: str, received: str, allowed: str) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field=name, received=received[:64], allowed=allowed)
