"""The schema of the first release, a file for each wing in the folder of this name."""

from hundi.infra.migrations import run_sql_beside

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Run the SQL files of the folder of the same name, in their order."""
    run_sql_beside(__file__)
