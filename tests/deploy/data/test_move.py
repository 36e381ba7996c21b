"""The recipe of docs/database.md#move: from the embedded database to a server of one's own."""

import json
from pathlib import Path

import pytest

from tests.deploy.data.recipes import RecipeStep, steps
from tests.deploy.data.servers import OwnServer, operators_folder, own_server
from tests.deploy.data.shops import facts, opened, pay, reopened, restarted, seal
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway

MOVE = "Move from the embedded database"
BEHIND = "run `hundi database advance`"


@pytest.mark.not_on_citus("it is about one server")
def test_the_books_go_on_at_a_server_of_ones_own(
    server: MerchantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with operators_folder() as folder, own_server(folder) as own:
        with (
            RunningGateway(folder / "gateway") as gateway,
            opened(gateway, server, "old") as old,
            opened(gateway, server, "young") as young,
        ):
            earlier = pay(old, 6)
            seal(gateway.database_url(), gateway.data_dir)
            # Its books have no block yet when they are copied.
            latest = pay(young, 2)
            before = facts(old, earlier), facts(young, latest)
        restarted(gateway)

        own.carry_out(steps("A server of your own"))
        copy, advance, audit = steps(MOVE)
        given = {"DATA_DIR": str(gateway.data_dir)}
        own.carry_out([copy], **given)
        _refused(own, gateway.data_dir)
        told = own.carry_out([advance], **given)
        assert "granted the roles their rights" in told or "nothing to do" in told
        own.carry_out(steps("The counter of transactions"), N="1")
        assert int(own.sql("SELECT pg_current_xact_id()")) > 1 << 32
        assert "All promises are kept" in own.carry_out([audit], **given)

        with RunningGateway(folder / "gateway", **own.settings()) as gateway:
            monkeypatch.setenv("HUNDI_DATABASE_URL", own.addresses()["audit"])
            with reopened(old, gateway) as one, reopened(young, gateway) as other:
                assert (facts(one, earlier), facts(other, latest)) == before
                pay(one, 2)
                pay(other, 2)
            seal(own.addresses()["owner"], gateway.data_dir)
            report = gateway.audit()
            assert "counter_behind" not in report["notes"]
            assert own.sql(UNSEALED) == "0"


UNSEALED = """
SELECT count(*) FROM payment_events e WHERE NOT EXISTS (SELECT FROM chain_links l
    WHERE l.merchant_id = e.merchant_id AND l.book = 'events' AND l.id = e.payment_id
        AND l.part = 'event ' || e.event_no)
"""


def _refused(own: OwnServer, data_dir: Path) -> None:
    """Assert that whoever would write into the books refuses, and that the audit says why."""
    given = {"HUNDI_DATABASE_URL": own.addresses()["owner"], "HUNDI_DATA_DIR": str(data_dir)}
    for command in ("migrate", "worker", "api", "serve --port 0"):
        told = own.carry_out([RecipeStep("hundi", f"! hundi {command} 2>&1")], **given)
        assert BEHIND in told, (command, told)
        assert "Traceback" not in told, (command, told)
    audit = "hundi audit --without-acquirer sandbox --json 2>/dev/null"
    told = own.carry_out([RecipeStep("hundi", audit)], **given)
    assert json.loads(told)["notes"]["counter_behind"] > 0
