"""The real Prometheus reads a gateway: alarms fire for real causes, and each query finds series."""

import json
import re
from itertools import combinations
from typing import Any

import httpx
import pytest

from tests.conftest import NewFolder
from tests.deploy.monitoring.conftest import CERTIFICATE_DAYS, Watched
from tests.deploy.monitoring.test_rules import RULES, SAMPLES
from tests.house.source import ROOT
from tests.system.browser import Browser
from tests.system.running import until
from tests.system.test_disputes import DisputedOrder
from tests.system.test_payouts import COMES_BACK, GOOD, Operators

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


def test_without_a_backup_there_is_an_alarm_until_somebody_makes_one(
    watched: Watched, new_folder: NewFolder
) -> None:
    assert watched.fires("BackupOld") == "No whole backup was made so far"
    watched.gateway.operate("backup", str(new_folder("backups")))
    watched.ends("BackupOld")


def test_a_certificate_that_ends_in_ten_days_raises_an_alarm(watched: Watched) -> None:
    assert watched.fires("CertificateEnds").startswith("The certificate of localhost ends in 9d")
    (certificate,) = watched.prometheus.query("hundi_certificate_ends_seconds - time()")
    assert certificate["metric"]["host"] == "localhost"
    assert CERTIFICATE_DAYS - 1 < float(certificate["value"][1]) / 86_400 < CERTIFICATE_DAYS


def test_a_payout_that_came_back_raises_an_alarm_until_there_is_another_account(
    watched: Watched,
) -> None:
    operators = Operators(watched.shop)
    operators.add_account(COMES_BACK)
    with Browser() as browser:
        operators.settle(browser)
    assert "PayoutsReturned" not in watched.prometheus.firing()
    operators.release(operators.waits_for("prepared"))
    operators.waits_for("reversed")
    watched.fires("PayoutsReturned")
    operators.add_account(GOOD)
    operators.waits_for("prepared")
    watched.ends("PayoutsReturned")


def test_a_dispute_raises_an_alarm_when_two_days_are_left(watched: Watched) -> None:
    """The bank gives three days; the demo's clock is moved on by one and a half."""
    with Browser() as browser:
        order = DisputedOrder(watched.shop, browser)
    order.raised()
    assert "DisputesDue" not in watched.prometheus.firing()
    answer = watched.gateway.bank.post("/control/clock", json={"advance_s": 129_600}, timeout=300)
    assert answer.status_code == 200, answer.text
    watched.fires("DisputesDue")


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
