"""Write payments and tries of deliveries by statements whose plans Citus keeps."""

from hundi.infra.migrations import run_sql_beside

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
