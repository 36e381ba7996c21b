"""Check the marks of the trail, if the audit is given the key."""

from hundi.infra.postgres.database import Connection
from hundi.infra.secrets.marks import holds
from hundi.infra.secrets.vault import Vault
from hundi.money.audit.rules import SAMPLES_MAX, CheckResult, Sample, Violation
from hundi.money.audit.trail import store

MARK = "trail-entry"


async def check_marks(conn: Connection, vault: Vault) -> CheckResult:
    """Return the entries that were written without the key.

    Entries before a trail's first mark are older than marks; the chain of digests binds them to the
    first entry with one.
    """
    count, samples, marked = 0, list[Sample](), None
    async for row in store.marks(conn):
        if not row["mark"] and row["merchant_id"] != marked:
            continue
        marked = row["merchant_id"]
        if not holds(vault, MARK, row["mark"], row["digest"]):
            count += 1
            if len(samples) < SAMPLES_MAX:
                subject = f"{marked} entry {row['entry_no']}"
                samples.append(
                    Sample(subject, f"{row['act']} about {row['about']} by {row['person']}")
                )
    return CheckResult(Violation.TRAIL_FORGED, count, tuple(samples))
