"""Bharat QR: the checksum of published samples, and what every field holds."""

from binascii import crc_hqx

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.instruments.bharat_qr import payload
from hundi_testbed.bank import bharat_qr as reader

ORDER = {
    "payee_vpa": "m7@simbank",
    "payee_name": "Asha Handlooms",
    "reference": "7-215000000000001",
    "amount_paise": 1_499_50,
    "order_id": "ORD-1",
    "mcc": "5651",
}


@pytest.mark.parametrize(("text", "crc"), [("123456789", 0x29B1), ("", 0xFFFF)])
def test_the_library_has_the_standards_checksum(text: str, crc: int) -> None:
    assert crc_hqx(text.encode(), 0xFFFF) == crc, "CRC-16/CCITT-FALSE"


def test_a_whole_payload() -> None:
    text = payload(**ORDER)
    assert text[:-4] == (
        "000201010212"
        "26280010A000000524"
        "0110m7@simbank"
        "2735"
        "0010A000000524"
        "0117"
        "7-215000000000001"
        "52045651"
        "5303356"
        "54071499.50"
        "5802IN"
        "5914Asha Handlooms"
        "6005India"
        "6209"
        "0105ORD-1"
        "6304"
    )
    assert reader.read(text) == {
        "pa": "m7@simbank",
        "pn": "Asha Handlooms",
        "tr": "7-215000000000001",
        "am": "1499.50",
        "cu": "INR",
        "tn": "ORD-1",
    }


@given(
    st.text(min_size=1, max_size=100),
    st.integers(1, 10**12),
    st.text("ABC-_.019", min_size=1, max_size=64),
)
def test_whatever_the_name_a_reader_reads_it_back(name: str, paise: int, order_id: str) -> None:
    text = payload(**(ORDER | {"payee_name": name, "amount_paise": paise, "order_id": order_id}))
    assert text.isascii()
    read = reader.read(text)
    assert (read["am"], read["tr"]) == (f"{paise // 100}.{paise % 100:02d}", ORDER["reference"])
    assert len(read["pn"]) <= 23


@pytest.mark.parametrize("place", [8, 30, 60, -1, -5])
def test_a_changed_payload_is_refused(place: int) -> None:
    text = payload(**ORDER)
    other = "0" if text[place] != "0" else "1"
    changed = text[:place] + other + (text[place + 1 :] if place != -1 else "")
    with pytest.raises(reader.UnreadableError):
        reader.read(changed)
