"""The connector of PayU India: its payment page, UPI links, holds, refunds; see docs/payu.md."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from hundi.acquirers.calls.aggregators import (
    MESSAGE_MAX,
    NOT_IN_INSTALMENTS,
    RUPEES,
    form_fields,
    read_object,
    rupees_text,
    while_open,
)
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, Timeouts
from hundi.acquirers.payu import hashes, reports, rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.acquirers.port.settlement_reports import ReportPage
from hundi.kernel.money import Money
from hundi.kernel.records import replace

INQUIRY_GAPS_S = (10, 10, 10, 20, 20, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600)
REFUND_GAPS_S = (60, 300, 900, 3_600, 14_400, 43_200, 86_400)
CURRENCY_CODE, METHOD_CODE, STATE_CODE = "HUNDI-CURRENCY", "HUNDI-METHOD", "HUNDI-STATE"
"""Our own codes for requests that are refused without calling PayU."""
PAYMENT_PATH = "/_payment"
COMMAND_PATH = "/merchant/postservice.php?form=2"
SHOWN = {"card": "creditcard|debitcard", "emi": "emi"}
"""PayU's names for the only method on its page, by our methods."""
NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, PHONE_LENGTH_MAX = 60, 50, 15
ANSWER_BYTES_MAX = 2 * 1024 * 1024
"""A page of a settlement report."""
UNKNOWN_ADDRESS = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Account:
    """A merchant account: in memory only, without a readable form.

    email, phone: sent for customers who gave none, because PayU takes no payment without.
    instalments_from_paise: the smallest amount that its page takes in instalments, 0 where it takes
    none.
    """

    key: str
    salt: str
    email: str
    phone: str
    instalments_from_paise: int = 0

    def __repr__(self) -> str:
        """Hide the salt: this value reaches tracebacks."""
        return "Account(****)"


