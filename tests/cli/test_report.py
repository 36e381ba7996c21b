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
    assert file.read_bytes() == b"at,entry,reference,debit_account,credit_account,amount,currency\r\n"
    assert "before the first" in await refused("report", "ledger", *asked[:3], "2026-11-20", "--to", "2026-11-19")
    nowhere = str(tmp_path / "no" / "book.csv")
    assert "cannot be written" in await refused("report", "daybook", *asked, "--out", nowhere)
    assert "no merchant 5" in await refused("report", "ledger", "--merchant", "5", "--from", "2026-11-20")
