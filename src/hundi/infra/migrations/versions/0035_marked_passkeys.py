"""Give passkeys a mark under a key that the database never holds."""

from hundi.infra.migrations import run_sql_beside

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
