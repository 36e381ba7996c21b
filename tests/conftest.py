"""Fixtures every test may use.

A real PostgreSQL, a fresh database for each test that asks, and a running gateway.
"""

import asyncio
import gc
import os
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import asyncpg
import pytest
from hypothesis import HealthCheck, settings

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.migrate import migrate, with_database
from tests import citus, minutes, outcome
from tests.databases import drop_database
from tests.lost_workers import pytest_xdist_make_scheduler
from tests.places import RELEASE, SLOW, SLOW_FIXTURES, SLOWEST, databases_folder
from tests.system.running import RunningGateway

__all__ = ["NewFolder", "pytest_xdist_make_scheduler"]

NewFolder = Callable[[str], Path]

# How long an example takes says how busy the machine is: no test may fail of that.
settings.register_profile("hundi", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hundi")

# Nothing of a test has to survive a power cut.
_FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
    "max_connections": "200",
    # No replica reads its log, which is in memory as the rest is.
    "wal_keep_size": "0",
    "min_wal_size": "32MB",
    "max_wal_size": "64MB",
}
_numbers = count(1)
_HERE = Path(__file__).parent

# No test calls the world outside, so one certificate, of nobody, is enough. Reading the world's
# takes each HTTP client of a test, and each process that a test starts, a twentieth of a second.
os.environ["SSL_CERT_FILE"] = str(_HERE / "certificates.pem")
# What loading the tests leaves stays for good: nobody shall look through it again and again for
# what could go.
gc.disable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--quick`."""
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out tests that need a server, a browser or PostgreSQL",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Record the outcome for whoever asked for it."""
    recorder = outcome.recorder(config)
    if recorder is not None:
        config.pluginmanager.register(recorder)
    minutes.register(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass by the tests of releases, and by the slow places when it shall be quick.

    Loading them takes as long as the rest. A file that is named is not asked for here.
    """
    if not collection_path.is_relative_to(_HERE):
        return None
    place = collection_path.relative_to(_HERE).as_posix()
    passed_by = (*RELEASE, *SLOW) if config.getoption("--quick") else RELEASE
    return place in passed_by or f"{place}/" in passed_by or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the slowest files first, or leave out what needs a server.

    Otherwise the order stays.
    """
    _tell_apart(items)
    items.sort(
        key=lambda item: next(
            (place for place, part in enumerate(SLOWEST) if part in item.nodeid), len(SLOWEST)
        )
    )
    if config.getoption("--quick"):
        slow = [item for item in items if SLOW_FIXTURES & {*getattr(item, "fixturenames", ())}]
        left_out = set(slow)
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=slow)


def _tell_apart(items: Sequence[pytest.Item]) -> None:
    """Give each test an id of its own. Raises pytest.UsageError.

    Of several with one id, processes side by side run the first alone, and nobody is told of the
    others. Since pytest 9.2 an id leaves out what schemathesis (4.32) adds to a test's name: the
    operation that it tries.
    """
    for item in items:
        if getattr(item, "operation_label", None) is not None and item.parent is not None:
            item._id = item.parent.id.child(item.name)  # noqa: SLF001 (there is no other way to name it)
    twice = [name for name, times in Counter(item.nodeid for item in items).items() if times > 1]
    if twice:
        message = f"of tests with the same id only the first would be run: {twice}"
        raise pytest.UsageError(message)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests that a Citus cluster cannot run, before anything is made for them."""
    mark = item.get_closest_marker("not_on_citus")
    if mark is not None and citus.cluster() is not None:
        pytest.skip(f"on Citus: {mark.args[0]}")


def pytest_collection_finish() -> None:
    """Collect garbage again, of what the tests themselves make."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Address of a server's `postgres` database.

    HUNDI_TEST_DATABASE_URL, or an embedded one of this session.
    """
    given = os.environ.get("HUNDI_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with (
        tempfile.TemporaryDirectory(prefix="hundi-test-", dir=databases_folder()) as folder,
        embedded_postgres.start(Path(folder), options=_FAST) as server,
    ):
        yield server.url("postgres")


@pytest.fixture(scope="module")
def new_folder() -> Iterator[NewFolder]:
    """Makes folders for gateways, each another one, gone when the tests of a file are over.

    They are in memory, and a gateway's has up to some hundred megabytes.
    """
    yield from _new_folders()


@pytest.fixture(scope="session")
def lasting_folder() -> Iterator[NewFolder]:
    """Makes folders as `new_folder` does, for what the tests of several files share."""
    yield from _new_folders()


def _new_folders() -> Iterator[NewFolder]:
    """Make none of pytest's own: they are closed to everybody else.

    That is whenever another session starts, and the database server, which does not run as root,
    is somebody else.
    """
    with tempfile.TemporaryDirectory(prefix="hundi-system-", dir=databases_folder()) as parent:
        given: Counter[str] = Counter()

        def folder(name: str) -> Path:
            given[name] += 1
            return Path(parent) / (name if given[name] == 1 else f"{name}-{given[name]}")

        yield folder


@pytest.fixture(scope="session")
def gateway(lasting_folder: NewFolder) -> Iterator[RunningGateway]:
    """The gateway that tests of documentation, browsers and the whole system share.

    It trusts what a proxy on this machine says about who calls. A person watches its bank's pending
    payments end. It reminds customers at every hour. It serves the site of `make docs`, where that
    was run.
    """
    settings = {
        "HUNDI_TRUSTED_PROXIES": "127.0.0.1/32",
        "HUNDI_SIMBANK_PENDING_SECONDS": "2.5",
        "HUNDI_QUIET_HOURS": "never",
        "HUNDI_DOCS_DIR": str(Path(__file__).parents[1] / "build" / "docs"),
    }
    with RunningGateway(lasting_folder("shared"), prepared=False, **settings) as running:
        yield running


@dataclass(frozen=True)
class Databases:
    """The databases of one server or Citus cluster, made and dropped over open connections.

    workers: the addresses of the cluster's workers, which have each database under the same name.
    """

    url: str
    workers: Sequence[str]
    _loop: asyncio.Runner
    _connections: Sequence[asyncpg.Connection]

    def run(self, statement: str) -> None:
        """Run one statement on each node."""
        for connection in self._connections:
            self._loop.run(connection.execute(statement))

    def drop(self, name: str) -> None:
        """Drop a database, whoever may still be connected to it."""
        for connection in self._connections:
            self._loop.run(drop_database(connection, name))

    def tune(self, name: str) -> None:
        """Give a copy the setting of a spread database, which is not copied."""
        if self.workers:
            self._loop.run(citus.tune(with_database(self.url, name)))

    def make_template(self, name: str) -> None:
        """Make a database with the newest schema, spread when there are workers.

        Nobody stays connected to it.
        """
        url = with_database(self.url, name)
        if self.workers:
            self.run(f'create database "{name}"')
            self._loop.run(
                citus.prepare([url, *(with_database(worker, name) for worker in self.workers)])
            )
        self._loop.run(migrate(url, spread=bool(self.workers)))
        if self.workers:
            for connection in self._connections:
                self._loop.run(citus.let_go(connection, name))


@pytest.fixture(scope="session")
def databases(postgres_url: str) -> Iterator[Databases]:
    """The databases of the session's server.

    Synchronous: the connection outlives the event loop of every test.
    """
    with asyncio.Runner() as loop:
        workers = loop.run(citus.workers_of(postgres_url))
        connections = [loop.run(asyncpg.connect(url)) for url in (postgres_url, *workers)]
        yield Databases(postgres_url, workers, loop, connections)
        for connection in connections:
            loop.run(connection.close())


@pytest.fixture(scope="session")
def template(databases: Databases) -> Iterator[str]:
    """Name of a database with the newest schema that tests clone.

    Nobody may stay connected to it.
    """
    name = f"hundi_template_{os.getpid()}"
    databases.make_template(name)
    yield name
    databases.drop(name)


def _copied(databases: Databases, template: str) -> Iterator[str]:
    name = f"hundi_test_{os.getpid()}_{next(_numbers)}"
    # Copied as files: writing each page to the log, as PostgreSQL does otherwise, takes ten times
    # the work.
    databases.run(f'create database "{name}" template "{template}" strategy file_copy')
    databases.tune(name)
    yield with_database(databases.url, name)
    databases.drop(name)


@pytest.fixture(scope="session")
def template_url(databases: Databases, template: str) -> Iterator[str]:
    """Address of a database for those who only look and leave.

    The template, or on Citus a copy of it.
    """
    if databases.workers:
        yield from _copied(databases, template)
    else:
        yield with_database(databases.url, template)


@pytest.fixture
def fresh_url(databases: Databases, template: str) -> Iterator[str]:
    """Address of this test's own database with the newest schema."""
    yield from _copied(databases, template)


@pytest.fixture
async def db(fresh_url: str) -> AsyncIterator[Database]:
    """This test's own database, open."""
    async with await open_database(fresh_url, pool_size=4) as database:
        yield database
