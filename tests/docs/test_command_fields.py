"""What the pages read of a command's JSON is what the command prints."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import PAGES, blocks
from tests.system.running import RunningGateway

_OF_MERCHANTS = re.compile(r"^\| ([^|]*) \| one entry of `merchants`", re.MULTILINE)
_WRITTEN = re.compile(r"hundi (merchant add|partner add) [^|>\n]*--json > (\w+\.json)")
_READ = re.compile(r"""json\.load\(open\("(\w+\.json)"\)\)\["(\w+)"\]""")
"""Files of other commands are read on pages whose blocks are all run: `test_commands_run`."""
_ADDED = ("merchant add", "partner add")

WITH_TABLE = [page for page in PAGES if _OF_MERCHANTS.search(page.read_text("utf-8"))]
WITH_FILES = [page for page in PAGES if _READ.search(page.read_text("utf-8"))]
WITH_CREDENTIALS = [
    page for page in PAGES if "credentials = Credentials(" in page.read_text("utf-8")
]


def _name(page: Path) -> str:
    return page.name


def _read_names(page: Path) -> set[str]:
    """Return the variables that the page's first `credentials = Credentials(…)` is made of."""
    for block in blocks(page):
        for node in ast.walk(ast.parse(block.text)) if block.language == "python" else ():
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "Credentials"
            ):
                values = (each.value for each in node.keywords)
                return {
                    each.id
                    for value in values
                    for each in ast.walk(value)
                    if isinstance(each, ast.Name)
                }
    return set()


@pytest.fixture(scope="module")
def printed(gateway: RunningGateway) -> dict[str, dict[str, Any]]:
    """What the commands print that give a newcomer the first file."""
    return {command: gateway.operate(*command.split(" "), "Malgudi Traders") for command in _ADDED}


def test_there_are_such_pages() -> None:
    assert {"sdk.md", "token.md"} <= {page.name for page in WITH_TABLE}
    assert {"sdk.md"} <= {page.name for page in WITH_CREDENTIALS}
    assert {"first-hour.md", "operations.md"} <= {page.name for page in WITH_FILES}


@pytest.mark.parametrize("page", WITH_TABLE, ids=_name)
def test_a_merchant_that_was_added_has_each_variable_of_the_table(
    page: Path, gateway: RunningGateway, printed: dict[str, dict[str, Any]]
) -> None:
    for row in _OF_MERCHANTS.findall(page.read_text("utf-8")):
        promised = set(re.findall(r"`(\w+)`", row))
        assert promised <= set(printed["merchant add"])
        assert all(promised <= set(each) for each in gateway.demo["merchants"])
        assert all(isinstance(printed["merchant add"][name], str) for name in promised)


@pytest.mark.parametrize("page", WITH_CREDENTIALS, ids=_name)
def test_the_credentials_of_a_sample_are_made_of_fields_of_the_command(
    page: Path, printed: dict[str, dict[str, Any]]
) -> None:
    assert _read_names(page) <= set(printed["merchant add"])


@pytest.mark.parametrize("page", WITH_FILES, ids=_name)
def test_a_file_that_a_command_wrote_has_the_fields_that_are_read_of_it(
    page: Path, printed: dict[str, dict[str, Any]]
) -> None:
    text = page.read_text("utf-8")
    written = {file: command for command, file in _WRITTEN.findall(text)}
    for file, name in _READ.findall(text):
        if file in written:
            assert name in printed[written[file]], f"{file} of {written[file]}"
