"""The chain over postings and events, and the transaction of each event, by which it is sealed."""

from hundi.infra.migrations import build_index, run_sql_beside

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Run the SQL file of the same name, then build the index while payments go on."""
    run_sql_beside(__file__)
    build_index("payment_events_in_order", "payment_events (merchant_id, xact, payment_id)")
