"""Reads and checks news of a partner's leads (docs/spec/partner-interfaces.md#lead-news)."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec
from standardwebhooks import Webhook

from hundi.sdk import signed
from hundi.sdk.errors import UnreadableCallbackError
from hundi.sdk.signed import TOLERANCE_S


class LeadEvent(StrEnum):
    """The events of a lead that a partner is notified of; later versions may add more."""

    UNDER_REVIEW = "lead_review"
    """Somebody of the operator looks at the lead."""
    RETURNED = "lead_returned"
    """The lead is yours again; change what the reason says."""
    APPROVED = "lead_approved"
    """The lead has become a merchant."""
    REJECTED = "lead_rejected"
    """The lead will not become a merchant."""


class _NewsMessage(msgspec.Struct):
    event: str
    affiliate: str
    lead_id: int
    state: str
    reason: str
    merchant_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LeadNotification:
    """One event of a lead.

    webhook_id: the same on every delivery. merchant_id: "" except for an approval.
    """

    webhook_id: str
    sent_at: datetime
    event: str
    lead_id: int
    state: str
    reason: str
    merchant_id: str
    at: datetime


class LeadNotifications:
    """Checks notifications of one partner; keeps no state.

    clock: returns seconds since 1970, for tests.
    """

    def __init__(
        self,
        webhook_keys: Sequence[str],
        *,
        tolerance_s: int = TOLERANCE_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare the webhook keys: the newest, and during a rotation the one before it.

        Raises ConfigurationError for a key that proves nothing.
        """
        self._hooks = tuple(Webhook(key) for key in signed.checked_keys(webhook_keys))
        self._tolerance_s = tolerance_s
        self._clock = clock

    def read(self, headers: Mapping[str, str], body: bytes) -> LeadNotification:
        """Return a notification once its signature is checked.

        Answer 2xx then, 4xx when this raises.

        headers: of the request, names in any case. body: the raw bytes, exactly as received.
        Raises UnreadableCallbackError, SignatureError or StaleError.
        """
        lower = {name.lower(): value for name, value in headers.items()}
        webhook_id = lower.get("webhook-id", "")
        try:
            text = body.decode()
            sent_at = signed.sent_at(
                self._hooks,
                webhook_id,
                lower.get("webhook-timestamp", ""),
                lower.get("webhook-signature", ""),
                text,
            )
            news = msgspec.json.decode(body, type=_NewsMessage)
        except (UnicodeDecodeError, msgspec.MsgspecError, RecursionError) as error:
            message = "the notification is not of the documented form"
            raise UnreadableCallbackError(message) from error
        signed.check_age(sent_at, self._clock(), self._tolerance_s)
        return LeadNotification(
            webhook_id,
            sent_at,
            news.event,
            news.lead_id,
            news.state,
            news.reason,
            news.merchant_id,
            news.at,
        )
