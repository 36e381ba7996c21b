"""The operations as methods of the asynchronous client, written by `make clients`."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from hundi.wire.merchant import banks as banks_operations
from hundi.wire.merchant import disputes as disputes_operations
from hundi.wire.merchant import links as links_operations
from hundi.wire.merchant import notifications as notifications_operations
from hundi.wire.merchant import saved_cards as saved_cards_operations
from hundi.wire.merchant import settlements as settlements_operations
from hundi.wire.merchant import subscriptions as subscriptions_operations
from hundi.wire.merchant import terms as terms_operations
from hundi.wire.merchant import upi_address as upi_address_operations
from hundi.wire.merchant.banks import Bank, BanksRequest
from hundi.wire.merchant.disputes import (
    Dispute,
    DisputeAcceptance,
    DisputeContest,
    DisputeName,
    DisputesBefore,
    Evidence,
    NewEvidence,
)
from hundi.wire.merchant.links import LinkName, LinksBefore, NewPaymentLink, PaymentLink
from hundi.wire.merchant.notifications import AnnouncedPage, NotificationsAfter
from hundi.wire.merchant.saved_cards import SavedCard, SavedCardName, SavedCardsOf
from hundi.wire.merchant.settlements import (
    Payout,
    PayoutsBefore,
    Settlement,
    SettlementItems,
    SettlementItemsAfter,
    SettlementName,
    SettlementsBefore,
)
from hundi.wire.merchant.subscriptions import (
    Subscription,
    SubscriptionChange,
    SubscriptionCharge,
    SubscriptionName,
    SubscriptionsBefore,
)
from hundi.wire.merchant.terms import BankAccount, NextSettlement, OwnTerms, PriceList
from hundi.wire.merchant.upi_address import UpiAddress, ValidateVpaRequest
from hundi.wire.operation import Asked, Operation, Told


class AsyncOperations(ABC):
    """What a merchant can ask of the gateway, each operation once."""

    @abstractmethod
    async def _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        """Perform an operation."""

    async def banks(self, channels: Sequence[str] = ()) -> tuple[Bank, ...]:
        """Get bank list (docs/spec/payment-interfaces.md#banks).

        Which banks to list. channels: codes of `chmod`, such as `nb`; empty for all.

        Safe to repeat.
        """
        return (
            await self._operation(banks_operations.BANKS, BanksRequest(channels=channels))
        ).banks

    async def validate_vpa(self, address: str) -> UpiAddress:
        """Validate UPI address (docs/spec/payment-interfaces.md#validatevpa).

        A UPI address to look up.

        Raises TooManyRequestsError: the gateway answers only so many of these.
        """
        return await self._operation(
            upi_address_operations.VALIDATE, ValidateVpaRequest(address=address)
        )

    async def subscription(self, transaction_id: str = "", *, order_id: str = "") -> Subscription:
        """Show a subscription (docs/spec/payment-interfaces.md#subscription-operations).

        A subscription, by the order that registered it: one of its names; both must agree.

        Safe to repeat.
        """
        return await self._operation(
            subscriptions_operations.STATUS,
            SubscriptionName(transaction_id=transaction_id, order_id=order_id),
        )

    async def subscriptions(self, *, state: str = "", before: str = "") -> tuple[Subscription, ...]:
        """List subscriptions (docs/spec/payment-interfaces.md#subscription-operations).

        Subscriptions, newest first.

        state: created, active, paused, cancelled, completed or failed; "" for all. before: the last
        transaction_id that you have, for those that are older.

        Without their debits. Safe to repeat.
        """
        return (
            await self._operation(
                subscriptions_operations.LIST, SubscriptionsBefore(state=state, before=before)
            )
        ).subscriptions

    async def charge_subscription(
        self, transaction_id: str = "", *, order_id: str = "", amount_paise: int | None = None
    ) -> Subscription:
        """Announce the next debit now (docs/spec/payment-interfaces.md#subscription-operations).

        A subscription, by the order that registered it, whose next debit is announced now.

        amount_paise: None for the usual amount; never above what the customer approved.

        The debit is made a day later, when its customer has been told. Never repeated here: after a
        TransportError ask `subscription`. Raises StateRefusedError (120) while another debit is
        announced.
        """
        return await self._operation(
            subscriptions_operations.CHARGE,
            SubscriptionCharge(
                transaction_id=transaction_id, order_id=order_id, amount_paise=amount_paise
            ),
        )

    async def change_subscription(
        self,
        transaction_id: str = "",
        *,
        order_id: str = "",
        amount_paise: int | None = None,
        debits: int | None = None,
        retries: int | None = None,
    ) -> Subscription:
        """Change a subscription (docs/spec/payment-interfaces.md#subscription-operations).

        A subscription, by the order that registered it, with new terms within what its customer
        approved.

        At least one of them; None keeps a value. debits: how many there are in all.

        Safe to repeat.
        """
        return await self._operation(
            subscriptions_operations.CHANGE,
            SubscriptionChange(
                transaction_id=transaction_id,
                order_id=order_id,
                amount_paise=amount_paise,
                debits=debits,
                retries=retries,
            ),
        )

    async def pause_subscription(
        self, transaction_id: str = "", *, order_id: str = ""
    ) -> Subscription:
        """Pause a subscription (docs/spec/payment-interfaces.md#subscription-operations).

        A subscription, by the order that registered it: one of its names; both must agree.

        Nothing is debited, and nothing made up for later. Never repeated here: after a
        TransportError ask `subscription`. Raises StateRefusedError (120) unless active.
        """
        return await self._operation(
            subscriptions_operations.PAUSE,
            SubscriptionName(transaction_id=transaction_id, order_id=order_id),
        )

    async def resume_subscription(
        self, transaction_id: str = "", *, order_id: str = ""
    ) -> Subscription:
        """Resume a subscription (docs/spec/payment-interfaces.md#subscription-operations).

        A subscription, by the order that registered it: one of its names; both must agree.

        Never repeated here; raises what `pause_subscription` raises.
        """
        return await self._operation(
            subscriptions_operations.RESUME,
            SubscriptionName(transaction_id=transaction_id, order_id=order_id),
        )

    async def cancel_subscription(
        self, transaction_id: str = "", *, order_id: str = ""
    ) -> Subscription:
        """Cancel a subscription (docs/spec/payment-interfaces.md#subscription-operations).

        A subscription, by the order that registered it: one of its names; both must agree.

        For good. Safe to repeat.
        """
        return await self._operation(
            subscriptions_operations.CANCEL,
            SubscriptionName(transaction_id=transaction_id, order_id=order_id),
        )

    async def saved_cards(self, customer_id: str) -> tuple[SavedCard, ...]:
        """List a customer's saved cards (docs/spec/payment-interfaces.md#saved-cards).

        Whose saved cards to list, newest first.

        Safe to repeat.
        """
        return (
            await self._operation(
                saved_cards_operations.LIST, SavedCardsOf(customer_id=customer_id)
            )
        ).cards

    async def delete_saved_card(self, token: str) -> SavedCard:
        """Delete a saved card (docs/spec/payment-interfaces.md#saved-cards).

        Which saved card to delete.

        Nobody pays with it any more. Never repeated here: after a TransportError ask `saved_cards`.
        Raises NotFoundError for a card you do not have.
        """
        return await self._operation(saved_cards_operations.DELETE, SavedCardName(token=token))

    async def create_link(self, new: NewPaymentLink) -> PaymentLink:
        """Make a payment link (docs/spec/payment-interfaces.md#payment-links).

        Safe to repeat: the reference makes it one link.
        """
        return await self._operation(links_operations.CREATE, new)

    async def link(self, link_id: str = "", *, reference: str = "") -> PaymentLink:
        """Show a payment link (docs/spec/payment-interfaces.md#payment-links).

        Which payment link, by one of its names; both must agree.

        Safe to repeat.
        """
        return await self._operation(
            links_operations.STATUS, LinkName(link_id=link_id, reference=reference)
        )

    async def links(self, *, before: str = "") -> tuple[PaymentLink, ...]:
        """List payment links (docs/spec/payment-interfaces.md#payment-links).

        Payment links, newest first. before: the last link_id that you have, for those that are
        older.
        """
        return (await self._operation(links_operations.LIST, LinksBefore(before=before))).links

    async def cancel_link(self, link_id: str = "", *, reference: str = "") -> PaymentLink:
        """Cancel a payment link (docs/spec/payment-interfaces.md#payment-links).

        Which payment link, by one of its names; both must agree.

        For good; twice is one cancellation. Raises StateRefusedError (120) for one that is paid.
        """
        return await self._operation(
            links_operations.CANCEL, LinkName(link_id=link_id, reference=reference)
        )

    async def settlements(self, *, before: str = "") -> tuple[Settlement, ...]:
        """List settlements (docs/spec/payment-interfaces.md#settlement-operations).

        Settlements, newest first. before: the last settlement_id that you have, for those that are
        older.

        Without their shares. Safe to repeat.
        """
        return (
            await self._operation(settlements_operations.LIST, SettlementsBefore(before=before))
        ).settlements

    async def settlement(self, settlement_id: str) -> Settlement:
        """Show a settlement (docs/spec/payment-interfaces.md#settlement-operations).

        Which settlement.

        With the shares in which it left. Safe to repeat. Raises NotFoundError for one that is not
        yours.
        """
        return await self._operation(
            settlements_operations.STATUS, SettlementName(settlement_id=settlement_id)
        )

    async def settlement_items(self, settlement_id: str, *, after: str = "") -> SettlementItems:
        """List the items of a settlement (docs/spec/payment-interfaces.md#settlement-operations).

        Which settlement's items, oldest first. after: `next` of the page before.

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

        What came in during the last minutes may be missing. Safe to repeat.
        """
        return await self._operation(terms_operations.NEXT, OwnTerms())

    async def price_list(self) -> PriceList:
        """List the prices in force (docs/spec/payment-interfaces.md#terms-operations).

        Safe to repeat.
        """
        return await self._operation(terms_operations.PRICES, OwnTerms())

    async def bank_accounts(self) -> tuple[BankAccount, ...]:
        """List the accounts that are paid out to
        (docs/spec/payment-interfaces.md#terms-operations).

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

        Which dispute.

        Safe to repeat. Raises NotFoundError for one that is not yours.
        """
        return await self._operation(disputes_operations.STATUS, DisputeName(dispute_id=dispute_id))

    async def add_evidence(self, dispute_id: str, content: bytes, *, name: str = "") -> Evidence:
        """Add a document to the answer to a dispute
        (docs/spec/payment-interfaces.md#dispute-operations).

        A document for the answer to a dispute. content: a whole PDF, PNG or JPEG of at most 1 MiB.

        The same one is kept once, so it is safe to repeat. Raises RefusedError (124) once it is
        answered or over.
        """
        return await self._operation(
            disputes_operations.EVIDENCE,
            NewEvidence(dispute_id=dispute_id, content=content, name=name),
        )

    async def contest_dispute(self, dispute_id: str, *, note: str = "") -> Dispute:
        """Contest a dispute (docs/spec/payment-interfaces.md#dispute-operations).

        The answer that contests a dispute: it needs a note or a document.

        The bank decides. Safe to repeat: the same answer again changes nothing. Raises RefusedError
        (124) after another answer, or after the deadline.
        """
        return await self._operation(
            disputes_operations.CONTEST, DisputeContest(dispute_id=dispute_id, note=note)
        )

    async def accept_dispute(
        self, dispute_id: str, *, amount_paise: int | None = None, note: str = ""
    ) -> Dispute:
        """Accept a dispute, wholly or in part (docs/spec/payment-interfaces.md#dispute-operations).

        The answer that accepts a dispute, or only a part of it.

        amount_paise: what is given up, None for all.

        Repeats and raises as `contest_dispute` does.
        """
        return await self._operation(
            disputes_operations.ACCEPT,
            DisputeAcceptance(dispute_id=dispute_id, amount_paise=amount_paise, note=note),
        )

    async def notifications(self, *, after: str = "") -> AnnouncedPage:
        """List what was announced (docs/spec/payment-interfaces.md#notification-operations).

        Notifications, in the order of their events.

        after: `next` of the page before. Without it there are none, and `next` is the place that is
        now.

        As it is sent. Safe to repeat.
        """
        return await self._operation(notifications_operations.LIST, NotificationsAfter(after=after))
