"""A gateway with a plugged-in provider.

Live questions go to it, and one that is not installed stops the start.
"""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.conftest import NewFolder
from tests.system.partners import Keys, PartnerSender
from tests.system.running import RunningGateway
from tests.system.test_cards import details

GSTIN, NOBODYS = "29AAGCB7383J1Z4", "27AAPFU0939F1ZV"
PLUGGED_IN = """
from hundi.partners.registers.port import RegisteredAddress, Nobody, RegisterEntry


class StateGst:
    async def close(self):
        pass

    async def registration(self, gstin):
        if gstin != "29AAGCB7383J1Z4":
            return Nobody()
        names = (
            "trade_name", "taxpayer_type", "constitution", "updated_on", "cancelled_on",
            "state_jurisdiction_code", "state_jurisdiction", "centre_jurisdiction_code",
                "centre_jurisdiction",
        )
        return RegisterEntry(
            gstin=gstin, legal_name="FROM THE LICENSEE", status="Active",
            registered_on="01/07/2017", activities=(), principal=RegisteredAddress(),
                **dict.fromkeys(names, ""),
        )
"""


@pytest.fixture(scope="module")
def plugged_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an installed package that has a provider."""
    folder = tmp_path_factory.mktemp("plugged")
    (folder / "plugged_gst.py").write_text(PLUGGED_IN)
    described = folder / "plugged_gst-1.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged-gst\nVersion: 1\n")
    (described / "entry_points.txt").write_text(
        "[hundi.registers]\nstate_gst = plugged_gst:StateGst\n"
    )
    return folder


@pytest.fixture(scope="module")
def sender(new_folder: NewFolder, plugged_in: Path) -> Iterator[PartnerSender]:
    settings = {"HUNDI_PROVIDERS": "state_gst", "PYTHONPATH": str(plugged_in)}
    with (
        RunningGateway(new_folder("plugged"), **settings) as running,
        httpx.Client(trust_env=False, timeout=30) as http,
    ):
        keys = Keys.of(running.operate("partner", "add", "Live partner"))
        running.operate("partner", "set", keys.affiliate, "--live", "on")
        yield PartnerSender(running, http, keys)


def test_live_questions_are_answered_by_the_provider(sender: PartnerSender) -> None:
    found = sender.ask("gst-verification", {"gstin": GSTIN})
    assert "FROM THE LICENSEE" in str(found)
    assert sender.ask("gst-verification", {"gstin": NOBODYS})["error_code"] == "503"


def test_questions_that_it_does_not_answer_are_not_enabled(sender: PartnerSender) -> None:
    assert details(sender, "CUST0002")["error"]


def test_other_partners_are_answered_by_the_simulated_registers(sender: PartnerSender) -> None:
    other = PartnerSender(
        sender.gateway,
        sender.http,
        Keys.of(sender.gateway.operate("partner", "add", "Simulated partner")),
    )
    assert "FROM THE LICENSEE" not in str(other.ask("gst-verification", {"gstin": GSTIN}))
