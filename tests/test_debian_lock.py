"""The Debian package leaves out what only builds the project, as the lock tells."""

from pathlib import Path

from tools.release.debian import builders_of

ROOT = Path(__file__).parents[1]
LOCK = """\
# made by hand
hatchling==1.0 \\
    --hash=sha256:00
    # via
    #   -c requirements/test.txt
    #   -r requirements/build.in
pluggy==1.0 \\
    --hash=sha256:00
    # via hatchling
packaging==1.0 \\
    --hash=sha256:00
    # via
    #   hatchling
    #   uvicorn
uvicorn==1.0 \\
    --hash=sha256:00
    # via hundi (pyproject.toml)
"""


def test_what_the_gateway_needs_too_stays() -> None:
    assert builders_of(LOCK) == {"hatchling", "pluggy"}


def test_the_lock_names_whoever_is_asked_for_to_build() -> None:
    wanted = (ROOT / "requirements" / "build.in").read_text().splitlines()
    named = {line.partition(">")[0] for line in wanted if not line.startswith("#")}
    builders = builders_of((ROOT / "requirements" / "run.txt").read_text())
    assert named < builders
    assert not builders & {"litestar", "uvicorn", "asyncpg", "cryptography", "msgspec"}
