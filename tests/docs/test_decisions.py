"""Decision records: no number is used twice, and those without a record are named."""

import re

from tests.docs.examples import ROOT

RECORDS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_a_record_has_the_number_of_its_file() -> None:
    heads = {path.name: path.read_text("utf-8").partition("\n")[0] for path in RECORDS}
    assert [name for name, head in heads.items() if not head.startswith(f"# {name[:4]} ")] == []


def test_each_number_has_one_record_or_is_named_as_having_none() -> None:
    numbers = [int(path.name[:4]) for path in RECORDS]
    found = re.search(r"No number is used twice; ([\d, and]+) have no record", CONTRIBUTING)
    assert found is not None
    without = [int(each) for each in re.findall(r"\d+", found[1])]
    assert sorted(numbers + without) == list(range(1, max(numbers) + 1))
