"""Refused requests of a merchant, with the exact reasons that a reply may not hold."""

from typing import Annotated

from msgspec import Meta

from hundi.api.replies import CODE_OF
from hundi.merchants.access import store
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import MerchantId, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

SHOWN_MAX = 50
CODES = {reason.log_name: code for reason, code in CODE_OF.items()}
"""The reply's code by the stored reason."""


class RefusedRequests(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of refused requests."""

    merchant_id: MerchantId
    reference: Annotated[
        str,
        Meta(description="The request id of one reply; without it the newest are listed."),
        ParameterHints(by="place"),
    ] = ""


@verb("refusal list", Permission.DEVELOPERS_SEE, title="Refused requests", screen="requests")
async def list_of(context: VerbContext, parameters: RefusedRequests) -> Result:
    """List a merchant's refused requests with the exact reason, newest first."""
    filters = parameters.merchant_id, parameters.reference
    rows = await store.select_refused(context.db, *filters, SHOWN_MAX)
    if not rows:
        await context.check_merchant(parameters.merchant_id)
    return [{**row, "response_code": CODES[row["code"]].wire} for row in rows]


VERBS = (list_of,)
