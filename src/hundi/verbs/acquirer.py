"""Accounts at acquirers: their kinds, disabling and enabling them, and who changed them."""

from collections.abc import Coroutine
from typing import Annotated, Any

from msgspec import Meta

from hundi.acquirers.kinds import AcquirerConfigurationError, described
from hundi.infra.secrets.vault import VaultError
from hundi.payments.acquirer_accounts import actions
from hundi.payments.acquirer_accounts.actions import NOUN, OPERATOR
from hundi.payments.acquirer_accounts.rules import EVERYBODY, AcquirerAccount
from hundi.staff.people.rules import Permission
from hundi.staff.trail import store as trail
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import NoParameters, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb, verb_alone

REASON_MAX = 500
_CHANGED = "it counts within seconds, in every process"
_ONE = "acquirers/{name:str}"
Name = Annotated[str, Meta(pattern=r"^[a-z0-9_]{1,32}$", description="The acquirer's name.")]


class NamedAcquirer(VerbParameters, frozen=True, kw_only=True):
    """One acquirer."""

    name: Name


class AcquirerToSwitch(NamedAcquirer, frozen=True, kw_only=True):
    """An acquirer to disable or enable."""

    reason: Annotated[
        str,
        Meta(max_length=REASON_MAX, description="The reason, for the trail."),
        ParameterHints(masked=True, in_forms=True),
    ] = ""


@verb(
    "acquirer disable",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail=f"{NOUN}.disable",
    screen=f"{_ONE}/disable",
    title=f"Disabled: {_CHANGED}",
    notice=(
        "acquirer_disabled",
        "Disabled. Within seconds no process begins a payment there any more.",
    ),
)
async def disable(context: VerbContext, parameters: AcquirerToSwitch) -> Result:
    """Begin no payment with an account any more.

    What was begun is asked about and refunded as before.
    """
    switched = actions.disable(
        context.accounts, parameters.name, context.who, context.now, parameters.reason
    )
    return account_row(await _done(switched))


@verb(
    "acquirer enable",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    trail=f"{NOUN}.enable",
    screen=f"{_ONE}/enable",
    title=f"Enabled: {_CHANGED}",
    notice=(
        "acquirer_enabled",
        "Enabled. Within seconds every process begins payments there again.",
    ),
)
async def enable(context: VerbContext, parameters: AcquirerToSwitch) -> Result:
    """Begin payments with an account again."""
    switched = actions.enable(
        context.accounts, parameters.name, context.who, context.now, parameters.reason
    )
    return account_row(await _done(switched))


async def _done(switched: Coroutine[Any, Any, AcquirerAccount]) -> AcquirerAccount:
    try:
        return await switched
    except (AcquirerConfigurationError, VaultError) as problem:
        raise VerbProblemError(str(problem)) from None


@verb_alone(
    "acquirer kinds",
    Permission.ACQUIRERS_CHANGE,
    at="all",
    page="List kinds of acquirers",
    title="Kinds of acquirers",
)
def kinds(_: NoParameters) -> Result:
    """List the kinds of acquirers that are installed, with the fields of an account.

    Needed: without it the account cannot be added. Secret: sealed where it is stored, and shown to
    nobody. Fixed: another value would be another account.
    """
    try:
        return described()
    except AcquirerConfigurationError as error:
        raise VerbProblemError(str(error)) from None


@verb(
    "acquirer history",
    Permission.TRAIL_SEE,
    at="all",
    screen=_ONE,
    title="Changes of {name}",
    primary=True,
)
async def history(context: VerbContext, parameters: NamedAcquirer) -> Result:
    """List who changed an account, when, and which fields; never a value."""
    entries = await trail.select_page(context.db, OPERATOR, act=NOUN, about=parameters.name)
    return [
        {"at": entry.at, "by": entry.person, "act": entry.act, "detail": entry.detail}
        for entry in entries
    ]


def account_row(account: AcquirerAccount) -> dict[str, Any]:
    """Return an account at an acquirer as operators see it."""
    return {
        "acquirer": account.name,
        "kind": account.kind,
        "money": "simulated" if account.simulated else "real",
        "merchant": str(account.serves) if account.serves != EVERYBODY else "every one",
        "state": account.state,
        "kept_in": "database",
    }


VERBS = (kinds, disable, enable, history)
