"""The manual page is one that man reads without a warning; bash completes from the file alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPLETE = """
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_hundi
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files as a release has them."""
    folder = tmp_path_factory.mktemp("share")
    command = [sys.executable, "-m", "tools.shell", folder]
    day = os.environ | {"SOURCE_DATE_EPOCH": "1795824000"}
    subprocess.run(command, cwd=ROOT, env=day, check=True, timeout=120)
    return folder


def test_the_manual_names_every_command(share: Path) -> None:
    page = (share / "man/man1/hundi.1").read_text("utf-8")
    assert page.startswith('.TH HUNDI 1 "2026-11-28" "Hundi ')
    for command in ("hundi serve", "hundi merchant add {name}", "hundi keys rotate"):
        assert f".B {command.replace('-', chr(92) + '-')}\n" in page
    assert "hundi simulate" not in page


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["mer"], {"merchant"}),
        (["merchant", "ro"], {"rotate"}),
        (["merchant", "key", "add", "7", "desk", "--re"], {"--refund-paise"}),
        (["serve", "--wor"], {"--workers"}),
        (["nothing", "like", "this"], {""}),
    ],
)
def test_bash_offers_what_may_follow(share: Path, words: list[str], offered: set[str]) -> None:
    file = share / "bash-completion/completions/hundi"
    done = subprocess.run(
        ["bash", "-c", COMPLETE, "bash", file, "hundi", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(done.stdout.splitlines()) == offered
