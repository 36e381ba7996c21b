"""Things that are wrong with a machine after the walk, and what its operator is told."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from tests.deploy.machine import CERTIFICATE, Machine
from tests.deploy.walk import PAGE
from tests.system.waiting import until

CREDENTIALS = "etc/hundi/credentials"
SERVICES = "hundi-api hundi-worker hundi-metrics"
_PSQL = "cd / && runuser -u postgres -- psql --port 5433 -XAtc"
_SENTENCE = re.compile(r"^(?:hundi: )?[^\n]{20,400}$")


class FaultyMachine:
    """A machine of the walk, of which something may be wrong for a while."""

    def __init__(self, machine: Machine) -> None:
        """Look after a machine."""
        self.run, self.root = machine.run, machine.root

    def sql(self, statement: str) -> str:
        """Run a statement as the database's administrator; its dollars and quotes are kept."""
        return self.run(f"{_PSQL} {_quoted(statement)} hundi").strip()

    def doctor(self, environment: str = "") -> dict[str, Any]:
        """Return the doctor's findings by code."""
        report = json.loads(self.run(f"{environment} hundi doctor --json || true"))
        return {each["code"]: each for each in report["findings"]}

    def finds(self, code: str) -> dict[str, Any]:
        """Wait until the doctor finds something, and return all its findings by code."""

        def look() -> dict[str, Any] | None:
            found = self.doctor()
            return found if code in found else None

        return until(look, code)

    def refusal(self, unit: str) -> str:
        """Start a service that cannot start, and return the one sentence in its journal."""
        since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        self.run(f"! systemctl restart {unit}")
        told = self.run(
            f"journalctl --unit {unit} --identifier hundi --output cat --since '{since}' --utc"
        )
        lines = [line for line in told.splitlines() if not line.startswith(("{", "-- "))]
        (sentence,) = dict.fromkeys(lines)
        assert _SENTENCE.match(sentence), told
        return sentence

    @contextmanager
    def changed(self, file: str, change: Callable[[str], str]) -> Iterator[None]:
        """Change a file meanwhile."""
        path = self.root / file
        before = path.read_text()
        assert change(before) != before, before
        path.write_text(change(before))
        try:
            yield
        finally:
            path.write_text(before)

    def recovers(self) -> None:
        """Start all services again, and wait until payments can be taken."""
        self.run(f"systemctl reset-failed; systemctl restart hundi-migrate {SERVICES}")
        self.run(
            "until curl --fail --silent https://pay.example.in/health/ready; do sleep 0.2; done"
        )

    def alarm(self, name: str) -> str:
        """Wait until an alarm fires, and return its words."""
        ask = "curl --silent http://127.0.0.1:9090/api/v1/alerts"

        def look() -> str | None:
            alerts = json.loads(self.run(ask))["data"]["alerts"]
            words = [
                each["annotations"]["summary"]
                for each in alerts
                if (each["labels"]["alertname"], each["state"]) == (name, "firing")
            ]
            return words[0] if words else None

        return until(look, f"{name} to fire")

    @contextmanager
    def expired_certificate(self) -> Iterator[None]:
        """Show a certificate that ended, which the machine would trust otherwise."""
        shown = self.root / CERTIFICATE
        key = shown.with_name("privkey.pem")
        before = {path: path.read_bytes() for path in (shown, key)}
        make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        names = ["-subj", "/CN=pay.example.in", "-addext", "subjectAltName=DNS:pay.example.in"]
        files = ["-noenc", "-days", "30", "-keyout", str(key), "-out", str(shown)]
        subprocess.run(
            ["faketime", "-f", "-40d", *make, *names, *files], check=True, capture_output=True
        )
        self._trusted()
        try:
            yield
        finally:
            for path, content in before.items():
                path.write_bytes(content)
            self._trusted()

    def _trusted(self) -> None:
        copied = "/usr/local/share/ca-certificates/pay.example.in.crt"
        self.run(f"cp /{CERTIFICATE} {copied}; update-ca-certificates >/dev/null 2>&1")
        self.run("systemctl reload nginx; systemctl restart hundi-metrics")


def page_says(words: str) -> bool:
    """Return whether the page's table has these words in its first column."""
    table = PAGE.read_text("utf-8").partition("## When it refuses")[2].partition("\n## ")[0]
    return any(words in line.split("|")[1] for line in table.splitlines() if line.startswith("|"))


def _quoted(statement: str) -> str:
    return "'" + statement.replace("'", "'\\''") + "'"
