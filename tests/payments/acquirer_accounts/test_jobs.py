"""A process takes over what was changed about accounts, while it runs."""

import asyncio
import hashlib
import hmac
import json
from datetime import datetime, timedelta

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.calls.front import Trouble
from hundi.acquirers.kinds import AcquirerConfigurationError
from hundi.acquirers.registry import Registry
from hundi.infra.secrets.vault import Vault
from hundi.instruments.methods import CARD, NETBANKING, UPI_LINK, UPI_QR
from hundi.kernel.records import replace
from hundi.payments.acquirer_accounts import actions, store
from hundi.payments.acquirer_accounts.actions import AccountContext
from hundi.payments.acquirer_accounts.jobs import Follower
from hundi.payments.acquirer_accounts.rules import KNOWN_AFTER
from hundi.payments.acquirer_accounts.seals import actions as seals
from tests.payments.acquirer_accounts.conftest import FIELDS, NOW, RAZORPAY, SECRET, WHO, added


def at(registry: Registry, merchant_id: int = 7) -> list[str]:
    """Return the connectors that take a card of a merchant's customer, in order."""
    return [way.connector.name for way in registry.ways((CARD,), merchant_id)]


def webhook(secret: str) -> tuple[dict[str, str], bytes]:
    """Return a webhook of Razorpay about a dispute of a payment of ours, signed."""
    payment = {"id": "pay_1", "order_id": "order_1", "notes": {"reference": "7-100000000000001"}}
    dispute = {
        "id": "disp_1",
        "payment_id": "pay_1",
        "amount": 100,
        "currency": "INR",
        "status": "open",
    }
    told = {
        "payment": {"entity": payment},
        "dispute": {"entity": dispute | {"phase": "chargeback"}},
    }
    body = json.dumps({"event": "payment.dispute.created", "payload": told}).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"x-razorpay-signature": signature, "x-razorpay-event-id": "evt_1"}, body


