"""Write down the lost try of a delivery that is superseded as well."""

from hundi.infra.migrations import run_sql_beside

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
