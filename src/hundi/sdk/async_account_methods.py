"""The operations of a merchant's account, as methods of the asynchronous client.

Written by `make clients`.
"""

from abc import ABC, abstractmethod

from hundi.wire.merchant import disputes as disputes_operations
from hundi.wire.merchant import notifications as notifications_operations
from hundi.wire.merchant import settlements as settlements_operations
from hundi.wire.merchant import terms as terms_operations
from hundi.wire.merchant.disputes import (
    Dispute,
    DisputeAcceptance,
    DisputeContest,
    DisputeName,
    DisputesBefore,
    Evidence,
    NewEvidence,
)
from hundi.wire.merchant.notifications import AnnouncedPage, NotificationsAfter
from hundi.wire.merchant.settlements import (
    Payout,
    PayoutsBefore,
    Settlement,
    SettlementItems,
    SettlementItemsAfter,
    SettlementName,
    SettlementsBefore,
)
from hundi.wire.merchant.terms import BankAccount, NextSettlement, OwnTerms, PriceList
from hundi.wire.operation import Asked, Operation, Told


class AsyncAccountOperations(ABC):
    """What a merchant can ask about its own account."""

    @abstractmethod
    async def _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        """Perform an operation."""

    async def settlements(self, *, before: str = "") -> tuple[Settlement, ...]:
        """List settlements (docs/spec/payment-interfaces.md#settlement-operations).

        Settlements, newest first.

        before: the last settlement_id that you have, for those that are older.

        Without their shares. Safe to repeat.
        """
        return (
            await self._operation(settlements_operations.LIST, SettlementsBefore(before=before))
        ).settlements

    async def settlement(self, settlement_id: str) -> Settlement:
        """Show a settlement (docs/spec/payment-interfaces.md#settlement-operations).

        The id of a settlement.

        With the shares in which it was paid out. Safe to repeat. Raises NotFoundError for one that
        is not yours.
        """
        return await self._operation(
            settlements_operations.STATUS, SettlementName(settlement_id=settlement_id)
        )

    async def settlement_items(self, settlement_id: str, *, after: str = "") -> SettlementItems:
        """List the items of a settlement.

        See docs/spec/payment-interfaces.md#settlement-operations.

        A settlement, whose items to list, oldest first. after: `next` of the page before.

        Safe to repeat. Raises NotFoundError.
        """
        return await self._operation(
            settlements_operations.ITEMS,
            SettlementItemsAfter(settlement_id=settlement_id, after=after),
        )

    async def payouts(self, *, state: str = "", before: str = "") -> tuple[Payout, ...]:
        """List payouts (docs/spec/payment-interfaces.md#settlement-operations).

        Payouts, newest first. before: the last payout_id that you have, for those that are older.

        state: waiting, sent, done, refused, returned, reversed or held_back; "" for all.

        Safe to repeat.
        """
        return (
            await self._operation(
                settlements_operations.PAYOUTS, PayoutsBefore(state=state, before=before)
            )
        ).payouts

    async def next_settlement(self) -> NextSettlement:
        """Show the next settlement (docs/spec/payment-interfaces.md#terms-operations).

        Payments of the last minutes may be missing. Safe to repeat.
        """
        return await self._operation(terms_operations.NEXT, OwnTerms())

    async def price_list(self) -> PriceList:
        """List the prices in force (docs/spec/payment-interfaces.md#terms-operations).

        Safe to repeat.
        """
        return await self._operation(terms_operations.PRICES, OwnTerms())

    async def bank_accounts(self) -> tuple[BankAccount, ...]:
        """List the accounts that are paid out to.

        See docs/spec/payment-interfaces.md#terms-operations.

        Safe to repeat. Only an operator changes them.
        """
        return (await self._operation(terms_operations.ACCOUNTS, OwnTerms())).accounts

    async def disputes(self, *, state: str = "", before: str = "") -> tuple[Dispute, ...]:
        """List disputes (docs/spec/payment-interfaces.md#dispute-operations).

        Disputes, newest first.

        state: open, under_review, accepting, expired, won, lost, accepted, partly_accepted or
        closed; "" for all. before: the last dispute_id that you have, for those that are older.

        Without their phases and documents. Safe to repeat.
        """
        return (
            await self._operation(
                disputes_operations.LIST, DisputesBefore(state=state, before=before)
            )
        ).disputes

    async def dispute(self, dispute_id: str) -> Dispute:
        """Show a dispute (docs/spec/payment-interfaces.md#dispute-operations).

        The id of a dispute.

        Safe to repeat. Raises NotFoundError for one that is not yours.
        """
        return await self._operation(disputes_operations.STATUS, DisputeName(dispute_id=dispute_id))

    async def add_evidence(self, dispute_id: str, content: bytes, *, name: str = "") -> Evidence:
        """Add a document to the answer to a dispute.

        See docs/spec/payment-interfaces.md#dispute-operations.

        A document for the answer to a dispute.

        content: a whole PDF, PNG or JPEG of at most 1 MiB.

        The same document is kept once, so it is safe to repeat. Raises RefusedError (124) once it
        is answered or over.
        """
        return await self._operation(
            disputes_operations.EVIDENCE,
            NewEvidence(dispute_id=dispute_id, content=content, name=name),
        )

    async def contest_dispute(self, dispute_id: str, *, note: str = "") -> Dispute:
        """Contest a dispute (docs/spec/payment-interfaces.md#dispute-operations).

        The answer that contests a dispute: it needs a note or a document.

        The bank decides. Safe to repeat: the same answer again changes nothing. Raises RefusedError
        (124) after another answer, or after the deadline; (125) where the acquirer takes this
        answer in its own dashboard alone.
        """
        return await self._operation(
            disputes_operations.CONTEST, DisputeContest(dispute_id=dispute_id, note=note)
        )

    async def accept_dispute(
        self, dispute_id: str, *, amount_paise: int | None = None, note: str = ""
    ) -> Dispute:
        """Accept a dispute, wholly or in part.

        See docs/spec/payment-interfaces.md#dispute-operations.

        The answer that accepts a dispute, or only a part of it.

        amount_paise: what is given up, None for all.

        Repeats and raises as `contest_dispute` does.
        """
        return await self._operation(
            disputes_operations.ACCEPT,
            DisputeAcceptance(dispute_id=dispute_id, amount_paise=amount_paise, note=note),
        )

    async def notifications(self, *, after: str = "") -> AnnouncedPage:
        """List notifications (docs/spec/payment-interfaces.md#notification-operations).

        Notifications, in the order of their events.

        after: `next` of the page before. Without it the list is empty, and `next` is the current
        position.

        Each as it is sent. Safe to repeat.
        """
        return await self._operation(notifications_operations.LIST, NotificationsAfter(after=after))
