"""POS transaction detail has no credential, so a list of allowed addresses guards it.

See docs/spec/partner-interfaces.md#pos.
"""

from typing import Any

from hundi.api import cures, replies
from hundi.api.endpoint import EndpointPolicy, RequestContext
from hundi.api.partner.endpoint import Answer, limit_alone, partner_reply, refused_as
from hundi.api.partner.operations import serving_by
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.merchants.access import actions as access
from hundi.merchants.directory.rules import Merchant
from hundi.partners.pos import actions as pos
from hundi.partners.pos.rules import SaleRecord
from hundi.wire.partner.operation import PartnerOperation
from hundi.wire.partner.pos import (
    DETAIL,
    LISTING,
    SaleRequest,
    SalesRequest,
    TerminalSale,
    TerminalSales,
    merchant_of,
)


class AddressAuthentication:
    """Allows a merchant's listing to the addresses on the merchant's list."""

    async def authenticate(self, context: RequestContext[Merchant]) -> None:
        """Find the merchant and check the caller's address. Raises Refused and FieldError."""
        merchant = context.claimed = await context.gateway.directory.get(
            merchant_of(context.parameters)
        )
        if merchant is None:
            # The same as for an address that is not listed: the interface shows nobody who is a
            # merchant.
            raise refuse(RefusalCode.ADDRESS_NOT_LISTED)
        pos.check_asker(merchant, context.address)
        context.authenticated = True

    async def open(self, context: RequestContext[Merchant]) -> None:
        """Count the call. Raises Refused."""
        # Only listed addresses are counted: nobody else can use up the merchant's limit.
        caller, now_s = str(context.sender.merchant_id), context.now.timestamp()
        most = context.sender.settings.pos_listings_a_minute
        rates = context.gateway.partners.rates
        rates.count(caller, context.endpoint, most, now_s, "pos_listings_a_minute")

    def sender_id(self, sender: Merchant) -> str:
        """Return the merchant id."""
        return str(sender.merchant_id)

    async def record(self, context: RequestContext[Merchant], refusal: Refusal | None) -> None:
        """Record a refusal for the merchant, without the received values."""
        merchant = context.claimed
        if refusal is None or merchant is None:
            return
        await access.keep_refusal(
            context.gateway.db,
            merchant.merchant_id,
            context.request_id,
            context.endpoint,
            # Nobody has proven anything, and the received value may be somebody's number.
            replace(refusal, received=""),
            replies.CODE_OF[refusal.code].words,
            context.address,
            context.now,
            proven=False,
            explained={
                "settings": cures.commands(merchant.merchant_id, merchant.settings, refusal)
            },
        )


def _policy(operation: PartnerOperation[Any, Any]) -> EndpointPolicy[Merchant, Answer]:
    refused = refused_as(operation.shape.failure)
    return EndpointPolicy(
        operation.name, AddressAuthentication(), refused, partner_reply, limit_alone
    )


async def _listing(context: RequestContext[Merchant], asked: SalesRequest) -> TerminalSales:
    """Return a terminal's sales of the last 24 hours."""
    sold = await pos.listing(context.gateway.db, context.sender, asked.terminal_id, context.now)
    return TerminalSales(
        merchant_id=int(asked.merchant_id),
        unique_id=int(asked.unique_id),
        sales=tuple(map(_sold, sold)),
    )


async def _detail(context: RequestContext[Merchant], asked: SaleRequest) -> TerminalSales:
    """Return one transaction of a terminal, by the terminal's own reference."""
    sold = await pos.find(context.gateway.db, context.sender, asked.terminal_id, asked.reference)
    unique_id = int(asked.unique_id) if asked.unique_id.isdecimal() else asked.unique_id
    return TerminalSales(
        merchant_id=int(asked.merchant_id), unique_id=unique_id, sales=(_sold(sold),)
    )


def _sold(kept: SaleRecord) -> TerminalSale:
    return TerminalSale(
        transaction_id=kept.transaction_id,
        table_no=kept.table_no,
        amount_paise=kept.amount_paise,
        masked_mobile=kept.masked_mobile,
        kind=kept.kind,
        edited_paise=kept.edited_paise,
    )


HANDLERS = {
    LISTING: serving_by(_policy(LISTING), LISTING, _listing),
    DETAIL: serving_by(_policy(DETAIL), DETAIL, _detail),
}
