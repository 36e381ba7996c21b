"""Mandates at Cashfree: controlled UPI mandates, whose notice and debit are calls of ours.

docs/cashfree.md#mandates names the sources.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import quote

from hundi.acquirers.calls.mandate_standings import hindrance, is_over
from hundi.acquirers.cashfree import mandate_rules, refunds, rules
from hundi.acquirers.cashfree.connector import USED, CashfreeConnector
from hundi.acquirers.cashfree.mandate_words import (
    CashfreeDebit,
    CashfreeExecution,
    CashfreeMandateRefund,
    CashfreeNotice,
    CashfreeSubscription,
)
from hundi.acquirers.cashfree.words import CashfreeAnswer, decoded, refusal
from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Declined,
    NothingThere,
    Unknown,
    Voided,
)
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateTerms,
    NoticeGiven,
)
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.acquirers.port.splits import ReversalOrder, ShareMade, ShareOrder
from hundi.instruments.methods import UPI, UPI_LINK
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace

TERMS = MandateTerms(most_paise=1_00_000_00)
NOTICES_MAX = 3
"""Notices of one debit, after those that were not delivered."""
MANDATE, DEBIT = "mandate", "debit"
"""Ways of a reference in the memory, beside those of payments."""
_PATH = "/subscriptions"
_Kind = TypeVar("_Kind")


class CashfreeMandateConnector(CashfreeConnector):
    """An account that Cashfree has enabled for controlled UPI mandates."""

    mandate_terms: Mapping[str, MandateTerms] = {UPI.code: TERMS}
    mandate_methods = frozenset({UPI_LINK.name})

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link that pays a charge, and approves its mandate if it has one."""
        if charge.mandate is None:
            return await super().upi_link(charge, expires_in_s=expires_in_s)
        if await self._orders.remember(charge, MANDATE) is None:
            return USED
        made = await self._registered(charge, charge.mandate)
        if not isinstance(made, CashfreeSubscription):
            return made
        answer = await self._sent(
            "POST", f"{_PATH}/pay", mandate_rules.approval(charge, made), charge.reference
        )
        if isinstance(answer, Unknown):
            return answer
        url = mandate_rules.link_of(answer)
        if url is None:
            why = rules.refused(answer.status, refusal(answer))
            return why if isinstance(why, Declined) else Unknown("no-upi-link", why.message)
        return UpiLink(url, utc_now() + timedelta(seconds=expires_in_s))

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return Cashfree's state of a reference, of a mandate's payments, too."""
        words = await self._memory.known(reference)
        if words.get("way") == DEBIT:
            return await self._executed(reference, words)
        if words.get("way") != MANDATE:
            return await super().inquire(reference)
        standing = await self.inquire_mandate(reference)
        found = await self._seen(CashfreeDebit, f"{_PATH}/{reference}/payments/{reference}")
        if isinstance(found, Unknown):
            return found
        if isinstance(standing, Unknown):
            return standing
        return mandate_rules.first_payment(found, standing, words["amount"])

    async def inquire_mandate(self, mandate: str) -> MandateStanding | NothingThere | Unknown:
        """Return how a mandate stands: a subscription of Cashfree's."""
        if (await self._memory.known(mandate)).get("way") != MANDATE:
            return NothingThere()
        found = await self._seen(CashfreeSubscription, f"{_PATH}/{mandate}")
        return mandate_rules.standing(found) if isinstance(found, CashfreeSubscription) else found

    async def give_notice(self, notice: MandateNotice) -> NoticeGiven | Declined | Unknown:
        """Announce a debit, and see whether Cashfree has told the customer of it."""
        refused = hindrance(await self.inquire_mandate(notice.mandate))
        if refused is not None:
            return refused
        payment = notice.reference
        for number in range(1, NOTICES_MAX + 1):
            name = f"{payment}-{number}"
            path = f"{_PATH}/payments/{payment}/controlled/notifications/{name}"
            found = await self._seen(CashfreeNotice, path)
            if isinstance(found, NothingThere):
                request = mandate_rules.notice(notice, name)
                answer = await self._sent(
                    "POST", f"{_PATH}/pay/controlled/notify-mandate", request, name
                )
                refused = mandate_rules.not_taken(answer)
                if refused is not None:
                    return refused
                found = await self._seen(CashfreeNotice, path)
            if not isinstance(found, CashfreeNotice):
                return found if isinstance(found, Unknown) else Unknown("notice_underway")
            given = mandate_rules.notice_outcome(found, payment, notice.amount)
            if given is not None:
                return given
        return Declined("notification_failed", "The customer could not be told of the debit.")

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Execute what the customer was told of."""
        refused = hindrance(await self.inquire_mandate(debit.mandate))
        if refused is not None:
            return replace(refused, sent=False) if isinstance(refused, Unknown) else refused
        use = {
            "way": DEBIT,
            "mandate": debit.mandate,
            "payment": debit.notice_name,
            "amount": rules.said_amount(debit.amount),
        }
        words = await self._memory.keep(debit.reference, use)
        if not use.items() <= words.items():
            return USED
        before = await self._executed(debit.reference, words)
        if not isinstance(before, NothingThere):
            return before
        request = {"payment_id": debit.notice_name, "execution_id": debit.reference}
        path = f"{_PATH}/pay/controlled/execute-mandate"
        answer = await self._sent("POST", path, request, debit.reference)
        if isinstance(answer, Unknown):
            return answer
        if decoded(answer, CashfreeExecution) is not None:
            after = await self._executed(debit.reference, words)
            return Unknown("executed") if isinstance(after, NothingThere) else after
        return await self._not_executed(debit, rules.refused(answer.status, refusal(answer)))

    async def _not_executed(
        self, debit: MandateDebit, refused: Declined | Unknown
    ) -> Declined | Unknown:
        """Return the meaning of a refused execution: another one may have moved the money."""
        path = f"{_PATH}/{debit.mandate}/payments/{quote(debit.notice_name, safe='')}"
        payment = await self._seen(CashfreeDebit, path)
        if not isinstance(payment, CashfreeDebit) or payment.payment_status in mandate_rules.OPEN:
            return Unknown(refused.code, refused.message)
        return refused

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        """End a mandate; ending it again changes nothing."""
        before = await self.inquire_mandate(mandate)
        if isinstance(before, Unknown) or is_over(before):
            return before if isinstance(before, Unknown) else Accepted()
        request = {"subscription_id": mandate, "action": "CANCEL"}
        answer = await self._sent("POST", f"{_PATH}/{mandate}/manage", request, "CANCEL")
        if isinstance(answer, Unknown):
            return answer
        after = await self.inquire_mandate(mandate)
        if isinstance(after, Unknown) or is_over(after):
            return after if isinstance(after, Unknown) else Accepted()
        return Unknown("not_ended", "Cashfree did not end the mandate")

    async def give_share(self, order: ShareOrder) -> ShareMade | Declined | Unknown:
        """Split a paid order; a mandate's payment has none that could be split."""
        if await self._paid_by_mandate(order.original) is not None:
            return Declined("of-a-mandate", "The payment of a mandate is not split here.")
        return await super().give_share(order)

    async def refund_with_shares(
        self, order: RefundOrder, reversals: tuple[ReversalOrder, ...]
    ) -> Approved | Declined | Unknown:
        """Refund an amount; that of a mandate's payment is a call of its own, without parts."""
        paid = await self._paid_by_mandate(order.original)
        if paid is None:
            return await super().refund_with_shares(order, reversals)
        mandate, payment = paid
        name = refunds.refund_id(order.reference)
        use = {"refund_of": payment, "mandate": mandate, "amount": rules.said_amount(order.amount)}
        words = await self._memory.keep(order.reference, use)
        if not use.items() <= words.items():
            return USED
        request = mandate_rules.refund(order, mandate, payment, name)
        answer = await self._sent("POST", f"{_PATH}/{mandate}/refunds", request, name)
        if isinstance(answer, Unknown):
            return answer
        # What is refused may have been requested before: its record decides.
        record = await self.inquire_refund(order.reference)
        if not isinstance(record, NothingThere):
            return record
        return rules.refused(answer.status, refusal(answer))

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return Cashfree's state of a refund."""
        words = await self._memory.known(reference)
        if "mandate" not in words:
            return await super().inquire_refund(reference)
        name = refunds.refund_id(reference)
        path = f"{_PATH}/{words['mandate']}/refunds/{name}"
        found = await self._seen(CashfreeMandateRefund, path)
        if not isinstance(found, CashfreeMandateRefund):
            return found
        return mandate_rules.refund_outcome(found, words["refund_of"], words["amount"])

    async def _paid_by_mandate(self, original: str) -> tuple[str, str] | None:
        """Return mandate and payment of a reference, None for a payment without a mandate."""
        words = await self._memory.known(original)
        if words.get("way") == DEBIT:
            return words["mandate"], words["payment"]
        return (original, original) if words.get("way") == MANDATE else None

    async def _registered(
        self, charge: Charge, mandate: MandateRequest
    ) -> CashfreeSubscription | Declined | Unknown:
        """Make the subscription of a charge, or find it; nobody approves it without its link."""
        request = mandate_rules.subscription(charge, mandate, self._account)
        answer = await self._sent("POST", _PATH, request, charge.reference)
        made = decoded(answer, CashfreeSubscription) if isinstance(answer, CashfreeAnswer) else None
        if made is None:
            found = await self._seen(CashfreeSubscription, f"{_PATH}/{charge.reference}")
            if not isinstance(found, CashfreeSubscription):
                why = (
                    answer
                    if isinstance(answer, Unknown)
                    else rules.refused(answer.status, refusal(answer))
                )
                return replace(why, sent=False) if isinstance(why, Unknown) else why
            made = found
        if made.subscription_id != charge.reference:
            return Unknown("other_subscription", "Cashfree speaks of another mandate")
        return made

    async def _executed(
        self, reference: str, words: Mapping[str, str]
    ) -> Approved | Declined | Unknown | NothingThere:
        """Return the outcome of one execution of a debit."""
        payment = words["payment"]
        path = f"{_PATH}/payments/{payment}/controlled/executions/{reference}"
        found = await self._seen(CashfreeExecution, path)
        if not isinstance(found, CashfreeExecution):
            return found
        return mandate_rules.execution_outcome(found, payment, words["amount"])

    async def _sent(
        self, method: str, path: str, request: dict[str, Any], key: str
    ) -> CashfreeAnswer | Unknown:
        return await self._orders.client.ask(self._orders.call(method, path, request, key))

    async def _seen(self, kind: type[_Kind], path: str) -> _Kind | NothingThere | Unknown:
        """Return an object; NothingThere where Cashfree says that it has none."""
        answer = await self._orders.client.ask(self._orders.client.look(path))
        if isinstance(answer, Unknown):
            return answer
        found = decoded(answer, kind)
        if found is not None:
            return found
        why = refusal(answer)
        if rules.not_found(answer.status, why):
            return NothingThere()
        doubt = rules.refused(answer.status, why)
        return Unknown(doubt.code, doubt.message)
