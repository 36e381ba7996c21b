"""A share goes only where the merchant's split and the operator's word send it."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.splits import PartyStanding, PartyState
from hundi.kernel.refusals import Refused
from hundi.payments.direct_shares.rules import PARTY_GAP, ShareCause
from hundi.payments.orders.rules import PaymentView
from hundi.payments.splits import actions as splits
from tests.bent import take_checks_off
from tests.payments.direct_shares.market import DYER, PAISE, PARTY, WEAVER, Market
from tests.payments.direct_shares.splitting import ACTIVE
from tests.payments.direct_shares.test_settlements import FIRST, OTHER, SHARE, parts, settled
from tests.recording import BY
from tests.shop import NOW

LATER = NOW + timedelta(minutes=5)
INSERT = """
INSERT INTO direct_shares (merchant_id, share_id, payment_id, request_id, identifier, attempt_id,
    connector, party, base_paise, amount_paise, state, created_at, due_at, sent_paise, sent_at,
    called_at)
SELECT c.merchant_id, c.payment_id + 99, c.payment_id, c.request_id, $1, a.attempt_id, a.connector,
    $2, $3::bigint, $3, $4::text, c.created_at, c.created_at,
    CASE $4 WHEN 'waiting' THEN 0 ELSE $3 END,
    CASE $4 WHEN 'unknown' THEN c.created_at END, CASE $4 WHEN 'unknown' THEN c.created_at END
FROM split_configurations c JOIN attempts a USING (merchant_id, payment_id)
"""
INSERT_EVENT = """
INSERT INTO direct_share_events (merchant_id, share_id, event_no, at, state, note)
SELECT merchant_id, share_id, 1, created_at, 'waiting', '' FROM direct_shares WHERE party = $1
"""
POST = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
SELECT merchant_id, share_id, 'direct_begun', 'payable', 'direct_shares', amount_paise, 'INR',
    created_at FROM direct_shares WHERE party = $1
"""


async def waiting(market: Market) -> PaymentView:
    """Return a payment whose share waits for its party, which is active by now."""
    market.bank.standing = PartyStanding(PartyState.PENDING)
    view = await market.shared()
    await market.work(NOW)
    market.bank.standing = ACTIVE
    return view


@pytest.mark.parametrize("state", ["waiting", "unknown"])
@pytest.mark.parametrize("identifier", [DYER, "THIEF"])
@pytest.mark.parametrize("is_posted", [False, True])
async def test_a_share_that_no_split_made_is_not_given(
    market: Market, state: str, identifier: str, *, is_posted: bool
) -> None:
    """Who has the rights of the API's role alone writes shares, and no parties."""
    view = await market.shared()
    await market.work(NOW)
    await market.db.execute(INSERT, identifier, "acc_thief", PAISE, state)
    await market.db.execute(INSERT_EVENT, "acc_thief")
    if is_posted:
        await market.db.execute(POST, "acc_thief")
    for late in (1, 301, 5_000):
        await market.work(NOW + timedelta(seconds=late))
    assert [each.party for each in market.bank.given] == [PARTY]
    (forged,) = (each for each in await market.shares(view) if each.party != PARTY)
    assert (forged.state, forged.message) == (state, ShareCause.UNPROVED)


async def test_a_party_that_the_trail_does_not_name_gets_nothing(market: Market) -> None:
    view = await waiting(market)
    async with market.db.transaction() as conn:
        await take_checks_off(conn)
        for table in ("direct_shares", "linked_parties"):
            await conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            await conn.execute(f"UPDATE {table} SET party = 'acc_thief'")
    await market.work(NOW + PARTY_GAP)
    share = await market.share(view)
    assert (share.state, share.message) == ("waiting", ShareCause.UNPROVED)
    assert market.bank.given == []


async def test_the_shares_of_a_suspended_merchant_wait(market: Market) -> None:
    view = await market.shared()
    await _set_state(market, "suspended")
    await market.work(NOW)
    share = await market.share(view)
    assert (share.state, share.message, share.due_at) == (
        *("waiting", ShareCause.INACTIVE),
        NOW + PARTY_GAP,
    )
    await _set_state(market, "active")
    await market.work(NOW + PARTY_GAP)
    assert (await market.share(view)).state == "done"


async def test_a_lost_share_of_a_suspended_merchant_is_not_sent_again(market: Market) -> None:
    market.bank.refusals.append(Unknown(message="no answer"))
    view = await market.shared()
    await market.work(NOW)
    await _set_state(market, "suspended")
    await market.work(LATER)
    assert market.bank.count("give_share") == 1
    assert (await market.share(view)).message == ShareCause.INACTIVE
    await _set_state(market, "active")
    await market.work(LATER + PARTY_GAP)
    assert (await market.share(view)).state == "done"


@pytest.mark.parametrize("standing", [ACTIVE, PartyStanding(PartyState.SUSPENDED)])
async def test_after_the_end_of_its_party_a_payout_pays_the_part(
    market: Market, standing: PartyStanding
) -> None:
    view = await waiting(market)
    market.bank.standing = standing
    await splits.end_party(market.db, BY, market.merchant_id, WEAVER, "sandbox", LATER)
    await market.work(NOW + PARTY_GAP)
    assert ((await market.share(view)).state, market.bank.given) == ("cancelled", [])
    await market.holds()
    shares = await settled(market.db, market.merchant_id, FIRST)
    assert shares == {"primary": PAISE - SHARE - OTHER, WEAVER: SHARE, DYER: OTHER}
    assert await parts(market.db) == [(DYER, OTHER), (WEAVER, SHARE)]
    await market.holds()
    with pytest.raises(Refused):
        await market.split(view)


async def test_a_closed_linked_account_is_given_nothing(market: Market) -> None:
    view = await waiting(market)
    await splits.close_account(market.db, BY, market.merchant_id, WEAVER, LATER)
    await market.work(NOW + PARTY_GAP)
    assert ((await market.share(view)).state, market.bank.given) == ("cancelled", [])
    await market.holds()


async def test_a_part_that_came_back_can_be_shared_anew_before_it_is_settled(
    market: Market,
) -> None:
    view = await waiting(market)
    await splits.end_party(market.db, BY, market.merchant_id, WEAVER, "sandbox", LATER)
    await market.work(NOW + PARTY_GAP)
    await market.split(view, now=NOW + PARTY_GAP)
    shares = await settled(market.db, market.merchant_id, FIRST)
    assert shares == {"primary": PAISE - SHARE - OTHER, WEAVER: SHARE, DYER: OTHER}
    await market.holds()


async def _set_state(market: Market, state: str) -> None:
    async with market.db.transaction() as conn:
        await conn.execute("ALTER TABLE merchants DISABLE TRIGGER USER")
        await conn.execute("UPDATE merchants SET state = $1", state)
        await conn.execute("ALTER TABLE merchants ENABLE TRIGGER USER")
