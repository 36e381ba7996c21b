"""The message in `encdata` of payment initiation, parsed and checked."""

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.values import Values
from hundi.wire.merchant.values import free as _free
from hundi.wire.merchant.values import required as _required
from hundi.wire.merchant.values import text as _text
from hundi.wire.merchant.values import words as _words

PINCODE_MAX = 16
"""Characters; foreign codes are longer than the Indian six digits (docs/spec/wire.md#field-bounds).
"""

SALE, AUTHORISE, MOTO, SUBSCRIPTION = "2", "1", "3", "12"
EMI_MONTHS = {"7": 3, "8": 6, "9": 9, "10": 12, "11": 18}
"""`txnsubtype` codes of instalments, and their months (docs/spec/states-and-codes.md#txnsubtype).
"""
SUBTYPES = (AUTHORISE, SALE, MOTO, *EMI_MONTHS, SUBSCRIPTION)

PERIODS = ("D", "W", "M", "Y", "A")
AS_PRESENTED = "A"
"""The period without a calendar: no next run date, frequency or count."""
ENDLESS = 999
"""`sb_recurringcount` of a subscription without end."""
FREQUENCY_MAX = 366
RETRIES_MAX = 99


@dataclass(frozen=True, slots=True)
class Buyer:
    """The customer as the merchant describes them.

    phone: digits only. Optional fields are "" when not sent.
    """

    email: str
    phone: str
    firstname: str
    lastname: str
    address: str = ""
    city: str = ""
    state: str = ""
    country: str = ""
    pincode: str = ""


@dataclass(frozen=True, slots=True)
class Subscription:
    """The `sb_*` fields of a payment that starts a subscription. Amounts in paise.

    next_run, frequency and recurring_count are None when the period is `A` (as presented);
    recurring_count is also None when the merchant sent 999: no end.
    """

    period: str
    amount_paise: int
    max_amount_paise: int | None
    retry_attempts: int
    next_run: date | None = None
    frequency: int | None = None
    recurring_count: int | None = None


@dataclass(frozen=True, slots=True)
class PayerAccount:
    """The one bank account that may pay an order by UPI.

    The fields `upi_tpv_account` and `upi_tpv_ifsc`.
    """

    number: str = field(repr=False)
    ifsc: str = ""


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """A payment to start, with every alias of older kits resolved.

    See docs/spec/payment-interfaces.md#payment-request. amount_paise: in paise of `currency` (ISO
    letters). channels: codes of `chmod`, () for all. txnsubtype: one of SUBTYPES. mer_dom: as sent;
    `fields.origin` reads it. saved_card: the field `token`.
    """

    order_id: str
    amount_paise: int
    currency: str
    buyer: Buyer
    customvar: str = ""
    channels: tuple[str, ...] = ()
    txnsubtype: str = SALE
    vpa: str = ""
    mer_dom: str = ""
    wallet: str = ""
    kittype: str = ""
    uid: str = ""
    saved_card: str = field(default="", repr=False)
    payer_account: PayerAccount | None = None
    subscription: Subscription | None = None


def parse_payment(
    values: Values,
    *,
    outer_chmod: str = "",
    outer_mer_dom: str = "",
    today: date | None = None,
    day_first: bool = False,
) -> PaymentRequest:
    """Return the payment to start. Raises FieldError.

    outer_chmod, outer_mer_dom: the outer fields, used where the inner ones are empty. today: the
    merchant's day (IST), against which the first run of a subscription is past or not; a
    subscription without it is not judged. day_first: the merchant writes dates DD/MM/YYYY. See
    docs/spec/payment-interfaces.md#payment-request.
    """
    subtype = fields.one_of(_text(values, "txnsubtype") or SALE, "txnsubtype", SUBTYPES)
    vpa = _text(values, "vpa")
    return PaymentRequest(
        order_id=fields.order_id(_required(values, "orderid")),
        amount_paise=fields.paise_from_text(_required(values, "amount")),
        currency=fields.currency(
            _required(values, "currency_code", "currency"),
            _required(values, "iso_currency", "isocurrency"),
        ),
        buyer=_buyer(values),
        customvar=_words(values, "customvar", "custom_var", length_max=fields.CUSTOMVAR_MAX),
        channels=fields.channels(_text(values, "chmod") or outer_chmod),
        txnsubtype=subtype,
        vpa=fields.vpa(vpa) if vpa else "",
        mer_dom=_free(values, "mer_dom") or fields.free_text(outer_mer_dom, "mer_dom"),
        wallet=_free(values, "wallet"),
        kittype=_free(values, "kittype"),
        uid=_free(values, "UID"),
        saved_card=_free(values, "token"),
        payer_account=parse_payer_account(values),
        subscription=parse_subscription(values, today, day_first=day_first)
        if subtype == SUBSCRIPTION
        else None,
    )


