"""A backup under load, and a database that is lost.

Restored to a moment, with every payment that was acknowledged by then.
"""

import base64
import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import NewFolder
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, Customer, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.machine import clean_environment
from tests.system.running import HUNDI, RunningGateway, until
from tests.system.shop import ASHA, VISA, Shop

ACCOUNT_KEY = "key-of-an-account-4711"


@contextmanager
def _followed(gateway: RunningGateway, target: Path) -> Iterator[None]:
    """Keep the target's log up to date for a block, as an operator's service does."""
    command = [str(HUNDI), "backup", str(target), "--follow", "--every", "0.5", "--json"]
    following = subprocess.Popen(
        [*command, "--data-dir", str(gateway.data_dir)],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: list(target.glob("wal/*.sealed")), "the log to arrive")
        yield
        following.send_signal(signal.SIGTERM)
        told, _ = following.communicate(timeout=120)
        assert following.returncode == 0
        assert json.loads(told)["target"] == str(target)
    finally:
        following.kill()
        following.wait()


def _states(gateway: RunningGateway, crowd: list[Customer]) -> dict[str, str]:
    rows = gateway.rows(
        "SELECT order_id::text AS id, state::text AS state FROM payments WHERE order_id = ANY($1)",
        [each.order_id for each in crowd],
    )
    return {row["id"]: row["state"] for row in rows}


def _restored(gateway: RunningGateway, *arguments: str, status: int = 0) -> str:
    ended = gateway.command("restore", *arguments, "--data-dir", str(gateway.data_dir))
    assert ended.returncode == status, ended.stderr
    return ended.stdout if status == 0 else ended.stderr


def _lose(gateway: RunningGateway, kept: Path) -> None:
    """Lose everything in the data directory but its keys, which are kept elsewhere."""
    kept.mkdir(exist_ok=True)
    for name in ("kek", "acquirer_key"):
        shutil.copy(gateway.data_dir / name, kept / name)
    shutil.rmtree(gateway.data_dir)
    gateway.data_dir.mkdir()
    for name in ("kek", "acquirer_key"):
        shutil.copy(kept / name, gateway.data_dir / name)


@pytest.mark.not_on_citus("`hundi backup` copies the embedded server")
def test_a_lost_database_is_restored_to_a_moment(
    new_folder: NewFolder, server: MerchantServer
) -> None:
    folder = new_folder("lost")
    target = folder / "target"
    gateway = RunningGateway(folder)
    try:
        _add_account(gateway)
        for shop in open_shop(gateway, server, "careful"):
            earlier, later = customers(shop, 24, (BY_UPI, BY_CARD)), customers(shop, 6, (BY_UPI,))
            with _followed(gateway, target):
                made = {}
                at_once(
                    earlier[:16],
                    lambda: made.update(json.loads(gateway.hundi("backup", str(target), "--json"))),
                )
                at_once(earlier[16:])
                for each in earlier:
                    each.ends()
                moment = datetime.now(UTC)
                time.sleep(0.05)
                at_once(later)
                for each in later:
                    each.ends()
            _nothing_in_the_clear(gateway, shop, target, earlier)
        assert made["bytes"] == (target / made["name"]).stat().st_size
    finally:
        gateway.crash()
    _lose(gateway, folder / "kept")

    assert "there is no base copy" in _restored(
        gateway, str(target), "--to", "2020-01-01T00:00:00Z", status=2
    )
    assert "the backup ends before 2099" in _restored(
        gateway, str(target), "--to", "2099-01-01T00:00:00Z", status=2
    )
    told = json.loads(_restored(gateway, str(target), "--to", moment.isoformat(), "--json"))
    assert (told["holds"], told["broken"], told["restored"]) == ("yes", "", made["name"])
    assert datetime.fromisoformat(told["last_commit"]) <= moment
    assert "is there already" in _restored(gateway, str(target), status=2)

    with RunningGateway(folder) as gateway:
        assert _states(gateway, earlier) == {each.order_id: "paid" for each in earlier}
        assert _states(gateway, later) == {}
        shown = gateway.operate("acquirer", "show", "kept")
        assert (shown["state"], shown["fields"]) == (
            "active",
            'url=http://127.0.0.1:9, methods=["card_moto"], key=********',
        )
        gateway.audit()
        for shop in open_shop(gateway, server, "new"):
            (again,) = customers(shop, 1, (BY_UPI,))
            again.pay()
            again.ends()


def _add_account(gateway: RunningGateway) -> None:
    """Add an account at an acquirer that nobody pays by; it has a secret all the same."""
    fields = {"url": "http://127.0.0.1:9", "key": ACCOUNT_KEY, "methods": ["card_moto"]}
    command = ("acquirer", "add", "kept", "sandbox", "--data-dir", str(gateway.data_dir))
    ended = gateway.command(*command, text=json.dumps(fields))
    assert ended.returncode == 0, ended.stderr


def _nothing_in_the_clear(
    gateway: RunningGateway, shop: Shop, target: Path, crowd: list[Customer]
) -> None:
    """Assert that the backup holds no secret or personal data, and that only we may read it."""
    keys = [
        base64.b64decode(line.partition(":")[2])
        for line in (gateway.data_dir / "kek").read_text().split()
    ]
    passwords = [path.read_bytes().strip() for path in (gateway.data_dir / "roles").iterdir()]
    words = (
        VISA,
        ASHA.email,
        shop.merchant.secret,
        shop.merchant.password,
        crowd[0].order_id,
        "careful",
        "SCRAM-SHA",
        ACCOUNT_KEY,
    )
    canaries = (
        [word.encode() for word in words]
        + keys
        + [base64.b64encode(key) for key in keys]
        + passwords
    )
    files = [path for path in target.rglob("*") if path.is_file()]
    assert len(files) > 3
    for path in files:
        content = path.read_bytes()
        assert [each for each in canaries if each in content] == [], path
        assert path.stat().st_mode & 0o077 == 0, path
