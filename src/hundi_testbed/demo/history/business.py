"""The people behind a history: the daily work of the operator and the merchants."""

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from hundi.api.context import GatewayContext
from hundi.infra.background.due import DueLoop
from hundi.infra.background.schedules.jobs import Schedules
from hundi.infra.postgres.database import Connection
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.refusals import Refused
from hundi.kernel.states import Actor
from hundi.merchants.directory.rules import Merchant
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts.rules import PRIMARY
from hundi.money.fees import actions as fees
from hundi.money.payouts import actions as payouts
from hundi.money.payouts import store as payout_store
from hundi.money.payouts.rules import PayoutState
from hundi.money.reconciliation import actions as reconciliation
from hundi.money.reconciliation.importing import actions as importing
from hundi.money.reconciliation.importing.actions import Source
from hundi.money.reconciliation.rules import OUR_ACCOUNT
from hundi.money.reports.invoices import actions as invoices
from hundi.money.reports.invoices.rules import OPERATOR, Party
from hundi.money.settlements.rules import SettlementTerms
from hundi.money.settlements.terms import actions as settlements_terms
from hundi.payments.disputes.answers import actions as answers
from hundi.payments.disputes.answers.actions import DisputeReply
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.reviews import actions as reviews
from hundi.payments.reviews import store as held
from hundi.payments.reviews.rules import Decision, Reviewed
from hundi.payments.risk import actions as risk
from hundi.staff.trail.actions import at_command_line, record
from hundi_testbed.demo.history.bank import BankClient
from hundi_testbed.demo.history.customers import DemoCustomers

CONNECTOR = "sandbox"
MAKER, CHECKER = "omkar.desai", "nila.krishnan"
ROUNDS_MAX = 8
"""The most rounds of due work before the clock moves.

Each answer of the bank may make the next step due.
"""
REFUNDED, HELD_ABOVE_PAISE = 0.08, 10_00_000
_LISTED_MAX = 50
_IFSC = "HDFC0000001"
PLAN = """
aggregator = true
turnover = "large"
[[rules]]
name = "cards"
channels = ["pg"]
not_card_types = ["debit"]
basis_points = 190
fixed_paise = 300
[[rules]]
name = "banks and wallets"
channels = ["nb", "ppc"]
basis_points = 150
[otherwise]
basis_points = 0
"""
RISK = f"""
note = "large orders are looked at"
[[rules]]
name = "large-order"
note = "an operator releases or rejects these"
action = "hold"
when = [{{ field = "amount_paise", above = {HELD_ABOVE_PAISE} }}]
"""
_ACQUIRER_BPS = {
    "upi_qr": 0,
    "upi_autopay": 0,
    "card": 180,
    "netbanking": 150,
    "wallet": 150,
    "refund": 0,
}
TERMS = """
account = "SANDBOX-SETTLEMENT"
late_after_days = 0
missing_after_days = 1
""" + "".join(
    f'[[fees]]\nmethod = "{name}"\nbps = {bps}\ntax_bps = 1800\n'
    for name, bps in _ACQUIRER_BPS.items()
)
"""The simulated bank's fees, as in its statements."""
_OPERATOR = Party("Hundi Demo Payments", "1 Fort Road, Mumbai 400001", "27", "27AAPFU0939F1ZV")
_ADDRESSES = ("12 Linking Road, Mumbai 400050", "4 Laxmi Road, Pune 411030")
_NAMES = ("Asha Handlooms", "Bharat Spice Bazaar")
_ACCOUNTS = ("50100012345601", "50100012345602")


@dataclass(slots=True)
class FollowUps:
    """Later work on payments of past days. paid: payments to refund or dispute."""

    refunds: list[tuple[datetime, Merchant, PaymentView]] = field(default_factory=list)
    paid: list[PaymentView] = field(default_factory=list)
    imported: date | None = None


