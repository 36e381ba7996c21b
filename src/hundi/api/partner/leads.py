"""Create lead: an encrypted query in, an encrypted answer out (docs/spec/partner-interfaces.md#leads)."""

from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner.pipeline import Interface, PartnerCall, answer, prove_keys, same
from hundi.kernel.clock import business_day
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.partners.leads import actions as leads
from hundi.partners.leads import rules
from hundi.partners.leads.actions import Desk
from hundi.partners.leads.rules import Groups
from hundi.wire import cipher
from hundi.wire.partner import leads as wire
from hundi.wire.partner.envelope import encode
from hundi.wire.partner.leads import Wrong
from hundi.wire.strict_json import JsonValue

_GATEWAY_KEYS = b"gatewaykey", b"airpaykey"


class _WrongLeadError(Refused):
    """A lead with wrong fields, all of which are told at once."""

    def __init__(self, wrong: tuple[Wrong, ...]) -> None:
        # What came as a name may be anything, somebody's number too: only names of ours are written down.
        named = dict.fromkeys(each.field for each in wrong if each.field in wire.FIELDS)
        super().__init__(Refusal(RefusalCode.FIELD_INVALID, detail=f"wrong: {' '.join(named) or 'the form'}"))
        self.wrong = wrong


def _failure(code: str, words: str, problem: Exception) -> dict[str, object]:
    if isinstance(problem, _WrongLeadError):
        return wire.failure(code, wire.sentence(problem.wrong), problem.wrong)
    return wire.failure(code, words)


def _dress(call: PartnerCall, reply: dict[str, object]) -> dict[str, object]:
    """Seal a reply for whoever has proven to be a partner."""
    if call.partner is None:
        return reply
    key = wire.key(call.partner.affiliate, call.partner.keys.secret)
    return {"query": cipher.seal(key, encode(reply))}


CREATE = Interface("leads", failure=_failure, dress=_dress)


async def create(gateway: Gateway, inbound: Inbound) -> Reply:
    """Add a lead, or update the one that `lead_id` names."""
    return await answer(gateway, inbound, CREATE, _create, _by_processor_key)


async def _by_processor_key(call: PartnerCall) -> None:
    await prove_keys(call, {b"processor-key": "processor_key"})
    wanted = call.sender.keys.gateway_key
    given = next((value for name in _GATEWAY_KEYS if (value := call.inbound.header(name))), "")
    if wanted and not same(given, wanted):
        call.partner = None
        raise refuse(RefusalCode.PARTNER_UNPROVEN)


async def _create(call: PartnerCall) -> dict[str, object]:
    values = _opened(call)
    sent = wire.parse(values)
    desk, partner, now = Desk(call.gateway.db, call.gateway.vault), call.sender, call.now

    def whole(before: Groups) -> Groups:
        """Return what the lead is with what was sent. Raises _WrongLeadError with everything that is wrong about it."""
        groups = rules.merged(before, sent.groups, sent.removed)
        found = [Wrong(each.group, each.field, each.problem) for each in rules.faults(groups, business_day(now))]
        told = {(each.group, each.field) for each in sent.wrong}
        further = [each for each in (*wire.missing(groups), *found) if (each.group, each.field) not in told]
        if wrong := (*sent.wrong, *further):
            raise _WrongLeadError(tuple(dict.fromkeys(wrong)))
        return groups

    if sent.lead_id:
        taken = await leads.change(desk, partner, sent.lead_id, whole, now)
        message = "The lead is updated"
    else:
        taken = await leads.create(desk, partner, whole({}), now)
        message = "The lead is created" if taken.created else "The lead was created before"
    return wire.success(taken.lead_id, message, list(taken.notes))


def _opened(call: PartnerCall) -> dict[str, JsonValue]:
    """Return the lead inside the query, once the checksum over it or over its fields is right."""
    query, keys = call.parameters.text("query"), call.sender.keys
    given = call.inbound.header(b"checksum")
    if not query:
        raise refuse(RefusalCode.ENVELOPE_UNREADABLE, field="query", allowed="the encrypted JSON of the lead")
    if not given:
        raise refuse(RefusalCode.CHECKSUM_WRONG, allowed="the header checksum is required")
    try:
        values = cipher.open_json(wire.key(call.sender.affiliate, keys.secret), query)
    except cipher.Unreadable:
        values = None
    form = wire.checksum_form(query, values or {}, given, call.sender.affiliate, keys.secret)
    # Over the fields alone it says nothing about which lead they are of: that is for new leads.
    if form is None or (form == "fields" and "lead_id" in (values or {})):
        # The same, readable or not: who does not know the secret learns nothing about what is inside a query.
        raise refuse(RefusalCode.CHECKSUM_WRONG, detail="sha256 of query + affiliate + secret gives another value")
    if values is None:
        raise refuse(RefusalCode.ENCDATA_UNREADABLE, allowed="query: IV, base64 of the sealed lead")
    return values
