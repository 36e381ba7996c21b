"""Every operation of the payment interface, by tag: its address, what it takes and answers with."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from hundi.api.addresses import (
    API,
    GATEWAY,
    GENERATE_ORDER,
    SEAMLESS,
    SPLIT,
)
from hundi.api.description.fields import Tag
from hundi.wire.merchant import (
    banks,
    completions,
    disputes,
    links,
    notifications,
    refunds,
    saved_cards,
    settlements,
    subscriptions,
    terms,
    token,
    upi_address,
    verify,
)
from hundi.wire.merchant.table import operations_of


@dataclass(frozen=True, slots=True)
class SealedOperation:
    """One operation, whose business fields travel encrypted.

    request, data: names of the inner message and of the reply's `data`.
    """

    name: str
    summary: str
    request: str
    data: str
    token: bool = True
    checksum: bool = False
    privatekey: bool = True


def _described(room: ModuleType) -> dict[str, SealedOperation]:
    """Return the operations that a module declares, by their addresses."""
    return {
        each.address: SealedOperation(
            each.identity,
            each.title,
            each.request.__name__,
            each.reply.__name__,
            token="token" in each.proofs,
            checksum="checksum" in each.proofs,
            privatekey="privatekey" in each.proofs,
        )
        for each in operations_of(room)
    }


OPERATIONS: Mapping[Tag, Mapping[str, SealedOperation]] = {
    Tag(
        "Tokens",
        "Each call carries an access token of the merchant's; one serves many calls.",
        "token",
    ): _described(token),
    Tag(
        "Payments",
        "Payments that a merchant's server begins, asks about, captures or gives back.",
        "payment",
    ): {
        **_described(verify),
        **_described(banks),
        **_described(upi_address),
        **_described(completions),
        f"{GATEWAY}{API}/{GENERATE_ORDER[0]}": SealedOperation(
            "generateOrder",
            "Generate UPI QR code",
            "GenerateOrderRequest",
            "QrData",
            privatekey=False,
        ),
        f"{GATEWAY}{API}/{SEAMLESS[0]}": SealedOperation(
            "seamless",
            "Begin a payment from the merchant's server",
            "SeamlessRequest",
            "SeamlessData",
        ),
    },
    Tag("Refunds", "Money that goes back to a customer.", "refund"): _described(refunds),
    Tag("Subscriptions", "Debits that a customer approved once.", "subscriptions"): _described(
        subscriptions
    ),
    Tag(
        "Saved cards", "Cards that a customer let the gateway keep as tokens.", "saved-cards"
    ): _described(saved_cards),
    Tag("Payment links", "Addresses at which an amount can be paid.", "payment-links"): _described(
        links
    ),
    Tag("Settlements", "What the merchant is owed, and what was paid out.", "merchant-money"): {
        **_described(settlements),
        **_described(terms),
    },
    Tag("Split settlement", "Shares of a payment that linked accounts get.", "split"): {
        f"{GATEWAY}{SPLIT}": SealedOperation(
            "split", "Configure split settlement", "SplitRequest", "SplitData", token=False
        ),
    },
    Tag("Disputes", "Payments that a customer's bank asks back.", "disputes"): _described(disputes),
    Tag("Notifications", "What was announced to the merchant's server.", "callbacks"): _described(
        notifications
    ),
}
"""The operations of each tag, by their addresses."""
