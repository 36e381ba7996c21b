"""PayU's disputes: told by signed webhooks, listed by day, and accepted by call.

A contest needs one of PayU's own reasons with its form: it is given in PayU's dashboard.
"""

from datetime import datetime, timedelta
from typing import Any

from hundi.acquirers.calls.client import AcquirerClient
from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.calls.status_answers import READABLE, REFUSED, StatusAnswer
from hundi.acquirers.payu import cases, rules
from hundi.acquirers.payu.connector import REPORT_BYTES_MAX, PayUAccount, PayUConnector
from hundi.acquirers.payu.mandates import PayUMandateConnector
from hundi.acquirers.port.answers import Declined, NothingThere, Unknown
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    PhaseName,
    Standing,
)
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.records import replace

DISPUTE_GAPS_S = (600, 3_600, 14_400, 43_200, 86_400)
DAYS_AT_ONCE = 20
"""The longest time that one list may cover."""
PAGES_MAX = 1_000
NO_DISPUTE = Declined("no_dispute", "There is no such phase of a dispute.")
REFUSED_ANSWER = Declined("refused", "PayU refused the answer.")
NO_PART = Declined("no_part", "PayU takes a dispute accepted as a whole from here.")


class PayUDisputeConnector(PayUConnector):
    """An account whose chargebacks may be read and accepted by call."""

    dispute_gaps_s = DISPUTE_GAPS_S

    def __init__(
        self,
        setup: ConnectorSetup,
        account: PayUAccount,
        payment_url: str,
        command_url: str,
        callback_url: str,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        super().__init__(setup, account, payment_url, command_url, callback_url)
        self._cases = AcquirerClient(
            account.disputes.url,
            lambda *_call: {"X-Optimus-API-Key": account.disputes.token},
            StatusAnswer.read,
            setup.timeouts,
            answer_bytes_max=REPORT_BYTES_MAX,
            readable=READABLE,
        )
        self._clients = (*self._clients, self._cases)

    async def disputes(self, since: datetime, after: str = "") -> DisputePage | Unknown:
        """Return a page of the chargebacks that began since a time.

        PayU lists them by the day on which they began, however they stand.
        """
        text, _, number = after.partition(" ")
        first = datetime.fromisoformat(text).date() if text else business_day(since)
        today, page = business_day(utc_now()), int(number or "1")
        last = min(first + timedelta(days=DAYS_AT_ONCE - 1), today)
        place = (
            f"/chargebacks?merchant_id={self._account.disputes.merchant_id}"
            f"&from_date={first:%d-%m-%Y}&to_date={last:%d-%m-%Y}&page={page}"
        )
        answer = await self._cases.ask(self._cases.look(place))
        if isinstance(answer, Unknown):
            return answer
        listed = cases.entries(answer.body)
        if not answer.is_done or listed is None:
            return answer.unknown()
        words = [
            cases.word_of(each, name.phase) for each in listed if (name := cases.name_of(each))
        ]
        # One that cannot be used does not delay the others.
        found = tuple(each for each in words if isinstance(each, DisputeWord))
        if page < min(cases.pages_of(answer.body), PAGES_MAX):
            return DisputePage(found, f"{first} {page + 1}")
        return DisputePage(found, f"{last + timedelta(days=1)} 1" if last < today else "")

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        """Return the standing of one phase."""
        chargeback = await self._chargeback(name)
        if not isinstance(chargeback, dict):
            return chargeback
        word = cases.word_of(chargeback, name.phase)
        return _unusable() if word is None else word

    async def answer_dispute(self, answer: DisputeAnswer) -> DisputeWord | Declined | Unknown:
        """Accept a whole dispute, and return the standing.

        One that is not open was answered before.
        """
        before = await self.inquire_dispute(answer.name)
        if isinstance(before, NothingThere):
            return NO_DISPUTE
        if isinstance(before, Unknown) or before.standing is not Standing.OPEN:
            return before
        if answer.accepted.paise < before.amount.paise:
            return NO_PART
        reply = await self._accept(before.name)
        if isinstance(reply, Unknown):
            return reply
        after = await self.inquire_dispute(answer.name)
        if isinstance(after, DisputeWord) and after.standing is not Standing.OPEN:
            return after
        return REFUSED_ANSWER if reply.status in REFUSED else reply.unknown()

    async def _accept(self, name: PhaseName) -> StatusAnswer | Unknown:
        """Accept a dispute with the one of PayU's reasons that says no more."""
        reasons = await self._cases.ask(self._cases.look("/reasons"))
        if isinstance(reasons, Unknown):
            return reasons
        reason = cases.accepting_reason(reasons.body)
        if reason is None:
            return reasons.unknown()
        request: dict[str, Any] = {
            "chargeback_id": name.case.rpartition("-")[2],
            "merchant_key": self._account.key,
            "dispute_type": cases.ACCEPTING,
            "reason_code": [{"uuid": reason, "form_data": []}],
        }
        call = replace(self._cases.post("/chargebacks/dispute", request), method="PATCH")
        return await self._cases.ask(call)

    def read_dispute(
        self,
        headers: dict[str, str],
        body: bytes,
        *,
        now_s: int,  # noqa: ARG002 (a late webhook is believed: it only makes us ask)
    ) -> tuple[PhaseName, str] | None:
        """Return the dispute phase of a signed webhook, or None."""
        return cases.webhook_name(headers, body, self._account.key, self._account.salt)

    async def _chargeback(self, name: PhaseName) -> dict[str, Any] | NothingThere | Unknown:
        """Return a chargeback, looked up by PayU's number of its payment."""
        parts = cases.parts_of(name.case)
        if parts is None:
            return NothingThere()
        payment, number = parts
        if not cases.is_payu_id(payment):
            entry = await self._detail(payment)
            if not isinstance(entry, rules.Detail):
                return entry
            payment = entry.mihpayid
        answer = await self._cases.ask(self._cases.look(f"/chargebacks/{payment}"))
        if isinstance(answer, Unknown):
            return answer
        listed = cases.entries(answer.body) if answer.is_done else None
        found = cases.numbered(listed or (), number)
        return answer.unknown() if found is None else found


class PayUMandateDisputeConnector(PayUDisputeConnector, PayUMandateConnector):
    """The same, with mandates."""


def _unusable() -> Unknown:
    return Unknown(message="PayU's answer about a dispute cannot be used")
