"""`hundi fee` and `hundi calendar`."""

import json
from pathlib import Path

from tests.cli.conftest import Hundi, Operate

PLAN = """
[[rules]]
name = "credit"
channels = ["pg"]
not_card_types = ["debit"]
basis_points = 200
[[rules]]
name = "debit"
channels = ["pg"]
card_types = ["debit"]
not_networks = ["RuPay"]
basis_points = 40
maximum_paise = 20000
[otherwise]
basis_points = 150
fixed_paise = 300
"""


async def new_merchant(operate: Operate) -> str:
    return str((await operate("merchant", "add", "Chai Corner"))["merchant_id"])


async def test_a_plan_is_set_shown_and_quoted(
    operate: Operate, hundi: Hundi, tmp_path: Path
) -> None:
    merchant = await new_merchant(operate)
    file = tmp_path / "plan.toml"
    file.write_text(PLAN)
    set_ = await operate("fee", "plan", "set", str(file), "--merchant", merchant, "--by", "asha")
    assert set_["plan_no"] == 1
    shown = await operate("fee", "plan", "show", "--merchant", merchant)
    assert (shown["in_force"], shown["plan"]["document"]["otherwise"]) == (
        1,
        {"basis_points": 150, "fixed_paise": 300},
    )
    assert "credit" in (await hundi("fee", "plan", "show", "--merchant", merchant)).stdout

    async def quote(channel: str, paise: int, *more: str) -> tuple[int, int, int, str]:
        asked = ("--merchant", merchant, "--channel", channel, "--amount-paise", str(paise), *more)
        found = await operate("fee", "quote", *asked)
        return found["fee_paise"], found["tax_paise"], found["net_paise"], found["rule"]

    assert await quote("upi", 1_000_00) == (0, 0, 1_000_00, "zero_by_law")
    assert await quote("nb", 1_000_00) == (18_00, 3_24, 978_76, "otherwise")
    assert await quote("pgcc", 3_000_00, "--network", "Visa", "--card-type", "credit") == (
        60_00,
        10_80,
        2929_20,
        "credit",
    )
    assert await quote("pg", 1_000_00, "--network", "Visa", "--card-type", "debit") == (
        4_00,
        0,
        996_00,
        "debit",
    )


async def test_a_plan_that_is_not_in_order_is_refused_with_codes(
    operate: Operate, hundi: Hundi, refused: Operate, tmp_path: Path
) -> None:
    merchant = await new_merchant(operate)
    file = tmp_path / "plan.toml"
    file.write_text("[[rules]]\nname = 'all'\nchannels = ['upi']\nfixed_paise = 100\n[otherwise]\n")
    told = await refused("fee", "plan", "set", str(file), "--merchant", merchant)
    assert told.startswith("zero_by_law: all: upi: nothing may be charged")
    ended = await hundi("fee", "plan", "set", str(file), "--merchant", merchant, "--json")
    assert (ended.exit_code, [each["code"] for each in json.loads(ended.stdout)]) == (
        2,
        ["zero_by_law"],
    )
    file.write_text(PLAN)
    late = await refused(
        "fee", "plan", "set", str(file), "--merchant", merchant, "--from", "2020-01-01"
    )
    assert "first_day was '2020-01-01'" in late
    assert "no channel" in await refused(
        "fee", "quote", "--merchant", merchant, "--channel", "x", "--amount-paise", "1"
    )
    assert "version 3" in await refused(
        "fee", "plan", "show", "--merchant", merchant, "--version", "3"
    )


async def test_bank_days_are_kept(operate: Operate, refused: Operate) -> None:
    assert (await operate("calendar", "after", "2026-11-27", "1"))["day"] == "2026-11-30"
    await operate("calendar", "add", "2026-11-30", "elections", "--by", "asha")
    assert (await operate("calendar", "after", "2026-11-27", "1"))["day"] == "2026-12-01"
    await operate("calendar", "remove", "2026-11-30")
    await operate("calendar", "add", "2026-11-28", "banks are open", "--working")
    assert (await operate("calendar", "after", "2026-11-27", "1"))["day"] == "2026-11-28"
    assert (await operate("calendar", "seed", "2027", "--centre", "KA"))["written"] > 0
    listed = await operate("calendar", "list", "--centre", "KA", "--year", "2027")
    assert {each["centre"] for each in listed} == {"IN", "KA"}
    assert "2026-11-30 is not on the list of IN" in await refused(
        "calendar", "remove", "2026-11-30"
    )
    assert "no centre 'ZZ'" in await refused("calendar", "list", "--centre", "ZZ")
