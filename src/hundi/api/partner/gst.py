"""GST verification and GST calculator.

See docs/spec/partner-interfaces.md#gst-verification and
docs/spec/partner-interfaces.md#gst-calculator.
"""

from dataclasses import asdict

from hundi.api.partner.endpoint import PartnerRequest
from hundi.api.partner.operations import serving
from hundi.partners.gst import rules
from hundi.wire.partner.gst import (
    CALCULATOR,
    VERIFICATION,
    BusinessAddress,
    BusinessContact,
    CalculationRequest,
    GstCalculation,
    Registration,
    RegistrationRequest,
    Taxed,
    Taxes,
)


async def _verification(context: PartnerRequest, asked: RegistrationRequest) -> Registration:
    """Return the registration of a GSTIN."""
    found = asdict(
        await context.gateway.partners.registrations.find(context.sender, asked.gstin, context.now)
    )
    places = {
        "principal": BusinessAddress(**found["principal"]),
        "additional": tuple(BusinessAddress(**each) for each in found["additional"]),
        "contact": BusinessContact(**found["contact"]),
    }
    return Registration(**found | places)


async def _calculator(_: PartnerRequest, asked: CalculationRequest) -> GstCalculation:
    """Return GST on a cost and a profit."""
    found = rules.calculate(asked.cost_paise, asked.profit, asked.rate, same_state=asked.same_state)
    return GstCalculation(
        cost=_taxed(found.cost),
        profit=_taxed(found.profit),
        total_gst_paise=found.total_tax_paise,
        total_paise=found.total_paise,
    )


def _taxed(found: rules.TaxedAmount) -> Taxed:
    taxes = Taxes(
        sgst_paise=found.sgst_paise, cgst_paise=found.cgst_paise, igst_paise=found.igst_paise
    )
    return Taxed(paise=found.paise, taxes=taxes)


HANDLERS = {
    VERIFICATION: serving(VERIFICATION, _verification),
    CALCULATOR: serving(CALCULATOR, _calculator),
}
