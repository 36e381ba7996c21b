"""Shares leave by each real provider of payouts once, and the books agree with what it did."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from hundi.acquirers.cashfree_payouts.account import CashfreeKeys, CashfreePayoutsAccount
from hundi.acquirers.cashfree_payouts.connector import CashfreePayoutsChecks
from hundi.acquirers.cashfree_payouts.rules import cashfree_id
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.validations import RazorpayxChecks
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.money.bank_accounts import store as accounts
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState
from hundi.money.payouts import actions
from hundi.money.payouts.rules import PayoutState
from hundi.payments.acquirer_words.actions import KeptWords
from tests.acquirers.cashfree_payouts import standin as cashfree
from tests.acquirers.cashfree_payouts.standin_checks import Held as CashfreeHeld
from tests.acquirers.razorpayx import standin as razorpayx
from tests.acquirers.razorpayx.standin_checks import Held as RazorpayxHeld
from tests.acquirers.stage import Trouble
from tests.money.payouts.till import CHECKER, HOLDER, LATER, MAKER, PAISE, Till, open_till
from tests.payments.interrupted import Start, Step, shop_on, whichever_call_is_interrupted
from tests.shop import NOW

LITE = "9845399535208460"
WEALTH = 10_000_000_000
BEFORE, DAYS = NOW - timedelta(days=1), timedelta(days=2)
"""When accounts are checked, and after how long a payout comes back."""
TIMES = tuple(map(timedelta, (0,) * 6, (0, 31, 130, 700, 3_700, 7_300)))
"""When a worker looks: now, and when leases, gaps and the time to be seen are over."""


@dataclass
class PayoutFace:
    """A provider's stand-in, and how its bank and people are played.

    settle: pays what is under way. reverse: sends a payout back. checked: ends the open checks.
    times: how many payouts it made of a reference. checks: likewise, in all tries. call: the end of
    the path of a payout. holds: says whose every account is, or that it is closed or frozen.
    faults: what a check says of it then. fee: what it takes for a payout, in paise; fees: what is
    posted of it when a payout is paid and comes back.
    """

    stage: Any
    open: Callable[..., Connector]
    settle: Callable[[], None]
    reverse: Callable[[str], None]
    checked: Callable[[], None]
    times: Callable[[str], int]
    checks: Callable[[str], int]
    call: str
    holds: Callable[[str], None]
    faults: Mapping[str, str]
    fee: int
    fees: tuple[str, ...]

    def times_from_now(self) -> Iterator[timedelta]:
        """Yield when a worker looks, with the provider's clock at the same time."""
        began = self.stage.clock
        for after in TIMES:
            self.stage.clock = began + after.total_seconds()
            yield after


@asynccontextmanager
async def razorpayx_face() -> AsyncIterator[PayoutFace]:
    async with razorpayx.RazorpayX.running() as x:
        x.new_account(paise=WEALTH)
        x.new_account(LITE, WEALTH, kind="razorpayx_lite")
        x.checks.default = RazorpayxHeld(HOLDER)
        account = RazorpayxAccount(
            key_id=razorpayx.KEY_ID,
            key_secret=razorpayx.KEY_SECRET,
            number=razorpayx.ACCOUNT_NUMBER,
            validation_number=LITE,
            base_url=x.base,
        )

        def opened(memory: Memory, name: str = "bank") -> Connector:
            cost = Money(236)
            return RazorpayxChecks(name, account, memory, check_cost=cost, now=lambda: x.clock)

        def settle() -> None:
            for payout in x.books.payouts.values():
                if payout.status == "processing":
                    x.payouts.settle(payout)

        def holds(name: str) -> None:
            x.checks.default = (
                RazorpayxHeld(None, "invalid", None, f"It is {name}.")
                if name in {"closed", "frozen"}
                else RazorpayxHeld(name)
            )

        def checked() -> None:
            for name, made in x.checks.validations.items():
                if made["status"] == "created":
                    x.checks.complete(name)

        yield PayoutFace(
            stage=x,
            open=opened,
            settle=settle,
            reverse=lambda reference: x.payouts.reverse(reference) and None,
            checked=checked,
            times=lambda reference: len(x.books.of_reference(reference)),
            checks=lambda reference: sum(
                each["reference_id"].startswith(reference) for each in x.checks.validations.values()
            ),
            call="/payouts",
            holds=holds,
            faults={"closed": "other", "frozen": "other"},
            fee=590,
            fees=("payout_fee", "payout_fee_back"),
        )


