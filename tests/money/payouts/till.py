"""A merchant with settled shares, its bank account, and a bank that can be told what to say."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count

from asyncpg import Record

from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.ids import first_id
from hundi.money.audit import actions as audit
from hundi.money.audit.payouts.store import CHECKS
from hundi.money.audit.rules import Violation
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import jobs as account_jobs
from hundi.money.bank_accounts.rules import PRIMARY, PayoutAccount
from hundi.money.payouts import actions, jobs, store
from hundi.money.payouts.actions import PayoutContext
from hundi.money.payouts.rails.rules import PayoutChannel
from hundi.money.payouts.rules import Answer, Gaps, PayoutTry
from tests.acquirer import ScriptedAcquirer
from tests.recording import BY
from tests.shop import NOW, VAULT, Shop, open_shop

NUMBER, IFSC, HOLDER = "50100012349999", "HDFC0000001", "Asha Stores"
MAKER, CHECKER = "Meera", "Chetan"
SOON, LATER = NOW + timedelta(minutes=2), NOW + timedelta(days=1)
PAISE = 149_950
_places = count(1)
_POST = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
VALUES ($1, $2, $3, $4, $5, $6, 'INR', $7)
"""
_SETTLE = """
INSERT INTO settlements (merchant_id, settlement_id, settlement_no, day, kind, at, terms_no, items,
    carried_in_paise, gross_paise, refunds_paise, other_paise, fee_paise, tax_paise, price_paise,
    price_tax_paise, reserve_held_paise, reserve_released_paise, net_paise, splits_paise,
    carried_paise, linked_carried, digest)
VALUES ($1, $2, $3, $4, 'daily', $5, 0, 1, 0, $6, 0, 0, 0, 0, 0, 0, 0, 0, $7, $8, 0, '{}',
    sha256('items'))
"""
_ITEM = """
INSERT INTO settlement_items (merchant_id, cause_id, kind, at, ready_on, gross_paise, fee_paise,
    tax_paise, net_paise, rule, plan_no, terms_no, settlement_id)
VALUES ($1, $2, 'payment', $3, $4, $5, 0, 0, $5, 'no_plan', 0, 0, $6)
"""
_SHARE = """
INSERT INTO settlement_shares (merchant_id, share_id, settlement_id, beneficiary, amount_paise,
    created_at)
VALUES ($1, $2, $3, $4, $5, $6)
"""
_OPEN = (
    "INSERT INTO shares_to_pay (merchant_id, share_id, beneficiary, account_no) VALUES ($1, $2,"
    " $3, 0)"
)


