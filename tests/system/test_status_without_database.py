"""The status page while the database is away, and what is written of it afterwards."""

from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from hundi.infra.postgres.roles import DatabaseRole
from tests.conftest import NewFolder
from tests.system.running import RunningGateway, until
from tests.system.test_failover import database_server, free_place, hundi
from tests.system.test_status import becomes, read, states, told

OURS = {"payments", "notifications", "settlements"}


class AloneDatabase:
    """A database server that a test ends and starts again, and a gateway that uses it."""

    def __init__(self, folder: NewFolder, stack: ExitStack) -> None:
        """Start both."""
        self._data_dir, self._place = folder("alone") / "database", free_place()
        self._server = ExitStack()
        self._stack = stack
        stack.callback(self._server.close)
        self.start()
        roles = (DatabaseRole.OWNER, DatabaseRole.GATEWAY, DatabaseRole.WORKER)
        urls = {
            role: hundi(
                *("database", "address", role.value, "--servers", self._place),
                *("--data-dir", str(self._data_dir)),
            )
            for role in roles
        }
        self.gateway = stack.enter_context(
            RunningGateway(
                folder("gateway"),
                HUNDI_DATABASE_URL=urls[DatabaseRole.GATEWAY],
                HUNDI_WORKER_DATABASE_URL=urls[DatabaseRole.WORKER],
                HUNDI_OWNER_DATABASE_URL=urls[DatabaseRole.OWNER],
            )
        )

    def start(self) -> None:
        """Start the server."""
        self._server.enter_context(database_server(self._data_dir, self._place))

    def end(self) -> None:
        """End the server."""
        self._server.close()


@pytest.fixture
def alone(new_folder: NewFolder) -> Iterator[AloneDatabase]:
    with ExitStack() as stack:
        yield AloneDatabase(new_folder, stack)


def test_the_page_answers_without_a_database_and_the_outage_is_kept(alone: AloneDatabase) -> None:
    gateway = alone.gateway
    for component in (*OURS, "method-upi"):
        becomes(gateway, component, "operational")
    alone.end()
    until(lambda: told(gateway)["database_silent_since"], "the silence", every_s=1)
    answer = read(gateway, "/status")
    assert answer.status_code == 200
    assert answer.elapsed.total_seconds() < 5
    assert "database does not answer" in answer.text
    assert "Last looked at" in answer.text
    found = states(gateway)
    assert {each for each, state in found.items() if state == "major_outage"} == OURS
    assert found["method-upi"] == "operational"
    ready = httpx.get(f"{gateway.base_url}/health/ready", trust_env=False, timeout=30)
    assert ready.status_code == 503
    until(lambda: "status_not_looked_at" in gateway.logged(), "a look to fail", every_s=1)
    alone.start()
    becomes(gateway, "payments", "operational")

    def kept() -> set[str]:
        impacts = told(gateway)["component_impacts"]
        return {
            each["component_id"]
            for each in impacts
            if each["component_status"] == "major_outage" and each["end_at"] is not None
        }

    assert until(lambda: kept() if kept() >= OURS else None, "the outage", every_s=1) == OURS
