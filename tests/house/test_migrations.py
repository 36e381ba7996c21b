"""Migrations are one chain: two heads would stop every new database."""

import re

from hundi.infra.migrations import versions
from tests.house.source import ROOT

VERSIONS = ROOT / "src" / "hundi" / "infra" / "migrations" / "versions"
_FILE = re.compile(r"(\d{4}_\w+)(?:(?:\.(?:spread|after))?\.sql)?")


def test_each_migration_follows_the_one_before_and_is_named_by_its_number() -> None:
    numbers = [f"{place:04}" for place in range(1, len(versions()) + 1)]
    assert [version.revision for version in versions()] == numbers


def test_every_file_of_the_versions_is_run() -> None:
    # An older checkout leaves compiled versions behind.
    files = (path.name for path in VERSIONS.iterdir() if path.name != "__pycache__")
    matches = [_FILE.fullmatch(name) for name in files]
    assert {match and match[1] for match in matches} == {version.name for version in versions()}
