"""Accounts that two people verify by papers, which never overrule a bank."""

import asyncio
from datetime import timedelta
from hashlib import sha256

import asyncpg
import pytest

from hundi.acquirers.kinds import open_registry
from hundi.acquirers.port.answers import (
    AccountFault,
    BankAccount,
    NotRegistered,
    RegisteredName,
    Unknown,
)
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.registry import Registry
from hundi.infra.secrets.key_sources import VaultError
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.money.audit.rules import Violation
from hundi.money.bank_accounts import actions as accounts
from hundi.money.bank_accounts import rules as account_rules
from hundi.money.bank_accounts import store as account_store
from hundi.money.bank_accounts.papers import actions, store
from hundi.money.bank_accounts.papers.rules import PAPER_BYTES_MAX, PAPERS_MAX
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState, VerifiedBy
from hundi.money.payouts import actions as payouts
from hundi.money.payouts import store as payout_store
from hundi.money.payouts.files import actions as files
from hundi.money.payouts.files.rules import FileForm, PayingAccount, ReportForm
from hundi.money.payouts.rails.rules import PayoutChannel
from tests.acquirer import ScriptedAcquirer
from tests.money.payouts.papers import CHEQUE, accept, add, looked_at, without_providers
from tests.money.payouts.till import CHECKER, IFSC, LATER, MAKER, NUMBER, SOON, Till
from tests.recording import BY
from tests.shop import NOW, VAULT


@pytest.fixture
async def till(till: Till) -> Till:
    """A merchant with an account, at a gateway without any provider of checks."""
    return await without_providers(till)


async def test_two_people_verify_an_account_without_any_provider(till: Till) -> None:
    await till.check_accounts(SOON)
    assert await payouts.prepare(till.context, SOON) == 0
    assert await add(till) == sha256(CHEQUE).digest()
    await accept(till)
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert (account.state, account.accepted_by, account.verified_by) == (
        BankAccountState.VERIFIED,
        CHECKER,
        VerifiedBy.PAPERS,
    )
    assert await payouts.prepare(till.context, SOON) == 1
    assert await till.check_accounts(LATER) == 0, "nobody is asked any more"
    assert await till.broken(LATER) == set()


async def test_a_banks_file_pays_out_beside_a_live_acquirer(till: Till) -> None:
    """A live acquirer that takes payments alone checks no account and pays nothing out."""
    live = {
        "kind": "razorpay",
        "key_id": "rzp_live_payoutsbyfile",
        "key_secret": "a-secret-of-it",
        "url": "http://127.0.0.1:9/v1",
    }
    registry = open_registry({"live": live}, lambda _: "https://pay.example.in", ShortMemory())
    assert not registry.simulated
    till.context = replace(till.context, connectors=registry)
    await till.check_accounts(SOON)
    await add(till)
    await accept(till)
    assert await payouts.prepare(till.context, SOON) == 1
    (payout,) = await payout_store.listed(till.db, till.merchant_id, (), 10)
    assert (payout.channel, payout.connector) == (PayoutChannel.FILE, "")
    for person in (MAKER, CHECKER):
        await till.approve(payout, person)
    payer = PayingAccount("Escrow", "00011122233", IFSC)
    exported = await files.export(till.db, VAULT, FileForm.PAIN_001, payer, CHECKER, LATER)
    assert exported is not None
    assert NUMBER.encode() in exported.body
    report = (
        f"H,{exported.batch_id},1,1499.50\n"
        f"D,{payout.reference},done,HDFCN26325000001,1499.50,00,Paid\n"
    ).encode()
    assert (await files.take(till.db, ReportForm.CSV, report, LATER)).changed == 1
    assert (await till.again(payout)).paid_utr == "HDFCN26325000001"
    assert [kind for kind, *_ in await till.postings()] == ["payout_sent", "payout_done"]
    assert await till.broken(LATER) == set()
    await registry.close()


async def test_who_added_the_account_or_a_paper_accepts_none(till: Till) -> None:
    await till.check_accounts()
    with pytest.raises(Refused) as no_papers:
        await accept(till)
    assert no_papers.value.refusal.received == "none"
    await add(till)
    for person in ("Asha", "asha.", "Meera", " meera", ""):
        with pytest.raises(Refused):
            await accept(till, person)
    await add(till, CHEQUE.replace(b"-1.5", b"-1.6"), CHECKER)
    with pytest.raises(Refused):
        await accept(till, CHECKER)
    await accept(till, "Fourth")


