"""GST verification and GST calculator.

See docs/spec/partner-interfaces.md#gst-verification and docs/spec/partner-interfaces.md#gst-calculator.
"""

from dataclasses import asdict

from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner.endpoint import PartnerAuthentication, PartnerRequest, partner_endpoint
from hundi.partners.gst import rules
from hundi.partners.gst.rules import Taxed
from hundi.wire.partner import gst as wire
from hundi.wire.partner.envelope import success
from hundi.wire.partner.gst import TaxedAmount

VERIFICATION = partner_endpoint("gst-verification", PartnerAuthentication(wire.VERIFICATION))
CALCULATOR = partner_endpoint("gst-calculator", PartnerAuthentication(wire.CALCULATOR))


async def verification(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return the registration of a GSTIN."""
    return await serve(gateway, inbound, VERIFICATION, _verification)


async def calculator(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return GST on a cost and a profit."""
    return await serve(gateway, inbound, CALCULATOR, _calculator)


async def _verification(context: PartnerRequest) -> dict[str, object]:
    gstin = wire.parse_verification(context.parameters)
    found = await context.gateway.partners.registrations.find(context.sender, gstin, context.now)
    return success(wire.registration_data(asdict(found)))


async def _calculator(context: PartnerRequest) -> dict[str, object]:
    asked = wire.parse_calculator(context.parameters)
    found = rules.calculate(asked.cost_paise, asked.profit, asked.rate, same_state=asked.same_state)
    amounts = _amount(found.cost), _amount(found.profit)
    return success(wire.calculator_data(*amounts, found.total_tax_paise, found.total_paise))


def _amount(taxed: Taxed) -> TaxedAmount:
    return TaxedAmount(taxed.paise, taxed.sgst_paise, taxed.cgst_paise, taxed.igst_paise)
