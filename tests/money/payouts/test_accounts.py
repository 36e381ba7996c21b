"""Payouts go to accounts whose holder the bank confirmed or a second person accepted."""

import pytest

from hundi.acquirers.port.answers import Approved, NotRegistered, RegisteredName, Unknown
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as accounts
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState
from hundi.money.payouts import actions
from hundi.money.payouts.rules import PayoutState
from tests.money.payouts.till import CHECKER, IFSC, LATER, MAKER, NUMBER, PAISE, SOON, Till
from tests.recording import BY
from tests.shop import NOW, VAULT


async def test_nothing_is_prepared_before_the_account_is_verified(till: Till) -> None:
    await till.settle()
    assert await actions.prepare(till.context, NOW) == 0
    await till.add_account()
    assert await actions.prepare(till.context, NOW) == 0
    till.bank.account_answers.append(Unknown())
    await till.check_accounts(NOW)
    assert await actions.prepare(till.context, NOW) == 0, "silence verifies nothing"
    await till.check_accounts(SOON)
    assert await actions.prepare(till.context, SOON) == 1
    assert await actions.prepare(till.context, SOON) == 0


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (RegisteredName("SOMEBODY ELSE"), BankAccountState.NAME_DIFFERS),
        (NotRegistered(), "refused"),
    ],
)
async def test_an_account_of_somebody_else_gets_nothing(
    till: Till, said: object, state: str
) -> None:
    await till.settle()
    await till.add_account()
    till.bank.account_answers.append(said)  # type: ignore[arg-type]
    await till.check_accounts()
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert account is not None
    assert account.state == state
    assert await actions.prepare(till.context, NOW) == 0


async def test_a_second_person_lets_a_name_pass(till: Till) -> None:
    await till.settle()
    await till.add_account()
    till.bank.account_answers.append(RegisteredName("ASHA TRADERS"))
    await till.check_accounts()
    for same in ("Asha", "asha", "Asha "):
        with pytest.raises(Refused):
            await bank_accounts.accept_name(till.db, till.merchant_id, PRIMARY, same, BY, NOW)
    accepted = await bank_accounts.accept_name(till.db, till.merchant_id, PRIMARY, MAKER, BY, NOW)
    assert (accepted.state, accepted.accepted_by) == (BankAccountState.VERIFIED, MAKER)
    assert await actions.prepare(till.context, NOW) == 1
    assert await till.broken(LATER) == set()


async def test_a_changed_account_holds_back_what_was_not_sent(till: Till) -> None:
    under_way = await till.approved()
    till.bank.payouts.append(Unknown())
    await till.work(NOW)
    waiting = await till.approved(20_000)
    await till.add_account("60200054321111", now=SOON)
    assert (await till.again(waiting)).state is PayoutState.HELD_BACK
    assert (await till.again(under_way)).state is PayoutState.UNKNOWN, (
        "what left cannot be held back"
    )
    assert await actions.prepare(till.context, SOON) == 0, "the new account is not verified"
    await till.check_accounts(SOON)
    assert await actions.prepare(till.context, SOON) == 1
    anew = await till.of_share(waiting.share_id)
    assert (anew.account_no, anew.try_no, anew.state) == (2, 2, PayoutState.PREPARED)
    till.bank.payout_inquiries.append(Approved(Money(PAISE), "UTR1"))
    await till.work(SOON)
    assert (await till.again(under_way)).state is PayoutState.DONE
    assert [order.amount.paise for order in till.bank.paid_out] == [PAISE]
    assert await till.broken(LATER) == set()


async def test_a_linked_account_is_paid_from_its_own_account(till: Till) -> None:
    share_id = await till.settle(5_000, "WEAVER")
    added = await till.add_weaver()
    assert (added.holder, added.last4) == ("The Weaver", "0007")
    await till.check_accounts()
    await actions.prepare(till.context, NOW)
    payout = await till.of_share(share_id)
    await till.approve(payout, MAKER)
    await till.approve(payout, CHECKER)
    await till.work(SOON)
    assert (await till.postings())[0] == (
        "payout_sent",
        "payable_linked",
        "payouts_in_flight",
        5_000,
    )
    assert await till.broken(LATER) == set()
    with pytest.raises(Refused) as refused:
        await bank_accounts.add(
            till.db,
            till.merchant_id,
            "NOBODY",
            ("A", NUMBER, IFSC),
            "Asha",
            BY,
            NOW,
            replaced=actions.hold_back,
        )
    assert refused.value.refusal.code is RefusalCode.FIELD_INVALID


async def test_numbers_are_sealed_and_resealed(till: Till) -> None:
    account = await till.add_account()
    assert NUMBER.encode() not in account.sealed_number
    assert NUMBER not in repr(bank_accounts.opened(VAULT, account))
    assert bank_accounts.opened(VAULT, replace(account, ifsc="ICIC0000009")) is None
    assert await bank_accounts.reseal(till.db, VAULT) == 0
