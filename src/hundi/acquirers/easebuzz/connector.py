"""The connector of Easebuzz: its payment page, net banking, UPI, refunds; see docs/easebuzz.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hundi.acquirers.calls.aggregators import read_object, rupees_text
from hundi.acquirers.calls.banks import BankPageAggregator, any_bank
from hundi.acquirers.calls.client import AcquirerClient
from hundi.acquirers.calls.form_hashes import hash_of, payment_hash
from hundi.acquirers.calls.pages import (
    ConnectorSetup,
    HiddenValue,
    PageVisit,
    PaymentRecord,
    RefundAnswer,
    UnlessRecorded,
)
from hundi.acquirers.easebuzz import rules
from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.records import replace

NAME_LENGTH_MAX, PRODUCT_LENGTH_MAX, EMAIL_LENGTH_MAX, PHONE_LENGTH_MAX = 150, 45, 50, 20
CARDS = "CC,DC"
"""Easebuzz's words for a page with cards alone."""


@dataclass(frozen=True, slots=True, repr=False)
class EasebuzzAccount(HiddenValue):
    """A merchant account: in memory only.

    email, phone: sent for customers who gave none, because Easebuzz takes no payment without.
    unknown_words: Easebuzz's for a transaction that it does not have, "" where nobody knows them.
    """

    key: str
    salt: str
    email: str
    phone: str
    unknown_words: str = ""


class EasebuzzConnector(BankPageAggregator):
    """One merchant account at Easebuzz.

    page_url, dashboard_url: its two hosts, without a slash at the end. callback_url: the address
    for webhooks; Easebuzz requires a return address even where nobody comes back.
    """

    acquirer = "Easebuzz"
    bank_table = any_bank("Easebuzz", netbanking="NB", wallet="MW", pay_later="PL")
    refund_names = frozenset({"easepay_id"})
    inquiry_schedule = InquirySchedule((15, 15, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600))
    refund_schedule = InquirySchedule((60, 300, 900, 3_600, 14_400, 43_200, 86_400, 86_400))

    def __init__(
        self,
        setup: ConnectorSetup,
        account: EasebuzzAccount,
        page_url: str,
        dashboard_url: str,
        callback_url: str,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._account, self._callback_url = account, callback_url
        self._pages, self._dashboard = _client(page_url, setup), _client(dashboard_url, setup)
        super().__init__(setup, (self._dashboard, self._pages), (self._pages.origin,))

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (the hash is in the body, and no time is signed)
        """Return the trigger of an authentic webhook; those about refunds have no known hash."""
        return rules.trigger(body, self._account.key, self._account.salt)

    async def _record(self, reference: str, _words: Mapping[str, str], /) -> PaymentRecord:
        answer = await self._ask("/transaction/v2/retrieve", {"txnid": reference}, is_question=True)
        if isinstance(answer, Unknown):
            return PaymentRecord(answer)
        return rules.payment_record(answer, reference, self._account.unknown_words)

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect | Declined | Unknown:
        """Return the page of a new access key; it is not published what a second call makes."""
        shown = {"show_payment_mode": visit.bank or CARDS}
        key = await self._access_key(charge, visit.return_url, shown)
        if isinstance(key, Unknown):
            return key
        return rules.page(self._pages.origin, key, charge.reference)

    def _refund_words(self, order: RefundOrder, paid: Mapping[str, str], /) -> Mapping[str, str]:
        return {"of": order.original, "easepay_id": paid["easepay_id"]}

    async def _give_back(
        self, order: RefundOrder, paid: Mapping[str, str], _words: Mapping[str, str], /
    ) -> Approved | Unknown | UnlessRecorded:
        request = {
            "merchant_refund_id": order.reference,
            "easebuzz_id": paid["easepay_id"],
            "refund_amount": rupees_text(order.amount),
        }
        reply = await self._ask("/transaction/v2/refund", request)
        return reply if isinstance(reply, Unknown) else rules.refund_accepted(reply)

    async def _refund_record(self, reference: str, words: Mapping[str, str], /) -> RefundAnswer:
        number = words["easepay_id"]
        answer = await self._ask("/refund/v1/retrieve", {"easebuzz_id": number}, is_question=True)
        if isinstance(answer, Unknown):
            return answer
        return rules.refund_outcome(answer, reference, number)

    async def _access_key(
        self, charge: Charge, return_url: str, extra: Mapping[str, str]
    ) -> str | Unknown:
        """Return the key of a payment's page; a repeat has the key that the first call got."""
        words = await self._memory.known(charge.reference)
        if "access_key" in words:
            return words["access_key"]
        customer, account = charge.customer, self._account
        form = {
            "key": account.key,
            "txnid": charge.reference,
            "amount": rupees_text(charge.amount),
            "productinfo": rules.PLAIN_PRODUCT.text(
                charge.payee_name, PRODUCT_LENGTH_MAX, "Payment"
            ),
            "firstname": rules.PLAIN_NAME.text(customer.name, NAME_LENGTH_MAX, "Customer"),
            "email": rules.PLAIN_EMAIL.text(customer.email, EMAIL_LENGTH_MAX, account.email),
            "phone": rules.PLAIN_PHONE.text(customer.phone, PHONE_LENGTH_MAX, account.phone),
            "surl": return_url,
            "furl": return_url,
            **extra,
        }
        form["hash"] = payment_hash(form, account.salt)
        answer = await self._pages.ask(self._pages.form("/payment/initiateLink", form))
        key = answer if isinstance(answer, Unknown) else rules.access_key(answer)
        if isinstance(key, Unknown):
            return key
        return (await self._memory.keep(charge.reference, {"access_key": key}))["access_key"]

    async def _ask(
        self, path: str, request: Mapping[str, str], *, is_question: bool = False
    ) -> dict[str, Any] | Unknown:
        """Send a form whose hash covers all of its fields, in this order."""
        form = {"key": self._account.key, **request}
        form["hash"] = hash_of(*form.values(), self._account.salt)
        call = self._dashboard.form(path, form)
        return await self._dashboard.ask(replace(call, repeatable=is_question))


class EasebuzzUpiConnector(EasebuzzConnector):
    """An account with seamless UPI, whose answer was seen at Easebuzz: it is not published."""

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI QR code; Easebuzz does not say when it ends."""
        if refused := await self._begin(charge, "upi", expires_in_s):
            return refused
        key = await self._access_key(charge, self._callback_url, {"request_flow": "SEAMLESS"})
        if isinstance(key, Unknown):
            return key
        form = {"access_key": key, "payment_mode": "UPI", "upi_qr": "1", "request_mode": "SUVA"}
        answer = await self._pages.ask(self._pages.form("/initiate_seamless_payment/", form))
        url = answer if isinstance(answer, Unknown) else rules.upi_url(answer, charge.amount)
        return self._link(url, expires_in_s)


def _client(url: str, setup: ConnectorSetup) -> AcquirerClient[dict[str, Any]]:
    return AcquirerClient(
        url, lambda *_call: {}, lambda answer: read_object(answer.body), setup.timeouts
    )
