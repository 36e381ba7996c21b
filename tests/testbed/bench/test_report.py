"""Goals, medians, and books that have to agree before anything is printed."""

import pytest

from hundi_testbed.bench import __main__ as command
from hundi_testbed.bench import measures, report
from hundi_testbed.bench.chain import Addresses, Payments, ShopInbox
from hundi_testbed.bench.measures import Run
from hundi_testbed.bench.plans import BenchRecord
from hundi_testbed.bench.processes import Component, MemoryUse, WorkCost

_AUDITED = {
    "checked": [{"name": "posting_missing", "violations": 0, "samples": []}],
    "figures": {
        "payments": 2,
        "payments_paid": 2,
        "postings": 2,
        "posted_paise": 300,
        "deliveries": 2,
        "deliveries_delivered": 2,
        "bank_entries": 2,
    },
}


def _books() -> tuple[Payments, ShopInbox]:
    inbox = ShopInbox()
    payments = Payments(Addresses("127.0.0.1:1", "127.0.0.1:2"), inbox)
    payments.count, payments.paise, inbox.taken = 2, 300, 2
    return payments, inbox


def test_books_that_agree_have_no_differences():
    assert measures.differences(*_books(), _AUDITED) == []


@pytest.mark.parametrize("name", list(_AUDITED["figures"]))
def test_every_count_must_be_the_same(name):
    figures = dict(_AUDITED["figures"])
    figures[name] += 1
    found = measures.differences(*_books(), _AUDITED | {"figures": figures})
    assert len(found) == 1
    assert found[0].startswith(f"{name}: ")


def test_a_bank_that_was_not_compared_is_a_difference():
    figures = {name: count for name, count in _AUDITED["figures"].items() if name != "bank_entries"}
    assert measures.differences(*_books(), _AUDITED | {"figures": figures}) == [
        "bank_entries: 2 by our own count, None by the audit's"
    ]


def test_a_violation_and_a_missing_notification_are_differences():
    payments, inbox = _books()
    inbox.taken = 1
    broken = [{"name": "event_gap", "violations": 1, "samples": [{"subject": "1-2", "found": "3"}]}]
    audited = _AUDITED | {"checked": broken}
    assert "event_gap" in measures.violations(audited)[0]
    assert [each.split(":")[0] for each in measures.differences(payments, inbox, audited)] == [
        "notifications"
    ]


@pytest.mark.parametrize(
    ("figure", "value", "holds"),
    [
        (report.Figure("a", "A", "/s", at_least=250), 250, True),
        (report.Figure("a", "A", "/s", at_least=250), 249.9, False),
        (report.Figure("a", "A", "ms", below=200), 200, False),
        (report.Figure("a", "A", "ms", below=200), 199.9, True),
        (report.Figure("a", "A"), 1, None),
    ],
)
def test_a_goal_holds_or_not(figure, value, holds):
    assert figure.holds(value) is holds


def test_a_document_holds_medians_costs_and_memory():
    cost = WorkCost(dict.fromkeys(Component, 1.0), others=0.5, load=3.0, yardstick_ms=4.0)
    runs = {"payments": [Run({"payments_rate": rate}, cost) for rate in (480.0, 600.0, 520.0)]}
    used = {
        Component.GATEWAY: MemoryUse(rss=100, pss=60),
        Component.POSTGRESQL: MemoryUse(rss=900, pss=500),
    }
    document = report.document(BenchRecord(runs, used, _AUDITED))
    rate = document["figures"]["payments_rate"]
    assert (rate["median"], rate["runs"], rate["holds"]) == (520.0, [480.0, 600.0, 520.0], True)
    assert document["cpu_ms"]["payments"][Component.GATEWAY] == 1.0
    assert document["cpu_ms"]["payments"]["others_cores"] == 0.5
    assert document["yardstick_ms"] == {"median": 4.0, "lowest": 4.0, "highest": 4.0}
    assert report.memory_figures(used).figures["memory_pss"] == pytest.approx(60 / 1e6)


def test_every_figure_of_a_run_has_a_line():
    assert len({each.name for each in report.FIGURES}) == len(report.FIGURES)


def test_options():
    options = command.parse(["--quick", "--json", "--only", "verify", "--only", "start"])
    assert (options.quick, options.json, options.only) == (True, True, ["verify", "start"])
    assert command.parse([]).only is None
    with pytest.raises(SystemExit):
        command.parse(["--quick", "--short"])


def test_figures_without_a_load_have_a_yardstick_of_their_own():
    yardstick = report.document(BenchRecord({"risk": [Run({"risk_decide": 0.1})]}))["yardstick_ms"]
    assert 0 < yardstick["lowest"] <= yardstick["median"] <= yardstick["highest"]
