"""The tests that start a server or a browser, the longest ones, and their databases."""

import shutil
from pathlib import Path

SERVERS = (
    "acquirers/gateway/test_contract.py",
    "acquirers/sandbox/test_aggregator_contract.py",
    "acquirers/sandbox/test_contract.py",
    "browser/",
    "cli/test_serve.py",
    "docs/test_command_fields.py",
    "docs/test_example_shop.py",
    "docs/test_examples.py",
    "docs/test_partner_pages.py",
    "infra/embedded/test_backups.py",
    "infra/postgres/test_connecting.py",
    "infra/embedded/test_server.py",
    "infra/postgres/test_migrate.py",
    "page/test_onward.py",
    "system/",
    "testbed/bank/",
    "testbed/commands/test_simulate.py",
    "test_distributions.py",
)
"""Places below `tests` where a server of its own is started; `make quick` leaves them out."""

SLOWEST = (
    "system/test_crashes.py",
    "browser/",
    "docs/test_examples.py",
    "cli/test_serve.py",
    "system/test_trouble.py",
    "system/test_late.py",
    "system/test_upstream.py",
)
"""Begun first, so that no worker is left alone with one of them at the end.

Most of their time they wait.
"""

_MEMORY = Path("/dev/shm")  # noqa: S108 (only the folder above those that are made for us alone)
_MEMORY_BYTES_MIN = 4 * 1024**3
"""Much more than a run needs: a gateway's folder has less than 200 MB."""


def databases_folder() -> Path | None:
    """Return where databases are made.

    In memory, where copying one takes a tenth, or None for the usual place.
    """
    return (
        _MEMORY
        if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _MEMORY_BYTES_MIN
        else None
    )
