"""Faults beyond kills: a bank that answers nonsense, a disk that is full, commits that take long.

All ends rightly.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from typing import Any

import asyncpg
import httpx
import pytest

from hundi.infra.background.due import PAUSE_S
from hundi.sdk import HundiError, RefundItem
from tests.conftest import NewFolder
from tests.system.bending_proxy import Bend, BendingProxy, respond
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, assert_settled, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.running import FACE, RunningGateway, until
from tests.system.shop import (
    AMOUNT_PAISE,
    PAID_POSTING,
    NotStartedError,
    Shop,
    enter_card,
    enter_otp,
    new_order_id,
    scan,
)

KEY = "5" * 64
_WRITE_FAULT = """
    CREATE OR REPLACE FUNCTION write_fault() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN {act}; RETURN NULL; END $$
"""
_AT_EACH_COMMIT = """
    DO $$ DECLARE written text; BEGIN
        -- On a cluster one table after the other, without the pieces, which follow: their names
        -- end in a number.
        PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
        FOR written IN SELECT c.oid::regclass::text FROM pg_class c
            WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
                AND c.relname !~ '_[0-9]{6}$'
        LOOP
            EXECUTE format('CREATE CONSTRAINT TRIGGER write_fault AFTER INSERT OR UPDATE OR DELETE'
                ' ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION write_fault()',
                written);
        END LOOP;
    END $$
"""
"""At the commit, so that everything before it went well.

The hardest moment for whoever waits for its end.
"""
NOTHING = "NULL"
FULL = (
    "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'"
)
SLOW = "PERFORM pg_sleep(0.15)"
REFUSED_MIN = 4
"""How often one loop of the worker is to be refused, so that its rests in between can be seen."""


@pytest.fixture(scope="module")
def proxy() -> Iterator[BendingProxy]:
    """What stands between this file's gateway and its bank."""
    with BendingProxy() as running:
        yield running


@pytest.fixture(scope="module")
def hurt(new_folder: NewFolder, proxy: BendingProxy) -> Iterator[RunningGateway]:
    """A gateway that reaches its bank through the proxy, and whose database can fail."""
    folder = new_folder("hurt")
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "acquirer_key").write_text(KEY)
    acquirer = {"KIND": "sandbox", "URL": proxy.url, "KEY": KEY, "FACE": FACE}
    settings = {f"HUNDI_ACQUIRERS__SANDBOX__{name}": value for name, value in acquirer.items()}
    with RunningGateway(folder, **settings) as running:
        proxy.target = running.simbank_url
        commits(running, NOTHING)
        running.rows(_AT_EACH_COMMIT)
        yield running
        running.audit()


