"""Builds a release from the last commit into a folder, and proves it."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from tools.release.build import build, taken_out
from tools.release.debian import build_package
from tools.release.papers import described, sign, write_papers, write_sums
from tools.release.proof import prove
from tools.release.run import ROOT, ReleaseError, run, step
from tools.release.undecided import check_decided, undecided

_TWINE = ROOT / ".venv" / "release" / "bin" / "twine"


def release(out: Path, key: Path | None, *, proven: bool) -> None:
    """Make the files of a release anew. key: SSH's, that signs them. Raises ReleaseError.

    What is signed is meant for everybody, so nothing may be undecided then.
    """
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="hundi-release-") as temporary:
        folder = Path(temporary)
        source = taken_out(folder / "source")
        print(f"Hundi {source.version}, commit {source.commit}", flush=True)
        if key is not None:
            check_decided(source.folder)
        still_open = "; ".join(undecided(source.folder))
        if run(["git", "status", "--porcelain"]):
            print("The tree has changes that are in no commit: they are left out.", flush=True)
        build(source, out)
        with step("writing the bill of materials, licences and notes"):
            write_papers(source, out)
        with step("asking twine whether the index would take the files"):
            run([_TWINE, "check", "--strict", *out.glob("*.whl"), *out.glob("*.tar.gz")])
        with step("building the Debian package"):
            build_package(source, out, folder / "debian")
        write_sums(out)
        if key is not None:
            sign(out, key)
        if proven:
            proof = folder / "proof"
            proof.mkdir()
            prove(out, source.version, proof)
    for name, size in described(out):
        print(f"  {size:>11,} {name}")
    if key is None:
        print("Not signed: make release KEY=FILE signs with the key of SSH in that file.")
    if still_open:
        print(f"Not for everybody before this is decided (docs/versions.md): {still_open}")


def main() -> None:
    """Read the arguments, and end with one sentence when the release cannot be made."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--key", type=Path, help="SSH's private key, to sign with")
    parser.add_argument("--unproven", action="store_true", help="do not install and pay")
    arguments = parser.parse_args()
    key = arguments.key.absolute() if arguments.key else None
    try:
        release(arguments.out.absolute(), key, proven=not arguments.unproven)
    except ReleaseError as error:
        sys.exit(f"\n{error}")


if __name__ == "__main__":
    main()
