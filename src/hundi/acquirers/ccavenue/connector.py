"""The connector of CCAvenue: its page, net banking, UPI, holds, refunds; see docs/ccavenue.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec

from hundi.acquirers.calls.aggregators import RUPEES, rupees_text
from hundi.acquirers.calls.banks import BankPageAggregator, any_bank
from hundi.acquirers.calls.client import ANSWER_BYTES_MAX, AcquirerClient
from hundi.acquirers.calls.pages import (
    STATE_CODE,
    ConnectorSetup,
    HiddenValue,
    PageVisit,
    PaymentRecord,
    RefundAnswer,
    UnlessRecorded,
    amount_asked,
)
from hundi.acquirers.ccavenue import envelope, reports, rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage
from hundi.kernel.money import Money
from hundi.kernel.records import replace

PAGE_PATH = "/transaction/transaction.do?command=initiateTransaction"
API_PATH = "/apis/servlet/DoWebTrans"
VERSION, STATUS_VERSION = "1.1", "1.2"
REPORT_BYTES_MAX = 2 * 1024 * 1024
"""A page of a settlement report."""
NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, PHONE_LENGTH_MAX = 60, 70, 10


@dataclass(frozen=True, slots=True, repr=False)
class CCAvenueAccount(HiddenValue):
    """A merchant account: in memory only."""

    merchant_id: str
    access_code: str
    working_key: str


class CCAvenueConnector(BankPageAggregator):
    """One merchant account at CCAvenue.

    page_url, api_url: its two hosts, without a slash at the end. holds: the account does not
    confirm orders by itself.
    """

    acquirer = "CCAvenue"
    bank_table = any_bank("CCAvenue", netbanking="OPTNBK")
    refund_names = frozenset({"number"})
    inquiry_schedule = InquirySchedule((20, 20, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600))
    refund_schedule = InquirySchedule((60, 300, 900, 3_600, 14_400, 43_200, 86_400, 86_400))

    def __init__(
        self,
        setup: ConnectorSetup,
        account: CCAvenueAccount,
        page_url: str,
        api_url: str,
        *,
        holds: bool = False,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._account, self._page_url = account, page_url + PAGE_PATH
        self._http = self._client(api_url, setup, REPORT_BYTES_MAX)
        self._pages = self._client(page_url, setup, ANSWER_BYTES_MAX)
        super().__init__(setup, (self._http, self._pages), (page_url,), holds=holds)

    def _client(
        self, url: str, setup: ConnectorSetup, bytes_max: int
    ) -> AcquirerClient[dict[str, Any]]:
        return AcquirerClient(
            url,
            lambda *_call: {},
            lambda answer: rules.read(answer.body),
            setup.timeouts,
            answer_bytes_max=bytes_max,
            opened=lambda body: rules.opened(body, self._account.working_key),
        )

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Confirm a held order, or a part of it, and ask for its outcome."""
        order = await self._held(original)
        if not isinstance(order, rules.CCAvenueOrder):
            return order
        refused: Declined | Unknown = Unknown("QUEUED")
        if order.state == rules.PAID:
            refused = await self._end("confirmOrder", order.number, amount)
            order = await self._order(original)
        answer = (
            rules.outcome(order) if isinstance(order, rules.CCAvenueOrder) else Unknown("QUEUED")
        )
        if isinstance(answer, Voided):
            return Declined("Cancelled", "The hold was given back.")
        if isinstance(answer, Approved) and not answer.authorised_only:
            return (
                answer
                if answer.amount == amount
                else Unknown(answer.code, "another amount was captured")
            )
        return refused if isinstance(answer, Approved) else answer

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Cancel a held order, and ask for its outcome."""
        order = await self._held(original)
        if not isinstance(order, rules.CCAvenueOrder):
            return order
        refused: Declined | Unknown = Unknown("QUEUED")
        if order.state == rules.PAID:
            refused = await self._end("cancelOrder", order.number, Money(order.amount))
            order = await self._order(original)
        answer = (
            rules.outcome(order) if isinstance(order, rules.CCAvenueOrder) else Unknown("QUEUED")
        )
        if isinstance(answer, Approved):
            return (
                refused
                if answer.authorised_only
                else Declined(rules.CONFIRMED, "The amount was captured.")
            )
        return answer

    async def settlement_lines(self, day: date, after: str = "") -> ReportPage | Unknown:
        """Return a page of one payout of a day."""
        cursor = reports.PayoutCursor.read(after)
        request = {"settlement_date": day.strftime("%d-%m-%Y")}
        summary = await self._ask("payoutSummary", request, is_question=True)
        payouts = summary if isinstance(summary, Unknown) else reports.payouts_of(summary)
        if isinstance(payouts, Unknown) or cursor.payout >= len(payouts):
            return payouts if isinstance(payouts, Unknown) else ReportPage(())
        payout = payouts[cursor.payout]
        details = await self._ask(
            "payIdDetails",
            {"pay_id": payout.pay_id, "page_number": cursor.page},
            is_question=True,
        )
        if isinstance(details, Unknown):
            return details
        page = reports.page_of(details, payout, cursor, len(payouts), day)
        return page if isinstance(page, Unknown) else await self._named(page)

    async def _named(self, page: ReportPage) -> ReportPage | Unknown:
        """Return a page whose refunds have our references: their lines name the order alone."""
        lines: list[ReportLine] = []
        for line in page.lines:
            if line.kind is ReportedKind.REFUND:
                request = {"reference_no": line.reference}
                answer = await self._ask("getRefundDetails", request, is_question=True)
                if isinstance(answer, Unknown):
                    return answer
                ours = rules.refund_line_reference(answer, line.gross_paise, line.number)
                lines.append(replace(line, reference=ours or line.reference))
            else:
                lines.append(line)
        return ReportPage(tuple(lines), page.next)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (nothing is signed, and no time is told)
        """Return the trigger of an encrypted callback."""
        return rules.trigger(body, self._account.working_key)

    async def _record(self, reference: str, words: Mapping[str, str], /) -> PaymentRecord:
        """Return CCAvenue's state of an order.

        A payment to be captured is confirmed here: an order that nobody confirms is refunded after
        12 days.
        """
        asked, is_held = amount_asked(words), words.get("hold") == "1"
        order = await self._order(reference)
        if not is_held and isinstance(order, rules.CCAvenueOrder) and order.is_paid(asked):
            await self._end("confirmOrder", order.number, Money(order.amount))
            order = await self._order(reference)
        if not isinstance(order, rules.CCAvenueOrder):
            return PaymentRecord(order)
        answer = rules.outcome(order)
        if isinstance(answer, Approved) and answer.authorised_only and not is_held:
            answer = _unconfirmed(answer, asked)
        return PaymentRecord(answer, {"number": order.number})

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect | Unknown:
        """Return the form that the browser posts to CCAvenue's page; CCAvenue is not called."""
        option = rules.OPTIONS.get(visit.bank, {})
        form = self._form(charge, visit.return_url, option)
        if isinstance(form, Unknown):
            return form
        return Redirect(self._page_url, charge.reference, tuple(form.items()))

    def _form(
        self, charge: Charge, return_url: str, option: Mapping[str, str]
    ) -> dict[str, str] | Unknown:
        """Return the encrypted form of an order."""
        customer = charge.customer
        contact = {
            "billing_name": rules.PLAIN.text(customer.name, NAME_LENGTH_MAX),
            "billing_email": rules.PLAIN.text(customer.email, EMAIL_LENGTH_MAX),
            "billing_tel": rules.PLAIN.text(customer.phone[-PHONE_LENGTH_MAX:], PHONE_LENGTH_MAX),
        }
        text = rules.request(
            {
                "merchant_id": self._account.merchant_id,
                "order_id": charge.reference,
                "currency": RUPEES,
                "amount": rupees_text(charge.amount),
                "redirect_url": return_url,
                "cancel_url": return_url,
                "language": "EN",
                **{name: value for name, value in contact.items() if value},
                **option,
            }
        )
        if text is None or not rules.is_plain_address(return_url):
            return Unknown(
                message="the address to come back to cannot be sent to CCAvenue", sent=False
            )
        sealed = envelope.seal(text, self._account.working_key)
        return {"encRequest": sealed, "access_code": self._account.access_code}

    def _refund_words(self, order: RefundOrder, paid: Mapping[str, str], /) -> Mapping[str, str]:
        return {"number": paid["number"], "token": rules.token(order.reference)}

    async def _give_back(
        self, order: RefundOrder, paid: Mapping[str, str], words: Mapping[str, str], /
    ) -> Unknown | UnlessRecorded:
        """Request a refund of a confirmed amount under our token; its record has the outcome."""
        request = {
            "reference_no": paid["number"],
            "refund_amount": rupees_text(order.amount),
            "refund_ref_no": words["token"],
        }
        reply = await self._ask("refundOrder", request)
        return reply if isinstance(reply, Unknown) else rules.refund_answered(reply)

    async def _refund_record(self, _reference: str, words: Mapping[str, str], /) -> RefundAnswer:
        """Return CCAvenue's state of a refund, found by our token in its transaction."""
        request = {"reference_no": words["number"]}
        answer = await self._ask("getRefundDetails", request, is_question=True)
        if isinstance(answer, Unknown):
            return answer
        return rules.refund_outcome(answer, words["number"], words["token"])

    async def _order(self, reference: str) -> rules.CCAvenueOrder | NothingThere | Unknown:
        answer = await self._ask(
            "orderStatusTracker", {"order_no": reference}, is_question=True, version=STATUS_VERSION
        )
        return answer if isinstance(answer, Unknown) else rules.order(answer, reference)

    async def _end(self, command: str, number: str, amount: Money) -> Declined | Unknown:
        """Confirm or cancel an order.

        Return why that may not have happened; the caller asks for the outcome.
        """
        answer = await self._ask(
            command, {"order_List": [{"reference_no": number, "amount": rupees_text(amount)}]}
        )
        return answer if isinstance(answer, Unknown) else rules.end_refused(answer, number)

    async def _held(self, original: str) -> rules.CCAvenueOrder | Declined | Unknown:
        """Return an order that was to be held, or why nothing is sent about another."""
        words = await self._memory.known(original)
        if words.get("hold") != "1":
            return Declined(STATE_CODE, "CCAvenue holds nothing for this payment.")
        order = await self._order(original)
        if isinstance(order, Unknown):
            return replace(order, sent=False)
        if isinstance(order, NothingThere):
            return Declined(STATE_CODE, "CCAvenue holds nothing for this payment.")
        return order

    async def _ask(
        self,
        command: str,
        request: Mapping[str, Any],
        *,
        is_question: bool = False,
        version: str = VERSION,
    ) -> dict[str, Any] | Unknown:
        """Send a command. Only one that moves no money is repeated after silence."""
        form = {
            "enc_request": envelope.seal(msgspec.json.encode(request), self._account.working_key),
            "access_code": self._account.access_code,
            "command": command,
            "request_type": "JSON",
            "response_type": "JSON",
            "version": version,
        }
        return await self._http.ask(
            replace(self._http.form(API_PATH, form), repeatable=is_question)
        )