@asynccontextmanager
async def cashfree_face() -> AsyncIterator[PayoutFace]:
    async with cashfree.CashfreePayouts.running(paise=WEALTH) as standin:
        standin.checks.default = CashfreeHeld(HOLDER)
        keys = CashfreeKeys(client_id=cashfree.CLIENT_ID, secrets=(cashfree.CLIENT_SECRET,))
        account = CashfreePayoutsAccount(
            keys=keys,
            checks=keys,
            base_url=standin.payouts_url,
            checks_url=standin.verification_url,
            balance_url=standin.url,
        )

        def opened(memory: Memory, name: str = "bank") -> Connector:
            cost = Money(236)
            return CashfreePayoutsChecks(
                name, account, memory, check_cost=cost, now=lambda: standin.clock
            )

        def settle() -> None:
            for transfer in standin.books.transfers.values():
                if transfer.status == "RECEIVED":
                    standin.transfers.process(transfer)
                    standin.transfers.settle(transfer)

        def holds(name: str) -> None:
            codes = {"closed": "INVALID_ACCOUNT_FAIL", "frozen": "ACCOUNT_BLOCKED"}
            standin.checks.default = (
                CashfreeHeld(None, 0, "INVALID", codes[name])
                if name in codes
                else CashfreeHeld(name)
            )

        def checked() -> None:
            for made in standin.checks.made:
                if made["account_status"] == "RECEIVED":
                    standin.checks.complete(made["user_id"])

        def checks_of(reference: str) -> int:
            name = cashfree_id(reference)
            return sum(each["user_id"].startswith(name) for each in standin.checks.made)

        yield PayoutFace(
            stage=standin,
            open=opened,
            settle=settle,
            reverse=lambda reference: standin.transfers.reverse(cashfree_id(reference)) and None,
            checked=checked,
            times=lambda reference: int(cashfree_id(reference) in standin.books.transfers),
            checks=checks_of,
            call="/transfers",
            holds=holds,
            faults={"closed": "absent", "frozen": "frozen"},
            fee=118,
            fees=("payout_fee",),
        )


@pytest.fixture(params=[razorpayx_face, cashfree_face], ids=["razorpayx", "cashfree_payouts"])
async def face(request: pytest.FixtureRequest) -> AsyncIterator[PayoutFace]:
    async with request.param() as opened:
        yield opened


@dataclass
class PaidOut:
    """A merchant's till whose provider is a stand-in."""

    till: Till
    face: PayoutFace
    opened: list[Connector]

    def on(self, db: Database) -> Till:
        """Return the till in a process with this database, and a memory in it."""
        connector = self.face.open(KeptWords(db))
        self.opened.append(connector)
        context = replace(self.till.context, db=db, connectors=Registry([connector]))
        return Till(shop_on(self.till.shop, db), context)

    async def check(self, db: Database) -> None:
        """Let workers check accounts, at all times, with the bank's answers between."""
        for after in self.face.times_from_now():
            await self.on(db).check_accounts(BEFORE + after)
            self.face.checked()

    async def work(self, db: Database) -> None:
        """Let workers send and ask, at all times, with what the bank does between."""
        for after in self.face.times_from_now():
            await self.on(db).work(NOW + after)
            self.face.settle()


@pytest.fixture
async def paid(db: Database, face: PayoutFace) -> AsyncIterator[PaidOut]:
    made = PaidOut(await open_till(db), face, [])
    yield made
    for connector in made.opened:
        await connector.close()


async def test_a_share_leaves_and_comes_back(paid: PaidOut) -> None:
    till = paid.on(paid.till.db)
    await till.add_account(now=BEFORE)
    await paid.check(till.db)
    account = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert account is not None
    assert (account.state, account.registered_name) == (BankAccountState.VERIFIED, HOLDER)
    payout = await till.approved()
    await paid.work(till.db)
    done = await till.again(payout)
    assert (done.state, bool(done.utr)) == (PayoutState.DONE, True)
    assert paid.face.times(payout.reference) == 1
    assert await till.broken(LATER) == set()
    paid.face.reverse(payout.reference)
    paid.face.stage.pass_time(DAYS.total_seconds())
    await actions.ask_now(till.db, "bank", payout.reference, NOW + DAYS)
    await till.work(NOW + DAYS)
    assert (await till.again(payout)).state is PayoutState.REVERSED
    kinds = [kind for kind, *_ in await till.postings()]
    assert [kind for kind in kinds if kind not in paid.face.fees] == [
        "payout_sent",
        "payout_done",
        "payout_reversed",
    ]
    assert tuple(kind for kind in kinds if kind in paid.face.fees) == paid.face.fees
    assert await till.broken(NOW + DAYS + timedelta(days=1)) == set()


