"""A partner's keys in rotation.

Each call works with the older and the newer key, until the older one is retired.
"""

import json
from hashlib import sha256

import pytest

from hundi.wire import cipher
from tests.system.conftest import NewPartner
from tests.system.lead_messages import lead, send
from tests.system.running import RunningGateway, until
from tests.system.test_cards import details
from tests.system.test_gst import SAMPLE


@pytest.mark.parametrize(
    ("what", "code"), [("api_key", "904"), ("processor_key", "904"), ("secret", "103")]
)
def test_two_keys_count_until_the_older_one_is_retired(
    gateway: RunningGateway, new_partner: NewPartner, what: str, code: str
) -> None:
    old = new_partner("Overlapping")
    new = old.rotated(what)
    assert getattr(new.keys, what) != getattr(old.keys, what)
    for either in (old, new, old):
        assert either.ask("gst-calculator", SAMPLE)["status"] == 200
    gateway.operate("partner", "retire", old.keys.affiliate, what)
    assert new.ask("gst-calculator", SAMPLE)["status"] == 200
    assert old.ask("gst-calculator", SAMPLE)["error_code"] == code


def test_the_operator_sees_that_an_older_key_is_still_used(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    old = new_partner("Slow to change")
    new = old.rotated("api_key").rotated("secret")
    old.ask("gst-calculator", SAMPLE)
    new.ask("gst-calculator", SAMPLE)
    calls = until(
        lambda: (
            found
            if len(found := gateway.operate("partner", "calls", old.keys.affiliate)) == 2
            else []
        ),
        "the calls to be written",
    )
    assert [each["detail"] for each in reversed(calls)] == ["with the older api_key secret", ""]


def test_two_card_tokens_name_the_same_partner(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    old = new_partner("Two tokens", card_programme="DEMO")
    entity = "CUST0001"
    new = old.rotated("card_token")
    assert details(old, entity)["data"] == details(new, entity)["data"]
    gateway.operate("partner", "retire", old.keys.affiliate, "card_token")
    assert details(old, entity)["error_code"] == "104"
    assert details(new, entity)["status"] == 200


def test_a_lead_is_opened_and_answered_with_the_secret_that_sealed_it(
    gateway: RunningGateway, new_partner: NewPartner
) -> None:
    old = new_partner("Two secrets")
    new = old.rotated("secret")
    # `send` opens the reply with the sender's own secret.
    taken = send(old, lead())
    changed = send(new, {"lead_id": taken["data"]["lead_id"], "basic_info": {"fname": "Usha"}})
    assert (taken["status"], changed["data"]["message"]) == (200, "The lead is updated")
    assert send(old, {"lead_id": 1, "basic_info": {"fname": "x"}})["error_code"] == "503", (
        "a refusal is readable, too"
    )
    gateway.operate("partner", "retire", old.keys.affiliate, "secret")
    affiliate, retired = old.keys.affiliate, old.keys.secret
    query = cipher.seal(cipher.encryption_key(affiliate, retired), json.dumps(lead()).encode())
    checksum = sha256((query + affiliate + retired).encode()).hexdigest()
    assert send(new, b"", query=query, checksum=checksum)["error_code"] == "103"


def test_two_gateway_keys_count(gateway: RunningGateway, new_partner: NewPartner) -> None:
    partner = new_partner("Keyed twice", gateway_key="a-gateway-key-of-ours")
    fresh = gateway.operate("partner", "rotate", partner.keys.affiliate, "gateway_key")[
        "gateway_key"
    ]
    for each in ("a-gateway-key-of-ours", fresh):
        assert send(partner, lead(), GATEWAYKEY=each)["status"] == 200
    gateway.operate(
        "partner", "set", partner.keys.affiliate, "--gateway-key", "another-key-of-ours"
    )
    assert send(partner, lead(), GATEWAYKEY="a-gateway-key-of-ours")["error_code"] == "904", (
        "what is set is alone"
    )
