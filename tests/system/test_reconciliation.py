"""The simulated bank's statements, imported by the operator's commands.

Every class, by rule or by two people.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hundi.kernel.clock import business_day, ist
from hundi.sdk import RefundItem
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, pay_card, scan

_MISTAKES = ("missing", "other_amount", "other_fee", "doubled", "late")
Take = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def shop(new_folder: NewFolder, server: MerchantServer) -> Iterator[Shop]:
    """A merchant alone at a gateway whose clock can be moved."""
    with RunningGateway(new_folder("reconciled")) as gateway:
        yield from open_shop(gateway, server, "reconciled")


def today(gateway: RunningGateway) -> date:
    return business_day(datetime.fromisoformat(gateway.bank.get("/control/clock").json()["now"]))


def advance(gateway: RunningGateway, by: timedelta) -> None:
    assert (
        gateway.bank.post(
            "/control/clock", json={"advance_s": by.total_seconds()}, timeout=120
        ).status_code
        == 200
    )


@pytest.fixture
def take(shop: Shop, tmp_path: Path) -> Take:
    """Fetch a statement of the bank and import it."""

    def fetch(path: str, day: date, form: str, *options: str) -> dict[str, Any]:
        told = shop.gateway.bank.get(path, params={"date": str(day), "format": form})
        assert told.status_code == 200, told.text
        file = tmp_path / f"{day}.{form}"
        file.write_bytes(told.content)
        return shop.gateway.operate(
            "reconcile", "import", str(file), "--format", form, "--as", "asha", *options
        )

    return fetch


def test_a_wrong_day_is_put_right_by_rules_and_by_two_people(
    shop: Shop, take: Take, tmp_path: Path
) -> None:
    gateway = shop.gateway
    if ist(datetime.now(UTC)).hour == 23:
        advance(gateway, timedelta(hours=2))
    day = today(gateway)
    references = _pay(shop)
    for mistake, reference in zip(_MISTAKES, references, strict=False):
        _make(gateway, day, reference, mistake)
    _make(gateway, day, f"{shop.merchant.merchant_id}-999999999999999", "extra")
    assert gateway.bank.get("/statement", params={"date": str(day)}).status_code == 404, (
        "the day has not ended"
    )
    advance(gateway, timedelta(days=2))

    first = take("/statement", day, "csv", "--connector", "sandbox")
    assert take("/statement", day, "csv", "--connector", "sandbox")["again"]
    assert first["posted"] == 0, "nothing has reached our account"
    assert take("/account-statement", day, "mt940")["posted"] > 0
    take("/statement", day + timedelta(days=1), "camt053", "--connector", "sandbox")
    take("/account-statement", day + timedelta(days=1), "camt053")

    work = gateway.operate("reconcile", "work")
    unexplained = gateway.operate("reconcile", "unexplained")
    assert len(unexplained) == work["account_lines_unexplained"]
    counts = {name: (each["open"], each["resolved"]) for name, each in work["classes"].items()}
    assert counts == {
        "matched": (0, 4),
        "late": (0, 1),
        "fee_differs": (1, 0),
        "amount_differs": (1, 0),
        "duplicate": (1, 0),
        "missing_here": (1, 0),
        "missing_there": (1, 0),
    }
    _import_by_csv(gateway, tmp_path)
    for item in work["items"]:
        _correct(gateway, item)
    assert gateway.operate("reconcile", "work")["open"] == 0
    assert _escrow(gateway, shop) == _came(gateway, day) + _came(gateway, day + timedelta(days=1))
    assert set(gateway.operate("reconcile", "clocks")["clocks"]) == {
        "card",
        "upi",
        "transfer",
        "excess",
        "refund",
    }
    gateway.audit()


_BANKS_OWN = """
account = "50200012345678"
[csv]
day_format = "%d/%m/%Y"
columns = { day = "Date", utr = "Ref No", debit = "Withdrawal", credit = "Deposit" }
"""


def _import_by_csv(gateway: RunningGateway, folder: Path) -> None:
    """Import lines of our own account as our bank's web page gives them, and see them listed."""
    terms, file = folder / "bank.toml", folder / "bank.csv"
    file.write_text(
        "Date,Narration,Ref"
        " No,Withdrawal,Deposit\n15/01/2026,RENT,OWN1,10.00,\n15/01/2026,X,OWN2,,2.50\n"
    )
    refused = gateway.invoke("reconcile", "import", str(file), "--format", "csv")
    assert (refused.exit_code, "our account has no mapping of CSV" in refused.stderr) == (
        2,
        True,
    ), refused.output
    for wrong in (
        '[csv.columns]\nutr = "a"\nnet = "b"\nday = "c"\n',
        _BANKS_OWN.replace("debit", "sign"),
    ):
        terms.write_text(wrong)
        assert gateway.invoke("reconcile", "terms", "set", "our-account", str(terms)).exit_code == 2
    terms.write_text(_BANKS_OWN)
    assert gateway.operate("reconcile", "terms", "set", "our-account", str(terms))["version"] == 1
    assert gateway.operate("reconcile", "import", str(file), "--format", "csv")["lines"] == 2
    listed = {each["utr"]: each for each in gateway.operate("reconcile", "unexplained")}
    assert [(listed[utr]["net_paise"], listed[utr]["account"]) for utr in ("OWN1", "OWN2")] == [
        (-1_000, "50200012345678"),
        (250, "50200012345678"),
    ]
    file.write_text("Date,Narration,Ref No,Withdrawal,Deposit\n15/01/2026,RENT,OWN3,10.00,10.00\n")
    assert "line 2: one of its two amounts" in gateway.invoke(
        "reconcile", "import", str(file), "--format", "csv"
    ).stderr  # fmt: skip


