"""Lines that people have corrected are not matched again, and items end by a line of their kind."""

from hundi.infra.migrations import run_sql_beside

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
