"""Split settlement: both forms mean the same, sums are exact, the flat form is proven."""

import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import fields, strict_json
from hundi.wire.fields import FieldError
from hundi.wire.merchant import splits
from hundi.wire.merchant.splits import (
    FlatSplitRequest,
    SplitData,
    SplitPart,
    SplitRequest,
    SplitShare,
    SplitType,
)
from hundi.wire.message import read_request, write_reply, write_request
from hundi.wire.strict_json import JsonNumber


def read_sealed(values):
    return read_request(SplitRequest, values)


def read_flat(values):
    return read_request(FlatSplitRequest, values)


INNER = {
    "ap_transactionid": "215000000000001",
    "rrn": "632512345678",
    "split_request_id": "1001",
    "split_type": "percentage",
    "primary_split_value": "70.00",
    "splits": [
        {"identifier": "vendor-1", "value": "20.25"},
        {"identifier": "vendor-2", "value": "9.75"},
    ],
}
FLAT = {
    "merchant_id": "12345",
    "TRANSACTION_ID": "215000000000001",
    "RRN": "632512345678",
    "SPLIT_REQUEST_ID": "1001",
    "PRIACCT_IDENTIFIER": "main",
    "PRIACCT_SPLIT_VALUE": "70.00",
    "OTHER_IDENTIFIERS": "vendor-1|vendor-2",
    "SPLIT_VALUES": "20.25|9.75",
    "TOKEN": "ab" * 32,
}
PARTS = (SplitPart("vendor-1", 2025), SplitPart("vendor-2", 975))


def refused(parse, values):
    """Return the FieldError that parsing raises."""
    with pytest.raises(FieldError) as caught:
        parse(values)
    return caught.value


def test_both_forms_say_the_same():
    sealed, flat = read_sealed(INNER), read_flat(FLAT)
    for asked in (sealed, flat):
        assert (asked.transaction_id, asked.request_id, asked.rrn) == (
            "215000000000001",
            "1001",
            "632512345678",
        )
        assert (asked.type, asked.primary_value, asked.parts) == (
            SplitType.PERCENTAGE,
            7000,
            PARTS,
        )
    assert (sealed.primary_identifier, flat.primary_identifier) == ("", "main")
    assert "ab" * 32 not in repr(flat)
    assert write_request(sealed) == INNER
    assert write_request(flat) == FLAT
    assert splits.is_flat(FLAT)
    assert not splits.is_flat({"merchant_id": "12345", "encdata": "x"})


def test_numbers_are_read_like_texts():
    values = INNER | {
        "ap_transactionid": 215000000000001,
        "split_request_id": 1001,
        "primary_split_value": JsonNumber("70"),
        "splits": [
            {"identifier": "vendor-1", "value": JsonNumber("20.25")},
            {"identifier": "vendor-2", "value": "9.75"},
        ],
    }
    assert read_sealed(values) == read_sealed(INNER)


def test_absolute_amounts_are_paise():
    values = INNER | {"split_type": "Absolute", "primary_split_value": "0"}
    asked = read_sealed(values)
    assert (asked.type, asked.primary_value, asked.parts) == (SplitType.ABSOLUTE, 0, PARTS)
    assert (
        read_flat(FLAT | {"SPLIT_TYPE": "absolute", "PRIACCT_SPLIT_VALUE": "1"}).primary_value
        == 100
    )


@pytest.mark.parametrize("zero", ["0", "0.0", "0.00", 0])
def test_everything_may_go_to_linked_accounts(zero):
    values = INNER | {"primary_split_value": zero, "splits": [{"identifier": "v", "value": "100"}]}
    assert read_sealed(values).primary_value == 0