class PayUConnector:
    """One merchant account at PayU India.

    payment_url, command_url: PayU's two hosts, without a slash at the end. callback_url: the
    address for webhooks. simulated: it is PayU's test environment. now_s: returns the time in Unix
    seconds.
    """

    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(REFUND_GAPS_S)

    def __init__(  # noqa: PLR0913 (who we are and where PayU is)
        self,
        name: str,
        account: Account,
        payment_url: str,
        command_url: str,
        callback_url: str,
        memory: Memory,
        *,
        simulated: bool = False,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self.name, self.simulated = name, simulated
        self._account, self._memory, self._now_s = account, memory, now_s
        self._page_url, self._callback_url = payment_url + PAYMENT_PATH, callback_url

        def unsigned(_method: str, _path: str, _body: bytes) -> Mapping[str, str]:
            return {}

        self._payments = AcquirerClient(
            payment_url, unsigned, lambda answer: read_object(answer.body), timeouts
        )
        self._commands = AcquirerClient(
            command_url,
            unsigned,
            lambda answer: read_object(answer.body),
            timeouts,
            answer_bytes_max=ANSWER_BYTES_MAX,
        )
        self.checkout_origins = (self._payments.origin,)
        if account.instalments_from_paise:
            self.instalments_from_paise = account.instalments_from_paise
        self.breaker = self._commands.breaker

    async def close(self) -> None:
        """Close the connection pools."""
        await asyncio.gather(self._payments.close(), self._commands.close())

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return PayU's state of a transaction, and of the end of a hold."""
        words = await self._memory.known(reference)
        entry = await self._detail(reference)
        if not isinstance(entry, rules.Detail):
            answer = entry
        elif words.get("hold") != "1" and entry.state != "auth":
            answer = rules.payment_outcome(entry, _asked(words))
        else:
            ends = await self._actions(entry.mihpayid)
            answer = (
                ends
                if isinstance(ends, Unknown)
                else rules.hold_outcome(entry, ends, _asked(words))
            )
        return while_open(answer) if self._now_s() < float(words.get("until", 0)) else answer

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return the form that the browser posts to PayU's page, with one method only.

        PayU is not called.
        """
        if method not in SHOWN:
            return Declined(METHOD_CODE, "PayU's page is used for cards.")
        if method == "emi" and not 0 < self._account.instalments_from_paise <= charge.amount.paise:
            return NOT_IN_INSTALMENTS
        extra = {"enforce_paymethod": SHOWN[method], **({} if capture else {"pre_authorize": "1"})}
        form = await self._form(charge, return_url, expires_in_s, extra)
        if not isinstance(form, dict):
            return form
        return Redirect(self._page_url, charge.reference, tuple(form.items()))

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return a generic UPI intent, which is drawn as a QR as well.

        PayU does not say when it ends.
        """
        extra = {
            "pg": "UPI",
            "bankcode": "INTENT",
            "txn_s2s_flow": "4",
            "s2s_client_ip": charge.customer.address or UNKNOWN_ADDRESS,
            "s2s_device_info": rules.plain(charge.customer.user_agent, MESSAGE_MAX, "unknown"),
        }
        expires_at = datetime.fromtimestamp(self._now_s() + expires_in_s, UTC)
        # PayU requires a return address, although nobody comes back from a UPI app.
        form = await self._form(charge, self._callback_url, expires_in_s, extra)
        if not isinstance(form, dict):
            return form
        answer = await self._payments.ask(self._payments.form(PAYMENT_PATH, form))
        if isinstance(answer, Unknown):
            return answer
        url = rules.upi_url(answer, charge.reference, charge.amount)
        return url if isinstance(url, Unknown) else UpiLink(url, expires_at)

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture a hold, or a part of it, and ask for the outcome."""
        entry = await self._held(original)
        if not isinstance(entry, rules.Detail):
            return entry
        answer = await self._command(
            "capture_transaction",
            entry.mihpayid,
            var2=rules.token("C", original),
            var3=rupees_text(amount),
        )
        ends = answer if isinstance(answer, Unknown) else await self._actions(entry.mihpayid)
        if isinstance(answer, Unknown) or isinstance(ends, Unknown):
            return answer if isinstance(answer, Unknown) else Unknown("QUEUED")
        return rules.capture_outcome(answer, entry, ends, amount)

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Void a hold by the command that cannot refund what was captured meanwhile."""
        entry = await self._held(original)
        if not isinstance(entry, rules.Detail):
            return entry
        answer = await self._command(
            "cancel_transaction", entry.mihpayid, var2=rules.token("V", original)
        )
        ends = answer if isinstance(answer, Unknown) else await self._actions(entry.mihpayid)
        if isinstance(answer, Unknown) or isinstance(ends, Unknown):
            return answer if isinstance(answer, Unknown) else Unknown("QUEUED")
        return rules.void_outcome(answer, entry, ends)

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Request a refund of what was captured, under our token.

        For a hold, PayU would end the hold.
        """
        if order.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, "PayU pays in rupees.")
        paid = await self._captured(order.original)
        if not isinstance(paid, str):
            return paid
        words = {"payu_id": paid, "token": rules.token("R", order.reference)}
        # A repeat is sent with the same token, even if tokens are made differently now.
        token = (await self._memory.keep(order.reference, words))["token"]
        reply = await self._command(
            "cancel_refund_transaction", paid, var2=token, var3=rupees_text(order.amount)
        )
        if isinstance(reply, Unknown):
            return reply
        if rules.succeeded(reply):
            request_id = reply.get("request_id")
            if isinstance(request_id, str) and request_id.isdigit():
                await self._memory.keep(order.reference, {"request_id": request_id})
            return Unknown(*rules.refusal(reply))
        answer = rules.refund_refused(reply, await self.inquire_refund(order.reference))
        if isinstance(answer, Approved) and answer.amount != order.amount:
            return Unknown(message="PayU gave another amount back")
        return answer

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return PayU's state of a refund: by its request, or by our token."""
        words = await self._memory.known(reference)
        if "token" not in words:
            return NothingThere()
        if "request_id" in words:
            answer = await self._command(
                "check_action_status", words["request_id"], is_question=True
            )
            actions = (
                answer
                if isinstance(answer, Unknown)
                else rules.actions(answer, words["request_id"])
            )
        else:
            actions = await self._actions(words["payu_id"])
        return (
            actions
            if isinstance(actions, Unknown)
            else rules.refund_outcome(actions, words["token"])
        )

    async def settlement_lines(self, day: date, after: str = "") -> ReportPage | Unknown:
        """Return a page of what was settled on a day."""
        number = int(after or "1")
        request = {"var2": str(number), "var3": str(reports.LINES_AT_ONCE)}
        answer = await self._command(
            reports.COMMAND,
            day.isoformat(),
            **request,
            is_question=True,
            waited_for_s=reports.WAITED_FOR_S,
        )
        return answer if isinstance(answer, Unknown) else reports.page_of(answer, day, number)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (the hash is in the body, and no time is signed)
        """Return the trigger of an authenticated webhook; those about refunds have no hash."""
        form = form_fields(body)
        if form is None or not hashes.answer_holds(form, self._account.key, self._account.salt):
            return None
        txnid = form.get("txnid", "")
        return Trigger("", (txnid,)) if rules.is_reference(txnid) else None

    async def _form(
        self, charge: Charge, return_url: str, expires_in_s: int, extra: Mapping[str, str]
    ) -> dict[str, str] | Declined | Unknown:
        """Return a signed form.

        A reference has one form's amount and purpose, stored before anybody posts it.
        """
        if charge.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, "PayU takes rupees.")
        hold = "1" if extra.get("pre_authorize") else "0"
        words = {
            "asked": f"{charge.amount.paise} {extra.get('pg', 'page')}",
            "hold": hold,
            "until": str(int(self._now_s()) + expires_in_s),
        }
        stored = await self._memory.keep(charge.reference, words)
        if (stored["asked"], stored["hold"]) != (words["asked"], hold):
            return Unknown(message="this reference was used for something else")
        customer, account = charge.customer, self._account
        form = {
            "key": account.key,
            "txnid": charge.reference,
            "amount": rupees_text(charge.amount),
            "productinfo": rules.plain(charge.payee_name, NAME_LENGTH_MAX, "Payment"),
            "firstname": rules.plain(customer.name, NAME_LENGTH_MAX, "Customer"),
            "email": rules.plain(customer.email, EMAIL_LENGTH_MAX, account.email),
            "phone": rules.plain(customer.phone, PHONE_LENGTH_MAX, account.phone),
            "surl": return_url,
            "furl": return_url,
            **extra,
        }
        return {**form, "hash": hashes.payment_hash(form, account.salt)}

    async def _detail(self, reference: str) -> rules.Detail | NothingThere | Unknown:
        answer = await self._command("verify_payment", reference, is_question=True)
        return answer if isinstance(answer, Unknown) else rules.detail(answer, reference)

    async def _actions(self, payu_id: str) -> tuple[rules.PayUAction, ...] | Unknown:
        answer = await self._command(
            "check_action_status", payu_id, var2="payuid", is_question=True
        )
        return answer if isinstance(answer, Unknown) else rules.actions(answer, payu_id)

    async def _held(self, original: str) -> rules.Detail | Declined | Unknown:
        """Return a transaction that was to be held, or why nothing is sent about another."""
        words = await self._memory.known(original)
        entry = await self._detail(original)
        if isinstance(entry, Unknown):
            return replace(entry, sent=False)
        if isinstance(entry, NothingThere) or words.get("hold") != "1":
            return Declined(STATE_CODE, "PayU holds nothing for this payment.")
        return entry

    async def _captured(self, original: str) -> str | Declined | Unknown:
        """Return PayU's id of a captured payment, or why nothing is sent about another."""
        words = await self._memory.known(original)
        if "payu_id" in words:
            return words["payu_id"]
        answer = await self.inquire(original)
        if isinstance(answer, Unknown):
            return replace(answer, sent=False)
        if not isinstance(answer, Approved) or answer.authorised_only:
            return Declined(STATE_CODE, "PayU has captured nothing for this payment.")
        entry = await self._detail(original)
        if not isinstance(entry, rules.Detail):
            return Unknown(message="PayU changed its mind", sent=False)
        await self._memory.keep(original, {"payu_id": entry.mihpayid})
        return entry.mihpayid

    async def _command(
        self,
        command: str,
        var1: str,
        *,
        var2: str = "",
        var3: str = "",
        is_question: bool = False,
        waited_for_s: float | None = None,
    ) -> dict[str, Any] | Unknown:
        """Send a command. Only one that moves no money is repeated after silence."""
        account = self._account
        form = {
            "key": account.key,
            "command": command,
            "var1": var1,
            **({"var2": var2} if var2 else {}),
            **({"var3": var3} if var3 else {}),
            "hash": hashes.command_hash(account.key, command, var1, account.salt),
        }
        call = self._commands.form(COMMAND_PATH, form)
        call = replace(call, repeatable=is_question, timeout_s=waited_for_s or call.timeout_s)
        return await self._commands.ask(call)


def _asked(words: Mapping[str, str]) -> Money | None:
    """Return the amount of a form, None if there is no record of it."""
    paise = words.get("asked", "").partition(" ")[0]
    return Money(int(paise)) if paise else None
