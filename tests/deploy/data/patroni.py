"""Two machines under Patroni and a third one that votes, from deploy/data/patroni.yml."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml

from tests.deploy.data.servers import (
    ADMITTED,
    LOCALHOST,
    SAMPLES,
    OwnServer,
    as_postgres,
)
from tests.patience import PATIENCE_S
from tests.system.machine import free_port
from tests.system.waiting import until

PATRONI, CONTROLLER, CONTROL = (
    f"/usr/bin/{name}" for name in ("patroni", "patroni_raft_controller", "patronictl")
)
_START_S_MAX = 120.0


def _place() -> str:
    return f"{LOCALHOST}:{free_port()}"


@dataclass
class PatroniPair:
    """The servers of two machines, and the programs that decide between them."""

    servers: Sequence[OwnServer]
    processes: list[psutil.Popen] = field(default_factory=list)

    def write(self) -> None:
        """Write the sample with the places of a test."""
        sample = yaml.safe_load((SAMPLES / "patroni.yml").read_text())
        votes = [_place() for _ in range(3)]
        for number, server in enumerate(self.servers):
            _write(server, _changed(sample, server, votes, number))
        voter = {"raft": _raft(self._voter, votes, 2)}
        (self._voter / "patroni.yml").write_text(yaml.safe_dump(voter))

    def start(self) -> None:
        """Start everything, and wait until there is a primary with a synchronous replica."""
        for server in self.servers:
            self._run(PATRONI, server.folder)
        self._run(CONTROLLER, self._voter)
        until(lambda: "Sync Standby" in self.told(), "a synchronous replica", within_s=_START_S_MAX)

    def told(self) -> str:
        """Return what Patroni's own command says of the members."""
        place = str(self.servers[1].folder / "patroni.yml")
        ended = subprocess.run(
            [*as_postgres(), CONTROL, "-c", place, "list"],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return ended.stdout

    @property
    def primary(self) -> int:
        """Return which server takes writes."""
        leader = next(line for line in self.told().splitlines() if "Leader" in line)
        return next(
            number for number, server in enumerate(self.servers) if f":{server.port} " in leader
        )

    def lose(self, number: int) -> None:
        """Kill a machine's Patroni and its server outright."""
        _kill(self.processes[number])
        with suppress(FileNotFoundError):
            self.servers[number].kill()

    def stop(self) -> None:
        """End everything."""
        for number, _ in enumerate(self.servers):
            self.lose(number)
        for process in self.processes:
            _kill(process)

    @property
    def _voter(self) -> Path:
        return self.servers[0].shared

    def _run(self, program: str, folder: Path) -> None:
        with (folder / "patroni.log").open("w") as log:
            process = psutil.Popen(
                [*as_postgres(), program, str(folder / "patroni.yml")],
                env=self.servers[0].environment | {"HOME": str(folder)},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)


def _kill(process: psutil.Popen) -> None:
    with suppress(psutil.NoSuchProcess):
        process.kill()
    process.wait(PATIENCE_S)


def _raft(folder: Path, votes: Sequence[str], number: int) -> dict[str, Any]:
    others = [vote for vote in votes if vote != votes[number]]
    place = folder / "raft"
    return {"data_dir": str(place), "self_addr": votes[number], "partner_addrs": others}


def _changed(
    sample: dict[str, Any], server: OwnServer, votes: Sequence[str], number: int
) -> dict[str, Any]:
    """Return the sample with one machine's places, and nothing else of it changed."""
    rest, place = _place(), f"{LOCALHOST}:{server.port}"
    return sample | {
        "name": server.folder.name,
        "restapi": {"listen": rest, "connect_address": rest},
        "raft": _raft(server.folder, votes, number),
        "postgresql": sample["postgresql"]
        | {
            "listen": place,
            "connect_address": place,
            "data_dir": str(server.data),
            "pg_hba": ADMITTED.strip().splitlines(),
            "parameters": {"unix_socket_directories": str(server.folder)},
        },
    }


def _write(server: OwnServer, settings: dict[str, Any]) -> None:
    (server.folder / "patroni.yml").write_text(yaml.safe_dump(settings))


@contextmanager
def patroni_pair(folder: Path) -> Iterator[PatroniPair]:
    """Yield two machines under Patroni, with their database running."""
    shared = folder / "shared"
    servers = [OwnServer(folder / name, shared, free_port()) for name in ("db1", "db2")]
    for server in servers:
        server.prepare()
    pair = PatroniPair(servers)
    pair.write()
    try:
        pair.start()
        yield pair
    finally:
        pair.stop()
