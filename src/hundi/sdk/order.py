"""A merchant's order with its buyer, and the form that carries it to the payment page."""

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, TypeAlias

from hundi.sdk.errors import InvalidOrderError
from hundi.sdk.outgoing import payload_of
from hundi.wire import fields as wire_fields
from hundi.wire.merchant import payments
from hundi.wire.merchant.mandates import RECURRING, OrderMandate

Period: TypeAlias = Literal["D", "W", "M", "Y", "A"]
"""Day, week, month, year; or as presented: only when you ask."""

_EMI_SUBTYPES = {months: subtype for subtype, months in payments.EMI_MONTHS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Buyer:
    """The customer (docs/spec/payment-interfaces.md#payment-request).

    phone: 8 to 15 digits, with or without `+`, spaces and dashes. Names in any script, up to 100
    characters.
    """

    first_name: str
    last_name: str
    email: str
    phone: str = field(repr=False)
    address: str = field(default="", repr=False)
    city: str = ""
    state: str = ""
    country: str = ""
    pincode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionTerms:
    """The customer's approval of later debits; the order's own amount is paid at once.

    amount_paise: of a usual debit. max_paise: no debit is ever above it; None for `amount_paise`.
    every: 2 with period "M" is every second month. first_debit: a day in India, today or later;
    None only with "A". debits: the number of debits in all, None without end. retries: tries after
    a declined one.
    """

    period: Period
    amount_paise: int
    max_paise: int | None = None
    every: int = 1
    first_debit: date | None = None
    debits: int | None = None
    retries: int = 0

    @property
    def asked(self) -> OrderMandate:
        """The `sb_*` fields of a payment request."""
        return OrderMandate(
            period=self.period,
            amount_paise=self.amount_paise,
            max_amount_paise=self.max_paise,
            retry_attempts=self.retries,
            next_run=self.first_debit,
            frequency=self.every,
            recurring_count=self.debits,
            recurring=RECURRING,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One payment to be made.

    order_id: 1 to 64 of `A-Z a-z 0-9 - _ .`, unique per merchant. The same order again reopens the
    same payment. amount_paise: whole paise (minor units of the currency), above zero: ₹1,499.50 is
    149950. currency: ISO 4217 letters; anything but INR needs a merchant enabled for it.
    custom_var: comes back unchanged in every record, up to 4096 characters. channels: restricts
    what the page offers (`"upi"`, `"pg"` and so on); empty offers all that the merchant has.
    authorise_only: reserve the money now, capture it later. moto: the card's holder is on the
    telephone or wrote; needs a merchant enabled for it. instalment_months: 3, 6, 9, 12 or 18: the
    customer pays by card in so many instalments; 0 lets the customer choose. subscription: what the
    customer approves for later debits, with this payment. customer_id: your own name of the
    customer, for merchants that have saved cards: the page shows theirs, and asks
        whether to keep another. saved_card: `Transaction.saved_card` of an earlier payment, or a
        `SavedCard.token`.
    payer_account, payer_ifsc: the one bank account that may pay, by UPI; money from another one
    goes back.
    """

    order_id: str
    amount_paise: int
    buyer: Buyer
    currency: str = "INR"
    custom_var: str = ""
    channels: tuple[str, ...] = ()
    authorise_only: bool = False
    moto: bool = False
    instalment_months: int = 0
    subscription: SubscriptionTerms | None = None
    customer_id: str = ""
    saved_card: str = field(default="", repr=False)
    payer_account: str = field(default="", repr=False)
    payer_ifsc: str = ""

    def fields(self, shop_origin: str = "") -> dict[str, str]:
        """Return the payload of a payment request, checked against the gateway's own bounds.

        shop_origin: `https://shop.example`, sent as `mer_dom` for merchants that have registered
        their domains. Raises InvalidOrderError naming the field; catching it here saves the
        customer a page that refuses.
        """
        payload = payload_of(self.asked, shop_origin, InvalidOrderError)
        return {name: str(value) for name, value in payload.items()}

    @property
    def asked(self) -> payments.PaymentRequest:
        """The message of a payment form. Raises InvalidOrderError for several kinds of payment."""
        account, ifsc = self.payer_account, self.payer_ifsc
        return payments.PaymentRequest(
            order_id=self.order_id,
            amount_paise=self.amount_paise,
            currency_code=wire_fields.CURRENCIES.get(self.currency, ""),
            iso_currency=self.currency,
            buyer=payments.Buyer(
                email=self.buyer.email,
                phone=self.buyer.phone,
                firstname=self.buyer.first_name,
                lastname=self.buyer.last_name,
                address=self.buyer.address,
                city=self.buyer.city,
                state=self.buyer.state,
                country=self.buyer.country,
                pincode=self.buyer.pincode,
            ),
            channels=self.channels,
            customvar=self.custom_var,
            payer_account=payments.PayerAccount(number=account, ifsc=ifsc)
            if account or ifsc
            else None,
            txnsubtype=self._subtype(),
            subscription=self.subscription.asked if self.subscription else None,
            uid=self.customer_id,
            saved_card=self.saved_card,
        )

    def _subtype(self) -> str:
        if (
            self.authorise_only + self.moto + bool(self.instalment_months) + bool(self.subscription)
            > 1
        ):
            allowed = "one of authorise_only, moto, instalment_months and subscription"
            raise InvalidOrderError("txnsubtype", "several", allowed)
        if self.subscription:
            return payments.SUBSCRIPTION
        if self.instalment_months:
            if self.instalment_months not in _EMI_SUBTYPES:
                allowed = ", ".join(map(str, _EMI_SUBTYPES))
                raise InvalidOrderError("instalment_months", str(self.instalment_months), allowed)
            return _EMI_SUBTYPES[self.instalment_months]
        if self.authorise_only:
            return payments.AUTHORISE
        return payments.MOTO if self.moto else payments.SALE


@dataclass(frozen=True, slots=True)
class PaymentForm:
    """The form a customer's browser has to POST to reach the payment page.

    See docs/spec/payment-interfaces.md#payment.
    action_url: carries a short-lived access token: render the form at once, never store or log it.
    fields: the hidden inputs, names and values. Templates must escape them; `html` does.
    """

    action_url: str = field(repr=False)
    fields: Mapping[str, str] = field(repr=False)

    def html(
        self,
        *,
        nonce: str = "",
        title: str = "Going to the payment page",
        button: str = "Continue to pay",
    ) -> str:
        """Return a whole HTML page that submits itself, with a button where scripts are off.

        nonce: of the merchant's Content-Security-Policy, for the one inline script. The policy's
        `form-action` must allow the payment page's host.
        title, button: plain text in the customer's language; escaped here.
        """
        inputs = "\n".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
            for name, value in self.fields.items()
        )
        nonce_attribute = f' nonce="{html.escape(nonce)}"' if nonce else ""
        return _DOCUMENT.format(
            action=html.escape(self.action_url),
            inputs=inputs,
            nonce=nonce_attribute,
            title=html.escape(title),
            button=html.escape(button),
        )


# The policy "origin" lets the gateway see which shop sent the customer, but no private page of the
# shop.
_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="origin">
<title>{title}</title>
</head>
<body>
<form id="hundi-payment" method="post" action="{action}" accept-charset="utf-8">
{inputs}
<p>{title}…</p>
<button type="submit">{button}</button>
</form>
<script{nonce}>document.getElementById("hundi-payment").submit()</script>
</body>
</html>
"""


def paise(text: str) -> int:
    """Return a plain decimal in whole paise, `1499.50` → 149950, by the gateway's own rule.

    Raises InvalidOrderError: at most 10 digits, at most two places, above zero, nothing else in the
    text.
    """
    try:
        return wire_fields.paise_from_text(text)
    except wire_fields.FieldError as error:
        raise InvalidOrderError(error.field, error.received, error.allowed) from error
