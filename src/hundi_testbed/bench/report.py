"""The printed report: figures with goals, CPU by component, memory, and conditions."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from hundi_testbed.bench import processes
from hundi_testbed.bench.measures import Run
from hundi_testbed.bench.plans import BenchRecord
from hundi_testbed.bench.processes import Component, MemoryUse

_MEGABYTE = 1_000_000
YARDSTICKS = 9
"""How often the yardstick runs where no measurement ran it."""
WIDTH = 130
"""Columns of a terminal that does not tell its width."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    at_least, below: the goal, if there is one; digits: decimal places shown.
    """

    name: str
    words: str
    unit: str = ""
    digits: int = 0
    at_least: float | None = None
    below: float | None = None

    @property
    def goal(self) -> str:
        """Return the goal for people, "" when there is none."""
        if self.at_least is not None:
            return f"≥ {self.at_least:,g} {self.unit}".strip()
        return f"< {self.below:,g} {self.unit}".strip() if self.below is not None else ""

    def holds(self, value: float) -> bool | None:
        """Return whether the goal is reached, None without one."""
        if self.at_least is not None:
            return value >= self.at_least
        return value < self.below if self.below is not None else None


FIGURES = (
    Figure("payments_rate", "Full payments, 32 customers, durable", "/s", at_least=500),
    Figure("payments_p50", "  chain p50", "ms", 1),
    Figure("payments_p99", "  chain p99", "ms", 1, below=100),
    Figure("payments_cpu", "  gateway and worker, CPU a payment", "ms", 2),
    Figure("payments_cpu_all", "  everything, CPU a payment", "ms", 2, below=3.2),
    Figure("payments_alone", "  the same writes by pgbench alone", "/s"),
    Figure("payments_ratio", "  ratio to pgbench alone", digits=3),
    Figure("single_p50", "One customer alone: chain p50", "ms", 1, below=8),
    Figure("single_p99", "  chain p99", "ms", 1),
    Figure("fixed_rate", "Fixed rate of 100 payments/s: done", "/s", 1),
    Figure("fixed_p50", "  chain p50", "ms", 1),
    Figure("fixed_p99", "  chain p99", "ms", 1, below=30),
    Figure("scanned_rate", "Full payments, every QR drawn", "/s"),
    Figure("scanned_p99", "  chain p99", "ms", 1),
    Figure("spread_rate", "Spread over 100 merchants", "/s"),
    Figure("skewed_rate", "90 % of the load on one merchant", "/s"),
    Figure("skew_ratio", "  ratio to spread", digits=2, at_least=0.8),
    Figure("verify_rate", "Verify, one API process", "/s"),
    Figure("verify_alone", "  a bare select by pgbench", "/s"),
    Figure("verify_ratio", "  ratio to a bare select", digits=3),
    Figure("alone_p99", "Verify of many merchants, 60 a second: p99", "ms", 1),
    Figure("flood_rate", "  while another merchant asks as often as it can", "/s"),
    Figure("flood_p99", "    p99 of the many", "ms", 1),
    Figure("flood_ratio", "    ratio to alone", digits=2, below=2),
    Figure("forged_rate", "  while 64 kB with wrong checksums come", "/s"),
    Figure("forged_p99", "    p99 of the many", "ms", 1),
    Figure("forged_ratio", "    ratio to alone", digits=2, below=2),
    Figure(
        "verify_all_rate",
        "Verify, an API process for each core (and the figures below)",
        "/s",
        at_least=5_000,
    ),
    Figure("banks_rate", "Bank list, all channels", "/s", at_least=8_000),
    Figure("qr_rate", "UPI QR with its picture, a new order each", "/s", at_least=200),
    Figure("refund_answered", "Refund batch of 1,000: answered", "s", 2, below=3),
    Figure("refund_settled", "  every refund settled with the bank", "s", 2, below=30),
    Figure("calculator_rate", "GST calculator", "/s", at_least=8_000),
    Figure("cards_rate", "Card details", "/s", at_least=8_000),
    Figure("documents_rate", "Aadhaar XML, signed and zipped", "/s", at_least=400),
    Figure("risk_decide", "50 risk rules: decided", "ms", 3, below=0.3),
    Figure("risk_check", "  with their counts, one round trip", "ms", 2),
    Figure("risk_default", "  the default rules with theirs", "ms", 2),
    Figure(
        "route_decide", "100 routing rules: an acquirer chosen, with its health", "ms", 3, below=0.2
    ),
    Figure(
        "settlement_s", "A day of 1,000 merchants settled (1,000,000 payments)", "s", 1, below=60
    ),
    Figure("settlement_rate", "  payments settled", "/s"),
    Figure("settlement_cpu", "  CPU of the settling process", "s", 1),
    Figure("settlement_server_cpu", "  CPU of PostgreSQL", "s", 1),
    Figure("settlement_memory", "  most memory of the settling process (RSS)", "MB", below=300),
    Figure("settlement_server", "  most memory of PostgreSQL (PSS)", "MB"),
    Figure("payout_prepared_rate", "Payouts of 100,000 shares prepared", "/s"),
    Figure("payout_prepared_memory", "  most memory of that process (RSS)", "MB", below=300),
    Figure("payout_sent_rate", "  sent, by a provider that answers at once", "/s"),
    Figure("payout_sent_memory", "  most memory of that process (RSS)", "MB", below=300),
    Figure("payout_memory_ratio", "  ratio to its memory after a tenth", digits=2, below=1.3),
    Figure("payout_route_decide", "100 rules of payouts: a provider chosen", "ms", 3, below=0.2),
    Figure("search_ms", "A search over 1,000,000 payments of one merchant", "ms", 1),
    Figure(
        "search_slowest_kind_ms",
        "  the slowest kind of reference, in the middle",
        "ms",
        1,
        below=100,
    ),
    Figure("search_worst_ms", "  the slowest of all answers", "ms", 1),
    Figure("search_index_s", "  their index made, which a worker does later", "s", 1),
    Figure("search_index_cpu", "    CPU of that process", "s", 1),
    Figure("search_index_bytes", "    bytes on disk a payment", "B"),
    Figure(
        "page_paint", "Payment page on a phone, CPU 4 times slower: first paint", "ms", below=500
    ),
    Figure("page_answered", "  of which until the first byte", "ms"),
    Figure("page_largest", "  largest paint", "ms"),
    Figure("page_again", "  first paint, opened once more", "ms", below=500),
    Figure("page_shift", "  layout shift", digits=4, below=0.001),
    Figure("ready_first", "hundi serve to ready, first time", "s", 2, below=15),
    Figure("ready_warm", "hundi serve to ready, warm", "s", 2, below=3),
    Figure("memory_pss", "Memory after the load, without PostgreSQL (PSS)", "MB", below=300),
    Figure("memory_rss", "  the same as RSS: shared pages counted for each", "MB"),
)


def figures_of(runs: Mapping[str, Sequence[Run]]) -> dict[str, list[float]]:
    """Return every figure's values, one for each run."""
    figures: dict[str, list[float]] = {}
    for each in runs.values():
        for run in each:
            for name, value in run.figures.items():
                figures.setdefault(name, []).append(value)
    return figures


