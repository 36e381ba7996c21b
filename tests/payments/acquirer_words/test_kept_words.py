"""What connectors remember of a reference is written once, and is there for every process."""

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.payments.acquirer_words.actions import KeptWords


async def test_the_first_word_of_a_name_counts(db: Database) -> None:
    words = KeptWords(db)
    assert await words.known("7-100000000000001") == {}
    assert await words.keep("7-100000000000001", {"order": "order_1"}) == {"order": "order_1"}
    both = {"order": "order_1", "payment": "pay_1"}
    assert await words.keep("7-100000000000001", {"order": "order_2", "payment": "pay_1"}) == both
    assert await KeptWords(db).known("7-100000000000001") == both
    for other in ("7-R100000000000001", "7-P100000000000001", "7-V100000000000001"):
        assert await words.keep(other, {"order": "order_3"}) == {"order": "order_3"}


async def test_words_of_one_call_are_kept_together_or_not_at_all(db: Database) -> None:
    words = KeptWords(db)
    with pytest.raises(asyncpg.CheckViolationError):
        await words.keep("7-100000000000001", {"order": "order_1", "rupees": ""})
    assert await words.known("7-100000000000001") == {}


async def test_nobody_changes_a_word(db: Database) -> None:
    await KeptWords(db).keep("7-100000000000001", {"order": "order_1"})
    for statement in ("UPDATE acquirer_words SET value = 'order_2'", "DELETE FROM acquirer_words"):
        with pytest.raises(asyncpg.RestrictViolationError):
            await db.execute(statement)
    assert await KeptWords(db).known("7-100000000000001") == {"order": "order_1"}


async def test_nothing_is_kept_about_the_references_of_probes(db: Database) -> None:
    for reference in ("0-1764341000000", "0-P1764341000000"):
        assert await KeptWords(db).known(reference) == {}
        with pytest.raises(ValueError, match="references"):
            await KeptWords(db).keep(reference, {"order": "order_1"})


async def test_words_are_about_references(db: Database) -> None:
    with pytest.raises(ValueError, match="references"):
        await KeptWords(db).known("order_1")


async def test_numbers_are_given_once(db: Database) -> None:
    one, other = KeptWords(db), KeptWords(db)
    assert [
        await one.take("bank", 20),
        await other.take("bank", 20),
        await one.take("bank", 1),
    ] == [1, 21, 41]
    assert await one.take("another", 5) == 1
    assert await one.take("bank", 1) == 42


async def test_a_series_never_goes_back(db: Database) -> None:
    await KeptWords(db).take("bank", 20)
    for statement in (
        "UPDATE acquirer_numbers SET last_number = 19",
        "UPDATE acquirer_numbers SET series = 'another'",
    ):
        with pytest.raises(asyncpg.RestrictViolationError):
            await db.execute(statement)
