"""Mandates of bank accounts at Razorpay (eNACH), registered at a page of Razorpay.

docs/razorpay.md#mandates names the sources.
"""

from collections.abc import Mapping
from datetime import timedelta
from secrets import token_hex

from hundi.acquirers.calls.banks import ANY_BANK
from hundi.acquirers.calls.razorpay_wire import decoded, refused, unusable
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.mandates import (
    MandateNotice,
    MandateStanding,
    MandateState,
    MandateTerms,
    NoticeGiven,
)
from hundi.acquirers.port.payments import BankEntry, Charge
from hundi.acquirers.razorpay import mandate_questions, mandate_rules, messages, rules
from hundi.acquirers.razorpay.mandates import (
    RazorpayCardMandateConnector,
    RazorpayMandateConnector,
)
from hundi.acquirers.razorpay.rules import RazorpayWay, Terms
from hundi.instruments.methods import BANK_MANDATES, ENACH
from hundi.kernel.money import Money
from hundi.kernel.records import replace

ENACH_TERMS = MandateTerms(retry_gap=timedelta(days=3))
"""Razorpay gives no notice of these debits; a failed one is tried again three days later."""
LINKS_ORIGIN = "https://rzp.io"
"""Where Razorpay's registration pages are."""
LINK_LIFE_S = 1_200
"""Seconds in which a customer can begin at the page."""
ENTRY = BankEntry(ENACH.name, ANY_BANK, "Any bank, on Razorpay's page")
NOT_REGISTERED = Declined("not_registered", "The bank has not registered the mandate.")


class RazorpayBankMandateConnector(RazorpayMandateConnector):
    """An account that Razorpay has enabled for mandates of bank accounts, too."""

    takes_bank_mandates = True
    registration_origins = (LINKS_ORIGIN,)
    mandate_terms: Mapping[str, MandateTerms] = {
        **RazorpayMandateConnector.mandate_terms,
        BANK_MANDATES.code: ENACH_TERMS,
    }
    mandate_methods = RazorpayMandateConnector.mandate_methods | {ENACH.name}

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks, wallets and lenders, and the page at which banks register mandates."""
        entries = await super().banks()
        return entries if isinstance(entries, Unknown) else (*entries, ENTRY)

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Return the address of the bank's page; for a mandate, that of Razorpay's page."""
        if method != ENACH.name:
            return await super().start_redirect(
                charge, method=method, bank_code=bank_code, return_url=return_url
            )
        contact = self._whom(charge)
        if charge.mandate is None or bank_code != ENTRY.code or isinstance(contact, Declined):
            return (
                contact
                if isinstance(contact, Declined)
                else Declined("bank_not_enabled", "This bank is not offered.")
            )
        until_s = int(self._now()) + LINK_LIFE_S
        words = await self._agreed(
            charge, Terms(RazorpayWay.REGISTRATION, hold=False, until_s=until_s)
        )
        if isinstance(words, Unknown):
            return words
        mine = token_hex(8)
        words = await self._memory.keep(charge.reference, {"begun": mine})
        if "address" in words:
            return Redirect(words["address"], words["order"])
        if words["begun"] != mine:
            return Unknown("begun", "this mandate was begun before", sent=False)
        request = mandate_questions.registration(
            charge, charge.mandate, contact, auth_type=self._account.enach, until_s=until_s
        )
        return await self._link(charge.reference, request)

    async def _link(
        self, reference: str, request: dict[str, object]
    ) -> Redirect | Declined | Unknown:
        """Make a page to register at. One whose address is lost is known to nobody."""
        answer = await self._api.send("/subscription_registration/auth_links", request, waits=True)
        if isinstance(answer, Unknown):
            return replace(answer, sent=False)
        link = decoded(messages.RegistrationLink, answer[1]) if answer[0] else None
        origins = tuple(f"{each}/" for each in self.redirect_origins)
        if link is None or not link.short_url.startswith(origins):
            refusal = None if answer[0] else refused(answer[1])
            return rules.declined(refusal) if refusal else replace(unusable(), sent=False)
        kept = {"order": link.order_id, "payer": link.customer_id, "address": link.short_url}
        words = await self._memory.keep(reference, kept)
        return Redirect(words["address"], words["order"])

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the outcome of a reference, of a registration by its first debit."""
        words = await self._memory.known(reference)
        if not _is_registration(words):
            return await super().inquire(reference)
        return await self._first_debit(reference, words) if "order" in words else NothingThere()

    async def _first_debit(
        self, reference: str, words: Mapping[str, str]
    ) -> Approved | Declined | Unknown:
        """Return the outcome of a registration: approved once its first amount is debited."""
        payments = await self._api.payments([words["order"]])
        if isinstance(payments, Unknown):
            return payments
        # Razorpay registers by a payment of nothing, and debits the first amount by another one.
        debits = tuple(each for each in payments if each.amount)
        _, _, paise, currency, _ = words["terms"].split()
        amount = Money(int(paise), currency)
        answer = mandate_rules.debit_outcome(debits, amount, int(self._now()))
        if isinstance(answer, NothingThere):
            return await self._not_debited(reference, begun=bool(payments))
        if isinstance(answer, Approved):
            await self._memory.keep(reference, {"payment": rules.paid_by(debits).id})
            return replace(answer, approval_code=await self._number(reference))
        return answer

    async def _not_debited(self, reference: str, *, begun: bool) -> Declined | Unknown:
        """Return how a registration stands without a debit. begun: at the page."""
        standing = await self.inquire_mandate(reference)
        if isinstance(standing, Unknown | NothingThere):
            return standing if isinstance(standing, Unknown) else unusable()
        if standing.state in {MandateState.FAILED, MandateState.ENDED}:
            return replace(NOT_REGISTERED, left=not begun)
        if not begun:
            return Unknown(awaiting_customer=True)
        return Unknown("registering", "the bank has not debited the first amount yet")

    async def _number(self, reference: str) -> str:
        """Return the bank's number of a mandate, "" where Razorpay does not say it."""
        standing = await self.inquire_mandate(reference)
        if not isinstance(standing, MandateStanding) or not standing.name:
            return ""
        payer = (await self._memory.known(reference))["payer"]
        token = await self._token_at(payer, standing.name)
        return (token.mrn or "") if isinstance(token, messages.RazorpayToken) else ""

    async def give_notice(self, notice: MandateNotice) -> NoticeGiven | Declined | Unknown:
        """Announce a debit; of a bank account, the bank is told with the debit itself."""
        if not _is_registration(await self._memory.known(notice.mandate)):
            return await super().give_notice(notice)
        token = await self._usable(notice.mandate)
        if isinstance(token, Declined | Unknown):
            return token
        words = await self._memory.known(notice.reference)
        if "order" not in words:
            order = await self._notified(notice, notice.reference, "")
            if isinstance(order, Declined | Unknown):
                return order
            words = await self._memory.keep(notice.reference, {"order": order.id})
        return NoticeGiven(words["order"])


class RazorpayCardBankMandateConnector(RazorpayBankMandateConnector, RazorpayCardMandateConnector):
    """The same, where cards are typed at our own page."""

    mandate_terms: Mapping[str, MandateTerms] = {
        **RazorpayCardMandateConnector.mandate_terms,
        BANK_MANDATES.code: ENACH_TERMS,
    }
    mandate_methods = RazorpayCardMandateConnector.mandate_methods | {ENACH.name}


def _is_registration(words: Mapping[str, str]) -> bool:
    return words.get("terms", "").startswith(f"{RazorpayWay.REGISTRATION} ")
