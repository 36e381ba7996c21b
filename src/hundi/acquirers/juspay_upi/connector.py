"""The connector of UPI by Juspay's merchant stack: links and refunds; see docs/juspay-upi.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from hundi.acquirers.calls.aggregators import rupees_text
from hundi.acquirers.calls.client import AcquirerClient, HttpCall
from hundi.acquirers.calls.first_calls import first_call
from hundi.acquirers.calls.pages import (
    ConnectorSetup,
    HiddenValue,
    PaymentAggregator,
    PaymentRecord,
    RefundAnswer,
)
from hundi.acquirers.calls.status_answers import READABLE
from hundi.acquirers.juspay_upi import envelopes, rules
from hundi.acquirers.port.answers import Approved, Declined, Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.clock import MINUTE_S
from hundi.kernel.records import replace

PLACE = "/merchants/transactions"
UNDER_WAY_S = 180
"""Seconds after the end of an intent in which a payment that was approved before may still come."""
REMARKS = "Refund"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundWay:
    """How a bank gives money back.

    kind: ONLINE, OFFLINE or UDIR. vpa: our UPI address that online refunds leave. reason: NPCI's
    code of a UDIR refund.
    """

    kind: str
    vpa: str = ""
    reason: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """Return the fields of a call."""
        match self.kind:
            case "ONLINE":
                more = {"merchantRefundVpa": self.vpa}
            case "UDIR":
                more = {"adjFlag": "REF", "adjCode": self.reason}
            case _:
                more = {}
        return {"refundType": self.kind, **more}


@dataclass(frozen=True, slots=True, repr=False)
class StackAccount(HiddenValue):
    """A merchant account at a bank: in memory only.

    prefix: of the bank's requests at NPCI, "" where it takes none. api_version: of the stack.
    """

    merchant_id: str
    channel_id: str
    keys: envelopes.StackKeys
    refunds: RefundWay
    prefix: str = ""
    api_version: str = "3"


class JuspayUpiConnector(PaymentAggregator):
    """One merchant account at a bank with Juspay's stack. url: without a slash at the end."""

    acquirer = "The bank"
    refund_names = frozenset({"paid"})
    inquiry_schedule = InquirySchedule((10, 15, 15, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600))
    refund_schedule = InquirySchedule((60, 300, 900, 3_600, 14_400, 43_200, 86_400, 86_400))

    def __init__(self, setup: ConnectorSetup, account: StackAccount, url: str) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._account = account
        self._http = AcquirerClient(
            url,
            lambda *_call: {},
            self._read,
            setup.timeouts,
            readable=READABLE,
            opened=lambda body: envelopes.opened(body, account.keys),
            refuses_credentials=_refuses_credentials,
        )
        super().__init__(setup, (self._http,))

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of an intent, made of the bank's fields. It lives for whole minutes."""
        minutes = max(1, -(-expires_in_s // MINUTE_S))
        life_s, account, reference = minutes * MINUTE_S, self._account, charge.reference
        if refused := await self._begin(charge, "intent", life_s + UNDER_WAY_S):
            return refused
        request = {
            "merchantRequestId": reference,
            "amount": rupees_text(charge.amount),
            "flow": "TRANSACTION",
            "intentRequestExpiryMinutes": str(minutes),
        }
        if account.prefix:
            request["upiRequestId"] = rules.request_id(reference, account.prefix)
        made = await self._ask(self._call("/registerIntent", request), reference)
        url = made if isinstance(made, Unknown) else rules.upi_url(made, reference, charge.amount)
        return self._link(url, life_s)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (no time is signed)
        """Return the trigger of an authentic callback."""
        if not envelopes.is_of_stack(headers, body, self._account.keys):
            return None
        return rules.trigger(body, self._account.merchant_id, self._account.channel_id)

    async def _record(self, reference: str, _words: Mapping[str, str], /) -> PaymentRecord:
        request = {
            "merchantRequestId": reference,
            "transactionType": "MERCHANT_CREDITED_VIA_PAY",
        }
        question = replace(self._call("/status360", request), repeatable=True)
        answer = await self._ask(question, reference)
        if isinstance(answer, Unknown):
            return PaymentRecord(answer)
        return rules.payment_record(answer, reference)

    def _refund_words(self, order: RefundOrder, _paid: Mapping[str, str], /) -> Mapping[str, str]:
        return {"of": order.original, "rupees": rupees_text(order.amount)}

    async def _give_back(
        self, order: RefundOrder, _paid: Mapping[str, str], words: Mapping[str, str], /
    ) -> Approved | Declined | Unknown:
        if any(words[name] != value for name, value in self._refund_words(order, {}).items()):
            return Unknown(message="this reference was used for something else")
        return await self._refund(order.reference, words)

    async def _refund_record(self, reference: str, words: Mapping[str, str], /) -> RefundAnswer:
        return await self._refund(reference, words)

    async def _refund(
        self, reference: str, words: Mapping[str, str]
    ) -> Approved | Declined | Unknown:
        """Begin a refund or ask about it: that is one call.

        A refusal is certain only as the answer to the first call: later ones may be about a refund
        that the bank has.
        """
        if refused := rules.refused_before(words):
            return refused
        original = words["of"]
        earlier = await first_call(self._memory, reference, self._now_s())
        request = {
            "originalMerchantRequestId": original,
            "refundRequestId": reference,
            "refundAmount": words["rupees"],
            "remarks": REMARKS,
            **self._account.refunds.fields,
        }
        answer = await self._ask(self._call("/refund360", request), original)
        if isinstance(answer, Unknown):
            return answer if earlier is None else replace(answer, sent=True)
        if answer.code in rules.NOTHING_REFUNDED and not answer.is_success and earlier is None:
            await self._memory.keep(reference, {"refused": answer.code})
            return Declined(answer.code, answer.words)
        return rules.refund_outcome(answer, original, reference)

    def _call(self, path: str, request: Mapping[str, Any]) -> HttpCall:
        """Return a signed call."""
        timed = {**request, "iat": self._milliseconds()}
        return self._http.post(PLACE + path, envelopes.signed(timed, self._account.keys))

    async def _ask(self, call: HttpCall, reference: str) -> rules.StackAnswer | Unknown:
        """Make a call about a payment; all calls about one are routed alike."""
        account = self._account
        headers = {
            **call.headers,
            "x-merchant-id": account.merchant_id,
            "x-merchant-channel-id": account.channel_id,
            "x-timestamp": self._milliseconds(),
            "x-api-version": account.api_version,
            "jpupi-routing-id": reference,
        }
        return await self._http.ask(replace(call, headers=headers))

    def _milliseconds(self) -> str:
        return str(int(self._now_s() * 1_000))

    def _read(self, answer: HttpAnswer) -> rules.StackAnswer | None:
        """Return an answer whose proof holds; a refusal has none."""
        word = rules.StackAnswer.read(answer.body)
        if word is None or not word.is_success:
            return word
        is_proven = envelopes.is_proven(answer, self._account.keys)
        return word if answer.status == HTTPStatus.OK and is_proven else None


def _refuses_credentials(_path: str, answer: HttpAnswer) -> bool:
    """Return whether the stack refuses our keys, so that no work was done: with status 401."""
    if answer.status != HTTPStatus.UNAUTHORIZED:
        return False
    word = rules.StackAnswer.read(answer.body)
    return word is not None and word.code in rules.REFUSES_KEYS
