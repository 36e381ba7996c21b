"""A release: the same bytes twice, signed, complete; and docs/install.md on a bare machine.

The page's commands run as they stand, in order, under a real systemd (tests/deploy/machine.py).
"""

import hashlib
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.deploy.machine import Machine, booted, files
from tools.release.build import Source, build, taken_out
from tools.release.debian import build_package
from tools.release.papers import NAMESPACE, notes, sign, write_papers, write_sums
from tools.release.proof import prove
from tools.release.run import ReleaseError

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "install.md"
ONLINE = "apt-get"
"""What a block of the page needs the network of this machine for."""
CALLS = 200

pytestmark = pytest.mark.timeout(1_800)


@dataclass(frozen=True)
class Release:
    """The files of a release, and the tree that they were built from."""

    source: Source
    out: Path
    signers: Path

    def file(self, pattern: str) -> Path:
        """Return the one file of a name."""
        (found,) = self.out.glob(pattern)
        return found


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A signed release of the last commit."""
    folder = tmp_path_factory.mktemp("release")
    out, key = folder / "out", folder / "key"
    out.mkdir()
    source = taken_out(folder / "source")
    build(source, out)
    write_papers(source, out)
    build_package(source, out, folder / "debian")
    write_sums(out)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    sign(out, key)
    signers = folder / "signers"
    signers.write_text("maintainers " + key.with_suffix(".pub").read_text())
    return Release(source, out, signers)


def digests(folder: Path, *patterns: str) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for pattern in patterns
        for path in folder.glob(pattern)
    }


def test_the_same_commit_gives_the_same_bytes(release: Release, tmp_path: Path) -> None:
    again = tmp_path / "out"
    again.mkdir()
    source = taken_out(tmp_path / "another place")
    build(source, again)
    write_papers(source, again)
    built = ("*.whl", "*.tar.gz", "*.json", "*.txt", "*.md")
    assert digests(again, *built) == digests(release.out, *built)
    assert len(digests(again, *built)) == 8


def test_the_package_comes_out_alike(release: Release, tmp_path: Path) -> None:
    again = build_package(release.source, release.out, tmp_path, "0~again")
    first = release.file("hundi_*-1_*.deb")
    trees = []
    for package in (first, again):
        tree = tmp_path / package.name.partition("_")[2]
        subprocess.run(["dpkg-deb", "--extract", package, tree], check=True)
        package_files = sorted(path for path in tree.rglob("*") if path.is_file())
        trees.append(
            {
                str(path.relative_to(tree)): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in package_files
                if path.name != "changelog.Debian.gz"  # it has the version
            }
        )
    again.unlink()
    assert trees[0] == trees[1]


def test_the_signature_is_the_keys_and_of_these_files(release: Release) -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=release.out, check=True)
    sums = (release.out / "SHA256SUMS").read_bytes()
    whose = ["-f", release.signers, "-I", "maintainers", "-n", NAMESPACE]
    verify = ["ssh-keygen", "-Y", "verify", *whose, "-s", release.out / "SHA256SUMS.sig"]
    assert subprocess.run(verify, input=sums, capture_output=True).returncode == 0
    assert subprocess.run(verify, input=sums + b" ", capture_output=True).returncode != 0


def test_the_wheel_brings_site_manual_and_completions(release: Release) -> None:
    names = set(zipfile.ZipFile(release.file("hundi-*.whl")).namelist())
    shared = f"hundi-{release.source.version}.data/data/share"
    assert {
        "hundi/site/index.html",
        "hundi/site/install/index.html",
        f"{shared}/man/man1/hundi.1",
        f"{shared}/bash-completion/completions/hundi",
        f"{shared}/zsh/site-functions/_hundi",
        f"{shared}/fish/vendor_completions.d/hundi.fish",
    } <= names


def test_the_index_would_take_the_files(release: Release) -> None:
    twine = ROOT / ".venv" / "release" / "bin" / "twine"
    listed = [*release.out.glob("*.whl"), *release.out.glob("*.tar.gz")]
    done = subprocess.run([twine, "check", "--strict", *listed], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 4


def test_a_version_without_a_section_of_the_changelog_is_refused() -> None:
    changelog = (
        "# Changelog\n\n## Unreleased\n\n## 2.0.0 - day\n\n- new\n\n## 1.0.0 - day\n\n- old\n"
    )
    assert notes(changelog, "2.0.0") == "## 2.0.0 - day\n\n- new\n\n"
    with pytest.raises(ReleaseError, match=r"no section of version 3\.0\.0"):
        notes(changelog, "3.0.0")


def test_an_empty_environment_runs_the_demo_and_a_payment(release: Release, tmp_path: Path) -> None:
    prove(release.out, release.source.version, tmp_path)


def test_lintian_finds_nothing(release: Release) -> None:
    package = release.file("hundi_*-1_*.deb")
    options = ["--fail-on", "error,warning", "--allow-root", "--tag-display-limit", "0"]
    done = subprocess.run(["lintian", *options, package], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


# --- the page, on a bare machine ---


@pytest.fixture(scope="module")
def bare(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A bare machine that runs, with the files of the release in root's folder."""
    root = files(tmp_path_factory.mktemp("machine"))
    for path in release.out.iterdir():
        shutil.copy(path, root / "root")
    with booted(root) as machine:
        yield machine


