"""Parameters of verbs, as forms give them and as a schema tells them."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import UNSET, Meta

from hundi.kernel.refusals import RefusalCode, Refused
from hundi.verbs.parameters import (
    MerchantId,
    ParameterHints,
    UploadedFile,
    VerbParameter,
    VerbParameters,
    parameters_of,
)
from hundi.verbs.table import all_verbs


class Colour(StrEnum):
    """Something to choose."""

    RED = "red"
    BLUE = "blue"


class Everything(VerbParameters, frozen=True, kw_only=True):
    """A parameter of each kind."""

    merchant_id: MerchantId
    day: Annotated[date, Meta(description="The day.")]
    name: Annotated[str, Meta(min_length=1, max_length=5), ParameterHints(by="name")]
    colour: Colour | None = None
    size: Literal["small", "large"] = "small"
    count: Annotated[int, Meta(ge=1, le=9)] | None = None
    live: Annotated[bool | None, ParameterHints(switch=True)] = None
    held: bool | None = None
    flag: bool = False
    names: list[str] | None = None
    reason: Annotated[str, Meta(max_length=9), ParameterHints(in_forms=True)] = ""
    fee_paise: Annotated[int, Meta(ge=1, le=1_00_000)] | None = None
    cap_paise: int = 0
    channel: Annotated[str, ParameterHints(known={"nb": "Net banking", "va": ""})] = ""
    paper: Annotated[UploadedFile | None, ParameterHints(file_bytes_max=9)] = None


def named(name: str) -> VerbParameter:
    """Return one of the parameters."""
    return {each.name: each for each in parameters_of(Everything)}[name]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("merchant_id", " 10001 ", 10001),
        ("day", "2026-11-28", date(2026, 11, 28)),
        ("name", "Asha", "Asha"),
        ("colour", "", None),
        ("colour", "blue", Colour.BLUE),
        ("size", "", "small"),
        ("size", "large", "large"),
        ("count", "", None),
        ("count", "9", 9),
        ("live", "", None),
        ("live", "off", False),
        ("held", "", None),
        ("held", "on", True),
        ("held", "off", False),
        ("flag", "1", True),
        ("flag", "", False),
        ("names", "a b", ["a", "b"]),
        ("names", "''", [""]),
        ("names", "'Asha Iyer' b", ["Asha Iyer", "b"]),
        ("fee_paise", "", None),
        ("fee_paise", "₹14.50", 1450),
        ("fee_paise", "1,000", 1_00_000),
        ("cap_paise", "", 0),
        ("cap_paise", "99999.99", 99_999_99),
        ("channel", "nb", "nb"),
        ("reason", "4111 1111 1111 1111"[:9], "4111 1111"),
    ],
)
def test_a_text_of_a_form_becomes_a_value(name: str, text: str, value: Any) -> None:
    assert named(name).read(text) == value


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("merchant_id", "0", "1 to 1000000000000000"),
        ("merchant_id", "x", "1 to 1000000000000000"),
        ("day", "28.11.2026", "a day such as 2026-11-23"),
        ("name", "", "1 to 5 characters"),
        ("name", "Handlooms", "1 to 5 characters"),
        ("colour", "green", "red blue"),
        ("size", "huge", "small large"),
        ("count", "10", "1 to 9"),
        ("live", "perhaps", "on off"),
        ("reason", " ", "1 to 9 characters"),
        ("fee_paise", "0", "₹0.01 to ₹1,000.00"),
        ("fee_paise", "1000.01", "₹0.01 to ₹1,000.00"),
        ("cap_paise", "ten", "rupees, such as 1499.50"),
        ("cap_paise", "-1", "rupees, such as 1499.50"),
        ("names", "'a", "words with spaces between, or in 'quotes'"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(name: str, text: str, allowed: str) -> None:
    with pytest.raises(Refused) as refused:
        named(name).read(text)
    told = refused.value.refusal
    assert (told.code, told.field, told.allowed) == (RefusalCode.FIELD_INVALID, name, allowed)


def test_a_number_of_a_card_is_masked_in_every_text() -> None:
    class Words(VerbParameters, frozen=True, kw_only=True):
        """Words."""

        anything: str

    assert parameters_of(Words)[0].read("card 4111111111111111") == "card [card]"


def test_what_the_command_line_takes_by_place_and_by_name() -> None:
    by_name = {each.name for each in parameters_of(Everything) if each.is_named}
    assert by_name == set(Everything.__struct_fields__) - {"merchant_id", "day"}
    assert named("day").default is UNSET
    assert named("size").default == "small"


def test_a_form_asks_for_a_file_as_a_file() -> None:
    assert (named("paper").input_type, named("name").input_type) == ("file", "text")


def test_every_verb_has_a_schema_for_an_api() -> None:
    for verb in all_verbs():
        schema = msgspec.json.schema(verb.parameter_class)
        properties = schema["$defs"][verb.parameter_class.__name__]["properties"]
        assert set(properties) == {each.name for each in verb.parameters}, verb.command