@pytest.mark.parametrize(
    ("name", "state"),
    [
        (HOLDER, BankAccountState.VERIFIED),
        (f"{HOLDER}s", BankAccountState.NAME_DIFFERS),
        (HOLDER[:-1], BankAccountState.NAME_DIFFERS),
        ("closed", BankAccountState.REFUSED),
        ("frozen", BankAccountState.REFUSED),
    ],
)
async def test_an_account_is_paid_only_where_its_bank_names_its_holder(
    paid: PaidOut, name: str, state: BankAccountState
) -> None:
    till = paid.on(paid.till.db)
    paid.face.holds(name)
    account = await till.add_account(now=BEFORE)
    await till.settle()
    await paid.check(till.db)
    checked = await accounts.newest(till.db, till.merchant_id, PRIMARY)
    assert checked is not None
    assert checked.state is state
    assert paid.face.checks(account.reference) == 1
    prepared = await actions.prepare(till.context, NOW)
    assert prepared == int(state is BankAccountState.VERIFIED), "nothing for the others"
    (check,) = await accounts.checks_of(till.db, till.merchant_id)
    assert (check.outcome, check.cost_paise) == (paid.face.faults.get(name, "name"), 236)
    assert await till.broken(LATER) == set()


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble.LOST_AFTER,
        Trouble.FAILED_AFTER,
        Trouble.CUT,
        Trouble.LOST_BEFORE,
        Trouble.FAILED_BEFORE,
        Trouble.HTML,
        Trouble.TOO_MANY,
    ],
)
async def test_a_call_that_went_wrong_ends_paid_once(trouble: Trouble, paid: PaidOut) -> None:
    till = paid.on(paid.till.db)
    await till.add_account(now=BEFORE)
    await paid.check(till.db)
    payout = await till.approved()
    paid.face.stage.trouble(paid.face.call, trouble)
    await paid.work(till.db)
    assert (await till.again(payout)).state is PayoutState.DONE
    assert paid.face.times(payout.reference) == 1
    assert await till.broken(LATER) == set()


async def test_whichever_call_is_interrupted_pays_once(paid: PaidOut) -> None:
    till = paid.till
    await till.add_account(now=BEFORE)
    await paid.check(till.db)

    async def begin() -> Start:
        share_id = await till.settle()

        async def prepares(db: Database) -> None:
            await actions.prepare(paid.on(db).context, NOW)

        def releases(person: str) -> Step:
            async def approves(db: Database) -> None:
                with suppress(Refused):  # this person has done so already
                    await paid.on(db).approve(await till.of_share(share_id), person)

            return approves

        async def end() -> object:
            payout = await till.of_share(share_id)
            rows = await till.db.fetch(
                "SELECT kind, amount_paise FROM ledger_postings WHERE merchant_id = $1"
                " AND cause_id = $2 ORDER BY kind",
                till.merchant_id,
                payout.payout_id,
            )
            times = paid.face.times(payout.reference)
            return payout.try_no, payout.state, times, [tuple(row) for row in rows]

        return [prepares, releases(MAKER), releases(CHECKER), paid.work], end

    assert await whichever_call_is_interrupted(till.db, begin) == (
        1,
        "done",
        1,
        [("payout_done", PAISE), ("payout_fee", paid.face.fee), ("payout_sent", PAISE)],
    )
    assert await till.broken(LATER) == set()


async def test_whichever_call_is_interrupted_checks_once(paid: PaidOut) -> None:
    till = paid.till
    numbers = iter(range(50_100_012_340_000, 50_100_012_349_999))

    async def begin() -> Start:
        account = await till.add_account(str(next(numbers)), now=BEFORE)

        async def end() -> object:
            now = await accounts.newest(till.db, till.merchant_id, PRIMARY)
            assert now is not None
            return now.state, paid.face.checks(account.reference)

        return [paid.check], end

    assert await whichever_call_is_interrupted(till.db, begin) == ("verified", 1)


@pytest.mark.parametrize("first", [0, 1], ids=["razorpayx first", "cashfree_payouts first"])
async def test_the_other_provider_pays_at_once_what_the_first_one_never_took(
    db: Database, first: int
) -> None:
    till = await open_till(db)
    await till.add_account(now=BEFORE)
    await till.check_accounts(BEFORE)
    async with razorpayx_face() as x, cashfree_face() as c:
        faces = [x, c] if first == 0 else [c, x]
        names = ("one", "two")
        connectors = [
            face.open(KeptWords(db), name) for face, name in zip(faces, names, strict=True)
        ]
        till.context = replace(till.context, connectors=Registry(connectors))
        faces[0].stage.addresses = {"192.0.2.1"}
        payout = await till.approved()
        await till.work(NOW)
        there = await till.again(payout)
        assert (there.state, there.sent_by) == (PayoutState.PROCESSING, "two")
        assert [face.times(payout.reference) for face in faces] == [0, 1]
        faces[1].settle()
        await till.work(NOW + timedelta(minutes=1))
        assert (await till.again(payout)).state is PayoutState.DONE
        assert await till.broken(LATER) == set()
        for connector in connectors:
            await connector.close()
