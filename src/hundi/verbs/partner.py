"""Partners: callers of the auxiliary interfaces, and their calls."""

import ssl
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hundi.kernel.refusals import RefusalCode
from hundi.partners.directory import actions, rules, store
from hundi.partners.directory.actions import PartnerDirectory
from hundi.partners.directory.rules import (
    LeadLengths,
    Partner,
    PartnerKeys,
    PartnerSettings,
    Rotatable,
)
from hundi.partners.identity.consents import actions as agreed
from hundi.partners.identity.keys import actions as identity
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import (
    NoParameters,
    ParameterHints,
    ParametersToChange,
    VerbParameters,
)
from hundi.verbs.verb import Result, verb

Affiliate = Annotated[str, Meta(description="The affiliate code.", max_length=20)]
SHOWN = 50
_SEE, _CHANGE = Permission.LEADS_SEE, Permission.MERCHANTS_CHANGE
_CALLBACKS = ("lead_callback", "offers_callback")


async def partner_of(context: VerbContext, affiliate: str) -> Partner:
    """Return a partner. Raises VerbProblemError when no partner has this code."""
    partner = await PartnerDirectory(context.db, context.vault).get(affiliate)
    if partner is None:
        message = f"there is no partner {affiliate}"
        raise VerbProblemError(message)
    return partner


class NewPartner(VerbParameters, frozen=True, kw_only=True):
    """A partner to add."""

    name: Annotated[str, Meta(description="The partner's name."), ParameterHints(masked=True)]


class NamedPartner(VerbParameters, frozen=True, kw_only=True):
    """One partner."""

    affiliate: Affiliate


class PartnerSecretToRotate(VerbParameters, frozen=True, kw_only=True):
    """A secret of a partner to replace."""

    affiliate: Affiliate
    what: Annotated[Rotatable, Meta(description="Which secret to replace.")]
    at_once: Annotated[
        bool,
        Meta(description="End the old secret at once, as when it became known."),
        ParameterHints(option="--at-once"),
    ] = False


class PartnerSecretToRetire(VerbParameters, frozen=True, kw_only=True):
    """A replaced secret of a partner to end."""

    affiliate: Affiliate
    what: Annotated[Rotatable, Meta(description="Which replaced secret to end.")]


class NewestOfPartner(VerbParameters, frozen=True, kw_only=True):
    """A partner, and how many of its newest entries to list."""

    affiliate: Affiliate
    limit: Annotated[int, Meta(ge=1, le=1_000, description="How many at most, newest first.")] = (
        SHOWN
    )


class PartnerChange(ParametersToChange, frozen=True, kw_only=True):
    """Settings of a partner to change; omitted ones stay as they are."""

    affiliate: Affiliate
    interfaces: Annotated[
        str | None,
        Meta(description=f"What it may call, joined by commas: {', '.join(rules.INTERFACES)}."),
    ] = None
    live: Annotated[
        bool | None,
        Meta(description="Whether its GST, card and identity checks use the live provider."),
        ParameterHints(switch=True),
    ] = None
    card_programme: Annotated[
        str | None, Meta(description="The programme whose cards it sees; empty for its own.")
    ] = None
    lead_lengths: Annotated[
        LeadLengths | None,
        Meta(description="Whether fields that are too long are noted with the lead, or refused."),
    ] = None
    calls_a_minute: Annotated[
        int | None, Meta(description="Calls of one interface in a minute, in one process.")
    ] = None
    lookups_a_minute: Annotated[
        int | None, Meta(description="Look-ups of people and businesses in a minute.")
    ] = None
    lookups_a_day: Annotated[
        int | None, Meta(description="Look-ups in a day, from midnight to midnight UTC.")
    ] = None
    lead_callback: Annotated[
        str | None, Meta(description="The address that receives news of its leads.")
    ] = None
    offers_callback: Annotated[
        str | None, Meta(description="The address that is asked about a unique id.")
    ] = None
    offers_coupons: Annotated[
        int | None, Meta(description="How many coupons are shown for small amounts.")
    ] = None
    offers_expiry_days: Annotated[
        int | None, Meta(description="Life in days of coupons for which the callback names none.")
    ] = None
    offers_open_days: Annotated[
        int | None, Meta(description="How many days an offers page stays open.")
    ] = None
    gateway_key: Annotated[
        str | None,
        Meta(description="The value of its GATEWAYKEY header; empty for any."),
        ParameterHints(only_command=True),
    ] = None