@pytest.mark.parametrize("primary", ["69.99", "70.01", "0", "100.00"])
def test_percentages_add_up_to_exactly_one_hundred(primary):
    error = refused(read_sealed, INNER | {"primary_split_value": primary})
    assert error.field == "splits"
    assert "100.00" in error.allowed
    assert error.received.endswith("in all")
    assert refused(read_flat, FLAT | {"PRIACCT_SPLIT_VALUE": primary}).field == "SPLIT_VALUES"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"ap_transactionid": None}, "ap_transactionid"),
        ({"ap_transactionid": "x"}, "ap_transactionid"),
        ({"split_request_id": ""}, "split_request_id"),
        ({"split_request_id": "A1"}, "split_request_id"),
        ({"split_request_id": "1" * 16}, "split_request_id"),
        ({"split_type": ""}, "split_type"),
        ({"split_type": "ratio"}, "split_type"),
        ({"primary_split_value": None}, "primary_split_value"),
        ({"primary_split_value": "-1"}, "primary_split_value"),
        ({"primary_split_value": "70.001"}, "primary_split_value"),
        ({"primary_split_value": "."}, "primary_split_value"),
        ({"primary_split_value": "0.000"}, "primary_split_value"),
        ({"rrn": "1" * 36}, "rrn"),
        ({"splits": None}, "splits"),
        ({"splits": "vendor-1"}, "splits"),
        ({"splits": {"identifier": "v", "value": "30"}}, "splits"),
        ({"splits": []}, "splits"),
        ({"splits": ["v"]}, "splits"),
        ({"splits": [{"identifier": f"v{n}", "value": "0.01"} for n in range(51)]}, "splits"),
        ({"splits": [{"value": "30"}]}, "splits[0].identifier"),
        ({"splits": [{"identifier": "a b", "value": "30"}]}, "splits[0].identifier"),
        ({"splits": [{"identifier": "a|b", "value": "30"}]}, "splits[0].identifier"),
        (
            {"splits": [{"identifier": "v", "value": "15"}, {"identifier": "v", "value": "15"}]},
            "identifier",
        ),
        ({"splits": [{"identifier": "v"}]}, "splits[0].value"),
        (
            {"splits": [{"identifier": "v", "value": "0"}, {"identifier": "w", "value": "30"}]},
            "splits[0].value",
        ),
        ({"splits": [{"identifier": "v", "value": "-30"}]}, "splits[0].value"),
        ({"splits": [{"identifier": "v", "value": "30.001"}]}, "splits[0].value"),
        ({"buyer_email": "asha@example.in"}, "buyer_email"),
    ],
)
def test_bounds_of_the_encrypted_form(change, field):
    assert refused(read_sealed, INNER | change).field == field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"TRANSACTION_ID": ""}, "TRANSACTION_ID"),
        ({"SPLIT_REQUEST_ID": "abc"}, "SPLIT_REQUEST_ID"),
        ({"SPLIT_TYPE": "both"}, "SPLIT_TYPE"),
        ({"PRIACCT_IDENTIFIER": "a b"}, "PRIACCT_IDENTIFIER"),
        ({"PRIACCT_IDENTIFIER": "vendor-2"}, "OTHER_IDENTIFIERS"),
        ({"PRIACCT_SPLIT_VALUE": ""}, "PRIACCT_SPLIT_VALUE"),
        ({"OTHER_IDENTIFIERS": ""}, "OTHER_IDENTIFIERS"),
        ({"OTHER_IDENTIFIERS": "vendor-1"}, "SPLIT_VALUES"),
        ({"OTHER_IDENTIFIERS": "vendor-1|"}, "OTHER_IDENTIFIERS"),
        ({"OTHER_IDENTIFIERS": "vendor-1|vendor-1"}, "OTHER_IDENTIFIERS"),
        ({"SPLIT_VALUES": "20.25|9.75|1"}, "SPLIT_VALUES"),
        ({"SPLIT_VALUES": "20.25|x"}, "SPLIT_VALUES"),
        ({"SPLIT_VALUES": "30.00|0.00"}, "SPLIT_VALUES"),
        ({"RRN": "x" * 36}, "RRN"),
        ({"buyer_phone": "9"}, "buyer_phone"),
    ],
)
def test_bounds_of_the_flat_form(change, field):
    assert refused(read_flat, FLAT | change).field == field


def test_the_flat_form_proves_its_sender():
    token = hmac.new(b"secret", b"pk215000000000001", hashlib.sha256).hexdigest()
    assert splits.flat_token("pk", "215000000000001", "secret") == token
    sent = FLAT | {"TOKEN": token.upper()}
    assert splits.flat_token_matches(sent, "pk", "secret", "secret")
    for values, key in (
        (sent, "other"),
        (sent, ""),
        (FLAT | {"TOKEN": ""}, "secret"),
        (sent | {"TOKEN": "é"}, "secret"),
    ):
        assert not splits.flat_token_matches(values, "pk", "secret", key)
    assert not splits.flat_token_matches(
        sent | {"TRANSACTION_ID": "215000000000002"}, "pk", "secret", "secret"
    )
    assert not splits.flat_token_matches(sent, "other", "secret", "secret")


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=splits.PARTS_MAX), st.booleans())
def test_every_split_comes_back_in_both_forms(shares, percentage):
    kind = SplitType.PERCENTAGE if percentage else SplitType.ABSOLUTE
    written = [fields.text_from_paise(each) for each in shares]
    names = [f"v{number}" for number in range(len(shares))]
    rest = 10_000 - sum(shares)
    primary = fields.text_from_paise(max(rest, 0))
    inner = INNER | {
        "split_type": kind.value,
        "primary_split_value": primary,
        "splits": [
            {"identifier": name, "value": value} for name, value in zip(names, written, strict=True)
        ],
    }
    flat = FLAT | {
        "SPLIT_TYPE": kind.value,
        "PRIACCT_SPLIT_VALUE": primary,
        "OTHER_IDENTIFIERS": "|".join(names),
        "SPLIT_VALUES": "|".join(written),
    }
    message = strict_json.parse(json.dumps(inner).encode())
    if percentage and rest < 0:
        assert refused(read_sealed, message).field == "splits"
        assert refused(read_flat, flat).field == "SPLIT_VALUES"
        return
    expected = tuple(map(SplitPart, names, shares))
    assert read_sealed(message).parts == read_flat(flat).parts == expected


def test_the_data_of_a_split():
    data = SplitData(
        request_id="1001",
        status="configured",
        transaction_id="215000000000001",
        primary_paise=104_966,
        shares=(SplitShare("vendor-1", 30_365), SplitShare("vendor-2", 14_619)),
    )
    assert write_reply(data) == {
        "split_request_id": "1001",
        "status": "configured",
        "ap_transactionid": "215000000000001",
        "primary_amount": "1049.66",
        "splits": [
            {"identifier": "vendor-1", "amount": "303.65"},
            {"identifier": "vendor-2", "amount": "146.19"},
        ],
    }
