"""Settings as an operator meets them: the sample of the file, credentials, and faults in words."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hundi.cli.environments import environments
from hundi.infra.settings import SECRETS, load_settings
from hundi.infra.settings_described import described
from tests.system.machine import clean_environment
from tests.system.running import HUNDI

SECRET = "never-shown-5d41402abc4b2a76"


def hundi(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(HUNDI), *arguments],
        env={**clean_environment(), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def read(**environment: str) -> dict[str, Any]:
    done = hundi("settings", "--json", **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def credentials(folder: Path, values: Mapping[str, str]) -> dict[str, str]:
    folder.mkdir()
    for name, value in values.items():
        (folder / f"hundi.{name}").write_text(f"{value}\n")
    return {"CREDENTIALS_DIRECTORY": str(folder)}


# --- the sample ---


def test_the_sample_changes_nothing_until_a_line_is_uncommented(tmp_path: Path) -> None:
    file = tmp_path / "hundi.toml"
    file.write_text(hundi("settings", "--example").stdout)
    assert read(HUNDI_CONFIG=str(file)) == read()


def test_every_line_of_the_sample_can_be_read_back(tmp_path: Path) -> None:
    file = tmp_path / "hundi.toml"
    sample = hundi("settings", "--example").stdout
    uncommented = re.sub(r"^#(?=[\w\[])", "", sample, flags=re.MULTILINE)
    file.write_text(uncommented)
    settings = read(HUNDI_CONFIG=str(file))
    assert set(settings) == {each.name for each in described()}
    without = read()
    for each in described():
        assert f"\n{each.name} = " in uncommented or f"\n[{each.name}." in uncommented
        if each.default is not None:
            assert settings[each.name] == without[each.name], each.name
    assert settings["base_url"] == "https://pay.example.in"
    assert settings["acquirers"]["payu"]["kind"] == "payu"


def test_the_sample_says_which_settings_are_secrets() -> None:
    sample = hundi("settings", "--example").stdout
    assert set(re.findall(r"credential hundi\.(\w+)", sample)) == set(SECRETS)


# --- credentials ---


def test_every_secret_may_be_a_credential_and_is_shown_to_nobody(tmp_path: Path) -> None:
    values = {
        name: f"postgresql://a:{SECRET}@127.0.0.1/hundi" if name.endswith("_url") else SECRET
        for name in SECRETS
    }
    given = credentials(tmp_path / "all", {**values, "acquirers.payu.salt": SECRET})
    settings = load_settings({**given, "HUNDI_ACQUIRERS__PAYU__KIND": "payu"})
    assert {name: getattr(settings, name) for name in SECRETS} == values
    assert settings.acquirers["payu"] == {"kind": "payu", "salt": SECRET}
    shown = hundi("settings", "--json", **given)
    assert shown.returncode == 0, shown.stderr
    assert SECRET not in shown.stdout


def test_a_command_finds_its_database_by_a_credential(tmp_path: Path, fresh_url: str) -> None:
    given = credentials(tmp_path / "one", {"database_url": fresh_url})
    done = hundi("merchant", "list", "--json", HUNDI_DATA_DIR=str(tmp_path), **given)
    assert (done.returncode, json.loads(done.stdout)) == (0, []), done.stderr


def test_a_variable_counts_more_than_a_credential_and_this_more_than_the_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "hundi.toml"
    file.write_text('upstream_secret = "file"\nupstream_api_key = "file"\nkeys = "file"\n')
    names = {"upstream_secret": "credential", "upstream_api_key": "credential", "keys_command": ""}
    settings = load_settings(
        {
            **credentials(tmp_path / "some", names),
            "HUNDI_CONFIG": str(file),
            "HUNDI_UPSTREAM_SECRET": "variable",
            "HUNDI_UPSTREAM_API_KEY": "",
        }
    )
    assert settings.upstream_secret == "variable"
    assert settings.upstream_api_key == "credential"
    assert (settings.keys, settings.keys_command) == ("file", "")


def test_a_wrong_credential_is_named_without_its_content(tmp_path: Path) -> None:
    given = credentials(tmp_path / "bad", {"database_ulr": SECRET, "port": "80"})
    folder = tmp_path / "bad"
    (folder / "hundi.keys").mkdir()
    (folder / "hundi.upstream_secret").write_bytes(b"\xff\xfe")
    (folder / "hundi.acquirer_key").write_text("x" * 70_000)
    (folder / "other.service").write_text(SECRET)
    done = hundi("settings", **given)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for words in (
        "hundi.database_ulr is no secret of the settings",
        "hundi.port is no secret of the settings",
        "hundi.keys: Is a directory",
        "hundi.upstream_secret: it is no text in UTF-8",
        "hundi.acquirer_key: over 65536 bytes",
    ):
        assert words in done.stderr
    assert SECRET not in done.stderr
    assert "other.service" not in done.stderr


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = hundi("settings", CREDENTIALS_DIRECTORY=str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "nowhere: there is no such folder" in done.stderr


def test_a_child_of_serve_reads_no_secret_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = credentials(tmp_path / "all", {"database_url": "postgresql://gateway@127.0.0.1/h"})
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", given["CREDENTIALS_DIRECTORY"])
    children = environments(load_settings({**os.environ}), None)
    assert children["api"]["HUNDI_DATABASE_URL"] == "postgresql://gateway@127.0.0.1/h"
    assert all("CREDENTIALS_DIRECTORY" not in each for each in children.values())
