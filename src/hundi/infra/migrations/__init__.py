"""Migrations in plain SQL.

Each version is a `.sql` file or a folder of them, run in one transaction.
"""

import re
from pathlib import Path
from typing import Any

from alembic import op

from hundi.infra.postgres import citus

# A migration that waits for a lock blocks every later query of that table, so it gives up soon.
_LOCK_TIMEOUT = "5s"


def begin() -> bool:
    """Begin a migration's transaction, and return whether the database has Citus.

    In one transaction Citus replaces functions and changes tables only over one connection to each
    worker.
    """
    bind = op.get_bind()
    bind.exec_driver_sql(f"set local lock_timeout = '{_LOCK_TIMEOUT}'")
    is_there = bool(bind.exec_driver_sql(citus.IS_THERE).scalar_one())
    if is_there:
        bind.exec_driver_sql(citus.ONE_CONNECTION)
    return is_there


def run_sql_beside(script: str) -> None:
    """Run the SQL file, or folder of SQL files, that has the name of a version script."""
    # The first statement also begins the transaction: SQLAlchemy would not notice a script sent
    # directly to the driver, and only the driver takes a script of many statements.
    is_there = begin()
    bind = op.get_bind()
    folder = Path(script).with_suffix("")
    files = sorted(folder.glob("*.sql")) if folder.is_dir() else [folder.with_suffix(".sql")]
    script_text = "\n".join(file.read_text("utf-8") for file in files)
    adapted: Any = bind.connection.dbapi_connection
    # Citus sends some statements on as the whole text they came in, and a worker takes one at a
    # time.
    scripts = statements(script_text) if is_there else [script_text]
    for each in scripts:
        adapted.run_async(lambda connection, text=each: connection.execute(text))


_PART = re.compile(r"\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'|--[^\n]*|[^;]", re.DOTALL)


def statements(script: str) -> list[str]:
    """Return the statements of a script; a semicolon in a text or a body does not end one."""
    found, begun = [""], 0
    while begun < len(script):
        part = _PART.match(script, begun)
        if part is None:
            found.append("")
        else:
            found[-1] += part[0]
        begun = part.end() if part else begun + 1
    return [each for each in found if re.sub(r"--[^\n]*", "", each).strip()]


def spread_beside(spread: str, function: str, *tables: str) -> None:
    """Spread new tables that a spread table will refer to, with a function that its rules call.

    spread: a table that is spread by merchant on Citus; if it is not, nothing is done
    (docs/citus.md).
    """
    bind = op.get_bind()
    if (
        bind.exec_driver_sql(citus.IS_THERE).scalar_one()
        and bind.exec_driver_sql(citus.HAS_SPREAD, (spread,)).all()
    ):
        bind.exec_driver_sql(citus.SPREAD_FUNCTION, (function,))
        for table in tables:
            bind.exec_driver_sql(citus.SPREAD_TABLE, (table, "merchant_id", "merchants"))


def build_index(name: str, on: str) -> None:
    """Build an index of a table that payments write to, without blocking them.

    on: table and columns, as in `payments (merchant_id, order_id)`. The transaction so far is
    committed. A migration that stopped here runs again from its beginning, so the part before must
    be safe to repeat. The remains of an interrupted build are dropped first.
    """
    with op.get_context().autocommit_block():
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        op.execute(f"CREATE INDEX CONCURRENTLY {name} ON {on}")
