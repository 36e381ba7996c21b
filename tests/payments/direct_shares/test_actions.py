"""Direct shares on a real database: made once, given back once, and every paisa in the books."""

import asyncio
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Declined, NothingThere, Unknown
from hundi.acquirers.port.splits import PartyStanding, PartyState
from hundi.kernel.ids import reversal_reference
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.chain import actions as chain
from hundi.payments.direct_shares import actions
from hundi.payments.direct_shares.reversals.rules import OWED_TRIES_MAX
from hundi.payments.direct_shares.rules import PARTY_GAP, LinkedParty
from hundi.payments.splits import actions as splits
from hundi.payments.splits.rules import SharePart
from tests.payments.direct_shares.market import DYER, PAISE, PARTS, PARTY, WEAVER, Market
from tests.payments.direct_shares.splitting import ACTIVE
from tests.recording import BY
from tests.shop import NOW, VAULT

SHARE = 80_000
SOON = NOW + timedelta(seconds=10)
LATER = NOW + timedelta(minutes=5)
DAY = timedelta(days=1)


async def test_the_acquirer_gets_the_share_of_its_party_and_owes_us_the_rest(
    market: Market,
) -> None:
    view = await market.shared()
    assert await market.balance("payable") == -(PAISE - SHARE), "nobody owes it to the merchant"
    await market.work(NOW)
    share = await market.share(view)
    assert (share.state, share.transfer_id, share.sent_paise) == ("done", "trf_1", SHARE)
    (order,) = market.bank.given
    assert (order.party, order.original) == (PARTY, view.attempts[0].reference)
    assert await market.postings() == [
        ("direct_begun", "payable", "direct_shares", SHARE),
        ("direct_done", "direct_shares", "receivable:sandbox", SHARE),
    ]
    assert await market.balance("receivable:sandbox") == PAISE - SHARE
    assert await market.balance("direct_shares") == 0
    await market.holds()


async def test_a_share_is_settled_under_the_partys_own_utr(market: Market) -> None:
    view = await market.shared()
    await market.work(NOW)
    market.bank.utr = "HDFCN26330000001"
    await market.work(NOW + timedelta(seconds=61))
    share = await market.share(view)
    assert (share.utr, share.due_at) == ("HDFCN26330000001", None)
    await market.holds()


@pytest.mark.parametrize(
    "standing",
    [PartyStanding(PartyState.PENDING, "PAN"), PartyStanding(PartyState.SUSPENDED), NothingThere()],
    ids=["pending", "suspended", "absent"],
)
async def test_a_share_waits_for_its_party_and_is_not_lost(
    market: Market, standing: PartyStanding | NothingThere
) -> None:
    market.bank.standing = standing
    view = await market.shared()
    await market.work(NOW)
    share = await market.share(view)
    assert (share.state, share.due_at, market.bank.given) == ("waiting", NOW + PARTY_GAP, [])
    assert await market.balance("direct_shares") == -SHARE
    await market.holds()
    market.bank.standing = ACTIVE
    await market.work(NOW + PARTY_GAP)
    assert (await market.share(view)).state == "done"
    await market.holds()


async def test_a_refused_share_goes_back_to_be_paid_by_a_payout(market: Market) -> None:
    market.bank.refusals.append(Declined("BAD_REQUEST_ERROR", "insufficient balance"))
    view = await market.shared()
    await market.work(NOW)
    share = await market.share(view)
    assert (share.state, share.message) == ("refused", "insufficient balance")
    assert await market.balance("payable") == -PAISE
    await market.work(LATER)
    assert market.bank.count("give_share") == 1
    await market.holds()


async def test_without_an_answer_the_share_is_asked_about_and_made_once(market: Market) -> None:
    market.bank.lost = 1
    view = await market.shared()
    await market.work(NOW)
    assert (await market.share(view)).state == "unknown"
    await market.holds()
    await market.work(SOON)
    share = await market.share(view)
    assert (share.state, len(market.bank.given)) == ("done", 1)
    assert await market.states(share) == ["waiting", "sent", "unknown", "done"]
    await market.holds()


async def test_a_lost_call_is_sent_again_only_after_the_grace(market: Market) -> None:
    market.bank.refusals.append(Unknown(message="no answer"))
    view = await market.shared()
    await market.work(NOW)
    await market.work(SOON)
    assert market.bank.count("give_share") == 1
    await market.work(LATER)
    share = await market.share(view)
    assert (share.state, len(market.bank.given)) == ("done", 1)
    assert await market.states(share) == ["waiting", "sent", "unknown", "sent", "done"]
    await market.holds()


