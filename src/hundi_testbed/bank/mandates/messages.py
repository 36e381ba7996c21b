"""The JSON messages of mandates: notices, debits, ends."""

from datetime import datetime
from typing import Annotated

import msgspec

from hundi_testbed.bank.messages import AmountPaise, Reference

PeriodNo = Annotated[int, msgspec.Meta(ge=1, le=999_999)]


class NoticeRequest(msgspec.Struct, frozen=True):
    """Announce a debit to the customer. debit_at: its earliest time."""

    mandate: Reference
    period_no: PeriodNo
    amount_paise: AmountPaise
    debit_at: datetime


class DebitRequest(msgspec.Struct, frozen=True):
    """Debit a customer by a mandate. reference: of this debit."""

    reference: Reference
    mandate: Reference
    period_no: PeriodNo
    amount_paise: AmountPaise
    currency: str


class EndRequest(msgspec.Struct, frozen=True):
    """End a mandate."""

    mandate: Reference


class MandateAnswer(msgspec.Struct, frozen=True):
    """The result of a notice or an end. status: done or declined."""

    status: str
    code: str = ""
    message: str = ""


class DebitAnswer(msgspec.Struct, frozen=True):
    """The result of a debit. status: paid, declined or pending."""

    status: str
    code: str
    message: str
    rrn: str
    amount_paise: int
    currency: str
    payer_vpa: str
    approval_code: str
