"""Checks bank accounts in the background: banks are asked for the holders."""

from functools import partial

from hundi.acquirers.registry import Registry
from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import utc_now
from hundi.money.bank_accounts import actions, store
from hundi.money.bank_accounts.rules import LEASE, PayoutAccount

PACE = Pace(poll_s=1.0, in_flight_max=10, peer_in_flight_max=10, idle_s=15.0)


def checks(
    db: Database, vault: Vault, connectors: Registry, *, clock: Clock = utc_now
) -> DueLoop[PayoutAccount]:
    """Return the loop that checks new and changed accounts."""
    claim = Claim(LEASE, partial(store.claim, db), partial(store.put_back, db))
    act = partial(actions.work_on, db, vault, connectors)

    def able(_: str) -> bool:
        # Without a provider each look says that papers may verify the account.
        return True

    work = LeasedWork(
        "bank account checks", PACE, partial(store.due, db), claim, act, due=_due, able=able
    )
    return DueLoop(work, hints=partial(db.listen, actions.DUE_CHANNEL), clock=clock)


def _due(account: PayoutAccount) -> Due:
    return Due(account.merchant_id, account.check_id)
