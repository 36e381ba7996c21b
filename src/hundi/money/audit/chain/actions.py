"""Check the roots of the chain, in the audit's snapshot."""

from collections.abc import Mapping
from datetime import date

from hundi.infra.postgres.database import Connection
from hundi.money.audit.chain import rules, store
from hundi.money.audit.chain.rules import RootsFile
from hundi.money.audit.rules import SAMPLES_MAX, CheckResult, Sample, Violation


async def check_roots(conn: Connection, kept: Mapping[date, bytes]) -> list[CheckResult]:
    """Return the roots that differ from the blocks, or from the roots that were kept elsewhere."""
    roots = await store.roots(conn)
    heads = [each async for each in store.heads_by_day(conn)]
    return [
        _checked(Violation.ROOT_DIFFERS, list(rules.differing_roots(roots, heads))),
        _checked(Violation.KEPT_ROOT_DIFFERS, list(rules.kept_differ(roots, kept))),
    ]


async def signed_roots(conn: Connection) -> RootsFile:
    """Return every root with its signature."""
    return rules.roots_file(await store.roots(conn))


def _checked(violation: Violation, samples: list[Sample]) -> CheckResult:
    return CheckResult(violation, len(samples), tuple(samples[:SAMPLES_MAX]))
