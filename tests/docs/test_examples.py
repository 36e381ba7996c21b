"""Every example of README and docs, run as it stands against a running gateway."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.examples import LANGUAGES, PAGES, ROOT, blocks, likeness

SHELL_S_MAX = 60
# Of a reply on a page everything is compared, but of these only the kind: they are made anew, or go
# with the day.
VARYING = frozenset(
    {
        *(
            "request_id",
            "response",
            "access_token",
            "ap_transactionid",
            "orderid",
            "merchant_id",
            "refund_id",
            "rrn",
        ),
        *(
            "transaction_time",
            "paid_at",
            "expires_at",
            "until",
            "ap_SecureHash",
            "ap_securehash",
            "split_request_id",
            "revision",
        ),
        *("qr_string", "qrcode_string", "qr_image"),
        *(
            "requstId",
            "requestId",
            "gateway_txn_id",
            "airpay_txn_id",
            "lead_id",
            "TRANSACTIONID",
            "transactionid",
            "MERCHANTID",
        ),
        *("refunds_count", "refunds_total"),  # another page gives a part back
        *("transactiontime", "checksum", "expiry_date", "ageBand"),
    }
)
_STAYS = re.compile(
    r"hundi (serve|api|worker|simbank|mcp serve|restore|database (serve|promote|address)|backup"
    r" .*--follow|archive read)\b"
)
_OF_THE_READER = (
    "git clone",
    "cd ",
    ". .venv",
    "curl -LO",
    ".venv/bin/python -m pytest",
    "python examples/",  # test_example_shop.py
)
"""What these tests stand in the place of, or do elsewhere."""
_NEEDS_MAKE = re.compile(r"make (\w+)")

WITH_CODE = [page for page in PAGES if any(each.language == "python" for each in blocks(page))]
WITH_SHELL = [page for page in PAGES if any(each.language == "sh" for each in blocks(page))]


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_CODE, ids=_name)
def test_python_runs_and_replies_look_as_shown(page: Path, given: dict[str, object]) -> None:
    """A `json` block shows `reply`, as the code before it left it."""
    names = dict(given)
    for block in blocks(page):
        if block.language == "python":
            exec(compile(block.text, block.where, "exec"), names)  # noqa: S102 (the examples are ours)
        elif block.language == "json" and "reply" in names:
            expected = json.loads(block.text)
            assert likeness(names["reply"], VARYING) == likeness(expected, VARYING), block.where


def _commands(text: str) -> list[str]:
    """Return the lines of a block as whole commands, without comments."""
    joined = text.replace("\\\n", " ")
    lines = (line.split("  # ")[0].strip() for line in joined.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("page", WITH_SHELL, ids=_name)
def test_commands_run(page: Path, given: dict[str, object], tmp_path: Path) -> None:
    """A command that stays, or reads what only months bring, is asked for its help.

    It refuses unknown options.
    """
    given_texts = {
        name: str(value) for name, value in given.items() if isinstance(value, str | int)
    }
    tools = Path(sys.executable).parents[1] / "generators"
    path = os.pathsep.join(
        map(str, (os.environ["PATH"], tools / "bin", tools / "node_modules" / ".bin"))
    )
    environment = os.environ | given_texts | {"PATH": path}
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for block in blocks(page):
        if block.language != "sh":
            continue
        script: list[str] = []
        for command in _commands(block.text):
            made = _NEEDS_MAKE.match(command)
            if made:
                assert made[1] in targets, f"{block.where}: {command}"
            elif _STAYS.search(command):
                script.append(f"{command} --help >/dev/null")
            elif not command.startswith(_OF_THE_READER):
                script.append(command)
        done = subprocess.run(
            ["/bin/sh", "-eu", "-c", "\n".join(script)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SHELL_S_MAX,
        )
        assert done.returncode == 0, f"{block.where}:\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_block_names_its_language(page: Path) -> None:
    assert {each.language for each in blocks(page)} <= LANGUAGES
