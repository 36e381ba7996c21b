"""Writes what comes with a release: bill of materials, licences, notes, sums, signature."""

import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

from tools.release.build import Source
from tools.release.run import ReleaseError, run
from tools.write_sbom import licence_of, pinned

SUMS = "SHA256SUMS"
NAMESPACE = "hundi-release"
"""What a signature is for: ssh-keygen accepts none of another purpose."""
_TEXT = re.compile(r"(?i)(licen[cs]e|copying|notice)")


def write_papers(source: Source, out: Path) -> None:
    """Write everything but sums and signature into the folder of the release."""
    stem = out / f"hundi-{source.version}"
    bill = [sys.executable, "tools/write_sbom.py", f"{stem}.cdx.json"]
    run(bill, source.folder, source.environment)
    lock = source.folder / "requirements" / "run.txt"
    Path(f"{stem}-licences.txt").write_text("\n".join(_licences(lock)), "utf-8")
    Path(f"{stem}-notes.md").write_text(
        notes((source.folder / "CHANGELOG.md").read_text("utf-8"), source.version), "utf-8"
    )
    requirements = lock.read_text("utf-8") + "".join(_own(out, source.version))
    Path(f"{stem}-requirements.txt").write_text(requirements, "utf-8")


def _own(out: Path, version: str) -> Iterator[str]:
    for name, package in (("hundi[server]", "hundi"), ("hundi-testbed", "hundi_testbed")):
        (wheel,) = out.glob(f"{package}-{version}-*.whl")
        yield f"{name}=={version} \\\n    --hash=sha256:{_digest(wheel)}\n"


def _licences(lock: Path) -> Iterator[str]:
    """Yield the licence of every package that a gateway runs on, and its text where it has one."""
    for package in pinned(lock):
        yield f"{'=' * 78}\n{package.name} {package.version}: {licence_of(package.name)}\n"
        try:
            files = metadata.distribution(package.name).files or []
        except metadata.PackageNotFoundError:
            continue  # for another system
        for file in sorted(files, key=str):
            if ".dist-info" in str(file) and _TEXT.search(file.name):
                yield Path(str(file.locate())).read_text("utf-8", "replace")


def notes(changelog: str, version: str) -> str:
    """Return the changelog from its first section that says something to the end of a version's.

    Raises ReleaseError for a version that has no section.
    """
    sections = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)[1:]
    last = next((i for i, each in enumerate(sections) if each.startswith(f"## {version} ")), None)
    if last is None:
        message = f"CHANGELOG.md has no section of version {version}"
        raise ReleaseError(message)
    return "".join(each for each in sections[: last + 1] if len(each.strip().splitlines()) > 1)


def write_sums(out: Path) -> None:
    """Write the sum of every file, as `sha256sum --check` reads them."""
    lines = [f"{_digest(path)}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / SUMS).write_text("".join(lines), "ascii")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sign(out: Path, key: Path) -> None:
    """Sign the sums with a key of SSH; whoever has its public half can check them offline."""
    run(["ssh-keygen", "-Y", "sign", "-q", "-n", NAMESPACE, "-f", key, out / SUMS])


def described(out: Path) -> Sequence[tuple[str, int]]:
    """Return the name and size of each file of a release."""
    return [(path.name, path.stat().st_size) for path in sorted(out.iterdir())]