def memory_figures(used: Mapping[Component, MemoryUse]) -> Run:
    """Return the memory of all of Hundi's own processes, in megabytes."""
    ours = processes.total(used[component] for component in processes.HUNDI if component in used)
    return Run({"memory_pss": ours.pss / _MEGABYTE, "memory_rss": ours.rss / _MEGABYTE})


def document(record: BenchRecord) -> dict[str, Any]:
    """Return the report for scripts.

    Medians, all values, yardsticks, costs, memory in bytes, audit, machine.
    """
    runs, used = record.runs, record.memory
    values = figures_of(runs)
    yardsticks = [run.cost.yardstick_ms for each in runs.values() for run in each if run.cost]
    yardsticks = yardsticks or [processes.yardstick_ms() for _ in range(YARDSTICKS)]
    return {
        "figures": {
            each.name: {
                "words": each.words.strip(),
                "unit": each.unit,
                "median": median(values[each.name]),
                "runs": values[each.name],
                "goal": each.goal,
                "holds": each.holds(median(values[each.name])),
            }
            for each in FIGURES
            if each.name in values
        },
        "cpu_ms": {name: _costs(each) for name, each in runs.items() if each[0].cost is not None},
        "memory": {
            component: {"rss": each.rss, "pss": each.pss} for component, each in used.items()
        },
        "yardstick_ms": {
            "median": median(yardsticks),
            "lowest": min(yardsticks),
            "highest": max(yardsticks),
        },
        "audit": record.audited,
        "machine": machine(),
        "options": dict(record.options) | {"stopped_in": record.stopped_in},
    }