class CCAvenueUpiConnector(CCAvenueConnector):
    """An account whose UPI intents CCAvenue has enabled.

    callback_url: the address for webhooks; CCAvenue requires a return address even for a link.
    """

    def __init__(
        self,
        setup: ConnectorSetup,
        account: CCAvenueAccount,
        page_url: str,
        api_url: str,
        callback_url: str,
        *,
        holds: bool = False,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        super().__init__(setup, account, page_url, api_url, holds=holds)
        self._callback_url = callback_url

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI intent; CCAvenue does not say when it ends."""
        if refused := await self._begin(charge, "upi", expires_in_s):
            return refused
        form = self._form(charge, self._callback_url, rules.OPTIONS[rules.UPI])
        if isinstance(form, Unknown):
            return form
        answer = await self._pages.ask(self._pages.form(PAGE_PATH, form))
        url = answer if isinstance(answer, Unknown) else rules.upi_url(answer, charge.amount)
        return self._link(url, expires_in_s)


def _unconfirmed(answer: Approved, asked: Money | None) -> Approved | Unknown:
    """Return the answer for a paid order that was to be captured and is not confirmed.

    A wrong amount is reported as it is; the order is refunded by itself.
    """
    if asked == answer.amount:
        return Unknown(rules.PAID, "paid, and not confirmed yet")
    return replace(answer, authorised_only=False)
