"""A phase of a dispute and the one before it, whose news come in any order."""

from hundi.acquirers.port.disputes import Standing
from hundi.kernel.states import DisputePhase
from hundi.payments.disputes import actions
from tests.payments.disputes.played import CASE, LATER, disputed_postings, raised, stages, word
from tests.payments.refunds.test_actions import PAISE, holds, paid
from tests.shop import Shop


async def test_a_later_phase_that_is_told_of_first_ends_the_one_before_it_and_holds_what_that_held(
    shop: Shop,
) -> None:
    view = await paid(shop)
    await raised(shop, view)
    won, later = word(view, Standing.WON), word(view, phase=DisputePhase.PRE_ARBITRATION)
    shop.bank.raised |= {won.name: won, later.name: later}
    told = (later.name, later.original)
    assert await actions.handle_callback(shop.context, "sandbox", told, LATER)
    first, second = await stages(shop, view)
    assert (first.state, second.state, second.held_paise) == ("won", "open", PAISE)
    assert await disputed_postings(shop) == [
        ("dispute_held", "disputed", PAISE),
        ("dispute_held", "disputed", PAISE),
        ("dispute_won", "payable", PAISE),
    ]
    await holds(shop.db)


async def test_a_later_phase_waits_while_the_bank_is_silent_about_the_one_before_it(
    shop: Shop,
) -> None:
    view = await paid(shop)
    first = await raised(shop, view)
    later = word(view, phase=DisputePhase.PRE_ARBITRATION)
    shop.bank.raised[later.name] = later
    shop.bank.silent.add(CASE)
    assert await actions.look(shop.context, LATER) == 1, "the phase that is open here alone"
    assert await stages(shop, view) == [first]
    shop.bank.silent.clear()
    assert await actions.look(shop.context, LATER) == 2
    assert [each.phase for each in await stages(shop, view)] == ["chargeback", "pre_arbitration"]
