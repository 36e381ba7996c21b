"""The messages between acquirer and gateway about banks, wallets and instalments."""

from typing import Annotated, Literal

import msgspec

from hundi_testbed.bank.messages import Address, AmountPaise, BankMandateRequest, Reference, Text


class RedirectRequest(msgspec.Struct, frozen=True):
    """Redirect a customer to the pages of a bank or wallet."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Literal["INR"]
    method: Literal["netbanking", "wallet", "pay_later", "enach"]
    bank_code: Annotated[str, msgspec.Meta(max_length=8)]
    return_url: Address
    mandate: BankMandateRequest | None = None
    payee_name: Text = ""


class RedirectAnswer(msgspec.Struct, frozen=True, tag_field="status", tag="challenge"):
    """A redirect. challenge_url: the customer's next page. authentication_id: its id."""

    authentication_id: str
    challenge_url: str


class ListedBankAnswer(msgspec.Struct, frozen=True):
    """One bank or wallet."""

    method: str
    code: str
    name: str


class BankListAnswer(msgspec.Struct, frozen=True):
    """All banks and wallets."""

    banks: list[ListedBankAnswer]
    status: str = "done"


class PlanAnswer(msgspec.Struct, frozen=True):
    """An EMI plan: months, yearly rate in basis points, least amount in paise, who pays it."""

    bank_code: str
    months: int
    annual_rate_bps: int
    minimum_paise: int
    no_cost: bool


class PlansAnswer(msgspec.Struct, frozen=True):
    """All plans."""

    plans: list[PlanAnswer]
    status: str = "done"
