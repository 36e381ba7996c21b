"""Parts of a gateway that die under load: database, worker, interfaces, and the whole of it.

Nothing is lost or done twice.
"""

import contextlib
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from hundi.sdk import HundiError, RefundItem
from tests.conftest import NewFolder
from tests.patience import PATIENCE_S
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.crowd import (
    BY_CARD,
    BY_UPI,
    Customer,
    assert_settled,
    at_once,
    customers,
    one_more,
)
from tests.system.endpoint import Answer, MerchantServer, ReceivedRequest
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, PAID_POSTING, Shop, new_order_id, pay_card, scan

MIXED = (BY_UPI, BY_CARD, BY_UPI, ("decline@hundi", "", 400), ("pending@hundi", "", 200))


@pytest.fixture(scope="module")
def rough(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway that is not spared."""
    with RunningGateway(new_folder("rough")) as running:
        yield running
        running.audit()


@pytest.fixture(scope="module")
def shop(rough: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant of the rough gateway."""
    yield from open_shop(rough, server, "unlucky")


@pytest.fixture(scope="module", autouse=True)
def interrupted(rough: RunningGateway, server: MerchantServer) -> Iterator[list[Customer]]:
    """Paid orders whose notifications were on their way when the worker was killed.

    Half of a minute passes until they go again.
    """
    for slow in open_shop(rough, server, "interrupted"):

        def keep_the_first(heard: ReceivedRequest) -> Answer:
            known = [each.webhook_id for each in slow.endpoint.heard]
            return Answer(
                hang=known.count(heard.webhook_id) == 1 and not slow.endpoint.let_go.is_set()
            )

        slow.endpoint.choose = keep_the_first
        crowd = customers(slow, 12, (BY_UPI,))
        at_once(crowd)
        until(lambda: slow.endpoint.heard, "deliveries to be on their way")
        (worker,) = rough.part("worker")
        worker.kill()
        worker.wait(PATIENCE_S)
        slow.endpoint.let_go.set()
        yield crowd


def test_the_database_restarts_and_crashes_under_load(rough: RunningGateway, shop: Shop) -> None:
    crowd = customers(shop, 60, MIXED)

    def meanwhile() -> None:
        for word in (signal.SIGINT, signal.SIGKILL):
            one_more(crowd)
            old = rough.postmaster()
            old.send_signal(word)
            until(
                lambda old=old: not old.is_running() or old.status() == psutil.STATUS_ZOMBIE,
                "the server to end",
            )
            until(rough.is_ready, "the gateway to be back", every_s=0.2)

    at_once(crowd, meanwhile)
    assert_settled(crowd)
    assert "PANIC" not in rough.logged()
    rough.audit()


def test_interfaces_killed_under_load_come_back_and_nothing_is_lost(
    rough: RunningGateway, shop: Shop
) -> None:
    crowd = customers(shop, 50, MIXED)

    at_once(crowd, lambda: rough.kill_part("api", times=2))
    assert_settled(crowd)
    rough.audit()


def test_a_bank_killed_under_load_is_asked_again_when_it_is_back(
    rough: RunningGateway, shop: Shop
) -> None:
    crowd = customers(shop, 40, MIXED)

    at_once(crowd, lambda: rough.kill_part("simbank"))
    assert_settled(crowd)
    rough.audit()


def test_a_second_worker_shares_the_work_and_does_nothing_twice(
    rough: RunningGateway, shop: Shop, tmp_path: Path
) -> None:
    (first,) = until(lambda: rough.part("worker"), "the first worker")
    log = tmp_path / "second.log"
    with (
        log.open("wb") as written,
        psutil.Popen(first.cmdline(), env=first.environ(), stderr=written) as second,
    ):
        until(lambda: b"worker_started" in log.read_bytes(), "a second worker")
        crowd = customers(shop, 60, (BY_UPI, ("pending@hundi", "", 200), ("silent@hundi", "", 200)))
        at_once(crowd)
        assert_settled(crowd)
        second.send_signal(signal.SIGTERM)
        assert second.wait(PATIENCE_S) == 0
    for each in crowd:
        assert len(shop.endpoint.about(shop.merchant, each.order_id)) == 1
    # Of these customers: what a crash of the database before took back was sent again.
    tried = rough.rows(
        "SELECT attempt_no, count(*) FROM delivery_attempts JOIN payments USING (merchant_id,"
        " payment_id)"
        " WHERE merchant_id = $1 AND order_id = ANY ($2::text[]) GROUP BY 1",
        shop.merchant.number,
        [each.order_id for each in crowd],
    )
    assert [row["attempt_no"] for row in tried] == [1]
    once = rough.rows("SELECT name FROM schedules ORDER BY 1")
    assert [row["name"] for row in once] == [
        "count_hours",
        "import_statements",
        "index_for_search",
        "inspect_payment_page",
        "look_at_certificates",
        "look_for_disputes",
        "prepare_payouts",
        "read_payout_balances",
        "roll_checkpoints",
        "seal_books",
        "settle_merchants",
        "sum_days",
        "sweep_counts_and_tokens",
        "tell_people",
    ]


def test_a_worker_killed_in_the_middle_of_deliveries_loses_none(
    rough: RunningGateway, interrupted: list[Customer]
) -> None:
    """Each event arrives at least once, under the same id, and the lost try is recorded."""
    shop = interrupted[0].shop
    until(lambda: rough.part("worker"), "the supervisor to start another worker")
    for each in interrupted:
        heard = until(
            lambda each=each: shop.endpoint.about(shop.merchant, each.order_id),
            f"{each.order_id} to be told",
            every_s=0.2,
        )
        assert {one.webhook_id for one in heard} == {heard[0].webhook_id}
        assert {one.event for one in heard} == {"paid"}

    def delivered() -> bool:
        query = "SELECT count(*) FROM deliveries WHERE merchant_id = $1 AND state = 'delivered'"
        return rough.value(query, shop.merchant.number) == len(interrupted)

    until(delivered, "all to be delivered", every_s=0.2)
    cut = rough.value(
        (
            "SELECT count(*) FROM delivery_attempts WHERE merchant_id = $1 AND problem = 'the"
            " worker ended before the answer came'"
        ),
        shop.merchant.number,
    )
    assert cut >= 1
    # What was claimed and not yet sent when the worker died is on record as lost, too.
    assert len(interrupted) < len(shop.endpoint.heard) <= len(interrupted) + cut
    assert_settled(interrupted)


def test_all_of_it_killed_at_once_starts_again_where_it_was(
    new_folder: NewFolder, server: MerchantServer
) -> None:
    """The supervisor is killed outright.

    Nothing of it stays, and the next start has every merchant, payment and message.
    """
    folder = new_folder("killed")
    gateway = RunningGateway(folder)
    demo = gateway.demo
    paid, waiting, confirmed = new_order_id(), new_order_id(), new_order_id()
    with Browser() as browser:
        with contextlib.contextmanager(open_shop)(gateway, server, "survivor") as shop:
            scan(gateway, shop.open_page(browser, paid).upi_link)
            shop.hears_event(paid, "paid")
            # Two that are open at the moment of death: one at the bank, one that nobody has told
            # the merchant of.
            scan(gateway, shop.open_page(browser, waiting).upi_link, "silent@hundi")
            shop.endpoint.choose = lambda _: Answer(hang=True)
            assert pay_card(browser, shop.open_page(browser, confirmed)).at == "result"
            merchant, endpoint = shop.merchant, shop.endpoint
        gateway.crash()
        endpoint.let_go.set()
        endpoint.choose = lambda _: Answer()
        with RunningGateway(folder) as again:
            known = {each["merchant_id"]: each["secret"] for each in again.demo["merchants"]}
            assert known == {each["merchant_id"]: each["secret"] for each in demo["merchants"]}
            assert again.demo["merchants"][0]["success_url"].startswith(again.base_url)
            shop = Shop.at(again, merchant, endpoint)
            with shop.client:
                assert shop.verify(paid).is_paid
                shop.becomes(waiting, 200)
                for order_id in (paid, waiting, confirmed):
                    assert shop.postings(order_id) == PAID_POSTING
                assert shop.hears_event(waiting, "paid").transaction.is_paid
                # The message that was under way goes again when its lease is over: it is on the
                # list.
                listed = again.operate(
                    "delivery",
                    "list",
                    merchant.merchant_id,
                    "--payment",
                    str(shop.payment(confirmed)["payment_id"]),
                )
                assert [each["state"] for each in listed] in (["sending"], ["delivered"])
            again.audit()


def test_a_taken_port_is_said_in_words(new_folder: NewFolder, rough: RunningGateway) -> None:
    port = str(httpx.URL(rough.base_url).port)
    folder = new_folder("second")
    refused = rough.command("serve", "--demo", "--port", port, "--data-dir", str(folder))
    assert refused.returncode == 2
    assert f"cannot listen on 127.0.0.1 port {port}" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert rough.is_ready()


@pytest.mark.not_on_citus("only the embedded server refuses a second gateway in its folder")
def test_a_folder_in_use_is_said_in_words(rough: RunningGateway) -> None:
    owned = rough.command("serve", "--port", "0", "--data-dir", str(rough.data_dir))
    assert owned.returncode == 2
    assert "in use by another process" in owned.stderr
    assert "Traceback" not in owned.stderr
    assert rough.is_ready()


@pytest.mark.parametrize("verb", ["capture", "void"])
def test_interfaces_killed_while_an_authorisation_ends_do_it_once(
    rough: RunningGateway, shop: Shop, browser: Browser, verb: str
) -> None:
    orders = [new_order_id() for _ in range(4)]
    for order_id in orders:
        pay_card(browser, shop.open_page(browser, order_id, authorise_only=True))
    held = [shop.verify(order_id).transaction_id for order_id in orders]
    rough.inject_faults(delay_ms=[1500, 1500])

    def end(transaction_id: str) -> None:
        # The gateway dies under it: what became of it is not in this answer.
        with contextlib.suppress(HundiError):
            getattr(shop.client, verb)(transaction_id)

    with ThreadPoolExecutor(len(held)) as pool:
        asked = [pool.submit(end, each) for each in held]
        time.sleep(0.8)
        rough.kill_part("api")
        for each in asked:
            each.result()
    rough.inject_faults()
    kind, payment_status = {"capture": ("capture", "CAPTURE"), "void": ("void", "VOIDED")}[verb]
    for order_id in orders:
        until(
            lambda order_id=order_id: shop.verify(order_id).payment_status == payment_status,
            f"{order_id} to be {payment_status}",
        )
        assert shop.bank_endings(order_id) == [(kind, AMOUNT_PAISE)]
    rough.audit()


def test_a_worker_killed_amid_refunds_sends_each_once(
    rough: RunningGateway, shop: Shop, browser: Browser
) -> None:
    orders = [new_order_id() for _ in range(12)]
    for order_id in orders:
        scan(rough, shop.open_page(browser, order_id).upi_link)
    paid = [shop.becomes(order_id, 200).transaction_id for order_id in orders]
    rough.inject_faults(delay_ms=[300, 900])
    shop.client.refund([RefundItem(each) for each in paid], request_id=new_order_id("R"))
    time.sleep(0.5)
    rough.kill_part("worker")
    rough.inject_faults()
    for order_id in orders:
        until(
            lambda order_id=order_id: shop.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")],
            f"{order_id} to be given back",
        )
        shop.hears_event(order_id, "refund_done")
    rough.audit()
