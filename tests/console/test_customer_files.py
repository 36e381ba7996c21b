"""The export of a customer: a zip with all rows as JSON, and CSV that no spreadsheet runs."""

import csv
import io
import json
from datetime import UTC, date, datetime
from zipfile import ZipFile

from hundi.console.customer_files import zipped

AT = datetime(2026, 11, 30, 4, 30, tzinfo=UTC)


def test_a_text_is_exact_in_json_and_no_formula_in_csv() -> None:
    rows = [
        {
            "customer_firstname": "=HYPERLINK(1)",
            "at": AT,
            "on": date(2026, 12, 1),
            "paise": 149_950,
        },
        {"customer_firstname": "@SUM(A1)", "at": None, "on": None, "paise": 0},
    ]
    with ZipFile(
        io.BytesIO(zipped({"merchant": "10001"}, {"payments": rows, "cards": []}))
    ) as kept:
        assert kept.namelist() == ["customer.json", "payments.csv"], "no file without rows"
        whole = json.loads(kept.read("customer.json"))
        lines = list(csv.DictReader(io.StringIO(kept.read("payments.csv").decode())))
    assert whole["about"] == {"merchant": "10001"}
    assert whole["payments"][0]["customer_firstname"] == "=HYPERLINK(1)"
    assert whole["payments"][0]["at"] == "2026-11-30T10:00:00+05:30"
    assert whole["cards"] == []
    assert [each["customer_firstname"] for each in lines] == ["'=HYPERLINK(1)", "'@SUM(A1)"]
    assert (lines[0]["paise"], lines[0]["on"], lines[1]["at"]) == ("149950", "2026-12-01", "")


def test_words_in_json_cells_stay_one_cell() -> None:
    rows = [{"items": [{"name": 'a "torn", page'}]}]
    with ZipFile(io.BytesIO(zipped({}, {"payment_links": rows}))) as kept:
        (line,) = csv.DictReader(io.StringIO(kept.read("payment_links.csv").decode()))
    assert json.loads(line["items"]) == rows[0]["items"]
