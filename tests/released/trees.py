"""The code of a release, taken out of the history to run it."""

from pathlib import Path

from tests.released.folders import RELEASES, facts_of, fingerprints, releases
from tools.release.build import unpack
from tools.release.run import ROOT, run


def behind() -> list[str]:
    """Return the releases whose schema is older than the one of this code, the oldest first."""
    newest = len(fingerprints())
    return [each for each in releases() if len(facts_of(each)["versions"]) < newest]


def commit_of(release: str) -> str:
    """Return the commit that brought a release's folder: its code made the folder."""
    place = (RELEASES / release / "facts.json").relative_to(ROOT)
    found = run(["git", "log", "--diff-filter=A", "--format=%H", "--", place]).split()
    assert found, f"{place} is in no commit here: this test needs the whole history"
    return found[-1]


def take_out(release: str, folder: Path) -> Path:
    """Write the packages of a release's code into a folder, and return it."""
    folder.mkdir()
    archive = folder.with_suffix(".tar")
    run(["git", "archive", "--output", archive, commit_of(release), "src", "testbed"])
    unpack(archive, folder)
    archive.unlink()
    return folder
