"""A live merchant and its sandbox: made a pair, or parted."""

from typing import Annotated

from msgspec import Meta

from hundi.infra.postgres.database import Beside, Connection
from hundi.kernel.refusals import RefusalCode
from hundi.merchants.directory.twins import actions
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import ID_MAX, MerchantId, VerbParameters
from hundi.verbs.verb import Result, verb

_SCREEN = "merchants/{merchant_id:int}"
_NO_TWIN = {RefusalCode.NO_RECORDS: "this merchant has no sandbox and is none"}
_TAKEN = {RefusalCode.STATE_FORBIDS: "one of the two is part of a pair: part them first"}


class TwinsToPair(VerbParameters, frozen=True, kw_only=True):
    """A live merchant and its sandbox."""

    merchant_id: MerchantId
    sandbox: Annotated[int, Meta(ge=1, le=ID_MAX, description="The sandbox merchant's id.")]


class TwinToPart(VerbParameters, frozen=True, kw_only=True):
    """A merchant of a pair."""

    merchant_id: MerchantId


def _recording(context: VerbContext) -> Beside:
    async def write(conn: Connection, number: int) -> None:
        await context.recording(number)(conn, number)

    return write


@verb(
    "merchant pair",
    Permission.MERCHANTS_CHANGE,
    at="all",
    trail="merchant.pair",
    screen=f"{_SCREEN}/pair",
    title="Merchant {merchant_id}",
    refusals=_TAKEN,
    notice=("merchant_paired", "The two are a pair now."),
)
async def pair(context: VerbContext, parameters: TwinsToPair) -> Result:
    """Make a sandbox that of a live merchant: people with a role in both switch by one click."""
    await actions.pair(
        context.db, parameters.merchant_id, parameters.sandbox, context.now, _recording(context)
    )
    return {
        "merchant_id": str(parameters.merchant_id),
        "sandbox": str(parameters.sandbox),
    }


@verb(
    "merchant part",
    Permission.MERCHANTS_CHANGE,
    at="all",
    trail="merchant.part",
    screen=f"{_SCREEN}/part",
    title="Merchant {merchant_id}",
    refusals=_NO_TWIN,
    notice=("merchant_parted", "The two are no pair any more."),
)
async def part(context: VerbContext, parameters: TwinToPart) -> Result:
    """End the pair of a live merchant and its sandbox; both stay, and so do their people."""
    await actions.part(context.db, parameters.merchant_id, _recording(context))
    return {"merchant_id": str(parameters.merchant_id)}


VERBS = (pair, part)
