"""The transaction record as a typed value, with the answers that a shop needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hundi.kernel.clock import INDIA
from hundi.sdk.errors import MismatchError, SecureHashError, UnreadableReplyError
from hundi.wire import fields as wire_fields
from hundi.wire.merchant import securehash

_TIME_FORMAT = "%d-%m-%Y %H:%M:%S"
_SUCCESS = 200
_STILL_OPEN = frozenset({211, 403})
"""In process, and "the bank has not answered".

Either may still become paid, so neither is a failure.
"""
_MONEY_CAPTURED = frozenset({"SUCCESS", "CAPTURE", "Mandate Approved"})
_REFUND = 340
_DISPUTE = 350
_VOIDED = "VOIDED"
_EXCESS = "EXCESS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """One payment's transaction record (docs/spec/payment-interfaces.md#record).

    Texts are "" where the record has none. Amounts are whole paise beside the received text.
    """

    transaction_id: str
    """`ap_transactionid`, the gateway's id."""
    order_id: str
    """`orderid`, the merchant's id."""
    merchant_id: str
    amount_paise: int
    amount: str
    """The amount as the record has it, a decimal with two places."""
    currency_code: str
    """Numeric ISO 4217 code: `356` is INR."""
    status_code: int
    """`transaction_status`: 200, 211, 400 and so on."""
    payment_status: str
    """`transaction_payment_status`: SUCCESS, FAIL, INPROCESS and so on."""
    transaction_type: int
    """310 authorisation, 320 sale, 330 capture, 340 refund, 350 dispute, 420 void."""
    channel: str
    """`chmod`: `upi`, `pg` and so on; "" until the customer has chosen."""
    message: str
    bank_message: str
    bank_code: str
    """`bank_response_code`: the network's own code, such as `ZA` or `51`."""
    rrn: str
    """Retrieval reference number: what the customer's bank statement shows."""
    utr: str
    customer_name: str
    customer_email: str = field(repr=False)
    customer_phone: str = field(repr=False)
    customer_vpa: str
    card_scheme: str
    card_number: str
    """Masked: the last four digits only."""
    card_type: str
    """`cc`, `dc` or `Unknown`."""
    card_country: str
    bank_name: str
    custom_var: str
    at_risk: bool
    """Held for review by the gateway's risk rules."""
    surcharge_paise: int
    created_at: datetime | None
    """`transaction_time`, on the Indian clock."""
    detailed_status: str = ""
    """The subject of the record.

    `payment_status`, or REFUNDED, EXCESS, DISPUTE OPEN, MANDATE PAUSED and so on.
    """
    captured_paise: int = 0
    """The collected amount in paise: a sale's, or the captured part of an authorisation."""
    refunds: int = 0
    """The number of refunds that were begun and have not failed."""
    refunded_paise: int = 0
    """Their sum in paise."""
    refund_id: str = ""
    """The refund that the record is about; "" where it is about the payment."""
    refund_request_id: str = ""
    refund_status: str = ""
    """`done`, `failed`, or a state on the way there."""
    refund_rrn: str = ""
    dispute_id: str = ""
    """The dispute that the record is about; "" where it is about the payment."""
    dispute_phase: str = ""
    """`retrieval`, `chargeback`, `pre_arbitration` or `arbitration`."""
    dispute_status: str = ""
    """`open`, `under_review`, `won`, `lost`, …"""
    dispute_reason: str = ""
    """The network's code."""
    dispute_respond_by: datetime | None = None
    """The deadline for your answer, on the Indian clock."""
    saved_card: str = field(default="", repr=False)
    """`token`: names the card in later orders, where its customer lets you keep it."""
    paid_at: datetime | None = None
    """When the money was moved or reserved, on the Indian clock."""
    attempts: int = 0
    """The customer's tries."""
    emi_bank: str = ""
    emi_months: int = 0
    emi_rate: str = ""
    """Per cent a year, two places; "" without instalments or if unknown."""
    iso_currency: str = "INR"
    """ISO 4217 letters of `amount_paise`."""
    inr_paise: int = 0
    """INR equivalent in paise for a foreign-currency payment; 0 until paid."""
    inr_rate: str = ""
    """Rupees for one unit of a foreign currency, six places; "" for INR."""

    @property
    def is_refund(self) -> bool:
        """Whether it is about a refund: `amount_paise` is the refund's, not the order's."""
        return self.transaction_type == _REFUND

    @property
    def is_dispute(self) -> bool:
        """Whether it is about a dispute: `amount_paise` is what the customer's bank demands."""
        return self.transaction_type == _DISPUTE

    @property
    def is_excess(self) -> bool:
        """Whether it is about money that the order cannot keep: `amount_paise` is that money.

        It goes back.
        """
        return self.detailed_status == _EXCESS

    @property
    def is_paid(self) -> bool:
        """Whether the money of the payment is captured: goods may be released."""
        return (
            self.status_code == _SUCCESS
            and self.payment_status in _MONEY_CAPTURED
            and not self.is_refund
        )

    @property
    def is_authorised(self) -> bool:
        """Whether the money is reserved and waits for capture or void."""
        return self.status_code == _SUCCESS and self.payment_status == "AUTHORIZE"

    @property
    def is_voided(self) -> bool:
        """Whether the authorisation was voided: nothing will be taken from the customer."""
        return self.payment_status == _VOIDED

    @property
    def is_pending(self) -> bool:
        """Whether it may become paid without the customer.

        Tell them to wait, then ask again.
        """
        return self.status_code in _STILL_OPEN and not (
            self.is_refund or self.is_excess or self.is_dispute
        )

    @property
    def is_failed(self) -> bool:
        """Whether it ended unpaid.

        A late success is rare, and a notification reports it.
        """
        told_of = self.is_refund or self.is_excess or self.is_dispute
        return not (self.status_code == _SUCCESS or self.is_pending or told_of)

    @property
    def is_final(self) -> bool:
        """Whether it is paid or failed: asking again soon brings nothing new."""
        return self.is_paid or self.is_failed

    def demand(
        self, *, merchant_id: str, order_id: str, amount_paise: int, currency: str = "INR"
    ) -> None:
        """Raise MismatchError unless the record has this order, amount (paise) and currency.

        This is where a changed amount is caught: neither the cipher nor the secure hash can prove
        it (docs/spec/wire.md#cipher-limits).
        """
        pairs = (
            ("merchant_id", merchant_id, self.merchant_id),
            ("orderid", order_id, self.order_id),
            (
                "amount",
                wire_fields.text_from_paise(amount_paise),
                wire_fields.text_from_paise(self.amount_paise),
            ),
            ("currency_code", wire_fields.CURRENCIES.get(currency, currency), self.currency_code),
        )
        for name, expected, received in pairs:
            if expected != received:
                raise MismatchError(name, expected, received)


