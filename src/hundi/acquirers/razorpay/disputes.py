"""Razorpay's disputes: lists, inquiries, answers with documents.

Webhooks only say when to ask.
"""

from datetime import datetime, timedelta

from hundi.acquirers.calls.razorpay_wire import SIGNATURE, signed_by, unusable
from hundi.acquirers.port.answers import Accepted, Declined, NothingThere, Unknown
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    PhaseName,
)
from hundi.acquirers.razorpay import cases, webhooks
from hundi.acquirers.razorpay.api import Account, RazorpayApi
from hundi.acquirers.razorpay.cases import RazorpayDispute

DISPUTE_GAPS_S = (600, 3_600, 14_400, 43_200, 86_400)
DISPUTES_AT_ONCE = 100
LISTED_FOR = timedelta(days=180)
"""How long after it began a decided dispute is still listed.

Razorpay does not say when it was decided.
"""
_OPEN = "open"


class RazorpayDisputes:
    """The connector's calls about disputes."""

    dispute_gaps_s = DISPUTE_GAPS_S
    divides_disputes = True
    _api: RazorpayApi
    _account: Account

    async def disputes(self, since: datetime, after: str = "") -> DisputePage | Unknown:
        """Return a page of the undecided phases and of those that may have changed since a time."""
        skipped = int(after or "0")
        answer = await self._api.disputes(skipped, DISPUTES_AT_ONCE)
        if isinstance(answer, Unknown):
            return answer
        words: list[DisputeWord] = []
        for each in answer.items:
            decided = each.status not in {_OPEN, "under_review"}
            if each.name is None or (
                decided and each.created_at < (since - LISTED_FOR).timestamp()
            ):
                continue
            word = await self._word(each, each.name)
            # A dispute that cannot be used does not delay the others.
            if isinstance(word, DisputeWord):
                words.append(word)
        full = len(answer.items) == DISPUTES_AT_ONCE
        return DisputePage(tuple(words), str(skipped + DISPUTES_AT_ONCE) if full else "")

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        """Return the standing of one phase."""
        dispute = await self._api.dispute(name.case)
        return await self._word(dispute, name) if isinstance(dispute, RazorpayDispute) else dispute

    async def send_evidence(
        self, name: PhaseName, evidence: EvidenceFile
    ) -> Accepted | Declined | Unknown:
        """Upload one document and attach it as a draft; an attached one is not sent again."""
        dispute = await self._api.dispute(name.case)
        if not isinstance(dispute, RazorpayDispute):
            return (
                dispute
                if isinstance(dispute, Unknown)
                else Declined("no_dispute", "There is no such dispute.")
            )
        if any(each.type == evidence.reference for each in dispute.attached):
            return Accepted()
        document = await self._api.upload(cases.upload(evidence))
        if not isinstance(document, cases.Document):
            return document
        attached = cases.AttachedDocuments(evidence.reference, (document.id,))
        after = await self._api.contest(name.case, cases.draft(dispute, attached))
        if isinstance(after, RazorpayDispute):
            stored = any(each.type == evidence.reference for each in after.attached)
            return Accepted() if stored else unusable()
        return after

    async def answer_dispute(self, answer: DisputeAnswer) -> DisputeWord | Declined | Unknown:
        """Accept or contest, and return the standing.

        A dispute that is not open was answered before.
        """
        dispute = await self._api.dispute(answer.name.case)
        if not isinstance(dispute, RazorpayDispute):
            return (
                dispute
                if isinstance(dispute, Unknown)
                else Declined("no_dispute", "There is no such dispute.")
            )
        if dispute.status != _OPEN:
            return self._answered(await self._word(dispute, answer.name))
        if answer.accepted.paise >= dispute.amount:
            after = await self._api.accept(answer.name.case)
        elif not dispute.attached:
            return Declined("no_document", "Razorpay takes no contest without a document.")
        else:
            request = cases.contest(dispute, dispute.amount - answer.accepted.paise, answer.note)
            after = await self._api.contest(answer.name.case, request)
        return (
            self._answered(await self._word(after, answer.name))
            if isinstance(after, RazorpayDispute)
            else after
        )

    def read_dispute(
        self,
        headers: dict[str, str],
        body: bytes,
        *,
        now_s: int,  # noqa: ARG002 (a late webhook is believed: it only makes us ask)
    ) -> tuple[PhaseName, str] | None:
        """Return the dispute phase of an authenticated webhook, or None.

        With our reference of the payment where the webhook has one.
        """
        secrets = tuple(each.encode() for each in self._account.webhook_secrets)
        if not signed_by(secrets, headers.get(SIGNATURE, ""), body):
            return None
        event = webhooks.read_event(body)
        dispute = webhooks.entity(event.payload.get("dispute"), RazorpayDispute) if event else None
        if event is None or dispute is None or dispute.name is None:
            return None
        return dispute.name, next(iter(webhooks.references(event)), "")

    async def _word(
        self, dispute: RazorpayDispute, name: PhaseName
    ) -> DisputeWord | NothingThere | Unknown:
        original = await self._api.reference_of_payment(dispute.payment_id)
        if isinstance(original, Unknown):
            return original
        word = cases.word_of(dispute, name, original)
        return unusable() if word is None else word

    @staticmethod
    def _answered(word: DisputeWord | NothingThere | Unknown) -> DisputeWord | Declined | Unknown:
        if isinstance(word, NothingThere):
            return Declined("no_dispute", "There is no such phase of this dispute.")
        return word
