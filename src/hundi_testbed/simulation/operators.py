"""The operator's people in a simulation: release payouts, answer disputes, import statements."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from asyncpg import PostgresError

from hundi.api.context import GatewayContext
from hundi.infra.postgres.database import UNREACHABLE
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import utc_now
from hundi.kernel.refusals import Refused
from hundi.kernel.states import Actor, DisputeState
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as accounts
from hundi.money.bank_accounts.rules import PRIMARY, BankAccountState
from hundi.money.fees import actions as fees
from hundi.money.payouts import actions as payouts
from hundi.money.payouts import store as payout_store
from hundi.money.payouts.rules import PayoutState
from hundi.money.reconciliation import actions as reconciliation
from hundi.money.reconciliation.importing import actions as importing
from hundi.money.reconciliation.importing.actions import Source
from hundi.money.settlements.terms import actions as settlements_terms
from hundi.payments.disputes.answers import actions as answers
from hundi.payments.disputes.answers.actions import DisputeReply
from hundi.payments.splits import actions as splits
from hundi.staff.trail.actions import at_command_line
from hundi_testbed.bank.payouts.rules import Receiver
from hundi_testbed.simulation.acquirer import NAME
from hundi_testbed.simulation.agreements import LINKED
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.bank_payouts import AccountHolder
from hundi_testbed.simulation.bank_statements import TERMS
from hundi_testbed.simulation.gateway import SimulatedGateway
from hundi_testbed.simulation.server import Server
from hundi_testbed.simulation.shops import SimulatedShop
from hundi_testbed.simulation.world import SimulatedProcess, World

SHIFT_S = (2 * 3_600.0, 10 * 3_600.0)
MAKER, CHECKER = "asha", "meera"
IFSC = "HDFC0000001"
LISTED_MAX = 500
NEW_ACCOUNT, CLOSED = 0.05, 0.15
"""Probabilities that a merchant changes its bank account in a shift, and that a new one is closed.
"""
AGAIN = 0.2
"""Probability that a person repeats an act."""
_UNANSWERED, _CONTESTED, _ACCEPTED_IN_PART = 0.4, 0.7, 0.85
"""Limits of a draw: a dispute waits (perhaps for ever), is contested, is accepted in part."""


class Operators:
    """The people at work, in shifts: the next shift continues unfinished work.

    strange: our own faults that stopped them.
    """

    def __init__(
        self,
        world: World,
        bank: SimulatedBank,
        gateway: SimulatedGateway,
        shops: list[SimulatedShop],
    ) -> None:
        """Keep the parts."""
        self._world = world
        self._bank = bank
        self._gateway = gateway
        self._shops = shops
        self._shifts = self._numbers = 0
        self._imported = 0
        self.strange: list[str] = []

    def agree(self, server: Server, vault: Vault) -> None:
        """Write prices, terms and linked accounts, before anything happens."""
        now, db, maker = self._world.now, server.real, at_command_line(MAKER, vault)
        server.run(reconciliation.set_terms(db, NAME, TERMS, MAKER, now))
        for shop in self._shops:
            server.run(
                settlements_terms.set_terms(db, shop.number, shop.agreement.terms, maker, now)
            )
            published = server.run(
                fees.publish(db, shop.number, shop.agreement.plan, None, MAKER, maker, now)
            )
            assert isinstance(published[0], int), published
            if shop.agreement.linked:
                linked_account = (shop.number, LINKED, f"Shop {shop.number}", "501000129999", IFSC)
                server.run(splits.link_account(db, maker, *linked_account, now))

    async def work(self) -> None:
        """Work in shifts for ever."""
        while True:
            await self._world.sleep(*SHIFT_S)
            self._shifts += 1
            process = SimulatedProcess(self._world, f"operators-{self._shifts}")
            shift = process.start(self._shift(process))
            await asyncio.wait([shift])
            # Also that of a killed shift: asyncio logs an exception that nobody retrieved.
            problem = None if shift.cancelled() else shift.exception()
            while isinstance(problem, BaseExceptionGroup):
                problem = problem.exceptions[0]
            is_ours = problem is not None and not isinstance(problem, (PostgresError, *UNREACHABLE))
            if process.alive and is_ours:
                self.strange.append(
                    f"the operators had to stop: {type(problem).__name__}: {problem}"
                )

    async def _shift(self, process: SimulatedProcess) -> None:
        async with self._gateway.open(process) as context:
            for work in (self._accounts, self._release, self._answer, self._statements):
                await work(context)

    async def _accounts(self, context: GatewayContext) -> None:
        for shop in self._shops:
            await self._account(context, shop, PRIMARY)
            if shop.agreement.linked:
                await self._account(context, shop, LINKED)

    async def _account(
        self, context: GatewayContext, shop: SimulatedShop, beneficiary: str
    ) -> None:
        """Add a bank account where none works, and change one now and then."""
        newest = await accounts.newest(context.db, shop.number, beneficiary)
        is_missing = newest is None or newest.state is BankAccountState.REFUSED
        if not is_missing and self._world.random.random() >= NEW_ACCOUNT:
            return
        self._numbers += 1
        holder, linked = f"Shop {shop.number}", beneficiary != PRIMARY
        number = f"5010001234{self._numbers:04d}"
        closed = bool(self._world.faults.weights) and self._world.random.random() < CLOSED
        receiver = Receiver.CLOSED if closed else Receiver.ORDINARY
        self._bank.payouts.accounts[number] = AccountHolder(shop.number, holder, receiver, linked)
        self._world.done["bank account"] += 1
        account = (holder, number, IFSC)
        addition = (
            context.db,
            shop.number,
            beneficiary,
            account,
            MAKER,
            at_command_line(MAKER, context.vault),
        )
        await bank_accounts.add(*addition, utc_now(), payouts.hold_back)

    async def _release(self, context: GatewayContext) -> None:
        """Release prepared payouts, by two people, and retry failed ones."""
        db = context.db
        states = [PayoutState.PREPARED, PayoutState.PROPOSED]
        for each in await payout_store.listed(db, None, states, LISTED_MAX):
            people = (MAKER, CHECKER) if each.state is PayoutState.PREPARED else (CHECKER, MAKER)
            for person in people:
                await self._allowed(
                    "approve", payouts.approve, db, each.merchant_id, each.payout_id, person, None
                )
        over = [PayoutState.REFUSED, PayoutState.RETURNED, PayoutState.REVERSED]
        for each in await payout_store.listed(db, None, over, LISTED_MAX):
            await self._allowed("retry", payouts.retry, db, each.merchant_id, each.payout_id, MAKER)

    async def _allowed(
        self, name: str, act: Callable[..., Awaitable[object]], *args: object
    ) -> None:
        """Do an act that may be refused, and sometimes repeat it."""
        for _ in range(2 if self._world.random.random() < AGAIN else 1):
            with suppress(Refused):
                await act(*args, utc_now())
                self._world.done[f"operators: {name}"] += 1

    async def _answer(self, context: GatewayContext) -> None:
        """Answer disputes for merchants: contest, accept wholly or in part, or let them pass."""
        for shop in self._shops:
            listed = await answers.list_of(
                context.db, shop.number, DisputeState.OPEN, None, LISTED_MAX
            )
            for stage in listed:
                drawn = self._world.random.random()
                part = self._world.random.randint(1, stage.amount.paise)
                if drawn < _UNANSWERED:
                    continue
                reply = DisputeReply(0, "sent on time")
                if drawn >= _CONTESTED:
                    reply = (
                        DisputeReply(part, "some") if drawn < _ACCEPTED_IN_PART else DisputeReply()
                    )
                ids = (context.db, shop.number, stage.dispute_id)
                await self._allowed("answer", answers.answer, *ids, reply, Actor.OPERATOR)

    async def _statements(self, context: GatewayContext) -> None:
        """Import the bank's statements, sometimes twice, and compare them with the books."""
        files = self._bank.statements.files
        while self._imported < len(files):
            path, form, connector = files[self._imported]
            for _ in range(2 if self._world.random.random() < AGAIN else 1):
                await importing.import_file(
                    context.db, Source(path, form, connector, MAKER), utc_now()
                )
            self._imported += 1
            self._world.done["statement"] += 1
        await reconciliation.compare(context.db, utc_now())
        await reconciliation.retry(context.db, NAME, utc_now())
