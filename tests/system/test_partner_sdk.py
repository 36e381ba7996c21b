"""The partner's SDK against the running gateway.

Every interface once, its refusals, and an affiliate's callback.
"""

import asyncio
import io
import zipfile
from base64 import b64decode
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from hundi.kernel.records import replace
from hundi.sdk import Gateway
from hundi.sdk.errors import (
    SignatureError,
    UnreachableError,
    UnreadableCallbackError,
    UnreadableReplyError,
)
from hundi.sdk.partner import (
    AsyncPartnerClient,
    Offers,
    PartnerClient,
    PartnerCredentials,
    PartnerRefusedError,
)
from hundi.sdk.terminals import TerminalEntry
from tests.system.conftest import NewMerchant, NewPartner
from tests.system.endpoint import Answer, MerchantServer, ReceivedRequest
from tests.system.identity import otp_of
from tests.system.lead_messages import lead, put
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway


def credentials(partner: PartnerSender) -> PartnerCredentials:
    keys = partner.keys
    return PartnerCredentials(
        affiliate=keys.affiliate,
        api_key=keys.api_key,
        processor_key=keys.processor_key,
        secret=keys.secret,
        card_token=keys.card_token,
    )


@pytest.fixture(scope="module")
def own(new_partner: NewPartner) -> PartnerSender:
    return new_partner("Uses the SDK", card_programme="DEMO")


@pytest.fixture
def client(gateway: RunningGateway, own: PartnerSender) -> PartnerClient:
    return PartnerClient(credentials(own), Gateway(base_url=gateway.base_url))


def test_gst_is_computed_and_looked_up(client: PartnerClient, gateway: RunningGateway) -> None:
    with client:
        found = client.ask(
            client.calls.calculate(
                10_000_00, profit=Decimal(500), rate=Decimal("100.50"), same_state=True
            )
        )
        assert (found.total_gst_paise, found.total_paise) == (60_300_00, 1_20_300_00)
        assert (found.cost.sgst_paise, found.cost.igst_paise) == (5_025_00, None)
        gstin = gateway.demo["partner"]["samples"]["gstin"]
        registered = client.ask(client.calls.registration(gstin))
        assert (registered["gstin"], registered["status"]) == (gstin, "Active")
        with pytest.raises(PartnerRefusedError) as refused:
            client.ask(client.calls.registration("27AAPFU0939F1ZW"))
        assert (refused.value.code, "gstin" in refused.value.message) == ("110", True)


def test_a_document_is_fetched_and_a_number_checked(
    client: PartnerClient, gateway: RunningGateway
) -> None:
    holder = gateway.operate("register", "people", "--limit", "300")[-2]
    with client:
        sent = client.ask(client.calls.request_otp(holder["number"]))
        document = client.ask(client.calls.fetch_document(sent, otp_of(gateway, holder["mobile"])))
        archive = zipfile.ZipFile(io.BytesIO(b64decode(document.file)))
        assert archive.read(archive.namelist()[0], pwd=document.share_code.encode())
        checked = client.ask(client.calls.check_holder(holder["number"], holder["name"], "I agree"))
        assert checked.state == holder["state"]
        with pytest.raises(PartnerRefusedError) as refused:
            client.ask(client.calls.request_otp(holder["number"], live=True))
        assert refused.value.code in {"114", "429"}
        assert holder["number"] not in repr(refused.value)