def _costs(runs: Sequence[Run]) -> dict[str, float]:
    costs = [run.cost for run in runs if run.cost is not None]
    by_component = {
        component: median(cost.cpu_ms[component] for cost in costs) for component in Component
    }
    return by_component | {
        "others_cores": median(cost.others for cost in costs),
        "load_average": median(cost.load for cost in costs),
        "yardstick_ms": median(cost.yardstick_ms for cost in costs),
    }


def machine() -> dict[str, object]:
    """Return the machine of the measurement."""
    return {
        "cores": processes.CORES,
        "load_average": os.getloadavg()[0],
        "python": platform.python_version(),
        "kernel": platform.release(),
    }


def show(document: Mapping[str, Any]) -> None:
    """Print the tables."""
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    console.print(_figure_table(document["figures"]))
    if document["cpu_ms"]:
        console.print(_cost_table(document["cpu_ms"]))
    console.print(_memory_table(document["memory"]))
    here, yardstick = document["machine"], document["yardstick_ms"]
    console.print(
        _audit_words(document) + f"{here['cores']} cores for everything, load average"
        f" {here['load_average']:.1f} at the end, Python {here['python']}.\n"
        f"Yardstick {yardstick['median']:.2f} ms ({yardstick['lowest']:.2f} to"
        f" {yardstick['highest']:.2f}): compare with figures of the same yardstick alone.",
        highlight=False,
    )


def _audit_words(document: Mapping[str, Any]) -> str:
    """Return lines about the books, and about a stop."""
    audited, stopped_in = document["audit"]["figures"], document["options"]["stopped_in"]
    if stopped_in:
        return (
            f"Stopped in {stopped_in!r}: the figures are those of what had ended.\n"
            f"Audit: every promise kept in {audited['payments']:,} payments. Counts were not"
            " compared, because the stop left payments on their way.\n"
        )
    return (
        f"Audit: every promise kept; {audited['payments']:,} payments ="
        f" {audited['deliveries_delivered']:,} delivered"
        f" = {audited['postings']:,} postings = {audited['bank_entries']:,} entries at the bank.\n"
    )


def _figure_table(figures: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(title="Medians", title_justify="left")
    for name in ("figure", "median", "runs", "goal", ""):
        table.add_column(name, justify="right" if name in {"median", "runs", "goal"} else "left")
    for each in FIGURES:
        if each.name in figures:
            values = figures[each.name]
            runs = " ".join(f"{value:,.{each.digits}f}" for value in values["runs"])
            middle = f"{values['median']:,.{each.digits}f} {each.unit}".strip()
            table.add_row(
                each.words,
                middle,
                runs,
                values["goal"],
                {True: "reached", False: "MISSED", None: ""}[values["holds"]],
            )
    return table


def _cost_table(costs: Mapping[str, Mapping[str, float]]) -> Table:
    table = Table(
        title="CPU milliseconds for each payment (or verify), and what else kept the machine busy",
        title_justify="left",
    )
    table.add_column("measurement")
    for component in Component:
        table.add_column(component, justify="right")
    table.add_column("others, cores", justify="right")
    table.add_column("load average", justify="right")
    table.add_column("yardstick, ms", justify="right")
    for name, cost in costs.items():
        cells = [f"{cost[component]:.2f}" for component in Component]
        table.add_row(
            name,
            *cells,
            f"{cost['others_cores']:.2f}",
            f"{cost['load_average']:.1f}",
            f"{cost['yardstick_ms']:.1f}",
        )
    return table


def _memory_table(used: Mapping[str, Mapping[str, int]]) -> Table:
    table = Table(title="Memory after the load, MB", title_justify="left")
    for name in ("component", "PSS", "RSS"):
        table.add_column(name, justify="left" if name == "component" else "right")
    for component in (*processes.HUNDI, Component.POSTGRESQL):
        if component in used:
            table.add_row(
                component, *(f"{used[component][kind] / _MEGABYTE:.0f}" for kind in ("pss", "rss"))
            )
    return table