async def test_an_account_is_known_at_once_and_serves_when_every_process_knows_it(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    await follower.start()
    assert at(registry) == ["sandbox"]
    await actions.add(context, "north", "sandbox", 0, FIELDS, WHO, await _now(context))
    await follower.look()
    assert registry.get("north").name == "north"
    assert at(registry) == ["sandbox"], "another process may not know it yet"
    await actions.add(
        context, "south", "sandbox", 0, FIELDS, WHO, await _now(context) - KNOWN_AFTER
    )
    await follower.look()
    assert at(registry) == ["sandbox", "south"]
    assert [way.connector.name for way in registry.ways((UPI_QR,), 7)] == ["sandbox"], (
        "it is restricted to others"
    )
    await follower.close()
    await registry.close()


async def _now(context: AccountContext) -> datetime:
    return await context.db.fetchval("SELECT now()")


async def test_a_merchants_own_account_serves_it_first_and_nobody_else(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    await added(context, serves=7)
    await follower.start()
    assert at(registry, 7) == ["north", "sandbox"]
    assert at(registry, 8) == ["sandbox"]
    assert registry.default_for("card") is registry.get("sandbox")
    await follower.close()
    await registry.close()


async def test_a_change_is_heard_of_without_waiting_for_the_next_look(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    await follower.listen()
    await follower.start()
    following = asyncio.create_task(follower.follow())
    async with asyncio.timeout(60):
        await added(context)
        while at(registry) != ["sandbox", "north"]:
            await asyncio.sleep(0.01)
        await actions.disable(context, "north", WHO, NOW)
        while at(registry) != ["sandbox"]:
            await asyncio.sleep(0.01)
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    await follower.close()
    await registry.close()


async def test_a_disabled_account_takes_nothing_new_and_is_asked_as_before(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    await added(context, "rzp", "razorpay", fields=RAZORPAY)
    await follower.start()
    assert [way.connector.name for way in registry.ways((UPI_LINK,))] == ["rzp"]
    before = registry.get("rzp")
    await actions.disable(context, "rzp", WHO, NOW)
    await follower.look()
    assert registry.ways((UPI_LINK,)) == ()
    assert not registry.takes_new("rzp")
    assert registry.get("rzp").name == before.name
    trigger = registry.triggering("rzp")
    assert trigger is not None
    headers, body = webhook("first webhook secret")
    assert trigger.read_trigger(headers, body, now_s=0) is not None
    await follower.close()
    await registry.close()


async def test_a_rotation_replaces_the_connector_and_believes_both_secrets_for_a_day(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    now = await _now(context)
    await added(context, "rzp", "razorpay", fields=RAZORPAY)
    await follower.start()
    before = registry.get("rzp")
    await actions.rotate(context, "rzp", {"webhook_secret": "second webhook secret"}, WHO, now)
    await follower.look()
    assert registry.get("rzp") is not before
    trigger = registry.triggering("rzp")
    assert trigger is not None
    for secret, believed in (
        ("first webhook secret", True),
        ("second webhook secret", True),
        ("third", False),
    ):
        headers, body = webhook(secret)
        assert (trigger.read_trigger(headers, body, now_s=0) is not None) is believed, secret

    await context.db.execute(
        "UPDATE acquirer_accounts SET before_until = now() - interval '1 second'"
    )
    await follower.look()
    trigger = registry.triggering("rzp")
    assert trigger is not None
    headers, body = webhook("first webhook secret")
    assert trigger.read_trigger(headers, body, now_s=0) is None, "the grace is over"
    headers, body = webhook("second webhook secret")
    assert trigger.read_trigger(headers, body, now_s=0) is not None
    await follower.close()
    await registry.close()


async def test_after_two_rotations_each_secret_before_is_believed_for_its_own_day(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    now = await _now(context)
    await added(context, "rzp", "razorpay", fields=RAZORPAY)
    await actions.rotate(context, "rzp", {"webhook_secret": "second"}, WHO, now)
    await actions.rotate(context, "rzp", {"webhook_secret": "third"}, WHO, now + timedelta(hours=2))
    await follower.start()
    trigger = registry.triggering("rzp")
    assert trigger is not None
    for hours, believed in (
        (23, {"first webhook secret", "second", "third"}),
        (25, {"second", "third"}),
        (27, {"third"}),
    ):
        at_s = int((now + timedelta(hours=hours)).timestamp())
        read = {
            secret
            for secret in ("first webhook secret", "second", "third", "fourth")
            if trigger.read_trigger(*webhook(secret), now_s=at_s) is not None
        }
        assert read == believed, f"after {hours} h"
        disputed = {
            secret
            for secret in ("first webhook secret", "second", "third", "fourth")
            if registry.read_dispute("rzp", *webhook(secret), now_s=at_s) is not None
        }
        assert disputed == believed, f"after {hours} h"
    assert registry.read_dispute("sandbox", *webhook("third"), now_s=0) is None
    assert registry.read_dispute("nobody", *webhook("third"), now_s=0) is None
    await follower.close()
    await registry.close()


async def test_an_account_that_did_not_change_stays_open_as_it_is(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    await added(context)
    await follower.start()
    before = registry.get("north")
    await added(context, "south")
    await follower.look()
    assert registry.get("north") is before
    assert registry.get("south").name == "south"
    await follower.close()
    await registry.close()


async def test_a_row_that_cannot_be_opened_stops_nobody_else(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    await added(context)
    await follower.start()
    before = registry.get("north")
    await context.db.execute(
        'UPDATE acquirer_accounts SET revision = revision + 1, fields = \'{"url": "http://x"}\''
    )
    await added(context, "south")
    await follower.look()
    assert at(registry) == ["sandbox", "north", "south"]
    assert registry.get("north") is before
    await follower.close()
    await registry.close()

    fresh = Registry([member.connector for member in registry.members[:1]])
    started = Follower(context, fresh)
    await started.start()
    assert at(fresh) == ["sandbox", "south"]


async def test_what_could_not_be_opened_is_tried_again_and_told_once(
    context: AccountContext, registry: Registry, follower: Follower
) -> None:
    await added(context)
    await follower.start()
    before = registry.get("north")
    later = Vault({"second": b"2" * 32, "first": b"1" * 32})
    await actions.rotate(replace(context, vault=later), "north", {"key": SECRET + "2"}, WHO, NOW)
    with capture_logs() as lines:
        for _ in range(3):
            await follower.look()
            assert registry.get("north") is before
    told = [line["event"] for line in lines if line["log_level"] == "error"]
    assert told == ["acquirer_account_not_opened"]
    # Under a key that the process has, nothing that it compares has changed.
    await seals.reseal(
        context.db, replace(WHO, vault=Vault({"first": b"1" * 32, "second": b"2" * 32})), NOW
    )
    await follower.look()
    assert registry.get("north") is not before
    await follower.close()
    await registry.close()


async def test_a_name_in_the_settings_too_stops_the_start(
    context: AccountContext, registry: Registry
) -> None:
    await added(context)
    both = replace(
        context, configured={**context.configured, "north": context.configured["sandbox"]}
    )
    with pytest.raises(
        AcquirerConfigurationError, match=r"acquirers\.north: both in the settings and an account"
    ):
        await Follower(both, registry).start()


async def test_what_does_not_fit_the_settings_stops_the_start(
    context: AccountContext, registry: Registry
) -> None:
    live = {**RAZORPAY, "mode": "live", "key_id": "rzp_live_one"}
    await added(replace(context, configured={}), "rzp", "razorpay", fields=live)
    with pytest.raises(
        AcquirerConfigurationError, match="sandbox only simulates payments and rzp takes real money"
    ):
        await Follower(context, registry).start()


async def test_a_live_account_is_behind_the_rule_about_test_cards_after_every_change(
    context: AccountContext,
) -> None:
    alone, registry = replace(context, configured={}), Registry(())
    live = {**RAZORPAY, "mode": "live", "key_id": "rzp_live_one"}
    await added(alone, "rzp", "razorpay", fields=live)
    follower = Follower(alone, registry)
    await follower.start()
    first = registry.get("rzp")
    await added(alone, "two", "razorpay", fields={**live, "key_id": "rzp_live_two"})
    await follower.look()
    assert registry.get("rzp") is first, "and not behind it twice"
    assert {type(each).__name__ for each in registry.all()} == {"Front"}
    assert [way.connector.name for way in registry.ways((NETBANKING,))] == ["rzp", "two"]
    await follower.close()
    await registry.close()


async def test_of_two_processes_the_later_trouble_is_kept(context: AccountContext) -> None:
    early, late = (
        Trouble("no answer from the bank", NOW),
        Trouble("our keys", NOW + timedelta(seconds=1)),
    )
    for each in (early, late, early):
        await store.keep_trouble(context.db, "north", each)
    assert await store.troubles(context.db) == {"north": late}
