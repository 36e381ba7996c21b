"""A demo's folder before its first child serves: made once a process of tests, and then copied.

Making it is a quarter of a gateway's start: PostgreSQL's own tables, ours, and the demo's people.
"""

import atexit
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.roles import DATABASE, SIMBANK_DATABASE, DatabaseRole
from tests.patience import PATIENCE_S
from tests.places import databases_folder
from tests.system.machine import clean_environment

_LOG = "postgres.log"
_DATABASES = (DATABASE, SIMBANK_DATABASE)
_ANY_KEY = "00" * 32
"""Stands for the key of gateway and bank, which each gateway makes for itself."""


def copy_prepared(data_dir: Path) -> None:
    """Make the data directory of a demo that is prepared, with keys and people of the first one."""
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    # Python's own copies do not keep the owner, who is the one PostgreSQL runs as.
    subprocess.run(["cp", "-a", str(_prepared()), str(data_dir)], check=True, timeout=PATIENCE_S)


@cache
def _prepared() -> Path:
    """Prepare a demo by the child that does so at the first start, and keep it until the end."""
    kept = tempfile.TemporaryDirectory(prefix="hundi-prepared-", dir=databases_folder())
    atexit.register(kept.cleanup)
    data_dir = Path(kept.name) / "data"
    with embedded_postgres.start(data_dir, databases=_DATABASES) as server:
        settings = {
            "HUNDI_DEMO": "1",
            "HUNDI_DATA_DIR": str(data_dir),
            "HUNDI_DATABASE_URL": server.url(DATABASE, DatabaseRole.OPERATOR),
            "HUNDI_OWNER_DATABASE_URL": server.url(DATABASE),
            "HUNDI_SIMBANK_DATABASE_URL": server.url(SIMBANK_DATABASE),
            "HUNDI_ACQUIRER_KEY": _ANY_KEY,
        }
        subprocess.run(
            [sys.executable, "-m", "hundi.cli", "prepare"],
            env=clean_environment() | settings,
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=PATIENCE_S,
        )
    (data_dir / _LOG).unlink()
    return data_dir
