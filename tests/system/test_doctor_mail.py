"""The doctor says why letters would not leave."""

import json
from pathlib import Path

from tests.relay import MailRelay
from tests.system.machine import free_port
from tests.system.running import RunningGateway


def looked(
    gateway: RunningGateway, data_dir: Path | None = None, **environment: str
) -> dict[str, str]:
    place = str(data_dir or gateway.data_dir)
    ended = gateway.command("doctor", "--json", "--data-dir", place, environment=environment)
    findings = json.loads(ended.stdout)["findings"]
    (finding,) = [each for each in findings if each["probe"] == "mail"]
    return finding


def test_a_relay_that_answers_one_that_refuses_and_none(
    gateway: RunningGateway, tmp_path: Path
) -> None:
    assert looked(gateway)["code"] == "mail_good", "a demo has its bank's mailbox"
    assert looked(gateway, tmp_path)["code"] == "mail_none"
    with MailRelay() as relay:
        assert looked(gateway, **relay.settings)["code"] == "mail_good"
        relay.greeting = "554 We do not know you"
        refused = looked(gateway, **relay.settings)
        assert refused["code"] == "mail_refuses"
        assert "We do not know you" in refused["seen"]
        encrypted = {**relay.settings, "HUNDI_SMTP_SECURITY": "tls"}
        assert looked(gateway, **encrypted)["code"] == "mail_unreachable"
    nowhere = {**relay.settings, "HUNDI_SMTP_PORT": str(free_port())}
    assert looked(gateway, **nowhere)["code"] == "mail_unreachable"
