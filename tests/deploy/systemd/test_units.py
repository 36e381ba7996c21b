"""The units: systemd knows every line of them, and each service is shut in tightly."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[3] / "deploy" / "systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
EXPOSURE_MAX = 2.5
"""Of `systemd-analyze security`, from 0 (shut in) to 10 (may do anything)."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with the units, and programs of the names that they start."""
    folder = tmp_path_factory.mktemp("root")
    shutil.copytree(UNITS, folder / "usr/lib/systemd/system")
    for name in ("usr/bin/hundi", "bin/sh"):
        program = folder / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    for unit in ("sysinit.target", "network-online.target", "multi-user.target"):
        (folder / "usr/lib/systemd/system" / unit).write_text("[Unit]\nDescription=of systemd\n")
    return folder


def analyze(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", f"--root={root}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_shut_in(root: Path, service: str) -> None:
    told = analyze(root, "security", "--offline=true", service).stdout
    found = re.search(rf"Overall exposure level for {re.escape(service)}: ([0-9.]+) ", told)
    assert found is not None, told
    assert float(found[1]) < EXPOSURE_MAX


def test_every_line_is_understood(root: Path) -> None:
    units = [*SERVICES, "hundi-api.socket", "hundi.target"]
    told = analyze(root, "verify", "--man=no", "--recursive-errors=no", *units)
    ours = [line for line in told.stderr.splitlines() if "Unknown" in line or "hundi" in line]
    assert (told.returncode, ours) == (0, []), told.stderr


def test_a_service_starts_the_program_of_the_package() -> None:
    """Without a path systemd looks first in places where more people than root may write."""
    for name in SERVICES:
        (started,) = re.findall(r"^ExecStart=(\S+)", (UNITS / name).read_text(), re.MULTILINE)
        assert started == "/usr/bin/hundi", name
