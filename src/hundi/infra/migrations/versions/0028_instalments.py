"""Add the methods of attempt by which aggregators make instalments."""

from hundi.infra.migrations import run_sql_beside

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
