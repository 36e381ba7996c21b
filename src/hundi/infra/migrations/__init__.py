"""Migrations in plain SQL: each version is a `.sql` file, run in one transaction by the `.py` file of its name."""

from pathlib import Path
from typing import Any

from alembic import op

# A migration that waits for a lock makes every later query of that table wait behind it; so it gives up soon instead.
_LOCK_TIMEOUT = "5s"


def run_sql_beside(script: str) -> None:
    """Run the `.sql` file that stands beside a version script, in the transaction of that migration."""
    bind = op.get_bind()
    # This statement also begins the transaction: SQLAlchemy would not notice a script sent past it to the driver,
    # and only the driver takes a script of many statements.
    bind.exec_driver_sql(f"set local lock_timeout = '{_LOCK_TIMEOUT}'")
    script_text = Path(script).with_suffix(".sql").read_text("utf-8")
    adapted: Any = bind.connection.dbapi_connection
    adapted.run_async(lambda connection: connection.execute(script_text))
