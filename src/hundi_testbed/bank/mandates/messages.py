"""The JSON messages of mandates: notices, debits, ends."""

from datetime import datetime
from typing import Annotated

import msgspec

from hundi_testbed.bank.messages import AmountPaise, Reference

PeriodNo = Annotated[int, msgspec.Meta(ge=1, le=999_999)]


class NoticeRequest(msgspec.Struct, frozen=True):
    """Announce a debit to the customer. reference: of this notice. debit_at: its earliest time."""

    reference: Reference
    mandate: Reference
    period_no: PeriodNo
    amount_paise: AmountPaise
    debit_at: datetime


class DebitRequest(msgspec.Struct, frozen=True):
    """Debit a customer by a mandate.

    reference: of this debit. notice: what the bank calls its notice.
    """

    reference: Reference
    mandate: Reference
    period_no: PeriodNo
    amount_paise: AmountPaise
    currency: str
    notice: str = ""


class NamedMandate(msgspec.Struct, frozen=True):
    """A mandate to end, or to inquire about."""

    mandate: Reference


class MandateAnswer(msgspec.Struct, frozen=True):
    """The result of a call about a mandate.

    status: done or declined; of an inquiry how it stands, or not_found. name, debit_from: of a
    notice, and when the bank takes its debit at the earliest.
    """

    status: str
    code: str = ""
    message: str = ""
    name: str = ""
    debit_from: datetime | None = None


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
