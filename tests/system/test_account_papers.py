"""Papers of bank accounts: two people add, read and accept them, by command and at the console."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import NewFolder
from tests.documents import pdf
from tests.system.account_papers import accept_by_form, add_by_form, carried
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.test_console_payments import OPERATOR
from tests.system.test_payouts import GOOD, Operators
from tests.system.test_subscription_year import DAY_S, advance


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone: they move its clock."""
    with RunningGateway(new_folder("account_papers")) as running:
        yield running


@pytest.fixture
def operators(gateway: RunningGateway, server: MerchantServer) -> Iterator[Operators]:
    """Two people who work for a merchant of its own."""
    for shop in open_shop(gateway, server, "papers"):
        yield Operators(shop)


def test_papers_are_added_read_and_accepted_by_two_people(
    operators: Operators, tmp_path: Path
) -> None:
    operators.gateway.inject_faults(seed=1, lose_request=1.0)
    try:
        given = ("--holder", "Asha Stores", "--ifsc", "HDFC0000001", "--number", GOOD)
        operators.operate("bank-account", "add", operators.merchant_id, *given, "--as", "Asha")
        paper, copy = tmp_path / "cheque.pdf", tmp_path / "copy.pdf"
        paper.write_bytes(pdf())
        who = operators.merchant_id
        add_by_form(operators.gateway, who)
        kind = ("--kind", "cancelled_cheque")
        added = operators.operate(
            "bank-account", "papers", "add", who, str(paper), *kind, "--as", "Asha"
        )
        operators.operate("bank-account", "papers", "export", who, added["paper_id"], str(copy))
        assert copy.read_bytes() == paper.read_bytes()
        listed = operators.operate("bank-account", "papers", "list", who)
        seen = [part for each in listed for part in ("--paper", each["paper_id"])]
        accept = ("bank-account", "papers", "accept", who)
        assert operators.gateway.invoke(*accept, *seen, "--as", "Asha").exit_code == 2
        assert operators.gateway.invoke(*accept, "--as", "Chetan").exit_code == 2, "names none"
        accepts = (*accept, *seen, "--as", "Chetan")
        waits = operators.gateway.invoke(*accepts)
        assert waits.exit_code == 2, "the bank may have the check"
        advance(operators.gateway, DAY_S)
        until(lambda: operators.gateway.invoke(*accepts).exit_code == 0, "the bank to stay silent")
        (account,) = operators.accounts()
        assert (account["state"], account["verified_by"], account["accepted_by"]) == (
            "verified",
            "papers",
            "Chetan",
        )
        assert [(each["kind"], each["added_by"]) for each in listed] == [
            ("statement", OPERATOR),
            ("cancelled_cheque", "Asha"),
        ]
    finally:
        operators.gateway.inject_faults()
    assert operators.gateway.audit()["holds"]


def test_the_console_accepts_the_papers_that_its_page_showed(
    operators: Operators, tmp_path: Path
) -> None:
    """A paper that comes between the look and the click is not accepted unread."""
    gateway, who = operators.gateway, operators.merchant_id
    gateway.inject_faults(seed=1, lose_request=1.0)
    try:
        given = ("--holder", "Asha Stores", "--ifsc", "HDFC0000001", "--number", f"{GOOD[:-1]}7")
        operators.operate("bank-account", "add", who, *given, "--as", "Asha")
        for number in range(2):
            (tmp_path / f"{number}.pdf").write_bytes(pdf(f"Paper {number}"))
        add = ("bank-account", "papers", "add", who, "--kind", "statement", "--as", "Asha")
        operators.operate(*add, str(tmp_path / "0.pdf"))
        advance(gateway, DAY_S)
        with Console.signed_in(gateway, OPERATOR, "198.51.100.96") as staff:
            seen = carried(staff, who)
            operators.operate(*add, str(tmp_path / "1.pdf"))
            there = carried(staff, who)
            assert len(there.split()) == len(seen.split()) + 1

            def answer(papers: str, words: str) -> bool:
                return words in accept_by_form(staff, who, papers)

            until(lambda: answer(seen, f"“Papers” was '{seen}'; allowed: {there}"), "a refusal")
            assert answer("", "“Papers”; allowed")
            until(lambda: answer(there, "Done."), "the account to be accepted")
            assert "Accept the account" not in staff.get(f"{who}/bank-account").text
    finally:
        gateway.inject_faults()
    (account, *_) = (each for each in operators.accounts() if not each["replaced_at"])
    assert (account["verified_by"], account["accepted_by"]) == ("papers", OPERATOR)
    assert gateway.audit()["holds"]
