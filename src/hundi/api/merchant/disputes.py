"""Disputes, as merchants answer them: list, one, evidence, contest, accept.

See docs/spec/payment-interfaces.md#dispute-operations.
"""

from collections.abc import Mapping

import msgspec

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.api.merchant.settlements import ID_ABOVE_ALL, LISTED_MAX, id_named, moment_text
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, DisputeState
from hundi.merchants.directory.api_keys import KeyScope
from hundi.payments.disputes import actions as disputes
from hundi.payments.disputes import store
from hundi.payments.disputes.actions import Answer, Found
from hundi.payments.disputes.rules import Stage
from hundi.payments.disputes.store import Document
from hundi.wire.fields import text_from_paise
from hundi.wire.merchant.disputes import (
    AnswerRequest,
    DisputeData,
    DisputePhaseData,
    EvidenceData,
    parse_accept,
    parse_contest,
    parse_dispute,
    parse_evidence,
    parse_list,
)

EVIDENCE_BODY_BYTES_MAX = 2 * 1024 * 1024
"""A document of the largest size, twice in base64, with what percent-encoding adds to it."""
LIST = merchant_endpoint("dispute/list", KeyScope.READ)
STATUS = merchant_endpoint("dispute/status", KeyScope.READ)
CONTEST = merchant_endpoint("dispute/contest", KeyScope.MANAGE)
ACCEPT = merchant_endpoint("dispute/accept", KeyScope.MANAGE)
EVIDENCE = merchant_endpoint("dispute/evidence", KeyScope.MANAGE, body_bytes_max=EVIDENCE_BODY_BYTES_MAX)


async def listing(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return disputes, newest first, each in the phase that it is in."""
    return await serve(gateway, inbound, LIST, _list)


async def status(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return a dispute with its phases and documents."""
    return await serve(gateway, inbound, STATUS, _status)


async def evidence(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Keep a document for the answer to a dispute."""
    return await serve(gateway, inbound, EVIDENCE, _evidence)


async def contest(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Contest a dispute: the bank decides."""
    return await serve(gateway, inbound, CONTEST, _contest)


async def accept(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Accept a dispute, wholly or in part."""
    return await serve(gateway, inbound, ACCEPT, _accept)


async def _list(context: MerchantRequest) -> dict[str, object]:
    asked, owner, db = parse_list(context.values), context.sender.merchant_id, context.gateway.db
    state = DisputeState(asked.state) if asked.state else None
    before = min(asked.before, ID_ABOVE_ALL) or None
    found = await disputes.list_of(db, owner, state, before, LISTED_MAX)
    orders = await store.order_ids_of(db, owner, [each.payment_id for each in found])
    shown = [msgspec.to_builtins(_data(each, orders)) for each in found]
    return replies.success({"disputes": shown}, f"{len(shown)} disputes", context.request_id)


async def _status(context: MerchantRequest) -> dict[str, object]:
    named = id_named(parse_dispute(context.values))
    found = await disputes.find(context.gateway.db, context.sender.merchant_id, named)
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return await _shown(context, found, "The dispute with its phases and documents")


async def _evidence(context: MerchantRequest) -> dict[str, object]:
    asked, gateway = parse_evidence(context.values), context.gateway
    added = await disputes.add_evidence(
        gateway.db,
        gateway.vault,
        context.sender.merchant_id,
        id_named(asked.dispute_id),
        asked.name,
        asked.content,
        context.now,
    )
    return replies.success(
        msgspec.to_builtins(_document(added)), "The document is kept for the answer", context.request_id
    )


async def _contest(context: MerchantRequest) -> dict[str, object]:
    return await _answer(context, parse_contest(context.values), "Contested; the bank decides")


async def _accept(context: MerchantRequest) -> dict[str, object]:
    return await _answer(context, parse_accept(context.values), "Accepted; the bank takes the money")


async def _answer(context: MerchantRequest, asked: AnswerRequest, message: str) -> dict[str, object]:
    db, owner, given = context.gateway.db, context.sender.merchant_id, Answer(asked.amount_paise, asked.note)
    answered = await disputes.answer(db, owner, id_named(asked.dispute_id), given, Actor.MERCHANT, context.now)
    return await _shown(context, answered, message)


async def _shown(context: MerchantRequest, found: Found, message: str) -> dict[str, object]:
    latest = found.latest
    orders = await store.order_ids_of(context.gateway.db, latest.merchant_id, [latest.payment_id])
    data = msgspec.structs.replace(
        _data(latest, orders),
        phases=tuple(msgspec.convert(_phase(each), DisputePhaseData) for each in found.stages),
        evidence=tuple(_document(each) for each in found.documents),
    )
    return replies.success(msgspec.to_builtins(data), message, context.request_id)


def _data(stage: Stage, orders: Mapping[int, str]) -> DisputeData:
    named = {
        "dispute_id": str(stage.dispute_id),
        "ap_transactionid": str(stage.payment_id),
        "orderid": orders.get(stage.payment_id, ""),
        "iso_currency": stage.amount.currency,
    }
    return msgspec.convert(named | _phase(stage), DisputeData)


def _phase(stage: Stage) -> dict[str, str]:
    return {
        "phase": str(stage.phase),
        "state": str(stage.state),
        "amount": text_from_paise(stage.amount.paise),
        "held_amount": text_from_paise(stage.held_paise),
        "taken_amount": text_from_paise(stage.taken_paise),
        "accepted_amount": text_from_paise(stage.accepted_paise),
        "fee_amount": text_from_paise(stage.fee_paise),
        "tax_amount": text_from_paise(stage.tax_paise),
        "reason": stage.reason,
        "opened_at": moment_text(stage.opened_at),
        "respond_by": moment_text(stage.respond_by),
        "answered_at": moment_text(stage.answered_at),
        "sent_at": moment_text(stage.sent_at),
        "ended_at": moment_text(stage.settled_at),
    }


def _document(document: Document) -> EvidenceData:
    return EvidenceData(
        evidence_id=str(document.evidence_id),
        name=document.name,
        type=document.media_type,
        bytes=document.size_bytes,
        sha256=document.digest.hex(),
        added_at=moment_text(document.added_at),
        sent_at=moment_text(document.sent_at),
    )
