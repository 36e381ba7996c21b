"""The connector of Pine Labs Online: its page, banks, UPI, holds, refunds; see docs/pinelabs.md."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from hundi.acquirers.calls.banks import BankPageAggregator, any_bank
from hundi.acquirers.calls.client import AcquirerClient, HttpCall
from hundi.acquirers.calls.pages import (
    STATE_CODE,
    ConnectorSetup,
    HiddenValue,
    PageVisit,
    PaymentRecord,
    RefundAnswer,
    UnlessRecorded,
)
from hundi.acquirers.calls.status_answers import READABLE
from hundi.acquirers.pinelabs import rules, webhooks
from hundi.acquirers.pinelabs.token import PineLabsCredentials, PineLabsTokens
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace

NAME_LENGTH_MAX = 50


@dataclass(frozen=True, slots=True, repr=False)
class PineLabsAccount(HiddenValue):
    """A merchant account: in memory only.

    webhook_secret: in base64; "" believes no webhook. unknown_code: Pine Labs' for an order that it
    does not have, "" where nobody knows it. holds: the account has pre-authorisation.
    """

    client_id: str
    client_secret: str
    webhook_secret: str = ""
    unknown_code: str = ""
    holds: bool = False


class PineLabsConnector(BankPageAggregator):
    """One merchant account at Pine Labs Online.

    url: without a slash at the end. page_origins: origins of its page.
    """

    acquirer = "Pine Labs"
    bank_table = any_bank("Pine Labs", netbanking="NETBANKING", wallet="WALLET", pay_later="BNPL")
    refund_names = frozenset({"order_id"})
    inquiry_schedule = InquirySchedule((10, 15, 15, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600))
    refund_schedule = InquirySchedule((60, 300, 900, 3_600, 14_400, 43_200, 86_400, 86_400))

    def __init__(
        self,
        setup: ConnectorSetup,
        account: PineLabsAccount,
        url: str,
        page_origins: tuple[str, ...],
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._account = account
        credentials = PineLabsCredentials(account.client_id, account.client_secret)
        self._tokens = PineLabsTokens(url, credentials, setup.timeouts, setup.now_s)
        self._http = AcquirerClient(
            url,
            lambda *_call: {},
            rules.PineLabsAnswer.read,
            setup.timeouts,
            readable=READABLE,
        )
        super().__init__(setup, (self._http,), page_origins, holds=account.holds)

    async def close(self) -> None:
        """Close the connection pools."""
        await self._tokens.close()
        await super().close()

    def reachable(self) -> bool:
        """Return whether calls are made: not while calls, or those for tokens, failed in a row."""
        return self._tokens.reachable() and super().reachable()

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI intent, which is drawn as a QR as well."""
        if refused := await self._begin(charge, "upi", expires_in_s):
            return refused
        made = await self._write("/pay/v1/orders", "order", charge.reference, _order(charge, "UPI"))
        if isinstance(made, Unknown) or not (number := rules.number_of(made.order)):
            return made if isinstance(made, Unknown) else made.unknown()
        await self._memory.keep(charge.reference, {"order_id": number})
        payment = {
            "merchant_payment_reference": charge.reference,
            "payment_method": "UPI",
            "payment_amount": rules.money_of(charge.amount),
            "payment_option": {"upi_details": {"txn_mode": "INTENT", "upi_qr": True}},
        }
        path = f"/pay/v1/orders/{quote(number, safe='')}/payments"
        paid = await self._write(path, "payment", charge.reference, {"payments": [payment]})
        url = paid if isinstance(paid, Unknown) else rules.upi_url(paid, charge.amount)
        return self._link(url, expires_in_s)

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture a hold, or a part of it, and ask for the outcome."""
        request = {
            "capture_amount": rules.money_of(amount),
            "merchant_capture_reference": original,
        }
        answer = await self._end("capture", original, request)
        if isinstance(answer, Approved) and not answer.authorised_only:
            return answer if answer.amount == amount else Unknown(message="another was captured")
        if isinstance(answer, Voided):
            return Declined(rules.CANCELLED, "The hold was given back.")
        return Unknown("QUEUED") if isinstance(answer, Approved) else answer

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Cancel a hold, and ask for the outcome."""
        answer = await self._end("cancel", original, {})
        if isinstance(answer, Approved):
            is_open = answer.authorised_only
            return Unknown("QUEUED") if is_open else Declined(rules.PAID, "It was captured.")
        return answer

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        """Return the trigger of an authenticated webhook."""
        return webhooks.trigger(headers, body, self._account.webhook_secret, now_s=now_s)

    async def _record(self, reference: str, _words: Mapping[str, str], /) -> PaymentRecord:
        answer = await self._by_reference(reference)
        if isinstance(answer, Unknown):
            return PaymentRecord(answer)
        return rules.payment_record(answer, reference, self._account.unknown_code)

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect | Declined | Unknown:
        """Return the page of a new order; a repeat has the page of the first one."""
        words = await self._memory.known(charge.reference)
        if "page" in words:
            return Redirect(words["page"], words["order_id"])
        request = {
            **_order(charge, visit.bank or "CARD"),
            "integration_mode": "REDIRECT",
            "pre_auth": not visit.capture,
            "callback_url": visit.return_url,
            "failure_callback_url": visit.return_url,
        }
        made = await self._write("/checkout/v1/orders", "order", charge.reference, request)
        if isinstance(made, Unknown):
            return made
        if not made.is_done:
            return made.unknown()
        page = rules.page(made.order, self.checkout_origins)
        if isinstance(page, Redirect):
            names = {"page": page.url, "order_id": page.authentication_id}
            await self._memory.keep(charge.reference, names)
        return page

    def _refund_words(self, order: RefundOrder, paid: Mapping[str, str], /) -> Mapping[str, str]:
        return {"of": order.original, "order_id": paid["order_id"]}

    async def _give_back(
        self, order: RefundOrder, paid: Mapping[str, str], _words: Mapping[str, str], /
    ) -> Approved | Declined | Unknown | UnlessRecorded:
        request = {
            "merchant_order_reference": order.reference,
            "order_amount": rules.money_of(order.amount),
        }
        path = f"/pay/v1/refunds/{quote(paid['order_id'], safe='')}"
        reply = await self._write(path, "refund", order.reference, request)
        return (
            reply if isinstance(reply, Unknown) else rules.refund_accepted(reply, order.reference)
        )

    async def _refund_record(self, reference: str, _words: Mapping[str, str], /) -> RefundAnswer:
        answer = await self._by_reference(reference)
        if isinstance(answer, Unknown):
            return answer
        return rules.refund_record(answer, reference, self._account.unknown_code)

    async def _end(
        self, verb: str, original: str, request: Mapping[str, Any]
    ) -> Approved | Voided | Declined | Unknown:
        """Capture or cancel a held order, and return Pine Labs' record of it afterwards."""
        words = await self._memory.known(original)
        record = await self._record(original, words)
        if isinstance(record.answer, Unknown):
            return replace(record.answer, sent=False)
        if words.get("hold") != "1" or isinstance(record.answer, NothingThere):
            return Declined(STATE_CODE, "Pine Labs holds nothing for this payment.")
        refused: Unknown | Declined = Unknown("QUEUED")
        if isinstance(record.answer, Approved) and record.answer.authorised_only:
            path = f"/pay/v1/orders/{quote(record.names['order_id'], safe='')}/{verb}"
            answer = await self._write(path, verb, original, request, method="PUT")
            refused = answer if isinstance(answer, Unknown) else rules.end_refused(answer)
            record = await self._record(original, words)
        held = isinstance(record.answer, Approved) and record.answer.authorised_only
        if held or isinstance(record.answer, NothingThere):
            return refused
        return record.answer

    async def _by_reference(self, reference: str) -> rules.PineLabsAnswer | Unknown:
        path = f"/pay/v1/orders/reference/{quote(reference, safe='')}"
        return await self._ask(self._http.look(path))

    async def _write(
        self,
        path: str,
        what: str,
        reference: str,
        request: Mapping[str, Any],
        *,
        method: str = "POST",
    ) -> rules.PineLabsAnswer | Unknown:
        """Make a call under its idempotency key."""
        call = self._http.post(path, dict(request))
        headers = {**call.headers, "Idempotency-Key": rules.key_of(what, reference)}
        return await self._ask(replace(call, method=method, headers=headers))

    async def _ask(self, call: HttpCall) -> rules.PineLabsAnswer | Unknown:
        at = self._time().strftime("%Y-%m-%dT%H:%M:%S.000Z")
        headers = {**call.headers, "Request-ID": str(uuid.uuid4()), "Request-Timestamp": at}
        return await self._tokens.ask(
            self._http,
            replace(call, headers=headers),
            lambda answer: answer.status == HTTPStatus.UNAUTHORIZED,
        )


def _order(charge: Charge, method: str) -> dict[str, Any]:
    """Return an order that one method pays."""
    customer = charge.customer
    first, _, last = customer.name.partition(" ")
    contact = {
        "email_id": customer.email[:NAME_LENGTH_MAX],
        "first_name": first[:NAME_LENGTH_MAX],
        "last_name": last[:NAME_LENGTH_MAX],
        "mobile_number": customer.phone[-10:],
    }
    return {
        "merchant_order_reference": charge.reference,
        "order_amount": rules.money_of(charge.amount),
        "allowed_payment_methods": [method],
        "purchase_details": {
            "customer": {name: value for name, value in contact.items() if value},
        },
    }
