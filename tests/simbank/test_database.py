"""The simulator's own database: one that another version made is refused."""

import asyncpg
import pytest

from simbank.database import SchemaMismatchError, open_database
from tests.simbank.harness import Process


async def test_a_database_of_another_version_is_refused(own_process: Process) -> None:
    url = own_process.environment["HUNDI_SIMBANK_DATABASE_URL"]
    await (await open_database(url, pool_size=1)).close()
    connection = await asyncpg.connect(url)
    await connection.execute("COMMENT ON TABLE payments IS NULL")
    await connection.close()
    with pytest.raises(SchemaMismatchError, match="another version of the simulator made the database 'simbank_test_"):
        await open_database(url, pool_size=1)