def read(record: Mapping[str, object]) -> Transaction:
    """Return the typed form of a record; its values may be texts or numbers.

    Raises UnreadableReplyError when the amount, the status or the type is not what the interface
    allows.
    """
    try:
        return Transaction(
            transaction_id=_text(record, "ap_transactionid"),
            order_id=_text(record, "orderid"),
            merchant_id=_text(record, "merchant_id"),
            amount_paise=wire_fields.paise_from_text(_text(record, "amount")),
            amount=_text(record, "amount"),
            currency_code=_text(record, "currency_code"),
            status_code=int(_text(record, "transaction_status")),
            payment_status=_text(record, "transaction_payment_status"),
            detailed_status=_text(record, "detailed_status"),
            transaction_type=int(_text(record, "transaction_type") or 0),
            channel=_text(record, "chmod"),
            message=_text(record, "message"),
            bank_message=_text(record, "bank_response_msg"),
            bank_code=_text(record, "bank_response_code"),
            rrn=_text(record, "rrn"),
            utr=_text(record, "utr_no"),
            customer_name=_text(record, "customer_name"),
            customer_email=_text(record, "customer_email"),
            customer_phone=_text(record, "customer_phone"),
            customer_vpa=_text(record, "customer_vpa"),
            card_scheme=_text(record, "card_scheme"),
            card_number=_text(record, "card_number"),
            card_type=_text(record, "card_type"),
            card_country=_text(record, "card_country"),
            saved_card=_text(record, "token"),
            bank_name=_text(record, "bank_name"),
            custom_var=_text(record, "customvar"),
            at_risk=_text(record, "risk") == "1",
            surcharge_paise=_paise_or_zero(_text(record, "surcharge_amount")),
            created_at=_time(_text(record, "transaction_time")),
            captured_paise=_paise_or_zero(_text(record, "captured_amount")),
            refunds=int(_text(record, "refunds_count") or 0),
            refunded_paise=_paise_or_zero(_text(record, "refunds_total") or "0"),
            refund_id=_text(record, "refund_id"),
            refund_request_id=_text(record, "refund_request_id"),
            refund_status=_text(record, "refund_status"),
            refund_rrn=_text(record, "refund_rrn"),
            dispute_id=_text(record, "dispute_id"),
            dispute_phase=_text(record, "dispute_phase"),
            dispute_status=_text(record, "dispute_status"),
            dispute_reason=_text(record, "dispute_reason"),
            dispute_respond_by=_time(_text(record, "dispute_respond_by")),
            paid_at=_time(_text(record, "paid_at")),
            attempts=int(_text(record, "attempts") or 0),
            emi_bank=_text(record, "emi_bank"),
            emi_months=int(_text(record, "emi_months") or 0),
            emi_rate=_text(record, "emi_rate"),
            iso_currency=_text(record, "iso_currency") or "INR",
            inr_paise=_paise_or_zero(_text(record, "inr_amount")),
            inr_rate=_text(record, "inr_rate"),
        )
    except ValueError as error:
        message = f"the transaction record cannot be read: {error}"
        raise UnreadableReplyError(message) from error


def check_secure_hash(record: Mapping[str, object], username: str) -> None:
    """Raise SecureHashError unless `ap_SecureHash` fits the record (docs/spec/wire.md#secure-hash).

    A CRC is no signature: this finds damage, not an attacker. `demand` and the webhook signature do
    that.
    """
    received = _text(record, "ap_SecureHash") or _text(record, "ap_securehash")
    intact = securehash.matches(
        received,
        _text(record, "orderid"),
        _text(record, "ap_transactionid"),
        _text(record, "amount"),
        _text(record, "transaction_status"),
        _text(record, "message"),
        _text(record, "merchant_id"),
        username,
        _text(record, "customer_vpa") if _text(record, "chmod") == "upi" else None,
    )
    if not intact:
        message = "ap_SecureHash does not cover the values that came with it"
        raise SecureHashError(message)


def _text(record: Mapping[str, object], name: str) -> str:
    value = record.get(name)
    return "" if value is None else str(value)


def _paise_or_zero(text: str) -> int:
    # "0.00" is in nearly every record, and the wire's reader of amounts rightly refuses zero.
    return wire_fields.paise_from_text(text) if text.strip("0.") else 0


def _time(text: str) -> datetime | None:
    return datetime.strptime(text, _TIME_FORMAT).replace(tzinfo=INDIA) if text else None
