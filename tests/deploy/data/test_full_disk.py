"""A database whose disk is full: the sentence that an operator reads, and nothing half done."""

import json
import re
import sys

import pytest

from tests.deploy.data.servers import operators_folder
from tests.system.test_doctor_outside import on_small_disk

FULL = "2 The disk of the database is full: make room there, then run this again."
AT_THE_DOOR = re.compile(
    r"2 the database \S+ cannot be used: could not write init file; look at the server's log:"
    r" its disk may be full"
)
"""PostgreSQL does not say why it could not write, while it lets somebody in."""


@pytest.mark.not_on_citus("it is about one server")
def test_a_full_disk_ends_a_command_with_one_sentence() -> None:
    with operators_folder() as folder:
        disk = folder / "disk"
        script = f"{sys.executable} -m tests.deploy.data.full_disk {disk}"
        printed = on_small_disk(disk, script, {}, size_mb=64)
    told = json.loads(printed.splitlines()[-1])
    assert AT_THE_DOOR.fullmatch(told["connect"]), told
    for command in ("migrate", "merchant add Shop"):
        assert told[command] == FULL, told
        # Nothing is left half done: with room the same command works.
        assert told[f"{command} with room"].startswith("0 "), told
