"""Reads and checks the gateway's messages: the browser's return and the notification (IPN)."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import parse_qsl

from standardwebhooks import Webhook

from hundi.sdk import signed, transaction
from hundi.sdk.credentials import Credentials
from hundi.sdk.errors import (
    MismatchError,
    UnreadableCallbackError,
    UnreadableReplyError,
)
from hundi.sdk.signed import TOLERANCE_S
from hundi.sdk.transaction import Transaction
from hundi.wire import cipher, strict_json
from hundi.wire.strict_json import JsonValue

RETURN_TOLERANCE_S = 900
"""Seconds for a return: a customer may read the result before going back.

A replay gains nothing, see `read_return`.
"""
BODY_BYTES_MAX = 256 * 1024
FORM_FIELDS_MAX = 100

FORM_NAMES = {
    "MERCID": "merchant_id",
    "TRANSACTIONID": "orderid",
    "APTRANSACTIONID": "ap_transactionid",
    "AMOUNT": "amount",
    "TRANSACTIONSTATUS": "transaction_status",
    "TRANSACTIONPAYMENTSTATUS": "transaction_payment_status",
    "MESSAGE": "message",
    "CUSTOMVAR": "customvar",
    "CHMOD": "chmod",
    "CURRENCYCODE": "currency_code",
    "CUSTOMER": "customer_name",
    "CUSTOMERPHONE": "customer_phone",
    "CUSTOMEREMAIL": "customer_email",
    "CUSTOMERVPA": "customer_vpa",
    "RRN": "rrn",
    "RISK": "risk",
    "TRANSACTIONTIME": "transaction_time",
    "TRANSACTIONTYPE": "transaction_type",
    "BANKNAME": "bank_name",
    "CARD_NUMBER": "card_number",
    "CARDTYPE": "card_type",
    "SURCHARGE": "surcharge_amount",
    "CARDCOUNTRY": "card_country",
    "REASON": "bank_response_msg",
}
"""The form notification's upper-case names, and those of the transaction record.

See docs/spec/wire.md#notification-forms.
"""


class Event(StrEnum):
    """The subject of a notification. A newer gateway may have further words.

    See docs/spec/states-and-codes.md#events.
    """

    PAID = "paid"
    """The order is paid."""
    FAILED = "failed"
    """The order is unpaid after a declined attempt, and nothing can be paid any more."""
    ATTEMPT_FAILED = "attempt_failed"
    """An attempt was declined; the order can still be paid. Sent to merchants who ask for it."""
    EXPIRED = "expired"
    """The session ended, and nothing was attempted. Sent to merchants who ask for it."""
    UNKNOWN = "unknown"
    """The bank never answered, and is not asked any more. Sent to merchants who ask for it."""
    AUTHORISED = "authorised"
    """The money is reserved and waits for `capture` or `void`."""
    CAPTURED = "captured"
    """The reserved money, or a part of it, is taken."""
    VOIDED = "voided"
    """The reserved money is given up, because you asked or because nobody captured it in time."""
    UNDER_REVIEW = "under_review"
    """The money came in, and the operator reviews the payment: `paid` or `failed` follows.

    Do not deliver yet.
    """
    LATE_SUCCESS = "late_success"
    """The order is paid after it had failed or was over."""
    EXCESS_PAYMENT = "excess_payment"
    """Money came in that the order cannot keep; it goes back by itself."""
    EXCESS_REFUNDED = "excess_refunded"
    """Money that the order could not keep went back to the customer."""
    EXCESS_REFUND_FAILED = "excess_refund_failed"
    """Money that the order cannot keep could not be given back, or came back after it was.

    It is tried again.
    """
    REFUND_DONE = "refund_done"
    """Money went back to the customer; the amount is the refund's."""
    REFUND_FAILED = "refund_failed"
    """The bank refused to give money back; it is with you again. The amount is the refund's."""
    REFUND_REVERSED = "refund_reversed"
    """Money that went back to the customer came back to you: give it back another way.

    The amount is the refund's.
    """
    MANDATE_APPROVED = "mandate_approved"
    """The order of a subscription is paid, and with it the customer approved the mandate."""
    MANDATE_FAILED = "mandate_failed"
    """The customer never approved the mandate of a subscription."""
    MANDATE_PAUSED = "mandate_paused"
    """A subscription was paused."""
    MANDATE_RESUMED = "mandate_resumed"
    """A subscription was resumed."""
    MANDATE_CHANGED = "mandate_changed"
    """The terms of a subscription were changed."""
    MANDATE_CANCELLED = "mandate_cancelled"
    """A subscription was cancelled."""
    MANDATE_COMPLETED = "mandate_completed"
    """The last period of a subscription is over."""
    DEBIT_ANNOUNCED = "debit_announced"
    """The customer was told of the next debit of a subscription."""
    DEBIT_FAILED = "debit_failed"
    """The bank declined the last try of one period's debit."""
    DEBIT_SKIPPED = "debit_skipped"
    """An announced debit is not made."""
    DEBIT_MISSED = "debit_missed"
    """The time of one period's debit went by without a notice: it is never made."""
    DISPUTE_OPENED = "dispute_opened"
    """The customer's bank disputes a payment, or takes its dispute to the next phase.

    Answer before the deadline.
    """
    DISPUTE_DUE_SOON = "dispute_due_soon"
    """The deadline of a dispute that was not answered is near."""
    DISPUTE_CONTESTED = "dispute_contested"
    """A dispute was contested, wholly or in part."""
    DISPUTE_ACCEPTED = "dispute_accepted"
    """A dispute was accepted."""
    DISPUTE_EXPIRED = "dispute_expired"
    """The deadline of a dispute went by without an answer: the bank takes the money."""
    DISPUTE_WON = "dispute_won"
    """The bank decided a dispute for you."""
    DISPUTE_LOST = "dispute_lost"
    """The bank took all that was disputed."""
    DISPUTE_PARTLY_LOST = "dispute_partly_lost"
    """The bank took a part of what was disputed."""
    DISPUTE_CLOSED = "dispute_closed"
    """A dispute ended without a decision about money."""