@pytest.fixture(scope="module")
def shop(hurt: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant of it."""
    yield from open_shop(hurt, server, "hurt")


def commits(gateway: RunningGateway, act: str) -> None:
    """Let every commit of a change do something from now on."""
    gateway.rows(_WRITE_FAULT.replace("{act}", act))


# --- the bank ---


def changed(make: Callable[[dict[str, Any]], bytes]) -> Bend:
    """Answer with a body made of the sane one."""
    return lambda request, said: respond(request, make(json.loads(said)))


def field(**changes: Any) -> Bend:
    """Answer with other values in some fields."""
    return changed(lambda sane: json.dumps({**sane, **changes}).encode())


def cut_off(request: BaseHTTPRequestHandler, said: bytes) -> None:
    request.send_response_only(200)
    request.send_header("content-length", str(len(said)))
    request.end_headers()
    request.wfile.write(said[:-9])
    request.close_connection = True


def megabytes(request: BaseHTTPRequestHandler, said: bytes) -> None:
    respond(request, said + b" " * 8_000_000)


BENT: dict[str, Bend] = {
    "HTML": lambda request, _: respond(
        request, b"<h1>Maintenance</h1>", headers=[("content-type", "text/html")]
    ),
    "redirect": lambda request, said: respond(
        request, said, 302, [("location", "/acquirer/inquire")]
    ),
    "error that looks like success": lambda request, said: respond(request, said, 404),
    "another payment's": field(reference="7-215000000000001"),
    "no reference": field(reference=""),
    "absurd amount": field(amount_paise=10**30),
    "negative amount": field(amount_paise=-AMOUNT_PAISE),
    "another currency": field(currency="USD", rate_micros=90_000_000),
    "unknown word": field(status="SUCCESS"),
    "NUL": field(message="Approved\0"),
    "no UTF-8": changed(
        lambda sane: json.dumps({**sane, "message": "?"}).encode().replace(b"?", b"\xfe")
    ),
    "keys twice": changed(
        lambda sane: b'{"status":"declined","code":"ZA",' + json.dumps(sane).encode()[1:]
    ),
    "cut off": cut_off,
    "megabytes": megabytes,
}


def reference_of(shop: Shop, order_id: str) -> str:
    return f"{shop.merchant.merchant_id}-{shop.attempts(order_id)[-1]['attempt_id']}"


def test_no_inquiry_is_believed_while_the_bank_answers_nonsense(
    hurt: RunningGateway, shop: Shop, proxy: BendingProxy
) -> None:
    """Each order is paid and its callback lost.

    Its inquiries are answered wrongly, each in a way of its own, then rightly.
    """
    orders = {name: new_order_id() for name in BENT}
    before = worker_bytes(hurt)
    with Browser() as browser:
        screens = {name: shop.open_page(browser, order_id) for name, order_id in orders.items()}
    asked = {name: ("inquire", reference_of(shop, order_id)) for name, order_id in orders.items()}
    proxy.bends |= {asked[name]: bend for name, bend in BENT.items()}
    try:
        for screen in screens.values():
            scan(hurt, screen.upi_link, "silent@hundi")
        until(
            lambda: all(proxy.bent[each] >= 2 for each in asked.values()),
            "two questions about each",
        )
        for name, order_id in orders.items():
            assert shop.verify(order_id).status_code == 211, name
            assert (shop.postings(order_id), shop.endpoint.about(shop.merchant, order_id)) == (
                [],
                [],
            ), name
        assert worker_bytes(hurt) - before < 60_000_000
    finally:
        proxy.bends.clear()
    for order_id in orders.values():
        shop.becomes(order_id, 200)
        assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
            PAID_POSTING,
            [(AMOUNT_PAISE, "done")],
        )
    assert "bank_currency_differs" in hurt.logged()
    assert "due_item_failed" not in hurt.logged()
    hurt.audit()


@pytest.mark.parametrize(
    "fault", ["another payment's", "NUL", "cut off", "another currency", "declined amid"]
)
def test_a_charge_that_is_answered_with_nonsense_is_settled_by_the_banks_next_word(
    hurt: RunningGateway, shop: Shop, proxy: BendingProxy, browser: Browser, fault: str
) -> None:
    order_id = new_order_id()
    challenge = enter_card(browser, shop.open_page(browser, order_id))
    bends = BENT | {"declined amid": field(status="declined", code="", amount_paise=0)}
    asked = ("cards/authorise", reference_of(shop, order_id))
    proxy.bends[asked] = bends[fault]
    try:
        enter_otp(browser, challenge)
        until(lambda: proxy.bent[asked], "the charge")
    finally:
        del proxy.bends[asked]
    shop.becomes(order_id, 200)
    assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
        PAID_POSTING,
        [(AMOUNT_PAISE, "done")],
    )


@pytest.mark.parametrize(
    "fault", ["another payment's", "HTML", "absurd amount", "another currency"]
)
def test_a_refund_that_is_answered_with_nonsense_is_given_back_once(
    hurt: RunningGateway, shop: Shop, proxy: BendingProxy, browser: Browser, fault: str
) -> None:
    order_id = new_order_id()
    scan(hurt, shop.open_page(browser, order_id).upi_link)
    paid = shop.becomes(order_id, 200)
    proxy.bends = bends = _ForRefunds(BENT[fault])
    try:
        assert shop.client.refund([RefundItem(paid.transaction_id)], request_id=order_id)[
            0
        ].accepted
        until(lambda: bends.used, "the refund")
        assert "refund_done" not in shop.events(order_id)
    finally:
        proxy.bends = {}
    until(lambda: "refund_done" in shop.events(order_id), "the refund to be known")
    assert shop.bank_refunds(order_id) == [(AMOUNT_PAISE, "done")]


class _ForRefunds(dict[tuple[str, str], Bend]):
    """Bends the answers to calls that give money back, whatever their references."""

    def __init__(self, bend: Bend) -> None:
        super().__init__()
        self._bend = bend
        self.used = 0

    def get(self, about: tuple[str, str], default: Any = None) -> Any:
        if about[0] != "refund":
            return default
        self.used += 1
        return self._bend


# --- the disk ---


def worker_bytes(gateway: RunningGateway) -> int:
    return sum(each.memory_info().rss for each in gateway.part("worker"))


def rests_s(gateway: RunningGateway, since: int) -> list[float]:
    """Return how long the worker's loop that was refused most often rested each time.

    since: a place in the log.
    """
    refused: dict[str, list[datetime]] = {}
    for line in gateway.log.read_text()[since:].splitlines():
        if '"due_not_claimed"' in line:
            told = json.loads(line)
            refused.setdefault(told["work"], []).append(datetime.fromisoformat(told["timestamp"]))
    most = max(refused.values(), key=len, default=[])
    return [(later - sooner).total_seconds() for sooner, later in pairwise(most)]


def test_a_full_disk_loses_nothing_that_was_acknowledged(
    hurt: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """Nothing can be committed for a while.

    Refusals meanwhile, and afterwards everything goes on by itself.
    """
    paid_before, open_before, scanned, carded = (new_order_id() for _ in range(4))
    scan(hurt, shop.open_page(browser, paid_before).upi_link)
    transaction_id = shop.becomes(paid_before, 200).transaction_id
    shop.open_page(browser, open_before)
    qr = shop.open_page(browser, scanned)
    with Browser() as other:
        challenge = enter_card(other, shop.open_page(other, carded))
        workers = hurt.part("worker")
        commits(hurt, FULL)
        try:
            # The bank moves money now, and nobody here can write it down.
            scan(hurt, qr.upi_link)
            enter_otp(other, challenge)
            refused = new_order_id()
            with pytest.raises(NotStartedError):
                shop.open_page(browser, refused)
            with pytest.raises(HundiError) as failed:
                shop.client.refund([RefundItem(transaction_id)], request_id="full-disk")
            assert "No space" not in str(failed.value)
            assert shop.verify(paid_before).is_paid
            seen = len(hurt.log.read_text())
            until(lambda: len(rests_s(hurt, seen)) >= REFUSED_MIN - 1, "the worker to be refused")
            assert min(rests_s(hurt, seen)) > PAUSE_S / 2, (
                "a loop that cannot write rests before it tries again"
            )
            assert shop.verify(scanned).status_code == 211
        finally:
            commits(hurt, NOTHING)
    for order_id in (scanned, carded):
        shop.becomes(order_id, 200)
        shop.hears_event(order_id, "paid")
        assert (shop.postings(order_id), shop.bank_debits(order_id)) == (
            PAID_POSTING,
            [(AMOUNT_PAISE, "done")],
        )
    assert hurt.part("worker") == workers, "nothing had to be started again"
    # Asked again under the same id, the refund happens once.
    assert shop.client.refund([RefundItem(transaction_id)], request_id="full-disk")[0].accepted
    shop.hears_event(paid_before, "refund_done")
    assert shop.bank_refunds(paid_before) == [(AMOUNT_PAISE, "done")]
    assert shop.verify(open_before).status_code == 211
    for order_id in (refused, open_before):
        scan(hurt, shop.open_page(browser, order_id).upi_link)
        shop.becomes(order_id, 200)
    hurt.audit()


@pytest.mark.not_on_citus("it kills the embedded server of a gateway")
def test_a_database_that_cannot_start_for_a_while_is_started_again(
    hurt: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """As on a disk without space for its log.

    It ends, and every start of it fails until somebody makes space.
    """
    order_id = new_order_id()
    qr = shop.open_page(browser, order_id)
    control = hurt.data_dir / "postgres" / "global" / "pg_control"
    away = control.with_name("away")
    apis = hurt.part("api")
    control.rename(away)
    try:
        hurt.postmaster().kill()
        until(lambda: "PostgreSQL is started again in" in hurt.logged(), "a start that fails")
        assert (
            httpx.get(f"{hurt.base_url}/health/live", trust_env=False, timeout=10).status_code
            == 200
        )
        assert (
            httpx.get(f"{hurt.base_url}/health/ready", trust_env=False, timeout=10).status_code
            == 503
        )
    finally:
        away.rename(control)
    until(hurt.is_ready, "the gateway to be back", every_s=0.2)
    with contextlib.suppress(asyncpg.PostgresConnectionError):
        # Our own connection to look into the books ended with the server.
        hurt.rows("SELECT 1")
    assert hurt.part("api") == apis, "nothing else had to be started again"
    scan(hurt, qr.upi_link)
    shop.becomes(order_id, 200)
    assert shop.postings(order_id) == PAID_POSTING


def test_slow_commits_delay_and_lose_nothing(hurt: RunningGateway, shop: Shop) -> None:
    """Each changed row takes a moment at its commit.

    The customers wait longer, and nothing is done twice.
    """
    crowd = customers(shop, 12, (BY_UPI, BY_CARD, ("decline@hundi", "", 400)))
    commits(hurt, SLOW)
    try:
        at_once(crowd, width=6)
        assert_settled(crowd)
    finally:
        commits(hurt, NOTHING)
    for each in crowd:
        heard = shop.endpoint.about(shop.merchant, each.order_id)
        assert len(heard) == len({one.webhook_id for one in heard}), "each message went once"
        # An aggregator's customer who pays again while the page waits has paid twice: that is told,
        # too.
        assert sum(one.event in {"paid", "failed"} for one in heard) == 1
        assert len(heard) == 1 or hurt.face != "bank"
    hurt.audit()
