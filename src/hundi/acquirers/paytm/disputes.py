"""Paytm's disputes: told by signed webhooks, and asked about where Paytm gave the address.

Paytm prints the calls' fields without their address, and of a state's words NEW alone: an operator
sets both. Answers are given in Paytm's dashboard.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from hundi.acquirers.calls.aggregators import paise_of, text_of
from hundi.acquirers.paytm import rules
from hundi.acquirers.paytm.connector import (
    PaytmConnector,
    PaytmIntentConnector,
    PaytmIntentReportConnector,
    PaytmReportConnector,
)
from hundi.acquirers.port.answers import NothingThere, Unknown
from hundi.acquirers.port.disputes import DisputeWord, PhaseName, Standing
from hundi.kernel.clock import INDIA
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase

DISPUTE_GAPS_S = (3_600, 14_400, 43_200, 86_400)
NEW = "NEW"
"""The one state that a page prints."""


class PaytmDisputeConnector(PaytmConnector):
    """An account whose disputes may be asked about.

    dispute_path: of the status call, as Paytm gave it. dispute_words: standings by Paytm's words.
    """

    dispute_gaps_s: ClassVar[tuple[int, ...]] = DISPUTE_GAPS_S
    dispute_path = ""
    dispute_words: Mapping[str, Standing] = {NEW: Standing.OPEN}

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        """Return the standing of a dispute, which has one phase here."""
        is_number = name.case.isascii() and name.case.isdigit()
        if not is_number or name.phase is not DisputePhase.CHARGEBACK:
            return NothingThere()
        body = {"mid": self._account.mid, "disputeId": name.case}
        head = {
            "requestTimestamp": str(int(self._now_s())),
            "clientId": self._account.client_id,
            "tokenType": "CHECKSUM",
        }
        answer = await self._ask(self.dispute_path, body, head, is_question=True)
        if isinstance(answer, Unknown):
            return answer
        word = _word(answer.body, name, self._account.mid, self.dispute_words)
        return word or Unknown(answer.code, "Paytm's answer about a dispute cannot be used")

    def read_dispute(
        self,
        headers: dict[str, str],  # noqa: ARG002 (the checksum is in the body)
        body: bytes,
        *,
        now_s: int,  # noqa: ARG002 (a late webhook is believed: it only makes us ask)
    ) -> tuple[PhaseName, str] | None:
        """Return the dispute of a signed webhook, and our reference of its payment."""
        webhook = rules.signed_fields(body, self._account.key)
        if webhook is None or webhook.get("mid") != self._account.mid:
            return None
        number = text_of(webhook.get("disputeId"), 64)
        if not number.isdigit():
            return None
        original = text_of(webhook.get("orderId"), 64)
        return PhaseName(number, DisputePhase.CHARGEBACK), original


class PaytmIntentDisputeConnector(PaytmDisputeConnector, PaytmIntentConnector):
    """The same, with links of UPI intents."""


class PaytmReportDisputeConnector(PaytmDisputeConnector, PaytmReportConnector):
    """The same, with a list of settlements."""


class PaytmIntentReportDisputeConnector(PaytmDisputeConnector, PaytmIntentReportConnector):
    """The same, with links of UPI intents and a list of settlements."""


def _word(
    dispute: Mapping[str, Any], name: PhaseName, mid: str, words: Mapping[str, Standing]
) -> DisputeWord | None:
    """Return the news of a dispute; None for one that is not ours, or cannot be used."""
    standing = words.get(text_of(dispute.get("disputeStatus"), 64))
    amount = paise_of(dispute.get("disputeAmount"))
    original = text_of(dispute.get("orderId"), 64)
    number = text_of(dispute.get("transactionId"), 64)
    is_ours = dispute.get("disputeId") == name.case and dispute.get("mid", mid) == mid
    if not is_ours or standing is None or not amount or not original or not number:
        return None
    is_lost = standing is Standing.LOST
    return DisputeWord(
        name,
        original,
        standing,
        Money(amount),
        reason=text_of(dispute.get("disputeType")),
        respond_by=_deadline(dispute.get("disputeDueDate")),
        taken_paise=amount if is_lost else 0,
        rrn=number if is_lost else "",
    )


def _deadline(text: object) -> datetime | None:
    """Read a time of India, as 2021-03-27 23:59:59."""
    try:
        told = datetime.strptime(text_of(text), "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007 (of India)
    except ValueError:
        return None
    return told.replace(tzinfo=INDIA).astimezone(UTC)