async def test_the_database_lets_nobody_pass_without_papers(till: Till) -> None:
    by_hand = (
        "UPDATE bank_accounts SET state = 'verified', accepted_by = $1, checked_at = added_at,"
        " due_at = NULL"
    )
    row = "SELECT merchant_id, beneficiary, account_no, $1, now(), $2 FROM bank_accounts"
    insert = f"INSERT INTO accepted_names {row}"
    await till.db.execute(insert, CHECKER, [])
    with pytest.raises(asyncpg.RestrictViolationError):
        await till.db.execute(by_hand, CHECKER)
    await add(till)
    (paper,) = await looked_at(till)
    for person, papers in (("Meera", [paper]), ("Other", [paper, paper + 1]), ("Else", [])):
        await till.db.execute(insert, person, papers)
        with pytest.raises(asyncpg.RestrictViolationError):
            await till.db.execute(by_hand, person)
    await till.db.execute(insert, "Fourth", [paper])
    await till.db.execute(by_hand, "Fourth")


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (RegisteredName("MALLORY TRADERS"), "name"),
        (NotRegistered(AccountFault.CLOSED), "closed"),
        (NotRegistered(AccountFault.ABSENT), "absent"),
    ],
)
async def test_papers_never_overrule_a_bank(
    till: Till, said: RegisteredName | NotRegistered, outcome: str
) -> None:
    connectors = replace(till.context, connectors=Registry([till.bank]))
    till.context, without = connectors, till.context
    till.bank.account_answers.append(said)
    await till.check_accounts()
    till.context = without
    key = (till.db, till.merchant_id, PRIMARY)
    again = await accounts.verify_again(*key, BY, SOON)
    assert (again.state, again.registered_name) == (BankAccountState.UNVERIFIED, "")
    await add(till)
    with pytest.raises(Refused) as refused:
        await accept(till, now=LATER)
    assert refused.value.refusal.received == f"sandbox said {outcome}"
    assert await payouts.prepare(till.context, LATER) == 0
    till.context = connectors
    await till.check_accounts(LATER)
    account = await accounts.newest(*key)
    assert account.verified_by is VerifiedBy.BANK, "the bank alone corrects its word"
    assert await till.broken(LATER) == set()


async def test_papers_wait_for_a_bank_that_may_have_the_check(till: Till) -> None:
    till.context = replace(till.context, connectors=Registry([till.bank]))
    till.bank.account_answers.extend([Unknown("pending")] * 2)
    await till.check_accounts()
    await add(till)
    with pytest.raises(Refused) as has_it:
        await accept(till)
    assert has_it.value.refusal.received == "sandbox has the check"
    at = NOW + timedelta(days=1)
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    lease = at + account_rules.LEASE
    await account_store.claim(till.db, till.merchant_id, [account.check_id], at, lease)
    with pytest.raises(Refused) as is_asked:
        await accept(till, now=at)
    assert is_asked.value.refusal.received == "sandbox is asked now"
    await till.check_accounts(lease)
    await accept(till, now=lease)
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert (account.state, account.verified_by) == ("verified", VerifiedBy.PAPERS)
    assert await till.broken(lease) == set()


async def test_a_closed_account_that_is_added_anew_waits_for_its_bank(till: Till) -> None:
    """The worker looks for a provider first; where none can be reached, papers wait for a day."""
    await till.add_account(now=SOON)
    await add(till)
    with pytest.raises(Refused) as unseen:
        await accept(till)
    assert unseen.value.refusal.received == "not looked at yet"
    till.context = replace(till.context, connectors=Registry([till.bank]))
    till.bank.account_answers.append(Unknown(sent=False))
    await till.check_accounts(SOON)
    with pytest.raises(Refused):
        await accept(till)
    await accept(till, now=SOON + timedelta(days=1))


async def test_who_accepts_papers_while_a_bank_is_asked_for_the_first_time_waits(
    till: Till,
) -> None:
    class SlowBank(ScriptedAcquirer):
        """A bank that answers when somebody has tried to accept the papers."""

        async def check_account(
            self, reference: str, account: BankAccount, holder: str
        ) -> NotRegistered:
            """Answer that the account is closed."""
            del reference, account, holder
            with pytest.raises(Refused):
                await accept(till)
            return NotRegistered(AccountFault.CLOSED)

    till.context = replace(till.context, connectors=Registry([SlowBank()]))
    await add(till)
    assert await till.check_accounts() == 1
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert account.state is BankAccountState.REFUSED


