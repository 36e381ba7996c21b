"""Let several runs make a month of the archive at the same moment."""

from hundi.infra.migrations import run_sql_beside

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
