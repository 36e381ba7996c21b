"""Payouts of two merchants at once: half a file, a balance for one, webhooks about the other."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.test_bank_callbacks import say, signature
from tests.system.test_payouts import GOOD, Operators

PAYER = (
    *("--from-name", "Escrow", "--from-account", "00011122233"),
    *("--from-ifsc", "SIMB0000001", "--as", "Chetan"),
)


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone: a file has the payouts of every merchant."""
    with RunningGateway(new_folder("payout-batches")) as running:
        yield running


@pytest.fixture
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    """Sends to this gateway."""
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


@pytest.fixture
def pair(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> Iterator[list[tuple[Operators, dict[str, Any]]]]:
    """Two merchants, each with a payout that waits for its people."""
    made: list[tuple[Operators, dict[str, Any]]] = []
    for first in open_shop(gateway, server, "first"):
        for second in open_shop(gateway, server, "second"):
            for shop in (first, second):
                operators = Operators(shop)
                operators.add_account(GOOD)
                operators.settle(browser)
                made.append((operators, operators.waits_for("prepared")))
            yield made


def states(pair: list[tuple[Operators, dict[str, Any]]]) -> list[str]:
    """Return the states of both payouts."""
    return [
        operators.operate("payout", "show", operators.merchant_id, payout["payout_id"])["state"]
        for operators, payout in pair
    ]


def test_a_file_of_which_half_comes_back_is_booked_line_by_line(
    gateway: RunningGateway, pair: list[tuple[Operators, dict[str, Any]]], tmp_path: Path
) -> None:
    for operators, payout in pair:
        operators.release(payout, "--by", "file")
    paper, report = tmp_path / "payouts.csv", tmp_path / "report.csv"
    made = gateway.operate("payout", "export", str(paper), "--format", "csv", *PAYER)
    assert (made["payouts"], states(pair)) == (2, ["sent", "sent"])
    kept, back = (f"{operators.merchant_id}-P{payout['payout_id']}" for operators, payout in pair)
    paise = pair[0][1]["amount_paise"]
    rupees, both = f"{paise // 100}.{paise % 100:02}", f"{2 * paise // 100}.{2 * paise % 100:02}"
    done = f"D,{kept},done,HDFCN26325000001,{rupees},00,Paid"
    returned = f"D,{back},returned,HDFCN26325000002,{rupees},AC01,No such account"

    def take(*lines: str, total: str = both) -> Any:
        report.write_text("\n".join((f"H,{made['batch']},{len(lines)},{total}", *lines, "")))
        given = ("import", str(report), "--format", "csv", "--as", "Chetan")
        return gateway.invoke("payout", *given, "--json")

    for lines in ((done, done), (done, returned, done)):
        assert take(*lines).exit_code != 0, "a line twice"
    assert take(done).exit_code != 0, "half of the report: its total is of both"
    assert states(pair) == ["sent", "sent"]
    for _ in range(2):
        assert take(done, returned).exit_code == 0
        assert states(pair) == ["done", "returned"]
    same_utr = returned.replace("returned", "done").replace("0002", "0001")
    assert take(done, same_utr).exit_code == 0
    assert states(pair) == ["done", "returned"]
    (operators, payout) = pair[1]
    assert operators.postings() == ["payout_sent", "payout_returned"]
    again = operators.operate(
        "payout", "retry", operators.merchant_id, payout["payout_id"], "--as", "Meera"
    )
    assert again["try_no"] == 2
    assert gateway.audit()["holds"]


def test_a_balance_that_is_short_in_the_middle_lets_one_go_and_the_other_wait(
    gateway: RunningGateway, pair: list[tuple[Operators, dict[str, Any]]]
) -> None:
    paise = pair[0][1]["amount_paise"]

    def fill(available_paise: int | None, shown: int | None) -> None:
        answer = gateway.bank.put("/control/purse", json={"available_paise": available_paise})
        assert answer.status_code == 200, answer.text
        gateway.run_now("read_payout_balances")
        if shown is not None:
            until(
                lambda: (
                    [each["left_paise"] for each in gateway.operate("payout", "balances")]
                    == [shown]
                ),
                "the balance to be read",
            )

    fill(paise + 1, paise + 1)
    for operators, payout in pair:
        operators.release(payout)
    until(
        lambda: sorted(states(pair)) == ["awaiting_balance", "done"],
        "one to be paid and one to wait",
        every_s=0.5,
    )
    fill(None, None)
    until(lambda: states(pair) == ["done", "done"], "both to be paid", every_s=0.5)
    for operators, payout in pair:
        assert len(operators.at_bank(payout)) == 1
    assert gateway.audit()["holds"]


def test_webhooks_of_the_simulated_bank_are_proven_and_decide_nothing(
    gateway: RunningGateway, pair: list[tuple[Operators, dict[str, Any]]], sender: Sender
) -> None:
    (ours, payout), (theirs, other) = pair
    ours.release(payout)
    done = ours.waits_for("done")
    reference = f"{ours.merchant_id}-P{payout['payout_id']}"

    def tell(about: str, key: str = "", body: bytes = b"") -> int:
        news = {"event_id": "evt_1", "kind": "payout", "reference": about, "status": "returned"}
        said = body or json.dumps(news).encode()
        signed = signature(key or gateway.acquirer_key, said, time.time())
        return say(gateway, sender, said, signed).status_code

    def hastened(operators: Operators, which: dict[str, Any]) -> bool:
        query = "SELECT hastened_at FROM payouts WHERE merchant_id = $1 AND payout_id = $2"
        key = (int(operators.merchant_id), int(which["payout_id"]))
        return gateway.value(query, *key) is not None

    query = "UPDATE payouts SET hastened_at = NULL WHERE merchant_id = $1"
    gateway.rows(query, int(ours.merchant_id))
    assert tell(reference, key="0" * 64) == 401
    assert not hastened(ours, payout)
    for about in (f"{theirs.merchant_id}-P{payout['payout_id']}", f"7-P{other['payout_id']}"):
        assert tell(about) == 200
    unsent = f"{theirs.merchant_id}-P{other['payout_id']}"
    assert tell(unsent) == 200
    assert not hastened(theirs, other), "it was never sent"
    assert not hastened(ours, payout)
    assert [tell(reference) for _ in range(5)] == [200] * 5
    assert hastened(ours, payout)
    assert ours.waits_for("done")["utr"] == done["utr"], "the bank is asked, not believed"
    assert ours.postings() == ["payout_sent", "payout_done"]
    assert gateway.audit()["holds"]