async def test_the_database_takes_a_banks_word_from_its_check_alone(till: Till) -> None:
    by_hand = (
        "UPDATE bank_accounts SET state = 'verified', registered_name = 'ASHA STORES',"
        " checked_at = added_at, due_at = NULL"
    )
    with pytest.raises(asyncpg.RestrictViolationError):
        await till.db.execute(by_hand)
    await add(till)
    row = "SELECT merchant_id, beneficiary, account_no, $1, added_at, $2 FROM bank_accounts"
    await till.db.execute(f"INSERT INTO accepted_names {row}", CHECKER, await looked_at(till))
    with pytest.raises(asyncpg.RestrictViolationError):
        await till.db.execute(f"{by_hand}, accepted_by = $1", CHECKER)
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    closed = NotRegistered(AccountFault.CLOSED)
    check = account_rules.record_of(account, closed, "sandbox", Money(0), SOON)
    async with till.db.transaction() as conn:
        await account_store.insert_check(conn, check)
    with pytest.raises(asyncpg.RestrictViolationError):
        await till.db.execute(
            f"{by_hand}, accepted_by = $1".replace("'ASHA STORES'", "''"), CHECKER
        )


async def test_the_audit_names_papers_that_overruled_a_bank(till: Till) -> None:
    await till.check_accounts()
    await add(till)
    await accept(till)
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    closed = NotRegistered(AccountFault.CLOSED)
    check = account_rules.record_of(account, closed, "sandbox", Money(0), SOON)
    assert await till.broken(LATER) == set()
    async with till.db.transaction() as conn:
        await account_store.insert_check(conn, check)
    assert await till.broken(LATER) == {Violation.ACCOUNT_DIFFERS}


async def test_papers_that_come_at_once_are_counted_and_the_same_one_is_kept_once(
    till: Till,
) -> None:
    assert await asyncio.gather(*(add(till) for _ in range(4))) == [sha256(CHEQUE).digest()] * 4
    assert len(await actions.of_newest(till.db, till.merchant_id, PRIMARY)) == 1
    others = (add(till, CHEQUE + b"\n" * number) for number in range(1, 20))
    taken = await asyncio.gather(*others, return_exceptions=True)
    refused = [each for each in taken if isinstance(each, Refused)]
    assert len(refused) == len(taken) - PAPERS_MAX + 1
    assert len(await actions.of_newest(till.db, till.merchant_id, PRIMARY)) == PAPERS_MAX


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"GIF89a", CHEQUE[:20], b"MZ" + CHEQUE, CHEQUE + b"\0" * PAPER_BYTES_MAX),
        b"%PDF-1.4\nA cheque\n%%EOF\n",
    ],
)
async def test_what_is_no_whole_document_is_not_taken(till: Till, content: bytes) -> None:
    with pytest.raises(Refused) as refused:
        await add(till, content)
    refusal = refused.value.refusal
    assert (refusal.field, bool(refusal.received), bool(refusal.allowed)) == ("paper", True, True)
    assert await actions.of_newest(till.db, till.merchant_id, PRIMARY) == []


async def test_a_paper_is_kept_once_sealed_and_under_a_harmless_name(till: Till) -> None:
    assert await add(till) == await add(till, person="Else")
    (paper,) = await actions.of_newest(till.db, till.merchant_id, PRIMARY)
    assert (paper.name, paper.added_by) == ("cheque_1_.pdf", "Meera")
    sealed = await till.db.fetchval("SELECT sealed_content FROM account_papers")
    assert b"Asha" not in sealed
    read = await actions.content(till.db, VAULT, till.merchant_id, paper.paper_id)
    assert read == (paper, CHEQUE)
    with pytest.raises(Refused):
        await actions.content(till.db, VAULT, till.merchant_id + 1, paper.paper_id)
    for number in range(1, PAPERS_MAX):
        await add(till, CHEQUE + b"\n" * number)
    with pytest.raises(Refused):
        await add(till, CHEQUE + b"\n" * PAPERS_MAX)
    with pytest.raises(asyncpg.RestrictViolationError):
        await till.db.execute("UPDATE account_papers SET added_by = 'Nobody'")
    with pytest.raises(asyncpg.RestrictViolationError):
        await till.db.execute("DELETE FROM account_papers")


async def test_a_paper_that_was_exchanged_verifies_nothing(till: Till) -> None:
    await till.check_accounts()
    await add(till)
    other = VAULT.seal(b"another", "bank-account-paper", till.merchant_id, 1)
    await till.db.execute("UPDATE account_papers SET sealed_content = $1", other)
    with pytest.raises(VaultError):
        await accept(till)


async def test_a_changed_account_needs_papers_of_its_own(till: Till) -> None:
    await till.check_accounts()
    await add(till)
    await accept(till)
    await till.add_account("60200054321111", now=LATER)
    await till.check_accounts(LATER)
    with pytest.raises(Refused) as no_papers:
        await accept(till, now=LATER)
    assert no_papers.value.refusal.received == "none"


async def test_papers_are_sealed_with_the_newest_key(till: Till) -> None:
    await add(till)
    assert await actions.reseal(till.db, VAULT) == 0
    assert await store.next_sealed(till.db, 0, 0) is not None
