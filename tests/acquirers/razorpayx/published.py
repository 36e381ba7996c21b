"""What RazorpayX published: answers and webhooks, as short as they still say the same.

From github.com/razorpay/markdown-docs, commit ab3bda5; the page is named at each. Many of its
samples are not valid JSON (commas missing or too many): these are read as meant.
"""

from pathlib import Path
from typing import Any

# api/x/payout-composite/create/bank-account.md: the sample answer, processed at once
PROCESSED: dict[str, Any] = {
    "id": "pout_F681qslJ3ba70q",
    "entity": "payout",
    "fund_account_id": "fa_F681qr6Bqy1Je7",
    "amount": 1000000,
    "currency": "INR",
    "fees": 590,
    "tax": 90,
    "status": "processed",
    "purpose": "refund",
    "utr": None,
    "mode": "NEFT",
    "reference_id": "Acme Transaction ID 12345",
    "narration": "Acme Corp Fund Transfer",
    "batch_id": None,
    "status_details": None,
    "created_at": 1592929017,
    "fee_type": "",
    "error": {"description": None, "source": None, "reason": None},
}
# api/x/payout-idempotency/make-request.md
QUEUED = PROCESSED | {
    "id": "pout_00000000000001",
    "fees": 0,
    "tax": 0,
    "status": "queued",
    "mode": "IMPS",
    "created_at": 1545383037,
}
NO_KEY: dict[str, Any] = {
    "error": {
        "code": "BAD_REQUEST_ERROR",
        "description": "Idempotency key is missing. Include idempotency header and key in the "
        "request.",
        "source": "business",
        "step": None,
        "reason": "null",
        "metadata": {},
        "field": "X-Payout-Idempotency",
    }
}
# errors/x/payout-status-details.md
FAILED = QUEUED | {
    "status": "failed",
    "status_details": {
        "description": "IMPS is not enabled on beneficiary account, Retry with different mode",
        "source": "beneficiary_bank",
        "reason": "imps_not_allowed",
    },
}
# errors/x.md: an error whose step is the word null
REFUSED: dict[str, Any] = {
    "error": {
        "code": "BAD_REQUEST_ERROR",
        "description": "The account number field is required",
        "source": "business",
        "step": "null",
        "reason": "input_validation_failed",
        "metadata": {},
        "field": "account_number",
    }
}
# api/x/payouts/cancel.md: the sample of a cancelled payout says failed, and its utr is a word
CANCELLED = QUEUED | {
    "status": "failed",
    "utr": "null",
    "mode": "NEFT",
    "fee_type": "free_payout",
    "status_details": {
        "description": "The NEFT 24*7 limits for your account has been exhausted.",
        "source": "business",
        "reason": "amount_limit_exhausted",
    },
}
# api/x/payouts/fetch-all.md
REVERSED = PROCESSED | {
    "id": "pout_00000000000002",
    "status": "reversed",
    "reference_id": "Acme Transaction ID 123456",
    "debit_account_number": "002281300012999",
    "status_details": CANCELLED["status_details"],
}
# api/x/account-validation/balance-fetch.md: an account of a bank, and RazorpayX Lite
BALANCES: dict[str, Any] = {
    "entity": "collection",
    "count": 2,
    "items": [
        {
            "entity": "banking_balance",
            "currency": "INR",
            "account_number": "002281300049209",
            "account_type": "current_account",
            "bank_name": "Yes Bank",
            "bank_code": "YESB",
            "amount": 10489829,
            "available_amount": 186682638,
            "refreshed_at": 1696419847,
        },
        {
            "entity": "banking_balance",
            "currency": "INR",
            "account_number": "984539953520846",
            "account_type": "razorpayx_lite",
            "bank_name": None,
            "bank": None,
            "amount": 1029,
            "available_amount": 1029,
            "refreshed_at": 1729847660,
        },
    ],
}
# api/x/transactions/fetch-all.md
DEBIT: dict[str, Any] = {
    "id": "txn_00000000000003",
    "entity": "transaction",
    "account_number": "7878780080316316",
    "amount": 1000000,
    "currency": "INR",
    "credit": 0,
    "debit": 1000000,
    "balance": 9000000,
    "source": {
        "id": "pout_00000000000001",
        "entity": "payout",
        "amount": 1000000,
        "fees": 3,
        "tax": 1,
        "status": "processed",
        "utr": "000000000001",
        "mode": "NEFT",
    },
    "created_at": 1545224066,
}
# api/x/composite-account-validation/bank-account.md
CHECKED: dict[str, Any] = {
    "id": "fav_00000000000001",
    "entity": "fund_account.validation",
    "status": "completed",
    "utr": "123456789012",
    "validation_results": {
        "account_status": "active",
        "registered_name": "Gaurav Kumar",
        "details": "The beneficiary account is valid.",
        "name_match_score": 100,
    },
    "status_details": {
        "description": "Validation request is completed",
        "source": "beneficiary_bank",
        "reason": "validation_completed",
    },
    "reference_id": "112233",
}
CHECK_FAILED = CHECKED | {
    "status": "failed",
    "validation_results": {
        "account_status": "",
        "registered_name": "",
        "details": None,
        "name_match_score": None,
    },
    "status_details": {
        "description": "Validation failed due to a temporary technical issue at the partner bank. "
        "Please retry after 30 min.",
        "source": "gateway",
        "reason": "gateway_technical_error",
    },
}
# api/x/account-validation/reverse-penny-drop.md: the score is a text, and no name was given
CHECKED_BY_UPI = CHECKED | {
    "validation_results": {
        "account_status": "active",
        "registered_name": "GAURAV KUMAR",
        "validated_account_type": "Bank_Account",
        "name_match_score": "00",
    }
}


def webhook(event: str, kind: str, entity: dict[str, Any]) -> dict[str, Any]:
    """Return the frame of webhooks/payouts.md around an entity."""
    return {
        "entity": "event",
        "account_id": "acc_BfVUrG6tDiL7H0",
        "event": event,
        "contains": [kind],
        "payload": {kind: {"entity": entity}},
        "created_at": 1580118468,
    }


# webhooks/payouts.md
PAYOUT_REVERSED = webhook(
    "payout.reversed",
    "payout",
    PROCESSED
    | {
        "amount": 212,
        "fees": 9,
        "tax": 2,
        "status": "reversed",
        "utr": "qwer12uijaaasssd",
        "mode": "IMPS",
        "reference_id": None,
        "debit_account_number": "00228130001287",
        "status_details": {
            "description": "Beneficiary bank systems are offline, please retry after 30 min",
            "source": "beneficiary_bank",
            "reason": "beneficiary_bank_offline",
        },
    },
)
# webhooks/account-validation.md: the older form, with all results
CHECK_COMPLETED = webhook(
    "fund_account.validation.completed",
    "fund_account.validation",
    {
        "id": "fav_Fa6RwlxjoX0xeO",
        "entity": "fund_account.validation",
        "status": "completed",
        "amount": 127,
        "currency": "INR",
        "results": CHECKED["validation_results"],
        "created_at": 1599473659,
        "utr": "XXXXR7310682908954385XX",
    },
)
# Page errors/x/payout-status-details.md: each reason with the status that it explains (failed is
# reversed, too) and its source
REASONS = tuple(
    tuple(line.split()) for line in (Path(__file__).parent / "reasons.txt").read_text().splitlines()
)
