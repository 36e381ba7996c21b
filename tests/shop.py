"""A merchant, an acquirer that obeys the test, and payments on a real database."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

from hundi.acquirers.registry import Registry
from hundi.gateway.bootstrap import key_formulas
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi.kernel.states import PaymentKind
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.actions import Directory
from hundi.merchants.directory.rules import Merchant, MerchantSettings
from hundi.payments.attempts.actions import payable
from hundi.payments.attempts.jobs import inquiries
from hundi.payments.captures.jobs import completions, uncaptured
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import PaymentCase, PaymentContext
from hundi.payments.orders.jobs import sessions
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Buyer, NewOrder, PaymentView
from hundi.payments.refunds.jobs import refunds
from hundi.payments.risk.actions import NOBODY, PayerTrace, RiskControl
from tests.acquirer import ScriptedAcquirer
from tests.recording import RECORDED

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
CARD = CardNumber("4111111111111111", 12, 2030, "123")
VAULT = Vault({"k1": bytes(32)})
_orders = count(1)


@dataclass
class Shop:
    """Everything a test of payments holds in its hands."""

    db: Database
    context: PaymentContext
    merchant: Merchant
    bank: ScriptedAcquirer

    async def order(
        self,
        paise: int = 149_950,
        order_id: str = "",
        *,
        content: bytes = b"",
        now: datetime = NOW,
        kind: PaymentKind = PaymentKind.SALE,
        customer: str = "",
    ) -> PaymentView:
        """Open a payment."""
        order = NewOrder(
            order_id=order_id or f"ORD-{next(_orders)}",
            amount=Money(paise),
            kind=kind,
            buyer=Buyer(email="asha@example.in", firstname="Asha", customer=customer),
            content_hash=content or bytes(32),
        )
        return await opening.initiate(self.context, self.merchant, order, now)

    async def again(self, view: PaymentView) -> PaymentView:
        """Read a payment anew."""
        found = await payments.view(
            self.context, self.merchant.merchant_id, view.payment.payment_id
        )
        assert found is not None
        return found

    async def case(
        self, payment_id: int, now: datetime = NOW, payer: PayerTrace = NOBODY
    ) -> PaymentCase:
        """Return a payment for a new attempt."""
        return await payable(self.context, self.merchant, payment_id, now, payer)

    def fresh_directory(self) -> Directory:
        """Return a directory that has read no merchant yet.

        With it, changed settings count at once.
        """
        return Directory(self.db, VAULT, key_formulas)

    async def postings(self) -> list[tuple[str, str, int]]:
        """Return (kind, credit account, paise) of everything posted."""
        rows = await self.db.fetch(
            "SELECT kind, credit, amount_paise FROM ledger_postings ORDER BY at, kind"
        )
        return [tuple(row) for row in rows]

    async def told(self) -> list[str]:
        """Return the kinds of news the merchant is told, in order."""
        return [
            row["kind"]
            for row in await self.db.fetch(
                "SELECT kind FROM deliveries ORDER BY payment_id, event_no"
            )
        ]


async def open_shop(db: Database, settings: MerchantSettings | None = None) -> Shop:
    """Return one merchant, with UPI and cards unless told otherwise."""
    chosen = settings or MerchantSettings()
    merchant_id, _ = await merchants.add(
        db, VAULT, name="Asha", mode="live", settings=chosen, now=NOW, beside=RECORDED
    )
    directory = Directory(db, VAULT, key_formulas)
    merchant = await directory.get(merchant_id)
    assert merchant is not None
    bank = ScriptedAcquirer()
    context = PaymentContext(
        db,
        directory,
        Registry([bank]),
        RiskControl(db, VAULT),
        timedelta(minutes=15),
        timedelta(seconds=480),
    )
    return Shop(db, context, merchant, bank)


async def inquire_due(context: PaymentContext, now: datetime) -> int:
    """Ask about the attempts that are due: one round of a worker."""
    return await inquiries(context).once(now)


async def refund_due(context: PaymentContext, now: datetime) -> int:
    """Work on the refunds that are due: one round of a worker."""
    return await refunds(context).once(now)


async def complete_due(context: PaymentContext, now: datetime) -> int:
    """Work on the completions that are due and void what nobody captured: one round of a worker."""
    return await completions(context).once(now) + await uncaptured(context).once(now)


async def close_due(context: PaymentContext, now: datetime) -> int:
    """Close the sessions that are over: one round of a worker."""
    return await sessions(context).once(now)
