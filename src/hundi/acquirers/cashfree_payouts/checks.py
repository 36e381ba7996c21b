"""An operator's checks of an account at Cashfree Payouts (docs/cashfree-payouts.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "credentials",
        "GET /payout/transfers?transfer_id={a reference never used}",
        "404 with code transfer_id_not_found, not 401",
    ),
    AccountCheck(
        "address",
        "the same from an address that is not listed, without public_pem",
        "403; nothing is paid",
    ),
    AccountCheck(
        "signature",
        "the same with public_pem",
        "404 with code transfer_id_not_found",
    ),
    AccountCheck(
        "balance",
        "POST /payout/v1/authorize, GET /payout/v1/getBalance",
        "SUCCESS with availableBalance",
    ),
    AccountCheck(
        "transfer",
        "POST /payout/transfers of ₹1 to an account of yours, by imps",
        "RECEIVED; then SUCCESS with COMPLETED and transfer_utr",
        paid=True,
    ),
    AccountCheck(
        "repeat",
        "POST /payout/transfers of ₹2 with the same transfer_id",
        "refused, 409 or 400 with a code that ends already_exists; one transfer",
    ),
    AccountCheck(
        "shown-account",
        "GET /payout/transfers?transfer_id={that}",
        "beneficiary_details with the whole account number and the IFSC",
    ),
    AccountCheck(
        "wrong-account",
        "POST /payout/transfers to a test account that fails",
        "FAILED or REVERSED, with status_code",
    ),
    AccountCheck(
        "low-balance",
        "POST /payout/transfers of more than the balance",
        "QUEUED or PENDING; or 400, and no such transfer",
    ),
    AccountCheck(
        "approval",
        "POST /payout/transfers where the account has approvals",
        "APPROVAL_PENDING, then PENDING after the approval, or MANUALLY_REJECTED",
        paid=True,
    ),
    AccountCheck(
        "neft",
        "POST /payout/transfers of ₹1 by neft, then inquiries",
        "SENT_TO_BENEFICIARY; whether COMPLETED follows, and when",
        paid=True,
    ),
    AccountCheck(
        "webhook",
        "a transfer with a webhook of version V2",
        "200 at the callback address: signed with the oldest active secret",
    ),
    AccountCheck(
        "check",
        "POST /verification/bank-account/async of an account of yours, twice with one user_id",
        "RECEIVED, then user_id_already_exists; VALID with name_at_bank and name_match_score",
    ),
    AccountCheck(
        "check-webhook",
        "the same, with a webhook of Secure ID",
        "200 at the callback address, or 401 where the signature is in the body",
    ),
    AccountCheck(
        "wrong-secret",
        "GET /payout/transfers with another secret",
        "401 with authentication_error, or 500; nothing is declined",
    ),
    AccountCheck(
        "upi-address",
        "POST /verification/upi of an address of yours, then of one that nobody has",
        "VALID with name_at_bank, then INVALID; note what each costs",
    ),
)
