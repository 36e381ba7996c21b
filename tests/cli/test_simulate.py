"""`hundi simulate` runs without a gateway, and its exit status says what it found."""

import json

from typer.testing import CliRunner

from hundi.cli import application


def test_a_short_run_is_reported_for_scripts() -> None:
    said = CliRunner().invoke(application("simulate"), ["simulate", "--seed", "3", "--hours", "0.1", "--json"])
    assert said.exit_code == 0, said.output
    shown = json.loads(said.stdout)
    assert (shown["seed"], shown["findings"]) == (3, [])
    assert shown["operations"]["verify"] > 0
    assert len(shown["trace"]) == 64