def _pay(shop: Shop) -> list[str]:
    """Make a payment for each mistake by card, two more by UPI, and a refund.

    Return the references by card.
    """
    references: list[str] = []
    with Browser() as browser:
        for _ in _MISTAKES:
            order_id = new_order_id()
            pay_card(browser, shop.open_page(browser, order_id))
            shop.becomes(order_id, 200)
            (paid_by,) = [
                each["attempt_id"] for each in shop.attempts(order_id) if each["state"] == "paid"
            ]
            references.append(f"{shop.merchant.merchant_id}-{paid_by}")
        for _ in range(2):
            order_id = new_order_id()
            scan(shop.gateway, shop.open_page(browser, order_id).upi_link)
            paid = shop.becomes(order_id, 200)
    shop.client.refund([RefundItem(paid.transaction_id, 5_000)], request_id=order_id)
    shop.hears_event(order_id, "refund_done")
    return references


def _make(gateway: RunningGateway, day: date, reference: str, mistake: str) -> None:
    asked = {"date": str(day), "reference": reference, "mistake": mistake}
    assert gateway.bank.put("/control/statement", json=asked).status_code == 200


def _correct(gateway: RunningGateway, item: dict[str, Any]) -> None:
    accounts: tuple[str, ...] = ()
    if item["class"] == "missing_there":
        paise = str(item["ours_paise"])
        accounts = (
            "--debit",
            "acquirer_cost",
            "--credit",
            "receivable:sandbox",
            "--amount-paise",
            paise,
        )
    named = (str(item["merchant_id"]), str(item["item_id"]))
    told = gateway.operate(
        "reconcile", "propose", *named, "--reason", "seen", "--as", "asha", *accounts
    )
    decision = (str(told["merchant_id"]), str(told["proposal_id"]), "--as")
    refused = gateway.invoke("reconcile", "approve", *decision, "asha")
    assert (refused.exit_code, "another person decides" in refused.stderr) == (2, True), (
        refused.output
    )
    assert gateway.operate("reconcile", "approve", *decision, "ravi")["decision"] == "approved"


def _escrow(gateway: RunningGateway, shop: Shop) -> int:
    return gateway.value(
        "SELECT sum(CASE 'escrow' WHEN debit THEN amount_paise WHEN credit THEN -amount_paise ELSE"
        " 0 END)::bigint"
        " FROM ledger_postings WHERE merchant_id = $1",
        shop.merchant.number,
    )


def _came(gateway: RunningGateway, day: date) -> int:
    return gateway.value(
        "SELECT coalesce(sum(net_paise), 0)::bigint FROM account_lines WHERE day = $1", day
    )
