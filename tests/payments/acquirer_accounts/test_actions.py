"""Accounts are added, rotated and disabled; their secrets are sealed for the row as it reads."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from hundi.acquirers.kinds import AcquirerConfigurationError
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.key_sources import VaultError
from hundi.infra.secrets.sealed.store import count_sealed
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.payments.acquirer_accounts import actions, store
from hundi.payments.acquirer_accounts.actions import AccountContext, fields_before, fields_of
from hundi.payments.acquirer_accounts.rules import BEFORE_MAX, AcquirerAccountState, FieldsBefore
from hundi.payments.acquirer_accounts.seals import actions as seals
from hundi.staff.trail import store as trail
from tests.payments.acquirer_accounts.conftest import FIELDS, NOW, RAZORPAY, SECRET, WHO, added


async def texts(db: Database) -> str:
    """Return every row of accounts and trail as text."""
    rows = await db.fetch(
        "SELECT a::text AS row FROM acquirer_accounts a UNION ALL SELECT t::text FROM "
        "trail_entries t"
    )
    return "\n".join(row["row"] for row in rows)


async def test_an_account_keeps_its_secret_sealed_and_the_rest_readable(
    context: AccountContext,
) -> None:
    await added(context)
    (account,) = await store.select_all(context.db)
    assert account.fields == {"url": "http://127.0.0.1:8", "methods": ["card", "netbanking"]}
    assert (account.state, account.revision, account.simulated) == (
        AcquirerAccountState.ACTIVE,
        1,
        True,
    )
    assert fields_of(context.vault, account) == FIELDS
    written = await texts(context.db)
    assert "north" in written
    assert SECRET not in written
    assert SECRET.encode().hex() not in written


async def test_the_trail_has_who_when_and_which_fields_and_no_value(
    context: AccountContext,
) -> None:
    await added(context)
    await actions.rotate(
        context, "north", {"key": SECRET + "2", "url": "http://127.0.0.1:7"}, WHO, NOW
    )
    await actions.disable(context, "north", WHO, NOW)
    await actions.enable(context, "north", WHO, NOW)
    entries = await trail.select_page(context.db, actions.OPERATOR, act=actions.NOUN, about="north")
    assert [(each.act, each.person, each.at) for each in reversed(entries)] == [
        (f"acquirer.{act}", WHO.name, NOW) for act in ("add", "rotate", "disable", "enable")
    ]
    told = [json.loads(each.detail) for each in reversed(entries)]
    after, before = (
        [each.pop(f"acquirer_{name}", None) for each in told] for name in ("sha256", "before")
    )
    assert before == [None, *after[:-1]]
    assert told == [
        {"fields": ["key", "methods", "url"], "kind": "sandbox", "revision": 1, "serves": 0},
        {"fields": ["key", "url"], "revision": 2},
        {"revision": 3},
        {"revision": 4},
    ]
    assert "127.0.0.1" not in "".join(each.detail for each in entries)


async def test_a_rotation_keeps_the_fields_before_for_webhooks(context: AccountContext) -> None:
    await added(context, "rzp", "razorpay", fields=RAZORPAY)
    changed = await actions.rotate(context, "rzp", {"webhook_secret": "second"}, WHO, NOW)
    assert changed.before_until == NOW + timedelta(hours=24)
    (account,) = await store.select_all(context.db)
    assert fields_of(context.vault, account)["webhook_secret"] == "second"
    assert fields_before(context.vault, account) == (
        FieldsBefore({**RAZORPAY, "kind": "razorpay"}, NOW + timedelta(hours=24)),
    )
    written = await texts(context.db)
    for secret in ("first secret", "first webhook secret", "second"):
        assert secret not in written.replace("seconds", "")


async def test_each_rotation_keeps_the_fields_before_for_its_own_time(
    context: AccountContext,
) -> None:
    await added(context, "rzp", "razorpay", fields=RAZORPAY)
    for hour, secret in ((0, "second"), (1, "third"), (24, "fourth")):
        await actions.rotate(
            context, "rzp", {"webhook_secret": secret}, WHO, NOW + timedelta(hours=hour)
        )
    (account,) = await store.select_all(context.db)
    kept = [
        (each.fields["webhook_secret"], each.until - NOW)
        for each in fields_before(context.vault, account)
    ]
    assert kept == [("third", timedelta(hours=48)), ("second", timedelta(hours=25))]
    assert account.before_until == NOW + timedelta(hours=48)


async def test_more_rotations_in_a_day_than_are_kept_are_refused_until_one_is_over(
    context: AccountContext,
) -> None:
    await added(context)
    for minute in range(BEFORE_MAX):
        await actions.rotate(
            context, "north", {"key": f"{SECRET}{minute}"}, WHO, NOW + timedelta(minutes=minute)
        )
    before = await texts(context.db)
    with pytest.raises(
        AcquirerConfigurationError, match=r"the next one is possible at 2026-11-24T06:30:00\+00:00"
    ):
        await actions.rotate(context, "north", {"key": SECRET}, WHO, NOW + timedelta(hours=1))
    assert await texts(context.db) == before
    assert (
        await actions.rotate(context, "north", {"key": SECRET}, WHO, NOW + timedelta(hours=24))
    ).revision > 1


async def test_a_field_that_is_none_goes_back_to_what_its_kind_says(
    context: AccountContext,
) -> None:
    await added(context, "rzp", "razorpay", fields={**RAZORPAY, "email": "shop@example.in"})
    account = await actions.rotate(context, "rzp", {"email": None}, WHO, NOW)
    assert "email" not in account.fields


@pytest.mark.parametrize(
    ("name", "kind", "fields", "words"),
    [
        ("north", "sandbox", FIELDS, "there is an account of this name"),
        ("sandbox", "sandbox", FIELDS, r"acquirers\.sandbox: both in the settings and an account"),
        ("South", "sandbox", FIELDS, "a name is of small letters"),
        ("south", "nobody", FIELDS, "kind nobody is not installed"),
        (
            "south",
            "sandbox",
            {**FIELDS, "colour": "red"},
            "colour: not a field of this kind, which has kind, methods",
        ),
        ("south", "sandbox", {**FIELDS, "key": "short"}, r"length >= 16.*key"),
        ("south", "sandbox", {**FIELDS, "methods": ["cash"]}, "it cannot do cash"),
        ("south", "sandbox", {**FIELDS, "kind": "payu"}, "kind is no field"),
        (
            "south",
            "razorpay",
            {**RAZORPAY, "mode": "live", "key_id": "rzp_live_one"},
            "cannot have both",
        ),
    ],
)
async def test_what_cannot_be_added_is_said_and_writes_nothing(
    context: AccountContext, name: str, kind: str, fields: dict[str, Any], words: str
) -> None:
    await added(context)
    before = await texts(context.db)
    with pytest.raises(AcquirerConfigurationError, match=words) as refused:
        await added(context, name, kind, fields=fields)
    assert SECRET not in str(refused.value)
    assert await texts(context.db) == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"key": SECRET}, "it has these fields already"),
        ({"kind": "razorpay"}, "kind is no field"),
        ({"colour": "red"}, "colour: not a field"),
        ({"key": None}, "missing required field `key`"),
        ({"methods": ["cash"]}, "it cannot do cash"),
    ],
)
async def test_what_cannot_be_rotated_is_said_and_changes_nothing(
    context: AccountContext, changes: dict[str, Any], words: str
) -> None:
    await added(context)
    before = await texts(context.db)
    with pytest.raises(AcquirerConfigurationError, match=words):
        await actions.rotate(context, "north", changes, WHO, NOW)
    assert await texts(context.db) == before


async def test_what_cannot_be_opened_is_refused_of_a_disabled_account_too(
    context: AccountContext,
) -> None:
    await added(context)
    await actions.disable(context, "north", WHO, NOW)
    before = await texts(context.db)
    with pytest.raises(AcquirerConfigurationError, match="keey: not a field"):
        await actions.rotate(context, "north", {"keey": "typed in a hurry"}, WHO, NOW)
    assert await texts(context.db) == before
    assert (
        await actions.rotate(context, "north", {"key": SECRET + "2"}, WHO, NOW)
    ).state is AcquirerAccountState.DISABLED


@pytest.mark.parametrize("state", [AcquirerAccountState.ACTIVE, AcquirerAccountState.DISABLED])
async def test_a_rotation_makes_no_other_account_at_the_acquirer_of_it(
    context: AccountContext, state: AcquirerAccountState
) -> None:
    shop = {
        "merchant_id": "SHOP01",
        "merchant_key": "k" * 16,
        "website": "WEB",
        "environment": "staging",
    }
    await added(context, "south", "paytm", fields=shop)
    if state is AcquirerAccountState.DISABLED:
        await actions.disable(context, "south", WHO, NOW)
    before = await texts(context.db)
    with pytest.raises(
        AcquirerConfigurationError, match="merchant_id says which account at the acquirer it is"
    ):
        await actions.rotate(
            context, "south", {"merchant_id": "RIVAL1", "merchant_key": "r" * 16}, WHO, NOW
        )
    assert await texts(context.db) == before
    assert (
        await actions.rotate(context, "south", {"merchant_key": "r" * 16}, WHO, NOW)
    ).revision > 1


async def test_a_simulated_account_does_not_become_a_real_one(context: AccountContext) -> None:
    alone = replace(context, configured={})
    await added(alone, "rzp", "razorpay", fields=RAZORPAY)
    with pytest.raises(AcquirerConfigurationError, match="an account stays simulated or real"):
        await actions.rotate(alone, "rzp", {"mode": "live", "key_id": "rzp_live_one"}, WHO, NOW)


async def test_a_real_account_beside_a_simulated_one_that_takes_nothing(
    context: AccountContext,
) -> None:
    alone = replace(context, configured={})
    await added(alone)
    live = {**RAZORPAY, "mode": "live", "key_id": "rzp_live_one"}
    with pytest.raises(AcquirerConfigurationError, match="cannot have both"):
        await added(alone, "rzp", "razorpay", fields=live)
    await actions.disable(alone, "north", WHO, NOW)
    await added(alone, "rzp", "razorpay", fields=live)
    with pytest.raises(AcquirerConfigurationError, match="cannot have both"):
        await actions.enable(alone, "north", WHO, NOW)


async def test_of_two_operators_who_add_at_once_the_second_sees_the_firsts(
    context: AccountContext,
) -> None:
    alone = replace(context, configured={})
    live = {**RAZORPAY, "mode": "live", "key_id": "rzp_live_one"}
    ended = await asyncio.gather(
        added(alone), added(alone, "rzp", "razorpay", fields=live), return_exceptions=True
    )
    (refused,) = [each for each in ended if isinstance(each, BaseException)]
    assert isinstance(refused, AcquirerConfigurationError)
    assert len(await store.select_all(context.db)) == 1


@pytest.mark.parametrize("verb", ["disable", "enable", "rotate"])
async def test_an_account_that_is_not_there(context: AccountContext, verb: str) -> None:
    await added(context)
    act = getattr(actions, verb)
    with pytest.raises(AcquirerConfigurationError, match="no account has this name: north"):
        await (
            act(context, "south", {"key": SECRET}, WHO, NOW)
            if verb == "rotate"
            else act(context, "south", WHO, NOW)
        )


async def test_what_is_so_already_is_refused(context: AccountContext) -> None:
    await added(context)
    with pytest.raises(AcquirerConfigurationError, match="it is active already"):
        await actions.enable(context, "north", WHO, NOW)
    await actions.disable(context, "north", WHO, NOW)
    with pytest.raises(AcquirerConfigurationError, match="it is disabled already"):
        await actions.disable(context, "north", WHO, NOW)


@pytest.mark.parametrize(
    "change",
    [
        'fields = fields || \'{"url": "https://thief.example"}\'',
        "sealed_secrets = set_byte(sealed_secrets, 40, 255 - get_byte(sealed_secrets, 40))",
    ],
)
async def test_a_row_that_somebody_changed_does_not_give_its_secret(
    context: AccountContext, change: str
) -> None:
    await added(context)
    await context.db.execute(f"UPDATE acquirer_accounts SET {change}")
    (account,) = await store.select_all(context.db)
    with pytest.raises(VaultError):
        fields_of(context.vault, account)


async def test_a_secret_does_not_open_in_another_row(context: AccountContext) -> None:
    one, two = (
        await added(context),
        await added(context, "south", fields={**FIELDS, "key": "another-key-of-ours"}),
    )
    with pytest.raises(VaultError):
        fields_of(context.vault, replace(two, sealed_secrets=one.sealed_secrets))
    for changed in (replace(one, name="east"), replace(one, kind="payu"), replace(one, serves=7)):
        with pytest.raises(VaultError):
            fields_of(context.vault, changed)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM acquirer_accounts",
        "TRUNCATE acquirer_accounts",
        "UPDATE acquirer_accounts SET name = 'south'",
        "UPDATE acquirer_accounts SET kind = 'payu'",
        "UPDATE acquirer_accounts SET serves = 7",
        "UPDATE acquirer_accounts SET simulated = false",
        "UPDATE acquirer_accounts SET revision = revision + 2",
    ],
)
async def test_the_database_keeps_an_account_what_it_is(
    context: AccountContext, statement: str
) -> None:
    await added(context)
    with pytest.raises(asyncpg.RestrictViolationError):
        await context.db.execute(statement)


async def test_everything_is_sealed_anew_under_a_new_key(
    context: AccountContext, db: Database
) -> None:
    await added(context)
    await added(context, "rzp", "razorpay", fields=RAZORPAY)
    await actions.rotate(context, "rzp", {"webhook_secret": "second"}, WHO, NOW)
    assert await count_sealed(db) == {"first": 3}
    newer = Vault({"second": b"2" * 32, "first": b"1" * 32})
    assert await seals.reseal(db, replace(WHO, vault=newer), NOW) == 2
    assert await count_sealed(db) == {"second": 3}
    assert await seals.reseal(db, replace(WHO, vault=newer), NOW) == 0
    only = Vault({"second": b"2" * 32})
    north, rzp = await store.select_all(db)
    assert fields_of(only, north) == FIELDS
    (before,) = fields_before(only, rzp)
    assert before.fields["webhook_secret"] == "first webhook secret"
    assert (north.revision, rzp.revision) == (1, 2), "no process opens it anew for that"
