"""Razorpay's disputes: lists, inquiries, answers with documents.

Webhooks only say when to ask.
"""

from datetime import datetime, timedelta

from hundi.acquirers.port.answers import Accepted, Declined, NothingThere, Unknown
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    PhaseName,
)
from hundi.acquirers.razorpay import cases, webhooks
from hundi.acquirers.razorpay.api import Account, RazorpayApi, unusable
from hundi.acquirers.razorpay.cases import Dispute

DISPUTE_GAPS_S = (600, 3_600, 14_400, 43_200, 86_400)
DISPUTES_AT_ONCE = 100
LISTED_FOR = timedelta(days=180)
"""How long after it began a decided dispute is still listed.

Razorpay does not say when it was decided.
"""
SIGNATURE = "x-razorpay-signature"
_OPEN = "open"


class RazorpayDisputes:
    """The connector's calls about disputes."""

    dispute_gaps_s = DISPUTE_GAPS_S
    _api: RazorpayApi
    _account: Account

    async def disputes(self, since: datetime, after: str = "") -> DisputePage | Unknown:
        """Return a page of the undecided phases and of those that may have changed since a time."""
        skipped = int(after or "0")
        said = await self._api.disputes(skipped, DISPUTES_AT_ONCE)
        if isinstance(said, Unknown):
            return said
        words: list[DisputeWord] = []
        for each in said.items:
            decided = each.status not in {_OPEN, "under_review"}
            if each.name is None or (
                decided and each.created_at < (since - LISTED_FOR).timestamp()
            ):
                continue
            word = await self._word(each, each.name)
            # A dispute that cannot be used does not delay the others.
            if isinstance(word, DisputeWord):
                words.append(word)
        full = len(said.items) == DISPUTES_AT_ONCE
        return DisputePage(tuple(words), str(skipped + DISPUTES_AT_ONCE) if full else "")

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        """Return the standing of one phase."""
        found = await self._api.dispute(name.case)
        return await self._word(found, name) if isinstance(found, Dispute) else found

    async def send_evidence(
        self, name: PhaseName, evidence: EvidenceFile
    ) -> Accepted | Declined | Unknown:
        """Upload one document and attach it as a draft; an attached one is not sent again."""
        found = await self._api.dispute(name.case)
        if not isinstance(found, Dispute):
            return (
                found
                if isinstance(found, Unknown)
                else Declined("no_dispute", "There is no such dispute.")
            )
        if any(each.type == evidence.reference for each in found.attached):
            return Accepted()
        taken = await self._api.upload(cases.upload(evidence))
        if not isinstance(taken, cases.Document):
            return taken
        attached = cases.AttachedDocuments(evidence.reference, (taken.id,))
        after = await self._api.contest(name.case, cases.draft(found, attached))
        if isinstance(after, Dispute):
            kept = any(each.type == evidence.reference for each in after.attached)
            return Accepted() if kept else unusable()
        return after

    async def answer_dispute(self, answer: DisputeAnswer) -> DisputeWord | Declined | Unknown:
        """Accept or contest, and return the standing.

        A dispute that is not open was answered before.
        """
        found = await self._api.dispute(answer.name.case)
        if not isinstance(found, Dispute):
            return (
                found
                if isinstance(found, Unknown)
                else Declined("no_dispute", "There is no such dispute.")
            )
        if found.status != _OPEN:
            return self._answered(await self._word(found, answer.name))
        if answer.accepted.paise >= found.amount:
            after = await self._api.accept(answer.name.case)
        elif not found.attached:
            return Declined("no_document", "Razorpay takes no contest without a document.")
        else:
            asked = cases.contest(found, found.amount - answer.accepted.paise, answer.note)
            after = await self._api.contest(answer.name.case, asked)
        return (
            self._answered(await self._word(after, answer.name))
            if isinstance(after, Dispute)
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
        if not webhooks.holds(secrets, headers.get(SIGNATURE, ""), body):
            return None
        event = webhooks.read_event(body)
        told = webhooks.entity(event.payload.get("dispute"), Dispute) if event else None
        if event is None or told is None or told.name is None:
            return None
        return told.name, next(iter(webhooks.references(event)), "")

    async def _word(self, found: Dispute, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        original = await self._api.reference_of_payment(found.payment_id)
        if isinstance(original, Unknown):
            return original
        word = cases.word_of(found, name, original)
        return unusable() if word is None else word

    @staticmethod
    def _answered(word: DisputeWord | NothingThere | Unknown) -> DisputeWord | Declined | Unknown:
        if isinstance(word, NothingThere):
            return Declined("no_dispute", "There is no such phase of this dispute.")
        return word
