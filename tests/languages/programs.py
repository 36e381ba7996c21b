"""Runs the programs of `examples` whose parts the documentation shows."""

import os
import subprocess
import sys
from collections.abc import Mapping

from tests.house.source import ROOT
from tests.patience import PATIENCE_S
from tests.system.endpoint import ReceivedRequest
from tools.sdks.excerpts import program_of

COMMANDS = {
    "curl": ("bash", "-eu"),
    "python": (sys.executable,),
    "node": ("node",),
    "go": ("go", "-C", "sdks/go", "run"),
    "java": ("java", "-cp", "sdks/java/target/classes"),
    "php": ("php", "-d", "auto_prepend_file=sdks/php/tests/autoload.php"),
}
"""How a program of each language is run; those that use no SDK need nothing of it either."""


def run(name: str, language: str, given: Mapping[str, str], standard_input: bytes = b"") -> str:
    """Run a program with these variables, and return what it printed."""
    ran = subprocess.run(
        [*COMMANDS[language], str(program_of(name, language))],
        cwd=ROOT,
        env={**os.environ, **given},
        input=standard_input,
        capture_output=True,
        timeout=PATIENCE_S * 4,
    )
    assert ran.returncode == 0, ran.stdout.decode() + ran.stderr.decode()
    return ran.stdout.decode()


def variables_of(webhook: ReceivedRequest) -> dict[str, str]:
    """Return the headers of a webhook as variables, as CGI has them."""
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    return {f"HTTP_{name.upper().replace('-', '_')}": webhook.headers[name] for name in names}
