"""The operations as methods of the synchronous client, written by `make clients`."""

from abc import ABC, abstractmethod
from typing import TypeVar

from hundi.wire.merchant import links as links_operations
from hundi.wire.merchant import notifications as notifications_operations
from hundi.wire.merchant import settlements as settlements_operations
from hundi.wire.merchant import terms as terms_operations
from hundi.wire.merchant.links import LinkName, LinksBefore, NewPaymentLink, PaymentLink
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
from hundi.wire.message import Declared
from hundi.wire.operation import Operation

Asked = TypeVar("Asked", bound=Declared)
Told = TypeVar("Told", bound=Declared)


class Operations(ABC):
    """What a merchant can ask of the gateway, each operation once."""

    @abstractmethod
    def _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        """Perform an operation."""

    def create_link(self, new: NewPaymentLink) -> PaymentLink:
        """Make a payment link (docs/spec/payment-interfaces.md#payment-links).

        Safe to repeat: the reference makes it one link.
        """
        return self._operation(links_operations.CREATE, new)

    def link(self, link_id: str = "", *, reference: str = "") -> PaymentLink:
        """Show a payment link (docs/spec/payment-interfaces.md#payment-links).

        Which payment link, by one of its names; both must agree.

        Safe to repeat.
        """
        return self._operation(links_operations.STATUS, LinkName(link_id=link_id, reference=reference))

    def links(self, *, before: str = "") -> tuple[PaymentLink, ...]:
        """List payment links (docs/spec/payment-interfaces.md#payment-links).

        Payment links, newest first. before: the last link_id that you have, for those that are older.
        """
        return self._operation(links_operations.LIST, LinksBefore(before=before)).links

    def cancel_link(self, link_id: str = "", *, reference: str = "") -> PaymentLink:
        """Cancel a payment link (docs/spec/payment-interfaces.md#payment-links).

        Which payment link, by one of its names; both must agree.

        For good; twice is one cancellation. Raises StateRefusedError (120) for one that is paid.
        """
        return self._operation(links_operations.CANCEL, LinkName(link_id=link_id, reference=reference))

    def settlements(self, *, before: str = "") -> tuple[Settlement, ...]:
        """List settlements (docs/spec/payment-interfaces.md#settlement-operations).

        Settlements, newest first. before: the last settlement_id that you have, for those that are older.

        Without their shares. Safe to repeat.
        """
        return self._operation(settlements_operations.LIST, SettlementsBefore(before=before)).settlements

    def settlement(self, settlement_id: str) -> Settlement:
        """Show a settlement (docs/spec/payment-interfaces.md#settlement-operations).

        Which settlement.

        With the shares in which it left. Safe to repeat. Raises NotFoundError for one that is not yours.
        """
        return self._operation(settlements_operations.STATUS, SettlementName(settlement_id=settlement_id))

    def settlement_items(self, settlement_id: str, *, after: str = "") -> SettlementItems:
        """List the items of a settlement (docs/spec/payment-interfaces.md#settlement-operations).

        Which settlement's items, oldest first. after: `next` of the page before.

        Safe to repeat. Raises NotFoundError.
        """
        return self._operation(
            settlements_operations.ITEMS, SettlementItemsAfter(settlement_id=settlement_id, after=after)
        )

    def payouts(self, *, state: str = "", before: str = "") -> tuple[Payout, ...]:
        """List payouts (docs/spec/payment-interfaces.md#settlement-operations).

        Payouts, newest first. before: the last payout_id that you have, for those that are older.

        state: waiting, sent, done, refused, returned, reversed or held_back; "" for all.

        Safe to repeat.
        """
        return self._operation(settlements_operations.PAYOUTS, PayoutsBefore(state=state, before=before)).payouts

    def next_settlement(self) -> NextSettlement:
        """Show the next settlement (docs/spec/payment-interfaces.md#terms-operations).

        What came in during the last minutes may be missing. Safe to repeat.
        """
        return self._operation(terms_operations.NEXT, OwnTerms())

    def price_list(self) -> PriceList:
        """List the prices in force (docs/spec/payment-interfaces.md#terms-operations).

        Safe to repeat.
        """
        return self._operation(terms_operations.PRICES, OwnTerms())

    def bank_accounts(self) -> tuple[BankAccount, ...]:
        """List the accounts that are paid out to (docs/spec/payment-interfaces.md#terms-operations).

        Safe to repeat. Only an operator changes them.
        """
        return self._operation(terms_operations.ACCOUNTS, OwnTerms()).accounts

    def notifications(self, *, after: str = "") -> AnnouncedPage:
        """List what was announced (docs/spec/payment-interfaces.md#notification-operations).

        Notifications, in the order of their events.

        after: `next` of the page before. Without it there are none, and `next` is the place that is now.

        As it is sent. Safe to repeat.
        """
        return self._operation(notifications_operations.LIST, NotificationsAfter(after=after))
