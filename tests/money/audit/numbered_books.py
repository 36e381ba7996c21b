"""Sound books of some days with numbers made from times, as a seed has them.

Each payment is a story of several days. Its steps are written in the order of their times, and a
worker seals in between: what happens before midnight may be sealed after it.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random

from hundi.infra.postgres.database import Database
from hundi.kernel import ids
from hundi.money.chain import actions as chain
from hundi.money.settlements import actions as settlements
from tests.money.audit import statements as sql
from tests.money.audit.books import ACTORS, VAULT

FIRST_MIDNIGHT = datetime(2026, 11, 15, 18, 30, tzinfo=UTC)
"""Midnight in India, when the first day begins."""
MERCHANTS = 10_001, 10_002, 10_999
"""The last one is not in `merchants`."""
PRICE = 49_900
_DAY = timedelta(days=1)
_BEFORE_MIDNIGHT = timedelta(minutes=10)
_LAST_NUMBER = 999_999_999_999_999

TABLES = (
    "payments",
    "attempts",
    "payment_events",
    "ledger_postings",
    "refunds",
    "refund_requests",
    "completions",
    "split_configurations",
    "split_parts",
    "deliveries",
    "delivery_attempts",
    "endpoint_deliveries",
    "endpoint_tries",
    "settlements",
    "settlement_items",
    "settlement_shares",
    "settlement_parts",
    "chain_links",
    "chain_blocks",
)


class NumberedBooks:
    """Stories that a seed tells, and how they are written."""

    def __init__(self, seed: int, payments: int = 24) -> None:
        self.rng = Random(seed)  # noqa: S311 (no secret)
        self.days = self.rng.randint(4, 6)
        self.end = FIRST_MIDNIGHT + self.days * _DAY
        self.steps: list[tuple[datetime, str, tuple[object, ...]]] = []
        self.given: list[int] = []
        self.numbers: dict[str, list[tuple[int, int]]] = {}
        for place in range(payments):
            at = FIRST_MIDNIGHT + self.rng.random() * self.days * _DAY
            Story(self, self.rng.choice(MERCHANTS), at).tell(place)
        for _ in range(4):
            self.other_postings(self.rng.choice(MERCHANTS))

    def number(self, kind: str, merchant_id: int, at: datetime) -> int:
        """Return a new number, mostly of its time.

        Some are of another day, and some are those of an attempt or a refund. Those in `given`
        come first.
        """
        if self.given:
            return self.given.pop()
        chosen = self.rng.random()
        others = [n for m, n in self.numbers.get(self.other_of(kind), []) if m == merchant_id]
        while True:
            if chosen < 0.12:
                at = FIRST_MIDNIGHT + self.rng.random() * self.days * _DAY
            number = ids.first_id(at) + self.rng.randrange(1_000_000)
            if 0.12 <= chosen < 0.3 and others:
                number = others.pop(self.rng.randrange(len(others)))
            elif 0.3 <= chosen < 0.35:
                number = self.rng.choice((self.rng.randint(1, 99), _LAST_NUMBER - number % 99))
            if (merchant_id, number) not in self.numbers.setdefault(kind, []):
                self.numbers[kind].append((merchant_id, number))
                return number

    @staticmethod
    def other_of(kind: str) -> str:
        """Return whose numbers a kind may share."""
        return {"refund": "attempt", "attempt": "refund", "payment": "attempt"}.get(kind, kind)

    def later(self, at: datetime) -> datetime:
        """Return when the next step of a story is, on the same day or on another."""
        wait = self.rng.choice(
            (timedelta(minutes=3), timedelta(hours=5), _DAY, 2 * _DAY, self.to_midnight(at))
        )
        return at + wait + timedelta(microseconds=self.rng.randrange(10**6))

    @staticmethod
    def to_midnight(at: datetime) -> timedelta:
        """Return how long it is to a minute before India's midnight."""
        return max(_DAY - (at - FIRST_MIDNIGHT) % _DAY - timedelta(minutes=1), timedelta(seconds=9))

    def step(self, at: datetime, statement: str, *values: object) -> None:
        """Add a step."""
        self.steps.append((at, statement, values))

    def other_postings(self, merchant_id: int) -> None:
        """Add postings of one cause that is neither an attempt nor a refund."""
        at = FIRST_MIDNIGHT + self.rng.random() * self.days * _DAY
        cause_id = self.number("dispute", merchant_id, at)
        self.step(
            at, sql.POSTING, merchant_id, cause_id, "dispute_held", "payable", "disputed", 7, at
        )
        at = self.later(at)
        self.step(
            at, sql.POSTING, merchant_id, cause_id, "dispute_won", "disputed", "payable", 7, at
        )

    def seals(self) -> Iterator[datetime]:
        """Yield when a worker seals: after each midnight, and on some days before it."""
        for day in range(1, self.days):
            midnight = FIRST_MIDNIGHT + day * _DAY
            if self.rng.random() < 0.6:
                yield midnight - self.rng.choice((_BEFORE_MIDNIGHT, timedelta(hours=9)))
            yield midnight + _BEFORE_MIDNIGHT
        if self.rng.random() < 0.7:
            yield self.end - _BEFORE_MIDNIGHT

    async def write(self, db: Database) -> None:
        """Write all, and let tests change it."""
        for table in TABLES:
            await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for merchant_id in MERCHANTS[:2]:
            await db.execute(sql.MERCHANT, merchant_id, self.end)
            await db.execute(sql.LINKED_ACCOUNT, merchant_id, FIRST_MIDNIGHT)
        steps = sorted(
            (step for step in self.steps if step[0] < self.end), key=lambda step: step[0]
        )
        ids.draw_by(self.rng.randrange)
        try:
            for at in self.seals():
                now = [step for step in steps if step[0] < at]
                steps = steps[len(now) :]
                await self._write(db, now)
                if self.rng.random() < 0.7:
                    await settlements.run(db, at)
                await chain.seal(db, VAULT, at, rows_max=self.rng.choice((3, 50)))
            await self._write(db, steps)
        finally:
            ids.draw_by()

    @staticmethod
    async def _write(db: Database, steps: list[tuple[datetime, str, tuple[object, ...]]]) -> None:
        by_time: dict[datetime, list[tuple[str, tuple[object, ...]]]] = {}
        for at, statement, values in steps:
            by_time.setdefault(at, []).append((statement, values))
        for together in by_time.values():
            async with db.transaction() as conn:
                for statement, values in together:
                    await conn.execute(statement, *values)


