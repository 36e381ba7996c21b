"""Keep with a refused request what was compared with what."""

from hundi.infra.migrations import run_sql_beside

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
