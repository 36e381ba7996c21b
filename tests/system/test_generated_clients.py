"""Clients that two generators make of the OpenAPI documents work with the gateway."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hundi.api.description import document, partner_document, plain_document
from hundi.wire import cipher
from tests.patience import PATIENCE_S
from tests.system.conftest import NewMerchant
from tests.system.envelopes import Sender
from tests.system.machine import clean_environment
from tests.system.partners import PartnerSender
from tests.system.plain import bearer_key, order
from tests.system.running import RunningGateway
from tests.system.shop import new_order_id

HERE = Path(__file__).parents[1] / "generated"
TOOLS = Path(sys.executable).parents[1] / "generators"
DOCUMENTS = {
    "payment": document.document_json(),
    "partner": partner_document.document_json(),
    "plain": plain_document.document_json(),
}
GST = {"cost": "100.00", "profit": "10", "gst": "18", "same_state": "N"}

IMPORT_ALL = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
        importlib.import_module(module.name)
        print(module.name)
"""


def run(command: Sequence[str | Path], folder: Path, text: str = "") -> str:
    """Run one of the tools in a folder and return what it printed."""
    environment = clean_environment() | {"PATH": f"{TOOLS / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the clients are made: with the documents, as they are served."""
    made = tmp_path_factory.mktemp("clients")
    for name, content in DOCUMENTS.items():
        (made / f"{name}.json").write_bytes(content)
    return made


@pytest.fixture(scope="module")
def in_python(folder: Path) -> Path:
    """The folder, with a package for each document."""
    for name in DOCUMENTS:
        made = ("--meta", "none", "--output-path", name, "--fail-on-warning")
        run(
            [TOOLS / "bin" / "openapi-python-client", "generate", "--path", f"{name}.json", *made],
            folder,
        )
    return folder


@pytest.fixture(scope="module")
def in_typescript(folder: Path) -> Path:
    """The folder, with the types of each document, and the shop that the compiler took."""
    (folder / "node_modules").symlink_to(TOOLS / "node_modules")
    tools = folder / "node_modules" / ".bin"
    for name in DOCUMENTS:
        run([tools / "openapi-typescript", f"{name}.json", "--output", f"{name}.ts"], folder)
    for name in ("shop.mts", "node.d.ts", "tsconfig.json"):
        shutil.copy(HERE / name, folder)
    run([tools / "tsc"], folder)
    return folder


@pytest.fixture(scope="module")
def asked(
    gateway: RunningGateway, new_merchant: NewMerchant, partner: PartnerSender, sender: Sender
) -> dict[str, Any]:
    """What both shops send; what is encrypted is so already, for no generator encrypts."""
    plain, sealed = (
        new_merchant(f"Generated {form}", reply_format=form, channels="upi_nb")
        for form in ("plain", "encrypted")
    )
    keys = partner.headers(list(GST.values()))
    return {
        "base_url": gateway.base_url,
        "token": plain.envelope(plain.token_request),
        "banks": plain.envelope({"chmod": "nb"}),
        "verify": plain.envelope({"orderid": new_order_id()}),
        "wrong key": plain.envelope({"transactions": "W10="}, privatekey="0" * 64),
        "sealed": sealed.envelope(sealed.token_request),
        "gst": GST,
        "keys": {name.replace("-", "_"): value for name, value in keys.items()},
        "key of the sealed": sealed.key.hex(),
        "order": order(new_order_id("GEN")),
        "bearer key": bearer_key(
            gateway, plain, "generated", "page", "read", "refund", refund_paise="100"
        ),
    }


def check(says: dict[str, Any], asked: dict[str, Any]) -> None:
    """Check that the gateway answered each call as the documentation has it."""
    assert (says["token"]["status_code"], len(says["token"]["data"]["access_token"])) == ("200", 40)
    assert says["banks"]["status"] == "success", says["banks"]
    assert [each["bank_code"] for each in says["banks"]["data"]], says["banks"]
    assert (says["verify"]["status"], says["verify"]["status_code"]) == ("fail", "400")
    assert (says["wrong key"]["response_code"], says["wrong key"]["status_code"]) == ("108", "108")
    opened = json.loads(
        cipher.open_(bytes.fromhex(asked["key of the sealed"]), says["sealed"]["response"])
    )
    assert opened["status"] == "success"
    assert says["order"] == says["order again"]
    assert (says["order"]["state"], says["order"]["page_url"] != "") == ("open", True)
    assert says["no refund"]["reason"] == "state_forbids"
    assert says["gst"]["data"]["total_amount"] == "129.80"
    assert (says["gst refused"]["error_code"], says["gst refused"]["message"]) == ("103", "Failed")


def test_a_client_in_python_is_made_whole_and_works(in_python: Path, asked: dict[str, Any]) -> None:
    imported = run([TOOLS / "bin" / "python", "-c", IMPORT_ALL, *DOCUMENTS], in_python).split()
    calls = [each for each in imported if each.count(".") == 3 and ".api." in each]
    described = [json.loads(content)["paths"] for content in DOCUMENTS.values()]
    operations = sum(len(methods) for paths in described for methods in paths.values())
    assert len(calls) == operations, "a module for each operation"
    shutil.copy(HERE / "shop.py", in_python)
    answers = json.loads(run([TOOLS / "bin" / "python", "shop.py"], in_python, json.dumps(asked)))
    assert {name: each["type"] for name, each in answers.items()} == {
        "token": "IssueTokenDone",
        "banks": "BanksDone",
        "verify": "Failure",
        "wrong key": "Failure",
        "sealed": "IssueTokenSealed",
        "gst": "CalculationReply",
        "gst refused": "GstCalculatorRefused",
        "order": "PlainOrder",
        "order again": "PlainOrder",
        "no refund": "ProblemDocument",
    }
    check({name: each["says"] for name, each in answers.items()}, asked)


def test_a_client_in_typescript_compiles_and_works(
    in_typescript: Path, asked: dict[str, Any]
) -> None:
    answers = json.loads(run(["node", "shop.mjs"], in_typescript, json.dumps(asked)))
    check(answers, asked)
    assert answers["total"] == "129.80"
