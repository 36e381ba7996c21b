"""A merchant that shares payments with linked accounts, and an acquirer that settles shares."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count

import msgspec

from hundi.acquirers.port.answers import Approved, BankCallback
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import SplitKind
from hundi.money.audit import actions as audit
from hundi.money.audit.rules import Violation
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.direct_shares import jobs, store
from hundi.payments.direct_shares.reversals import store as reversals
from hundi.payments.direct_shares.reversals.rules import ShareReversal
from hundi.payments.direct_shares.rules import DirectShare, LinkedParty
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.splits import actions as splits
from hundi.payments.splits.rules import SharePart, SplitOrder
from tests.payments.direct_shares.splitting import SharingAcquirer
from tests.payments.interrupted import shop_on
from tests.payments.stages import after_all
from tests.recording import BY
from tests.shop import NOW, VAULT, Shop, open_shop, refund_due

PAISE = 100_000
WEAVER, DYER = "WEAVER", "DYER"
PARTY = "acc_weaver"
RRN = "632512345678"
PARTS = (SharePart(WEAVER, 80_00), SharePart(DYER, 5_00))
"""80 per cent at the acquirer, 5 by a payout; the rest is the merchant's."""
_requests = count(1)


@dataclass
class Market:
    """Everything a test of direct shares holds in its hands."""

    shop: Shop
    bank: SharingAcquirer

    @property
    def db(self) -> Database:
        """Return the database."""
        return self.shop.db

    @property
    def merchant_id(self) -> int:
        """Return the merchant."""
        return self.shop.merchant.merchant_id

    def on(self, db: Database) -> "Market":
        """Return the market in a process with this database."""
        return Market(shop_on(self.shop, db), self.bank)

    async def paid(self, *, now: datetime = NOW) -> PaymentView:
        """Return a paid order."""
        view = await self.shop.order(PAISE, now=now)
        assert view.offered is not None
        word = BankCallback("cb-1", view.offered.reference, Approved(Money(PAISE), RRN))
        await answers.handle_callback(self.shop.context, "sandbox", word, now)
        return await self.shop.again(view)

    async def split(
        self,
        view: PaymentView,
        *parts: SharePart,
        request_id: str = "",
        now: datetime = NOW,
    ) -> None:
        """Share a payment, as the merchant's server does."""
        shared = parts or PARTS
        order = SplitOrder(
            payment_id=view.payment.payment_id,
            request_id=request_id or str(next(_requests)),
            kind=SplitKind.PERCENTAGE,
            primary_value=100_00 - sum(each.value for each in shared),
            parts=shared,
            content_hash=sha256(repr(shared).encode()).digest(),
            rrn=RRN,
        )
        await splits.configure(self.db, self.merchant_id, order, now)

    async def shared(self) -> PaymentView:
        """Return a paid order that was shared."""
        view = await self.paid()
        await self.split(view)
        return view

    async def work(self, now: datetime) -> int:
        """Work on the shares that are due: one round of a worker."""
        return await jobs.direct_shares(self.shop.context, VAULT).once(now)

    async def refund(self, view: PaymentView, paise: int, now: datetime = NOW) -> None:
        """Refund a part of a payment, and let the acquirer do it."""
        await self.refund_later(view, paise, now)
        await refund_due(self.shop.context, now)

    async def refund_later(self, view: PaymentView, paise: int, now: datetime = NOW) -> None:
        """Request a refund of a part of a payment."""
        request = ItemToRefund(paise)
        number = view.payment.payment_id
        (answer,) = await refunds.request(
            self.shop.context, self.shop.merchant, number, [request], now
        )
        assert answer.refusal is None

    async def share(self, view: PaymentView) -> DirectShare:
        """Return the newest direct share of a payment."""
        return (await self.shares(view))[-1]

    async def shares(self, view: PaymentView) -> list[DirectShare]:
        """Return every direct share of a payment."""
        return await store.of_payment(self.db, self.merchant_id, view.payment.payment_id)

    async def reversals(self, view: PaymentView) -> list[ShareReversal]:
        """Return the reversals of a payment's newest direct share."""
        return await reversals.of_share(self.db, await self.share(view))

    async def states(self, share: DirectShare) -> list[str]:
        """Return the states that a share went through."""
        events = await self.db.fetch(
            "SELECT state FROM direct_share_events WHERE merchant_id = $1 AND share_id = $2"
            " ORDER BY event_no",
            *(self.merchant_id, share.share_id),
        )
        return [row["state"] for row in events]

    async def postings(self, *kinds: str) -> list[tuple[str, str, str, int]]:
        """Return (kind, debit, credit, paise) of what direct shares posted, in order."""
        rows = await self.db.fetch(
            "SELECT kind, debit, credit, amount_paise FROM ledger_postings WHERE kind LIKE"
            " 'direct%' AND ($1 OR kind = ANY ($2::text[])) ORDER BY at, xact, kind",
            not kinds,
            list(kinds),
        )
        return [tuple(row) for row in rows]

    async def balance(self, account: str) -> int:
        """Return an account's debits less its credits, in paise."""
        return await self.db.fetchval(
            "SELECT coalesce(sum(CASE WHEN debit = $1 THEN amount_paise WHEN credit = $1 THEN"
            " -amount_paise ELSE 0 END), 0)::bigint FROM ledger_postings",
            account,
        )

    async def later(self) -> datetime:
        """Return a moment after everything that happened."""
        return await after_all(self.db)

    async def holds(self) -> None:
        """Every promise of the books holds."""
        report = await audit.audit(self.db, [], await self.later())
        assert report.holds, [each for each in report.checked if each.count]

    async def broken(self) -> set[Violation]:
        """Return the promises of the books that do not hold."""
        report = await audit.audit(self.db, [], await self.later())
        return {each.violation for each in report.checked if each.count}


async def open_market(db: Database, bank: SharingAcquirer) -> Market:
    """Return a merchant with two linked accounts; the acquirer settles the weaver's shares."""
    shop = await open_shop(db)
    settings = msgspec.structs.replace(shop.merchant.settings, multiple_partial_refunds=True)
    shop = replace(
        shop,
        bank=bank,
        merchant=replace(shop.merchant, settings=settings),
        context=replace(shop.context, connectors=Registry([bank])),
    )
    for place, name in enumerate((WEAVER, DYER)):
        account = (f"The {name}", f"5010012345678{place}", "HDFC0000001")
        await splits.link_account(db, BY, shop.merchant.merchant_id, name, *account, NOW)
    party = LinkedParty(WEAVER, "sandbox", PARTY)
    await splits.name_party(db, BY, shop.merchant.merchant_id, party, NOW)
    return Market(shop, bank)
