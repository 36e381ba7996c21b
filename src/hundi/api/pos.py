"""POS bulk transaction detail (auxiliary interfaces, Endpoint 8): no credential, so an allow-list guards it."""

import structlog
from asyncpg import Record

from hundi.access import actions as access
from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner_pipeline import JSON_HEADERS, read_parameters
from hundi.api.pipeline import caller_address
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import request_reference
from hundi.kernel.refusals import Refusal, RefusalCode, Refused
from hundi.pos import actions as pos
from hundi.wire import partners
from hundi.wire import pos as wire
from hundi.wire.pos import Sold

_log = structlog.get_logger(__name__)


async def listing(gateway: Gateway, inbound: Inbound) -> Reply:
    """Return what was sold through a terminal in the last 24 hours."""
    request_id = request_reference()
    try:
        reply = await _listing(gateway, inbound, request_id)
    except Exception as problem:  # noqa: BLE001 (every problem becomes a reply; ours is logged with its trace)
        refusal = replies.refusal_of(problem)
        if refusal is None:
            _log.error("pos_listing_failed", request_id=request_id, exc_info=problem)
            refusal = Refusal(RefusalCode.OURS)
        reply = wire.failure(replies.CODE_OF[refusal.code].wire, replies.words(refusal))
    return Reply(partners.encode(reply), headers=(*JSON_HEADERS, (b"x-request-id", request_id.encode())))


async def _listing(gateway: Gateway, inbound: Inbound, request_id: str) -> dict[str, object]:
    asked = wire.parse(await read_parameters(inbound))
    address, now = caller_address(inbound, gateway), utc_now()
    merchant = await gateway.directory.get(asked.merchant_id)
    if merchant is None:
        # The same as for an address that is not listed: the interface tells nobody who is a merchant.
        raise Refused(Refusal(RefusalCode.ADDRESS_NOT_LISTED))
    try:
        rows = await pos.listing(gateway.db, merchant, asked.terminal_id, address, now)
    except Refused as refused:
        words = replies.words(refused.refusal)
        await access.keep_refusal(
            gateway.db,
            merchant.merchant_id,
            request_id,
            "pos",
            refused.refusal,
            words,
            address,
            now,
            proven=False,
        )
        raise
    return wire.success(asked, (_sold(row) for row in rows))


def _sold(row: Record) -> Sold:
    return Sold(
        transaction_id=row["transaction_id"],
        table_no=row["table_no"],
        amount_paise=row["amount_paise"],
        masked_mobile=row["masked_mobile"],
        kind=row["kind"],
        edited_paise=row["edited_paise"],
    )
