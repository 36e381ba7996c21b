"""Links of built pages: what stays, what becomes words, what ends the build."""

from pathlib import Path

import pytest

from tools.site.links import BrokenLinksError, without_files


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A project with one page, `verify`, and one file beside the documentation."""
    built = tmp_path / "build" / "docs"
    (built / "verify").mkdir(parents=True)
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "shop.py").touch()
    return built


@pytest.mark.parametrize("page", [".", "spec/wire"])
def test_a_link_to_a_page_stays_and_one_to_a_file_becomes_words(
    site: Path, tmp_path: Path, page: str
) -> None:
    up = "" if page == "." else "../../"
    to_page = f'<a href="{up}verify/#outcome">Verify</a> <a href="https://a.example/">out</a>'
    to_file = f' <a href="{up}../examples/shop.py"><code>shop.py</code></a>'
    shown = without_files(to_page + to_file, page, site, tmp_path)
    assert shown == to_page + " <code>shop.py</code>"


def test_a_link_that_leads_nowhere_ends_the_build(site: Path, tmp_path: Path) -> None:
    with pytest.raises(BrokenLinksError, match=r"docs/verify: .*: \.\./\.\./examples/gone\.py"):
        without_files('<a href="../../examples/gone.py">x</a>', "verify", site, tmp_path)