class BackOffice:
    """The gateway's later work, and the people who release, refund, compare and answer."""

    def __init__(
        self,
        gateway: GatewayContext,
        bank: BankClient,
        random: Random,
        shops: Sequence[Merchant],
        loops: Sequence[DueLoop[Any]],
        schedules: Schedules,
    ) -> None:
        """Keep the parts."""
        self._gateway = gateway
        self._db = gateway.db
        self._bank = bank
        self._random = random
        self._shops = shops
        self._loops = loops
        self._schedules = schedules
        self._numbers = 0
        self.book = FollowUps()

    async def agree(self) -> None:
        """Agree on prices, terms, rules and bank accounts, before the first payment."""
        now = utc_now()
        await reconciliation.set_terms(self._db, CONNECTOR, TERMS.encode(), MAKER, now)
        maker = at_command_line(MAKER, self._gateway.vault)
        await risk.publish(self._db, self._shops[1].merchant_id, RISK, maker, now)
        parties = {OPERATOR: _OPERATOR}
        for place, shop in enumerate(self._shops):
            parties[shop.merchant_id] = Party(_NAMES[place], _ADDRESSES[place], "27")
        for owner, party in parties.items():

            async def named(conn: Connection, version: int, owner: int = owner) -> None:
                await record(conn, owner, maker, "report.party", version, now)

            await invoices.name_party(self._db, owner, party, MAKER, now, named)
        for place, shop in enumerate(self._shops):
            await fees.publish(self._db, shop.merchant_id, PLAN, None, MAKER, maker, now)
            account = (_NAMES[place], _ACCOUNTS[place], _IFSC)
            addition = (self._db, shop.merchant_id, PRIMARY, account, MAKER, maker)
            await bank_accounts.add(*addition, now, payouts.hold_back)
        terms = SettlementTerms(reserve_bps=500, reserve_days=14)
        await settlements_terms.set_terms(self._db, self._shops[1].merchant_id, terms, maker, now)
        await self.work()

    async def work(self) -> None:
        """Do the due work until none is left."""
        for _ in range(ROUNDS_MAX):
            now = utc_now()
            counts = await asyncio.gather(*(each.once(now) for each in self._loops))
            if not any(counts):
                return

    async def after(self, merchant: Merchant, view: PaymentView, customers: DemoCustomers) -> None:
        """Store a payment's later work: a refund, or nothing."""
        if view.success is None or view.payment.state != "paid":
            return
        self.book.paid.append(view)
        if self._random.random() < REFUNDED:
            due = customers.due_in(timedelta(hours=2), timedelta(days=4))
            self.book.refunds.append((due, merchant, view))

    async def refund_due(self) -> None:
        """Refund what customers have requested by now, wholly or in part."""
        now = utc_now()
        due = [each for each in self.book.refunds if each[0] <= now]
        self.book.refunds = [each for each in self.book.refunds if each[0] > now]
        for _, merchant, view in due:
            self._numbers += 1
            whole = self._random.random() < 0.7  # noqa: PLR2004 (most customers send everything back)
            paise = view.payment.amount.paise if whole else view.payment.amount.paise // 2
            item = ItemToRefund(paise, None)
            await refunds.request(
                self._gateway.payments, merchant, view.payment.payment_id, [item], now
            )

    async def dispute(self, answer: str) -> None:
        """Make a customer's bank dispute a payment, and contest it, accept it or leave it open."""
        view = next(
            (each for each in reversed(self.book.paid) if each.payment.method == "pg"), None
        )
        if view is None or view.success is None:
            return
        self.book.paid.remove(view)
        await self._bank.dispute(view.success.reference, "13.1" if answer == "contest" else "10.4")
        await self._schedules.run("look_for_disputes")
        if answer == "open":
            return
        for each in await answers.list_of(
            self._db, view.payment.merchant_id, None, None, _LISTED_MAX
        ):
            reply = (
                DisputeReply(0, "Delivered; the signed receipt is attached.")
                if answer == "contest"
                else DisputeReply()
            )
            with suppress(Refused):
                ids = self._db, view.payment.merchant_id, each.dispute_id
                await answers.answer(*ids, reply, Actor.OPERATOR, utc_now())

    async def review(self, *, leave: int) -> None:
        """Release or reject held payments, but the newest few."""
        payments_held = await held.select_waiting(self._db, _LISTED_MAX)
        for row in payments_held[: max(0, len(payments_held) - leave)]:
            rejects = self._random.random() < 0.3  # noqa: PLR2004 (most large orders are good)
            decision = Decision.REJECTED if rejects else Decision.RELEASED
            reason = (
                "The customer did not answer the call."
                if rejects
                else "Known customer, confirmed by phone."
            )
            reviewed = Reviewed(decision, reason, CHECKER)
            await reviews.decide(
                self._db, row["merchant_id"], row["payment_id"], reviewed, utc_now()
            )

    async def night(self) -> None:
        """Settle, roll up, seal and index, as the worker does at night."""
        for name in (
            "settle_merchants",
            "look_for_disputes",
            "roll_checkpoints",
            "seal_books",
            "index_for_search",
            "count_hours",
        ):
            await self._schedules.run(name)

    async def morning(self, day: date, *, release: bool) -> None:
        """Release the payouts as two people, and import the statements of the day before."""
        await self._schedules.run("prepare_payouts")
        states = [PayoutState.PREPARED, PayoutState.PROPOSED]
        for each in await payout_store.listed(self._db, None, states, _LISTED_MAX):
            for person in (MAKER, CHECKER) if release else ():
                with suppress(Refused):
                    await payouts.approve(
                        self._db, each.merchant_id, each.payout_id, person, None, utc_now()
                    )
        await self.work()
        await self._import(day - timedelta(days=1))

    async def _import(self, day: date) -> None:
        """Import a day's statements of the acquirer and of our account, and compare them."""
        with tempfile.TemporaryDirectory() as folder:
            for path, connector in (("/statement", CONNECTOR), ("/account-statement", OUR_ACCOUNT)):
                file = Path(folder) / f"{day}{path.replace('/', '-')}.xml"
                file.write_bytes(await self._bank.statement(path, day))
                await importing.import_file(
                    self._db, Source(file, "camt053", connector, MAKER), utc_now()
                )
        await reconciliation.compare(self._db, utc_now())

    async def spoil(self, day: date, mistake: str) -> None:
        """Make the bank wrong about a payment in the statement of the next morning."""
        of_day = [
            each
            for each in self.book.paid
            if each.success and business_day(each.payment.created_at) == day
        ]
        if of_day and of_day[-1].success is not None:
            await self._bank.err(day, of_day[-1].success.reference, mistake)
