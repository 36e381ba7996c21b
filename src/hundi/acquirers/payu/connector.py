"""The connector of PayU India: its page, banks, UPI links, holds, refunds; see docs/payu.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from hundi.acquirers.calls.address_checks import AddressAnswer, AddressChecks
from hundi.acquirers.calls.aggregators import (
    MESSAGE_MAX,
    NOT_IN_INSTALMENTS,
    form_fields,
    read_object,
    rupees_text,
)
from hundi.acquirers.calls.banks import BankPageAggregator, BankTable
from hundi.acquirers.calls.client import ANSWER_BYTES_MAX, AcquirerClient
from hundi.acquirers.calls.form_hashes import payment_hash
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
from hundi.acquirers.payu import hashes, reports, rules
from hundi.acquirers.payu.banks import BANKS, PAYMENT_GROUPS
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.acquirers.port.settlement_reports import ReportPage
from hundi.kernel.money import Money
from hundi.kernel.records import replace

PAYMENT_PATH = "/_payment"
COMMAND_PATH = "/merchant/postservice.php?form=2"
SHOWN = {"card": "creditcard|debitcard", "emi": "emi"}
"""PayU's names for the only method on its page, by our methods."""
NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, PHONE_LENGTH_MAX = 60, 50, 15
REPORT_BYTES_MAX = 2 * 1024 * 1024
"""A page of a settlement report."""
UNKNOWN_ADDRESS = "127.0.0.1"


@dataclass(frozen=True, slots=True, repr=False)
class DisputeAccess(HiddenValue):
    """What calls about chargebacks need: in memory only. merchant_id: PayU's number of ours."""

    url: str = ""
    merchant_id: str = ""
    token: str = ""


NO_DISPUTES = DisputeAccess()


@dataclass(frozen=True, slots=True, repr=False)
class PayUAccount(HiddenValue):
    """A merchant account: in memory only.

    email, phone: sent for customers who gave none, because PayU takes no payment without.
    instalments_from_paise: the smallest amount that its page takes in instalments, 0 where it takes
    none. banks: those that it has. hosts_banks: a bank is chosen before PayU's page (PayU's
    "merchant hosted"), which then only takes the customer on. disputes: for calls about
    chargebacks. checks_addresses: UPI addresses are checked with it.
    """

    key: str
    salt: str
    email: str
    phone: str
    instalments_from_paise: int = 0
    banks: BankTable = BANKS
    hosts_banks: bool = False
    disputes: DisputeAccess = NO_DISPUTES
    checks_addresses: bool = False


