"""What the tests of the simulation share: runs, each on a database of its own."""

from collections.abc import Callable
from itertools import count

import pytest

from hundi.infra.postgres.migrate import with_database
from hundi_testbed.simulation.life import SimulationPlan
from hundi_testbed.simulation.run import RunOutcome, simulate
from tests.conftest import Databases

_numbers = count(1)
Run = Callable[[SimulationPlan], RunOutcome]


@pytest.fixture(scope="module")
def run(databases: Databases, template: str) -> Run:
    """Runs a plan on a database of its own."""

    def one(plan: SimulationPlan) -> RunOutcome:
        name = f"{template}_simulation_{next(_numbers)}"
        databases.run(f'create database "{name}" template "{template}" strategy file_copy')
        try:
            return simulate(plan, with_database(databases.url, name))
        finally:
            databases.drop(name)

    return one
