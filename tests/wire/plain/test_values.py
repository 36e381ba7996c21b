"""The plain form of messages: what it reads, writes and describes, and what it refuses."""

from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.states import PaymentState
from hundi.wire import strict_json
from hundi.wire.fields import PAISE_MAX, FieldError, paise_from_text, text_from_paise
from hundi.wire.merchant.links import NewPaymentLink, PaymentLink
from hundi.wire.plain.orders import STATES, PlainOrderRequest
from hundi.wire.plain.refunds import PlainRefundRequest
from hundi.wire.plain.table import OPERATIONS, operation_at
from hundi.wire.plain.values import plain_schema, read_plain, write_plain

NOW = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)
ALL = [operation for operations in OPERATIONS.values() for operation in operations]


def read(declared: type[Any], text: str) -> Any:
    return read_plain(declared, strict_json.parse(text.encode()))


@given(st.integers(1, PAISE_MAX))
def test_an_amount_is_the_same_paise_in_every_form(paise: int) -> None:
    asked = read(PlainRefundRequest, f'{{"transaction_id":"215","amount_paise":{paise}}}')
    assert asked.amount_paise == paise == paise_from_text(text_from_paise(paise))
    assert write_plain(asked) == {"transaction_id": "215", "amount_paise": paise}


@pytest.mark.parametrize(
    "written",
    ["0", "-1", "1.0", "1e3", '"1"', "true", "[]", "{}", str(PAISE_MAX + 1), "9" * 400, '""'],
)
def test_an_amount_is_a_whole_number_and_nothing_else(written: str) -> None:
    text = f'{{"reference":"L","description":"Tea","amount_paise":{written}}}'
    with pytest.raises(FieldError) as refused:
        read(NewPaymentLink, text)
    assert refused.value.field == "amount_paise"


def test_a_message_in_a_message_is_named_by_its_place() -> None:
    text = (
        '{"order_id":"A","amount_paise":1,"buyer":{"email":"a@b.in","phone":"9876543210",'
        '"firstname":"A","lastname":"B","company":"C"}}'
    )
    with pytest.raises(FieldError, match=r"buyer\.company"):
        read(PlainOrderRequest, text)
    with pytest.raises(FieldError, match=r"buyer\.email"):
        read(PlainOrderRequest, '{"order_id":"A","amount_paise":1,"buyer":{}}')


def test_a_message_in_an_array_is_named_by_its_place_from_zero() -> None:
    item = '{"description":"Saree","amount_paise":1}'
    wrong = item.replace(":1", ":0")
    text = (
        f'{{"reference":"L","description":"Tea","amount_paise":3,"items":[{item},{item},{wrong}]}}'
    )
    with pytest.raises(FieldError, match=r"items\[2\]\.amount_paise: received '0'"):
        read(NewPaymentLink, text)


def test_a_reply_is_written_as_it_is_described() -> None:
    link = PaymentLink(
        link_id="215",
        reference="L-1",
        url="https://pay.example.in/l/x",
        state="open",
        amount_paise=25_000,
        paid_paise=0,
        minimum_paise=0,
        description="Tea",
        surplus="refund",
        created_at=NOW,
        valid_until=None,
    )
    told = write_plain(link)
    assert (told["created_at"], told["valid_until"]) == ("2026-11-28T09:30:00Z", None)
    assert (told["amount_paise"], told["payments"]) == (25_000, [])
    jsonschema.validate(told, plain_schema(PaymentLink, asked=False))


def test_states_are_those_of_the_payment() -> None:
    assert {*STATES} == {*map(str, PaymentState)}


def test_every_address_is_one_operation() -> None:
    assert len({(each.method, each.address) for each in ALL}) == len(ALL)
    assert len({each.identity for each in ALL}) == len(ALL)
    for operation in ALL:
        path = operation.address.replace("{", "x").replace("}", "")
        found, fields, _ = operation_at(operation.method, path)
        assert found is operation
        assert tuple(fields) == operation.placed
        assert {*operation.placed} <= {*operation.request.__dataclass_fields__}
    assert operation_at("POST", "/v1/events") == (None, {}, ("GET",))
    assert operation_at("GET", "/v1/orders//refunds")[0] is not None, "an empty id is refused later"
    assert operation_at("GET", "/v1/x/y/z/w") == (None, {}, ())


def test_what_moves_money_needs_a_key_of_its_request() -> None:
    required = {each.identity for each in ALL if each.repeating == "required"}
    assert required == {each.identity for each in ALL if each.scope == "refund"}
    assert {each.method for each in ALL if each.repeating} == {"POST"}
