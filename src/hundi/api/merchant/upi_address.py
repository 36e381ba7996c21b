"""Validate UPI address (docs/spec/payment-interfaces.md#validatevpa)."""

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.payments.methods.upi import actions as upi
from hundi.wire.merchant.upi_address import (
    NOT_REGISTERED,
    REGISTERED,
    VALIDATE,
    UpiAddress,
    ValidateVpaRequest,
)


async def validate(context: MerchantRequest, asked: ValidateVpaRequest) -> Answer[UpiAddress]:
    """Return whether a UPI address is registered, and the holder's name."""
    gateway = context.gateway
    name = await upi.check_address(
        gateway.payments, gateway.upi_addresses, context.sender, asked.address, context.now
    )
    told = UpiAddress(
        address=asked.address,
        is_registered=name is not None,
        name=name or "",
        status=NOT_REGISTERED if name is None else REGISTERED,
        message="The address is not registered" if name is None else "The address is registered",
    )
    return Answer(told, told.message)


HANDLERS = {VALIDATE: serving(VALIDATE, validate)}