@dataclass(frozen=True, slots=True)
class Return:
    """A checked return of the customer's browser.

    transaction: genuine, and about the expected order and amount. It may be older than what
    `verify` knows. webhook_id: the same when the customer reloads the page.
    """

    webhook_id: str
    transaction: Transaction


@dataclass(frozen=True, slots=True)
class Notification:
    """A checked notification. Delivered at least once: store the ids that you have handled.

    webhook_id: the same in every delivery of one event. sent_at: when this delivery was signed,
    UTC. event: what happened: a word of `Event`, or of a newer gateway; "" in the form
    notification, which has no field for it. transaction: genuine; call its `demand` with your
    order's amount before releasing goods.
    """

    webhook_id: str
    sent_at: datetime
    event: str
    transaction: Transaction


class Callbacks:
    """Checks callbacks of one merchant; keeps no state, so one object serves all threads and tasks.

    tolerance_s, return_tolerance_s: seconds between the signature's time and ours, for
    notifications and for returns. clock: returns seconds since 1970, for tests.
    """

    def __init__(
        self,
        credentials: Credentials,
        *,
        tolerance_s: int = TOLERANCE_S,
        return_tolerance_s: int = RETURN_TOLERANCE_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare the webhook keys."""
        self._credentials = credentials
        self._hooks = tuple(Webhook(key) for key in credentials.webhook_keys)
        self._tolerance_s = tolerance_s
        self._return_tolerance_s = return_tolerance_s
        self._clock = clock

    def claimed_order_id(self, form: Mapping[str, str]) -> str:
        """Return the order id that a return names, **unchecked**.

        Use it only to find your own order.

        Raises UnreadableCallbackError.
        """
        return str(self._record(self._decrypt(_response_text(form))).get("orderid", ""))

    def read_return(
        self, form: Mapping[str, str], *, order_id: str, amount_paise: int, currency: str = "INR"
    ) -> Return:
        """Return what the customer's browser brought back, once everything about it is checked.

        form: the fields of the POST to the success or failure address; only `response` and its
        signature are used
            (docs/spec/wire.md#return-leg).
        order_id, amount_paise, currency: of the order in your own books, not of the form.

        Raises UnreadableCallbackError, SignatureError, StaleError, SecureHashError or
        MismatchError; all of them are UntrustedError. The customer may still have paid: ask
        `verify`.
        """
        response = _response_text(form)
        webhook_id = form.get("webhook_id", "")
        sent_at = signed.sent_at(
            self._hooks,
            webhook_id,
            form.get("webhook_timestamp", ""),
            form.get("webhook_signature", ""),
            response,
        )
        signed.check_age(sent_at, self._clock(), self._return_tolerance_s)
        result = self._transaction(self._record(self._decrypt(response)))
        result.demand(
            merchant_id=self._credentials.merchant_id,
            order_id=order_id,
            amount_paise=amount_paise,
            currency=currency,
        )
        return Return(webhook_id, result)

    def read_notification(self, headers: Mapping[str, str], body: bytes) -> Notification:
        """Return a notification of any of the three forms, with its signature and hash checked.

        headers: of the request, names in any case. body: the raw bytes, exactly as received.

        Answer 2xx when this returns, 4xx when it raises; anything but 2xx is delivered again later.
        Raises UnreadableCallbackError, SignatureError, StaleError, SecureHashError or MismatchError
        (merchant id).
        """
        if len(body) > BODY_BYTES_MAX:
            message = f"the body is longer than {BODY_BYTES_MAX} bytes"
            raise UnreadableCallbackError(message)
        lower = {name.lower(): value for name, value in headers.items()}
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            message = "the body is not UTF-8"
            raise UnreadableCallbackError(message) from error
        webhook_id = lower.get("webhook-id", "")
        sent_at = signed.sent_at(
            self._hooks,
            webhook_id,
            lower.get("webhook-timestamp", ""),
            lower.get("webhook-signature", ""),
            text,
        )
        signed.check_age(sent_at, self._clock(), self._tolerance_s)
        event, record = self._announced(text)
        return Notification(webhook_id, sent_at, event, self._transaction(record))

    def _announced(self, text: str) -> tuple[str, Mapping[str, JsonValue]]:
        if not text.lstrip().startswith("{"):
            return "", _form_record(text)
        try:
            envelope = strict_json.parse(text.encode())
        except strict_json.UnreadableJson as error:
            message = "the notification is no JSON object"
            raise UnreadableCallbackError(message) from error
        response = envelope.get("response")
        opened = self._decrypt(response) if isinstance(response, str) else envelope
        return str(opened.get("event", "")), self._record(opened)

    def _decrypt(self, response: str) -> Mapping[str, JsonValue]:
        try:
            return cipher.open_json(self._credentials.encryption_key, response)
        except cipher.UnreadableCipher as error:
            message = "response cannot be decrypted with this merchant's encryption key"
            raise UnreadableCallbackError(message) from error

    def _record(self, envelope: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        # The scalars that the return repeats beside `data` are for old kits; only one place is
        # read.
        data = envelope.get("data")
        if not isinstance(data, Mapping):
            message = "the envelope holds no transaction record"
            raise UnreadableCallbackError(message)
        return data

    def _transaction(self, record: Mapping[str, JsonValue]) -> Transaction:
        transaction.check_secure_hash(record, self._credentials.username)
        try:
            result = transaction.read(record)
        except UnreadableReplyError as error:
            raise UnreadableCallbackError(error.message) from error
        if result.merchant_id != self._credentials.merchant_id:
            raise MismatchError(
                field="merchant_id",
                expected=self._credentials.merchant_id,
                received=result.merchant_id,
            )
        return result


def _response_text(form: Mapping[str, str]) -> str:
    # A "+" that a form parser turned into a space would spoil the signature; base64 never holds a
    # space.
    response = form.get("response", "").replace(" ", "+")
    if not response or len(response) > BODY_BYTES_MAX:
        message = "the form holds no field response, or one that is too long"
        raise UnreadableCallbackError(message)
    return response


def _form_record(text: str) -> Mapping[str, JsonValue]:
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, strict_parsing=True, max_num_fields=FORM_FIELDS_MAX
        )
    except ValueError as error:
        message = "the notification is neither JSON nor a form"
        raise UnreadableCallbackError(message) from error
    return {FORM_NAMES.get(name, name): value for name, value in pairs}
