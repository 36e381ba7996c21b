"""The alarms are right by promtool, fire when they should, and stay quiet otherwise."""

import json
import re
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from hundi.doctor.backups.rules import BACKUP_AGE_MAX
from hundi.doctor.site.rules import CERTIFICATE_LEFT_MIN
from tests.deploy.monitoring.alarms import CASES, AlarmCase, Series
from tests.house.source import ROOT

SAMPLES = ROOT / "deploy" / "monitoring"
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((SAMPLES / "rules.yml").read_text())["groups"]
    for rule in group["rules"]
]
ALARMS = {rule["alert"]: rule for rule in RULES}


def runbook_of(alarm: str) -> Path:
    """Return the page of an alarm."""
    return ROOT / "docs" / "runbooks" / (re.sub(r"(?<!^)(?=[A-Z])", "-", alarm).lower() + ".md")


def test_promtool_finds_nothing_wrong() -> None:
    _promtool("check", "rules", "--lint=all", "--lint-fatal", str(SAMPLES / "rules.yml"))
    _promtool("check", "config", "--syntax-only", str(SAMPLES / "prometheus.yml"))


def test_every_alarm_has_a_case_and_a_page() -> None:
    assert list(dict.fromkeys(case.name for case in CASES)) == list(ALARMS)
    for name, rule in ALARMS.items():
        page = runbook_of(name)
        assert rule["annotations"]["runbook"] == str(page.relative_to(ROOT))
        assert page.read_text().startswith(f"# {name}\n")
    assert {runbook_of(name) for name in ALARMS} == set((ROOT / "docs" / "runbooks").glob("*.md"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_fires_and_stays_quiet(case: AlarmCase, tmp_path: Path) -> None:
    rule = ALARMS[case.name]
    alarm = {
        "exp_labels": {**case.labels, **rule["labels"]},
        "exp_annotations": {**rule["annotations"], "summary": case.summary},
    }
    tests = [_tried(case, case.fires, [alarm]), _tried(case, case.quiet, [])]
    path = tmp_path / "test.yml"
    # JSON is YAML.
    path.write_text(json.dumps({"rule_files": [str(SAMPLES / "rules.yml")], "tests": tests}))
    _promtool("test", "rules", str(path))


def test_the_doctor_says_old_when_the_alarms_do() -> None:
    hours = BACKUP_AGE_MAX // timedelta(hours=1)
    assert f"> {hours} * 3600\n" in ALARMS["BackupOld"]["expr"]
    assert f"< {CERTIFICATE_LEFT_MIN.days} * 86400\n" in ALARMS["CertificateEnds"]["expr"]
    assert f"more than {hours} hours" in runbook_of("BackupOld").read_text()
    assert (
        f"less than {CERTIFICATE_LEFT_MIN.days} days" in runbook_of("CertificateEnds").read_text()
    )


def _tried(case: AlarmCase, series: Series, expected: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [
            {"eval_time": f"{case.minutes}m", "alertname": case.name, "exp_alerts": expected}
        ],
    }


def _promtool(*arguments: str) -> None:
    ended = subprocess.run(
        ["promtool", *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
