"""Mandates at Razorpay: its tokens, the notices of debits, and the debits.

docs/razorpay.md#mandates names the sources.
"""

from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import quote

from hundi.acquirers.calls.razorpay_wire import decoded, refused, unusable
from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Declined,
    NothingThere,
    Unknown,
    Voided,
)
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateStanding,
    MandateState,
    MandateTerms,
    NoticeGiven,
)
from hundi.acquirers.razorpay import mandate_questions, mandate_rules, messages, questions, rules
from hundi.acquirers.razorpay.connector import RazorpayCardConnector, RazorpayConnector
from hundi.instruments.methods import CARD_DIRECT, CARDS, UPI, UPI_LINK
from hundi.kernel.money import Money
from hundi.kernel.records import replace

UPI_TERMS = MandateTerms(notice_before=timedelta(hours=25), most_paise=99_999_00)
"""Razorpay debits 25 hours after the notice, where it chooses the time itself."""
CARD_TERMS = MandateTerms(
    notice_before=timedelta(hours=36), retry_gap=timedelta(hours=36), most_paise=15_000_00
)
"""The card's bank tells its holder, and debits 36 hours later."""
_OVER = frozenset({MandateState.ENDED, MandateState.FAILED})
NO_MANDATE = Declined("no_mandate", "The customer has no such mandate.", mandate_over=True)
OVER = Declined("mandate_not_active", "The mandate is over.", mandate_over=True)
PAUSED = Declined("mandate_paused", "The customer paused the mandate.", mandate_paused=True)
PAYER, TOKEN, ENDED, DELETED, DEBIT = "payer", "token", "ended", "deleted", "debit"
"""Words of a mandate: Razorpay's customer, its token, our end of it, and that its token was to be
deleted; of a debit: its amount."""
NOTICES = {"order": "", "order_b": "-2", "order_c": "-3"}
"""The words of a notice, and what their orders' receipts have after its reference."""
UPI_METHOD = "upi"


