"""Turn refusals into response codes and sentences, and results into envelopes."""

from collections.abc import Mapping

from hundi.infra.postgres.looks import NodeLostError
from hundi.kernel.masking import masked, masked_json
from hundi.kernel.refusals import Cure, Refusal, RefusalCode, Refused
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError

NODE_RETRY_S = 5
"""Seconds until a merchant whose node is lost may ask again: each try costs one refused query."""
CODE_OF: Mapping[RefusalCode, Code] = {
    RefusalCode.ENVELOPE_UNREADABLE: Code.ENVELOPE_UNREADABLE,
    RefusalCode.ENCDATA_UNREADABLE: Code.ENCDATA_UNREADABLE,
    RefusalCode.CHECKSUM_WRONG: Code.CHECKSUM_WRONG,
    RefusalCode.TOKEN_UNKNOWN: Code.TOKEN_UNKNOWN,
    RefusalCode.TOKEN_EXPIRED: Code.TOKEN_EXPIRED,
    RefusalCode.SENDER_UNPROVEN: Code.TOKEN_MISUSED,
    RefusalCode.TOKEN_NOT_FOR_PAGE: Code.TOKEN_MISUSED,
    RefusalCode.PRIVATEKEY_WRONG: Code.MERCHANT_KEY_WRONG,
    RefusalCode.KEY_OUT_OF_SCOPE: Code.MERCHANT_KEY_WRONG,
    RefusalCode.FIELD_INVALID: Code.FIELD_INVALID,
    RefusalCode.ORDER_CONTENT_DIFFERS: Code.ORDER_CONTENT_DIFFERS,
    RefusalCode.ORDER_ALREADY_PAID: Code.ORDER_ALREADY_PAID,
    RefusalCode.CHANNEL_NOT_ENABLED: Code.NOT_ENABLED,
    RefusalCode.NO_CHANNEL_SERVED: Code.NOT_ENABLED,
    RefusalCode.STATE_FORBIDS: Code.STATE_FORBIDS,
    RefusalCode.REFUND_EXISTS: Code.STATE_FORBIDS,
    RefusalCode.MORE_THAN_REMAINS: Code.MORE_THAN_REMAINS,
    RefusalCode.UNDER_DISPUTE: Code.UNDER_DISPUTE,
    RefusalCode.DISPUTE_OVER: Code.DISPUTE_OVER,
    RefusalCode.DISPUTE_ELSEWHERE: Code.DISPUTE_ELSEWHERE,
    RefusalCode.REQUEST_ID_REUSED: Code.REQUEST_ID_REUSED,
    RefusalCode.SANDBOX_MERCHANT: Code.SANDBOX_MERCHANT,
    RefusalCode.MERCHANT_SUSPENDED: Code.MERCHANT_SUSPENDED,
    RefusalCode.BODY_TOO_LARGE: Code.BODY_TOO_LARGE,
    RefusalCode.TOO_MANY_REQUESTS: Code.TOO_MANY_REQUESTS,
    RefusalCode.MERCHANT_UNKNOWN: Code.MERCHANT_UNKNOWN,
    RefusalCode.NO_RECORDS: Code.NO_RECORDS,
    RefusalCode.CREDENTIALS_WRONG: Code.CREDENTIALS_WRONG,
    RefusalCode.DOMAIN_NOT_REGISTERED: Code.DOMAIN_NOT_REGISTERED,
    RefusalCode.BANK_REFUSED: Code.STATE_FORBIDS,
    RefusalCode.BANK_UNREACHABLE: Code.OURS,
    RefusalCode.RISK_BLOCKED: Code.RISK_BLOCKED,
    RefusalCode.PARTNER_UNPROVEN: Code.PARTNER_UNPROVEN,
    RefusalCode.PARTNER_SUSPENDED: Code.PARTNER_SUSPENDED,
    RefusalCode.INTERFACE_NOT_ENABLED: Code.INTERFACE_NOT_ENABLED,
    RefusalCode.OTP_WRONG: Code.OTP_WRONG,
    RefusalCode.OTP_OVER: Code.OTP_OVER,
    RefusalCode.NAME_DIFFERS: Code.NAME_DIFFERS,
    RefusalCode.LEAD_EXISTS: Code.LEAD_EXISTS,
    RefusalCode.LEAD_CLOSED: Code.LEAD_CLOSED,
    RefusalCode.ADDRESS_NOT_LISTED: Code.ADDRESS_NOT_LISTED,
    RefusalCode.PROVIDER_SILENT: Code.PROVIDER_SILENT,
    RefusalCode.HOME_UNREACHABLE: Code.HOME_UNREACHABLE,
    RefusalCode.OURS: Code.OURS,
}
"""The code of every refusal: a test checks that none is missing."""


