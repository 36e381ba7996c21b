"""What an operator's command believes of the files in a data directory."""

import os
from pathlib import Path

import pytest

from hundi.cli.context import base_url, is_demo, payment_page_url, with_demo
from hundi.infra.settings import ACQUIRER_KEY_FILE, DEMO_FILE, Settings, load_settings

_DEMO = '{"simbank_url": "http://there", "payment_page_url": "http://page", "base_url": "http://b"}'
_SERVICE = 65_534


def _told(settings: Settings) -> tuple[bool, str, str, str]:
    return (
        is_demo(settings),
        base_url(settings),
        payment_page_url(settings),
        with_demo(settings).simbank_url,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data directory with the files of a demo."""
    (tmp_path / DEMO_FILE).write_text(_DEMO)
    (tmp_path / ACQUIRER_KEY_FILE).write_text("k" * 32 + "\n")
    return tmp_path


@pytest.mark.parametrize("url", [None, "postgresql://h@db/hundi"])
def test_who_runs_a_demo_need_not_say_where_it_is(folder: Path, url: str | None) -> None:
    settings = load_settings({}, data_dir=folder, database_url=url)
    assert _told(settings) == (True, "http://b", "http://page", "http://there")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_the_services_decides_nothing_for_root(folder: Path) -> None:
    settings = load_settings({}, data_dir=folder, database_url="postgresql://h@db/hundi")
    plain = load_settings({}, data_dir=folder / "none")
    for name in (DEMO_FILE, ACQUIRER_KEY_FILE):
        os.chown(folder / name, _SERVICE, _SERVICE)
    assert _told(settings) == _told(plain)
    assert with_demo(settings) == settings
    embedded = load_settings({}, data_dir=folder)
    assert is_demo(embedded), "a demo has its own database, whoever looks at it"
    (folder / DEMO_FILE).rename(folder / "elsewhere")
    os.chown(folder / "elsewhere", 0, 0)
    (folder / DEMO_FILE).symlink_to(folder / "elsewhere")
    os.chown(folder / DEMO_FILE, _SERVICE, _SERVICE, follow_symlinks=False)
    assert not is_demo(settings), "a link to root's file is no file of root's"