class Story:
    """What happens to one payment."""

    def __init__(self, books: NumberedBooks, merchant_id: int, at: datetime) -> None:
        self.books, self.merchant_id, self.at = books, merchant_id, at
        self.rng = books.rng
        self.payment_id = books.number("payment", merchant_id, self.at)
        self.state, self.revision, self.captured = "open", 0, 0
        self.refunds, self.refunded = 0, 0
        books.step(self.at, sql.PAYMENT, merchant_id, self.payment_id, self.at)

    def tell(self, place: int) -> None:
        """Tell the whole story. place: says which."""
        if place % 3 == 0:  # otherwise with its first attempt
            self.event("created", "open")
            self.next()
            attempt_id = self.attempt()
            self.event("attempt_started", "in_process", of=attempt_id)
        else:
            attempt_id = self.attempt("offered")
            self.event("created", "open", of=attempt_id)
        plots: list[Callable[[int], None]] = [
            *(self.paid,) * 3,
            self.captured_later,
            self.voided,
            self.paid_late,
            self.failed,
            self.expired,
            self.reviewed,
        ]
        self.next()
        plots[place % len(plots)](attempt_id)

    def next(self) -> None:
        self.at = self.books.later(self.at)

    def attempt(self, state: str = "sent") -> int:
        number = self.books.number("attempt", self.merchant_id, self.at)
        self.step(sql.ATTEMPT, number, self.payment_id, self.at, state)
        return number

    def step(self, statement: str, *values: object) -> None:
        if self.at < self.books.end:
            self.books.step(self.at, statement, self.merchant_id, *values)

    def event(self, kind: str, state: str, *, of: int | None = None, told: str = "") -> None:
        self.state, self.revision = state, self.revision + 1
        actor = ACTORS.get(kind, "bank")
        actor = "operator" if kind in {"review_released", "review_rejected"} else actor
        values = self.payment_id, self.revision
        self.step(sql.EVENT, *values, self.at, kind, state, actor, of)
        self.step(sql.MOVED, *values, state, self.captured, self.refunds, self.refunded)
        if told:
            facts = {
                **dict.fromkeys(
                    ("custom_var", "payer_vpa", "bank_code", "bank_message", "method"), ""
                ),
                "merchant_id": self.merchant_id,
                "payment_id": self.payment_id,
                "order_id": f"order-{self.payment_id}",
                "state": state,
                "amount_paise": PRICE,
                "currency": "INR",
                "kind": "sale",
                "rrn": f"debit-{of}",
            }
            self.step(sql.DELIVERY, *values, told, self.at, facts)
            self.step(sql.TRY, *values, self.at)
            if self.rng.random() < 0.4:
                self.step(sql.ENDPOINT_DELIVERY, *values, told, self.at, facts)
                self.step(sql.ENDPOINT_TRY, *values, self.at)

    def post(self, cause_id: int, kind: str, debit: str, credit: str, paise: int = PRICE) -> None:
        self.step(sql.POSTING, cause_id, kind, debit, credit, paise, self.at)

    def pay(self, attempt_id: int) -> None:
        self.captured = PRICE
        self.step(sql.ENDED, attempt_id, "paid", PRICE, self.at)
        self.event("paid", "paid", of=attempt_id, told="paid")
        self.post(attempt_id, "payment", "receivable:sandbox", "payable")

    def paid(self, attempt_id: int) -> None:
        self.pay(attempt_id)
        if self.merchant_id != MERCHANTS[-1] and self.rng.random() < 0.3:
            self.next()
            request = str(self.payment_id)
            self.event("split_configured", "paid")
            self.step(sql.SPLIT, request, self.payment_id, self.at)
            self.step(sql.SPLIT_PART, request)
        if self.rng.random() < 0.3:
            self.paid_again()
        for _ in range(self.rng.randint(0, 2)):
            self.refund(attempt_id, "merchant", 100)

    def paid_again(self) -> None:
        self.next()
        attempt_id = self.attempt()
        self.event("attempt_started", "paid", of=attempt_id)
        self.next()
        self.step(sql.ENDED, attempt_id, "overpaid", 300, self.at)
        self.event("excess_payment", "paid", of=attempt_id, told="excess_payment")
        self.post(attempt_id, "overpaid", "receivable:sandbox", "owed_back", 300)
        self.refund(attempt_id, "overpaid", 300)

    def begin_refund(self, attempt_id: int, cause: str, paise: int) -> int:
        refund_id = self.books.number("refund", self.merchant_id, self.at)
        owed = "payable" if cause == "merchant" else "owed_back"
        request = f"R{refund_id}" if cause == "merchant" and self.rng.random() < 0.7 else ""
        values = refund_id, self.payment_id, attempt_id, cause, paise, self.at, request
        self.step(sql.REFUND, *values)
        if request:
            self.step(sql.ANSWER, request, refund_id, self.at)
        self.count(cause, 1, paise)
        self.event("refund_begun", self.state, of=attempt_id)
        self.post(refund_id, "refund_begun", owed, "refunds_in_flight", paise)
        return refund_id

    def refund(self, attempt_id: int, cause: str, paise: int) -> None:
        self.next()
        refund_id = self.begin_refund(attempt_id, cause, paise)
        owed = "payable" if cause == "merchant" else "owed_back"
        ends = self.rng.choice(((), ("done",), ("done", "reversed"), ("failed",)))
        for state in ends:
            self.next()
            self.step(sql.REFUND_ENDED, refund_id, state, self.at)
            if state != "done":
                self.count(cause, -1, -paise)
            kind = f"refund_{state}"
            self.event(kind, self.state, of=attempt_id, told=kind)
            taken = {"reversed": "receivable:sandbox"}.get(state, "refunds_in_flight")
            given = {"done": "receivable:sandbox"}.get(state, owed)
            self.post(refund_id, kind, taken, given, paise)

    def count(self, cause: str, refunds: int, paise: int) -> None:
        if cause != "overpaid":
            self.refunds, self.refunded = self.refunds + refunds, self.refunded + paise

    def authorised(self, attempt_id: int, asked: str, paise: int) -> int:
        self.step(sql.ENDED, attempt_id, "authorised", PRICE, self.at)
        self.event("authorised", "authorised", of=attempt_id, told="authorised")
        self.next()
        number = self.books.number("completion", self.merchant_id, self.at)
        self.step(sql.COMPLETION, number, self.payment_id, attempt_id, asked, paise, self.at)
        self.event(f"{asked}_asked", "authorised", of=attempt_id)
        self.next()
        self.step(sql.COMPLETED, number, self.at)
        return number

    def captured_later(self, attempt_id: int) -> None:
        self.authorised(attempt_id, "capture", 40_000)
        self.captured = 40_000
        self.event("captured", "captured", of=attempt_id, told="captured")
        self.post(attempt_id, "capture", "receivable:sandbox", "payable", 40_000)
        if self.rng.random() < 0.5:
            self.refund(attempt_id, "merchant", 100)

    def voided(self, attempt_id: int) -> None:
        self.authorised(attempt_id, "void", PRICE)
        self.event("voided", "voided", of=attempt_id, told="voided")

    def paid_late(self, attempt_id: int) -> None:
        self.expired(attempt_id)
        self.next()
        self.captured = PRICE
        self.step(sql.ENDED, attempt_id, "paid", PRICE, self.at)
        self.event("late_refund_due", "paid", of=attempt_id, told="late_success")
        self.post(attempt_id, "payment", "receivable:sandbox", "payable")
        self.post(attempt_id, "late_refund_due", "payable", "owed_back")
        self.refund(attempt_id, "late", PRICE)

    def failed(self, attempt_id: int) -> None:
        self.step(sql.ENDED, attempt_id, "failed", 0, self.at)
        self.event("failed", "failed", of=attempt_id, told="failed")

    def expired(self, attempt_id: int) -> None:
        self.step(sql.ENDED, attempt_id, "expired", 0, self.at)
        self.event("expired", "expired", of=attempt_id)

    def reviewed(self, attempt_id: int) -> None:
        self.step(sql.ENDED, attempt_id, "paid", PRICE, self.at)
        self.event("held", "under_review", of=attempt_id, told="under_review")
        self.post(attempt_id, "review_held", "receivable:sandbox", "held_for_review")
        self.next()
        self.captured = PRICE
        self.event("review_released", "paid", of=attempt_id, told="paid")
        self.post(attempt_id, "review_released", "held_for_review", "payable")
