"""Limits, the log of calls, and changes of partners, on a real database."""

import asyncio
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace as changed

from hundi.infra.http.rates import Rates
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.partners.directory import actions as partners
from hundi.partners.directory import store
from hundi.partners.directory.actions import CallLog, PartnerDirectory
from hundi.partners.directory.rules import PartnerSettings
from hundi.partners.directory.store import RecordedCall
from tests.recording import BY

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
VAULT = Vault({"k1": bytes(32)})
CALL = RecordedCall("AF000001", "req_1", NOW, "leads", "00", "", 5, "203.0.113.1")


async def add(db: Database) -> str:
    affiliate, _ = await partners.add(db, BY, name="Malgudi", settings=PartnerSettings(), now=NOW)
    return affiliate


def test_a_call_of_a_minute_that_is_over_gives_nobody_room() -> None:
    rates = Rates()
    for _ in range(2):
        rates.count("AF000001", "leads", 2, 120.0)
    for late_s in (119.9, 120.0, 60.0, 121.0):
        with pytest.raises(Refused) as refused:
            rates.count("AF000001", "leads", 2, late_s)
        assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS
    rates.count("AF000001", "offers", 2, 121.0)
    rates.count("AF000002", "leads", 2, 121.0)
    rates.count("AF000001", "leads", 2, 180.0)


async def test_what_cannot_be_text_keeps_no_other_call_from_being_written(db: Database) -> None:
    log = CallLog(db)
    await log.start()
    log.note(replace(CALL, detail="a\0b\ud800"))
    log.note(replace(CALL, reference="req_2"))
    await log.close()
    written = await store.calls(db, CALL.affiliate, 10)
    assert {row["reference"]: row["detail"] for row in written} == {"req_1": "ab?", "req_2": ""}


async def test_a_batch_that_can_never_be_written_is_given_up(db: Database) -> None:
    log = CallLog(db)
    await log.start()
    log.note(replace(CALL, affiliate="no affiliate code"))
    await log.close()
    log = CallLog(db)
    await log.start()
    log.note(CALL)
    await log.close()
    assert len(await store.calls(db, CALL.affiliate, 10)) == 1


async def test_a_stop_writes_every_call_that_was_noted(db: Database) -> None:
    for round_ in range(20):
        log = CallLog(db)
        await log.start()
        for number in range(10):
            log.note(replace(CALL, reference=f"req_{round_}_{number}"))
        await log.close()
    assert len(await store.calls(db, CALL.affiliate, 1_000)) == 200


async def test_a_change_of_keys_and_settings_happens_whole_or_not_at_all(db: Database) -> None:
    affiliate = await add(db)
    with pytest.raises(Refused):
        await partners.change(
            db,
            BY,
            affiliate,
            lambda keys: changed(keys, gateway_key="a-key-of-the-gateway"),
            lambda settings: changed(settings, calls_a_minute=0),
            NOW,
        )
    found = await PartnerDirectory(db, VAULT).get(affiliate)
    assert found is not None
    assert (found.keys.gateway_key, found.settings) == ("", PartnerSettings())


async def test_each_secret_is_rotated_by_itself(db: Database) -> None:
    affiliate = await add(db)
    before = (await PartnerDirectory(db, VAULT).everyone())[0].keys
    for what in ("api_key", "processor_key", "secret", "card_token", "gateway_key"):
        after = await partners.rotate(db, BY, affiliate, what, NOW)
        different = {
            name
            for name in after.__struct_fields__
            if getattr(after, name) != getattr(before, name)
        }
        assert different == ({what, "older"} if getattr(before, what) else {what})
        before = after
    assert set(before.older) == {"api_key", "processor_key", "secret", "card_token"}


async def test_two_keys_count_until_the_older_one_is_retired(db: Database) -> None:
    affiliate = await add(db)
    before = (await PartnerDirectory(db, VAULT).everyone())[0].keys
    after = await partners.rotate(db, BY, affiliate, "secret", NOW)
    assert after.valid("secret") == (after.secret, before.secret)
    with pytest.raises(Refused) as refused:
        await partners.rotate(db, BY, affiliate, "secret", NOW)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS, (
        "a third key would end the first one unseen"
    )
    retired = await partners.retire(db, BY, affiliate, "secret", NOW)
    assert retired.valid("secret") == (after.secret,)
    with pytest.raises(Refused) as refused:
        await partners.retire(db, BY, affiliate, "secret", NOW)
    assert refused.value.refusal.code is RefusalCode.NO_RECORDS


async def test_a_key_that_became_known_ends_at_once_and_with_it_the_one_before(
    db: Database,
) -> None:
    affiliate = await add(db)
    await partners.rotate(db, BY, affiliate, "card_token", NOW)
    only = await partners.rotate(db, BY, affiliate, "card_token", NOW, at_once=True)
    assert only.valid("card_token") == (only.card_token,)
    directory = PartnerDirectory(db, VAULT)
    await directory.start()
    found = await directory.with_card_token(only.card_token)
    assert found is not None
    assert found.affiliate == affiliate


async def test_of_rotations_at_the_same_moment_one_is_done(db: Database) -> None:
    affiliate = await add(db)
    both = (partners.rotate(db, BY, affiliate, "api_key", NOW) for _ in range(4))
    ended = await asyncio.gather(*both, return_exceptions=True)
    assert sum(isinstance(each, Refused) for each in ended) == 3
    assert len((await PartnerDirectory(db, VAULT).everyone())[0].keys.valid("api_key")) == 2


async def test_what_is_done_to_a_partner_is_written_down_without_any_secret(db: Database) -> None:
    affiliate = await add(db)
    await partners.rotate(db, BY, affiliate, "secret", NOW)
    await partners.retire(db, BY, affiliate, "secret", NOW)
    await partners.rotate(db, BY, affiliate, "api_key", NOW, at_once=True)
    await partners.change(
        db,
        BY,
        affiliate,
        lambda keys: keys,
        lambda settings: changed(settings, live=True, offers_coupons=3),
        NOW,
    )
    await partners.set_state(db, BY, affiliate, "suspended", NOW)
    await partners.set_state(db, BY, affiliate, "active", NOW)
    told = [(row["kind"], row["words"]) for row in reversed(await store.events(db, affiliate, 10))]
    assert told == [
        ("added", ""),
        ("rotated", "secret"),
        ("retired", "secret"),
        ("rotated", "api_key, the one before it at once"),
        ("changed", "live offers_coupons"),
        ("suspended", ""),
        ("resumed", ""),
    ]
    for statement in ("UPDATE partner_events SET words = ''", "DELETE FROM partner_events"):
        with pytest.raises(Exception, match="partner_events"):
            await db.execute(statement)
