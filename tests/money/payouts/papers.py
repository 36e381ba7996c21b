"""Papers of a till's account, and who accepts it by them."""

from collections.abc import Sequence
from datetime import datetime

from hundi.acquirers.registry import Registry
from hundi.kernel.records import replace
from hundi.money.bank_accounts.papers import actions
from hundi.money.bank_accounts.papers.rules import PaperKind
from hundi.money.bank_accounts.rules import PRIMARY
from tests.documents import pdf
from tests.money.payouts.till import CHECKER, SOON, Till
from tests.recording import BY, paper_recording
from tests.shop import VAULT

CHEQUE = pdf("A cheque of Asha Stores, crossed out")


async def without_providers(till: Till) -> Till:
    """Return a merchant with an account, at a gateway without any provider of checks."""
    till.context = replace(till.context, connectors=Registry([]))
    await till.settle()
    await till.add_account()
    return till


async def add(till: Till, content: bytes = CHEQUE, person: str = "Meera") -> bytes:
    """Add a paper, and return its digest."""
    given = (PaperKind.CANCELLED_CHEQUE, "C:\\cheque<1>.pdf", content)
    key = (till.db, VAULT, till.merchant_id, PRIMARY)
    recording = paper_recording(till.merchant_id, SOON)
    return (await actions.add(*key, given, person, SOON, recording)).digest


async def looked_at(till: Till) -> list[int]:
    """Return the ids of the papers that a person sees now."""
    there = await actions.of_newest(till.db, till.merchant_id, PRIMARY)
    return [each.paper_id for each in there]


async def accept(
    till: Till, person: str = CHECKER, now: datetime = SOON, seen: Sequence[int] | None = None
) -> None:
    """Accept the account by its papers. seen: by default all that there are."""
    papers = await looked_at(till) if seen is None else seen
    await actions.accept(till.db, till.merchant_id, PRIMARY, papers, person, BY, now)
