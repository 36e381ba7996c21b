"""The JSON messages of payouts and checks of accounts."""

from typing import Annotated, Literal

import msgspec

from hundi_testbed.bank.messages import AmountPaise, Reference

_Account = Annotated[str, msgspec.Meta(pattern=r"^[A-Z0-9]{4,34}\Z")]
_Ifsc = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{4}0[A-Z0-9]{6}\Z")]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class CheckRequest(msgspec.Struct, frozen=True):
    """Check an account by paying one rupee into it."""

    reference: Reference
    account: _Account
    ifsc: _Ifsc
    holder: _Name

    def __repr__(self) -> str:
        """Hide the account: this value reaches tracebacks."""
        return f"CheckRequest({self.reference})"


class CheckAnswer(msgspec.Struct, frozen=True):
    """The account's holder. status: registered or not_registered.

    code: why there is none. score: how far the name is the one that was asked about.
    """

    status: str
    name: str = ""
    code: str = ""
    score: int | None = None


class BalanceQuestion(msgspec.Struct, frozen=True):
    """Ask for the balance that payouts leave from. reference: of the question."""

    reference: str = ""


class BalanceAnswer(msgspec.Struct, frozen=True):
    """That balance."""

    status: str
    amount_paise: int
    currency: str = "INR"


class PurseRequest(msgspec.Struct, frozen=True):
    """Set that balance; None for one that is always enough."""

    available_paise: AmountPaise | None = None


class PayoutEvent(msgspec.Struct, frozen=True):
    """A webhook: a payout has changed."""

    event_id: str
    reference: str
    kind: str = "payout"


class PayoutRequest(msgspec.Struct, frozen=True):
    """Pay an amount out to an account."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Literal["INR"]
    rail: Literal["imps", "neft", "rtgs"]
    account: _Account
    ifsc: _Ifsc
    holder: _Name

    def __repr__(self) -> str:
        """Hide the account: this value reaches tracebacks."""
        return f"PayoutRequest({self.reference})"


class PayoutQuestion(msgspec.Struct, frozen=True):
    """Ask for the state of a payout."""

    reference: str


class PayoutAnswer(msgspec.Struct, frozen=True):
    """The state of a payout.

    status: done, pending, approval, queued, processing, deemed, declined, returned, not_found, or
    not_taken for one that was refused as a whole.

    rrn: its UTR.
    """

    status: str
    code: str = ""
    message: str = ""
    rrn: str = ""
    amount_paise: int = 0
    currency: str = ""
