"""UPI mandates at PayU: consent by a link, notices, debits, and their end.

docs/payu.md#mandates names the sources.
"""

from collections.abc import Mapping
from datetime import timedelta
from secrets import token_hex

from hundi.acquirers.calls.mandate_standings import hindrance, is_over
from hundi.acquirers.calls.pages import PaymentAnswer, amount_asked
from hundi.acquirers.payu import mandate_rules
from hundi.acquirers.payu.connector import PayUConnector
from hundi.acquirers.port.answers import Accepted, Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateStanding,
    MandateState,
    MandateTerms,
    NoticeGiven,
)
from hundi.acquirers.port.payments import Charge
from hundi.instruments.methods import UPI, UPI_LINK
from hundi.kernel.records import replace

TERMS = MandateTerms(notice_before=timedelta(hours=48), most_paise=15_000_00)
"""PayU demands the notice 48 hours before the debit."""
WAY = "mandate"
"""The word of a reference whose payment approves a mandate."""
INVOICE, ENDED, BEGUN, TRIED = "invoice", "ended", "begun", "tried"
NO_INVOICE = "-"


class PayUMandateConnector(PayUConnector):
    """An account that PayU has enabled for recurring payments by UPI."""

    mandate_terms: Mapping[str, MandateTerms] = {UPI.code: TERMS}
    mandate_methods = frozenset({UPI_LINK.name})

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link that pays a charge, and approves its mandate if it has one."""
        if charge.mandate is None:
            return await super().upi_link(charge, expires_in_s=expires_in_s)
        if refused := await self._begin(charge, WAY, expires_in_s):
            return refused
        url = await self._intent(charge, mandate_rules.approved(charge.mandate), mandate=True)
        return self._link(url, expires_in_s)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        """Return the trigger of a webhook whose hash holds: about a payment, or about a mandate."""
        trigger = super().read_trigger(headers, body, now_s=now_s)
        if trigger is not None:
            return trigger
        account = self._account.key, self._account.salt
        mandate = mandate_rules.told_mandate(headers, body, account)
        return Trigger("", (), (mandate,)) if mandate else None

    async def inquire_mandate(self, mandate: str) -> MandateStanding | NothingThere | Unknown:
        """Return how a mandate stands, once its first payment is paid."""
        words = await self._memory.known(mandate)
        if not words.get("asked", "").endswith(f" {WAY}"):
            return NothingThere()
        paid = await self._paid_consent(mandate)
        if not isinstance(paid, str):
            return paid
        if ENDED in words:
            return MandateStanding(MandateState.ENDED, paid)
        answer = await self._about("upi_mandate_status", paid, is_question=True)
        return answer if isinstance(answer, Unknown) else mandate_rules.standing(answer, paid)

    async def give_notice(self, notice: MandateNotice) -> NoticeGiven | Declined | Unknown:
        """Announce a debit; a notice that was given once is not sent again.

        One whose answer was lost is asked for under another number: PayU may refuse the first one.
        """
        words = await self._memory.known(notice.reference)
        if INVOICE in words:
            return _given(words)
        standing = await self.inquire_mandate(notice.mandate)
        if (refused := hindrance(standing)) is not None:
            return refused
        payu_id = (await self._memory.known(notice.mandate))["payu_id"]
        mine = token_hex(4)
        words = await self._memory.keep(notice.reference, {TRIED: mine})
        again = "" if words[TRIED] == mine else mine
        request = mandate_rules.notice(notice, payu_id, again=again)
        answer = await self._command("pre_debit_SI", request)
        if isinstance(answer, Unknown):
            return answer
        given = mandate_rules.notice_outcome(answer)
        if not isinstance(given, NoticeGiven):
            return given
        kept = {INVOICE: given.name or NO_INVOICE}
        return _given(await self._memory.keep(notice.reference, kept))

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Debit a mandate. A debit is sent once: what became of it, inquiries say."""
        standing = await self.inquire_mandate(debit.mandate)
        if (refused := hindrance(standing)) is not None:
            return replace(refused, sent=False) if isinstance(refused, Unknown) else refused
        mine = token_hex(8)
        use = {"asked": f"{debit.amount.paise} debit {debit.notice}", "hold": "0"}
        words = await self._memory.keep(debit.reference, {**use, BEGUN: mine})
        if amount_asked(words) != debit.amount or words["asked"] != use["asked"]:
            return Unknown(message="this reference was used for something else")
        if words[BEGUN] != mine:
            return _debited(await self.inquire(debit.reference))
        payu_id = (await self._memory.known(debit.mandate))["payu_id"]
        customer, account = debit.customer, self._account
        contact = Customer(
            customer.name, customer.email or account.email, customer.phone or account.phone
        )
        answer = await self._command("si_transaction", mandate_rules.debit(debit, payu_id, contact))
        if isinstance(answer, Unknown):
            return answer
        after = await self.inquire(debit.reference)
        return mandate_rules.debit_refused(answer) if _is_absent(after) else _debited(after)

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        """End a mandate; ending it again changes nothing."""
        before = await self.inquire_mandate(mandate)
        if is_over(before):
            return Accepted()
        payu_id = (await self._memory.known(mandate)).get("payu_id")
        if payu_id is None:
            return before if isinstance(before, Unknown) else Unknown("pending", "nobody has paid")
        answer = await self._about("upi_mandate_revoke", payu_id)
        if isinstance(answer, Unknown):
            return answer
        if answer.get("status") == "1":
            await self._memory.keep(mandate, {ENDED: "yes"})
            return Accepted()
        after = await self.inquire_mandate(mandate)
        return Accepted() if is_over(after) else Unknown("not_ended", "PayU refused")

    async def _paid_consent(self, mandate: str) -> str | MandateStanding | Unknown:
        """Return PayU's number of the payment that approved a mandate, else how it stands."""
        words = await self._memory.known(mandate)
        if "payu_id" in words:
            return words["payu_id"]
        record = await self._record(mandate, words)
        answer = self._while_open(record.answer, words)
        if isinstance(answer, Approved):
            return (await self._memory.keep(mandate, record.names))["payu_id"]
        if isinstance(answer, Unknown):
            pending = MandateStanding(MandateState.PENDING)
            return pending if answer.awaiting_customer else answer
        return MandateStanding(MandateState.FAILED)

    async def _about(
        self, command: str, payu_id: str, *, is_question: bool = False
    ) -> Mapping[str, object] | Unknown:
        request = mandate_rules.question(payu_id, token_hex(8))
        return await self._command(command, request, is_question=is_question)


def _given(words: Mapping[str, str]) -> NoticeGiven:
    return NoticeGiven("" if words[INVOICE] == NO_INVOICE else words[INVOICE])


def _is_absent(answer: PaymentAnswer) -> bool:
    return isinstance(answer, NothingThere)


def _debited(answer: PaymentAnswer) -> Approved | Declined | Unknown:
    """Return the outcome of a debit; one that PayU does not show yet may still be made."""
    if isinstance(answer, Approved | Declined | Unknown):
        return answer
    return Unknown("not_shown", "PayU does not show the debit yet")
