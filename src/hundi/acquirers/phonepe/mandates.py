"""Mandates at PhonePe: AutoPay v2, with a notice and a redemption under one order.

docs/phonepe.md#mandates names the sources.
"""

from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import quote

from hundi.acquirers.calls.aggregators import UPI_MANDATE
from hundi.acquirers.calls.mandate_standings import hindrance, is_over
from hundi.acquirers.phonepe import mandate_rules, messages, rules
from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.port.answers import Accepted, Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateStanding,
    MandateState,
    MandateTerms,
    NoticeGiven,
)
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.instruments.methods import UPI, UPI_LINK
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace

TERMS = MandateTerms(retries_max=0, most_paise=15_000_00)
"""PhonePe itself tries a refused debit again, for two days."""
PRODUCT = "subscriptions"
DEBIT = "debit_order"
"""The word of a debit: the order that its notice made."""


class PhonePeMandateConnector(PhonePeConnector):
    """An account that PhonePe has enabled for AutoPay."""

    mandate_terms: Mapping[str, MandateTerms] = {UPI.code: TERMS}
    mandate_methods = frozenset({UPI_LINK.name})

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link that pays a charge, and approves its mandate if it has one."""
        if charge.mandate is None:
            return await super().upi_link(charge, expires_in_s=expires_in_s)
        await self._memory.keep(charge.reference, {"product": PRODUCT})
        ends = utc_now() + timedelta(seconds=expires_in_s)
        request = mandate_rules.setup(charge, charge.mandate, ends)
        answer = await self._ask(self._http.post(f"/{PRODUCT}/v2/setup", request))
        order = answer if isinstance(answer, Unknown) else rules.order_of(answer)
        if not isinstance(order, messages.AnswerBody):
            return order
        if order.order_id:
            await self._memory.keep(charge.reference, {"order_id": order.order_id})
        url = order.intent_url or ""
        if not rules.is_address(url) or not url.startswith(UPI_MANDATE):
            return Unknown(message="PhonePe's link cannot be used")
        return UpiLink(url, ends)

    async def inquire(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return PhonePe's state of an order, of a debit by that of its notice."""
        words = await self._memory.known(reference)
        if DEBIT not in words:
            return await super().inquire(reference)
        answer = await self._cycle(words[DEBIT])
        if isinstance(answer, Unknown):
            return answer
        return mandate_rules.debit_outcome(answer, words[DEBIT])

    async def inquire_mandate(self, mandate: str) -> MandateStanding | NothingThere | Unknown:
        """Return how a mandate stands: a subscription of PhonePe's."""
        if (await self._memory.known(mandate)).get("product") != PRODUCT:
            return NothingThere()
        path = f"/{PRODUCT}/v2/{quote(mandate, safe='')}/status"
        answer = await self._ask(self._http.look(path))
        if isinstance(answer, Unknown):
            return answer
        standing = mandate_rules.standing(answer)
        if isinstance(standing, MandateStanding) and standing.state is MandateState.PENDING:
            setup = await self._cycle(mandate)
            if not isinstance(setup, Unknown) and mandate_rules.has_failed(setup):
                return MandateStanding(MandateState.FAILED)
        return standing

    async def give_notice(self, notice: MandateNotice) -> NoticeGiven | Declined | Unknown:
        """Make the order of a debit, and see whether PhonePe has told the customer of it."""
        refused = hindrance(await self.inquire_mandate(notice.mandate))
        if refused is not None:
            return refused
        found = await self._cycle(notice.reference)
        if isinstance(found, Unknown):
            return found
        if found.is_absence(rules.NO_SUCH_ORDER):
            call = self._http.post(f"/{PRODUCT}/v2/notify", mandate_rules.notice(notice))
            answer = await self._ask(call)
            if isinstance(answer, Unknown):
                return answer
            found = await self._cycle(notice.reference)
            if isinstance(found, Unknown):
                return found
            if found.is_absence(rules.NO_SUCH_ORDER):
                return mandate_rules.not_taken(answer)
        return mandate_rules.notice_outcome(found, notice)

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Redeem the order of a notice; PhonePe redeems an order once."""
        refused = hindrance(await self.inquire_mandate(debit.mandate))
        if refused is not None:
            return replace(refused, sent=False) if isinstance(refused, Unknown) else refused
        words = await self._memory.keep(debit.reference, {DEBIT: debit.notice_name})
        if words[DEBIT] != debit.notice_name:
            return Unknown("other_debit", "this reference is of another debit")
        before = await self.inquire(debit.reference)
        if not isinstance(before, NothingThere):
            return before
        request = {"merchantOrderId": debit.notice_name}
        answer = await self._ask(self._http.post(f"/{PRODUCT}/v2/redeem", request))
        if isinstance(answer, Unknown):
            return answer
        after = await self.inquire(debit.reference)
        return mandate_rules.not_taken(answer) if isinstance(after, NothingThere) else after

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        """End a mandate; ending it again changes nothing."""
        before = await self.inquire_mandate(mandate)
        if isinstance(before, Unknown) or is_over(before):
            return before if isinstance(before, Unknown) else Accepted()
        # Its answer has no body: the mandate's own state decides.
        await self._ask(self._http.post(f"/{PRODUCT}/v2/{quote(mandate, safe='')}/cancel", {}))
        after = await self.inquire_mandate(mandate)
        if isinstance(after, Unknown) or is_over(after):
            return after if isinstance(after, Unknown) else Accepted()
        return Unknown("not_ended", "PhonePe did not end the mandate")

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Refund an amount; a debit was paid by the order of its notice."""
        words = await self._memory.known(order.original)
        return await super().refund(replace(order, original=words.get(DEBIT, order.original)))

    async def _cycle(self, order: str) -> messages.PhonePeAnswer | Unknown:
        path = f"/{PRODUCT}/v2/order/{quote(order, safe='')}/status?details=true"
        return await self._ask(self._http.look(path))
