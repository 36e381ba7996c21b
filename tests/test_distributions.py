"""The contents of both distributions, and what the gateway says when one is missing."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def files_of_wheel(project: Path, folder: Path) -> set[str]:
    """Build a wheel with the pinned build backend, as pip does, and return the files in it."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=project,
        check=True,
        capture_output=True,
        timeout=50,
    )
    (wheel,) = folder.glob("*.whl")
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def files_in_source(package: str) -> set[str]:
    paths = (ROOT / "src" / package).rglob("*")
    return {
        str(path.relative_to(ROOT / "src"))
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_hundi_contains_no_bank_and_no_shop(tmp_path: Path) -> None:
    assert files_of_wheel(ROOT, tmp_path) == files_in_source("hundi")


def test_hundi_demo_contains_the_banks_and_the_shop_only(tmp_path: Path) -> None:
    packages = (files_in_source(name) for name in ("simbank", "simhost", "demo_shop"))
    assert files_of_wheel(ROOT / "demo", tmp_path) == set().union(*packages)


@pytest.mark.parametrize("command", [["serve", "--demo"], ["simbank"], ["api"]])
def test_a_demo_without_its_distribution_says_what_to_install(
    tmp_path: Path, command: list[str]
) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "hundi").symlink_to(ROOT / "src" / "hundi")
    settings = {
        "HUNDI_DEMO": "true",
        "HUNDI_DATA_DIR": str(tmp_path / "data"),
        "PYTHONPATH": os.pathsep.join([str(packages), sysconfig.get_path("purelib")]),
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")}
    # -S: editable installs are not followed, so nothing of src but the link is found.
    done = subprocess.run(
        [sys.executable, "-S", "-m", "hundi.cli", *command],
        env=inherited | settings,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "simbank is not installed: a demo needs the distribution hundi-demo (pip install"
        " hundi-demo)\n"
    )
    assert not (tmp_path / "data").exists()