def test_cards_and_terminals_are_listed(
    client: PartnerClient, gateway: RunningGateway, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Terminal of the SDK", pos_address="127.0.0.1")
    gateway.operate("pos", "register", merchant.merchant_id, "T1", "Counter")
    gateway.operate("pos", "sell", merchant.merchant_id, "T1", "149.50", "--edited", "160.00")
    with client:
        cards = client.ask(client.calls.cards("CUST0001"))
        assert {each.kind for each in cards} <= {"PHYSICAL", "VIRTUAL"}
        assert all(each.status.isupper() for each in cards)
        (sold,) = client.ask(client.calls.sales(merchant.merchant_id, "T1", "4711"))
        assert (sold.kind, sold.amount_paise, sold.edited_paise) == ("SALE", 149_50, 160_00)
        with pytest.raises(PartnerRefusedError) as refused:
            client.ask(client.calls.sales(merchant.merchant_id, "T2", "4711"))
        assert refused.value.code == "503"


def test_a_lead_is_sent_updated_and_refused_with_all_that_is_wrong(client: PartnerClient) -> None:
    with client:
        taken = client.ask(client.calls.send_lead(lead()))
        again = client.ask(
            client.calls.send_lead({"basic_info": {"lname": "Iyer"}}, lead_id=taken.lead_id)
        )
        assert (again.lead_id, again.message) == (taken.lead_id, "The lead is updated")
        wrong = put(put(lead(), "basic_info.phone", "1"), "bank_info.bank_account_type", "X")
        with pytest.raises(PartnerRefusedError) as refused:
            client.ask(client.calls.send_lead(wrong))
        assert {each["field"] for each in refused.value.problems} == {"phone", "bank_account_type"}


def test_it_works_with_asyncio_and_says_who_is_not_there(
    gateway: RunningGateway, own: PartnerSender
) -> None:
    async def ask() -> int:
        client = AsyncPartnerClient(credentials(own), Gateway(base_url=gateway.base_url))
        try:
            found = await client.ask(
                client.calls.calculate(
                    100_00, profit=Decimal(0), rate=Decimal(18), same_state=False
                )
            )
            return found.total_paise
        finally:
            await client.close()

    assert asyncio.run(ask()) == 118_00
    with (
        PartnerClient(credentials(own), Gateway(base_url="http://127.0.0.1:9")) as nobody,
        pytest.raises(UnreachableError),
    ):
        nobody.ask(nobody.calls.cards("CUST0001"))
    bank = Gateway(base_url=gateway.simbank_url)
    with PartnerClient(credentials(own), bank) as stranger, pytest.raises(UnreadableReplyError):
        stranger.ask(stranger.calls.cards("CUST0001"))


def test_an_affiliates_callback_is_made_of_two_calls(
    gateway: RunningGateway, new_partner: NewPartner, server: MerchantServer
) -> None:
    endpoint = server.endpoint("sdk-offers")
    partner = new_partner("Grants by SDK", offers_callback=endpoint.url)
    offers = Offers(credentials(partner))

    def choose(heard: ReceivedRequest) -> Answer:
        unique = offers.question(heard.headers["checksum"], heard.body)
        if unique == "none":
            return Answer(body=offers.refuse())
        at = datetime(2099, 1, 1, 4, 30, tzinfo=UTC)
        return Answer(body=offers.grant(customer="Asha", amount_paise=600_00, at=at, expiry_days=7))

    endpoint.choose = choose
    url = f"{gateway.base_url}/app/{partner.keys.affiliate}"
    assert "8 Jan 2099, 10:00 IST" in partner.http.get(f"{url}/some").text
    assert partner.http.get(f"{url}/none").status_code == 404
    with pytest.raises(SignatureError):
        offers.question(
            "0" * 64, b'{"affiliateid":"%s","uniqueid":"x"}' % partner.keys.affiliate.encode()
        )
    with pytest.raises(UnreadableCallbackError):
        offers.question("0" * 64, b"[]")


def test_a_manager_tells_what_terminals_sold_and_asks_for_one(
    gateway: RunningGateway, new_partner: NewPartner, new_merchant: NewMerchant
) -> None:
    manager, shop = (
        new_partner("Manages by SDK"),
        new_merchant("Managed by SDK", pos_address="127.0.0.0/8"),
    )
    gateway.operate(
        "pos", "register", shop.merchant_id, "T1", "A", "--manager", manager.keys.affiliate
    )
    entry = TerminalEntry(
        terminal_id="T1",
        reference="bill-1",
        amount_paise=149_50,
        edited_paise=160_00,
        mobile="9876543210",
    )
    foreign = replace(entry, terminal_id="T2", at=datetime.now(UTC))
    with PartnerClient(credentials(manager), Gateway(base_url=gateway.base_url)) as client:
        first, refused = client.ask(client.calls.tell_sales(shop.merchant_id, [entry, foreign]))
        (again,) = client.ask(client.calls.tell_sales(shop.merchant_id, [entry]))
        sold = client.ask(client.calls.sale(shop.merchant_id, "T1", "4711", "bill-1"))
    assert (first.result, again.result, refused.result, refused.code) == (
        "recorded",
        "repeated",
        "refused",
        "503",
    )
    assert first.transaction_id == again.transaction_id == sold.transaction_id
    assert (sold.amount_paise, sold.edited_paise, sold.masked_mobile) == (
        149_50,
        160_00,
        "XXXXXX3210",
    )