class RazorpayMandateConnector(RazorpayConnector):
    """An account that Razorpay has enabled for recurring payments."""

    mandate_terms: Mapping[str, MandateTerms] = {UPI.code: UPI_TERMS}
    mandate_methods = frozenset({UPI_LINK.name})

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the outcome of a reference, of a debit by its own payments."""
        words = await self._memory.known(reference)
        if DEBIT in words:
            return await self._debited(reference, words)
        return await super().inquire(reference)

    async def inquire_mandate(self, mandate: str) -> MandateStanding | NothingThere | Unknown:
        """Return how a mandate stands: by its token, whatever its first payment was called."""
        words = await self._memory.known(mandate)
        if PAYER not in words:
            return NothingThere()
        token = await self._token(mandate, words)
        if isinstance(token, MandateStanding | Unknown):
            return token
        if ENDED in words:
            return MandateStanding(MandateState.ENDED, token)
        found = await self._token_at(words[PAYER], token)
        if isinstance(found, NothingThere):
            # Razorpay lists no unused and no expired ones, and those of UPI only on request.
            return Unknown("token_not_shown", "Razorpay does not show this token")
        return (
            found if isinstance(found, Unknown) else mandate_rules.standing(found, int(self._now()))
        )

    async def give_notice(self, notice: MandateNotice) -> NoticeGiven | Declined | Unknown:
        """Make the order of a debit, and see whether Razorpay has told the customer of it.

        After a notice that was not delivered, another order has another one.
        """
        token = await self._usable(notice.mandate)
        if isinstance(token, Declined | Unknown):
            return token
        words = await self._memory.known(notice.reference)
        for name, ending in NOTICES.items():
            if name not in words:
                order = await self._notified(notice, notice.reference + ending, token)
                if isinstance(order, Declined | Unknown):
                    return order
                words = await self._memory.keep(notice.reference, {name: order.id})
            path = f"/orders/{quote(words[name], safe='')}"
            order = await self._api.read(messages.NotifiedOrder, path)
            if isinstance(order, Unknown) or order.id != words[name]:
                return order if isinstance(order, Unknown) else unusable()
            answer = mandate_rules.notice_outcome(order, notice.debit_at)
            if answer is not None:
                return answer
        return Declined("notification_failed", "The customer could not be told of the debit.")

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Debit a token; one order is paid once, whichever try pays it."""
        token = await self._usable(debit.mandate)
        if isinstance(token, Declined | Unknown):
            return replace(token, sent=False) if isinstance(token, Unknown) else token
        purpose = f"{debit.amount.paise} {debit.amount.currency}"
        kept = {"order": debit.notice_name, DEBIT: purpose}
        words = await self._memory.keep(debit.reference, kept)
        if words.get(DEBIT) != purpose or words["order"] != debit.notice_name:
            return Unknown("other_charge", "this reference is of another debit")
        before = await self._debited(debit.reference, words)
        if isinstance(before, NothingThere):
            return await self._new_debit(debit, token)
        is_unread = isinstance(before, Unknown) and before.code == mandate_rules.UNREAD
        return replace(before, sent=False) if is_unread else before

    async def _new_debit(self, debit: MandateDebit, token: str) -> Declined | Unknown:
        contact = questions.reachable_at(debit.customer, self._account.email, self._account.phone)
        if contact is None:
            return Declined("no_customer", "Razorpay needs an e-mail address and a phone number.")
        payer = (await self._memory.known(debit.mandate))[PAYER]
        request = mandate_questions.debit(debit, payer=payer, token=token, contact=contact)
        answer = await self._api.send("/payments/create/recurring", request, waits=True)
        if isinstance(answer, Unknown):
            return answer
        if answer[0]:
            return Unknown("created", "Razorpay debits the customer within a day or two")
        refusal = refused(answer[1])
        return mandate_rules.debit_refused(refusal) if refusal else unusable()

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        """End a mandate at its customer's bank; a card's token is deleted."""
        standing = await self.inquire_mandate(mandate)
        words = await self._memory.known(mandate)
        if isinstance(standing, NothingThere) or _is_over(standing):
            return Accepted()
        if TOKEN not in words:
            return Unknown("pending", "nobody has approved it yet")
        found = await self._token_at(words[PAYER], words[TOKEN])
        if DELETED in words and isinstance(found, NothingThere):
            await self._memory.keep(mandate, {ENDED: "yes"})
            return Accepted()
        is_kept = isinstance(found, messages.RazorpayToken) and found.method != UPI_METHOD
        if is_kept:
            await self._memory.keep(mandate, {DELETED: "yes"})
        path = f"/customers/{quote(words[PAYER], safe='')}/tokens/{quote(words[TOKEN], safe='')}"
        answer = await (
            self._api.send(path, {}, method="DELETE")
            if is_kept
            else self._api.send(f"{path}/cancel", {}, method="PUT")
        )
        if isinstance(answer, Unknown) or not answer[0]:
            return answer if isinstance(answer, Unknown) else unusable()
        await self._memory.keep(mandate, {ENDED: "yes"})
        return Accepted()

    async def _debited(
        self, reference: str, words: Mapping[str, str]
    ) -> Approved | Declined | Unknown | NothingThere:
        """Return the outcome of one try of a debit: of its own payments among the order's."""
        payments = await self._api.payments([words["order"]])
        if isinstance(payments, Unknown):
            return replace(payments, code=mandate_rules.UNREAD)
        paise, currency = words[DEBIT].split()
        mine = tuple(each for each in payments if rules.noted(each) == reference)
        answer = mandate_rules.debit_outcome(mine, Money(int(paise), currency), int(self._now()))
        if isinstance(answer, Approved):
            await self._memory.keep(reference, {"payment": rules.paid_by(mine).id})
        return answer

    async def _usable(self, mandate: str) -> str | Declined | Unknown:
        """Return the token of a mandate unless it is known to be over or paused."""
        standing = await self.inquire_mandate(mandate)
        if isinstance(standing, NothingThere):
            return NO_MANDATE
        if isinstance(standing, MandateStanding) and standing.state is not MandateState.ACTIVE:
            if standing.state is MandateState.PENDING:
                return Unknown("pending", "Razorpay has not confirmed the mandate yet")
            return PAUSED if standing.state is MandateState.PAUSED else OVER
        token = (await self._memory.known(mandate)).get(TOKEN)
        if token is None:
            return standing if isinstance(standing, Unknown) else unusable()
        return token

    async def _token(
        self, mandate: str, words: Mapping[str, str]
    ) -> str | MandateStanding | Unknown:
        """Return the token that a mandate's first payment made; how it stands if there is none."""
        if TOKEN in words:
            return words[TOKEN]
        if "order" not in words:
            return MandateStanding(MandateState.FAILED)
        payments = await self._api.payments([words["order"]])
        if isinstance(payments, Unknown):
            return payments
        made = next((each.token_id for each in payments if mandate_rules.approves(each)), None)
        if made is None:
            return MandateStanding(mandate_rules.without_token(payments, words, int(self._now())))
        return (await self._memory.keep(mandate, {TOKEN: made}))[TOKEN]

    async def _token_at(
        self, payer: str, token: str
    ) -> messages.RazorpayToken | NothingThere | Unknown:
        """Return a token; NothingThere where Razorpay does not show it."""
        path = f"/customers/{quote(payer, safe='')}/tokens"
        found = await self._api.read(messages.RazorpayToken, f"{path}/{quote(token, safe='')}")
        if isinstance(found, messages.RazorpayToken):
            return found if found.id == token else unusable()
        every = await self._api.read(messages.RazorpayTokens, path)
        if isinstance(every, Unknown):
            return every
        return next((each for each in every.items if each.id == token), NothingThere())

    async def _notified(
        self, notice: MandateNotice, receipt: str, token: str
    ) -> messages.NotifiedOrder | Declined | Unknown:
        """Make the order of a debit, or find the one that was made before."""
        request = mandate_questions.notice(notice, receipt, token)
        answer = await self._api.send("/orders", request)
        order = (
            decoded(messages.NotifiedOrder, answer[1])
            if not isinstance(answer, Unknown) and answer[0]
            else None
        )
        if order is None:
            if isinstance(answer, Unknown) and not answer.sent:
                return answer
            path = f"/orders?receipt={quote(receipt, safe='')}"
            orders = await self._api.read(messages.NotifiedOrders, path)
            if isinstance(orders, Unknown):
                return orders
            order = next(iter(orders.items), None)
        if order is None:
            refusal = None if isinstance(answer, Unknown) else refused(answer[1])
            return mandate_rules.debit_refused(refusal) if refusal else unusable()
        ours = (order.receipt, order.amount, order.currency) == (
            receipt,
            notice.amount.paise,
            notice.amount.currency,
        )
        return order if ours else Unknown("other_order", "Razorpay speaks of another order")


class RazorpayCardMandateConnector(RazorpayMandateConnector, RazorpayCardConnector):
    """The same, where cards are typed at our own page."""

    takes_card_mandates = True
    mandate_terms: Mapping[str, MandateTerms] = {UPI.code: UPI_TERMS, CARDS.code: CARD_TERMS}
    mandate_methods = frozenset({UPI_LINK.name, CARD_DIRECT.name})


def _is_over(standing: MandateStanding | Unknown) -> bool:
    return isinstance(standing, MandateStanding) and standing.state in _OVER
