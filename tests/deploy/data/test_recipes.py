"""Every recipe of docs/database.md is run by a test, and every sample is used by one."""

from pathlib import Path

import pytest

from tests.deploy.data.recipes import PAGE, sections
from tests.deploy.data.servers import SAMPLES

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