@dataclass
class Till:
    """Everything a test of payouts holds in its hands."""

    shop: Shop
    context: PayoutContext

    @property
    def db(self) -> Database:
        """Return the database."""
        return self.shop.db

    @property
    def bank(self) -> ScriptedAcquirer:
        """Return the bank that pays out."""
        return self.shop.bank

    @property
    def merchant_id(self) -> int:
        """Return the merchant."""
        return self.shop.merchant.merchant_id

    async def settle(
        self, paise: int = 149_950, beneficiary: str = PRIMARY, *, now: datetime = NOW
    ) -> int:
        """Write a settlement of one payment with one share, and return the share's id."""
        place = next(_places)
        settlement_id, share_id, cause_id = (first_id(now) + place * 10 + part for part in range(3))
        primary, day = beneficiary == PRIMARY, now.date() + timedelta(days=place)
        async with self.db.transaction() as conn:
            me, source = self.merchant_id, "settlement_due" if primary else "payable_linked"
            await conn.execute(
                _POST, me, cause_id, "payment", "receivable:sandbox", "payable", paise, now
            )
            split = (paise, 0) if primary else (0, paise)
            await conn.execute(_SETTLE, me, settlement_id, place, day, now, paise, *split)
            await conn.execute(_ITEM, me, cause_id, now, day, paise, settlement_id)
            await conn.execute(_SHARE, me, share_id, settlement_id, beneficiary, paise, now)
            await conn.execute(_OPEN, me, share_id, beneficiary)
            await conn.execute(_POST, me, share_id, "share_due", "payable", source, paise, now)
        return share_id

    async def add_account(self, number: str = NUMBER, *, now: datetime = NOW) -> PayoutAccount:
        """Add or change the merchant's account, as the command line does."""
        given = (HOLDER, number, IFSC)
        return await bank_accounts.add(
            self.db, self.merchant_id, PRIMARY, given, "Asha", BY, now, replaced=actions.hold_back
        )

    async def add_weaver(self) -> PayoutAccount:
        """Add the linked account WEAVER, and its bank account."""
        key = self.merchant_id, "WEAVER", "The Weaver", IFSC
        await self.db.execute(
            "INSERT INTO linked_accounts (merchant_id, identifier, name, sealed_number, last4,"
            " ifsc, ledger_account, created_at) VALUES ($1, $2, $3, $4, '0005', $5,"
            " 'payable_linked:1', $6)",
            *key[:3],
            VAULT.seal(b"50100010007", "linked-account-number", *key),
            IFSC,
            NOW,
        )
        given = ("", "", "")
        return await bank_accounts.add(
            self.db, self.merchant_id, "WEAVER", given, "Asha", BY, NOW, replaced=actions.hold_back
        )

    async def check_accounts(self, now: datetime = NOW) -> int:
        """Check the accounts that are due: one round of a worker."""
        return await account_jobs.checks(self.db, VAULT, self.context.connectors).once(now)

    async def prepared(self, paise: int = 149_950, *, now: datetime = NOW) -> PayoutTry:
        """Return a payout of a new share to a verified account."""
        share_id = await self.settle(paise, now=now)
        if not await self.db.fetchval("SELECT count(*) FROM bank_accounts"):
            await self.add_account(now=now)
            await self.check_accounts(now)
        await actions.prepare(self.context, now)
        return await self.of_share(share_id)

    async def approved(
        self, paise: int = 149_950, channel: PayoutChannel | None = None, *, now: datetime = NOW
    ) -> PayoutTry:
        """Return a payout that two people released."""
        payout = await self.prepared(paise, now=now)
        await self.approve(payout, MAKER, channel)
        return await self.approve(payout, CHECKER)

    async def approve(
        self, payout: PayoutTry, person: str, channel: PayoutChannel | None = None
    ) -> PayoutTry:
        """Release a payout as one person."""
        return await actions.approve(
            self.db, self.merchant_id, payout.payout_id, person, channel, payout.created_at
        )

    async def work(self, now: datetime) -> int:
        """Send and ask about what is due: one round of a worker."""
        return await jobs.payouts(self.context).once(now)

    async def settles(self, payout: PayoutTry, answer: Answer, now: datetime) -> None:
        """Apply an answer about one payout, as an inquiry about it alone brings it."""
        gaps = Gaps(returned_s=self.bank.returned_gaps_s)
        await actions.settle(self.db, await self.again(payout), answer, gaps, now)

    async def open_shares(self) -> list[Record]:
        """Return the shares that no payout pays."""
        return await self.db.fetch(
            "SELECT * FROM shares_to_pay WHERE merchant_id = $1", self.merchant_id
        )

    async def again(self, payout: PayoutTry) -> PayoutTry:
        """Read a payout anew."""
        found = await store.select(self.db, self.merchant_id, payout.payout_id)
        assert found is not None
        return found

    async def of_share(self, share_id: int) -> PayoutTry:
        """Return the newest payout of a share."""
        listed = await store.listed(self.db, self.merchant_id, (), 100)
        return max(
            (each for each in listed if each.share_id == share_id), key=lambda each: each.try_no
        )

    async def postings(self) -> list[tuple[str, str, str, int]]:
        """Return (kind, debit, credit, paise) of what payouts posted, in order."""
        rows = await self.db.fetch(
            "SELECT kind, debit, credit, amount_paise FROM ledger_postings WHERE kind LIKE"
            " 'payout%' ORDER BY at, xact"
        )
        return [tuple(row) for row in rows]

    async def states(self, payout: PayoutTry) -> list[str]:
        """Return the states that a payout went through."""
        return [
            row["state"]
            for row in await store.events_of(self.db, self.merchant_id, payout.payout_id)
        ]

    async def broken(self, now: datetime) -> set[Violation]:
        """Return the broken promises about payouts, by the audit's checks, bank and chain."""
        report = await audit.audit(self.db, [], now)
        looked = {
            *CHECKS,
            Violation.SEALED_ROW_DIFFERS,
            Violation.CHAIN_BROKEN,
            Violation.SCHEDULE_TOO_LATE,
        }
        return {
            each.violation for each in report.checked if each.count and each.violation in looked
        }


async def open_till(db: Database) -> Till:
    """Return a merchant without settlements."""
    shop = await open_shop(db)
    return Till(shop, PayoutContext(db, VAULT, Registry([shop.bank])))
