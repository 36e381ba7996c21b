"""The import contracts can fail: forbidden imports are planted in a copy and each is found."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PLANTED = {
    "hundi_testbed/shop/planted.py": "from hundi.payments.refunds import actions",
    "hundi_testbed/bank/planted.py": "from hundi.kernel import money",
    "hundi_testbed/switch/planted.py": "from hundi.kernel import money",
    "hundi_testbed/simulation/planted.py": "from hundi_testbed.demo import past",
    "hundi/wire/planted.py": "from hundi.kernel import money",
    "hundi/sdk/planted.py": "import asyncpg",
    "hundi/kernel/planted.py": "from hundi.infra.postgres import database",
    "hundi/acquirers/port/planted.py": "from hundi.merchants.directory import rules",
    "hundi/acquirers/payu/planted.py": "from hundi.sdk import calls",
    "hundi/acquirers/paytm/planted.py": "from hundi.acquirers.razorpay import reasons",
    "hundi/instruments/planted.py": "import aiohttp",
    "hundi/gateway/scrub/planted.py": "from hundi.gateway import bootstrap",
    "hundi/letters/wording/planted.py": "from hundi.letters import jobs",
    "hundi/staff/trail/planted.py": "from hundi.staff.people import rules",
    "hundi/page/planted.py": "from hundi.cli import output",
    "hundi/partners/gst/planted.py": "from hundi.partners.leads import rules",
    "hundi/payments/refunds/planted.py": "from hundi.payments.captures import rules",
    "hundi/payments/methods/upi/planted.py": "from hundi.payments.methods.redirect import actions",
    "hundi/money/audit/chain/planted.py": "from hundi.money.ledger import rules",
    "hundi/money/audit/refunds/planted.py": "from hundi.money.audit.deliveries import store",
    "hundi/merchants/directory/planted.py": "from hundi.merchants.access import rules",
    "hundi/api/bank/planted.py": "from hundi.api.partner import gst",
    "hundi/payments/planted.py": "from hundi.wire import cipher",
    "hundi/infra/http/planted.py": "from hundi.infra.background import due",
    "hundi/infra/planted.py": "import hundi_testbed.bank.app",
    "hundi/nobody_allowed_this/__init__.py": "",
}
"""One import for each contract that forbids it, and a wing outside every ladder."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of the import contracts on a tree with the planted imports."""
    copy = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tools", copy / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    for name, line in PLANTED.items():
        path = copy / "src" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'"""Planted."""\n\n{line}\n', "utf-8")
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "COLUMNS": "200"}
    ran = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("name", PLANTED)
def test_a_forbidden_import_is_found(report: str, name: str) -> None:
    broken = report.partition("Broken contracts")[2]
    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    assert module in broken


def test_every_contract_has_something_planted_that_breaks_it(report: str) -> None:
    verdicts = [
        line.strip() for line in report.splitlines() if line.strip().endswith((" KEPT", " BROKEN"))
    ]
    assert len(verdicts) > 10
    assert [line for line in verdicts if line.endswith(" KEPT")] == []


def test_the_ladder_in_the_architecture_is_the_one_that_is_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    checked = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    ladder = (
        (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## The ladder")[2].split("```")[1]
    )
    drawn = [re.split(r"\s{2,}", line)[0] for line in ladder.splitlines()[1:]]
    assert drawn == checked
