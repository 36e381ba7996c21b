"""The simulator's own database: one that another version made is refused."""

import asyncio

import asyncpg
import pytest

from hundi_testbed.bank.database import SchemaMismatchError, open_database
from tests.testbed.bank.harness import Process


async def test_a_database_of_another_version_is_refused(own_process: Process) -> None:
    url = own_process.environment["HUNDI_SIMBANK_DATABASE_URL"]
    await (await open_database(url, pool_size=1)).close()
    connection = await asyncpg.connect(url)
    await connection.execute("COMMENT ON TABLE payments IS NULL")
    await connection.close()
    with pytest.raises(
        SchemaMismatchError,
        match="another version of the simulator made the database 'simbank_test_",
    ):
        await open_database(url, pool_size=1)


async def test_calls_that_come_together_share_a_transaction_and_no_refusal(
    own_process: Process,
) -> None:
    database = await open_database(
        own_process.environment["HUNDI_SIMBANK_DATABASE_URL"], pool_size=4
    )
    query = "SELECT ROW(12 / $1::int, pg_current_xact_id())::text"
    try:
        answers = await asyncio.gather(*(database.write(query, each) for each in (1, 2, 3)))
        xact = [each.strip("()").split(",")[1] for each in answers]
        assert [each.strip("()").split(",")[0] for each in answers] == ["12", "6", "4"]
        assert xact[1] == xact[2] != xact[0]
        first, refused, other = await asyncio.gather(
            *(database.write(query, each) for each in (1, 0, 4)), return_exceptions=True
        )
        assert isinstance(refused, asyncpg.DivisionByZeroError)
        assert (str(first)[:3], str(other)[:2]) == ("(12", "(3")
        assert (await database.write(query, 6)).startswith("(2")
    finally:
        await database.close()
