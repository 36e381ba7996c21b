"""Callbacks of acquirers.

One with a right signature is believed; any other only causes an inquiry.
"""

from datetime import datetime
from http import HTTPStatus
from typing import cast

import structlog

from hundi.acquirers.certification.webhooks import WebhookBody
from hundi.acquirers.port.checkout import SendsTriggers
from hundi.acquirers.port.mandates import ReportsMandates
from hundi.acquirers.port.payments import ReportsSales, SpeaksBack
from hundi.acquirers.port.terminals import TerminalSale
from hundi.api.addresses import CALLBACK
from hundi.api.context import GatewayContext
from hundi.api.endpoint import caller_address
from hundi.api.inbound import Inbound, Reply
from hundi.kernel.clock import utc_now, world_now
from hundi.kernel.ids import (
    parse_check_reference,
    parse_payout_reference,
    parse_refund_reference,
)
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.payouts import actions as payouts
from hundi.partners.pos import actions as pos
from hundi.partners.pos.rules import Kind, Sale
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.certifications import actions as certifications
from hundi.payments.direct_shares import actions as direct_shares
from hundi.payments.disputes import actions as disputes
from hundi.payments.refunds import actions as refunds
from hundi.payments.subscriptions.standings import actions as standings

CALLBACK_BYTES_MAX = 16 * 1024
TAKEN = HTTPStatus.OK
"""The status for senders of triggers: some accept only 200, and repeat after anything else."""
REFERENCES_MAX = 20
"""The most references of one webhook; acquirers name one or two."""
_log = structlog.get_logger(__name__)


async def bank_callback(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Handle an acquirer's callback and return its HTTP status.

    204: accepted. 200: a webhook that only says when to ask is proven, and the inquiries are
    requested. 401: the signature is wrong. 413: the body is too large. 404: there is no such
    acquirer. A sale at a terminal: 409 while the terminal is unknown, 422 when the sale can never
    be stored. A mandate that its customer changed: 409 while we do not know of its approval.
    A dispute: 409 while the bank does not confirm it, or its payment is not known here.
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
    """Request inquiries about everything that a proven webhook names.

    Return the HTTP status, None if it is not proven. The webhook does not say what happened: its
    acquirer is asked, also about failed attempts. The requests are stored on return.
    """
    name = _named(inbound)
    # A webhook about a dispute also names the payment, which has no news.
    told = await _disputed(gateway, inbound, body, now)
    if told is not None:
        return TAKEN if told == HTTPStatus.NO_CONTENT else told
    headers, signed_s = inbound.headers(), int(world_now().timestamp())
    trigger = connector.read_trigger(headers, body, now_s=signed_s)
    if trigger is None:
        return None
    _known(gateway, inbound)
    await certifications.note_webhook(
        gateway.db, name, connector, trigger, WebhookBody(headers, body, signed_s)
    )
    for reference in trigger.references[:REFERENCES_MAX]:
        await _ask_now(gateway, name, reference, now)
    for mandate in trigger.mandates[:REFERENCES_MAX]:
        await standings.ask_soon(gateway.db, name, mandate, now)
    return TAKEN


async def _ask_now(gateway: GatewayContext, name: str, reference: str, now: datetime) -> None:
    """Request an inquiry about whatever a reference is of."""
    if parse_refund_reference(reference):
        await refunds.ask_now(gateway.payments, name, reference, now)
    elif parse_payout_reference(reference):
        await payouts.ask_now(gateway.db, name, reference, now)
    elif parse_check_reference(reference):
        await bank_accounts.ask_now(gateway.db, name, reference, now)
    elif not await direct_shares.ask_now(gateway.db, name, reference, now):
        await asking.ask_now(gateway.payments, name, reference, now)


async def _other_news(
    gateway: GatewayContext, connector: SpeaksBack, inbound: Inbound, body: bytes, now: datetime
) -> int | None:
    """Handle a callback that is not about a payment, and return the HTTP status.

    None if it is not proven.
    """
    headers, signed_s = inbound.headers(), int(world_now().timestamp())
    if isinstance(connector, ReportsSales) and (
        sale := connector.read_sale(headers, body, now_s=signed_s)
    ):
        _known(gateway, inbound)
        return await _kept(gateway, _named(inbound), sale, now)
    if isinstance(connector, ReportsMandates) and (
        mandate := connector.read_mandate_news(headers, body, now_s=signed_s)
    ):
        _known(gateway, inbound)
        return 204 if await standings.ask_soon(gateway.db, _named(inbound), mandate, now) else 409
    return await _disputed(gateway, inbound, body, now)


async def _disputed(
    gateway: GatewayContext, inbound: Inbound, body: bytes, now: datetime
) -> int | None:
    """Handle a proven callback about a dispute, and return the HTTP status.

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
    """Raise the limit of a network whose message had an acquirer's right signature.

    It gets no other right: some acquirers' signed messages come through customers' browsers, which
    can repeat them.
    """
    sender = CALLBACK + _named(inbound)
    gateway.admission.learn(sender, caller_address(inbound, gateway), proven=True, is_server=False)


async def _kept(gateway: GatewayContext, name: str, told: TerminalSale, now: datetime) -> int:
    """Store a sale at a terminal and return the HTTP status."""
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
        # The sender repeats a sale at an unknown terminal: it may be registered after its first
        # sale.
        return 409 if refused.refusal.code is RefusalCode.NO_RECORDS else 422
    return 204
