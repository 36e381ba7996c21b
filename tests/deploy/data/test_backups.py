"""The recipe of docs/database.md#pgbackrest: a copy under load, and a restore to a moment."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.deploy.data.recipes import steps
from tests.deploy.data.servers import SAMPLES, OwnServer, give, operators_folder, own_server
from tests.deploy.data.shops import opened
from tests.system.crowd import BY_CARD, BY_UPI, Customer, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway

PGBACKREST = "pgBackRest"
_STATES = """
SELECT coalesce(string_agg(order_id || ' ' || state, ',' ORDER BY order_id), '') FROM payments
WHERE order_id = ANY('{%s}')
"""


def _backed_up(folder: Path) -> dict[str, str]:
    """Return the environment that puts the places of the sample into a test's folder."""
    for name in ("repository", "log", "lock", "spool", "conf.d"):
        (folder / name).mkdir()
        give(folder / name)
    key = folder / "conf.d" / "key.conf"
    key.touch(0o600)
    give(key)
    key.write_text("[global]\nrepo1-cipher-pass=a key of this test alone\n")
    return {
        "PGBACKREST_CONFIG": str(SAMPLES / "pgbackrest.conf"),
        "PGBACKREST_CONFIG_INCLUDE_PATH": str(folder / "conf.d"),
        "PGBACKREST_REPO1_PATH": str(folder / "repository"),
        "PGBACKREST_LOG_PATH": str(folder / "log"),
        "PGBACKREST_LOCK_PATH": str(folder / "lock"),
        "PGBACKREST_SPOOL_PATH": str(folder / "spool"),
    }


def _states(own: OwnServer, crowd: list[Customer]) -> str:
    return own.sql(_STATES % ",".join(each.order_id for each in crowd))


@pytest.mark.not_on_citus("it is about one server")
def test_a_lost_server_is_restored_to_a_moment(
    server: MerchantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with operators_folder() as folder:
        environment = _backed_up(folder)
        settings = (SAMPLES / "postgresql.conf").read_text()
        with own_server(folder, settings, environment) as own:
            own.carry_out(steps("A server of your own"))
            prepare, copy, restore, audit = steps(PGBACKREST)
            own.carry_out([prepare])
            with RunningGateway(folder / "gateway", **own.settings()) as gateway:
                monkeypatch.setenv("HUNDI_DATABASE_URL", own.addresses()["operator"])
                with opened(gateway, server, "careful") as shop:
                    earlier = customers(shop, 12, (BY_UPI, BY_CARD))
                    later = customers(shop, 4, (BY_UPI,))
                    at_once(earlier, lambda: _told(own.carry_out([copy])))
                    for each in earlier:
                        each.ends()
                    # pgBackRest counts the end of a copy in whole seconds.
                    time.sleep(1)
                    moment = datetime.now(UTC)
                    time.sleep(0.05)
                    at_once(later)
                    for each in later:
                        each.ends()
                    own.sql("SELECT pg_switch_wal()")
                    paid = _states(own, earlier)
            assert paid.count(" paid") == len(earlier)
            own.kill()
            own.carry_out([restore], MOMENT=moment.isoformat(sep=" "))
            assert (_states(own, earlier), _states(own, later)) == (paid, "")
            own.carry_out([audit], DATA_DIR=str(folder / "gateway" / "data"))


def _told(words: str) -> None:
    assert "ERROR" not in words, words
