"""The OpenAPI 3.1 document of the payment interface, version 4.0.0, with its encrypted messages."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from hundi.api.addresses import (
    API,
    BANK_ACCOUNT_LIST,
    BANKS,
    CAPTURE,
    DELETE_SAVED_CARD,
    DISPUTE_ACCEPT,
    DISPUTE_CONTEST,
    DISPUTE_EVIDENCE,
    DISPUTE_LIST,
    DISPUTE_STATUS,
    FEES,
    GATEWAY,
    GENERATE_ORDER,
    LINK_CANCEL,
    LINK_CREATE,
    LINK_LIST,
    LINK_STATUS,
    NOTIFICATION_LIST,
    PAGE,
    PAYOUT_LIST,
    REFUND,
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
    TOKEN,
    VALIDATE_VPA,
    VERIFY,
    VOID,
)
from hundi.api.description.fields import (
    FORM,
    JSON,
    MULTIPART,
    REQUEST_ID,
    SCHEMAS,
    SIGNED,
    Schema,
    openapi,
    ref,
    sealed,
    written,
)
from hundi.api.description.messages import REQUESTS, replies
from hundi.api.description.money_messages import MONEY_REQUESTS, money_replies
from hundi.wire.codes import Code

VERSION = "4.0.0"


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation. request, data: names of the inner message and of the reply's `data`."""

    name: str
    summary: str
    request: str
    data: str
    token: bool = True
    checksum: bool = False
    privatekey: bool = True


