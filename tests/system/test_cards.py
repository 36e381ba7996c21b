"""Card details through the running gateway.

A customer's cards, what becomes of them, and who may see them.
"""

from typing import Any

import pytest

from tests.system.conftest import NewPartner
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway, until

PATH = "/gateway/ms/cards/api/card-details"


def details(partner: PartnerSender, entity_id: str, **changes: str | None) -> dict[str, Any]:
    own = {"token": partner.keys.card_token, "checksum": partner.checksum([entity_id])} | changes
    headers = {name: value for name, value in own.items() if value is not None}
    answer = partner.http.post(
        partner.gateway.base_url + PATH, data={"entity_id": entity_id}, headers=headers
    )
    assert answer.status_code == 200
    return answer.json()


@pytest.fixture(scope="module")
def issuer(new_partner: NewPartner) -> PartnerSender:
    """A partner with a card programme of its own."""
    return new_partner("Issuer")


def test_the_demos_customers_have_cards(new_partner: NewPartner) -> None:
    partner = new_partner("Sees the demo", card_programme="DEMO")
    letters: set[str] = set()
    for number in range(1, 121):
        reply = details(partner, f"CUST{number:04d}")
        assert (reply["status"], reply["message"]) == (200, "success")
        for card in reply["data"]:
            assert list(card) == ["card_no", "kit_no", "expiry_date", "card_status", "card_type"]
            assert (card["card_no"][:4], card["card_no"][4:-4]) == ("9999", "XXXXXXXX")
            letters.add(card["card_status"] + card["card_type"])
    assert {each[0] for each in letters} == set("NALBRHCE")
    assert {each[1] for each in letters} == set("PV")


def test_a_card_from_its_issue_to_its_replacement(
    gateway: RunningGateway, issuer: PartnerSender
) -> None:
    programme = issuer.keys.affiliate
    kit = gateway.operate("card", "issue", programme, "A.Rao@shop-1", "--virtual")["kit_no"]

    def seen(letter: str) -> None:
        until(
            lambda: (
                [
                    each["card_status"]
                    for each in details(issuer, "A.Rao@shop-1")["data"]
                    if each["kit_no"] == kit
                ]
                == [letter]
            ),
            f"the card to be {letter}",
        )

    seen("N")
    for verb, letter in (("activate", "A"), ("lock", "L"), ("unlock", "A")):
        gateway.operate("card", "move", programme, kit, verb)
        seen(letter)
        again = gateway.invoke("card", "move", programme, kit, verb)
        assert (again.exit_code, "Card was already" in again.output) == (2, True)
    needs = gateway.invoke("card", "move", programme, kit, "block")
    assert (needs.exit_code, "03 lost" in needs.output) == (2, True)
    gateway.operate("card", "move", programme, kit, "block", "--reason", "03")
    seen("B")
    fresh = gateway.operate("card", "move", programme, kit, "replace", "--reason", "03")
    assert (fresh["kit_no"] != kit, fresh["status"], fresh["kind"]) == (
        True,
        "ALLOCATED",
        "VIRTUAL",
    )
    seen("R")
    for verb in ("activate", "lock", "unlock", "replace", "close", "sell"):
        assert gateway.invoke("card", "move", programme, kit, verb, "--reason", "01").exit_code == 2
    assert len(details(issuer, "A.Rao@shop-1")["data"]) == 2


def test_nobody_sees_another_programmes_cards(
    gateway: RunningGateway, issuer: PartnerSender, rival_partner: PartnerSender
) -> None:
    gateway.operate("card", "issue", issuer.keys.affiliate, "PRIVATE")
    assert len(details(issuer, "PRIVATE")["data"]) == 1
    reply = details(rival_partner, "PRIVATE")
    assert (reply["status"], reply["message"], reply["error_code"], "data" in reply) == (
        400,
        "fail",
        "503",
        False,
    )


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"token": None}, "104"),
        ({"token": "0123456789"}, "104"),
        ({"checksum": None}, "103"),
        ({"checksum": "0" * 64}, "103"),
    ],
)
def test_wrong_and_missing_headers_are_refused(
    issuer: PartnerSender, changes: dict[str, str | None], code: str
) -> None:
    reply = details(issuer, "PRIVATE", **changes)
    assert (reply["status"], reply["message"], reply["error_code"]) == (400, "fail", code)


@pytest.mark.parametrize("entity_id", ["", "x" * 51, "a b", "आशा", "a'--"])
def test_what_is_no_customer_is_named(issuer: PartnerSender, entity_id: str) -> None:
    reply = details(issuer, entity_id)
    assert (reply["error_code"], "entity_id" in reply["error"]) == ("110", True)


def test_a_rotated_token_counts_until_it_is_retired(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    old = new_partner("Rotates its token", card_programme="DEMO")
    assert details(old, "CUST0001")["status"] == 200
    new = old.rotated("card_token")
    until(lambda: details(new, "CUST0001").get("status") == 200, "the new token to be known")
    assert details(old, "CUST0001")["status"] == 200
    gateway.operate("partner", "retire", old.keys.affiliate, "card_token")
    until(
        lambda: details(old, "CUST0001").get("error_code") == "104", "the old token to be forgotten"
    )


def test_a_silent_programme_is_said_to_be_silent(
    gateway: RunningGateway, issuer: PartnerSender
) -> None:
    gateway.inject_faults(lose_request=1.0)
    try:
        assert details(issuer, "NOBODY-ASKED-BEFORE")["error_code"] == "991"
    finally:
        gateway.inject_faults()
