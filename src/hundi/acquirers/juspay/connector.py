"""The connector of Juspay and HDFC SmartGateway: page, banks, UPI, refunds; see docs/juspay.md."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from hundi.acquirers.calls.address_checks import AddressAnswer, AddressChecks
from hundi.acquirers.calls.aggregators import RUPEES, rupees_text
from hundi.acquirers.calls.banks import BankPageAggregator, any_bank
from hundi.acquirers.calls.client import AcquirerClient, HttpCall
from hundi.acquirers.calls.pages import (
    ConnectorSetup,
    HiddenValue,
    PageVisit,
    PaymentRecord,
    RefundAnswer,
    UnlessRecorded,
)
from hundi.acquirers.calls.status_answers import READABLE
from hundi.acquirers.juspay import rules
from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.records import replace

VERSION = "2023-08-01"
"""The date of Juspay's interface that these calls have."""


@dataclass(frozen=True, slots=True, repr=False)
class JuspayAccount(HiddenValue):
    """A merchant account: in memory only.

    client_id: of the payment page. email, phone: sent for customers who gave none, because Juspay
    takes no session without. webhook_username, webhook_password: of the dashboard's webhook.
    checks_addresses: UPI addresses are checked with it.
    """

    merchant_id: str
    api_key: str
    client_id: str
    email: str
    phone: str
    webhook_username: str = ""
    webhook_password: str = ""
    checks_addresses: bool = False


class JuspayConnector(BankPageAggregator):
    """One merchant account at Juspay, or at a bank that uses its software.

    url: without a slash at the end. page_origins: origins of its page.
    """

    acquirer = "Juspay"
    bank_table = any_bank("Juspay", netbanking="NB", wallet="WALLET", pay_later="CONSUMER_FINANCE")
    refund_names = frozenset({"paid"})
    inquiry_schedule = InquirySchedule((10, 15, 15, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600))
    refund_schedule = InquirySchedule((60, 300, 900, 3_600, 14_400, 43_200, 86_400, 86_400))

    def __init__(
        self,
        setup: ConnectorSetup,
        account: JuspayAccount,
        url: str,
        page_origins: tuple[str, ...],
        callback_url: str,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._account, self._callback_url = account, callback_url
        key = base64.b64encode(f"{account.api_key}:".encode()).decode()
        headers = {
            "Authorization": f"Basic {key}",
            "x-merchantid": account.merchant_id,
            "version": VERSION,
        }
        self._http = AcquirerClient(
            url,
            lambda *_call: headers,
            rules.JuspayAnswer.read,
            setup.timeouts,
            readable=READABLE,
        )
        super().__init__(setup, (self._http,), page_origins)
        if account.checks_addresses:
            addresses = AddressChecks(self._holder, simulated=setup.simulated)
            self.check_address = addresses.check_address

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI intent, assembled of Juspay's fields."""
        if refused := await self._begin(charge, "upi", expires_in_s):
            return refused
        made = await self._session(charge, self._callback_url, "UPI")
        if isinstance(made, Unknown) or not made.is_done:
            return made if isinstance(made, Unknown) else made.unknown()
        form = {
            "order_id": rules.order_id(charge.reference),
            "merchant_id": self._account.merchant_id,
            "payment_method_type": "UPI",
            "payment_method": "UPI_PAY",
            "txn_type": "UPI_PAY",
            "redirect_after_payment": "true",
            "format": "json",
            "sdk_params": "true",
        }
        begun = await self._ask(self._http.form("/txns", form), charge.reference)
        url = begun if isinstance(begun, Unknown) else rules.upi_url(begun, charge.amount)
        return self._link(url, expires_in_s)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (no time is signed)
        """Return the trigger of an authenticated webhook; its proof does not cover its body."""
        username, password = self._account.webhook_username, self._account.webhook_password
        if not rules.authentic(username, password, headers.get("authorization", "")):
            return None
        return rules.trigger(body)

    async def _holder(self, vpa: str) -> AddressAnswer:
        form = {"vpa": vpa, "merchant_id": self._account.merchant_id}
        call = replace(self._http.form("/v2/upi/verify-vpa", form), repeatable=True)
        answer = await self._http.ask(call)
        return answer if isinstance(answer, Unknown) else rules.address_outcome(answer, vpa)

    async def _record(self, reference: str, _words: Mapping[str, str], /) -> PaymentRecord:
        answer = await self._order(reference)
        if isinstance(answer, Unknown):
            return PaymentRecord(answer)
        return rules.payment_record(answer, reference)

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect | Declined | Unknown:
        """Return the page of a new session; a repeat has the page of the first one."""
        words = await self._memory.known(charge.reference)
        if "page" in words:
            return Redirect(words["page"], words["order_id"])
        made = await self._session(charge, visit.return_url, visit.bank or "CARD")
        if isinstance(made, Unknown):
            return made
        page = rules.page(made, charge.reference, self.checkout_origins)
        if isinstance(page, Redirect):
            names = {"page": page.url, "order_id": page.authentication_id or charge.reference}
            await self._memory.keep(charge.reference, names)
        return page

    def _refund_words(self, order: RefundOrder, _paid: Mapping[str, str], /) -> Mapping[str, str]:
        return {"of": order.original}

    async def _give_back(
        self, order: RefundOrder, _paid: Mapping[str, str], _words: Mapping[str, str], /
    ) -> Approved | Declined | Unknown | UnlessRecorded:
        form = {"unique_request_id": order.reference, "amount": rupees_text(order.amount)}
        path = f"/orders/{quote(rules.order_id(order.original), safe='')}/refunds"
        reply = await self._ask(self._http.form(path, form), order.original)
        if isinstance(reply, Unknown):
            return reply
        return rules.refund_accepted(reply, order.original, order.reference)

    async def _refund_record(self, reference: str, words: Mapping[str, str], /) -> RefundAnswer:
        answer = await self._order(words["of"])
        if isinstance(answer, Unknown):
            return answer
        return rules.refund_outcome(answer, words["of"], reference)

    async def _order(self, reference: str) -> rules.JuspayAnswer | Unknown:
        path = f"/orders/{quote(rules.order_id(reference), safe='')}"
        return await self._ask(self._http.look(path), reference)

    async def _session(
        self, charge: Charge, return_url: str, method: str
    ) -> rules.JuspayAnswer | Unknown:
        """Create an order whose page has one method."""
        customer, account = charge.customer, self._account
        number = rules.order_id(charge.reference)
        request: dict[str, Any] = {
            "order_id": number,
            "amount": rupees_text(charge.amount),
            "currency": RUPEES,
            "customer_id": number,
            "customer_email": customer.email or account.email,
            "customer_phone": customer.phone or account.phone,
            "payment_page_client_id": account.client_id,
            "action": "paymentPage",
            "return_url": return_url,
            "payment_filter": {
                "allowDefaultOptions": False,
                "options": [{"paymentMethodType": method, "enable": True}],
            },
        }
        return await self._ask(self._http.post("/session", request), charge.reference)

    async def _ask(self, call: HttpCall, reference: str) -> rules.JuspayAnswer | Unknown:
        """Make a call about a payment; all calls about one are routed alike."""
        headers = {**call.headers, "x-routing-id": rules.order_id(reference)}
        return await self._http.ask(replace(call, headers=headers))
