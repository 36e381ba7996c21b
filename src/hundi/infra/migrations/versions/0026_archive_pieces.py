"""Let payments leave for the archive and come back where tables are in pieces."""

from alembic import op

from hundi.infra.migrations import begin, run_sql_beside
from hundi.infra.postgres import citus

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Run the SQL file of the same name.

    On a cluster with it, in one transaction: what the coordinator gave as a default would look like
    a row's own.
    """
    bind = op.get_bind()
    if begin() and bind.exec_driver_sql(citus.HAS_SPREAD, ("payments",)).all():
        for name in citus.STAMPED:
            bind.exec_driver_sql(citus.UNSTAMPED.format(name))
    run_sql_beside(__file__)
