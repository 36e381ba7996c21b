"""POS bulk transaction detail: no credential, so an allow-list guards it.

See docs/spec/partner-interfaces.md#pos.
"""

from dataclasses import replace

import structlog

from hundi.api import replies
from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.pipeline import caller_address
from hundi.api.partner.pipeline import ANSWERED, JSON_HEADERS, read_parameters
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import request_reference
from hundi.kernel.refusals import Refusal, RefusalCode, Refused
from hundi.merchants.access import actions as access
from hundi.partners.pos import actions as pos
from hundi.partners.pos.rules import Kept
from hundi.wire.codes import Code
from hundi.wire.partner import envelope as partners
from hundi.wire.partner import pos as wire
from hundi.wire.partner.pos import Sold

_NAME = "pos"
LISTINGS_A_MINUTE_MAX = 600
"""Of one merchant, in one process (docs/spec/partner-interfaces.md#pos-listing)."""
_log = structlog.get_logger(__name__)


async def listing(gateway: Gateway, inbound: Inbound) -> Reply:
    """Return what was sold through a terminal in the last 24 hours."""
    request_id, code = request_reference(), Code.SUCCESS
    try:
        reply = await _listing(gateway, inbound, request_id)
    except Exception as problem:  # noqa: BLE001 (every problem becomes a reply; ours is logged with its trace)
        refusal = replies.refusal_of(problem)
        if refusal is None:
            _log.error("pos_listing_failed", request_id=request_id, exc_info=problem)
            refusal = Refusal(RefusalCode.OURS)
        code = replies.CODE_OF[refusal.code]
        reply = wire.failure(code.wire, replies.words(refusal))
    ANSWERED.labels(_NAME, code.wire).inc()
    return Reply(partners.encode(reply), headers=(*JSON_HEADERS, (b"x-request-id", request_id.encode())))


async def _listing(gateway: Gateway, inbound: Inbound, request_id: str) -> dict[str, object]:
    asked = wire.parse(await read_parameters(inbound))
    address, now = caller_address(inbound, gateway), utc_now()
    merchant = await gateway.directory.get(asked.merchant_id)
    if merchant is None:
        # The same as for an address that is not listed: the interface tells nobody who is a merchant.
        raise Refused(Refusal(RefusalCode.ADDRESS_NOT_LISTED))
    try:
        pos.check_asker(merchant, address)
        # Only who is on the list is counted: nobody else can use up what it may ask.
        gateway.partners.rates.count(str(merchant.merchant_id), _NAME, LISTINGS_A_MINUTE_MAX, now.timestamp())
        sold = await pos.listing(gateway.db, merchant, asked.terminal_id, now)
    except Refused as refused:
        # Without what was sent: nobody has proven anything, and it may be somebody's number.
        words = replies.CODE_OF[refused.refusal.code].words
        kept = replace(refused.refusal, received="")
        of = merchant.merchant_id
        await access.keep_refusal(gateway.db, of, request_id, _NAME, kept, words, address, now, proven=False)
        raise
    return wire.success(asked, (_sold(each) for each in sold))


def _sold(kept: Kept) -> Sold:
    return Sold(
        transaction_id=kept.transaction_id,
        table_no=kept.table_no,
        amount_paise=kept.amount_paise,
        masked_mobile=kept.masked_mobile,
        kind=kept.kind,
        edited_paise=kept.edited_paise,
    )
