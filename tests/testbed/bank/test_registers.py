"""The registers of businesses, holders and cards: what is written and found in them."""

import asyncio
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from stdnum.in_ import gstin as gstins

from hundi_testbed.bank.businesses import seeds as business_seeds
from hundi_testbed.bank.cards import seeds as card_seeds
from hundi_testbed.bank.cards.rules import MOVES, BankProgrammeCard, status_on
from hundi_testbed.bank.database import open_database
from hundi_testbed.bank.people import store as people
from tests.testbed.bank.harness import Process, Simbank

TODAY = datetime(2026, 11, 21, tzinfo=UTC).date()
BUSINESSES = [str(each["gstin"]) for each in business_seeds.seeded() if each["status"] == "Active"]


async def ask(bank: Simbank, path: str, **asked: Any) -> dict[str, Any]:
    status, said = await bank.acquirer(f"/registers/{path}", asked)
    assert status == 200, said
    return said


async def change_business(bank: Simbank, gstin: str, /, **fields: str) -> dict[str, Any]:
    return await ask(bank, "businesses/change", gstin=gstin, fields=fields)


async def change_person(bank: Simbank, holder_no: int, /, **fields: str) -> dict[str, Any]:
    return await ask(bank, "people/change", holder_no=holder_no, fields=fields)


async def test_a_cancelled_business_has_its_day_and_an_active_one_none(bank: Simbank) -> None:
    gstin = BUSINESSES[0]
    cancelled = (await change_business(bank, gstin, status="Cancelled"))["entry"]
    day = datetime.strptime(cancelled["cancelled_on"], "%d/%m/%Y").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - day) < timedelta(days=2)
    named = await change_business(bank, gstin, cancelled_on="29/02/2024")
    assert (await change_business(bank, gstin, status="Cancelled"))["entry"] == named["entry"], (
        "it was so already"
    )
    refused = await change_business(bank, gstin, cancelled_on="")
    assert (refused["status"], "Cancelled" in refused["message"]) == ("forbidden", True)
    assert (await change_business(bank, gstin, status="Active"))["entry"]["cancelled_on"] == ""
    refused = await change_business(bank, gstin, cancelled_on="29/02/2024")
    assert (refused["status"], "this one is Active" in refused["message"]) == ("forbidden", True)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("status", "foo", "status is one of Active Cancelled Suspended"),
        ("cancelled_on", "99/99/9999", "cancelled_on is a day, DD/MM/YYYY"),
        ("registered_on", "1/7/2017", "registered_on is a day"),
        ("registered_on", "", "registered_on is a day"),
        ("updated_on", "30/02/2024", "updated_on is a day"),
        ("legal_name", " ", "legal_name cannot be empty"),
        ("trade_name", "x" * 201, "at most 200 printable characters"),
        ("trade_name", "a\nb", "at most 200 printable characters"),
        ("gstin", "29JDOCB1001A1ZX", "gstin is none of legal_name"),
        ("members", "A", "members is none of legal_name"),
    ],
)
async def test_what_cannot_be_of_a_business_is_named(
    bank: Simbank, name: str, value: str, words: str
) -> None:
    before = await ask(bank, "businesses/find", gstin=BUSINESSES[1])
    refused = await change_business(
        bank, BUSINESSES[1], **({"constitution": "Another"} | {name: value})
    )
    assert (refused["status"], words in refused["message"]) == ("forbidden", True)
    assert await ask(bank, "businesses/find", gstin=BUSINESSES[1]) == before


async def test_of_changes_at_once_none_is_lost(bank: Simbank) -> None:
    names = (
        "legal_name",
        "trade_name",
        "taxpayer_type",
        "constitution",
        "state_jurisdiction",
        "preparer",
    )
    await asyncio.gather(
        *(change_business(bank, BUSINESSES[2], **{name: name.upper()[:5]}) for name in names)
    )
    entry = (await ask(bank, "businesses/find", gstin=BUSINESSES[2]))["entry"]
    assert {name: entry[name] for name in names} == {name: name.upper()[:5] for name in names}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("mobile", "12", "mobile is ten digits"),
        ("mobile", "1234567890", "mobile is ten digits"),
        ("dob", "garbage", "dob is a day, DD-MM-YYYY"),
        ("dob", "31-02-1980", "dob is a day"),
        ("dob", "1-2-1980", "dob is a day"),
        ("dob", "01-01-1899", "dob is a day"),
        ("dob", "01-01-9999", "dob is a day"),
        ("gender", "X", "gender is F, M or T"),
        ("pincode", "0", "pincode is six digits"),
        ("email", "a b", "email is an e-mail address"),
        ("vid_last4", "12345", "vid_last4 is four digits"),
        ("name", "", "name is a name"),
        ("careof", "a\x07", "careof is at most 200 printable characters"),
        ("photo", "hello", "photo is base64 of a JPEG"),
        ("aadhaar", "1", "aadhaar is none of name"),
    ],
)
async def test_what_cannot_be_of_a_holder_is_named(
    bank: Simbank, name: str, value: str, words: str
) -> None:
    refused = await change_person(bank, 9, **{name: value})
    assert (refused["status"], words in refused["message"]) == ("forbidden", True)


