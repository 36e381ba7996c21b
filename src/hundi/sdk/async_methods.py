"""The operations as methods of the asynchronous client, written by `make clients`."""

from collections.abc import Sequence

from hundi.sdk.async_account_methods import AsyncAccountOperations
from hundi.wire.merchant import banks as banks_operations
from hundi.wire.merchant import links as links_operations
from hundi.wire.merchant import saved_cards as saved_cards_operations
from hundi.wire.merchant import subscriptions as subscriptions_operations
from hundi.wire.merchant import upi_address as upi_address_operations
from hundi.wire.merchant.banks import Bank, BanksRequest
from hundi.wire.merchant.links import LinkName, LinksBefore, NewPaymentLink, PaymentLink
from hundi.wire.merchant.saved_cards import SavedCard, SavedCardName, SavedCardsOf
from hundi.wire.merchant.subscriptions import (
    Subscription,
    SubscriptionChange,
    SubscriptionCharge,
    SubscriptionName,
    SubscriptionsBefore,
)
from hundi.wire.merchant.upi_address import UpiAddress, ValidateVpaRequest


class AsyncOperations(AsyncAccountOperations):
    """What a merchant can ask of the gateway, each operation once."""

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

        Raises TooManyRequestsError: the gateway limits these calls.
        """
        return await self._operation(
            upi_address_operations.VALIDATE, ValidateVpaRequest(address=address)
        )

    async def subscription(self, transaction_id: str = "", *, order_id: str = "") -> Subscription:
        """Show a subscription (docs/spec/payment-interfaces.md#subscription-operations).

        A subscription, by a name of the order that registered it; both names must agree.

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

        The debit is made a day later, after its customer was notified. Never repeated here: after a
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

        New terms of a subscription, by its order, within what the customer approved.

        At least one of them; None keeps a value. debits: the number of debits in all.

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

        A subscription, by a name of the order that registered it; both names must agree.

        Nothing is debited meanwhile, or made up for later. Never repeated here: after a
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

        A subscription, by a name of the order that registered it; both names must agree.

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

        A subscription, by a name of the order that registered it; both names must agree.

        It cannot be resumed. Safe to repeat.
        """
        return await self._operation(
            subscriptions_operations.CANCEL,
            SubscriptionName(transaction_id=transaction_id, order_id=order_id),
        )

    async def saved_cards(self, customer_id: str) -> tuple[SavedCard, ...]:
        """List a customer's saved cards (docs/spec/payment-interfaces.md#saved-cards).

        The customer whose saved cards to list, newest first.

        Safe to repeat.
        """
        return (
            await self._operation(
                saved_cards_operations.LIST, SavedCardsOf(customer_id=customer_id)
            )
        ).cards

    async def delete_saved_card(self, token: str) -> SavedCard:
        """Delete a saved card (docs/spec/payment-interfaces.md#saved-cards).

        The saved card to delete.

        It cannot be used to pay any more. Never repeated here: after a TransportError ask
        `saved_cards`. Raises NotFoundError for a card you do not have.
        """
        return await self._operation(saved_cards_operations.DELETE, SavedCardName(token=token))

    async def create_link(self, new: NewPaymentLink) -> PaymentLink:
        """Make a payment link (docs/spec/payment-interfaces.md#payment-links).

        Safe to repeat: the same reference makes one link.
        """
        return await self._operation(links_operations.CREATE, new)

    async def link(self, link_id: str = "", *, reference: str = "") -> PaymentLink:
        """Show a payment link (docs/spec/payment-interfaces.md#payment-links).

        A payment link, by one of its names; both must agree.

        Safe to repeat.
        """
        return await self._operation(
            links_operations.STATUS, LinkName(link_id=link_id, reference=reference)
        )

    async def links(self, *, before: str = "") -> tuple[PaymentLink, ...]:
        """List payment links (docs/spec/payment-interfaces.md#payment-links).

        Payment links, newest first.

        before: the last link_id that you have, for those that are older.
        """
        return (await self._operation(links_operations.LIST, LinksBefore(before=before))).links

    async def cancel_link(self, link_id: str = "", *, reference: str = "") -> PaymentLink:
        """Cancel a payment link (docs/spec/payment-interfaces.md#payment-links).

        A payment link, by one of its names; both must agree.

        It cannot be opened again. Safe to repeat. Raises StateRefusedError (120) for one that is
        paid.
        """
        return await self._operation(
            links_operations.CANCEL, LinkName(link_id=link_id, reference=reference)
        )
