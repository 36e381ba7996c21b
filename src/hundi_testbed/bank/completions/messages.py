"""The JSON messages of captures and voids."""

import msgspec

from hundi_testbed.bank.messages import AmountPaise, Reference


class BankCaptureRequest(msgspec.Struct, frozen=True):
    """Capture an authorised amount or a part of it. original: the authorised reference."""

    original: Reference
    amount_paise: AmountPaise
    currency: str


class BankVoidRequest(msgspec.Struct, frozen=True):
    """Void an authorisation. original: the authorised reference."""

    original: Reference


class CompletionAnswer(msgspec.Struct, frozen=True):
    """The result of a capture or void.

    status: paid, voided or declined. amount_paise: the captured amount.
    """

    status: str
    code: str
    message: str
    rrn: str = ""
    amount_paise: int = 0
    currency: str = "INR"
