"""What a process tells systemd never holds it up."""

import socket
from pathlib import Path

import pytest

from hundi.infra import reports


def test_a_manager_that_reads_nothing_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(tmp_path / "manager")
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    monkeypatch.delenv(reports.PIPE, raising=False)
    queue_max = int(Path("/proc/sys/net/unix/max_dgram_qlen").read_text())
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        reports.report(reports.READY)
        for _ in range(min(queue_max, 100) + 1):
            reports.report(reports.ALIVE)
        assert manager.recv(100) == reports.READY.encode()
        assert manager.recv(100) == reports.ALIVE.encode()
