"""Acquirers' official clients, run against our stand-ins: where they differ, the stand-in is wrong.

`make sdks` installs them, in environments of their own.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl

import pytest

from tests.acquirers.cashfree import standin as cashfree
from tests.acquirers.cashfree.standin import Bank
from tests.acquirers.cashfree.standin_mandates import running_with_mandates
from tests.acquirers.cashfree.standin_subscriptions import Subscriptions
from tests.acquirers.cashfree_payouts import standin as cashfree_payouts
from tests.acquirers.easebuzz import standin as easebuzz
from tests.acquirers.payu import standin as payu
from tests.acquirers.payu import standin_payments as payu_payments
from tests.acquirers.phonepe import standin as phonepe
from tests.acquirers.phonepe.standin_autopay import AutoPay
from tests.acquirers.pinelabs import standin as pinelabs
from tests.acquirers.playing import running
from tests.acquirers.razorpay import published
from tests.acquirers.razorpay import standin as razorpay
from tests.acquirers.razorpay.standin_enach import EnachStandin
from tests.acquirers.razorpay.standin_recurring import RecurringStandin
from tests.acquirers.razorpayx import standin as razorpayx
from tests.acquirers.sdks.runs import Step, program


@asynccontextmanager
async def at_razorpay() -> AsyncIterator[tuple[RecurringStandin, Step]]:
    async with RecurringStandin.running() as server:
        keys = {"url": server.url, "key": razorpay.KEY_ID, "secret": razorpay.KEY_SECRET}
        async with program("razorpay_client", **keys) as step:
            yield server, step


@asynccontextmanager
async def at_phonepe() -> AsyncIterator[tuple[AutoPay, Step]]:
    async with running(AutoPay()) as server:
        keys = {"client_id": phonepe.CLIENT_ID, "client_secret": phonepe.CLIENT_SECRET}
        keys |= {"url": server.url, "client_version": phonepe.CLIENT_VERSION}
        async with program("phonepe_client", **keys) as step:
            yield server, step


@asynccontextmanager
async def at_cashfree() -> AsyncIterator[tuple[Bank, Subscriptions, Step]]:
    async with running_with_mandates() as (server, play):
        keys = {"client_id": cashfree.CLIENT_ID, "client_secret": cashfree.CLIENT_SECRET}
        async with program("cashfree_client", url=server.url, **keys) as step:
            yield server, play, step


async def test_razorpay_reads_orders_payments_refunds_and_reports() -> None:
    async with at_razorpay() as (server, step):
        made = await step("payments")
        assert made["orders"]["items"] == [made["again"]] == [made["order"]]
        assert made["payments"]["items"] == made["of_order"]["items"] == []
        asked = {"order_id": made["order"]["id"], "amount": 50_000, "currency": "INR"}
        who = {"email": "g@example.com", "contact": "9", "method": "card"}
        payment = server.books.create_payment(asked | who, {})
        server.books.pay(payment.id)
        server.money.settle()
        read = await step("paid", payment=payment.id)
        assert read["payment"]["status"] == "captured"
        assert [each["id"] for each in read["refunds"]["items"]] == [read["refund"]["id"]]
        assert [each["id"] for each in read["some"]["items"]] == [payment.id]
        assert read["report"]["entity"] == "collection"


async def test_razorpay_registers_a_mandate_and_charges_it() -> None:
    async with at_razorpay() as (server, step):
        made = await step("mandate")
        assert made["payment"]["link"].startswith("upi://mandate?")
        token = server.mandates.authorise(made["payment"]["razorpay_payment_id"])
        charged = await step("mandate", customer=made["customer"], token=token.id)
        assert charged["signed"] is True
        assert charged["tokens"]["items"] == [charged["token"]]


async def test_razorpay_registers_enach_at_a_bank_and_deletes_it() -> None:
    async with EnachStandin.running() as server:
        keys = {"url": server.url, "key": razorpay.KEY_ID, "secret": razorpay.KEY_SECRET}
        async with program("razorpay_client", **keys) as step:
            made = await step("enach")
            assert made["payment"]["next"][0]["action"] == "redirect"
            token = server.enach.authorise(made["payment"]["razorpay_payment_id"])
            told = {"customer": made["customer"], "token": token.id}
            assert await step("enach", **told) == {"deleted": True}
            server.pass_time(4 * 86_400)
    assert token.status == "cancelled"


async def test_razorpay_verifies_our_webhooks_and_we_sign_its_own() -> None:
    async with at_razorpay() as (server, step):
        secret = published.WEBHOOK_SECRET
        event = server.signed("payment.authorized", published.WEBHOOK, secret=secret)
        signature = event.headers["X-Razorpay-Signature"]
        assert signature == published.WEBHOOK_SIGNATURE
        told = {"body": event.body.decode(), "signature": signature, "webhook_secret": secret}
        assert await step("webhook", **told) == {"known": True, "other": False}


async def test_razorpay_makes_fund_accounts_of_razorpayx() -> None:
    async with razorpayx.RazorpayX.running() as server:
        contact = server.books.add_contact({"name": "Gaurav Kumar", "type": "vendor"})
        keys = {"url": server.base, "key": razorpayx.KEY_ID, "secret": razorpayx.KEY_SECRET}
        async with program("razorpay_client", **keys) as step:
            made = await step("account", contact=contact["id"])
        assert made["all"]["items"] == [made["made"]]


async def test_phonepe_pays_by_page_and_link_with_no_optional_field() -> None:
    async with at_phonepe() as (server, step):
        made = await step("page")
        assert (made["made"]["state"], made["status"]["amount"]) == ("PENDING", 50_000)
        assert (await step("refused"))["status"] == 417
        assert (await step("qr"))["intentUrl"].startswith("upi://pay")
        server.pay("o1")
        read = await step("paid")
        assert (read["status"]["state"], read["refund"]["amount"]) == ("COMPLETED", 100)
        assert read["refund_status"]["merchantRefundId"] == "r1"


async def test_phonepe_sets_a_mandate_up_notifies_and_redeems() -> None:
    async with at_phonepe() as (server, step):
        assert (await step("mandate"))["intentUrl"].startswith("upi://mandate")
        server.approve("m1")
        assert (await step("mandate", order="notify"))["state"] == "PENDING"
        server.pass_time(25 * 3600)
        assert (await step("mandate", order="redeem"))["state"] == "PENDING"
        server.take("m1-1")
        read = await step("mandate", order="cancel")
        assert read["subscription"]["state"] == "CANCELLED"
        assert read["order"]["state"] == "COMPLETED"


async def test_phonepe_verifies_our_webhooks() -> None:
    async with at_phonepe() as (server, step):
        payload = {"orderId": "OMO1", "merchantOrderId": "o1", "state": "COMPLETED", "amount": 1}
        headers, body = server.webhook("checkout.order.completed", payload)
        told = {"username": phonepe.USERNAME, "password": phonepe.PASSWORD}
        told |= {"header": headers["authorization"], "body": body.decode()}
        known = await step("callback", **told)
        assert known["payload"]["state"] == "COMPLETED"


async def test_cashfree_reads_orders_payments_and_refunds() -> None:
    async with at_cashfree() as (server, _play, step):
        made = await step("order")
        assert made["made"]["order_amount"] == made["read"]["order_amount"] == 100.5
        server.world.pay("o_1")
        read = await step("paid")
        assert read["payments"][0]["payment_status"] == "SUCCESS"
        assert [each["refund_id"] for each in read["refunds"]] == [read["refund"]["refund_id"]]
        refused = await step("refused")
        assert (refused["status"], refused["said"]["code"]) == (404, "order_not_found")


async def test_cashfree_makes_charges_and_ends_a_subscription() -> None:
    async with at_cashfree() as (server, play, step):
        made = await step("subscription", what="create")
        assert made["made"]["subscription_status"] == "INITIALIZED"
        assert made["begun"]["data"]["payload"]["default"].startswith("upi://mandate")
        play.approve("m1")
        charged = await step("subscription", what="charge")
        assert charged["read"] in charged["all"]
        assert charged["made"]["payment_amount"] == 99.5
        ended = await step("subscription", what="end")
        assert ended["subscription_status"] == "CANCELLED"
        event = server.world.take_webhooks()[-1]
        told = {"signature": event.headers["x-webhook-signature"], "body": event.body.decode()}
        told["timestamp"] = event.headers["x-webhook-timestamp"]
        assert await step("webhook", **told) == {"type": "SUBSCRIPTION_STATUS_CHANGED"}


async def test_cashfree_pays_out_and_verifies_our_webhooks() -> None:
    async with cashfree_payouts.CashfreePayouts.running(paise=10_000_000) as server:
        keys = {"url": server.url, "client_id": cashfree_payouts.CLIENT_ID}
        keys["client_secret"] = cashfree_payouts.CLIENT_SECRET
        async with program("cashfree_payouts_client", "sdks-older", **keys) as step:
            made = await step("transfer")
            server.transfers.settle("p1")
            read = await step("read")
            (event,) = server.events()
            told = {"signature": event.headers["x-webhook-signature"], "body": event.body.decode()}
            told["timestamp"] = event.headers["x-webhook-timestamp"]
            known = await step("webhook", **told)
    assert (made["made"]["status"], made["made"]["transfer_amount"]) == ("RECEIVED", 10.5)
    assert made["known"] == made["added"]
    assert [each["transfer_id"] for each in made["batch"]["transfers"]] == ["p2"]
    assert (read["found"]["status"], read["found"]["transfer_service_tax"]) == ("SUCCESS", 0.18)
    instrument = read["found"]["beneficiary_details"]["beneficiary_instrument_details"]
    assert instrument["ifsc"] == "HDFC0000001"
    assert (read["status"], read["said"]["code"]) == (404, "transfer_id_not_found")
    assert known == {"type": "TRANSFER_SUCCESS"}


async def test_pine_labs_pays_refunds_and_reads_settlements() -> None:
    async with pinelabs.PineLabs.running() as server:
        keys = {"url": server.url, "client_id": pinelabs.CLIENT_ID}
        keys["client_secret"] = pinelabs.CLIENT_SECRET
        async with program("pinelabs_client", **keys) as step:
            made = await step("page")
            server.pay("o1")
            server.settle("UTR1", "o1")
            read, refused = await step("paid"), await step("refused")
    assert made["read"]["data"]["order_id"] == made["made"]["order_id"]
    assert read["order"]["data"]["status"] == "PROCESSED"
    assert read["again"]["data"]["order_id"] == read["refund"]["data"]["order_id"]
    assert read["detail"]["transactions"][0]["utr_number"] == "UTR1"
    assert refused == {"status": 404}


async def test_easebuzz_pays_and_verifies_what_it_is_told() -> None:
    async with easebuzz.Easebuzz.running() as server:
        keys = {"url": server.url, "key": easebuzz.KEY, "salt": easebuzz.SALT}
        async with program("easebuzz_client", **keys) as step:
            made = await step("page")
            server.pay("o1")
            read = await step("paid", returned=server.payments["o1"])
    assert made["data"].startswith(f"{server.url}/pay/")
    assert read["transaction"]["msg"]["status"] == "success"
    assert read["returned"]["status"] == 1


async def test_payu_makes_forms_asks_and_verifies() -> None:
    async with running(payu.PayU()) as server:
        keys = {"url": server.url, "key": payu_payments.KEY, "salt": payu_payments.SALT}
        fields = {
            "txnid": "o1",
            "amount": "1100.00",
            "productinfo": "Order",
            "firstname": "Asha",
            "email": "asha@example.in",
            "phone": "9000000000",
            "surl": "https://pay.example.in/done",
            "furl": "https://pay.example.in/failed",
        }
        async with program("payu_client", **keys) as step:
            server.visit(tuple((await step("form", fields=fields)).items()))
            server.charges = "11.00"
            server.pay("o1")
            read = await step("asked", txnid="o1")
            _headers, body = server.webhook("o1")
            told = dict(parse_qsl(body.decode(), keep_blank_values=True))
            known = await step("returned", form=told)
            forged = await step("returned", form=told | {"amount": "1.00"})
    assert read["verified"]["transaction_details"]["o1"]["status"] == "success"
    assert read["settled"]["status"] in {0, 1}
    assert (known, forged) == (True, False)


@pytest.mark.parametrize("name", ["razorpay", "phonepe", "cashfree_pg", "pinelabs", "payu"])
def test_no_client_is_beside_the_gateway(name: str) -> None:
    """They are for tests alone: the gateway's environment cannot import them."""
    with pytest.raises(ModuleNotFoundError):
        __import__(name)