async def test_workers_and_webhooks_at_once_make_one_share(market: Market) -> None:
    view = await market.shared()
    share = await market.share(view)

    async def hears() -> None:
        await actions.ask_now(market.db, "sandbox", share.reference, NOW)

    await asyncio.gather(*(market.work(NOW) for _ in range(4)), hears(), hears())
    await market.work(NOW)
    assert len(market.bank.given) == 1
    assert (await market.share(view)).state == "done"
    await market.holds()


async def test_a_webhook_of_another_acquirer_or_of_no_share_changes_nothing(
    market: Market,
) -> None:
    view = await market.shared()
    await market.work(NOW)
    share = await market.share(view)
    for name, reference in (("other", share.reference), ("sandbox", "12345-S215000000000001")):
        assert await actions.ask_now(market.db, name, reference, NOW)
    unknown = reversal_reference(market.merchant_id, 215_000_000_000_001)
    assert await actions.ask_now(market.db, "sandbox", unknown, NOW)
    assert not await actions.ask_now(market.db, "sandbox", "12345-215000000000001", NOW)
    assert await market.share(view) == share


async def test_refunds_before_it_is_sent_reduce_it(market: Market) -> None:
    market.bank.standing = PartyStanding(PartyState.PENDING)
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, 25_000)
    market.bank.standing = ACTIVE
    await market.work(NOW + PARTY_GAP)
    share = await market.share(view)
    assert (share.state, share.sent_paise) == ("done", 60_000)
    assert await market.postings("direct_reduced") == [
        ("direct_reduced", "direct_shares", "payable", 20_000)
    ]
    await market.work(NOW + PARTY_GAP + DAY)
    assert market.bank.taken_back == [], "what was never given is not taken back"
    await market.holds()


async def test_a_payment_refunded_whole_gives_nothing(market: Market) -> None:
    market.bank.standing = PartyStanding(PartyState.PENDING)
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, PAISE)
    market.bank.standing = ACTIVE
    await market.work(NOW + PARTY_GAP)
    assert ((await market.share(view)).state, market.bank.given) == ("cancelled", [])
    await market.holds()


async def test_refunds_afterwards_take_back_in_proportion_one_after_the_other(
    market: Market,
) -> None:
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, 25_000, SOON)
    await market.work(SOON)
    await market.refund(view, 50_000, LATER)
    for after in range(3):
        await market.work(LATER + timedelta(seconds=after))
    assert [each.amount.paise for each in market.bank.taken_back] == [20_000, 40_000]
    assert {each.name for each in market.bank.taken_back} == {"trf_1"}
    assert await market.postings("direct_reversed") == [
        ("direct_reversed", "receivable:sandbox", "payable", 20_000),
        ("direct_reversed", "receivable:sandbox", "payable", 40_000),
    ]
    await market.holds()


async def test_a_reversal_without_an_answer_is_made_once(market: Market) -> None:
    view = await market.shared()
    await market.work(NOW)
    market.bank.lost = 1
    await market.refund(view, 25_000, SOON)
    await market.work(SOON)
    (reversal,) = await market.reversals(view)
    assert reversal.state == "unknown"
    for after in range(1, 4):
        await market.work(SOON + timedelta(minutes=after))
    (reversal,) = await market.reversals(view)
    assert (reversal.state, len(market.bank.taken_back)) == ("done", 1)
    await market.holds()


async def test_a_party_without_balance_owes_and_pays_later(market: Market) -> None:
    view = await market.shared()
    await market.work(NOW)
    market.bank.refusals.append(Declined("BAD_REQUEST_ERROR", "insufficient balance"))
    await market.refund(view, 25_000, SOON)
    await market.work(SOON)
    (reversal,) = await market.reversals(view)
    assert (reversal.state, reversal.message) == ("owed", "insufficient balance")
    assert await market.balance("payable") == -(PAISE - SHARE - 25_000), "the merchant lent it"
    await market.holds()
    await market.work(SOON + timedelta(hours=1))
    assert market.bank.count("reverse_share") == 1
    await market.work(SOON + DAY + timedelta(minutes=1))
    (reversal,) = await market.reversals(view)
    assert (reversal.state, reversal.tries) == ("done", 2)
    assert await market.balance("payable") == -(PAISE - SHARE - 5_000)
    await market.holds()