def _shown(affiliate: str, keys: PartnerKeys) -> dict[str, str]:
    return {
        "affiliate": affiliate,
        "api_key": keys.api_key,
        "processor_key": keys.processor_key,
        "secret": keys.secret,
        "card_token": keys.card_token,
        "gateway_key": keys.gateway_key,
        "webhook_key": keys.webhook_key,
    }


@verb("partner add", _CHANGE, at="all", trail="partner.add", title="Added")
async def add(context: VerbContext, parameters: NewPartner) -> Result:
    """Add a partner and show its secrets, this once."""
    new = {"name": parameters.name, "settings": PartnerSettings(), "now": context.now}
    return _shown(*await actions.add(context.db, context.who, **new))


@verb("partner list", _SEE, at="all", title="Partners")
async def list_all(context: VerbContext, _: NoParameters) -> Result:
    """List partners."""
    return [
        {
            "affiliate": partner.affiliate,
            "name": partner.name,
            "state": partner.state,
            "interfaces": " ".join(partner.settings.interfaces),
            "live": "yes" if partner.settings.live else "no",
            "since": partner.created_at,
        }
        for partner in await PartnerDirectory(context.db, context.vault).everyone()
    ]


@verb("partner show", _SEE, at="all", title="Partner")
async def show(context: VerbContext, parameters: NamedPartner) -> Result:
    """Show a partner and its settings; secrets are not shown."""
    partner = await partner_of(context, parameters.affiliate)
    named = {
        "affiliate": parameters.affiliate,
        "name": partner.name,
        "state": partner.state,
        "since": partner.created_at,
    }
    older = {"older_keys": " ".join(sorted(partner.keys.older))}
    return named | older | msgspec.structs.asdict(partner.settings)


@verb(
    "partner rotate",
    _CHANGE,
    at="all",
    trail="partner.rotate",
    page="Rotate a partner's secret",
    title="Rotated",
    refusals={
        RefusalCode.STATE_FORBIDS: (
            "an older {what} still counts; hundi partner retire {affiliate} {what} first"
        )
    },
)
async def rotate(context: VerbContext, parameters: PartnerSecretToRotate) -> Result:
    """Replace a secret and show the new one; the old one stays valid until it is retired."""
    secret = parameters.affiliate, parameters.what, context.now
    keys = await actions.rotate(context.db, context.who, *secret, at_once=parameters.at_once)
    # The other secrets are in use: who rotates one learns no other.
    shown = _shown(parameters.affiliate, keys)
    return {name: shown[name] for name in ("affiliate", parameters.what)}


@verb(
    "partner retire",
    _CHANGE,
    at="all",
    trail="partner.retire",
    page="Retire a partner's secret",
    title="Retired",
    refusals={RefusalCode.NO_RECORDS: "{affiliate} has no older {what}"},
)
async def retire(context: VerbContext, parameters: PartnerSecretToRetire) -> Result:
    """End a replaced secret; only the newest is valid from then on."""
    await actions.retire(
        context.db, context.who, parameters.affiliate, parameters.what, context.now
    )
    return {"affiliate": parameters.affiliate, "retired": parameters.what}


