"""A bare Debian machine: debootstrap makes its files, and systemd runs as its first process.

It has processes, mounts, users' messages and a network of its own (namespaces), so its services
listen at their usual ports. Making it needs root.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
MADE = ROOT / "build" / "bookworm.tar"
"""The files of a bare machine, kept for the next run."""
_SUITE = "bookworm"
_INCLUDED = "systemd-sysv,dbus,ca-certificates"
_MAKING_S_MAX = 900
_BOOT = """\
set -eu
mount --make-rprivate /
mount --bind {root} {root}
mount -t proc proc {root}/proc
mount -t sysfs -o ro sysfs {root}/sys
mount -t cgroup2 cgroup2 {root}/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs {root}/run
mount -t tmpfs -o mode=1777 tmpfs {root}/tmp
mount -t tmpfs -o mode=755 tmpfs {root}/dev
for device in null zero full random urandom tty; do
    touch {root}/dev/$device
    mount --bind /dev/$device {root}/dev/$device
done
mkdir {root}/dev/shm {root}/dev/pts
mount -t tmpfs -o mode=1777 tmpfs {root}/dev/shm
ln -s /proc/self/fd {root}/dev/fd
ln -s pts/ptmx {root}/dev/ptmx
cd {root}
mount --move . /
mount --make-rshared .
exec chroot . /usr/bin/env -i container=hundi-test PATH=/usr/sbin:/usr/bin /lib/systemd/systemd
"""
FOLDER = "/srv/hundi"
"""Where a reader of docs/install.md has the files of the release."""
CERTIFICATE = "etc/ssl/hundi/fullchain.pem"
_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"


class Machine:
    """A machine that runs. root: its files, as this one sees them."""

    def __init__(self, root: Path, first: int) -> None:
        """Remember the number of its first process, as this machine counts."""
        self.root = root
        self._first = first

    def run(self, script: str, *, online: bool = False, status: int = 0, s_max: int = 300) -> str:
        """Run a script of bash as root in its folder there, and return what it printed.

        online: with this machine's network, to download packages; services are not reached then.
        """
        spaces = ["--mount", "--uts", "--ipc", "--pid", *([] if online else ["--net"])]
        enter = ["nsenter", "--target", str(self._first), *spaces, "--root"]
        clean = [
            "env",
            "-i",
            f"--chdir={FOLDER}",
            "HOME=/root",
            "DEBIAN_FRONTEND=noninteractive",
            _PATH,
        ]
        done = subprocess.run(
            [*enter, *clean, "bash", "-euo", "pipefail", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=s_max,
        )
        assert done.returncode == status, f"{script}\nended with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def visit(self, *arguments: str) -> str:
        """Run a program of the tests in the machine's network, by its names, and return its output.

        It trusts the certificate that the machine made for itself.
        """
        script = f'mount --bind {self.root}/etc/hosts /etc/hosts; exec "$@"'
        enter = ["nsenter", "--target", str(self._first), "--net"]
        done = subprocess.run(
            [*enter, "unshare", "--mount", "bash", "-ec", script, "bash", *arguments],
            cwd=ROOT,
            env={**os.environ, "SSL_CERT_FILE": str(self.root / CERTIFICATE)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def folder(self) -> Path:
        """Return the folder in which scripts run, as this machine sees it."""
        return self.root / FOLDER.removeprefix("/")


def made() -> Path:
    """Return the archive of a bare machine's files; debootstrap makes it once."""
    if not MADE.exists():
        MADE.parent.mkdir(exist_ok=True)
        fresh = MADE.with_suffix(".new")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "root"
            make = ["debootstrap", "--variant=minbase", f"--include={_INCLUDED}", _SUITE, str(root)]
            pack = ["tar", "--exclude=./var/cache/apt/archives/*.deb", "-cf", str(fresh)]
            for command in (make, [*pack, "-C", str(root), "."]):
                subprocess.run(command, check=True, capture_output=True, timeout=_MAKING_S_MAX)
        fresh.rename(MADE)
    return MADE


def files(folder: Path) -> Path:
    """Write the files of a bare machine below a folder, and return its root."""
    root = folder / "root"
    root.mkdir()
    subprocess.run(["tar", "-xpf", str(made()), "-C", str(root)], check=True, timeout=300)
    shutil.copyfile("/etc/resolv.conf", root / "etc" / "resolv.conf")
    (root / FOLDER.removeprefix("/")).mkdir(parents=True)
    # Nothing of this machine has to survive a power cut.
    (root / "etc/dpkg/dpkg.cfg.d/quick").write_text("force-unsafe-io\n")
    return root


@contextmanager
def booted(root: Path) -> Iterator[Machine]:
    """Run systemd on a machine's files meanwhile."""
    with _control_group() as joined:
        spaces = ["--pid", "--mount", "--uts", "--ipc", "--net", "--cgroup", "--fork"]
        launch = f'echo $$ > {joined}; exec unshare {" ".join(spaces)} --kill-child bash -c "$0"'
        with subprocess.Popen(
            ["bash", "-c", launch, _BOOT.format(root=root)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        ) as outer:
            try:
                machine = Machine(root, _first_process(outer.pid))
                _await_boot(machine)
                yield machine
            finally:
                for child in psutil.Process(outer.pid).children():
                    child.kill()
                outer.kill()


def _first_process(outer: int) -> int:
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        with suppress(psutil.Error):
            for child in psutil.Process(outer).children():
                if child.name() == "systemd":
                    return child.pid
        time.sleep(0.1)
    message = "systemd does not start in namespaces of this machine"
    raise AssertionError(message)


def _await_boot(machine: Machine) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        with suppress(AssertionError):
            machine.run("systemctl is-active --quiet multi-user.target")
            return
        time.sleep(0.5)
    raise AssertionError(machine.run("systemctl list-jobs; systemctl --failed"))


@contextmanager
def _control_group() -> Iterator[Path]:
    """Make a control group for a machine; yield the file by which a process joins it."""
    mounted = next(
        line.split()[1]
        for line in Path("/proc/mounts").read_text().splitlines()
        if line.split()[2] == "cgroup2"
    )
    group = Path(mounted) / f"hundi-test-{os.getpid()}"
    group.mkdir()
    try:
        yield group / "cgroup.procs"
    finally:
        give_up = time.monotonic() + PATIENCE_S
        while group.exists() and time.monotonic() < give_up:
            for folder, _, _ in os.walk(group, topdown=False):
                with suppress(OSError):
                    Path(folder).rmdir()
            time.sleep(0.1)
