"""Check the roots of the chain, in the audit's snapshot."""

from collections.abc import Mapping, Sequence
from datetime import date

from hundi.infra.postgres.database import Connection
from hundi.money.audit.chain import rules
from hundi.money.audit.chain.roots import store
from hundi.money.audit.chain.rules import RootsFile
from hundi.money.audit.rules import SAMPLES_MAX, CheckResult, Sample, Violation


async def check_roots(
    conn: Connection,
    kept: Mapping[date, bytes],
    since: date | None = None,
    books: tuple[Sequence[object], Sequence[object]] = ((), ()),
) -> list[CheckResult]:
    """Return the roots that differ from the blocks, or from the roots that were kept elsewhere.

    since: roots are made again from the last one before this day on, and of older ones the
    signatures are checked. books: then every book, as merchants and names side by side.
    """
    roots = await store.roots(conn)
    first = rules.root_before(roots, since) if since else None
    found = store.heads_since(conn, first, books) if first else store.heads_by_day(conn)
    heads = [head async for head in found]
    return [
        _checked(Violation.ROOT_DIFFERS, list(rules.differing_roots(roots, heads, first))),
        _checked(Violation.KEPT_ROOT_DIFFERS, list(rules.kept_differ(roots, kept))),
    ]


async def signed_roots(conn: Connection) -> RootsFile:
    """Return every root with its signature."""
    return rules.roots_file(await store.roots(conn))


def _checked(violation: Violation, samples: list[Sample]) -> CheckResult:
    return CheckResult(violation, len(samples), tuple(samples[:SAMPLES_MAX]))
