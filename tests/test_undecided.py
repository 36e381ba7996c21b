"""What is undecided is named, and nothing is signed before."""

from pathlib import Path

import pytest

from tools.release.run import ROOT, ReleaseError
from tools.release.undecided import check_decided, undecided

VERSION = "9.0.0"
PROJECT = f'[project]\nversion = "{VERSION}"\n'
URLS = '[project.urls]\nHomepage = "https://pay.example"\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with what the check reads: every point is ticked, and none is true."""
    for name, text in (
        ("docs/versions.md", "- [x] **the weather**: it rains.\n"),
        ("pyproject.toml", PROJECT),
        ("testbed/pyproject.toml", PROJECT),
        ("deploy/debian/control", "Maintainer: <maintainers@hundi.example>\n"),
        ("deploy/debian/changelog", "-- <maintainers@hundi.example>\n"),
        ("src/hundi/infra/migrations/versions/0001_first.sql", ""),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_every_open_point_of_the_page_is_named() -> None:
    page = (ROOT / "docs" / "versions.md").read_text("utf-8")
    named = [each for each in undecided(ROOT) if f"- [ ] **{each}**" in page]
    assert page.count("- [ ] ") == len(named)


def test_a_point_that_is_ticked_has_to_be_true(tree: Path) -> None:
    assert undecided(tree) == [
        "pyproject.toml has no [project.urls]",
        "testbed/pyproject.toml has no [project.urls]",
        "deploy/debian/control names hundi.example",
        "deploy/debian/changelog names hundi.example",
    ]
    for name in ("pyproject.toml", "testbed/pyproject.toml"):
        (tree / name).write_text(PROJECT + URLS)
    for name in ("control", "changelog"):
        (tree / "deploy" / "debian" / name).write_text("<people@pay.example>\n")
    check_decided(tree)


def test_nothing_is_signed_while_a_point_is_open(tree: Path) -> None:
    (tree / "docs" / "versions.md").write_text("- [ ] **the weather**: nobody knows it.\n")
    with pytest.raises(ReleaseError, match=r"nothing is signed before .*: the weather; "):
        check_decided(tree)


def test_a_version_of_which_an_older_schema_is_kept_is_refused(tree: Path) -> None:
    kept = tree / "tests" / "released" / VERSION
    kept.mkdir(parents=True)
    (kept / "facts.json").write_text('{"versions": {"0001": ""}}')
    older = f"tests/released/{VERSION} has an older schema than this {VERSION}"
    assert older not in undecided(tree)
    (tree / "src/hundi/infra/migrations/versions/0002_second.sql").touch()
    assert older in undecided(tree)
