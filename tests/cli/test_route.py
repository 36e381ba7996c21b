"""`hundi route` tells of accounts that a plan names and that take nothing."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hundi.cli import application
from tests.cli.conftest import Hundi, Operate

PLAN = '[[rules]]\nname = "all"\nuse = [{ acquirer = "north" }]\n'
ACCOUNT = json.dumps({"url": "http://127.0.0.1:9", "key": "a-key-of-sixteen-letters"})


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """A plan that names an account."""
    (file := tmp_path / "plan.toml").write_text(PLAN)
    return file


@pytest.fixture
async def account(hundi: Hundi) -> None:
    """The account that it names, added by `hundi`."""
    add = ("acquirer", "add", "north", "sandbox")
    ended = await asyncio.to_thread(CliRunner().invoke, application("acquirer"), add, input=ACCOUNT)
    assert ended.exit_code == 0, ended.output


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize("verb", ["try", "set"])
async def test_an_account_that_is_disabled_is_a_warning(
    hundi: Hundi, operate: Operate, plan: Path, verb: str
) -> None:
    enabled = await hundi("route", verb, str(plan), "--json")
    assert (enabled.exit_code, enabled.stderr) == (0, "")
    await operate("acquirer", "disable", "north")
    disabled = await hundi("route", verb, str(plan), "--json")
    assert disabled.exit_code == 0
    words = "north is disabled: it takes no new payments until it is enabled"
    assert disabled.stderr == f"warning disabled: all, use and then: {words}\n"


@pytest.mark.parametrize("verb", ["try", "set"])
async def test_an_account_that_there_is_not_is_refused(hundi: Hundi, plan: Path, verb: str) -> None:
    refused = await hundi("route", verb, str(plan))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "unknown_value: all, use: received north; allowed: " in refused.stderr
