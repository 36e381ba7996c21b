"""The doctor says why messages would not leave."""

import json
from pathlib import Path

from tests.bridge import MessageBridge
from tests.system.machine import free_port
from tests.system.running import RunningGateway


def looked(
    gateway: RunningGateway, data_dir: Path | None = None, **environment: str
) -> list[dict[str, str]]:
    place = str(data_dir or gateway.data_dir)
    ended = gateway.command("doctor", "--json", "--data-dir", place, environment=environment)
    findings = json.loads(ended.stdout)["findings"]
    return [each for each in findings if each["probe"] == "phones"]


def test_providers_that_answer_that_do_not_know_us_and_none(
    gateway: RunningGateway, tmp_path: Path
) -> None:
    assert {each["code"] for each in looked(gateway)} == {"phones_good"}, "a demo has phones"
    assert [each["code"] for each in looked(gateway, tmp_path)] == ["phones_none"]
    with MessageBridge() as bridge:
        assert looked(gateway, **bridge.settings)[0]["code"] == "phones_good"
        assert bridge.taken == [{"type": "greeting"}], "nothing was sent"
        bridge.status = 401
        assert looked(gateway, **bridge.settings)[0]["code"] == "phones_refuses"
    nowhere = {**bridge.settings, "HUNDI_SMS_URL": f"http://127.0.0.1:{free_port()}/"}
    assert looked(gateway, **nowhere)[0]["code"] == "phones_unreachable"
