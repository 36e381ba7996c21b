"""Count a payment that no report shows once, on Citus as well."""

from hundi.infra.migrations import run_sql_beside

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
