"""An archived payment of half a year ago is verified, refunded and audited as before."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import NotStartedError, Shop, new_order_id
from tests.system.test_refunds import paid, refund
from tests.system.test_subscription_year import DAY_S, advance

UNSEALED = """
    SELECT count(*) FROM payment_events e WHERE NOT EXISTS (SELECT FROM chain_links l
        WHERE l.merchant_id = e.merchant_id
        AND l.book = 'events' AND l.id = e.payment_id AND l.part = 'event ' || e.event_no)
"""
UNROLLED = """
    SELECT count(*) FROM ledger_postings p LEFT JOIN ledger_rolls r USING (merchant_id)
    WHERE p.xact >= coalesce(r.through, '0')
"""
UNSETTLED = """
    SELECT count(*) FROM ledger_postings g LEFT JOIN settlement_items i
        ON i.merchant_id = g.merchant_id AND i.cause_id = g.cause_id AND i.kind = g.kind::text
    WHERE g.kind = 'payment' AND i.settlement_id IS NULL
"""
QUICK = {"HUNDI_STATEMENT_TIMEOUT_MS": "1000"}
"""The wait after marking is twice as long."""


@pytest.fixture(scope="module")
def gateway(new_folder: Callable[[str], Path]) -> Iterator[RunningGateway]:
    """A gateway whose clock nobody else needs."""
    with RunningGateway(new_folder("archive")) as running:
        yield running


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "archive", late_success="keep")


@pytest.fixture(scope="module")
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


def settled_now(gateway: RunningGateway) -> int:
    """Settle what can be, and return how many postings wait for it."""
    gateway.operate("settlement", "run")
    return gateway.value(UNSETTLED)


def grow_old(gateway: RunningGateway) -> None:
    """Move the clock on by 200 days, and let a new worker seal and roll up what there is."""
    advance(gateway, 200 * DAY_S)
    until(lambda: settled_now(gateway) == 0, "every payment to be settled")
    gateway.run_now("seal_books", "roll_checkpoints")
    until(
        lambda: gateway.value(UNSEALED) == 0 == gateway.value(UNROLLED),
        "sealed and rolled-up books",
    )


def moved(gateway: RunningGateway, *more: str) -> dict[str, object]:
    """Run `hundi archive` and return what it says."""
    ended = gateway.command(
        "archive", *more, "--json", "--data-dir", str(gateway.data_dir), environment=QUICK
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def is_archived(gateway: RunningGateway, payment_id: int) -> bool:
    found = gateway.value("SELECT count(*) FROM payments WHERE payment_id = $1", payment_id)
    return found == 0


def test_an_archived_order_is_verified_refunded_and_audited_as_before(
    gateway: RunningGateway, shop: Shop, sender: Sender, browser: Browser, tmp_path: Path
) -> None:
    order_id, transaction = paid(gateway, shop, browser)
    shop.hears_event(order_id, "paid")
    abandoned = new_order_id()
    shop.open_page(browser, abandoned)
    grow_old(gateway)
    before = sender.verify(shop.merchant, {"orderid": order_id})
    story = gateway.operate("payment", "show", shop.merchant.merchant_id, order_id)
    told = story["deliveries"][0]["webhook_id"]
    tries = gateway.operate("delivery", "show", told)
    figures = gateway.audit()["figures"]

    said = moved(gateway, "--export", str(tmp_path))
    assert is_archived(gateway, transaction)
    assert int(str(said["moved"])) >= 1

    # Read as it was, by each of its names, and left where it is.
    rrn = before.data["rrn"]
    for names in ({"orderid": order_id}, {"ap_transactionid": str(transaction)}, {"rrn": rrn}):
        assert sender.verify(shop.merchant, names).data == before.data
    for name in (order_id, str(transaction), rrn):
        assert gateway.operate("payment", "show", shop.merchant.merchant_id, name) == story
    assert gateway.operate("delivery", "show", told) == tries
    assert gateway.operate("split", "show", shop.merchant.merchant_id, str(transaction)) == []
    assert is_archived(gateway, transaction)
    gateway.audit()
    whole = gateway.invoke("audit", "--archive", "--json")
    assert whole.exit_code == 0, whole.stdout
    found = json.loads(whole.stdout)["figures"]
    assert {name: count for name, count in found.items() if name != "archived"} == {
        name: count for name, count in figures.items() if name != "archived"
    }

    # The file has it, and only who has the keys can read it.
    (file,) = [each for each in tmp_path.glob("*.sealed") if order_id in read(gateway, each)]
    assert order_id.encode() not in file.read_bytes()
    (line,) = [json.loads(each) for each in read(gateway, file).splitlines() if order_id in each]
    assert (line["payment_id"], line["rows"]["payments"][0]["state"]) == (transaction, "paid")
    assert (
        json.loads(file.with_name(file.name.removesuffix(".jsonl.sealed") + ".json").read_text())[
            "payments"
        ]
        >= 1
    )
    assert moved(gateway, "--export", str(tmp_path))["written"] == 0

    # Its order id is used for ever, and nothing was written by who tried.
    with pytest.raises(NotStartedError, match="paid already"):
        shop.open_page(browser, order_id)
    assert is_archived(gateway, transaction)

    # It is given back as any other; for that it comes back.
    reply = refund(sender, shop.merchant, {"ap_transactionid": transaction, "amount": "100.00"})
    assert reply.data["transactions"][0]["success"] == "true"
    assert shop.hears_event(order_id, "refund_done").transaction.amount_paise == 10_000
    record = sender.verify(shop.merchant, {"orderid": order_id}).data
    assert (record["refunds_count"], record["refunds_total"]) == (1, "100.00")
    assert not is_archived(gateway, transaction)
    gateway.audit()


def read(gateway: RunningGateway, file: Path) -> str:
    """Return what `hundi archive read` prints of a file."""
    return gateway.hundi("archive", "read", str(file))
