"""The connector of BillDesk: its payment page and refunds; see docs/billdesk.md."""

import secrets
from collections.abc import Mapping
from typing import Any

import msgspec

from hundi.acquirers.billdesk import jose, rules
from hundi.acquirers.billdesk.answers import BillDeskAnswer
from hundi.acquirers.calls.aggregators import rupees_text
from hundi.acquirers.calls.client import AcquirerClient
from hundi.acquirers.calls.pages import (
    ConnectorSetup,
    PageAggregator,
    PageVisit,
    PaymentRecord,
    RefundAnswer,
    UnlessRecorded,
    amount_asked,
)
from hundi.acquirers.calls.status_answers import READABLE
from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.clock import ist
from hundi.kernel.records import replace

ENVELOPE = "application/jose"
PLACE, SETTLEMENT_PLACE = "/payments/ve1_2", "/pasettlements/v1_2"
UNKNOWN_ADDRESS = "127.0.0.1"
NOT_SAID = "NA"


class UnknownCodes(msgspec.Struct, frozen=True):
    """BillDesk's error codes for an order and a refund that it does not have, found in its UAT."""

    order: str = ""
    refund: str = ""


NOTHING_KNOWN = UnknownCodes()


class BillDeskConnector(PageAggregator):
    """One merchant account at BillDesk.

    url: without a slash at the end. page_origins: origins of its page.
    """

    acquirer = "BillDesk"
    refund_names = frozenset({"transaction", "at", "amount"})
    inquiry_schedule = InquirySchedule((30, 30, 60, 60, 120, 300, 600, 1_800, 3_600))
    refund_schedule = InquirySchedule((60, 300, 900, 3_600, 14_400, 43_200, 86_400))

    def __init__(
        self,
        setup: ConnectorSetup,
        mercid: str,
        keys: jose.Keys,
        url: str,
        page_origins: tuple[str, ...],
        *,
        unknown_codes: UnknownCodes = NOTHING_KNOWN,
        item_code: str = "DIRECT",
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._mercid, self._keys = mercid, keys
        self._unknown, self._item_code = unknown_codes, item_code
        self._http = AcquirerClient(
            url,
            lambda *_call: {},
            BillDeskAnswer.read,
            setup.timeouts,
            readable=READABLE,
            opened=lambda body: jose.opened(body, keys),
        )
        super().__init__(setup, (self._http,), page_origins)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (the signature is in the body, and no time is signed)
        """Return what an authenticated webhook is about."""
        return rules.trigger(body, self._mercid, self._keys)

    async def _record(self, reference: str, words: Mapping[str, str], /) -> PaymentRecord:
        body = {"mercid": self._mercid, "orderid": reference}
        reply = await self._ask("/transactions/get", body)
        if isinstance(reply, Unknown):
            return PaymentRecord(reply)
        answer = rules.payment_outcome(
            reply, reference, self._mercid, self._unknown.order, amount_asked(words)
        )
        return PaymentRecord(answer, rules.paid_words(reply))

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect | Declined | Unknown:
        """Create an order and return the form that the browser posts to BillDesk's page."""
        trace = rules.trace("order", charge.reference)
        order = self._order(charge, visit.return_url)
        answer = await self._ask("/orders/create", order, trace=trace)
        if isinstance(answer, Unknown):
            return answer
        return rules.page(
            answer, charge.reference, self._mercid, charge.amount, self.checkout_origins
        )

    def _order(self, charge: Charge, return_url: str) -> dict[str, Any]:
        """Return the fields of an order and of a transaction."""
        return {
            "mercid": self._mercid,
            "orderid": charge.reference,
            "amount": rupees_text(charge.amount),
            "order_date": ist(self._time()).isoformat(timespec="seconds"),
            "currency": rules.RUPEES_CODE,
            "ru": return_url,
            "itemcode": self._item_code,
            "additional_info": {f"additional_info{place}": NOT_SAID for place in range(1, 8)},
            "device": {
                "init_channel": "internet",
                "ip": charge.customer.address or UNKNOWN_ADDRESS,
                "user_agent": charge.customer.user_agent or NOT_SAID,
            },
        }

    def _refund_words(self, order: RefundOrder, _paid: Mapping[str, str], /) -> Mapping[str, str]:
        return {"refunds": order.original}

    async def _give_back(
        self, order: RefundOrder, paid: Mapping[str, str], _words: Mapping[str, str], /
    ) -> Approved | Unknown | UnlessRecorded:
        body = {
            "mercid": self._mercid,
            "orderid": order.original,
            "transactionid": paid["transaction"],
            "transaction_date": paid["at"],
            "txn_amount": paid["amount"],
            "refund_amount": rupees_text(order.amount),
            "currency": rules.RUPEES_CODE,
            "merc_refund_ref_no": order.reference,
        }
        trace = rules.trace("refund", order.reference)
        reply = await self._ask("/refunds/create", body, trace=trace)
        if isinstance(reply, Unknown):
            return reply
        return rules.refund_accepted(reply, order.reference, self._mercid)

    async def _refund_record(self, reference: str, _words: Mapping[str, str], /) -> RefundAnswer:
        body = {"mercid": self._mercid, "merc_refund_ref_no": reference}
        answer = await self._ask("/refunds/get", body)
        if isinstance(answer, Unknown):
            return answer
        return rules.refund_outcome(answer, reference, self._mercid, self._unknown.refund)

    async def _ask(
        self, path: str, body: Mapping[str, Any], *, trace: str = "", place: str = PLACE
    ) -> BillDeskAnswer | Unknown:
        """Make a call in its envelope.

        trace: for a call that may move money; a question gets a new one.
        """
        headers = {
            "Content-Type": ENVELOPE,
            "Accept": ENVELOPE,
            "BD-Traceid": trace or secrets.token_hex(rules.TRACE_LENGTH // 2),
            "BD-Timestamp": ist(self._time()).strftime("%Y%m%d%H%M%S"),
        }
        call = replace(
            self._http.post(place + path, {}), body=jose.seal(msgspec.json.encode(body), self._keys)
        )
        return await self._http.ask(replace(call, headers=headers))
