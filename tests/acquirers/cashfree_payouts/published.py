"""What Cashfree published of payouts and account checks, as short as it still says the same.

The source is named at each: "openapi" is src/openapi/openapi-PO.json of
github.com/cashfree/cashfree-mcp at 04a6278; "skill" is Cashfree's agent skill, version 0.2.4;
pages are of cashfree.com/docs.
"""

from typing import Any

# Of openapi, transfer_received_response_v2
RECEIVED: dict[str, Any] = {
    "transfer_id": "JUNOB2018",
    "cf_transfer_id": "123456",
    "status": "RECEIVED",
    "status_code": "RECEIVED",
    "beneficiary_details": {"beneficiary_id": "JOHN18011"},
    "transfer_amount": 1,
    "transfer_mode": "BANK",
    "fundsource_id": "CASHFREE_1",
    "added_on": "2021-11-24T13:39:25Z",
    "updated_on": "2021-11-24T13:40:27Z",
}
# Of openapi, transfer_pending_approval_response_v2
APPROVAL_PENDING = RECEIVED | {"status": "APPROVAL_PENDING", "status_code": "APPROVAL_PENDING"}
# Of openapi, transfer_completed_response_v2
COMPLETED = RECEIVED | {
    "status": "SUCCESS",
    "status_code": "COMPLETED",
    "beneficiary_details": {
        "beneficiary_id": "JOHN18011",
        "beneficiary_instrument_details": {
            "bank_account_number": "7766671501729",
            "bank_ifsc": "SBIN0000003",
        },
    },
    "transfer_service_charge": 1,
    "transfer_service_tax": 0.18,
    "transfer_utr": "TESTR92023012200543116",
}
# Of openapi, transfer_pending_response_v2: a UTR, and no certainty
PENDING = COMPLETED | {"status": "PENDING", "status_code": "PENDING"}
# Of openapi, transfer_failed_response_v2 and those of rejected and reversed
FAILED = RECEIVED | {"status": "FAILED", "status_code": "IMPS_MODE_FAIL"}
REJECTED = RECEIVED | {"status": "REJECTED", "status_code": "INVALID_MODE_FOR_PYID"}
REVERSED = RECEIVED | {"status": "REVERSED", "status_code": "INVALID_ACCOUNT_FAIL"}
# Of openapi, transfer_id_not_found, authentication_internal_server_error
NOT_FOUND = {
    "type": "invalid_request_error",
    "code": "transfer_id_not_found",
    "message": "transfer_id does not exist",
}
NOT_AUTHENTICATED = {
    "type": "authentication_error",
    "code": "internal_server_error",
    "message": "Unable to authenticate the request.",
}
# docs/api-reference/payouts/v1/get-balance
BALANCE = {
    "status": "SUCCESS",
    "subCode": "200",
    "message": "Ledger balance for the account",
    "data": {"balance": "214735.50", "availableBalance": "173980.50"},
}
# skill, payouts, section 7
ACKNOWLEDGED = {
    "data": COMPLETED,
    "event_time": "2024-07-25T17:43:37",
    "type": "TRANSFER_ACKNOWLEDGED",
}
SENT = {
    "data": {
        "transfer_id": "JUNOB2018",
        "cf_transfer_id": "123456",
        "status": "SUCCESS",
        "status_code": "SENT_TO_BENEFICIARY",
        "beneficiary_details": {"beneficiary_id": "JOHN18011"},
        "transfer_amount": 1,
        "transfer_mode": "BANK",
        "transfer_utr": "TESTR92023012200543116",
    },
    "event_time": "2024-07-25T17:43:37",
    "type": "TRANSFER_SUCCESS",
}
# likewise: no cf_transfer_id
TOLD_REVERSED = {
    "data": {
        "transfer_id": "JUNOB2018",
        "status": "REVERSED",
        "status_code": "INVALID_ACCOUNT_FAIL",
        "transfer_amount": 1,
        "transfer_mode": "BANK",
    },
    "event_time": "2024-07-25T17:43:37",
    "type": "TRANSFER_REVERSED",
}
# likewise: no transfer_id
BATCH_REJECTED = {
    "data": {
        "batch_transfer_id": "test_batch_transfer_id",
        "cf_batch_transfer_id": "123456",
        "status": "REJECTED",
    },
    "event_time": "2024-07-25T17:43:37",
    "type": "BULK_TRANSFER_REJECTED",
}
# docs/api-reference/vrs/v2/bav-v2/webhooks-bank-account-verification
VALID: dict[str, Any] = {
    "signature": "signature",
    "event_type": "BANK_ACCOUNT_VERIFICATION_SUCCESS",
    "event_time": "2023-07-19 10:46:16",
    "version": "v2",
    "data": {
        "reference_id": 1294785793,
        "user_id": "123123",
        "name_at_bank": "John Doe",
        "amount_deposited": "1.04",
        "bank_name": "YES BANK",
        "utr": "404223241811",
        "name_match_score": "90.00",
        "name_match_result": "GOOD_PARTIAL_MATCH",
        "account_status": "VALID",
        "account_status_code": "ACCOUNT_IS_VALID",
    },
}
# skill, secure id, section 6: no name, and nothing is known of the account
CHECK_REJECTED: dict[str, Any] = VALID | {
    "event_type": "BANK_ACCOUNT_VERIFICATION_REJECTED",
    "data": {
        "reference_id": 1294785793,
        "user_id": "123123",
        "account_status": "REJECTED",
        "account_status_code": "INSUFFICIENT_BALANCE",
    },
}