@pytest.fixture(scope="module")
def installed(bare: Machine) -> Machine:
    """The machine after every command of the page."""
    for block in re.findall(
        r"^```bash\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        bare.run(block, online=ONLINE in block, s_max=900)
    return bare


def test_every_command_of_the_page_runs_and_a_payment_is_made(installed: Machine) -> None:
    assert '"payment_status": "SUCCESS"' in installed.run("cat paid.json")
    parts = installed.run("curl -sS http://127.0.0.1:9400/metrics | grep part_started_seconds{")
    assert {"api", "worker", "metrics"} == set(re.findall(r'part="(\w+)"', parts))
    assert (
        installed.run("curl -sS http://127.0.0.1:8080/docs/install/ | grep -c systemd").strip()
        != "0"
    )
    assert installed.run("man -w hundi 2>/dev/null || ls /usr/share/man/man1/hundi.1.gz")


def test_a_restart_loses_no_request_and_a_reload_keeps_the_service(installed: Machine) -> None:
    call = (
        "curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8080/health/live || echo lost"
    )
    calling = f"(for i in $(seq {CALLS}); do {call}; done | sort | uniq -c) & sleep 1"
    for verb in ("restart", "reload"):
        told = installed.run(f"{calling}; systemctl {verb} hundi-api; wait")
        assert told.split() == [str(CALLS), "200"]
    assert installed.run("systemctl show -p NRestarts --value hundi-api").strip() == "0"


PRYING = """
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'id -un; kill -0 {pid} && echo there; \\
    for secret in {secrets}; do cat $secret && echo read; done; true'
"""
"""A service that a stranger took over; the drop-in of all services of Hundi is its own, too."""


def test_no_service_reads_what_another_was_given(installed: Machine) -> None:
    pid = installed.run("systemctl show -p MainPID --value hundi-api").strip()
    given = "/run/credentials/hundi-api.service/hundi.database_url"
    secrets = [given, f"/proc/{pid}/root{given}", f"/proc/{pid}/environ", f"/proc/{pid}/mem"]
    unit = PRYING.format(secrets=" ".join(secrets), pid=pid).replace("$", "$$")
    (installed.root / "etc/systemd/system/hundi-prying.service").write_text(unit)
    installed.run("systemctl daemon-reload; systemctl start hundi-prying")
    told = installed.run("journalctl -o cat -u hundi-prying; rm /etc/systemd/system/hundi-prying*")
    assert "hundi\n" in told
    assert "there\n" in told, "the process is there, and of the same user"
    assert "read\n" not in told, told
    parts = installed.run("curl -sS http://127.0.0.1:9400/metrics | grep resident_bytes{")
    assert {"api", "worker", "metrics"} == set(re.findall(r'part="(\w+)"', parts))


def test_keys_that_root_rotates_are_the_services(installed: Machine) -> None:
    installed.run("hundi keys rotate")
    assert installed.run("stat -c %U:%a /var/lib/hundi/kek").strip() == "hundi:600"


def test_an_upgrade_keeps_settings_and_serves(installed: Machine) -> None:
    before = installed.run("cat /etc/hundi/hundi.toml /etc/hundi/*/*")
    again = "dpkg-deb -R hundi_*-1_*.deb tree; sed -i 's/^Version: .*/&.1/' tree/DEBIAN/control"
    installed.run(f"{again}; dpkg-deb -Znone --root-owner-group -b tree next.deb >/dev/null")
    started = "systemctl show -p ExecMainStartTimestampMonotonic --value hundi-worker"
    first = installed.run(started)
    installed.run("dpkg -i next.deb", s_max=600)
    assert installed.run("cat /etc/hundi/hundi.toml /etc/hundi/*/*") == before
    assert installed.run(started) != first
    assert installed.run("systemctl is-active hundi-api hundi-worker").split() == ["active"] * 2
    assert "ready" in installed.run("curl -sS http://127.0.0.1:8080/health/ready")


def test_a_purge_leaves_nothing(installed: Machine) -> None:
    installed.run("systemctl stop demo-gateway; userdel -r hundi-demo 2>/dev/null || true")
    installed.run("rm -rf /opt/hundi-demo; dpkg --purge hundi", s_max=600)
    left = "find / -xdev -iname '*hundi*' -not -path '/root/*' -not -path '/var/log/*'"
    ours = installed.run(f"{left} -not -path '/var/cache/*' -not -path '/proc/*'").split()
    assert ours == []
    assert installed.run("getent passwd hundi || true") == ""
    assert installed.run("systemctl list-units --all --plain --no-legend 'hundi*'") == ""
