"""Callbacks of acquirers.

One with a right signature is believed, any other makes us ask the acquirer.
"""

from datetime import datetime
from http import HTTPStatus
from typing import cast

import structlog

from hundi.acquirers.port.checkout import SendsTriggers
from hundi.acquirers.port.mandates import ReportsMandates
from hundi.acquirers.port.payments import ReportsSales, SpeaksBack
from hundi.acquirers.port.terminals import TerminalSale
from hundi.api.addresses import CALLBACK
from hundi.api.context import GatewayContext
from hundi.api.endpoint import caller_address
from hundi.api.inbound import Inbound, Reply
from hundi.kernel.clock import utc_now, world_now
from hundi.kernel.ids import parse_refund_reference
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.partners.pos import actions as pos
from hundi.partners.pos.rules import Kind, Sale
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.disputes import actions as disputes
from hundi.payments.refunds import actions as refunds
from hundi.payments.subscriptions import actions as subscriptions

CALLBACK_BYTES_MAX = 16 * 1024
TAKEN = HTTPStatus.OK
"""To senders of triggers: some count 200 alone as taken, and send anything else again."""
REFERENCES_MAX = 20
"""What one webhook may have asked about; acquirers name one or two."""
_log = structlog.get_logger(__name__)


async def bank_callback(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Handle an acquirer's callback and return its HTTP status.

    204: taken in. 200: a webhook that only says when to ask is proven, and the wish is written.
    401: the signature is wrong. 413: the body is too large. 404: there is no such acquirer. Of a
    sale at a terminal: 409 while the terminal is unknown, 422 when the sale can never be kept. Of a
    mandate that its customer ended: 409 while we do not know of its approval. Of a dispute: 409
    while the bank does not confirm it, or its payment is not known here.
    """
    name = _named(inbound)
    connector, triggering = gateway.connectors.speaking(name), gateway.connectors.triggering(name)
    if connector is None and triggering is None:
        return Reply(status=404)
    body = await inbound.body(CALLBACK_BYTES_MAX)
    if body is None:
        return Reply(status=413)
    now = utc_now()
    signed_s = int(world_now().timestamp())
    told = (
        await _triggered(gateway, inbound, triggering, body, now)
        if triggering is not None
        else None
    )
    if told is not None:
        return Reply(status=told)
    if connector is None:
        _log.warning("callback_refused", connector=name, bytes=len(body))
        return Reply(status=401)
    word = connector.read_callback(inbound.headers(), body, now_s=signed_s)
    if word is None:
        status = await _other_news(gateway, connector, inbound, body, now)
        if status is None:
            _log.warning("callback_refused", connector=name, bytes=len(body))
            await asking.ask_soon(gateway.payments, name, connector.claimed_reference(body), now)
        return Reply(status=status or 401)
    _known(gateway, inbound)
    if parse_refund_reference(word.reference):
        await refunds.handle_callback(gateway.payments, name, word, now)
    else:
        await answers.handle_callback(gateway.payments, name, word, now)
    return Reply(status=204)


async def _triggered(
    gateway: GatewayContext, inbound: Inbound, connector: SendsTriggers, body: bytes, now: datetime
) -> int | None:
    """Have everything asked about that a proven webhook names.

    Return the HTTP status, None for what is not proven.

    It says nothing of what happened: its acquirer is asked, also about what came to nothing here.
    Written on return.
    """
    name = _named(inbound)
    # A webhook about a dispute names the payment as well, which has nothing new to say.
    told = await _disputed(gateway, inbound, body, now)
    if told is not None:
        return TAKEN if told == HTTPStatus.NO_CONTENT else told
    trigger = connector.read_trigger(inbound.headers(), body, now_s=int(world_now().timestamp()))
    if trigger is None:
        return None
    _known(gateway, inbound)
    for reference in trigger.references[:REFERENCES_MAX]:
        if parse_refund_reference(reference):
            await refunds.ask_now(gateway.payments, name, reference, now)
        else:
            await asking.ask_now(gateway.payments, name, reference, now)
    return TAKEN


async def _other_news(
    gateway: GatewayContext, connector: SpeaksBack, inbound: Inbound, body: bytes, now: datetime
) -> int | None:
    """Take in what is no word about a payment, and return the HTTP status.

    None for what is not proven.
    """
    headers, signed_s = inbound.headers(), int(world_now().timestamp())
    if isinstance(connector, ReportsSales) and (
        sale := connector.read_sale(headers, body, now_s=signed_s)
    ):
        _known(gateway, inbound)
        return await _kept(gateway, _named(inbound), sale, now)
    if isinstance(connector, ReportsMandates) and (
        mandate := connector.read_mandate_end(headers, body, now_s=signed_s)
    ):
        _known(gateway, inbound)
        return (
            204
            if await subscriptions.ended_at_bank(gateway.db, _named(inbound), mandate, now)
            else 409
        )
    return await _disputed(gateway, inbound, body, now)


async def _disputed(
    gateway: GatewayContext, inbound: Inbound, body: bytes, now: datetime
) -> int | None:
    """Take in what is proven to be about a dispute, and return the HTTP status.

    None for anything else.
    """
    name, headers, signed_s = _named(inbound), inbound.headers(), int(world_now().timestamp())
    dispute = gateway.connectors.read_dispute(name, headers, body, now_s=signed_s)
    if dispute is None:
        return None
    _known(gateway, inbound)
    return 204 if await disputes.handle_callback(gateway.payments, name, dispute, now) else 409


def _named(inbound: Inbound) -> str:
    """Return the name of the acquirer at whose address a message came in."""
    return inbound.path.removeprefix(CALLBACK).rstrip("/")


def _known(gateway: GatewayContext, inbound: Inbound) -> None:
    """Remember that an acquirer's signature held.

    From where it comes, it may tell more, and do nothing else.

    What some acquirers sign comes through the browsers of customers, who can send it again.
    """
    sender = CALLBACK + _named(inbound)
    gateway.admission.learn(sender, caller_address(inbound, gateway), proven=True, is_server=False)


async def _kept(gateway: GatewayContext, name: str, told: TerminalSale, now: datetime) -> int:
    """Keep a sale at a terminal and return the HTTP status: kept, or why not."""
    if not gateway.connectors.is_for(name, told.merchant_id):
        _log.warning(
            "sale_refused", merchant_id=told.merchant_id, reason="another_merchants_account"
        )
        return 422
    sale = Sale(
        merchant_id=told.merchant_id,
        terminal_id=told.terminal_id,
        reference=told.reference,
        at=now,
        amount_paise=told.amount_paise,
        kind=cast("Kind", told.kind),
        edited_paise=told.edited_paise,
        table_no=told.table_no,
        mobile=told.mobile,
    )
    try:
        await pos.record(gateway.db, sale)
    except Refused as refused:
        _log.warning(
            "sale_refused", merchant_id=told.merchant_id, reason=refused.refusal.code.log_name
        )
        # An unknown one is told again: a terminal may be registered after its first sale.
        return 409 if refused.refusal.code is RefusalCode.NO_RECORDS else 422
    return 204
