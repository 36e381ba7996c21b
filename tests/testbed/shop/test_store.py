"""The shop's books on a real SQLite file: once written, written once."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from hundi.sdk.transaction import read
from hundi_testbed.shop.rules import OrderStatus, ShopOrder
from hundi_testbed.shop.store import ShopOrderBook, TimelineEvent
from tests.sdk.gateway_double import BUYER, PAID

AT = datetime(2026, 11, 20, 8, 35, 7, tzinfo=UTC)
ORDER = ShopOrder(
    order_id="AH-1",
    title="Chai",
    amount_paise=149_950,
    buyer=BUYER,
    status=OrderStatus.PLACED,
    created_at=AT,
)


def event(key: str, kind: str = "notification") -> TimelineEvent:
    return TimelineEvent(
        event_key=key, kind=kind, at=AT, heading="Something", facts={"Amount": "₹1,499.50"}
    )


@pytest.fixture
def book(tmp_path: Path) -> ShopOrderBook:
    book = ShopOrderBook(tmp_path / "demo_shop.sqlite3")
    book.add(ORDER, event("placed", "placed"))
    return book


def test_an_order_comes_back_as_it_was(book: ShopOrderBook) -> None:
    assert book.find("AH-1") == ORDER
    assert book.events("AH-1") == [event("placed", "placed")]
    assert book.find("AH-2") is None


def test_the_books_survive_a_restart(book: ShopOrderBook, tmp_path: Path) -> None:
    book.note("AH-1", event("n1"), read(PAID.written()))
    found = ShopOrderBook(tmp_path / "demo_shop.sqlite3").find("AH-1")
    assert found is not None
    assert found.status is OrderStatus.PAID


def test_who_opens_the_books_waits_for_whoever_writes(tmp_path: Path) -> None:
    writer = sqlite3.connect(path := tmp_path / "demo_shop.sqlite3", isolation_level=None)
    writer.execute("begin immediate")
    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(ShopOrderBook, path)
        with pytest.raises(TimeoutError):
            opening.result(0.2)
        writer.execute("commit")
        assert opening.result().find("AH-1") is None
    writer.close()


def test_two_processes_may_open_new_books_at_once(tmp_path: Path) -> None:
    """As the api processes of a demo do, at its first start."""
    together = get_context("spawn").Barrier(2)
    both = [
        get_context("spawn").Process(target=open_many, args=(tmp_path, together)) for _ in range(2)
    ]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert [each.exitcode for each in both] == [0, 0]


def open_many(folder: Path, together: Barrier) -> None:
    """Open new books again and again, each at the same moment as another process."""
    try:
        for number in range(60):
            together.wait()
            ShopOrderBook(folder / f"{number}.sqlite3")
    except BaseException:
        together.abort()
        raise


def test_the_same_news_from_many_sides_stands_there_once(book: ShopOrderBook) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: book.note("AH-1", event("n1"), read(PAID.written())), range(24)))
    assert [each.event_key for each in book.events("AH-1")] == ["placed", "n1"]
