"""Every recipe of docs/database.md is run by a test, and every sample is used by one."""

import re
from pathlib import Path

import pytest

from tests.deploy.data.recipes import PAGE, sections
from tests.deploy.data.servers import SAMPLES
from tests.docs.examples import ROOT

OURS = "\n".join(
    path.read_text("utf-8") for path in Path(__file__).parent.glob("*.py") if path != Path(__file__)
)


@pytest.mark.parametrize("section", sections())
def test_every_section_is_run(section: str) -> None:
    assert f'"{section}"' in OURS


@pytest.mark.parametrize("sample", sorted(path.name for path in SAMPLES.iterdir()))
def test_every_sample_is_used_and_named(sample: str) -> None:
    assert f'SAMPLES / "{sample}"' in OURS
    assert f"`deploy/data/{sample}`" in PAGE.read_text("utf-8")


def test_the_smallest_machine_is_one_and_its_server_takes_an_eighth_of_it() -> None:
    sold = (ROOT / "docs" / "capacity.md").read_text("utf-8")
    (bought,) = re.findall(r"one machine of (\d+ cores and \d+ GB), with PostgreSQL on it", sold)
    cores, gigabytes = map(int, re.findall(r"\d+", bought))
    installed = " ".join((ROOT / "docs" / "install.md").read_text("utf-8").split())
    assert f"You need {cores} cores, {gigabytes} GB of memory" in installed
    sample = (SAMPLES / "postgresql.conf").read_text("utf-8")
    assert f"\nshared_buffers = {gigabytes * 1024 // 8}MB\n" in sample
