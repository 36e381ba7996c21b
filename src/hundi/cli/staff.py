"""`hundi staff`: who works with the gateway.

Invite, list, change roles, remove, end, reset, sessions.
"""

from typing import Annotated, Any

import typer
from msgspec import json as json_codec

from hundi.bootstrap import OperatorContext
from hundi.cli.context import by_command, check_merchant, is_demo, run
from hundi.cli.output import ID_MAX, DataDir, Json, fail, show
from hundi.cli.staff_mark import mark
from hundi.infra.settings import DEMO_FILE, Settings
from hundi.kernel.clock import utc_now, world_now
from hundi.kernel.refusals import RefusalCode
from hundi.masking import masked
from hundi.staff.approvals import actions as approvals
from hundi.staff.people import actions as people
from hundi.staff.people import listing, store
from hundi.staff.people.rules import OPERATOR, Person, Role
from hundi.staff.sign_in import rules
from hundi.staff.sign_in import store as sessions
from hundi.staff.trail import actions as trail

app = typer.Typer(
    help="People of the console: invite, list, roles, remove, end, reset, look.",
    no_args_is_help=True,
)

Email = Annotated[str, typer.Argument(help="The person's e-mail address.")]
At = Annotated[
    int,
    typer.Option("--merchant", min=0, max=ID_MAX, help="The merchant's id; 0: the operator's own."),
]
_JOIN = "/console/join/"
_LAST = {
    RefusalCode.STATE_FORBIDS: (
        "nobody would be left who may change the people: invite somebody first"
    )
}


def _address(settings: Settings, link: str) -> str:
    """Return the address of a one-time link; a demo says itself where it is."""
    base_url = settings.base_url
    if is_demo(settings):
        base_url = json_codec.decode((settings.data_dir / DEMO_FILE).read_bytes())["base_url"]
    return f"{base_url}{_JOIN}{link}"


async def _found(context: OperatorContext, email: str) -> Person:
    person = await store.select_by_email(context.db, email.strip().lower())
    if person is None:
        raise fail(f"there is nobody with the address {email}")
    return person


async def _check(context: OperatorContext, merchant_id: int) -> None:
    if merchant_id != OPERATOR:
        await check_merchant(context, merchant_id)


@app.command()
def invite(
    email: Email,
    *,
    name: Annotated[str, typer.Option(parser=masked, help="Their name.")],
    role: Annotated[Role, typer.Option(help="What they are there.")],
    merchant: At = OPERATOR,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Give somebody a role; print the one-time link with which they choose a password."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        await _check(context, merchant)
        invited = await people.invite(
            context.db, merchant, email, name, role, by_command(context), utc_now(), across=True
        )
        link = _address(context.settings, invited.link) if invited.link else ""
        return {
            "email": invited.person.email,
            "name": invited.person.name,
            "role": role,
            "link": link,
        }

    show(
        run(data_dir, act),
        json=json,
        title="Invited: the link is good once, for three days, and is shown only now",
    )


@app.command("list")
def list_people(*, merchant: At = OPERATOR, data_dir: DataDir = None, json: Json = False) -> None:
    """List who works at a merchant, or for the operator."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await _check(context, merchant)
        return [
            {
                "email": each.person.email,
                "name": each.person.name,
                "role": each.role,
                "state": each.person.state,
                "given": each.is_given,
            }
            for each in await listing.members(context.db, context.vault, merchant)
        ]

    show(run(data_dir, act), json=json, title="People")


@app.command()
def role(
    email: Email,
    given: Annotated[Role, typer.Argument(metavar="ROLE", help="What they are from now on.")],
    *,
    merchant: At = OPERATOR,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Give a person another role."""
    _change(email, given, merchant, data_dir, json=json)


@app.command()
def remove(
    email: Email, *, merchant: At = OPERATOR, data_dir: DataDir = None, json: Json = False
) -> None:
    """Take a person's role; the last one who may change the people stays."""
    _change(email, None, merchant, data_dir, json=json)


def _change(
    email: str, given: Role | None, merchant: int, data_dir: str | None, *, json: bool
) -> None:
    async def act(context: OperatorContext) -> dict[str, Any]:
        person = await _found(context, email)
        if given is None:
            await approvals.remove_person(
                context.db, merchant, person.person_id, by_command(context), utc_now()
            )
        else:
            await people.change_role(
                context.db, merchant, person.person_id, given, by_command(context), utc_now()
            )
        return {"email": person.email, "role": given or "none"}

    show(run(data_dir, act, _LAST), json=json, title="Changed")


@app.command()
def end(email: Email, *, data_dir: DataDir = None, json: Json = False) -> None:
    """End a person who left for good: roles, sessions, links and keys, everywhere."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        person = await _found(context, email)
        await approvals.end_person(
            context.db, OPERATOR, person.person_id, by_command(context), utc_now(), across=True
        )
        return {"email": person.email, "state": "ended"}

    show(run(data_dir, act, _LAST), json=json, title="Ended")


@app.command()
def reset(
    email: Email, *, merchant: At = OPERATOR, data_dir: DataDir = None, json: Json = False
) -> None:
    """Print a one-time link for who lost password or telephone.

    The old ones stay good until then.
    """

    async def act(context: OperatorContext) -> dict[str, Any]:
        person = await _found(context, email)
        link = await people.reset(
            *(context.db, merchant, person.person_id, by_command(context), utc_now()), across=True
        )
        return {"email": person.email, "link": _address(context.settings, link)}

    show(run(data_dir, act), json=json, title="Reset: the link is good once, for a day")


@app.command("sessions")
def list_sessions(
    email: Email,
    *,
    end: Annotated[bool, typer.Option("--end", help="End all of them.")] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List where a person is signed in, and end it all with --end."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        person, now = await _found(context, email), world_now()
        found = await sessions.select_of(context.db, person.person_id, now, now - rules.IDLE)
        if end:
            async with context.db.transaction() as conn:
                await conn.execute(sessions.END_OTHERS, person.person_id, b"")
                await trail.record(
                    conn,
                    OPERATOR,
                    by_command(context),
                    "session.end_all",
                    person.person_id,
                    utc_now(),
                )
        return [
            {
                "browser": each.browser,
                "network": each.network,
                "since": each.began_at,
                "seen": each.seen_at,
            }
            for each in found
        ]

    show(run(data_dir, act), json=json, title="Sessions ended" if end else "Sessions")


app.command()(mark)