def parse_payer_account(values: Values) -> PayerAccount | None:
    """Return the account that has to pay, None where any may.

    Raises FieldError where a half is missing.
    """
    if not _text(values, "upi_tpv_account") and not _text(values, "upi_tpv_ifsc"):
        return None
    return PayerAccount(
        fields.account_number(_required(values, "upi_tpv_account"), "upi_tpv_account"),
        fields.ifsc(_required(values, "upi_tpv_ifsc"), "upi_tpv_ifsc"),
    )


def _buyer(values: Values) -> Buyer:
    def required(name: str) -> str:
        return _required(values, name, fields.CAMEL_CASE[name])

    def optional(name: str, length_max: int = fields.TEXT_MAX) -> str:
        return _words(values, name, fields.CAMEL_CASE[name], length_max=length_max)

    return Buyer(
        email=fields.email(required("buyer_email")),
        phone=fields.phone(required("buyer_phone")),
        firstname=fields.name(required("buyer_firstname"), "buyer_firstname"),
        lastname=fields.name(required("buyer_lastname"), "buyer_lastname"),
        address=optional("buyer_address", fields.ADDRESS_MAX),
        city=optional("buyer_city"),
        state=optional("buyer_state"),
        country=optional("buyer_country"),
        pincode=optional("buyer_pincode", PINCODE_MAX),
    )


def _first_run(written: str, today: date | None, *, day_first: bool) -> date:
    """Return the first day of a mandate.

    Raises FieldError, which says whether the other order of a date cures it.
    """
    try:
        return _run_on(written, today, day_first=day_first)
    except FieldError as refused:
        with suppress(FieldError):
            _run_on(written, today, day_first=not day_first)
            refused.cure = ("dates", "month-first" if day_first else "day-first")
        raise


def _run_on(written: str, today: date | None, *, day_first: bool) -> date:
    run = fields.day(written, "sb_nextrundate", day_first=day_first)
    if today is not None and run < today:
        raise FieldError(
            field="sb_nextrundate", received=written, allowed="a date that is not past"
        )
    return run


def parse_subscription(
    values: Values, today: date | None, *, day_first: bool = False
) -> Subscription:
    """Return the `sb_*` fields. Raises FieldError.

    today, day_first: as `parse_payment` has them.
    """
    period = fields.one_of(_required(values, "sb_period").upper(), "sb_period", PERIODS)
    amount_paise = fields.paise_from_text(_required(values, "sb_amount"), "sb_amount")
    maximum = _text(values, "sb_maxamount")
    max_amount_paise = fields.paise_from_text(maximum, "sb_maxamount") if maximum else None
    _ = fields.one_of(_text(values, "sb_isrecurring") or "1", "sb_isrecurring", ("1",))
    retry_attempts = fields.count(
        _text(values, "sb_retryattempts") or "0", "sb_retryattempts", RETRIES_MAX
    )
    if period == AS_PRESENTED:
        return Subscription(period, amount_paise, max_amount_paise, retry_attempts)
    next_run = _first_run(_required(values, "sb_nextrundate"), today, day_first=day_first)
    runs = fields.count(_required(values, "sb_recurringcount"), "sb_recurringcount", ENDLESS, 1)
    return Subscription(
        period=period,
        amount_paise=amount_paise,
        max_amount_paise=max_amount_paise,
        retry_attempts=retry_attempts,
        next_run=next_run,
        frequency=fields.count(_required(values, "sb_frequency"), "sb_frequency", FREQUENCY_MAX, 1),
        recurring_count=None if runs == ENDLESS else runs,
    )
