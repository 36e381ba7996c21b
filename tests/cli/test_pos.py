"""`hundi pos` as an operator uses it, and numbers that no command can take."""

from datetime import datetime

import pytest

from tests.cli.conftest import Operate


@pytest.fixture
async def merchant_id(operate: Operate) -> str:
    """A merchant with a terminal T1."""
    added = await operate("merchant", "add", "Chandni Books")
    await operate("pos", "register", added["merchant_id"], "T1", "Counter")
    return added["merchant_id"]


async def test_sales_are_listed_after_the_terminal_is_closed_too(
    operate: Operate, merchant_id: str
) -> None:
    sold = await operate("pos", "sell", merchant_id, "T1", "149.50", "--table", "7")
    await operate("pos", "close", merchant_id, "T1")
    (listed,) = await operate("pos", "sales", merchant_id, "T1")
    assert (listed["transaction_id"], listed["table"]) == (sold["transaction_id"], "7")
    assert datetime.fromisoformat(listed["at"]).utcoffset() is not None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("abc",), "amount was 'abc'; allowed: "),
        (("0.00",), "amount was '0.00'; allowed: "),
        (("99999999999.00",), "amount was '99999999999.00'; allowed: "),
        (("1.00", "--edited", "x"), "edited was 'x'; allowed: "),
        (("1.00", "--table", "t" * 21), "table was "),
        (("1.00", "--reference", "r" * 65), "reference was "),
    ],
)
async def test_a_sale_that_cannot_be_is_refused_in_words(
    refused: Operate, merchant_id: str, arguments: tuple[str, ...], words: str
) -> None:
    assert words in await refused("pos", "sell", merchant_id, "T1", *arguments)


async def test_a_mobile_number_is_not_repeated(refused: Operate, merchant_id: str) -> None:
    words = await refused("pos", "sell", merchant_id, "T1", "1.00", "--mobile", "98765432101")
    assert "mobile" in words
    assert "allowed: 10 digits" in words
    assert "98765" not in words


async def test_terminals_and_merchants_that_are_none_are_named(
    refused: Operate, merchant_id: str
) -> None:
    for command in (("sell", merchant_id, "T9", "1.00"), ("close", merchant_id, "T9")):
        assert await refused("pos", *command) == f"merchant {merchant_id} has no terminal T9 in use"
    assert (
        await refused("pos", "sales", merchant_id, "T9")
        == f"merchant {merchant_id} has no terminal T9"
    )
    for command in (
        ("pos", "terminals", "5"),
        ("pos", "sales", "5", "T1"),
        ("pos", "register", "5", "T1", "Counter"),
        ("split", "accounts", "5"),
        ("delivery", "list", "5"),
        ("delivery", "replay", "--merchant", "5"),
        ("refusal", "list", "5"),
        ("merchant", "suspend", "5"),
    ):
        assert await refused(*command) == "there is no merchant 5", command


@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999", "1" * 5_000])
async def test_numbers_out_of_range_are_refused_in_words(refused: Operate, number: str) -> None:
    for command in (
        ("merchant", "suspend", number),
        ("pos", "register", number, "T", "Label"),
        ("pos", "sales", number, "T"),
        ("split", "accounts", number),
        ("split", "show", "10001", number),
        ("payment", "show", number, "x"),
        ("payment", "show", "10001", number),
        ("delivery", "list", number),
        ("delivery", "list", "10001", "--payment", number),
        ("delivery", "replay", "--merchant", number),
        ("delivery", "show", f"ipn_{number[:19]}_1_1"),
        ("refusal", "list", number),
        ("lead", "show", "AF000001", number),
    ):
        assert await refused(*command), command
