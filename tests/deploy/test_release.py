"""A release: the same bytes twice, signed, complete."""

import hashlib
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.deploy.release import Release
from tools.release.build import build, taken_out
from tools.release.debian import build_package
from tools.release.papers import NAMESPACE, notes, write_papers
from tools.release.proof import prove
from tools.release.run import ReleaseError

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.timeout(1_800)


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


def test_the_package_comes_out_alike_in_another_folder(release: Release, tmp_path: Path) -> None:
    """The same bytes from another tree with the same wheels, and from another folder of work."""
    out, tree = tmp_path / "out", tmp_path / "another place"
    # The walk copies the files of the release meanwhile.
    shutil.copytree(release.out, out)
    shutil.copytree(release.source.folder, tree, symlinks=True)
    first = digests(out, "hundi_*.deb")
    build_package(replace(release.source, folder=tree), out, tmp_path / "work")
    assert digests(out, "hundi_*.deb") == first
    assert len(first) == 1


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
    package = release.file("hundi_*.deb")
    shown = ["--display-info", "--tag-display-limit", "0"]
    options = ["--fail-on", "error,warning", "--allow-root", *shown]
    done = subprocess.run(["lintian", *options, package], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    # An exception that fits nothing is one too many.
    assert "unused-override" not in done.stdout
    assert "mismatched-override" not in done.stdout
