"""The real Prometheus reads a gateway: alarms fire for real causes, and each query finds series."""

import json
import re
from itertools import combinations
from typing import Any

import httpx
import pytest

from tests.conftest import NewFolder
from tests.deploy.monitoring.conftest import Watched
from tests.deploy.monitoring.test_rules import RULES, SAMPLES
from tests.house.source import ROOT
from tests.system.running import until

DASHBOARD: dict[str, Any] = json.loads((SAMPLES / "dashboard.json").read_text())
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
COUNTED_LATER = {"hundi_settlements_missing_total", "hundi_settlement_reports_overdue_seconds"}
"""Metrics that are there once an acquirer has settlement reports, which the demo's bank has not."""
_METRIC = re.compile(r"\bhundi_[a-z_]+")
_OF_HISTOGRAM = re.compile(r"_(bucket|count|sum)$")


QUERIES = [
    (panel["title"], target["expr"]) for panel in PANELS for target in panel.get("targets", ())
]
"""Each query of the dashboard, and the title of its panel."""
NOTES = [each["expr"] for each in DASHBOARD["annotations"]["list"]]


def test_alarms_fire_for_their_cause_and_end_with_it(
    watched: Watched, new_folder: NewFolder
) -> None:
    """Nobody made a backup, and the certificate ends in ten days; then somebody makes one."""
    until(
        lambda: {"BackupOld", "CertificateEnds"} <= watched.prometheus.firing(),
        "the alarms to fire",
    )
    watched.gateway.operate("backup", str(new_folder("backups")))
    until(lambda: "BackupOld" not in watched.prometheus.firing(), "the alarm to end")
    assert "CertificateEnds" in watched.prometheus.firing()
    (certificate,) = watched.prometheus.query("hundi_certificate_ends_seconds - time()")
    assert certificate["metric"]["host"] == "localhost"
    assert 9 < float(certificate["value"][1]) / 86_400 < 10


@pytest.mark.parametrize(("title", "query"), QUERIES, ids=[title for title, _ in QUERIES])
def test_each_query_of_the_dashboard_finds_series(watched: Watched, title: str, query: str) -> None:
    # Grafana puts four times the time between two reads here, or more.
    expression = query.replace("$__rate_interval", "30s")
    until(lambda: watched.prometheus.query(expression), f"{title}: {query}")


@pytest.mark.parametrize("query", NOTES)
def test_each_note_of_the_dashboard_can_be_asked_for(watched: Watched, query: str) -> None:
    """There is something to note only after a restart."""
    watched.prometheus.query(query)


def test_every_metric_that_is_watched_is_there_and_explained(watched: Watched) -> None:
    page = httpx.get(watched.metrics_url, trust_env=False).text
    families = set(re.findall(r"^# TYPE (\w+) ", page, re.MULTILINE)) | COUNTED_LATER
    used = {
        name
        for query in (*NOTES, *(each for _, each in QUERIES))
        for name in _METRIC.findall(query)
    } | {name for rule in RULES for name in _METRIC.findall(rule["expr"])}
    assert {_OF_HISTOGRAM.sub("", each) for each in used} <= families
    explained = (ROOT / "docs" / "monitoring.md").read_text()
    ours = {each for each in families if each.startswith("hundi_")}
    assert {each for each in ours if f"`{each}`" not in explained} == set()


def test_the_dashboard_is_one_that_grafana_takes() -> None:
    """Its parts have what Grafana's schema of version 37 demands; nothing lies over another."""
    assert {"uid", "title", "schemaVersion", "panels", "templating", "time"} <= DASHBOARD.keys()
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    assert {panel["type"] for panel in PANELS} <= {"row", "stat", "timeseries"}
    places = [panel["gridPos"] for panel in PANELS]
    assert all(each["x"] >= 0 and each["x"] + each["w"] <= 24 for each in places)
    assert not [pair for pair in combinations(places, 2) if _meet(*pair)]
    (source,) = DASHBOARD["templating"]["list"]
    for panel in PANELS:
        if panel["type"] != "row":
            assert panel["datasource"]["uid"] == f"${{{source['name']}}}"
            refs = [target["refId"] for target in panel["targets"]]
            assert len(set(refs)) == len(refs) > 0
            assert panel["description"]


def _meet(one: dict[str, int], other: dict[str, int]) -> bool:
    return (
        one["x"] < other["x"] + other["w"]
        and other["x"] < one["x"] + one["w"]
        and one["y"] < other["y"] + other["h"]
        and other["y"] < one["y"] + one["h"]
    )
