"""What is undecided is named, and nothing is signed before."""

import shutil
from pathlib import Path

import pytest

from tools.release.__main__ import release
from tools.release.run import ROOT, ReleaseError
from tools.release.undecided import undecided

READ = (
    "docs/versions.md",
    "pyproject.toml",
    "testbed/pyproject.toml",
    "deploy/debian/control",
    "deploy/debian/changelog",
)
BEGINS = "[build-system]"
URLS = f'[project.urls]\nHomepage = "https://pay.example"\n\n{BEGINS}'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with what the check reads, without a frozen schema."""
    for name in READ:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


def test_every_open_point_of_the_page_is_named() -> None:
    page = (ROOT / "docs" / "versions.md").read_text("utf-8")
    assert page.count("- [ ] ") == len(
        [each for each in undecided(ROOT) if f"- [ ] **{each}**" in page]
    )


def test_a_point_that_is_ticked_has_to_be_true(tree: Path) -> None:
    page = tree / "docs" / "versions.md"
    page.write_text(page.read_text("utf-8").replace("- [ ] ", "- [x] "), "utf-8")
    assert undecided(tree) == [
        "pyproject.toml has no [project.urls]",
        "testbed/pyproject.toml has no [project.urls]",
        "deploy/debian/control names hundi.example",
        "deploy/debian/changelog names hundi.example",
    ]
    for name in READ[1:]:
        path = tree / name
        decided = path.read_text("utf-8").replace("hundi.example", "pay.example")
        path.write_text(
            decided.replace("[build-system]", URLS.partition("\n\n")[0] + "\n[build-system]")
        )
    assert undecided(tree) == []


def test_nothing_is_signed_before(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="nothing is signed before this is decided"):
        release(tmp_path / "out", tmp_path / "key", proven=False)


def test_a_version_of_which_an_older_schema_is_kept_is_refused() -> None:
    assert "tests/released/0.1.0 has an older schema than this 0.1.0" in undecided(ROOT)
