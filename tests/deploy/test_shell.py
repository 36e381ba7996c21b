"""The manual page is one that man reads without a warning; bash completes from the file alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hundi.cli.completions import SHARED, Shell

ROOT = Path(__file__).parents[2]
COMPLETE = """
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_hundi
printf '%s\\n' "${COMPREPLY[@]}"
"""


def _hundi(home: Path, *arguments: str, status: int = 0) -> str:
    """Run a command of one who lives there, and return what it said."""
    done = subprocess.run(
        [Path(sys.executable).with_name("hundi"), *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


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


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".local/share/bash-completion/completions/hundi"),
        ("zsh", ".local/share/zsh/site-functions/_hundi"),
        ("fish", ".config/fish/completions/hundi.fish"),
    ],
)
def test_an_installation_by_pip_has_the_same_files(
    share: Path, tmp_path: Path, shell: str, place: str
) -> None:
    packaged = (share / SHARED[Shell(shell)]).read_text("utf-8").splitlines()
    shown = _hundi(tmp_path, "--show-completion", shell)
    # Two lines name every command; those of plug-ins are not in the package.
    of_one = {line for line in packaged if "serve" not in line or "worker" not in line}
    assert len(of_one) > 100
    assert of_one <= set(shown.splitlines())
    assert _hundi(tmp_path, "--install-completion", shell).startswith(f"Wrote {tmp_path / place}. ")
    assert (tmp_path / place).read_text("utf-8") == shown


def test_a_shell_that_is_not_known_is_refused(tmp_path: Path) -> None:
    told = _hundi(tmp_path, "--show-completion", "powershell", status=2)
    assert told == "name your shell, one of bash, zsh, fish\n"