async def test_a_debt_is_left_to_people_in_the_end(market: Market) -> None:
    view = await market.shared()
    await market.work(NOW)
    refused = Declined("BAD_REQUEST_ERROR", "insufficient balance")
    market.bank.refusals.extend([refused] * (OWED_TRIES_MAX + 5))
    await market.refund(view, 25_000, SOON)
    for days in range(OWED_TRIES_MAX + 5):
        await market.work(SOON + days * (DAY + timedelta(minutes=1)))
    assert market.bank.count("reverse_share") == OWED_TRIES_MAX
    assert (await market.share(view)).due_at is None
    await market.holds()


async def test_a_merchant_shares_anew_until_the_share_has_left(market: Market) -> None:
    market.bank.standing = PartyStanding(PartyState.PENDING)
    view = await market.shared()
    await market.work(NOW)
    await market.split(view, SharePart(WEAVER, 10_00), now=SOON)
    assert [each.state for each in await market.shares(view)] == ["cancelled", "waiting"]
    await market.holds()
    market.bank.standing = ACTIVE
    await market.work(NOW + PARTY_GAP)
    assert [each.amount.paise for each in market.bank.given] == [10_000]
    with pytest.raises(Refused) as refused:
        await market.split(view)
    assert refused.value.refusal.code is RefusalCode.STATE_FORBIDS
    await market.holds()


async def test_the_same_request_again_begins_nothing(market: Market) -> None:
    view = await market.paid()
    for _ in range(2):
        await market.split(view, *PARTS, request_id="777")
    await market.work(NOW)
    await market.split(view, *PARTS, request_id="777")
    await market.work(LATER)
    assert (len(await market.shares(view)), len(market.bank.given)) == (1, 1)
    await market.holds()


async def test_a_payment_at_another_acquirer_is_paid_by_payouts(market: Market) -> None:
    await splits.end_party(market.db, BY, market.merchant_id, WEAVER, "sandbox", NOW)
    view = await market.shared()
    await market.work(NOW)
    assert await market.shares(view) == []
    await market.holds()


async def test_what_was_sealed_stays_as_it_is(market: Market) -> None:
    async def seals() -> None:
        await chain.seal(market.db, VAULT, await market.later())

    market.bank.standing = PartyStanding(PartyState.PENDING)
    view = await market.shared()
    await seals()
    market.bank.standing, market.bank.utr = ACTIVE, ""
    await market.work(NOW)
    await seals()
    await market.refund(view, 25_000, SOON)
    await market.work(SOON)
    market.bank.utr = "HDFCN26330000001"
    await market.work(LATER)
    await seals()
    assert (await market.share(view)).utr
    await market.holds()


async def test_a_party_belongs_to_an_open_linked_account(market: Market) -> None:
    taken = LinkedParty(DYER, "sandbox", PARTY)
    with pytest.raises(Refused):
        await splits.name_party(market.db, BY, market.merchant_id, taken, NOW)
    await splits.close_account(market.db, BY, market.merchant_id, DYER, NOW)
    for identifier, connector in ((DYER, "sandbox"), ("NOBODY", "sandbox")):
        party = LinkedParty(identifier, connector, "acc_1")
        with pytest.raises(Refused):
            await splits.name_party(market.db, BY, market.merchant_id, party, NOW)
    party = LinkedParty(WEAVER, "sandbox", "acc 1")
    with pytest.raises(Refused):
        await splits.name_party(market.db, BY, market.merchant_id, party, NOW)
    with pytest.raises(Refused):
        await splits.end_party(market.db, BY, market.merchant_id, WEAVER, "other", NOW)


async def test_two_workers_that_find_nothing_send_a_lost_call_once(market: Market) -> None:
    """The second one took the share over while the first one waited for an answer."""
    market.bank.refusals.append(Unknown(message="no answer"))
    view = await market.shared()
    await market.work(NOW)
    share = await market.share(view)
    again = [actions.work_on(market.shop.context, VAULT, share, LATER) for _ in range(2)]
    assert all(await asyncio.gather(*again))
    assert len(market.bank.given) == 1
    await market.holds()


async def test_two_workers_that_find_no_reversal_send_it_once(market: Market) -> None:
    view = await market.shared()
    await market.work(NOW)
    market.bank.refusals.append(Unknown(message="no answer"))
    await market.refund(view, 25_000, SOON)
    await market.work(SOON)
    share = await market.share(view)
    again = [actions.work_on(market.shop.context, VAULT, share, LATER) for _ in range(2)]
    assert all(await asyncio.gather(*again))
    assert len(market.bank.taken_back) == 1
    await market.holds()