@verb("partner history", _SEE, at="all", page="Show a partner's history", title="History")
async def history(context: VerbContext, parameters: NewestOfPartner) -> Result:
    """Show what was done to a partner: secrets rotated and retired, settings changed.

    No secret is ever shown.
    """
    await partner_of(context, parameters.affiliate)
    return [
        dict(row) for row in await store.events(context.db, parameters.affiliate, parameters.limit)
    ]


@verb("partner suspend", _CHANGE, at="all", trail="partner.suspend", title="Partner")
async def suspend(context: VerbContext, parameters: NamedPartner) -> Result:
    """Refuse a partner's calls until it is resumed."""
    return await _in_state(context, parameters.affiliate, "suspended")


@verb("partner resume", _CHANGE, at="all", trail="partner.resume", title="Partner")
async def resume(context: VerbContext, parameters: NamedPartner) -> Result:
    """Take a suspended partner's calls again."""
    return await _in_state(context, parameters.affiliate, "active")


async def _in_state(
    context: VerbContext, affiliate: str, state: Literal["active", "suspended"]
) -> Result:
    await actions.set_state(context.db, context.who, affiliate, state, context.now)
    return {"affiliate": affiliate, "state": state}


@verb(
    "partner set",
    _CHANGE,
    at="all",
    trail="partner.change",
    page="Change a partner",
    title="Settings",
)
async def set_partner(context: VerbContext, parameters: PartnerChange) -> Result:
    """Change settings of a partner, all named ones or none; the others stay."""
    changes = {
        name: value
        for name, value in msgspec.structs.asdict(parameters).items()
        if value is not None and name not in {"affiliate", "gateway_key"}
    }
    if parameters.interfaces is not None:
        changes["interfaces"] = tuple(parameters.interfaces.split(","))
    for name in _CALLBACKS:
        if changes.get(name):
            await context.check_reach(name, changes[name])
    key = parameters.gateway_key
    settings = await actions.change(
        context.db,
        context.who,
        parameters.affiliate,
        lambda keys: keys if key is None else keys.only("gateway_key", key),
        lambda before: msgspec.structs.replace(before, **changes),
        context.now,
    )
    return {"affiliate": parameters.affiliate, **msgspec.structs.asdict(settings)}


@verb("partner calls", _SEE, at="all", page="List a partner's calls", title="Calls")
async def calls(context: VerbContext, parameters: NewestOfPartner) -> Result:
    """Show a partner's latest calls and their results, without their content."""
    await partner_of(context, parameters.affiliate)
    return [
        {
            "reference": row["reference"],
            "at": row["at"],
            "interface": row["interface"],
            "code": row["code"],
            "detail": row["detail"],
            "ms": row["latency_ms"],
            "address": row["address"],
        }
        for row in await store.calls(context.db, parameters.affiliate, parameters.limit)
    ]


@verb(
    "partner consents",
    _CHANGE,
    at="all",
    title="Consents",
    only_command="shows what holders said, of which the console would have to say who looked",
)
async def consents(context: VerbContext, parameters: NewestOfPartner) -> Result:
    """Show the latest consents of holders that a partner sent, in the holders' words."""
    await partner_of(context, parameters.affiliate)
    return [
        {
            "at": consent.at,
            "reference": consent.reference,
            "last4": consent.last4,
            "words": consent.words,
        }
        for consent in await agreed.newest(
            context.db, context.vault, parameters.affiliate, parameters.limit
        )
    ]


@verb(
    "partner certificate",
    _SEE,
    at="all",
    plain="certificate",
    primary=True,
    only_command="makes the key that it belongs to where there is none",
)
async def certificate(context: VerbContext, _: NoParameters) -> dict[str, Any]:
    """Print the certificate (PEM) with which partners check signed identity documents."""
    certificate_row = await identity.certificate(context.db, context.vault, context.now)
    return {"certificate": ssl.DER_cert_to_PEM_cert(certificate_row)}


VERBS = (
    *(add, list_all, show, rotate, retire, history, suspend, resume, set_partner),
    *(calls, consents, certificate),
)
