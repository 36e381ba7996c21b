"""Migrations are one chain: two that were made side by side would stop every new database."""

import re

from tests.house.source import ROOT

VERSIONS = ROOT / "src" / "hundi" / "infra" / "migrations" / "versions"
_NAMED = re.compile(r'^(revision|down_revision) = (?:"(\d{4})"|None)$', re.MULTILINE)


def test_each_migration_follows_the_one_before_and_is_named_by_its_number() -> None:
    found = [
        (path.name[:4], dict(_NAMED.findall(path.read_text("utf-8"))))
        for path in sorted(VERSIONS.glob("0*.py"))
    ]
    numbers = [f"{place:04}" for place in range(1, len(found) + 1)]
    assert [name for name, _ in found] == numbers
    assert [each["revision"] for _, each in found] == numbers
    assert [each["down_revision"] for _, each in found] == ["", *numbers[:-1]]
