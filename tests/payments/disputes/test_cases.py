"""A bank's number of a dispute is that of one payment, whatever the bank says of it later."""

from hundi.acquirers.port.disputes import Standing
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.payments.disputes import actions
from tests.payments.disputes.played import LATER, disputed_postings, raised, stages, word
from tests.payments.refunds.test_actions import PAISE, holds, paid
from tests.shop import Shop


async def test_a_word_about_another_payment_does_not_end_a_dispute(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    merchant_id, attempt_id = view.attempts[0].reference.split("-")
    elsewhere = f"{merchant_id}-{int(attempt_id) + 1}"
    said = replace(word(view, Standing.LOST, PAISE), original=elsewhere)
    await actions.learn(shop.context, "sandbox", said, LATER)
    assert await stages(shop, view) == [stage]
    assert await disputed_postings(shop) == [("dispute_held", "disputed", PAISE)]
    await actions.learn(shop.context, "sandbox", word(view, Standing.LOST, PAISE), LATER)
    assert (await stages(shop, view))[0].state == "lost"
    await holds(shop.db)


async def test_a_dispute_in_another_currency_than_the_payments_holds_nothing(shop: Shop) -> None:
    view = await paid(shop)
    said = replace(word(view), amount=Money(PAISE, "USD"))
    assert not await actions.learn(shop.context, "sandbox", said, LATER)
    assert (await stages(shop, view), await disputed_postings(shop)) == ([], [])