@pytest.mark.parametrize(
    "fields", [{"mobile": "", "email": "", "careof": ""}, {"name": "Ann <a> आशा", "gender": "T"}]
)
async def test_what_can_be_of_a_holder_is_written(bank: Simbank, fields: dict[str, str]) -> None:
    changed = await change_person(bank, 11, **fields)
    assert changed["status"] == "found"
    assert changed["entry"] | fields == changed["entry"]


@pytest.mark.parametrize("holder_no", [0, -1, 301, 2**31, 2**63, 2**64, 10**40])
async def test_a_holder_whom_nobody_knows_is_nobody(bank: Simbank, holder_no: int) -> None:
    assert (await change_person(bank, holder_no, name="Asha"))["status"] == "nobody"


async def test_words_are_looked_for_in_values_and_mean_themselves(bank: Simbank) -> None:
    for register in ("people", "businesses"):
        for words in ("%", "_", "name", "legal_name", '"', "\\"):
            found = (await ask(bank, f"{register}/list", words=words, limit=300))["entry"]
            assert found == [], (register, words)
        assert len((await ask(bank, f"{register}/list", words="", limit=300))["entry"]) == 300
    assert 0 < len((await ask(bank, "people/list", words="mYSURU", limit=300))["entry"]) < 300
    assert (
        0
        < len((await ask(bank, "businesses/list", words="Warehouse / D", limit=300))["entry"])
        < 300
    )
    await change_business(bank, BUSINESSES[3], trade_name="100%_off")
    (found,) = (await ask(bank, "businesses/list", words="%_OFF"))["entry"]
    assert found["gstin"] == BUSINESSES[3]


def test_a_new_register_holds_numbers_that_the_library_finds_right() -> None:
    numbers = [str(each["gstin"]) for each in business_seeds.seeded()]
    assert len(set(numbers)) == business_seeds.BUSINESSES
    # The library does not know Ladakh, 38.
    assert all(gstins.is_valid(each) for each in numbers if not each.startswith("38"))


def test_a_card_of_a_new_programme_has_expired_when_and_only_when_its_month_is_over() -> None:
    cards = [BankProgrammeCard(**each) for each in card_seeds.seeded(TODAY)]
    assert list(map(asdict, cards)) == card_seeds.seeded(TODAY), "the same every time"
    over = [each for each in cards if tuple(map(int, each.expiry.split("/")))[::-1] < (26, 11)]
    assert over == [each for each in cards if status_on(each, TODAY) == "EXPIRED"]
    assert len(over) > 10
    assert {status_on(each, TODAY) for each in cards} == set(MOVES)
    assert len({each.number for each in cards}) == len(cards)


async def test_a_new_card_ends_in_other_digits_than_those_of_the_demo(bank: Simbank) -> None:
    numbers = {each["number"] for each in card_seeds.seeded(TODAY)}
    for _ in range(3):
        issued = await ask(
            bank, "cards/issue", programme="DEMO", entity_id="A.Rao@shop-1", kind="VIRTUAL"
        )
        assert issued["entry"]["number"] not in numbers
        numbers.add(issued["entry"]["number"])


@pytest.mark.parametrize("entity_id", ["", "x" * 51, "a b", "ä", "a\n"])
async def test_what_is_no_customers_id_gets_no_card(bank: Simbank, entity_id: str) -> None:
    refused = await ask(bank, "cards/issue", programme="DEMO", entity_id=entity_id, kind="VIRTUAL")
    assert (refused["status"], "1 to 50 characters" in refused["message"]) == ("forbidden", True)


async def test_a_card_is_replaced_once_or_not_at_all(bank: Simbank) -> None:
    issued = await ask(bank, "cards/issue", programme="P", entity_id="ONCE", kind="PHYSICAL")
    kit = {"programme": "P", "kit_no": issued["entry"]["kit_no"], "reason": "03"}
    for verb in ("activate", "block"):
        assert (await ask(bank, "cards/move", verb=verb, **kit))["status"] == "found"
    asked = [ask(bank, "cards/move", verb="replace", **kit) for _ in range(6)]
    said = sorted([each["status"] for each in await asyncio.gather(*asked)])
    assert said == ["forbidden"] * 5 + ["found"]
    cards = (await ask(bank, "cards/find", programme="P", entity_id="ONCE"))["entry"]
    assert [each["status"] for each in cards] == ["REPLACED", "ALLOCATED"]


async def test_phones_keep_what_is_new_and_not_too_much_of_it(own_process: Process) -> None:
    db = await open_database(own_process.environment["HUNDI_SIMBANK_DATABASE_URL"], pool_size=1)
    now = datetime.now(UTC)
    try:
        await people.write_message(db, "6000000001", "old", now - timedelta(days=31))
        for number in range(5):
            await people.write_message(db, "6000000001", f"text {number}", now)
        await people.sweep_messages(db, now - timedelta(days=30), 100)
        assert len(await people.messages(db, "6000000001", 30)) == 5
        await people.sweep_messages(db, now - timedelta(days=30), 2)
        assert [row["words"] for row in await people.messages(db, "", 30)] == ["text 4", "text 3"]
    finally:
        await db.close()
