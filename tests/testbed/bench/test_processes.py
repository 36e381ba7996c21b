"""Who is who under the supervisor, and what /proc says of them."""

import asyncio
import os
import time

from hundi_testbed.bench import processes
from hundi_testbed.bench.processes import Component, MeasuredProcess, MemoryUse, MeterReading

_TICKS = os.sysconf("SC_CLK_TCK")


def test_a_line_of_stat_counts_ended_children_and_survives_odd_names():
    times = f"{3 * _TICKS} {2 * _TICKS} {_TICKS} {_TICKS}"
    text = f"4711 (post (gres) S) S 1 4711 4711 0 -1 4194560 100 0 0 0 {times} 20 0 1 0 5"
    assert processes.parse_stat(text) == (4711, 1, 7.0)


def test_every_process_belongs_to_the_part_that_started_it():
    python = "/venv/bin/python3 -m hundi.cli"
    listed = [
        MeasuredProcess(1, 0, "/sbin/init", 0),
        MeasuredProcess(10, 1, "python -m hundi_testbed.bench", 0),
        MeasuredProcess(11, 10, "wrk -t 1", 0),
        MeasuredProcess(20, 10, "python hundi serve --demo --data-dir /tmp/worker", 0),
        MeasuredProcess(21, 20, "/wheel/bin/postgres -D /tmp/worker/postgres", 0),
        MeasuredProcess(22, 21, "postgres: hundi simbank [local] idle", 0),
        MeasuredProcess(23, 20, f"{python} api", 0),
        MeasuredProcess(24, 23, "anything a process of it calls itself", 0),
        MeasuredProcess(25, 20, f"{python} worker", 0),
        MeasuredProcess(26, 20, f"{python} simbank", 0),
        MeasuredProcess(27, 20, f"{python} prepare", 0),
        MeasuredProcess(30, 1, "a stranger", 0),
        MeasuredProcess(31, 30, f"{python} api", 0),
    ]
    assert processes.assign({each.pid: each for each in listed}, supervisor=20, ours=10) == {
        10: Component.LOAD_GENERATOR,
        11: Component.LOAD_GENERATOR,
        20: Component.SUPERVISOR,
        21: Component.POSTGRESQL,
        22: Component.POSTGRESQL,
        23: Component.GATEWAY,
        24: Component.GATEWAY,
        25: Component.WORKER,
        26: Component.SIMBANK,
        27: Component.SUPERVISOR,
    }


def test_a_tree_spends_what_its_roots_and_all_below_them_spend():
    listed = [
        MeasuredProcess(1, 0, "/sbin/init", 100.0),
        MeasuredProcess(10, 1, "python -m hundi_testbed.bench.peers", 50.0),
        MeasuredProcess(11, 10, "ledger serve", 3.0),
        MeasuredProcess(12, 10, "postgres", 1.0),
        MeasuredProcess(13, 12, "postgres: peer", 2.0),
        MeasuredProcess(14, 10, "another peer", 7.0),
    ]
    assert processes.spent_s({each.pid: each for each in listed}, {11, 12}) == 6.0


def test_a_cost_is_shared_by_the_units_and_the_rest_was_others():
    nothing = dict.fromkeys(Component, 0.0)
    before = MeterReading(100.0, nothing, 50.0)
    after = MeterReading(110.0, nothing | {Component.GATEWAY: 5.0, Component.POSTGRESQL: 2.0}, 62.0)
    cost = processes.cost(before, after, units=1_000, yardstick=5.0)
    assert cost.cpu_ms[Component.GATEWAY] == 5.0
    assert cost.cpu_ms[Component.POSTGRESQL] == 2.0
    assert cost.cpu_ms[Component.WORKER] == 0.0
    assert cost.others == 0.5
    assert cost.yardstick_ms == 5.0


async def test_a_meter_measures_this_process_and_its_pace():
    async with processes.Meter(supervisor=0) as meter:
        began = time.process_time()
        while time.process_time() - began < 0.1:
            await asyncio.sleep(0)
    cost = meter.cost(units=10)
    assert cost.cpu_ms[Component.LOAD_GENERATOR] >= 8
    assert cost.cpu_ms[Component.GATEWAY] == 0
    assert cost.yardstick_ms > 0


def test_busy_is_everything_but_idle_and_waiting_for_the_disk():
    assert (
        processes.busy_s(f"cpu  {_TICKS} 0 {_TICKS} 999 999 0 {_TICKS} {_TICKS} 0 0\ncpu0 1 2 3")
        == 4.0
    )


def test_memory_is_read_from_the_rollup():
    text = (
        "00400000-7ffe rw-p 00000000 00:00 0 [rollup]\nRss:    14000 kB\nPss:     9000"
        " kB\nPss_Anon: 1 kB\n"
    )
    assert processes.parse_rollup(text) == MemoryUse(rss=14_000 * 1024, pss=9_000 * 1024)
    assert processes.total([MemoryUse(1, 2), MemoryUse(3, 4)]) == MemoryUse(4, 6)
