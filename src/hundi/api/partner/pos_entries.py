"""Terminal managers' reports of sales: proven by a signature over the body and its time.

See docs/spec/partner-interfaces.md#pos-entries.
"""

import hmac
from collections import Counter
from typing import cast

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner.endpoint import (
    Answer,
    PartnerAuthentication,
    PartnerRequest,
    partner_endpoint,
    unproven,
)
from hundi.kernel.clock import world_now
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.partners.pos import actions as pos
from hundi.partners.pos import rules
from hundi.partners.pos.rules import Kind, Sale
from hundi.wire.partner import pos_entries as wire
from hundi.wire.partner.pos import merchant_of
from hundi.wire.partner.pos_entries import ENTRIES, EntryResult, EntryResults, ReadEntry

SIGNED_WITHIN_S = 300
"""Seconds by which a signature's time may differ from ours.

A later message was stored by somebody and sent again. See
docs/spec/partner-interfaces.md#pos-entries.
"""
_NOBODY = "nobody's secret"


async def _by_signature(context: PartnerRequest) -> None:
    """Prove a partner by its signature, then check the signed time. Raises Refused."""
    affiliate = context.inbound.header(b"affiliate").strip()
    timestamp = context.inbound.header(b"timestamp").strip()
    given = context.inbound.header(b"signature").strip().lower().encode("latin-1", "replace")
    known = context.claimed = (
        await context.gateway.partners.directory.get(affiliate) if affiliate else None
    )
    secrets = known.keys.valid("secret") if known else (_NOBODY,)
    right = [
        each
        for each in secrets
        if hmac.compare_digest(wire.signature(each, timestamp, context.body).encode(), given)
    ]
    if known is None or not right:
        raise unproven(b"signature")
    context.claimed = known.using("secret", right[0])
    signed_s, now_s = wire.signed_at(timestamp), int(world_now().timestamp())
    if signed_s is None or abs(now_s - signed_s) > SIGNED_WITHIN_S:
        allowed = f"seconds since 1970, within {SIGNED_WITHIN_S} of the gateway's {now_s}"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="timestamp", received=timestamp[:16], allowed=allowed
        )


_POLICY = partner_endpoint(
    ENTRIES.name, PartnerAuthentication(prove=_by_signature), body_bytes_max=ENTRIES.kib_max * 1024
)


async def _entries(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Record terminals' sales, each entry once."""
    return await serve(gateway, inbound, _POLICY, _recorded)


async def _recorded(context: PartnerRequest) -> Answer:
    merchant_id, read_all = merchant_of(context.parameters), wire.read_entries(context.parameters)
    checked = [_sale(context, merchant_id, each) for each in read_all]
    sales = [each for each in checked if isinstance(each, Sale)]
    told = iter(
        await pos.record_all(context.gateway.db, context.sender.affiliate, merchant_id, sales)
    )
    results = tuple(
        _refused(read, result) if isinstance(result, Refusal) else _taken(read, *result)
        for read, each in zip(read_all, checked, strict=True)
        for result in (next(told) if isinstance(each, Sale) else each,)
    )
    counted = Counter(each.result for each in results)
    return ENTRIES.answer(
        EntryResults(
            recorded=counted["recorded"],
            repeated=counted["repeated"],
            refused=counted["refused"],
            entries=results,
        )
    )


def _sale(context: PartnerRequest, merchant_id: int, read: ReadEntry) -> Sale | Refusal:
    """Return an entry as a sale, or why it is refused."""
    entry = read.entry
    if entry is None:
        problem = read.problem
        assert problem is not None, "an entry that was not read has a problem"
        return Refusal(
            RefusalCode.FIELD_INVALID,
            field=problem.field,
            received=problem.received,
            allowed=problem.allowed,
        )
    sale = Sale(
        merchant_id=merchant_id,
        terminal_id=entry.terminal_id,
        reference=entry.reference,
        at=entry.at or context.now,
        amount_paise=entry.amount_paise,
        # The check below refuses an unknown kind of sale.
        kind=cast("Kind", entry.kind),
        edited_paise=entry.edited_paise,
        table_no=entry.table_no,
        mobile=entry.mobile,
    )
    try:
        rules.check_sale(sale)
        rules.check_time(sale.at, context.now)
    except Refused as refused:
        return refused.refusal
    return sale


def _refused(read: ReadEntry, refusal: Refusal) -> EntryResult:
    code, problem = replies.CODE_OF[refusal.code].wire, replies.words(refusal)
    return _result(read, "refused", code=code, problem=problem)


def _taken(read: ReadEntry, transaction_id: int, new: bool) -> EntryResult:  # noqa: FBT001 (a row's second column)
    return _result(read, "recorded" if new else "repeated", transaction_id)


def _result(
    read: ReadEntry, result: str, transaction_id: int = 0, code: str = "", problem: str = ""
) -> EntryResult:
    return EntryResult(
        terminal_id=read.terminal_id,
        reference=read.reference,
        result=result,
        transaction_id=transaction_id,
        code=code,
        problem=problem,
    )


HANDLERS = {ENTRIES: _entries}
