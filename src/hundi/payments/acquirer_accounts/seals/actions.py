"""The action of seals: make those of acquirer accounts again under the newest key."""

from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.payments.acquirer_accounts import rules, store
from hundi.payments.acquirer_accounts.actions import OPERATOR, record_account
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who
from hundi.staff.trail.rules import RowKind


async def reseal(db: Database, by: Who, now: datetime) -> int:
    """Seal every account with the newest key; return how many were sealed with an older one."""
    done, vault = 0, by.vault
    for account in await store.select_all(db):
        seals = [
            each for each in (account.sealed_secrets, account.sealed_before) if each is not None
        ]
        if all(vault.is_sealed_with_newest(each) for each in seals):
            continue
        purpose = rules.seal_purpose(account.name, account.kind, account.serves, account.fields)
        secrets = vault.seal(vault.open(account.sealed_secrets, purpose), purpose)
        purpose, before = rules.seal_purpose_before(account.name), account.sealed_before
        before = before and vault.seal(vault.open(before, purpose), purpose)
        async with db.transaction() as conn:
            await store.lock_all(conn)
            digest = await store.digest(conn, account.name)
            is_told = (
                await trail.newest_told(conn, vault, OPERATOR, RowKind.ACQUIRER, account.name)
                == digest
            )
            if await store.reseal(conn, account, secrets, before):
                done += 1
                if is_told:
                    await record_account(conn, by, "reseal", account.name, digest, now)
    return done
