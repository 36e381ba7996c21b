"""Every operation of the payment interface, by tag: its address, what it takes and answers with."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from hundi.api.addresses import (
    API,
    BANK_ACCOUNT_LIST,
    DELETE_SAVED_CARD,
    DISPUTE_ACCEPT,
    DISPUTE_CONTEST,
    DISPUTE_EVIDENCE,
    DISPUTE_LIST,
    DISPUTE_STATUS,
    FEES,
    GATEWAY,
    GENERATE_ORDER,
    NOTIFICATION_LIST,
    PAYOUT_LIST,
    SAVED_CARDS,
    SEAMLESS,
    SETTLEMENT_ITEMS,
    SETTLEMENT_LIST,
    SETTLEMENT_NEXT,
    SETTLEMENT_STATUS,
    SPLIT,
    SUBSCRIPTION_CANCEL,
    SUBSCRIPTION_CHANGE,
    SUBSCRIPTION_CHARGE,
    SUBSCRIPTION_LIST,
    SUBSCRIPTION_PAUSE,
    SUBSCRIPTION_RESUME,
    SUBSCRIPTION_STATUS,
)
from hundi.api.description.fields import Tag
from hundi.wire.merchant import banks, completions, links, refunds, token, upi_address, verify
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
    Tag("Tokens", "Each call carries an access token of the merchant's; one serves many calls.", "token"): _described(
        token
    ),
    Tag("Payments", "Payments that a merchant's server begins, asks about, captures or gives back.", "payment"): {
        **_described(verify),
        **_described(banks),
        **_described(upi_address),
        **_described(completions),
        f"{GATEWAY}{API}/{GENERATE_ORDER[0]}": SealedOperation(
            "generateOrder", "Generate UPI QR code", "GenerateOrderRequest", "QrData", privatekey=False
        ),
        f"{GATEWAY}{API}/{SEAMLESS[0]}": SealedOperation(
            "seamless", "Begin a payment from the merchant's server", "SeamlessRequest", "SeamlessData"
        ),
    },
    Tag("Refunds", "Money that goes back to a customer.", "refund"): _described(refunds),
    Tag("Subscriptions", "Debits that a customer approved once.", "subscriptions"): {
        f"{GATEWAY}{API}/{SUBSCRIPTION_STATUS[0]}": SealedOperation(
            "subscriptionStatus", "Show a subscription", "SubscriptionRequest", "SubscriptionData"
        ),
        f"{GATEWAY}{API}/{SUBSCRIPTION_LIST[0]}": SealedOperation(
            "listSubscriptions", "List subscriptions", "ListSubscriptionsRequest", "SubscriptionsData"
        ),
        f"{GATEWAY}{API}/{SUBSCRIPTION_CHARGE[0]}": SealedOperation(
            "chargeSubscription", "Announce the next debit now", "ChargeSubscriptionRequest", "SubscriptionData"
        ),
        f"{GATEWAY}{API}/{SUBSCRIPTION_CHANGE[0]}": SealedOperation(
            "changeSubscription", "Change a subscription", "ChangeSubscriptionRequest", "SubscriptionData"
        ),
        f"{GATEWAY}{API}/{SUBSCRIPTION_PAUSE[0]}": SealedOperation(
            "pauseSubscription", "Pause a subscription", "SubscriptionRequest", "SubscriptionData"
        ),
        f"{GATEWAY}{API}/{SUBSCRIPTION_RESUME[0]}": SealedOperation(
            "resumeSubscription", "Resume a subscription", "SubscriptionRequest", "SubscriptionData"
        ),
        f"{GATEWAY}{API}/{SUBSCRIPTION_CANCEL[0]}": SealedOperation(
            "cancelSubscription", "Cancel a subscription", "SubscriptionRequest", "SubscriptionData"
        ),
    },
    Tag("Saved cards", "Cards that a customer let the gateway keep as tokens.", "saved-cards"): {
        f"{GATEWAY}{API}/{SAVED_CARDS[0]}": SealedOperation(
            "listSavedCards", "List a customer's saved cards", "ListSavedCardsRequest", "SavedCardsData"
        ),
        f"{GATEWAY}{API}/{DELETE_SAVED_CARD[0]}": SealedOperation(
            "deleteSavedCard", "Delete a saved card", "DeleteSavedCardRequest", "SavedCardData"
        ),
    },
    Tag("Payment links", "Addresses at which an amount can be paid.", "payment-links"): _described(links),
    Tag("Settlements", "What the merchant is owed, and what was paid out.", "merchant-money"): {
        f"{GATEWAY}{API}/{SETTLEMENT_LIST[0]}": SealedOperation(
            "listSettlements", "List settlements", "ListSettlementsRequest", "SettlementsData"
        ),
        f"{GATEWAY}{API}/{SETTLEMENT_STATUS[0]}": SealedOperation(
            "settlementStatus", "Show a settlement", "SettlementRequest", "SettlementData"
        ),
        f"{GATEWAY}{API}/{SETTLEMENT_ITEMS[0]}": SealedOperation(
            "settlementItems", "List the items of a settlement", "SettlementItemsRequest", "SettlementItemsData"
        ),
        f"{GATEWAY}{API}/{SETTLEMENT_NEXT[0]}": SealedOperation(
            "nextSettlement", "Show the next settlement", "OwnTermsRequest", "NextSettlementData"
        ),
        f"{GATEWAY}{API}/{PAYOUT_LIST[0]}": SealedOperation(
            "listPayouts", "List payouts", "ListPayoutsRequest", "PayoutsData"
        ),
        f"{GATEWAY}{API}/{FEES[0]}": SealedOperation(
            "priceList", "List the prices in force", "OwnTermsRequest", "PriceListData"
        ),
        f"{GATEWAY}{API}/{BANK_ACCOUNT_LIST[0]}": SealedOperation(
            "listBankAccounts", "List the accounts that are paid out to", "OwnTermsRequest", "BankAccountsData"
        ),
    },
    Tag("Split settlement", "Shares of a payment that linked accounts get.", "split"): {
        f"{GATEWAY}{SPLIT}": SealedOperation(
            "split", "Configure split settlement", "SplitRequest", "SplitData", token=False
        ),
    },
    Tag("Disputes", "Payments that a customer's bank asks back.", "disputes"): {
        f"{GATEWAY}{API}/{DISPUTE_LIST[0]}": SealedOperation(
            "listDisputes", "List disputes", "ListDisputesRequest", "DisputesData"
        ),
        f"{GATEWAY}{API}/{DISPUTE_STATUS[0]}": SealedOperation(
            "disputeStatus", "Show a dispute", "DisputeRequest", "DisputeData"
        ),
        f"{GATEWAY}{API}/{DISPUTE_EVIDENCE[0]}": SealedOperation(
            "addEvidence", "Add a document to the answer to a dispute", "EvidenceRequest", "EvidenceData"
        ),
        f"{GATEWAY}{API}/{DISPUTE_CONTEST[0]}": SealedOperation(
            "contestDispute", "Contest a dispute", "ContestDisputeRequest", "DisputeData"
        ),
        f"{GATEWAY}{API}/{DISPUTE_ACCEPT[0]}": SealedOperation(
            "acceptDispute", "Accept a dispute, wholly or in part", "AcceptDisputeRequest", "DisputeData"
        ),
    },
    Tag("Notifications", "What was announced to the merchant's server.", "callbacks"): {
        f"{GATEWAY}{API}/{NOTIFICATION_LIST[0]}": SealedOperation(
            "listNotifications", "List what was announced", "ListNotificationsRequest", "NotificationsData"
        ),
    },
}
"""The operations of each tag, by their addresses."""
