"""Messages: what a declaration makes of values that were sent."""

import pytest

from hundi.wire import kinds
from hundi.wire.fields import FieldError
from hundi.wire.message import (
    Record,
    message,
    read_reply,
    read_request,
    sent,
    write_reply,
    write_request,
)
from hundi.wire.parts import names
from hundi.wire.schema import schema_of
from hundi.wire.strict_json import JsonNumber


@message(of_the_page=("amount",))
class Asked:
    """Something asked for."""

    order_id: str = sent(kinds.ORDER_ID, "orderid")
    tid: str = sent(kinds.text(), default="", unused=True)


@message()
class Part:
    """One of a list."""

    name: str = sent(kinds.NAME)


@message(bare=True)
class Parts:
    """A list alone."""

    parts: tuple[Part, ...] = sent(kinds.objects(Part))


class Told(Record, frozen=True, kw_only=True):
    """A record."""

    name: str
    count: int = 0


def test_a_number_becomes_a_text_as_any_other() -> None:
    asked = read_request(Asked, {"orderid": JsonNumber("7")})
    assert type(asked.order_id) is str


def test_what_is_unused_is_read_and_not_described() -> None:
    assert read_request(Asked, {"orderid": "A", "tid": "T1"}).tid == "T1"
    with pytest.raises(FieldError):
        read_request(Asked, {"orderid": "A", "tid": "x" * 256})
    assert list(schema_of(Asked)["properties"]) == ["orderid"]
    assert names(Asked) == ("orderid", "tid")


@pytest.mark.parametrize("name", ["amount", "AMOUNT", "buyer_email"])
def test_a_field_of_the_page_is_refused(name: str) -> None:
    with pytest.raises(FieldError) as caught:
        read_request(Asked, {"orderid": "A", name: "1.00"})
    assert (caught.value.field, caught.value.received) == (name, "a field of the payment page")


def test_a_bare_message_is_its_one_field() -> None:
    told = Parts(parts=(Part(name="a"),))
    assert write_reply(told) == [{"name": "a"}]
    assert read_reply(Parts, [{"name": "a"}]) == told
    assert schema_of(Parts) == {
        "description": "A list alone.",
        "type": "array",
        "items": {"$ref": "#/components/schemas/Part"},
    }


def test_a_record_is_written_and_read_by_its_types() -> None:
    assert write_reply(Told(name="a", count=2)) == {"name": "a", "count": 2}
    assert read_reply(Told, {"name": JsonNumber("7"), "count": "2", "other": [1]}) == Told(
        name="7", count=2
    )
    assert read_reply(Told, {"name": "a", "count": None}) == Told(name="a")
    assert schema_of(Told)["properties"]["count"]["type"] == "integer"


@pytest.mark.parametrize("values", [{}, {"name": "a", "count": "x"}, [], None])
def test_what_is_no_record_is_refused(values: object) -> None:
    with pytest.raises(FieldError):
        read_reply(Told, values)  # pyright: ignore[reportArgumentType]


def test_what_is_left_open_is_not_sent() -> None:
    assert write_request(Asked(order_id="A")) == {"orderid": "A"}


@message()
class Called:
    """Something with a field that another one calls for."""

    kind: str = sent(kinds.WORDS, default="")
    day: str = sent(kinds.ORDER_ID, default="none", when=lambda values: values.get("kind") == "D")


def test_a_field_that_another_one_calls_for_is_demanded_there_and_not_read_elsewhere() -> None:
    assert read_request(Called, {"kind": "D", "day": "1"}).day == "1"
    assert read_request(Called, {"kind": "M", "day": "not read"}).day == "none"
    with pytest.raises(FieldError, match="day"):
        read_request(Called, {"kind": "D"})
    assert write_request(Called(kind="D")) == {"kind": "D", "day": "none"}
    assert write_request(Called(kind="M", day="7")) == {"kind": "M"}