_OPERATIONS: Mapping[str, _Operation] = {
    f"{GATEWAY}{API}/{TOKEN[0]}": _Operation(
        "issueToken", "Issue access token", "TokenRequest", "TokenData", token=False, privatekey=False
    ),
    f"{GATEWAY}{API}/{VERIFY[0]}": _Operation("verify", "Verify a transaction", "VerifyRequest", "TransactionRecord"),
    f"{GATEWAY}{API}/{BANKS[0]}": _Operation("banks", "Get bank list", "BanksRequest", "BanksData"),
    f"{GATEWAY}{API}/{REFUND[0]}": _Operation("refund", "Initiate refunds", "RefundRequest", "RefundData"),
    f"{GATEWAY}{API}/{GENERATE_ORDER[0]}": _Operation(
        "generateOrder", "Generate UPI QR code", "GenerateOrderRequest", "QrData", privatekey=False
    ),
    f"{GATEWAY}{API}/{VALIDATE_VPA[0]}": _Operation(
        "validateVpa", "Validate UPI address", "ValidateVpaRequest", "VpaData"
    ),
    f"{GATEWAY}{API}/{SEAMLESS[0]}": _Operation(
        "seamless", "Begin a payment from the merchant's server", "SeamlessRequest", "SeamlessData"
    ),
    f"{GATEWAY}{API}/{CAPTURE[0]}": _Operation(
        "capture", "Capture an authorisation", "CaptureRequest", "TransactionRecord"
    ),
    f"{GATEWAY}{API}/{VOID[0]}": _Operation("void", "Void an authorisation", "VoidRequest", "TransactionRecord"),
    f"{GATEWAY}{API}/{SUBSCRIPTION_STATUS[0]}": _Operation(
        "subscriptionStatus", "Show a subscription", "SubscriptionRequest", "SubscriptionData"
    ),
    f"{GATEWAY}{API}/{SUBSCRIPTION_LIST[0]}": _Operation(
        "listSubscriptions", "List subscriptions", "ListSubscriptionsRequest", "SubscriptionsData"
    ),
    f"{GATEWAY}{API}/{SUBSCRIPTION_CHARGE[0]}": _Operation(
        "chargeSubscription", "Announce the next debit now", "ChargeSubscriptionRequest", "SubscriptionData"
    ),
    f"{GATEWAY}{API}/{SUBSCRIPTION_CHANGE[0]}": _Operation(
        "changeSubscription", "Change a subscription", "ChangeSubscriptionRequest", "SubscriptionData"
    ),
    f"{GATEWAY}{API}/{SUBSCRIPTION_PAUSE[0]}": _Operation(
        "pauseSubscription", "Pause a subscription", "SubscriptionRequest", "SubscriptionData"
    ),
    f"{GATEWAY}{API}/{SUBSCRIPTION_RESUME[0]}": _Operation(
        "resumeSubscription", "Resume a subscription", "SubscriptionRequest", "SubscriptionData"
    ),
    f"{GATEWAY}{API}/{SUBSCRIPTION_CANCEL[0]}": _Operation(
        "cancelSubscription", "Cancel a subscription", "SubscriptionRequest", "SubscriptionData"
    ),
    f"{GATEWAY}{API}/{SAVED_CARDS[0]}": _Operation(
        "listSavedCards", "List a customer's saved cards", "ListSavedCardsRequest", "SavedCardsData"
    ),
    f"{GATEWAY}{API}/{DELETE_SAVED_CARD[0]}": _Operation(
        "deleteSavedCard", "Delete a saved card", "DeleteSavedCardRequest", "SavedCardData"
    ),
    f"{GATEWAY}{API}/{LINK_CREATE[0]}": _Operation("createLink", "Make a payment link", "NewLinkRequest", "LinkData"),
    f"{GATEWAY}{API}/{LINK_STATUS[0]}": _Operation("linkStatus", "Show a payment link", "LinkRequest", "LinkData"),
    f"{GATEWAY}{API}/{LINK_LIST[0]}": _Operation("listLinks", "List payment links", "ListLinksRequest", "LinksData"),
    f"{GATEWAY}{API}/{LINK_CANCEL[0]}": _Operation("cancelLink", "Cancel a payment link", "LinkRequest", "LinkData"),
    f"{GATEWAY}{API}/{SETTLEMENT_LIST[0]}": _Operation(
        "listSettlements", "List settlements", "ListSettlementsRequest", "SettlementsData"
    ),
    f"{GATEWAY}{API}/{SETTLEMENT_STATUS[0]}": _Operation(
        "settlementStatus", "Show a settlement", "SettlementRequest", "SettlementData"
    ),
    f"{GATEWAY}{API}/{SETTLEMENT_ITEMS[0]}": _Operation(
        "settlementItems", "List the items of a settlement", "SettlementItemsRequest", "SettlementItemsData"
    ),
    f"{GATEWAY}{API}/{PAYOUT_LIST[0]}": _Operation("listPayouts", "List payouts", "ListPayoutsRequest", "PayoutsData"),
    f"{GATEWAY}{API}/{NOTIFICATION_LIST[0]}": _Operation(
        "listNotifications", "List what was announced", "ListNotificationsRequest", "NotificationsData"
    ),
    f"{GATEWAY}{API}/{DISPUTE_LIST[0]}": _Operation(
        "listDisputes", "List disputes", "ListDisputesRequest", "DisputesData"
    ),
    f"{GATEWAY}{API}/{DISPUTE_STATUS[0]}": _Operation(
        "disputeStatus", "Show a dispute", "DisputeRequest", "DisputeData"
    ),
    f"{GATEWAY}{API}/{DISPUTE_EVIDENCE[0]}": _Operation(
        "addEvidence", "Add a document to the answer to a dispute", "EvidenceRequest", "EvidenceData"
    ),
    f"{GATEWAY}{API}/{DISPUTE_CONTEST[0]}": _Operation(
        "contestDispute", "Contest a dispute", "ContestDisputeRequest", "DisputeData"
    ),
    f"{GATEWAY}{API}/{DISPUTE_ACCEPT[0]}": _Operation(
        "acceptDispute", "Accept a dispute, wholly or in part", "AcceptDisputeRequest", "DisputeData"
    ),
    f"{GATEWAY}{API}/{SETTLEMENT_NEXT[0]}": _Operation(
        "nextSettlement", "Show the next settlement", "OwnTermsRequest", "NextSettlementData"
    ),
    f"{GATEWAY}{API}/{FEES[0]}": _Operation(
        "priceList", "List the prices in force", "OwnTermsRequest", "PriceListData"
    ),
    f"{GATEWAY}{API}/{BANK_ACCOUNT_LIST[0]}": _Operation(
        "listBankAccounts", "List the accounts that are paid out to", "OwnTermsRequest", "BankAccountsData"
    ),
    f"{GATEWAY}{SPLIT}": _Operation("split", "Configure split settlement", "SplitRequest", "SplitData", token=False),
}


def _envelope(operation: _Operation) -> Schema:
    required = ["merchant_id", *(["privatekey"] if operation.privatekey else []), "encdata"]
    return {
        "type": "object",
        "required": [*required, *(["checksum"] if operation.checksum else [])],
        "properties": {
            "merchant_id": written("Numeric merchant identifier", r"^[0-9]{1,12}$", "10001"),
            "privatekey": written("Hex SHA-256 of API secret @ username :|: password", r"^[0-9a-f]{64}$"),
            "encdata": sealed(ref(operation.request), "The business fields, encrypted"),
            "checksum": {"type": "string", "description": "Verified whenever it is sent"},
        },
    }


def _envelopes(data: Schema) -> dict[str, Schema]:
    """Return the fields of a successful envelope."""
    return {
        "status_code": {"const": "200"},
        "status": {"const": "success"},
        "response_code": {"const": Code.SUCCESS.wire},
        "request_id": {"type": "string"},
        "message": {"type": "string"},
        "data": data,
    }


def _success(data: Schema) -> Schema:
    fields = _envelopes(data)
    return {"type": "object", "required": list(fields), "properties": fields}


