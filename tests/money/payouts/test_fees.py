"""What providers take for payouts is told, booked once, given back, and proved by the audit."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Approved, ProviderFee, SentBack, Unknown
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.money.payouts.fees import store
from hundi.money.payouts.rules import PayoutState, PayoutTry
from tests.money.payouts.till import LATER, PAISE, SOON, Till
from tests.shop import NOW

FEE = ProviderFee(Money(590), Money(90))
TAKEN = ("payout_fee", "acquirer_cost", "provider_due", 590)
BACK = ("payout_fee_back", "provider_due", "acquirer_cost", 590)


def paid(payout: PayoutTry, fee: ProviderFee | None = FEE) -> Approved:
    """Return the bank's word that a payout was paid, and what that cost."""
    return Approved(payout.amount, f"UTR{payout.payout_id}", provider_fee=fee)


async def booked(till: Till) -> list[tuple[str, str, str, int]]:
    """Return the postings of fees."""
    return [each for each in await till.postings() if each[0].startswith("payout_fee")]


async def test_a_fee_is_booked_once_however_often_it_is_told(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(paid(payout))
    till.bank.payout_inquiries.append(paid(payout))
    await till.work(SOON)
    await till.work(LATER)
    assert await booked(till) == [TAKEN]
    (fee,) = await store.of_payout(till.db, till.merchant_id, payout.payout_id)
    assert (fee.connector, fee.fee_paise, fee.tax_paise, fee.at) == ("sandbox", 590, 90, SOON)
    assert await till.broken(LATER) == set()


async def test_a_fee_that_is_told_later_is_booked_then(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(paid(payout, None))
    await till.work(SOON)
    assert await booked(till) == []
    till.bank.payout_inquiries.append(paid(payout))
    await till.work(LATER)
    assert await booked(till) == [TAKEN]
    assert await till.broken(LATER + timedelta(hours=1)) == set()


async def test_another_fee_about_the_same_payout_changes_no_books(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(paid(payout))
    await till.work(SOON)
    till.bank.payout_inquiries.append(paid(payout, ProviderFee(Money(591), Money(90))))
    await till.work(LATER)
    assert await booked(till) == [TAKEN]


@pytest.mark.parametrize(("fee_back", "postings"), [(True, [TAKEN, BACK]), (False, [TAKEN])])
async def test_a_payout_that_comes_back_may_bring_its_fee(
    till: Till, *, fee_back: bool, postings: list[tuple[str, str, str, int]]
) -> None:
    payout = await till.approved()
    till.bank.payouts.append(paid(payout))
    await till.work(SOON)
    back = SentBack("AC06", "blocked", fee_back=fee_back)
    till.bank.payout_inquiries.extend([back, back])
    await till.work(LATER)
    assert (await till.again(payout)).state is PayoutState.REVERSED
    assert await booked(till) == postings
    (of_provider,) = await store.of_providers(till.db, NOW, LATER + timedelta(days=1))
    given_back = 590 if fee_back else 0
    assert tuple(of_provider) == ("sandbox", 1, 590, 90, given_back)
    assert await till.broken(LATER + timedelta(hours=1)) == set()


async def test_what_was_not_paid_costs_nothing(till: Till) -> None:
    payout = await till.approved()
    till.bank.payouts.append(Unknown())
    till.bank.payout_inquiries.extend([replace(paid(payout), amount=Money(PAISE + 1))] * 2)
    await till.work(SOON)
    await till.work(LATER)
    assert await booked(till) == []
