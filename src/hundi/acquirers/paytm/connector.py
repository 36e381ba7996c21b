"""The connector of Paytm Payment Gateway: its page, banks, UPI links, refunds.

See docs/paytm.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlencode

import msgspec

from hundi.acquirers.calls.aggregators import RUPEES, read_object, rupees_text, whole_of
from hundi.acquirers.calls.banks import ANY_BANK, BankPageAggregator, bank_table
from hundi.acquirers.calls.client import AcquirerClient
from hundi.acquirers.calls.pages import (
    ConnectorSetup,
    HiddenValue,
    PageVisit,
    PaymentRecord,
    RefundAnswer,
    UnlessRecorded,
)
from hundi.acquirers.paytm import checksums, reports, rules
from hundi.acquirers.port.answers import Declined, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.acquirers.port.settlement_reports import ReportPage
from hundi.kernel.clock import ist
from hundi.kernel.records import replace

TERMINAL = "HUNDI"
"""Paytm requires a terminal's name for each QR code, even without a terminal."""


@dataclass(frozen=True, slots=True, repr=False)
class PaytmAccount(HiddenValue):
    """A merchant account: in memory only."""

    mid: str
    key: str
    website: str
    client_id: str


class PaytmConnector(BankPageAggregator):
    """One merchant account at Paytm. url: without a slash at the end."""

    acquirer = "Paytm"
    bank_table = bank_table(
        netbanking=f"{ANY_BANK} NET_BANKING All banks, on Paytm's page",
        wallet="PYTM BALANCE Paytm",
    )
    refund_names = frozenset({"txn_id"})
    page_life_s_min = 900
    """A page can be opened as long as its token lives, whatever our page says."""
    inquiry_schedule = InquirySchedule((15, 15, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600))
    """Paytm refuses inquiries less than 15 s apart."""
    refund_schedule = InquirySchedule((60, 300, 900, 3_600, 14_400, 43_200, 86_400, 86_400))

    def __init__(self, setup: ConnectorSetup, account: PaytmAccount, url: str) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._account, self._url = account, url
        self._http = AcquirerClient(
            url, lambda *_call: {}, lambda answer: rules.read(answer.body), setup.timeouts
        )
        self._reports = AcquirerClient(
            url,
            lambda *_call: {},
            lambda answer: read_object(answer.body),
            setup.timeouts,
            answer_bytes_max=reports.ANSWER_BYTES_MAX,
        )
        super().__init__(setup, (self._http, self._reports), (self._http.origin,))

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI QR code, which phones open as well."""
        if refused := await self._begin(charge, "qr", expires_in_s):
            return refused
        body = {
            "mid": self._account.mid,
            "orderId": charge.reference,
            "amount": rupees_text(charge.amount),
            "businessType": rules.QR_BUSINESS,
            "posId": TERMINAL,
            "expiryDate": ist(self._time(expires_in_s)).strftime("%Y-%m-%d %H:%M:%S"),
        }
        head = {"clientId": self._account.client_id, "version": "v1"}
        answer = await self._ask("/paymentservices/qr/create", body, head)
        url = answer if isinstance(answer, Unknown) else rules.upi_url(answer, charge.amount)
        return self._link(url, expires_in_s)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (the checksum is in the body, and no time is signed)
        """Return the trigger of an authenticated webhook."""
        return rules.trigger(body, self._account.mid, self._account.key)

    async def _record(self, reference: str, _words: Mapping[str, str], /) -> PaymentRecord:
        body = {"mid": self._account.mid, "orderId": reference}
        reply = await self._ask("/v3/order/status", body, is_question=True)
        if isinstance(reply, Unknown):
            return PaymentRecord(reply)
        return rules.payment_record(reply, reference, self._account.mid)

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect | Declined | Unknown:
        """Return the form that the browser posts to Paytm's page."""
        modes = [{"mode": visit.bank}] if visit.bank else rules.CARD_MODES
        token = await self._token(charge, visit.return_url, modes)
        if isinstance(token, Unknown):
            return token
        fields = (("mid", self._account.mid), ("orderId", charge.reference), ("txnToken", token))
        url = f"{self._url}/theia/api/v1/showPaymentPage?{self._place(charge)}"
        return Redirect(url, charge.reference, fields)

    async def _token(
        self, charge: Charge, return_url: str, modes: list[dict[str, str]]
    ) -> str | Unknown:
        """Return the token with which a transaction begins; a repeated call has the same one."""
        customer, mid = charge.customer, self._account.mid
        contact = {"mobile": customer.phone, "email": customer.email, "firstName": customer.name}
        body = {
            "requestType": "Payment",
            "mid": mid,
            "websiteName": self._account.website,
            "orderId": charge.reference,
            "callbackUrl": return_url,
            "txnAmount": {"value": rupees_text(charge.amount), "currency": RUPEES},
            "userInfo": {
                "custId": charge.reference,
                **{name: value for name, value in contact.items() if value},
            },
            "enablePaymentMode": modes,
        }
        path = f"/theia/api/v1/initiateTransaction?{self._place(charge)}"
        answer = await self._ask(path, body)
        return answer if isinstance(answer, Unknown) else rules.page_token(answer)

    def _place(self, charge: Charge) -> str:
        return urlencode({"mid": self._account.mid, "orderId": charge.reference})

    def _refund_words(self, order: RefundOrder, _paid: Mapping[str, str], /) -> Mapping[str, str]:
        return {"order": order.original}

    async def _give_back(
        self, order: RefundOrder, paid: Mapping[str, str], _words: Mapping[str, str], /
    ) -> Unknown | UnlessRecorded:
        body = {
            "mid": self._account.mid,
            "txnType": "REFUND",
            "orderId": order.original,
            "txnId": paid["txn_id"],
            "refId": order.reference,
            "refundAmount": rupees_text(order.amount),
        }
        reply = await self._ask("/refund/apply", body)
        return reply if isinstance(reply, Unknown) else rules.refund_accepted(reply)

    async def _refund_record(self, reference: str, words: Mapping[str, str], /) -> RefundAnswer:
        body = {"mid": self._account.mid, "orderId": words["order"], "refId": reference}
        answer = await self._ask("/v2/refund/status", body, is_question=True)
        if isinstance(answer, Unknown):
            return answer
        return rules.refund_outcome(answer, reference, self._account.mid)

    async def _ask(
        self,
        path: str,
        body: Mapping[str, Any],
        head: Mapping[str, str] | None = None,
        *,
        is_question: bool = False,
    ) -> rules.PaytmAnswer | Unknown:
        """Make a signed call: the signed bytes are the bytes that are sent."""
        text = msgspec.json.encode(body)
        signed = {**(head or {}), "signature": checksums.sign(text, self._account.key)}
        whole = b'{"head":' + msgspec.json.encode(signed) + b',"body":' + text + b"}"
        return await self._http.ask(
            replace(self._http.post(path, {}), body=whole, repeatable=is_question)
        )


