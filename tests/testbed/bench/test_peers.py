"""Hundi beside other ledgers: what needs no other ledger."""

import asyncio
from collections.abc import Sequence

import pytest

from hundi_testbed.bench import peers
from hundi_testbed.bench.chain import connect
from hundi_testbed.bench.load import BrokenChainError, NotificationListener
from hundi_testbed.bench.peer_host import PeerError
from hundi_testbed.bench.peer_ledgers import PeerLedger, QueueWatch
from hundi_testbed.bench.peers import HUNDI, PeerTurn


class _Database:
    """A peer's database that gives the same rows whatever is asked."""

    def __init__(self, rows: Sequence[tuple[object, ...]]) -> None:
        self.rows = rows

    async def fetchrow(self, *_: object) -> tuple[object, ...]:
        return self.rows[0]

    async def fetch(self, *_: object) -> Sequence[tuple[object, ...]]:
        return self.rows


def _turn(per_second: float, cpu_ms: float) -> PeerTurn:
    return PeerTurn(per_second, 10, 20, cpu_ms, 0.3, 2.0)


def test_a_program_without_peers_says_what_to_give(capsys):
    with pytest.raises(SystemExit):
        peers.parse([])
    assert "give --formance, --blnk or both" in capsys.readouterr().err


def test_programs_are_absolute_paths(tmp_path, monkeypatch):
    program = tmp_path / "ledger"
    program.touch(0o755)
    monkeypatch.chdir(tmp_path)
    options = peers.parse(["--formance", "./ledger", "--postgresql", "bin"])
    assert (options.formance, options.postgresql) == (str(program), tmp_path / "bin")
    assert (options.blnk, options.rounds, options.seconds) == (None, 5, 5)


def test_every_second_round_runs_backwards():
    order: list[str] = []

    def contender(words: str):
        async def turn() -> PeerTurn:
            order.append(words)
            return _turn(1, 1)

        return turn

    contenders = {words: contender(words) for words in ("one", "two", "three")}
    turns = asyncio.run(peers.take_turns(contenders, 2, lambda _: None))
    warm_up, first, second = order[:3], order[3:6], order[6:]
    assert (warm_up, first, second) == (second, ["one", "two", "three"], ["three", "two", "one"])
    assert [len(taken) for taken in turns.values()] == [2, 2, 2], "a warm-up counts for nothing"


def test_the_table_compares_round_by_round(capsys):
    # The machine is half as fast in the second round: the ratio stays.
    turns = {HUNDI: [_turn(400, 2.0), _turn(200, 4.0)], "peer": [_turn(300, 1.0), _turn(150, 2.0)]}
    hundi, peer = peers.table(turns)
    assert hundi == (HUNDI, "300 (200-400)", "10", "20", "3.00", "1.00 (1.00-1.00)", "0.30", "2.0")
    assert peer == ("peer", "225 (150-300)", "10", "20", "1.50", "0.50 (0.50-0.50)", "0.30", "2.0")
    peers.show(turns, [900, 1_100, 1_000])
    printed = capsys.readouterr().out
    assert "2 rounds in turns" in printed
    assert "1,000 a second" in printed


def _ledger(address: str, database: _Database) -> PeerLedger:
    return PeerLedger(
        "peer", address, "/writes", frozenset(), lambda one: {"n": one.number}, database, [""]
    )


async def _written(database: _Database) -> tuple[PeerLedger, list[bytes]]:
    """Return a ledger to which two writes went, and their bodies."""
    bodies: list[bytes] = []
    server = await asyncio.get_running_loop().create_server(
        lambda: NotificationListener(lambda _, body: bodies.append(body)), "127.0.0.1", 0
    )
    async with server:
        ledger = _ledger(f"127.0.0.1:{server.sockets[0].getsockname()[1]}", database)
        seat = connect(ledger.address)
        write = ledger.customer(0, seat)
        await write()
        await write()
        seat.close()
    return ledger, bodies


def test_books_that_hold_another_number_than_was_counted_give_no_figures():
    ledger, bodies = asyncio.run(_written(_Database([(2, 23_957)])))
    assert bodies == [b'{"n":1}', b'{"n":2}']
    asyncio.run(ledger.prove())
    ledger.written += 1
    with pytest.raises(PeerError, match=r"3 writes of 23,957 paise .* \(2, 23957\) in its books"):
        asyncio.run(ledger.prove())


@pytest.mark.parametrize("status", ["APPLIED", "REJECTED"])
def test_a_queued_write_ends_when_the_ledger_has_applied_it(status: str):
    watch = QueueWatch(_Database([("peer-1_q", status)]))
    if status == "APPLIED":
        asyncio.run(watch.applied("peer-1"))
        return
    with pytest.raises(BrokenChainError, match="peer-1: REJECTED"):
        asyncio.run(watch.applied("peer-1"))


def test_a_peer_that_cannot_be_started_gives_no_figures(capsys):
    assert peers.main(["--blnk", "no-such-program", "--postgresql", "no-such-folder"]) == 1
    assert "bench: no figures" in capsys.readouterr().err
