"""The script that copies the server, as compose and the chart run it."""

import hashlib
import json
import os
import re
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hundi.infra.embedded.backups import CopiedServer
from hundi.infra.embedded.cluster import wheel_binaries
from hundi.infra.monitoring.last_backup import last_backup_at
from hundi.infra.settings import Settings
from tests.deploy.containers.test_compose import SERVICES
from tests.system.running import RunningGateway

SCRIPT = Path(__file__).parents[3] / "deploy" / "helm" / "hundi" / "files" / "backup.sh"


def copied(gateway: RunningGateway, folder: Path, *, host: str = "") -> str:
    """Let the script copy the gateway's server, and return what it said."""
    server = CopiedServer(gateway.data_dir)
    at, port = server.command("pg_basebackup")[2:5:2]
    where = {"PGHOST": host or at, "PGPORT": port, "PGUSER": "hundi_backup"}
    environment = dict(server.environment)
    secret = folder.parent / f"{folder.name}-pgpass"
    secret.write_text(f"*:*:*:hundi_backup:{environment.pop('PGPASSWORD')}\n")
    secret.chmod(0o440)  # as Kubernetes mounts it
    programs = {"PATH": f"{wheel_binaries()}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", SCRIPT, folder, "2"],
        env={**environment, **programs, **where, "PGPASSFILE": str(secret)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return "" if done.returncode == 0 else done.stderr


def test_a_copy_is_whole_marked_and_one_of_the_newest(
    gateway: RunningGateway, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path, backup_dir=tmp_path)
    assert last_backup_at(settings) is None
    names = []
    for _ in range(3):
        assert copied(gateway, tmp_path) == ""
        names.append(max(path.name for path in tmp_path.glob("base-*")))
        time.sleep(1.1)
    assert sorted(path.name for path in tmp_path.glob("base-*")) == names[1:]
    newest = tmp_path / names[-1]
    unpacked = tmp_path / "unpacked"
    for archive, place in {"base.tar.gz": unpacked, "pg_wal.tar.gz": unpacked / "pg_wal"}.items():
        place.mkdir(exist_ok=True)
        subprocess.run(["tar", "-xzf", newest / archive, "-C", place], check=True, timeout=120)
    manifest = json.loads((newest / "backup_manifest").read_text())
    assert len(manifest["Files"]) > 900
    for file in manifest["Files"]:
        content = (unpacked / file["Path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["Checksum"], file["Path"]
    (log,) = manifest["WAL-Ranges"]
    assert int(log["End-LSN"].partition("/")[2], 16) > 0
    assert list((unpacked / "pg_wal").glob("0000*")), "the log that the copy needs"
    assert (newest.stat().st_mode & 0o77, last_backup_at(settings) is not None) == (0, True)


def test_what_is_not_a_copy_stays(gateway: RunningGateway, tmp_path: Path) -> None:
    folder = tmp_path / "my backups"
    others = [
        "base-of the year",
        "base-20261128T000000Z of Ravi",
        "base-2026",
        "base-x.partial",
        "base-",
        "last.partial",
    ]
    copies = [f"base-2020010{day}T000000Z" for day in range(1, 4)]
    for name in (*others, *copies, "base-20200104T000000Z.partial"):
        (folder / name).mkdir(parents=True)
    assert copied(gateway, folder) == ""
    found = sorted(path.name for path in folder.iterdir())
    new = max(name for name in found if re.fullmatch(r"base-\d{8}T\d{6}Z", name))
    assert found == sorted([*others, copies[-1], new, "last_backup"])


def test_a_copy_that_fails_leaves_the_mark_and_the_last_one(
    gateway: RunningGateway, tmp_path: Path
) -> None:
    assert copied(gateway, tmp_path) == ""
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert "pg_basebackup" in copied(gateway, tmp_path, host=str(tmp_path))
    assert before.items() <= {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}.items()


def test_compose_runs_it_each_day_beside_the_server() -> None:
    service = SERVICES["backup"]
    (command,) = service["command"]
    assert command == "while :; do sh /backup.sh /backups && sleep 86400 || sleep 600; done"
    assert (service["network_mode"], service["environment"]["PGHOST"]) == (
        "service:database",
        "127.0.0.1",
    )
    for part in ("api", "metrics", "operator"):
        assert any(path.endswith(":/backups:ro") for path in SERVICES[part]["volumes"]), part


def test_the_server_of_compose_asks_everybody_for_a_password() -> None:
    """The image's server trusted its own address, where the copies are made: as any role."""
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:
        as_user = {"user": 65_534, "group": 65_534, "extra_groups": []}
    options = SERVICES["database"]["environment"]["POSTGRES_INITDB_ARGS"].split()
    with TemporaryDirectory() as made:
        if as_user:
            os.chown(made, 65_534, 65_534)
        command = [wheel_binaries() / "initdb", "-D", f"{made}/data", "-U", "postgres", *options]
        subprocess.run(command, check=True, capture_output=True, timeout=60, **as_user)
        rules = Path(made, "data", "pg_hba.conf").read_text().splitlines()
    methods = {rule.split()[-1] for rule in rules if rule.startswith("host")}
    assert methods == {"scram-sha-256"}
