"""upi:// links, read strictly."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi_testbed.bank.upi_links import LinkRefusedError, PayableLink, read_link, read_vpa
from tests.testbed.bank.harness import upi_link

REFERENCE = "7-123456789012345"
LINK = upi_link(REFERENCE)


def test_a_full_link() -> None:
    link = read_link(
        "upi://pay?pa=m7@simbank&pn=Chai%20%E0%A4%98%E0%A4%B0&mc=5812&tr=7-123456789012345&tn=Order%201&am=10.5&cu=INR&mode=22&purpose=00"
        "&QRexpire=2026-11-20T14:05:00%2B05:30&sign=MEUC+a/b=="
    )
    assert link == PayableLink(
        "m7@simbank",
        "Chai घर",
        REFERENCE,
        1050,
        "Order 1",
        datetime(2026, 11, 20, 8, 35, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("text", "paise"),
    [("1", 100), ("0.01", 1), ("1499.5", 149_950), ("99999999999.99", 9_999_999_999_999)],
)
def test_amounts(text: str, paise: int) -> None:
    assert read_link(upi_link(REFERENCE, am=text)).amount_paise == paise


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "0.00",
        "-1",
        "1e3",
        "1,000.00",
        "10.005",
        " 10",
        "१०",
        "null",
        "01",
        "1.",
        "999999999999",
    ],
)
def test_amounts_refused(text: str) -> None:
    with pytest.raises(LinkRefusedError):
        read_link(upi_link(REFERENCE, am=text))


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "upi://pay",
        "upi://mandate?pa=m7@simbank",
        "http://pay?pa=m7@simbank",
        LINK + "&am=1",
        LINK + "&",
        LINK + "&x",
        LINK + "#x",
        LINK + "&tn=%zz",
        LINK + "&tn=%ff",
        LINK + "&tn=%00",
        LINK + "&tn=" + "a" * 2_000,
        upi_link(REFERENCE, pa=""),
        upi_link(REFERENCE, pn=""),
        upi_link(REFERENCE, tr=""),
        upi_link("7-1 2"),
        upi_link("7-" + "1" * 40),
        upi_link(REFERENCE, cu="USD"),
        upi_link(REFERENCE, pa="m8@simbank"),
        upi_link(REFERENCE, QRexpire="tomorrow"),
        upi_link(REFERENCE, QRexpire="2026-11-20T14:05:00"),
    ],
)
def test_links_refused(uri: str) -> None:
    with pytest.raises(LinkRefusedError):
        read_link(uri)


@pytest.mark.parametrize("text", ["success@hundi", "A.b-c_d@okaxis", "9876543210@ybl"])
def test_addresses(text: str) -> None:
    assert read_vpa(text) == text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@hundi",
        "a@hundi",
        "success",
        "success@",
        "two@at@hundi",
        "sp ace@hundi",
        "success@1hundi",
        "a" * 300 + "@hundi",
        "success@hundi\n",
    ],
)
def test_addresses_refused(text: str) -> None:
    assert read_vpa(text) == ""


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for uri in (text, "upi://pay?" + text, LINK + text):
        try:
            link = read_link(uri)
        except LinkRefusedError:
            continue
        assert link.amount_paise > 0
