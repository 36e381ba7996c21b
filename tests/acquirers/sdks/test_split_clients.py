"""Acquirers' official clients split payments at our stand-ins: where they differ, ours is wrong."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from tests.acquirers.cashfree import standin as cashfree
from tests.acquirers.cashfree.standin_splits import running_with_splits
from tests.acquirers.cashfree.test_standin_splits import VENDOR
from tests.acquirers.razorpay import standin as razorpay
from tests.acquirers.razorpay.standin_splits import BANK, SELLER, RouteStandin
from tests.acquirers.sdks.runs import Step, program


@asynccontextmanager
async def at_route() -> AsyncIterator[tuple[RouteStandin, Step]]:
    async with RouteStandin.running() as server:
        keys = {"url": server.url, "key": razorpay.KEY_ID, "secret": razorpay.KEY_SECRET}
        async with program("razorpay_route_client", **keys) as step:
            yield server, step


async def test_razorpay_opens_a_linked_account() -> None:
    async with at_route() as (_server, step):
        opened = await step("account", seller=SELLER, bank=BANK)
    assert opened["read"] == opened["made"]
    assert opened["stakeholders"]["items"] == [opened["stakeholder"]]
    assert opened["product"] == opened["changed"]
    assert opened["product"]["activation_status"] == "activated"


async def test_razorpay_splits_an_order_and_a_payment_and_takes_a_part_back() -> None:
    async with at_route() as (server, step):
        account, server.route.deposit = server.opened_account(), 1_000
        made = await step("order", account=account)
        (part,) = made["read"]["transfers"]["items"]
        assert part["id"] == made["made"]["transfers"][0]["id"]
        who = {"email": "g@example.com", "contact": "9", "method": "upi"}
        asked = {"order_id": made["made"]["id"], "amount": 1_000, "currency": "INR"} | who
        payment = server.books.pay(server.books.create_payment(asked, {}).id)
        read = await step("split", account=account, payment=payment.id)
        assert read["of_payment"] == read["again"]
        assert {each["status"] for each in read["again"]["items"]} == {"processed"}
        assert read["held"]["settlement_status"] == "on_hold"
        assert read["reversals"]["items"] == [read["reversal"] | {"utr": None}]
        assert read["read"]["status"] == "partially_reversed"
        first, again = await step("direct", account=account)
        assert first == again


async def test_cashfree_makes_a_vendor_splits_and_reads_the_reports() -> None:
    async with running_with_splits() as (server, splits):
        keys = {"client_id": cashfree.CLIENT_ID, "client_secret": cashfree.CLIENT_SECRET}
        async with program("cashfree_split_client", url=server.url, **keys) as step:
            asked = VENDOR | {"phone": str(VENDOR["phone"])}
            asked["bank"] = VENDOR["bank"] | {"account_number": "26291800001191"}
            vendor = await step("vendor", vendor=asked)
            name = asked["vendor_id"]
            await step("order", vendor=name)
            server.world.pay("o_1")
            server.world.pass_time(timedelta(minutes=2))
            read = await step("paid", vendor=name)
    assert (vendor["made"]["status"], vendor["read"]["status"]) == ("IN_BENE_CREATION", "ACTIVE")
    assert vendor["read"]["bank"][0]["ifsc"] == asked["bank"]["ifsc"]
    assert vendor["balance"]["vendor_unsettled"] == 0
    assert read["split"] == {"status": "OK", "message": "Order split created"}
    assert read["refund"]["refund_splits"] == [{"vendor_id": name, "amount": 80}]
    assert read["transfer"]["balances"]["vendor_unsettled"] == 850 + 50 - 80 + 10 - 5
    assert [each["settlement_amount"] for each in read["details"]["vendors"]] == [850, 50]
    assert read["report"]["data"][0]["merchant_vendor_commission"] == "900.00"
    kinds = [each["type"] for each in read["lines"]["data"]]
    assert kinds == ["VENDOR_COMMISSION"] * 2 + ["REFUND", "ADJUSTMENT"] + ["TRANSFER"] * 2
    assert splits.unsettled(name) == 82_500
