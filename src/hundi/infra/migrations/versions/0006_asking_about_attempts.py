"""When an attempt was charged, and when its inquiry was hastened."""

from hundi.infra.migrations import run_sql_beside

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
