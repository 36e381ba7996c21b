"""The doctor at a running gateway: command, JSON and console say the same and change nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.system.console import Console
from tests.system.running import RunningGateway
from tests.system.test_console_payments import OPERATOR, session_of


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.81") as browser:
        yield browser


def look(gateway: RunningGateway, **environment: str) -> dict[str, Any]:
    """Return the command's report for scripts."""
    ended = gateway.command(
        "doctor", "--json", "--data-dir", str(gateway.data_dir), environment=environment
    )
    report = json.loads(ended.stdout)
    assert ended.returncode == report["status"], ended.stderr
    assert ended.stderr == ""
    return report


def codes(report: dict[str, Any], *levels: str) -> set[str]:
    """Return the codes of a report's findings, of some levels."""
    return {each["code"] for each in report["findings"] if not levels or each["level"] in levels}


def test_a_demo_has_no_fault_and_no_warning(gateway: RunningGateway) -> None:
    report = look(gateway)
    assert codes(report, "warning", "fault") == set()
    assert (report["level"], report["status"], report["report"]) == ("note", 0, 1)


def test_the_console_shows_the_findings_of_the_command(
    gateway: RunningGateway, operator: Console
) -> None:
    page = operator.get("all/doctor")
    assert page.status_code == 200
    for code in ("settings_used", "schema_good"):
        assert f"<code>{code}</code>" in page.text
