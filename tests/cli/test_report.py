"""`hundi report`."""

from pathlib import Path

from tests.cli.conftest import Hundi, Operate


async def test_extracts_are_printed_or_written(
    operate: Operate, hundi: Hundi, refused: Operate, tmp_path: Path
) -> None:
    merchant = str((await operate("merchant", "add", "Chai Corner"))["merchant_id"])
    asked = ("--merchant", merchant, "--from", "2026-11-20", "--to", "2026-11-21")
    assert (await hundi("report", "ledger", *asked)).stdout.startswith("account,currency,at,entry")
    file = tmp_path / "book.csv"
    assert (await operate("report", "daybook", *asked, "--out", str(file)))["lines"] == 1
    assert (
        file.read_bytes() == b"at,entry,reference,debit_account,credit_account,amount,currency\r\n"
    )
    assert "before the first" in await refused(
        "report", "ledger", *asked[:3], "2026-11-20", "--to", "2026-11-19"
    )
    nowhere = str(tmp_path / "no" / "book.csv")
    assert "cannot be written" in await refused("report", "daybook", *asked, "--out", nowhere)
    assert "no merchant 5" in await refused(
        "report", "ledger", "--merchant", "5", "--from", "2026-11-20"
    )


async def test_invoices_need_their_parties_and_charges(operate: Operate, refused: Operate) -> None:
    merchant = str((await operate("merchant", "add", "Chai Corner"))["merchant_id"])
    asked = ("report", "invoice", "--merchant", merchant, "--month", "2026-01")
    assert "hundi report party" in await refused(*asked)
    named = ("--name", "Chai Corner", "--address", "Fort, Mumbai", "--state", "27")
    assert (await operate("report", "party", *named))["version"] == 1
    assert (await operate("report", "party", "--merchant", merchant, *named))["version"] == 1
    assert "charged nothing in 2026-01" in await refused(*asked)
    assert "a state code" in await refused("report", "party", *named[:-1], "00")
    assert await operate("report", "invoices", "--merchant", merchant) == []


async def test_a_settlement_is_named_in_full(refused: Operate, tmp_path: Path) -> None:
    for name, words in (
        ("report.txt", "a .csv or .pdf"),
        ("report.pdf", "no settlement"),
        ("report.csv", "no settlement"),
    ):
        assert words in await refused(
            "report", "settlement", "10001-217383559000000", "--out", str(tmp_path / name)
        )
