"""`hundi partner`: who may call the partner interfaces, and what they called."""

import ssl
from typing import Annotated, Any, Literal

import typer
from msgspec.structs import asdict, replace

from hundi.bootstrap import OperatorContext
from hundi.cli.context import by_command, check_reach, partner_of, run
from hundi.cli.output import DataDir, Json, show
from hundi.kernel.clock import utc_now
from hundi.kernel.refusals import RefusalCode
from hundi.masking import masked
from hundi.partners.directory import actions as partners
from hundi.partners.directory import rules, store
from hundi.partners.directory.actions import PartnerDirectory
from hundi.partners.directory.rules import LeadLengths, PartnerKeys, PartnerSettings, Rotatable
from hundi.partners.identity import consents as agreed
from hundi.partners.identity.keys import actions as keys

app = typer.Typer(help="Partners: who may call the auxiliary interfaces.", no_args_is_help=True)
Affiliate = Annotated[str, typer.Argument(help="The affiliate code.")]
Limit = Annotated[int, typer.Option(min=1, max=1_000, help="How many at most, newest first.")]
SHOWN = 50


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


@app.command()
def add(
    name: Annotated[str, typer.Argument(parser=masked, help="For people.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Add a partner and show its secrets, this once."""

    async def act(context: OperatorContext) -> dict[str, str]:
        return _shown(
            *await partners.add(
                context.db,
                by_command(context),
                name=name,
                settings=PartnerSettings(),
                now=utc_now(),
            )
        )

    show(run(data_dir, act), json=json, title="Added")


@app.command("list")
def list_partners(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List partners."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        return [
            {
                "affiliate": each.affiliate,
                "name": each.name,
                "state": each.state,
                "interfaces": " ".join(each.settings.interfaces),
                "live": "yes" if each.settings.live else "no",
                "since": each.created_at,
            }
            for each in await PartnerDirectory(context.db, context.vault).everyone()
        ]

    show(run(data_dir, act, reading=True), json=json, title="Partners")


@app.command("show")
def show_partner(affiliate: Affiliate, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show a partner and its settings; secrets are not shown."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        partner = await partner_of(context, affiliate)
        named = {
            "affiliate": affiliate,
            "name": partner.name,
            "state": partner.state,
            "since": partner.created_at,
        }
        return (
            named | {"older_keys": " ".join(sorted(partner.keys.older))} | asdict(partner.settings)
        )

    show(run(data_dir, act, reading=True), json=json, title="Partner")


@app.command()
def rotate(
    affiliate: Affiliate,
    what: Annotated[Rotatable, typer.Argument(help="Which secret to replace.")],
    *,
    at_once: Annotated[
        bool,
        typer.Option(
            "--at-once", help="The secret before it counts no more, as when it became known."
        ),
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make a new secret and show all; the one before it counts, too, until it is retired."""

    async def act(context: OperatorContext) -> dict[str, str]:
        now = utc_now()
        return _shown(
            affiliate,
            await partners.rotate(
                context.db, by_command(context), affiliate, what, now, at_once=at_once
            ),
        )

    told = {
        RefusalCode.STATE_FORBIDS: (
            f"an older {what} still counts; hundi partner retire {affiliate} {what} first"
        )
    }
    show(run(data_dir, act, told), json=json, title="Rotated")


@app.command()
def retire(
    affiliate: Affiliate,
    what: Annotated[Rotatable, typer.Argument(help="Which secret was rotated.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """End a secret that was rotated; the newest alone counts from then on."""

    async def act(context: OperatorContext) -> None:
        await partners.retire(context.db, by_command(context), affiliate, what, utc_now())

    run(data_dir, act, {RefusalCode.NO_RECORDS: f"{affiliate} has no older {what}"})
    show({"affiliate": affiliate, "retired": what}, json=json, title="Retired")


@app.command()
def history(
    affiliate: Affiliate, *, limit: Limit = SHOWN, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show what was done to a partner: secrets rotated and retired, settings changed.

    No secret is ever shown.
    """

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await partner_of(context, affiliate)
        return [dict(row) for row in await store.events(context.db, affiliate, limit)]

    show(run(data_dir, act, reading=True), json=json, title="History")


@app.command()
def suspend(affiliate: Affiliate, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Refuse a partner's calls until it is resumed."""
    _set_state(affiliate, "suspended", data_dir, json=json)


@app.command()
def resume(affiliate: Affiliate, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Take a suspended partner's calls again."""
    _set_state(affiliate, "active", data_dir, json=json)


def _set_state(affiliate: str, state: Any, data_dir: str | None, *, json: bool) -> None:  # noqa: ANN401 (a literal)
    async def act(context: OperatorContext) -> None:
        await partners.set_state(context.db, by_command(context), affiliate, state, utc_now())

    run(data_dir, act)
    show({"affiliate": affiliate, "state": state}, json=json, title="Partner")


@app.command("set")
def set_partner(
    affiliate: Affiliate,
    *,
    interfaces: Annotated[
        str | None,
        typer.Option(help=f"What it may call, joined by commas: {', '.join(rules.INTERFACES)}."),
    ] = None,
    live: Annotated[
        Literal["on", "off"] | None,
        typer.Option(help="on: GST, cards and checks by the live provider."),
    ] = None,
    card_programme: Annotated[str | None, typer.Option(help="Whose cards; empty: its own.")] = None,
    lead_lengths: Annotated[
        LeadLengths | None,
        typer.Option(help="Lengths beyond the specification's: notes of a lead, or refused."),
    ] = None,
    calls_a_minute: Annotated[
        int | None, typer.Option(help="Of one interface, in one process.")
    ] = None,
    lookups_a_minute: Annotated[
        int | None, typer.Option(help="Questions about people and businesses.")
    ] = None,
    lookups_a_day: Annotated[
        int | None, typer.Option(help="The same, from midnight to midnight UTC.")
    ] = None,
    lead_callback: Annotated[
        str | None, typer.Option(help="Where it is told what becomes of its leads.")
    ] = None,
    offers_callback: Annotated[
        str | None, typer.Option(help="The address that is asked about a unique id.")
    ] = None,
    offers_coupons: Annotated[int | None, typer.Option(help="Coupons of small amounts.")] = None,
    offers_expiry_days: Annotated[
        int | None, typer.Option(help="Life of coupons the callback gives none.")
    ] = None,
    offers_open_days: Annotated[
        int | None, typer.Option(help="How long an offers page stays open.")
    ] = None,
    gateway_key: Annotated[
        str | None, typer.Option(help="Compared with the GATEWAYKEY header; empty: not.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change settings of a partner, all that are named or none; what is left out stays."""
    given: dict[str, Any] = {
        "interfaces": tuple(interfaces.split(",")) if interfaces is not None else None,
        "live": live == "on" if live is not None else None,
        "card_programme": card_programme,
        "lead_lengths": lead_lengths,
        "calls_a_minute": calls_a_minute,
        "lookups_a_minute": lookups_a_minute,
        "lookups_a_day": lookups_a_day,
        "lead_callback": lead_callback,
        "offers_callback": offers_callback,
        "offers_coupons": offers_coupons,
        "offers_expiry_days": offers_expiry_days,
        "offers_open_days": offers_open_days,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}

    async def act(context: OperatorContext) -> PartnerSettings:
        for name in ("lead_callback", "offers_callback"):
            if given[name]:
                await check_reach(context, name, given[name])
        return await partners.change(
            context.db,
            by_command(context),
            affiliate,
            lambda keys: keys if gateway_key is None else keys.only("gateway_key", gateway_key),
            lambda settings: replace(settings, **changes),
            utc_now(),
        )

    show({"affiliate": affiliate, **asdict(run(data_dir, act))}, json=json, title="Settings")


@app.command()
def calls(
    affiliate: Affiliate, *, limit: Limit = SHOWN, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show a partner's latest calls and how they ended, without what they were about."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await partner_of(context, affiliate)
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
            for row in await store.calls(context.db, affiliate, limit)
        ]

    show(run(data_dir, act, reading=True), json=json, title="Calls")


@app.command()
def consents(
    affiliate: Affiliate, *, limit: Limit = SHOWN, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show the latest consents of holders that a partner sent, in the holders' words."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await partner_of(context, affiliate)
        return [
            {"at": each.at, "reference": each.reference, "last4": each.last4, "words": each.words}
            for each in await agreed.newest(context.db, context.vault, affiliate, limit)
        ]

    show(run(data_dir, act, reading=True), json=json, title="Consents")


@app.command()
def certificate(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Print the certificate (PEM) with which partners check signed identity documents."""

    async def act(context: OperatorContext) -> str:
        return ssl.DER_cert_to_PEM_cert(
            await keys.certificate(context.db, context.vault, utc_now())
        )

    pem = run(data_dir, act)
    if json:
        show({"certificate": pem}, json=True)
    else:
        typer.echo(pem, nl=False)
