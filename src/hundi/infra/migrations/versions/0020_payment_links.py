"""Add payment links and the orders that customers begin under them."""

from hundi.infra.migrations import run_sql_beside

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
