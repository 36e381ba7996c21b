"""Acts on a person's own filters: save one, remove one."""

from hundi.infra.postgres.database import Database
from hundi.staff.saved_filters import rules, store
from hundi.staff.saved_filters.rules import SavedFilter


async def save(db: Database, wanted: SavedFilter) -> None:
    """Save a filter, in place of one with its name. Raises Refused (FIELD_INVALID)."""
    async with db.transaction() as conn:
        saved = await store.of_list(conn, wanted.merchant_id, wanted.person_id, wanted.list_name)
        await store.upsert(conn, rules.checked(wanted, saved))


async def remove(db: Database, merchant_id: int, person_id: int, list_name: str, name: str) -> bool:
    """Remove a person's own filter, and return whether there was one."""
    async with db.transaction() as conn:
        return await store.delete(conn, merchant_id, person_id, list_name, name)
