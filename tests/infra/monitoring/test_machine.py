"""Counting in files of one folder: nothing is lost with a process, and a full disk ends nobody."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from prometheus_client.parser import text_string_to_metric_families

from hundi.infra.monitoring.folder import VARIABLE

_COUNT = """
import resource, sys
from hundi.infra.monitoring.folder import reserve
if limit := int(sys.argv[2]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
print(reserve(), file=sys.stderr)
from hundi.infra.monitoring import counters, machine, readings
machine.started("api")
for _ in range(int(sys.argv[1])):
    counters.REQUESTS.labels("verify", "200").inc()
    counters.REQUEST_SECONDS.labels("verify").observe(0.003)
sys.stdout.buffer.write(machine.exposition([readings.overdue([("refunds", 1.5)])]))
"""


_APART = ("unshare", "--user", "--map-root-user", "--pid", "--mount-proc", "--fork")
"""Runs a program that sees no process but its own, as a service of systemd's may."""


def counted(
    folder: Path, times: int, file_bytes_max: int = 0, *, by: Sequence[str] = ()
) -> tuple[dict[str, float], str]:
    """Let a process count so often and end; return the samples that it saw, and what it said."""
    command = [*by, sys.executable, "-c", _COUNT, str(times), str(file_bytes_max)]
    ended = subprocess.run(
        command,
        env=os.environ | {VARIABLE: str(folder)},
        capture_output=True,
        timeout=120,
        check=True,
    )
    samples: dict[str, float] = {}
    for family in text_string_to_metric_families(ended.stdout.decode()):
        for each in family.samples:
            key = each.name + (each.labels.get("le") or "")
            samples[key] = samples.get(key, 0) + each.value
    return samples, ended.stderr.decode()


def test_counts_outlive_their_processes_and_never_go_back(tmp_path: Path) -> None:
    for times, total in ((3, 3), (4, 7), (0, 7), (1, 8)):
        samples, _ = counted(tmp_path, times)
        assert samples["hundi_requests_total"] == total
        assert samples["hundi_request_seconds_count"] == total
        assert samples["hundi_request_seconds_bucket0.002"] == 0
        assert samples["hundi_request_seconds_bucket0.005"] == total
        assert samples["hundi_part_started_seconds"] < 2e10, "the gauge of one living process"
        assert samples["hundi_overdue_seconds"] == 1.5
    # One file for each kind of the living, and one for the sum of each kind of the ended.
    assert len(list(tmp_path.glob("*.db"))) <= 8


def test_a_process_that_another_cannot_see_counts_as_living(tmp_path: Path) -> None:
    waiting = _COUNT + "print('\\n# counted', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", waiting, "5", "0"],
        env=os.environ | {VARIABLE: str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as living:
        assert living.stdout is not None
        while living.stdout.readline() != b"# counted\n":
            assert living.poll() is None
        own = tmp_path / f"counter_{living.pid}.db"
        assert counted(tmp_path, 1, by=_APART)[0]["hundi_requests_total"] == 6
        assert own.exists(), "it goes on counting there"
        living.communicate()
    assert counted(tmp_path, 0)[0]["hundi_requests_total"] == 6
    assert not own.exists()


def test_without_space_a_process_counts_for_itself_alone(tmp_path: Path) -> None:
    counted(tmp_path, 5)
    samples, said = counted(tmp_path, 2, file_bytes_max=100_000)
    assert samples["hundi_requests_total"] == 2
    assert "this process is missing in /metrics" in said
    assert counted(tmp_path, 1)[0]["hundi_requests_total"] == 6


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts processes of other users")
def test_users_of_one_group_count_in_one_folder() -> None:
    """As containers do that see each other's processes, and must not read what they read."""
    as_user = ("setpriv", "--regid=65000", "--clear-groups")
    with TemporaryDirectory() as made:
        folder = Path(made)
        os.chown(folder, 65_001, 65_000)
        folder.chmod(0o770)
        for user, total in ((65_001, 2), (65_002, 4), (65_003, 6), (65_001, 8)):
            samples, said = counted(folder, 2, by=(*as_user, f"--reuid={user}"))
            assert (samples["hundi_requests_total"], said.strip()) == (total, "")