def _failure() -> Schema:
    codes = [code.wire for code in Code if code is not Code.SUCCESS]
    empty = {"type": "array", "maxItems": 0}
    of_token = {"type": "object", "required": ["success", "msg"], "properties": {"success": {"const": False}}}
    return {
        "type": "object",
        "description": "Every refusal, with HTTP status 200",
        "required": ["status_code", "status", "response_code", "request_id", "message", "data"],
        "properties": {
            "status_code": {"const": "400"},
            "status": {"const": "fail"},
            "response_code": {"type": "string", "enum": codes},
            "error_code": {"type": "string", "enum": codes},
            "request_id": {"type": "string"},
            "message": {"type": "string", "description": "The check that failed and, for a field, what is allowed"},
            "data": {"anyOf": [empty, of_token]},
        },
    }


def _reply(operation: _Operation) -> Schema:
    """Return the schema of a reply in its three formats: plain, plain with encrypted, encrypted alone."""
    opened = {"anyOf": [_success(ref(operation.data)), ref("Failure")]}
    encrypted = {
        "type": "object",
        "required": ["merchant_id", "response"],
        "properties": {"merchant_id": {"type": "string"}, "response": sealed(opened, "The envelope, encrypted")},
    }
    return {"anyOf": [*opened["anyOf"], encrypted]}


def _path(operation: _Operation) -> Schema:
    body, bodies = _envelope(operation), {}
    forms = [body, ref("FlatSplitRequest")] if operation.name == "split" else [body]
    for kind in (FORM, JSON, MULTIPART):
        bodies[kind] = {"schema": {"anyOf": forms} if len(forms) > 1 and kind == JSON else body}
    described: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "x-encdata-schema": SCHEMAS + operation.request,
        "x-data-schema": SCHEMAS + operation.data,
        "requestBody": {"required": True, "content": bodies},
        "responses": {
            "200": {
                "description": "The envelope, of a success or of a refusal",
                "headers": REQUEST_ID,
                "content": {JSON: {"schema": _reply(operation)}},
            }
        },
    }
    if operation.token:
        described["parameters"] = [_token()]
    return {"post": described}


def _token() -> Schema:
    token = written("Access token", r"^[0-9a-f]{40}$")
    return {"name": "token", "in": "query", "required": True, "schema": token, "description": token["description"]}


def _page() -> Schema:
    form = _envelope(_Operation("payment", "", "PaymentRequest", "TransactionRecord", checksum=True))
    return {
        "post": {
            "operationId": "initiatePayment",
            "summary": "Initiate simple transaction: a form the customer's browser posts to the payment page's host",
            "x-encdata-schema": SCHEMAS + "PaymentRequest",
            "parameters": [_token()],
            "requestBody": {"required": True, "content": {FORM: {"schema": form}}},
            "responses": {
                "303": {"description": "To the payment session's page"},
                "default": {"description": "A page that says why not", "content": {"text/html": {}}},
            },
            "callbacks": {"return": {"{merchant's success or failure URL}": {"post": _return_leg()}}},
        }
    }


def _return_leg() -> Schema:
    record = _success({"type": "object", "additionalProperties": {"type": "string"}})
    form = {"merchant_id": {"type": "string"}, "response": sealed(record, "The record, every value a string")}
    return {
        "summary": "The customer's browser comes back with the outcome",
        "requestBody": {"content": {FORM: {"schema": {"type": "object", "properties": form}}}},
        "responses": {"default": {"description": "The merchant's own page"}},
    }


def _notification() -> Schema:
    record = _success(ref("TransactionRecord"))
    form = {"merchant_id": {"type": "string"}, "response": sealed(record, "The envelope with `event`, encrypted")}
    return {
        "post": {
            "summary": "Instant payment notification, signed by the Standard Webhooks rules; any 2xx is delivered",
            "parameters": SIGNED,
            "requestBody": {"content": {JSON: {"schema": {"type": "object", "properties": form}}}},
            "responses": {"2XX": {"description": "Taken"}},
        }
    }


@cache
def document() -> Schema:
    """Return the whole document."""
    return openapi(
        "Hundi payment interface",
        VERSION,
        "Business fields travel encrypted in `encdata`; errors come with HTTP status 200.",
        paths={
            **{path: _path(operation) for path, operation in _OPERATIONS.items()},
            PAGE[0]: _page(),
        },
        webhooks={"payment": _notification()},
        components={"schemas": {**REQUESTS, **MONEY_REQUESTS, **replies(), **money_replies(), "Failure": _failure()}},
    )


@cache
def document_json() -> bytes:
    """Return the document as it is served."""
    return msgspec.json.encode(document())


def operations() -> dict[str, tuple[str, str, str]]:
    """Return (path, name of the request's schema, name of the data's schema) of each operation, by its id."""
    return {each.name: (path, each.request, each.data) for path, each in _OPERATIONS.items()}


def validator_schema(name: str) -> dict[str, Any]:
    """Return one component as a schema that stands alone."""
    return {**ref(name), "components": {"schemas": document()["components"]["schemas"]}}
