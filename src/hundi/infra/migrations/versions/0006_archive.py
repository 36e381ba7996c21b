"""The archive of payments, and the functions that heed it: opening a payment, rolling up."""

from hundi.infra.migrations import build_index, run_sql_beside

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Run the SQL file of the same name, then build the index for removals of payments."""
    run_sql_beside(__file__)
    build_index("completions_of_payment", "completions (merchant_id, payment_id)")
    build_index("split_configurations_of_payment", "split_configurations (merchant_id, payment_id)")
    build_index("subscription_debits_of_payment", "subscription_debits (merchant_id, payment_id)")