class PayUConnector(BankPageAggregator):
    """One merchant account at PayU India.

    payment_url, command_url: PayU's two hosts, without a slash at the end. callback_url: the
    address for webhooks.
    """

    acquirer = "PayU"
    refund_names = frozenset({"payu_id"})
    inquiry_schedule = InquirySchedule(
        (10, 10, 10, 20, 20, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600)
    )
    refund_schedule = InquirySchedule((60, 300, 900, 3_600, 14_400, 43_200, 86_400))

    def __init__(
        self,
        setup: ConnectorSetup,
        account: PayUAccount,
        payment_url: str,
        command_url: str,
        callback_url: str,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self._account, self.bank_table = account, account.banks
        self._page_url, self._callback_url = payment_url + PAYMENT_PATH, callback_url
        self._payments = _client(payment_url, setup, ANSWER_BYTES_MAX)
        self._commands = _client(command_url, setup, REPORT_BYTES_MAX)
        if account.instalments_from_paise:
            self.instalments_from_paise = account.instalments_from_paise
        if account.checks_addresses:
            addresses = AddressChecks(self._holder, simulated=setup.simulated)
            self.check_address = addresses.check_address
        super().__init__(
            setup,
            (self._commands, self._payments),
            (self._payments.origin,),
            page_methods=frozenset(SHOWN),
            holds=True,
        )

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return the form that the browser posts to PayU's page; PayU is not called."""
        if method == "emi" and not 0 < self._account.instalments_from_paise <= charge.amount.paise:
            return NOT_IN_INSTALMENTS
        return await super().start_checkout(
            charge,
            method=method,
            return_url=return_url,
            expires_in_s=expires_in_s,
            capture=capture,
        )

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return a generic UPI intent, which is drawn as a QR as well.

        PayU does not say when it ends.
        """
        if refused := await self._begin(charge, "UPI", expires_in_s):
            return refused
        return self._link(await self._intent(charge, {}), expires_in_s)

    async def _intent(
        self, charge: Charge, approves: Mapping[str, str], *, mandate: bool = False
    ) -> str | Unknown:
        """Return the link of a UPI intent. approves: fields of the mandate that it approves."""
        extra = {
            **approves,
            "pg": "UPI",
            "bankcode": "INTENT",
            "txn_s2s_flow": "4",
            "s2s_client_ip": charge.customer.address or UNKNOWN_ADDRESS,
            "s2s_device_info": rules.PLAIN.text(charge.customer.user_agent, MESSAGE_MAX, "unknown"),
        }
        # PayU requires a return address, although nobody comes back from a UPI app.
        form = self._form(charge, self._callback_url, extra)
        answer = await self._payments.ask(self._payments.form(PAYMENT_PATH, form))
        if isinstance(answer, Unknown):
            return answer
        return rules.upi_url(answer, charge.reference, charge.amount, mandate=mandate)

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

    async def _holder(self, vpa: str) -> AddressAnswer:
        answer = await self._command("validateVPA", vpa, is_question=True)
        return answer if isinstance(answer, Unknown) else rules.address_outcome(answer, vpa)

    async def _record(self, reference: str, words: Mapping[str, str], /) -> PaymentRecord:
        """Return PayU's state of a transaction, and of the end of a hold."""
        entry = await self._detail(reference)
        if not isinstance(entry, rules.Detail):
            return PaymentRecord(entry)
        names = {"payu_id": entry.mihpayid}
        if words.get("hold") != "1" and entry.state != "auth":
            return PaymentRecord(rules.payment_outcome(entry, amount_asked(words)), names)
        ends = await self._actions(entry.mihpayid)
        if isinstance(ends, Unknown):
            return PaymentRecord(ends)
        return PaymentRecord(rules.hold_outcome(entry, ends, amount_asked(words)), names)

    async def _open_page(self, charge: Charge, visit: PageVisit) -> Redirect:
        """Return the form that the browser posts to PayU's page, with one method only."""
        extra = {"enforce_paymethod": visit.bank or SHOWN[visit.method]}
        if visit.bank and self._account.hosts_banks:
            extra = {"pg": PAYMENT_GROUPS[visit.method], "bankcode": visit.bank}
        if not visit.capture:
            extra["pre_authorize"] = "1"
        form = self._form(charge, visit.return_url, extra)
        return Redirect(self._page_url, charge.reference, tuple(form.items()))

    def _refund_words(self, order: RefundOrder, paid: Mapping[str, str], /) -> Mapping[str, str]:
        # A repeat is sent with the same token, even if tokens are made differently now.
        return {"payu_id": paid["payu_id"], "token": rules.token("R", order.reference)}

    async def _give_back(
        self, order: RefundOrder, paid: Mapping[str, str], words: Mapping[str, str], /
    ) -> Unknown | UnlessRecorded:
        """Request a refund of what was captured, under our token.

        For a hold, PayU would end the hold.
        """
        reply = await self._command(
            "cancel_refund_transaction",
            paid["payu_id"],
            var2=words["token"],
            var3=rupees_text(order.amount),
        )
        if isinstance(reply, Unknown):
            return reply
        if not rules.succeeded(reply):
            return UnlessRecorded(rules.refund_refused(reply))
        request_id = reply.get("request_id")
        if isinstance(request_id, str) and request_id.isdigit():
            await self._memory.keep(order.reference, {"request_id": request_id})
        return Unknown(*rules.refusal(reply))

    async def _refund_record(self, _reference: str, words: Mapping[str, str], /) -> RefundAnswer:
        """Return PayU's state of a refund: by its request, or by our token."""
        number = words.get("request_id")
        if number is None:
            actions = await self._actions(words["payu_id"])
        else:
            answer = await self._command("check_action_status", number, is_question=True)
            actions = answer if isinstance(answer, Unknown) else rules.actions(answer, number)
        if isinstance(actions, Unknown):
            return actions
        return rules.refund_outcome(actions, words["token"])

    def _form(self, charge: Charge, return_url: str, extra: Mapping[str, str]) -> dict[str, str]:
        """Return a signed form."""
        customer, account = charge.customer, self._account
        form = {
            "key": account.key,
            "txnid": charge.reference,
            "amount": rupees_text(charge.amount),
            "productinfo": rules.PLAIN.text(charge.payee_name, NAME_LENGTH_MAX, "Payment"),
            "firstname": rules.PLAIN.text(customer.name, NAME_LENGTH_MAX, "Customer"),
            "email": rules.PLAIN.text(customer.email, EMAIL_LENGTH_MAX, account.email),
            "phone": rules.PLAIN.text(customer.phone, PHONE_LENGTH_MAX, account.phone),
            "surl": return_url,
            "furl": return_url,
            **extra,
        }
        return {**form, "hash": payment_hash(form, account.salt)}

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


def _client(url: str, setup: ConnectorSetup, bytes_max: int) -> AcquirerClient[dict[str, Any]]:
    return AcquirerClient(
        url,
        lambda *_call: {},
        lambda answer: read_object(answer.body),
        setup.timeouts,
        answer_bytes_max=bytes_max,
    )
