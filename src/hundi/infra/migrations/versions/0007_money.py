"""How money reaches merchants: fees, settlements, payouts, reconciliation, disputes."""

from hundi.infra.migrations import run_sql_beside

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Run the SQL files of the folder of the same name, in their order."""
    run_sql_beside(__file__)
