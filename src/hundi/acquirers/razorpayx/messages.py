"""RazorpayX's messages as types.

Sources: github.com/razorpay/markdown-docs, api/x/**, commit ab3bda5f.
"""

from typing import Annotated, Any

import msgspec

from hundi.acquirers.calls.razorpay_wire import Id, Text, Word

AMOUNT_PAISE_MAX = 9_999_999_999_999
"""The largest amount that is accepted from RazorpayX."""
_Paise = Annotated[int, msgspec.Meta(ge=0, le=AMOUNT_PAISE_MAX)]
_Balance = Annotated[int, msgspec.Meta(ge=-AMOUNT_PAISE_MAX, le=AMOUNT_PAISE_MAX)]
_Currency = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}\Z")]
_Moment = Annotated[int, msgspec.Meta(ge=0, le=2**40)]


class StatusDetails(msgspec.Struct, frozen=True):
    """Why something is where it is. source: gateway, beneficiary_bank, business or internal."""

    description: Text | None = None
    source: Word | None = None
    reason: Word | None = None


class ShownBankAccount(msgspec.Struct, frozen=True):
    """A bank account, as far as RazorpayX shows it."""

    ifsc: Word | None = None
    account_number: Word | None = None


class FundAccount(msgspec.Struct, frozen=True):
    """RazorpayX's record of an account that money is paid to."""

    bank_account: ShownBankAccount | None = None


class RazorpayxPayout(msgspec.Struct, frozen=True):
    """A payout: `reference_id` is our reference.

    amount: without RazorpayX's fee. fees: with the tax, which is told beside it.
    """

    id: Id
    amount: _Paise
    currency: _Currency
    status: Word
    reference_id: Word | None = None
    utr: Word | None = None
    fund_account: FundAccount | None = None
    status_details: StatusDetails | None = None
    failure_reason: Text | None = None
    fees: _Paise | None = None
    tax: _Paise | None = None
    created_at: _Moment = 0


class RazorpayxPayouts(msgspec.Struct, frozen=True):
    """A list of payouts."""

    items: tuple[RazorpayxPayout, ...]


class ValidationResult(msgspec.Struct, frozen=True):
    """What a bank said of an account.

    account_status: active, in other samples valid; or invalid. name_match_score: a number, or its
    text.
    """

    account_status: Word | None = None
    registered_name: Text | None = None
    details: Text | None = None
    name_match_score: int | float | Word | None = None


class RazorpayxValidation(msgspec.Struct, frozen=True):
    """A check of a bank account, in both of its published forms.

    status: created, completed or failed; completed does not mean that the account is good.
    """

    id: Id
    status: Word
    reference_id: Word | None = None
    notes: Any = None
    fund_account: FundAccount | None = None
    validation_results: ValidationResult | None = None
    results: ValidationResult | None = None
    status_details: StatusDetails | None = None


class RazorpayxValidations(msgspec.Struct, frozen=True):
    """A list of checks."""

    items: tuple[RazorpayxValidation, ...]


class BankingBalance(msgspec.Struct, frozen=True):
    """The balance of an account. available_amount: what can leave."""

    account_number: Word
    available_amount: _Balance
    refreshed_at: _Moment
    currency: _Currency = "INR"


class BankingBalances(msgspec.Struct, frozen=True):
    """The balances of all accounts."""

    items: tuple[BankingBalance, ...]
