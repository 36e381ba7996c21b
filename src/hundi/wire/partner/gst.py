"""GST verification and GST calculator: the operations and their messages.

See docs/spec/partner-interfaces.md#gst-verification and
docs/spec/partner-interfaces.md#gst-calculator.
"""

from decimal import Decimal

from hundi.wire import kinds
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.message import message, sent
from hundi.wire.partner import kinds as own
from hundi.wire.partner.operation import PartnerOperation


def _read_gstin(text: str, name: str) -> str:
    """Return a GSTIN in capitals; partners/gst checks its form."""
    if not text.strip():
        raise FieldError(name, "", "15 characters, such as 27AAPFU0939F1ZV")
    return text.strip().upper()


GSTIN = kinds.written(
    _read_gstin,
    "15 characters, the last one a check character",
    r"^[0-9]{2}([A-Z]{4}[A-Z0-9][0-9]{4}[A-Z][1-9A-Z][1-9A-JZ]|[0-9]{2}[A-Z]{3}[0-9]{5}(NR|OS|UN|ON))[0-9A-Z]$",
    "27AAPFU0939F1ZV",
)


@message()
class RegistrationRequest:
    """A business to look up."""

    gstin: str = sent(GSTIN)


@message()
class BusinessAddress:
    """A business's place of work. nature: what it does there. updated: DD/MM/YYYY."""

    kind: str = sent(kinds.WORDS, "addr")
    nature: str = sent(kinds.WORDS, "ntr")
    full: str = sent(kinds.WORDS, "adr")
    email: str = sent(kinds.WORDS, "em")
    updated: str = sent(kinds.WORDS, "lastUpdatedDate")
    mobile: str = sent(kinds.WORDS, "mb")


@message()
class BusinessContact:
    """A business's contact; each field may be unknown."""

    email: str | None = sent(own.TEXT_OR_NULL)
    mobile: str | None = sent(own.TEXT_OR_NULL, "mobNum")
    name: str | None = sent(own.TEXT_OR_NULL)


@message()
class Registration:
    """A business as the GST register has it; dates are DD/MM/YYYY."""

    state_jurisdiction_code: str = sent(kinds.WORDS, "stjCd")
    state_jurisdiction: str = sent(kinds.WORDS, "stj")
    legal_name: str = sent(kinds.NAME, "lgnm")
    trade_name: str = sent(kinds.WORDS, "tradeNam")
    taxpayer_type: str = sent(kinds.WORDS, "dty")
    constitution: str = sent(kinds.WORDS, "ctb")
    status: str = sent(kinds.NAME, "sts")
    gstin: str = sent(kinds.NAME)
    registered_on: str = sent(kinds.WORDS, "rgdt")
    updated_on: str = sent(kinds.WORDS, "lstupdt")
    cancelled_on: str = sent(kinds.WORDS, "cxdt")
    centre_jurisdiction_code: str = sent(kinds.WORDS, "ctjCd")
    centre_jurisdiction: str = sent(kinds.WORDS, "ctj")
    activities: tuple[str, ...] = sent(kinds.TEXTS, "nba")
    principal: BusinessAddress = sent(own.one(BusinessAddress), "pradr")
    additional: tuple[BusinessAddress, ...] = sent(kinds.objects(BusinessAddress), "adadr")
    members: tuple[str, ...] = sent(kinds.TEXTS, "mbr")
    cancel_flag: str = sent(kinds.WORDS, "canFlag")
    compliance_rating: str = sent(kinds.WORDS, "cmpRt")
    preparer: str = sent(kinds.WORDS, "ppr")
    contact: BusinessContact = sent(own.one(BusinessContact), "contacted")


@message()
class CalculationRequest:
    """The amounts for a GST calculation. profit: per cent of the cost. rate: per cent."""

    cost_paise: int = sent(kinds.AMOUNT, "cost")
    profit: Decimal = sent(own.per_cent("Per cent of the cost", "10"))
    rate: Decimal = sent(own.per_cent("The rate in per cent", "18"), "gst")
    same_state: bool = sent(own.yes_or_no("Y: SGST and CGST, half the rate each. N: IGST"))


@message()
class Taxes:
    """The taxes on an amount, in paise; None for one that does not apply."""

    sgst_paise: int | None = sent(own.TAX, "sgst")
    cgst_paise: int | None = sent(own.TAX, "cgst")
    igst_paise: int | None = sent(own.TAX, "igst")


@message()
class Taxed:
    """An amount and the taxes on top of it, in paise; None for a tax that does not apply."""

    paise: int = sent(own.RUPEES, "amount")
    taxes: Taxes = sent(own.one(Taxes), "gst")

    @property
    def sgst_paise(self) -> int | None:
        """The state's tax."""
        return self.taxes.sgst_paise

    @property
    def cgst_paise(self) -> int | None:
        """The centre's tax."""
        return self.taxes.cgst_paise

    @property
    def igst_paise(self) -> int | None:
        """The tax between states."""
        return self.taxes.igst_paise


@message()
class GstCalculation:
    """GST on a cost and on the profit on top of it, in paise."""

    cost: Taxed = sent(own.one(Taxed))
    profit: Taxed = sent(own.one(Taxed))
    total_gst_paise: int = sent(own.RUPEES, "total_gst")
    total_paise: int = sent(own.RUPEES, "total_amount")


VERIFICATION = PartnerOperation(
    "gst-verification",
    "gstVerification",
    "registration",
    "Look up a registration for GST",
    "partner-interfaces.md#gst-verification",
    ("/ms/baas/api/gst-verification",),
    RegistrationRequest,
    Registration,
    "keys",
    codes=(Code.NO_RECORDS, Code.PROVIDER_SILENT),
)
CALCULATOR = PartnerOperation(
    "gst-calculator",
    "gstCalculator",
    "calculate",
    "Compute GST on a cost and a profit",
    "partner-interfaces.md#gst-calculator",
    ("/ms/baas/api/gst-calculator",),
    CalculationRequest,
    GstCalculation,
    "keys",
)
