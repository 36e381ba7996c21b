"""Whoever accepts an account by its papers names each of them; books and trail say which."""

import asyncio

import pytest

from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.audit.rules import Violation
from hundi.money.bank_accounts import actions as accounts
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState
from hundi.staff.trail import actions as trail
from hundi.staff.trail import store as entries
from tests.money.payouts.papers import CHEQUE, accept, add, looked_at, without_providers
from tests.money.payouts.till import CHECKER, LATER, Till


@pytest.fixture
async def till(till: Till) -> Till:
    """A merchant with an account, at a gateway without any provider of checks."""
    return await without_providers(till)


async def test_a_paper_that_came_after_the_look_is_not_accepted_unseen(till: Till) -> None:
    await till.check_accounts()
    await add(till)
    seen = await looked_at(till)
    await add(till, CHEQUE + b"\n")
    there = await looked_at(till)
    for named in (seen, [], [*there, seen[0] + 7], [seen[0] + 7]):
        with pytest.raises(Refused) as refused:
            await accept(till, seen=named)
        refusal = refused.value.refusal
        received = " ".join(str(each) for each in sorted(named)) or "none"
        assert (refusal.code, refusal.field) == (RefusalCode.FIELD_INVALID, "papers")
        assert (refusal.received, refusal.allowed.partition(":")[0]) == (
            received,
            " ".join(str(each) for each in there),
        )
    await accept(till, seen=[*reversed(there), *there])
    assert await till.broken(LATER) == set()


async def test_papers_of_the_account_before_accept_no_other_one(till: Till) -> None:
    await till.check_accounts()
    await add(till)
    seen = await looked_at(till)
    await till.add_account("60200054321111")
    await till.check_accounts()
    await add(till)
    with pytest.raises(Refused) as refused:
        await accept(till, seen=seen)
    assert refused.value.refusal.field == "papers"
    await accept(till)


async def test_a_paper_and_an_acceptance_at_once_never_leave_an_unseen_paper(till: Till) -> None:
    """Whoever comes first wins: the other one is refused."""
    for place in range(4):
        number = f"6020005432{place:04}"
        await till.add_account(number)
        await till.check_accounts()
        await add(till, CHEQUE + b"\n" * place)
        seen, other = await looked_at(till), CHEQUE + b"\n" * (place + 20)
        both = [accept(till, seen=seen), add(till, other)]
        ended = await asyncio.gather(*(both if place % 2 else both[::-1]), return_exceptions=True)
        refused = [each for each in ended if isinstance(each, Refused)]
        account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
        is_verified = account.state is BankAccountState.VERIFIED
        assert len(refused) == 1
        assert (refused[0].refusal.field == "papers") is not is_verified
        assert (await looked_at(till) == seen) is is_verified
    assert await till.broken(LATER) == set()


async def test_the_trail_names_the_papers_that_were_accepted(till: Till) -> None:
    await till.check_accounts()
    digests = [(await add(till, CHEQUE + b"\n" * number)).hex() for number in range(2)]
    await accept(till)
    (accepted,) = await entries.select_page(
        till.db, till.merchant_id, act="bank_account.accept_papers"
    )
    detail = trail.detail_of(accepted)
    assert detail["papers"] == [str(each) for each in await looked_at(till)]
    assert sorted(detail["sha256"]) == sorted(digests)


@pytest.mark.parametrize(
    "bent",
    [
        "added_by = 'Nobody'",
        "kind = 'statement'",
        "digest = sha256('another')",
        "paper_id = paper_id + 1",
    ],
)
async def test_a_paper_that_the_trail_does_not_tell_is_not_accepted(till: Till, bent: str) -> None:
    await till.check_accounts()
    await add(till, person=CHECKER)
    await till.db.execute("DROP TRIGGER account_papers_append_only ON account_papers")
    await till.db.execute(f"UPDATE account_papers SET {bent}")
    person = CHECKER if "added_by" in bent else "Fourth"
    with pytest.raises(Refused) as refused:
        await accept(till, person)
    assert refused.value.refusal.received.endswith("written by SQL")


async def test_the_audit_names_a_paper_that_nobody_accepted(till: Till) -> None:
    await till.check_accounts()
    await add(till)
    await accept(till)
    assert await till.broken(LATER) == set()
    columns = (
        "merchant_id, beneficiary, account_no, kind, name, media_type, size_bytes, sealed_content,"
        " added_by, added_at"
    )
    await till.db.execute(
        f"INSERT INTO account_papers (paper_id, digest, {columns}) SELECT paper_id + 1,"
        f" sha256('another'), {columns} FROM account_papers"
    )
    assert await till.broken(LATER) == {Violation.ACCOUNT_DIFFERS}
