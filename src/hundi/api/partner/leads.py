"""Create lead: query and reply are encrypted (docs/spec/partner-interfaces.md#leads)."""

from contextlib import suppress

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.partner.endpoint import (
    Answer,
    PartnerAuthentication,
    PartnerRequest,
    partner_endpoint,
    partner_reply,
    prove_keys,
    same,
    unproven,
)
from hundi.kernel.clock import business_day
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.partners.leads import actions as leads
from hundi.partners.leads import rules
from hundi.partners.leads.actions import LeadContext
from hundi.partners.leads.rules import Groups
from hundi.wire import cipher
from hundi.wire.partner import leads as wire
from hundi.wire.partner.envelope import encode
from hundi.wire.partner.leads import CREATE, LeadProblem, LeadTaken
from hundi.wire.strict_json import JsonValue

_GATEWAY_KEYS = b"gatewaykey", b"airpaykey"


class _WrongLeadError(Refused):
    """A lead with wrong fields; the reply names all of them."""

    def __init__(self, wrong: tuple[LeadProblem, ...]) -> None:
        # A received name may be anything, even somebody's number: only our own names are recorded.
        named = dict.fromkeys(each.field for each in wrong if each.field in wire.FIELDS)
        super().__init__(
            Refusal(RefusalCode.FIELD_INVALID, detail=f"wrong: {' '.join(named) or 'the form'}")
        )
        self.wrong = wrong


def _refused(_: PartnerRequest, refusal: Refusal, problem: Exception) -> Answer:
    code = replies.CODE_OF[refusal.code].wire
    if isinstance(problem, _WrongLeadError):
        return wire.failure(code, wire.sentence(problem.wrong), problem.wrong)
    return wire.failure(code, replies.words(refusal))


def _reply(context: PartnerRequest, answer: Answer) -> Reply:
    """Encrypt the answer for an authenticated partner; any other gets it plain."""
    if not context.authenticated:
        return partner_reply(context, answer)
    key = wire.key(context.sender.affiliate, context.sender.keys.secret)
    return partner_reply(context, {"query": cipher.seal(key, encode(answer))})


async def _by_processor_key(context: PartnerRequest) -> None:
    await prove_keys(context, {b"processor-key": "processor_key"})
    if context.claimed is None:
        return
    given = next((value for name in _GATEWAY_KEYS if (value := context.inbound.header(name))), "")
    wanted = context.claimed.keys.valid("gateway_key")
    right = [each for each in wanted if same(given, each)]
    if wanted and not right:
        raise unproven(_GATEWAY_KEYS[0])
    for key in right:
        context.claimed = context.claimed.using("gateway_key", key)


_POLICY = partner_endpoint(
    CREATE.name,
    PartnerAuthentication(prove=_by_processor_key),
    encode_refusal=_refused,
    encode_reply=_reply,
)


async def _served(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Add a lead, or update the one that `lead_id` names."""
    return await serve(gateway, inbound, _POLICY, _create)


async def _create(context: PartnerRequest) -> Answer:
    values = _opened(context)
    sent = wire.parse(values)
    lead_context, partner, now = (
        LeadContext(context.gateway.db, context.gateway.vault),
        context.sender,
        context.now,
    )
    strict = partner.settings.lead_lengths == "strict"

    def whole(before: Groups) -> Groups:
        """Return the lead with the received changes.

        Raises _WrongLeadError with all its faults.
        """
        groups = rules.merged(before, sent.groups, sent.removed)
        found = [
            LeadProblem(each.group, each.field, each.problem)
            for each in rules.faults(groups, business_day(now), strict_lengths=strict)
        ]
        told = {(each.group, each.field) for each in sent.wrong}
        further = [
            each for each in (*wire.missing(groups), *found) if (each.group, each.field) not in told
        ]
        if wrong := (*sent.wrong, *further):
            raise _WrongLeadError(tuple(dict.fromkeys(wrong)))
        return groups

    if sent.lead_id:
        taken = await leads.change(lead_context, partner, sent.lead_id, whole, now)
        message = "The lead is updated"
    else:
        taken = await leads.create(lead_context, partner, whole({}), now)
        message = "The lead is created" if taken.created else "The lead was created before"
    return CREATE.answer(LeadTaken(message=message, lead_id=taken.lead_id, notes=taken.notes))


def _opened(context: PartnerRequest) -> dict[str, JsonValue]:
    """Return the decrypted lead after verifying the checksum over the query or over its fields."""
    query, affiliate = context.parameters.text("query"), context.sender.affiliate
    given = context.inbound.header(b"checksum")
    if not query:
        raise refuse(
            RefusalCode.ENVELOPE_UNREADABLE, field="query", allowed="the encrypted JSON of the lead"
        )
    if not given:
        raise refuse(RefusalCode.CHECKSUM_WRONG, allowed="the header checksum is required")
    values = None
    for secret in context.sender.keys.valid("secret"):
        with suppress(cipher.UnreadableCipher):
            values = cipher.open_json(wire.key(affiliate, secret), query)
            # The reply is sealed with the sender's own key.
            context.claimed = context.sender.using("secret", secret)
            break
    secrets = context.sender.keys.valid("secret")
    form = next(
        filter(
            None,
            (wire.checksum_form(query, values or {}, given, affiliate, each) for each in secrets),
        ),
        None,
    )
    # A checksum over the fields alone does not cover which lead they are of: that is for new leads.
    if form is None or (form == "fields" and "lead_id" in (values or {})):
        # The same reply whether it decrypts or not: without the secret, nobody learns the contents
        # of a query.
        raise refuse(
            RefusalCode.CHECKSUM_WRONG,
            detail="sha256 of query + affiliate + secret gives another value",
        )
    if values is None:
        raise refuse(RefusalCode.ENCDATA_UNREADABLE, allowed="query: IV, base64 of the sealed lead")
    return values


HANDLERS = {CREATE: _served}
