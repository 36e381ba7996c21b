"""One gateway in front of another.

Live data comes from the upstream, and nothing of a number stays on the way.
"""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hundi.partners.registers import contract
from hundi.partners.registers.upstream import Upstream
from hundi.sdk.partner import PartnerCredentials
from tests.conftest import NewFolder
from tests.system.conftest import NewPartner
from tests.system.identity import CONSENT, begin, finish, otp_of, verify, wrong
from tests.system.partners import Keys, PartnerSender
from tests.system.running import RunningGateway
from tests.system.test_cards import details
from tests.system.test_identity import age


@pytest.fixture(scope="module")
def front(
    gateway: RunningGateway, new_folder: NewFolder, new_partner: NewPartner
) -> Iterator[PartnerSender]:
    """A partner of a gateway whose live provider is the shared gateway."""
    there = new_partner("The front", card_programme="DEMO", lookups_a_minute=1_000).keys
    settings = {
        "HUNDI_UPSTREAM_URL": gateway.base_url,
        "HUNDI_UPSTREAM_LIVE": "false",
        "HUNDI_UPSTREAM_AFFILIATE": there.affiliate,
        "HUNDI_UPSTREAM_API_KEY": there.api_key,
        "HUNDI_UPSTREAM_PROCESSOR_KEY": there.processor_key,
        "HUNDI_UPSTREAM_SECRET": there.secret,
        "HUNDI_UPSTREAM_CARD_TOKEN": there.card_token,
        "HUNDI_UPSTREAM_CARD_PROGRAMME": "OURS",
    }
    with (
        RunningGateway(new_folder("front"), **settings) as running,
        httpx.Client(trust_env=False, timeout=30) as http,
    ):
        keys = Keys.of(running.operate("partner", "add", "Live partner"))
        running.operate(
            "partner", "set", keys.affiliate, "--live", "on", "--card-programme", "OURS"
        )
        yield PartnerSender(running, http, keys)


@pytest.fixture(scope="module")
def people(gateway: RunningGateway) -> Iterator[dict[str, Any]]:
    """Holders whom no other test uses: the last of the register."""
    return iter(reversed(gateway.operate("register", "people", "--limit", "300")[200:290]))


def test_gst_and_cards_come_from_the_upstream(
    gateway: RunningGateway, partner: PartnerSender, front: PartnerSender
) -> None:
    gstin = gateway.demo["partner"]["samples"]["gstin"]
    assert front.ask("gst-verification", {"gstin": gstin}) == partner.ask(
        "gst-verification", {"gstin": gstin}
    )
    assert front.ask("gst-verification", {"gstin": "27AAPFU0939F1ZV"})["error_code"] == "503"
    assert {each["card_no"][:4] for each in details(front, "CUST0002")["data"]} == {"9999"}
    assert details(front, "NOBODY")["error_code"] == "503"
    other = PartnerSender(
        front.gateway,
        front.http,
        Keys.of(front.gateway.operate("partner", "add", "Other programme")),
    )
    front.gateway.operate("partner", "set", other.keys.affiliate, "--live", "on")
    assert details(other, "CUST0002")["error_code"] == "503", (
        "the upstream's cards are another partner's"
    )


def test_a_document_comes_through(
    gateway: RunningGateway, front: PartnerSender, people: Iterator[dict[str, Any]]
) -> None:
    holder = next(each for each in people if each["mobile"])
    begun = begin(front, holder, live="Y")
    assert begun["status"] == "200"
    otp = otp_of(gateway, holder["mobile"])
    early = begin(front, holder, live="Y")
    assert early["error_code"] == "429"
    no = front.ask("aadhaar-xml", asked(begun, wrong(otp)), live="Y")
    assert no["error_code"] == "140"
    # Who sent the password judges it: the second call needs no header.
    reply = front.ask("aadhaar-xml", asked(begun, otp))
    assert reply["data"]["dataFromAadhaar"]["name"] == holder["name"]
    assert front.ask("aadhaar-xml", asked(begun, otp), live="Y")["error_code"] == "141"
    (row,) = front.gateway.rows(
        "SELECT * FROM identity_requests WHERE request_id = $1", begun["requstId"]
    )
    assert (row["state"], row["wrong"], row["last4"]) == ("used", 1, holder["number"][-4:])
    assert holder["number"] not in str(row)


