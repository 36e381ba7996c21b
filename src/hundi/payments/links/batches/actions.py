"""The actions of files of payment links: look at one, make its links in one act, and show them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from asyncpg import UniqueViolationError

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.ids import ID_TRIES_MAX, new_id, next_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.links import actions as links
from hundi.payments.links import rules as link_rules
from hundi.payments.links.batches import rules, store
from hundi.payments.links.batches.rules import BatchFault, BatchLine, LinkBatch, LinkFile
from hundi.payments.links.batches.store import BatchedLink
from hundi.payments.links.rules import Link

LIST_MAX = 20
_DIFFERS = "another reference: a link of other content has this one"


@dataclass(frozen=True, slots=True)
class LinkFileLook:
    """A file before its links are made. standing: the links that are there, by reference."""

    file: LinkFile
    standing: Mapping[str, Link]


@dataclass(frozen=True, slots=True)
class LinkBatchView:
    """A file's row with its links, in the order of the file."""

    batch: LinkBatch
    links: tuple[BatchedLink, ...]


async def look(db: Database, merchant_id: int, content: bytes, now: datetime) -> LinkFileLook:
    """Return what a file would make, and what is wrong with it. Nothing is written."""
    file = rules.read_file(content, now)
    references = [line.link.reference for line in file.lines]
    standing = {link.reference: link for link in await store.standing(db, merchant_id, references)}
    found = (_fault_beside(line, standing.get(line.link.reference)) for line in file.lines)
    faults = sorted((*file.faults, *filter(None, found)), key=lambda fault: fault.line)
    return LinkFileLook(replace(file, faults=tuple(faults)), standing)


def _fault_beside(line: BatchLine, standing: Link | None) -> BatchFault | None:
    """Return what is wrong with a line, by the link that is there under its reference."""
    if standing is None:
        return line.fault
    if standing.content_hash == link_rules.content_hash(line.link):
        return None
    return BatchFault(line.line, "reference", line.link.reference, _DIFFERS)


async def make(
    db: Database,
    merchant_id: int,
    look_made: LinkFileLook,
    reference: str,
    made_by: str,
    now: datetime,
    beside: Beside,
) -> LinkBatchView:
    """Make all links of a file, or none; the same form makes them once.

    Links that are there with the same content stay as they are. reference: of the form. beside:
    writes more in its transaction, with the batch's id. Raises Refused: FIELD_INVALID for a file
    with faults, REQUEST_ID_REUSED for another file under the same reference, or for a link that
    was made meanwhile.
    """
    file = look_made.file
    if file.faults:
        allowed = file.faults[0].words
        raise refuse(RefusalCode.FIELD_INVALID, field="file", allowed=allowed)
    for _ in range(ID_TRIES_MAX):
        batch = LinkBatch(
            merchant_id, new_id(now), reference, file.content_hash, len(file.lines), made_by, now
        )
        try:
            async with db.transaction() as conn:
                if await store.insert(conn, batch):
                    await _make_links(conn, batch, look_made, now)
                    await beside(conn, batch.batch_id)
        except UniqueViolationError:
            continue  # another row of this second has one of the ids
        return await _made_once(db, batch)
    message = "no free link ids found"
    raise RuntimeError(message)


async def _make_links(
    conn: Connection, batch: LinkBatch, look_made: LinkFileLook, now: datetime
) -> None:
    made: list[BatchedLink] = []
    link_id = 0
    for line in look_made.file.lines:
        standing = look_made.standing.get(line.link.reference)
        if standing is not None:
            made.append(BatchedLink(line.line, is_new=False, link=standing))
            continue
        link_id = next_id(now, link_id) if link_id else new_id(now)
        link, is_new = await links.make_within(
            conn, batch.merchant_id, link_id, line.link, batch.made_by, now
        )
        made.append(BatchedLink(line.line, is_new, link))
    await store.insert_lines(conn, batch, made)


async def _made_once(db: Database, batch: LinkBatch) -> LinkBatchView:
    standing = await store.by_reference(db, batch.merchant_id, batch.reference)
    assert standing is not None, "a file's row is never deleted"
    if standing.content_hash != batch.content_hash:
        raise refuse(
            RefusalCode.REQUEST_ID_REUSED, field="reference", received=batch.reference[:64]
        )
    links_made = await store.lines(db, batch.merchant_id, standing.batch_id)
    return LinkBatchView(standing, tuple(links_made))


async def find(db: Database, merchant_id: int, batch_id: int) -> LinkBatchView | None:
    """Return a file's links as they are now."""
    batch = await store.select(db, merchant_id, batch_id)
    if batch is None:
        return None
    return LinkBatchView(batch, tuple(await store.lines(db, merchant_id, batch_id)))


async def list_of(db: Database, merchant_id: int) -> list[LinkBatch]:
    """Return a merchant's newest files."""
    return await store.select_list(db, merchant_id, LIST_MAX)
