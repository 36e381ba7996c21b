"""The sandbox connector's mandates."""

from collections.abc import Mapping

from hundi.acquirers.port.answers import Accepted, Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateStanding,
    MandateState,
    MandateTerms,
    NoticeGiven,
)
from hundi.acquirers.sandbox import questions, rules
from hundi.acquirers.sandbox.cards import SandboxCards
from hundi.instruments.methods import BANK_MANDATES, CARD, CARDS, ENACH, UPI, UPI_QR

_STATES = frozenset(MandateState)


class SandboxMandates(SandboxCards):
    """The connector's calls about mandates."""

    takes_card_mandates = takes_bank_mandates = True
    mandate_terms: Mapping[str, MandateTerms] = dict.fromkeys(
        (UPI.code, CARDS.code, BANK_MANDATES.code), MandateTerms()
    )
    mandate_methods = frozenset({UPI_QR.name, CARD.name, ENACH.name})

    async def inquire_mandate(self, mandate: str) -> MandateStanding | NothingThere | Unknown:
        """Return how a mandate stands at the simulated bank."""
        question = self._acquirer.question("/acquirer/mandates/inquire", {"mandate": mandate})
        word = rules.about(mandate, await self._acquirer.ask(question))
        if isinstance(word, Unknown):
            return word
        if word.status == "not_found":
            return NothingThere()
        if word.status not in _STATES:
            return Unknown(word.code, word.message)
        return MandateStanding(MandateState(word.status))

    async def give_notice(self, notice: MandateNotice) -> NoticeGiven | Declined | Unknown:
        """Announce a debit to the customer; a repeat keeps the time of the first notice.

        The bank counts a day by its own clock, which may be ahead of ours.
        """
        request = {
            "reference": notice.reference,
            "mandate": notice.mandate,
            "period_no": notice.period_no,
            "amount_paise": notice.amount.paise,
            "debit_at": notice.debit_at.isoformat(),
        }
        word = await self._moving("/acquirer/mandates/notices", notice.reference, request)
        if isinstance(word, Unknown):
            return word
        answer = rules.acceptance(word)
        if isinstance(answer, Accepted):
            return NoticeGiven(word.name, debit_from=word.debit_from)
        return answer

    async def debit_mandate(self, debit: MandateDebit) -> Approved | Declined | Unknown:
        """Debit the customer; the same reference again moves money once."""
        request = {
            "reference": debit.reference,
            "mandate": debit.mandate,
            "period_no": debit.period_no,
            "notice": debit.notice_name,
            **questions.amount(debit.amount),
        }
        word = await self._waiting("/acquirer/mandates/debits", debit.reference, request)
        return word if isinstance(word, Unknown) else rules.moved_outcome(word, debit.amount)

    async def end_mandate(self, mandate: str) -> Accepted | Declined | Unknown:
        """End a mandate; ending it again changes nothing."""
        word = await self._moving("/acquirer/mandates/end", mandate, {"mandate": mandate})
        return word if isinstance(word, Unknown) else rules.acceptance(word)