_WORDS: Mapping[RefusalCode, str] = {
    RefusalCode.SENDER_UNPROVEN: (
        "This access token does not open operations from this address: ask for one "
        "with the scope operations"
    ),
    RefusalCode.TOKEN_NOT_FOR_PAGE: "This access token opens operations only: it must not pass "
    "through a "
    "browser",
    RefusalCode.KEY_OUT_OF_SCOPE: "This API secret is for other operations",
    RefusalCode.REFUND_EXISTS: "a refund of this transaction was already initiated",
    RefusalCode.BANK_REFUSED: "the bank refused",
    RefusalCode.BANK_UNREACHABLE: "the bank cannot be reached and nothing was sent to it; try "
    "again "
    "later",
}
"""The words of reasons that share a wire code."""


def words(refusal: Refusal, own: str = "") -> str:
    """Return the sender's sentence: the failed check; for bad input also field, received, allowed.

    Numbers of cards and people in the received value are masked. own: the check in other words.
    """
    parts = [own or _WORDS.get(refusal.code) or CODE_OF[refusal.code].words]
    if refusal.code is RefusalCode.BANK_REFUSED and refusal.detail:
        parts.append(refusal.detail)
    if refusal.field:
        field, received = masked(refusal.field), _received(refusal)
        parts.append(f"{field} was {received!r}" if received else f"{field} is missing or empty")
    if refusal.allowed:
        parts.append(f"allowed: {refusal.allowed}")
    return "; ".join(parts)


def _received(refusal: Refusal) -> str:
    """Return the received value, masked; twelve digits of a merchant id are no person's number."""
    if refusal.field == "merchant_id":
        return masked_json({refusal.field: refusal.received})[refusal.field]
    return masked(refusal.received)


def refusal_from_exception(problem: Exception) -> Refusal | None:
    """Return the refusal that an exception carries.

    None for a fault of ours, which the caller logs.
    """
    match problem:
        case Refused():
            return problem.refusal
        case FieldError():
            cures = (Cure(*problem.cure),) if problem.cure else ()
            return Refusal(
                RefusalCode.FIELD_INVALID,
                problem.field,
                problem.received,
                problem.allowed,
                cures=cures,
            )
        case NodeLostError():
            return Refusal(RefusalCode.HOME_UNREACHABLE, retry_after_s=NODE_RETRY_S)
        case _:
            return None


def success(data: object, message: str, request_id: str) -> dict[str, object]:
    """Return the envelope of a success.

    See docs/spec/payment-interfaces.md#reply-envelope.
    """
    return {
        "status_code": "200",
        "status": "success",
        "response_code": Code.SUCCESS.wire,
        "request_id": request_id,
        "message": message,
        "data": data,
    }


def refused(refusal: Refusal, request_id: str) -> dict[str, object]:
    """Return the envelope of a refusal.

    `data` is an empty array (docs/spec/payment-interfaces.md#errors).
    """
    code = CODE_OF[refusal.code]
    return {
        # Existing clients branch on this one number, and on no other.
        "status_code": code.wire if code is Code.MERCHANT_KEY_WRONG else "400",
        "status": "fail",
        "response_code": code.wire,
        "request_id": request_id,
        "message": words(refusal),
        "data": [],
    }


def token_refused(refusal: Refusal, request_id: str) -> dict[str, object]:
    """Return the envelope of a refused token request, readable for every known reader.

    See docs/spec/payment-interfaces.md#token-refusal.
    """
    code, message = CODE_OF[refusal.code].wire, words(refusal)
    return {
        "status_code": "400",
        "response_code": code,
        "error_code": code,
        "status": "fail",
        "request_id": request_id,
        "success": False,
        "msg": message,
        "message": message,
        "data": {"success": False, "msg": message},
    }
