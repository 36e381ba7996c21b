"""The search index follows payments, archived ones too, and finds each by all references."""

from datetime import timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.ids import first_id
from hundi.money.ledger import actions as ledger
from hundi.payments.archive import actions as archiving
from hundi.payments.archive.rules import ArchivePolicy
from hundi.payments.orders.changes import actions as following
from hundi.payments.search import actions, store
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT, VAULT
from tests.moves import move

LATER = AT + timedelta(days=200)
POLICY = ArchivePolicy(after=timedelta(days=180), patience=timedelta(0))
BUYER = '{"phone": "+91 98765 43210", "email": "Asha@Example.in"}'
EVENT = """
INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor)
VALUES ($1, $2, 99, now(), 'note', 'failed', 'operator')
"""


@pytest.fixture
async def kept(db: Database) -> Database:
    """Sound books, in which payment 3 has a customer, and an attempt by card."""
    await books.write(db)
    await db.execute(
        "UPDATE payments SET buyer = $3::text::jsonb WHERE merchant_id = $1 AND payment_id = $2",
        *ours(3),
        BUYER,
    )
    await db.execute(
        "UPDATE attempts SET card = $2::text::jsonb, payer_vpa = 'asha@okbank'"
        " WHERE merchant_id = $1 AND attempt_id = 31",
        MERCHANT,
        '{"last4": "0042"}',
    )
    return db


def ours(payment_id: int) -> tuple[int, int]:
    return MERCHANT, payment_id


async def found(db: Database, text: str) -> list[int]:
    result = await actions.search(db, VAULT, MERCHANT, text, LATER)
    return [row["payment_id"] for row in result.payments]


async def keys(db: Database) -> list[tuple[object, ...]]:
    rows = await db.fetch("SELECT kind, key, payment_id FROM search_keys ORDER BY 1, 2, 3")
    return [tuple(row) for row in rows]


async def test_a_payment_is_found_by_each_of_its_names(kept: Database) -> None:
    assert await actions.follow(kept, VAULT) == 10
    for text in ("9876543210", "+91 98765 43210", "asha@example.in", "ASHA@OKBANK", "0042"):
        assert await found(kept, text) == [3], text
    order_id = await kept.fetchval(
        "SELECT order_id FROM payments WHERE merchant_id = $1 AND payment_id = 3", MERCHANT
    )
    assert await found(kept, order_id) == [3]
    assert set(await found(kept, "499.00")) == {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
    for text in ("", "nobody@example.in", "9876500000", "17.00", "7777"):
        assert await found(kept, text) == [], text


async def test_our_own_ids_lead_to_their_payment(kept: Database) -> None:
    (refund,) = await kept.fetch(
        "SELECT refund_id, payment_id FROM refunds WHERE merchant_id = $1 LIMIT 1", MERCHANT
    )
    for number, payment in ((31, 3), (3, 3), (refund["refund_id"], refund["payment_id"])):
        assert payment in await store.by_id(kept, MERCHANT, number)


async def test_only_what_is_new_is_read_and_reading_it_twice_changes_nothing(
    kept: Database,
) -> None:
    await actions.follow(kept, VAULT)
    before = await keys(kept)
    assert await actions.follow(kept, VAULT) == 0
    await kept.execute(EVENT, *ours(3))
    assert await actions.follow(kept, VAULT) == 1
    await kept.execute(
        "UPDATE search_marks SET upto_xact = '0', upto_id = -1, cluster = 'elsewhere'"
    )
    assert await actions.follow(kept, VAULT) == 10
    assert await keys(kept) == before


async def test_what_was_paid_on_another_node_is_found_when_the_merchant_is_back(
    kept: Database,
) -> None:
    await actions.follow(kept, VAULT)
    await move(kept, "search_marks")
    assert await actions.follow(kept, VAULT) == 10
    assert await actions.follow(kept, VAULT) == 0


async def test_chunks_leave_nothing_out(kept: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await actions.follow(kept, VAULT)
    before = await keys(kept)
    await kept.execute("TRUNCATE search_keys, search_marks")
    monkeypatch.setattr(following, "CHUNK", 1)
    await actions.follow(kept, VAULT)
    assert await keys(kept) == before


@pytest.mark.parametrize("first", ["index", "archive"])
async def test_what_is_in_the_archive_is_found_whenever_the_index_came(
    kept: Database, first: str
) -> None:
    await ledger.roll_checkpoints(kept, LATER)
    if first == "index":
        await actions.follow(kept, VAULT)
    assert (await archiving.archive(kept, POLICY, LATER, lambda _doing, _done: None)).moved == 4
    await actions.follow(kept, VAULT)
    for text in ("9876543210", "asha@okbank", "0042"):
        result = await actions.search(kept, VAULT, MERCHANT, text, LATER)
        assert [(row["payment_id"], row["is_archived"]) for row in result.payments] == [
            (3, True)
        ], text


async def test_the_newest_are_found_before_they_are_indexed(kept: Database) -> None:
    now = AT + timedelta(days=1)
    newest = first_id(now) + 5
    await kept.execute(
        """INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise,
        currency, kind, state, buyer, created_at, expires_at)
        VALUES ($1, $2, 'new', sha256(''), 7700, 'INR', 'sale', 'open', $3::text::jsonb, $4, $4)""",
        MERCHANT, newest, BUYER, now,
    )  # fmt: skip
    for text in ("77.00", "9876543210", "asha@example.in", "new", str(newest)):
        result = await actions.search(kept, VAULT, MERCHANT, text, now)
        assert [row["payment_id"] for row in result.payments] == [newest], text


async def test_merchants_never_see_each_other(kept: Database) -> None:
    await actions.follow(kept, VAULT)
    result = await actions.search(kept, VAULT, MERCHANT + 1, "9876543210", LATER)
    assert (result.payments, result.payouts, result.more) == ([], [], False)
