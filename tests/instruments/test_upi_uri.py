"""A `upi://` link carries its values unchanged, whatever characters they have."""

from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from hundi.instruments import upi_uri

TEXTS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=60)


@given(name=TEXTS, note=TEXTS)
def test_every_field_comes_back_as_it_was(name: str, note: str):
    link = upi_uri.pay_link(
        payee_vpa="shop@hundi",
        payee_name=name,
        reference="100000000000001-200000000000002",
        amount_paise=149950,
        note=note,
        mcc="5651",
        expires_at=datetime(2026, 11, 24, 12, 30, tzinfo=UTC),
    )
    query = urlsplit(link.replace("upi:", "http:")).query
    fields = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=True))
    assert fields["pn"] == name[: upi_uri.NAME_LENGTH_MAX]
    assert fields["tn"] == note[: upi_uri.NOTE_LENGTH_MAX]
    assert (fields["pa"], fields["am"], fields["QRexpire"]) == (
        "shop@hundi",
        "1499.50",
        "2026-11-24T18:00:00+05:30",
    )
    assert "+" not in query, "apps differ on it"
    assert query.isascii()
