"""Index what waits to be settled, and what was, by its settlement: merchants read that in pages."""

from alembic import op

from hundi.infra.migrations import build_index

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Build both, then drop the one that they replace.

    Settling writes as many entries as before.
    """
    build_index(
        "settlement_items_waiting",
        "settlement_items (merchant_id, ready_on) WHERE settlement_id IS NULL",
    )
    build_index(
        "settlement_items_settled",
        (
            "settlement_items (merchant_id, settlement_id, cause_id, kind) WHERE settlement_id IS"
            " NOT NULL"
        ),
    )
    with op.get_context().autocommit_block():
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS settlement_items_by_settlement")
