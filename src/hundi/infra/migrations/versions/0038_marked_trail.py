"""Mark entries of the trail."""

from hundi.infra.migrations import run_sql_beside

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
