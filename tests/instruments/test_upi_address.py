"""UPI addresses as people type them, and the calendar of the collect request."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.instruments import upi_address
from hundi.instruments.upi_address import COLLECT_ENDED_ON, UpiClient

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
    "like Gecko)"
)


@pytest.mark.parametrize(
    "text", ["asha@okaxis", "a.b-c_9@ybl", "9876543210@pz", "  Asha@OKAXIS ", "s1@s2b"]
)
def test_addresses_are_read_in_lower_case(text):
    assert upi_address.read(text) == text.strip().lower()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "asha",
            "@okaxis",
            "asha@",
            "a@okaxis",
            "asha@o",
            "asha@1ab",
            "asha@@okaxis",
            "as ha@okaxis",
        ),
        *(
            "asha#@okaxis",
            "asha@ok.axis",
            "-asha@okaxis",
            "आशा@okaxis",
            "asha@okaxis\n@x",
            "a" * 250 + "@okaxis",
        ),
    ],
)
def test_other_texts_are_no_addresses(text):
    assert upi_address.read(text) is None


@given(st.text(max_size=300))
def test_no_text_upsets_the_reader(text):
    read = upi_address.read(text)
    assert read is None or len(read) <= upi_address.LENGTH_MAX


@pytest.mark.parametrize(
    ("agent", "client"),
    [
        ("", UpiClient.DESKTOP_WEB),
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0 Safari/537.36", UpiClient.DESKTOP_WEB),
        (IPHONE + " Version/19.0 Mobile/15E148 Safari/604.1", UpiClient.MOBILE_WEB),
        (IPHONE + " Mobile/15E148", UpiClient.IOS_APP),
        (
            "Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/141.0 Mobile Safari/537.36",
            UpiClient.MOBILE_WEB,
        ),
        (
            "Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) Chrome/141.0 Mobile Safari/537.36",
            UpiClient.ANDROID_APP,
        ),
    ],
)
def test_where_the_page_runs(agent, client):
    assert upi_address.client_of(agent) is client
    assert upi_address.on_phone(client) is (client is not UpiClient.DESKTOP_WEB)


@pytest.mark.parametrize("client", UpiClient)
@pytest.mark.parametrize("mcc", ["", "5411", "6012", "6211"])
def test_collect_after_its_end_is_for_the_exempt_only(client, mcc):
    allowed = upi_address.collect_allowed(
        mcc, merchant_allows=True, client=client, on=COLLECT_ENDED_ON
    )
    assert allowed is (
        mcc in {"6012", "6211"} or client in {UpiClient.MOBILE_WEB, UpiClient.IOS_APP}
    )


@given(st.dates(date(2020, 1, 1), COLLECT_ENDED_ON - timedelta(days=1)), st.sampled_from(UpiClient))
def test_before_its_end_collect_was_for_everybody(on, client):
    assert upi_address.collect_allowed("5411", merchant_allows=True, client=client, on=on)


@given(st.dates(), st.sampled_from(UpiClient), st.sampled_from(["6012", "5411"]))
def test_the_merchant_can_always_switch_it_off(on, client, mcc):
    assert not upi_address.collect_allowed(mcc, merchant_allows=False, client=client, on=on)


@pytest.mark.parametrize(
    "name", ["4111111111111111", "4111-1111-1111-1111", "asha.378282246310005"]
)
def test_a_card_number_is_no_upi_address(name: str) -> None:
    assert upi_address.read(f"{name}@okbank") is None


@pytest.mark.parametrize(
    "name", ["9876543210", "919876543210", "6123456789-2", "4111111111111112", "asha.1975"]
)
def test_a_mobile_number_is_one(name: str) -> None:
    assert upi_address.read(f"{name}@okbank") == f"{name}@okbank"