def asked(begun: dict[str, Any], otp: str) -> dict[str, str]:
    return {
        "type": "file",
        "requestId": begun["requstId"],
        "otp": otp,
        "gateway_txn_id": str(begun["gateway_txn_id"]),
    }


def test_simulated_data_is_still_there_without_the_header(
    front: PartnerSender, people: Iterator[dict[str, Any]]
) -> None:
    holder = next(each for each in people if each["mobile"])
    begun = begin(front, holder)
    assert finish(front, begun, otp_of(front.gateway, holder["mobile"]))["status"] == 200


def test_a_check_is_the_upstreams_and_the_consent_is_ours(
    front: PartnerSender, people: Iterator[dict[str, Any]]
) -> None:
    holder = next(each for each in people if each["mobile"])
    assert (
        verify(front, name=holder["name"], aadhaarNo=holder["number"])["data"]["state"]
        == holder["state"]
    )
    reply = verify(front, name="Somebody Else", aadhaarNo=holder["number"])
    assert (reply["error_code"], holder["name"] in json.dumps(reply)) == ("142", False)
    rows = front.gateway.rows(
        "SELECT * FROM identity_consents WHERE last4 = $1", holder["number"][-4:]
    )
    assert len(rows) == 2
    assert not any(CONSENT in str(row) for row in rows)


def test_an_upstream_that_refuses_us_or_is_away_is_said_to_be_silent(
    gateway: RunningGateway, front: PartnerSender, people: Iterator[dict[str, Any]]
) -> None:
    holder = next(each for each in people if each["mobile"])
    (there,) = [each for each in gateway.operate("partner", "list") if each["name"] == "The front"]
    gateway.operate("partner", "suspend", there["affiliate"])
    try:
        reply = begin(front, holder, live="Y")
        assert (reply["error_code"], "suspended" in reply["error"]) == ("991", False)
        assert front.ask("gst-verification", {"gstin": "29AAGCB7383J1Z4"})["error_code"] == "991"
    finally:
        gateway.operate("partner", "resume", there["affiliate"])
    (row,) = front.gateway.rows(
        "SELECT request_id FROM identity_requests WHERE last4 = $1", holder["number"][-4:]
    )
    age(front.gateway, {"requstId": row["request_id"]}, "46 seconds")
    assert begin(front, holder, live="Y")["status"] == "200"


def test_the_upstream_keeps_the_contract_of_providers(
    gateway: RunningGateway, new_partner: NewPartner, people: Iterator[dict[str, Any]]
) -> None:
    keys = new_partner("The contract", card_programme="DEMO", lookups_a_minute=1_000).keys
    credentials = PartnerCredentials(
        affiliate=keys.affiliate,
        api_key=keys.api_key,
        processor_key=keys.processor_key,
        secret=keys.secret,
        card_token=keys.card_token,
    )
    one, other = (next(each for each in people if each["mobile"]) for _ in range(2))
    silent = Upstream("http://127.0.0.1:9", credentials, live=False, card_programme="OURS")
    upstream = Upstream(gateway.base_url, credentials, live=False, card_programme="OURS")

    async def password() -> str:
        return await asyncio.to_thread(otp_of, gateway, other["mobile"])

    given = contract.ProviderCase(
        silent=silent,
        gstin=gateway.demo["partner"]["samples"]["gstin"],
        no_gstin="27AAPFU0939F1ZV",
        programme="OURS",
        customer="CUST0002",
        no_customer="NOBODY",
        number=one["number"],
        holder_name=one["name"],
        other_number=other["number"],
        no_number="999999999999",
        consent=CONSENT,
        password=password,
    )

    async def prove() -> None:
        for check in contract.CHECKS:
            await check(upstream, given)
        await upstream.close()
        await silent.close()

    asyncio.run(prove())
