"""Where slow tests are, those that take longest, and where databases of tests live."""

import shutil
from pathlib import Path

SERVERS = (
    "acquirers/gateway/test_contract.py",
    "acquirers/sandbox/test_aggregator_contract.py",
    "acquirers/sandbox/test_contract.py",
    "browser/",
    "cli/test_serve.py",
    "cli/test_settings.py",
    "deploy/",
    "docs/test_command_fields.py",
    "docs/test_example_shop.py",
    "docs/test_examples.py",
    "docs/test_partner_pages.py",
    "infra/embedded/test_backups.py",
    "infra/postgres/test_connecting.py",
    "infra/embedded/test_server.py",
    "infra/postgres/test_migrate.py",
    "infra/postgres/test_released.py",
    "languages/",
    "page/test_onward.py",
    "shops/",
    "storefronts/",
    "system/",
    "testbed/bank/",
    "testbed/commands/test_simulate.py",
    "test_distributions.py",
)
"""Places below `tests` where a server of its own is started."""
PROGRAMS = ("acquirers/sdks/", "site/test_built.py", "test_ci.py", "test_supply_chain.py")
"""Places where whole programs run, or what they built is read.

Clients of acquirers, the documentation's site, pytest, make, the builder of wheels.
"""
SLOW = (*SERVERS, *PROGRAMS)
"""What `make quick` leaves out, with every test that takes one of the fixtures below."""
RELEASE = (
    "deploy/data/test_backups.py",
    "deploy/data/test_failover.py",
    "deploy/data/test_move.py",
    "deploy/data/test_newer.py",
    "deploy/data/test_two_machines.py",
    "deploy/systemd/test_reload.py",
    "deploy/test_release.py",
    "deploy/test_walk.py",
    "testbed/bench/test_stopping.py",
    "testbed/commands/test_simulate.py",
    "testbed/simulation/test_money.py",
    "testbed/simulation/test_replay.py",
)
"""Tests that run where they are named, as `make release-tests` does, and not with all others.

They build packages, make machines and walk their operator's pages on them, or try the tools that
look for faults and measure. They took a fourth of a run of all tests.
"""
SLOW_FIXTURES = frozenset({"postgres_url", "gateway"})
"""Fixtures that start a server, and of which others are made."""

SLOWEST = (
    "system/test_quarter.py",
    "system/test_bent_books.py",
    "system/test_crashes.py",
    "browser/",
    "house/",
    "docs/test_glossary.py",
    "docs/test_named.py",
    "system/test_payout_kills.py",
    "system/test_page_kills.py",
    "system/test_lost_home.py",
    "system/test_failover.py",
    "system/test_replica.py",
    "system/test_backups.py",
    "system/test_generated_clients.py",
    "system/test_schemathesis.py",
    "system/test_partner_description.py",
    "system/test_routing_rules.py",
    "system/test_risk.py",
    "system/test_gateway_chain.py",
    "docs/test_examples.py",
    "deploy/monitoring/test_prometheus.py",
    "deploy/proxy/test_gateway.py",
    "cli/test_serve.py",
    "system/test_trouble.py",
    "system/test_late.py",
    "system/test_upstream.py",
)
"""Begun first, so that no process is left alone with one of them at the end.

Each takes more than a fortieth of the time of `tests/system` (docs/checks.md), or mostly waits.
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
