"""An operator's checks of an account at RazorpayX before money leaves (docs/razorpayx.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "credentials",
        "GET /payouts?account_number={ours}&reference_id={never used}",
        "200 with no items, not 401",
    ),
    AccountCheck(
        "address",
        "the same from an address that is not listed, with live keys",
        "400, Transactions from this IP are not allowed",
    ),
    AccountCheck(
        "balance",
        "GET /banking_balances",
        "200 with our account number and available_amount",
    ),
    AccountCheck(
        "payout",
        "POST /payouts of ₹1 to an account of yours, twice with one X-Payout-Idempotency",
        "one payout, with our reference_id; processed with a utr",
        paid=True,
    ),
    AccountCheck(
        "other-order",
        "POST /payouts of ₹2 under the same key",
        "400, Different request body sent for the same Idempotency Header",
    ),
    AccountCheck(
        "by-reference",
        "GET /payouts?account_number={ours}&reference_id={the payout's}",
        "one item, with this reference_id",
    ),
    AccountCheck(
        "wrong-account",
        "POST /payouts of ₹1 to an account that does not exist",
        "failed or reversed, with status_details.reason",
    ),
    AccountCheck(
        "wrong-ifsc",
        "POST /payouts with an IFSC that does not exist",
        "400, and no such payout in the list",
    ),
    AccountCheck(
        "low-balance",
        "POST /payouts of more than the balance",
        "queued with low_balance; with queues false 400 or failed",
    ),
    AccountCheck(
        "approval",
        "POST /payouts where the account has an approval workflow",
        "pending, then processing after the approval, or rejected",
        paid=True,
    ),
    AccountCheck(
        "large",
        "POST /payouts of more than ₹5 lakh by RTGS within its hours",
        "processed with a utr",
        paid=True,
    ),
    AccountCheck(
        "webhook",
        "a payout with webhooks on, and a secret for them",
        "200 at the callback address for payout.processed and payout.updated",
    ),
    AccountCheck(
        "validation",
        "POST /fund_accounts/validations of an account of yours, where the account has them",
        "completed, active, registered_name and name_match_score",
    ),
    AccountCheck(
        "validation-listed",
        "GET /fund_accounts/validations?account_number={the one that pays}&from={then}",
        "the check, with our reference_id",
    ),
    AccountCheck(
        "wrong-secret", "GET /banking_balances with another secret", "401; nothing is declined"
    ),
)
