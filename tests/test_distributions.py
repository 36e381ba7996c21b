"""What the two distributions contain, that both run together, and what the gateway says alone."""

import json
import re
import signal
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from hundi.infra import plugins
from tests.system.running import clean_environment, free_port

ROOT = Path(__file__).parent.parent
PROJECTS = {"hundi": ROOT, "hundi_testbed": ROOT / "testbed"}
READY_S_MAX = 120


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels by their package, made with the pinned build backend, as pip does."""
    return {
        package: built(project, tmp_path_factory.mktemp(package))
        for package, project in PROJECTS.items()
    }


def built(project: Path, folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=project,
        check=True,
        capture_output=True,
        timeout=50,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


BUILT_BEFORE = ("hundi/site/", ".data/data/share/")
"""The documentation and what `make release` writes besides, where they were built."""


def files_of(wheel: Path) -> set[str]:
    return {
        name
        for name in zipfile.ZipFile(wheel).namelist()
        if ".dist-info/" not in name and not any(part in name for part in BUILT_BEFORE)
    }


def files_in_source(package: str) -> set[str]:
    paths = (ROOT / "src" / package).rglob("*")
    return {
        str(path.relative_to(ROOT / "src"))
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts
    }


def installed(folder: Path, wheels: Sequence[Path]) -> Path:
    """Return the Python of an environment that has some of our wheels, and all that they need."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    place = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run(
        [python, "-c", place], check=True, capture_output=True, text=True, timeout=50
    )
    packages = Path(found.stdout.strip())
    for there in Path(sysconfig.get_path("purelib")).iterdir():
        if not there.name.startswith(("hundi", "_hundi", "_editable", "__editable")):
            (packages / there.name).symlink_to(there)
    for wheel in wheels:
        zipfile.ZipFile(wheel).extractall(packages)
    return python


@pytest.mark.parametrize("package", PROJECTS)
def test_a_wheel_contains_its_package_only(wheels: dict[str, Path], package: str) -> None:
    assert files_of(wheels[package]) == files_in_source(package)


def test_both_are_of_one_version() -> None:
    gateway, testbed = (
        tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
        for project in PROJECTS.values()
    )
    assert testbed["version"] == gateway["version"]
    assert testbed["dependencies"] == [f"hundi[server]=={gateway['version']}"]


@pytest.mark.parametrize(
    "file",
    [
        "deploy/helm/hundi/Chart.yaml",
        "deploy/containers/compose.yaml",
        "tools/containers",
        "docs/containers.md",
    ],
)
def test_samples_name_this_version(file: str) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    text = (ROOT / file).read_text("utf-8")
    named = re.findall(r'(?:hundi(?:-trial)?:|ersion: "?)(\d+\.\d+\.\d+)', text)
    assert set(named) == {version}


def test_the_gateway_knows_the_commands_of_the_test_bed() -> None:
    points = tomllib.loads((ROOT / "testbed/pyproject.toml").read_text("utf-8"))["project"][
        "entry-points"
    ]
    assert {*points[plugins.COMMANDS], *points[plugins.PROCESSES]} == plugins.OF_TESTBED
    assert {*points[plugins.DEMO]} == {"merchants", "shop", "history"}


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (["serve", "--demo"], "a demo"),
        (["api"], "a demo"),
        (["simbank"], "hundi simbank"),
        (["simulate", "--seed", "1"], "hundi simulate"),
    ],
)
def test_the_gateway_alone_says_what_to_install(
    tmp_path: Path, wheels: dict[str, Path], command: list[str], what: str
) -> None:
    python = installed(tmp_path / "environment", [wheels["hundi"]])
    settings = {"HUNDI_DEMO": "true", "HUNDI_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(
        [python, "-m", "hundi.cli", *command],
        env=clean_environment() | settings,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"{what} needs the distribution hundi-testbed, which is not installed: "
        "pip install hundi-testbed, or pip install ./testbed in the repository\n"
    )
    assert not (tmp_path / "data").exists()


def test_a_demo_runs_from_the_two_wheels(tmp_path: Path, wheels: dict[str, Path]) -> None:
    python = installed(tmp_path / "environment", [*wheels.values()])
    ports = ["--port", str(free_port()), "--simbank-port", str(free_port())]
    folder = ["--data-dir", str(tmp_path / "data")]
    with subprocess.Popen(
        [python, "-m", "hundi.cli", "serve", "--demo", "--json", *ports, *folder],
        env=clean_environment(),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    ) as gateway:
        try:
            assert gateway.stdout is not None
            places = json.loads(gateway.stdout.readline())
            assert places["shop_url"].endswith("/demo-shop/")
            assert Path(places["demo_file"]).exists()
        finally:
            gateway.send_signal(signal.SIGTERM)
            assert gateway.wait(READY_S_MAX) == 0