class PaytmIntentConnector(PaytmConnector):
    """An account whose UPI links are those of intents; it needs no dynamic QR codes.

    callback_url: the address for webhooks; Paytm requires a return address even for a link.
    """

    def __init__(
        self, setup: ConnectorSetup, account: PaytmAccount, url: str, callback_url: str
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        super().__init__(setup, account, url)
        self._callback_url = callback_url

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI intent; Paytm does not say when it ends."""
        if refused := await self._begin(charge, "intent", expires_in_s):
            return refused
        token = await self._token(charge, self._callback_url, rules.UPI_MODES)
        if isinstance(token, Unknown):
            return token
        request = {
            "head": {"txnToken": token, "channelId": "WEB"},
            "body": {
                "requestType": "NATIVE",
                "mid": self._account.mid,
                "orderId": charge.reference,
                "paymentMode": "UPI_INTENT",
            },
        }
        path = f"/theia/api/v1/processTransaction?{self._place(charge)}"
        answer = await self._http.ask(self._http.post(path, request))
        url = answer if isinstance(answer, Unknown) else rules.intent_url(answer, charge)
        return self._link(url, expires_in_s)


class PaytmReportConnector(PaytmConnector):
    """An account whose settlements Paytm lists, as it does in production alone."""

    async def settlement_lines(self, day: date, after: str = "") -> ReportPage | Unknown:
        """Return a page of what was settled on a day."""
        page = whole_of(after) or 1
        request = reports.request_of(self._account.mid, day, page)
        signed = checksums.sign(checksums.form_text(request), self._account.key)
        question = self._reports.question(reports.PATH, {**request, "checksumHash": signed})
        answer = await self._reports.ask(question)
        return answer if isinstance(answer, Unknown) else reports.page_of(answer, day, page)


class PaytmIntentReportConnector(PaytmReportConnector, PaytmIntentConnector):
    """The same, with links of UPI intents."""
