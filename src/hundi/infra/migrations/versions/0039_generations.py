"""Let the trail prove roles, and which setting of a password counts."""

from hundi.infra.migrations import run_sql_beside

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
