"""The doctor at a running gateway: command, JSON and console say the same and change nothing."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.settings import LAST_BACKUP_FILE
from tests.system.console import Console
from tests.system.machine import clean_environment, free_port
from tests.system.running import HUNDI, RunningGateway
from tests.system.test_console_payments import OPERATOR, session_of

pytestmark = pytest.mark.not_on_citus(
    "the roles are those of the embedded server; on a cluster of tests there are none"
)
_CODE = re.compile(r"data-label=\"Code\"><code>([a-z_]+)</code></td>")


@pytest.fixture(scope="module")
def operator(operated: RunningGateway) -> Iterator[Console]:
    with session_of(operated, OPERATOR, "198.51.100.81") as browser:
        yield browser


def look(gateway: RunningGateway, **environment: str) -> dict[str, Any]:
    """Return the command's report for scripts; no secret may be in it."""
    ended = gateway.command(
        "doctor", "--json", "--data-dir", str(gateway.data_dir), environment=environment
    )
    assert ended.stderr == ""
    report = json.loads(ended.stdout)
    assert ended.returncode == report["status"], ended.stderr
    for secret in secrets_of(gateway, environment):
        assert secret not in ended.stdout + ended.stderr
    return report


def secrets_of(gateway: RunningGateway, environment: dict[str, str]) -> set[str]:
    """Return the secrets of a gateway's files and of the addresses that a test gives."""
    roles = [path.read_text().strip() for path in (gateway.data_dir / "roles").iterdir()]
    keys = [line.rpartition(":")[2] for line in (gateway.data_dir / "kek").read_text().split()]
    given = [urlsplit(each).password for each in environment.values() if "://" in each]
    return {*filter(None, [*roles, *keys, *given, gateway.acquirer_key])}


def found(report: dict[str, Any], code: str, about: str = "") -> dict[str, Any]:
    """Return the first finding with a code; each says what to do unless it is good."""
    findings = [each for each in report["findings"] if about in {"", each["about"]}]
    finding = next((each for each in findings if each["code"] == code), None)
    assert finding is not None, report["findings"]
    assert (finding["level"] == "good") is (finding["do"] == "")
    assert "\n" not in finding["seen"] + finding["do"]
    return finding


def codes(report: dict[str, Any], *levels: str) -> set[str]:
    """Return the codes of a report's findings, of some levels."""
    return {each["code"] for each in report["findings"] if not levels or each["level"] in levels}


def address(gateway: RunningGateway, role: DatabaseRole, database: str = "hundi") -> str:
    url = embedded_postgres.running_url(gateway.data_dir, database, role)
    assert url is not None
    return url


def test_a_demo_has_no_fault_and_no_warning(operated: RunningGateway) -> None:
    report = look(operated)
    assert codes(report) - {"clock_kept", "clock_alone"} == {
        *("settings_used", "python_usable", "data_usable", "disk_good", "port_good"),
        *("database_good", "schema_good", "rights_good", "clock_good", "work_good"),
        "standby_none",
        *("keys_good", "key_copy_unseen", "backup_unseen", "site_good", "acquirer_good"),
        *("endpoints_good", "mail_good", "phones_good"),
    }
    assert (report["level"], report["status"], report["report"]) == ("note", 0, 1)
    assert found(report, "site_good")["about"] == operated.base_url


def test_people_read_the_same_with_what_to_do(operated: RunningGateway) -> None:
    ended = operated.command("doctor", "--data-dir", str(operated.data_dir))
    assert ended.returncode == 0, ended.stderr
    assert set(re.findall(r"^  [A-Z]+ +([a-z_]+):", ended.stdout, re.MULTILINE)) == codes(
        look(operated)
    )
    assert "→ Copy the key file to a place apart from the backups" in ended.stdout
    assert re.search(r"[34] notes, \d+ good$", ended.stdout.strip())


def test_the_console_shows_the_findings_of_the_command(
    operated: RunningGateway, operator: Console
) -> None:
    page = operator.get("all/doctor")
    assert page.status_code == 200
    assert set(_CODE.findall(page.text)) == codes(look(operated))
    for secret in secrets_of(operated, {}):
        assert secret not in page.text


def test_who_does_not_work_with_the_operator_sees_nothing(operated: RunningGateway) -> None:
    with session_of(operated, "asha@demo.example", "198.51.100.82") as browser:
        assert browser.get("all/doctor").status_code == 404


# --- the database ---


def test_a_missing_right_and_one_too_many_are_named(
    operated: RunningGateway, operator: Console
) -> None:
    operated.rows("REVOKE SELECT ON payouts FROM hundi_worker")
    operated.rows("GRANT DELETE ON payments TO hundi_gateway")
    try:
        report, page = look(operated), operator.get("all/doctor").text
    finally:
        operated.rows("GRANT SELECT ON payouts TO hundi_worker")
        operated.rows("REVOKE DELETE ON payments FROM hundi_gateway")
    missing, extra = found(report, "right_missing"), found(report, "right_too_many")
    assert (missing["about"], missing["seen"]) == ("hundi_worker", "it lacks SELECT on payouts")
    assert (extra["about"], extra["seen"]) == ("hundi_gateway", "it has DELETE on payments")
    assert report["status"] == 2
    assert {"right_missing", "right_too_many"} <= set(_CODE.findall(page))


def test_a_wrong_owner_address_is_named(operated: RunningGateway) -> None:
    report = look(
        operated,
        HUNDI_DATABASE_URL=address(operated, DatabaseRole.OPERATOR),
        HUNDI_OWNER_DATABASE_URL=address(operated, DatabaseRole.WORKER),
    )
    finding = found(report, "owner_other")
    assert finding["about"] == "HUNDI_OWNER_DATABASE_URL"
    assert finding["seen"] == "it is of hundi_worker, and hundi_owner owns the tables"


def test_an_address_of_another_database_is_named(operated: RunningGateway) -> None:
    report = look(
        operated,
        HUNDI_DATABASE_URL=address(operated, DatabaseRole.OPERATOR),
        HUNDI_OWNER_DATABASE_URL=address(operated, DatabaseRole.OWNER, "postgres"),
    )
    assert "it reaches postgres" in found(report, "database_other")["seen"]


def test_a_wrong_password_is_named_and_not_shown(operated: RunningGateway) -> None:
    right = address(operated, DatabaseRole.OPERATOR)
    password = urlsplit(right).password or ""
    report = look(operated, HUNDI_DATABASE_URL=right.replace(password, "wrong-password-7c1f"))
    finding = found(report, "database_unreachable")
    assert "password authentication failed" in finding["seen"]
    assert "not_looked_at" in codes(report)


def test_the_role_of_another_part_is_named(operated: RunningGateway) -> None:
    report = look(
        operated,
        HUNDI_DATABASE_URL=address(operated, DatabaseRole.GATEWAY),
        HUNDI_WORKER_DATABASE_URL=address(operated, DatabaseRole.GATEWAY),
    )
    seen = "it is of hundi_gateway in place of hundi_worker"
    assert found(report, "role_other")["seen"] == seen


def test_it_changes_nothing_and_works_where_nothing_may_be_changed(
    operated: RunningGateway,
) -> None:
    def files() -> dict[str, float]:
        return {
            str(path): path.stat().st_mtime
            for path in operated.data_dir.iterdir()
            if path.name not in {"postgres", "postgres.log"}
        }

    before = files()
    report = look(
        operated,
        PGOPTIONS="-c default_transaction_read_only=on",
    )
    assert codes(report, "warning", "fault") == set()
    assert files() == before


# --- keys and backups ---


def test_keys_that_are_lost_open_or_others_are_named(
    operated: RunningGateway, tmp_path: Path
) -> None:
    open_file, other = tmp_path / "open", tmp_path / "other"
    shutil.copy(operated.data_dir / "kek", open_file)
    open_file.chmod(0o644)
    other.write_text("k1:c29tZSB0aGlydHktdHdvIGJ5dGVzIG9mIGEga2V5ISE=\n")
    other.chmod(0o600)
    refused = found(look(operated, HUNDI_KEY_FILE=str(open_file)), "keys_refused")
    assert f"chmod 600 {open_file}" in refused["seen"]
    wrong = found(look(operated, HUNDI_KEY_FILE=str(other)), "keys_other")
    assert "the database was sealed with the key" in wrong["seen"]
    lost = found(look(operated, HUNDI_KEY_FILE=str(tmp_path / "none")), "keys_other")
    assert "there is no key file" in lost["seen"]


def test_a_copy_of_the_keys_has_to_have_every_key(operated: RunningGateway, tmp_path: Path) -> None:
    copy, old = tmp_path / "copy", tmp_path / "old"
    shutil.copy(operated.data_dir / "kek", copy)
    old.write_text("k0:c29tZSB0aGlydHktdHdvIGJ5dGVzIG9mIGEga2V5ISE=\n")
    old.chmod(0o600)
    assert "key_copy_good" in codes(look(operated, HUNDI_KEY_COPY_FILE=str(copy)))
    assert found(look(operated, HUNDI_KEY_COPY_FILE=str(old)), "key_copy_old")["level"] == "fault"
    missing = look(operated, HUNDI_KEY_COPY_FILE=str(tmp_path / "none"))
    assert "key_copy_refused" in codes(missing)


def test_backups_have_an_age_and_no_key_beside_them(
    operated: RunningGateway, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    named = {"HUNDI_BACKUP_DIR": str(folder)}
    assert found(look(operated, **named), "backup_missing")["seen"] == "there is no such folder"
    operated.hundi("backup", str(folder))
    assert "backup_good" in codes(look(operated, **named))
    log = folder / "wal" / "segment"
    log.parent.mkdir(exist_ok=True)
    log.touch()
    os.utime(log, (time.time() - 900,) * 2)
    behind = found(look(operated, **named), "backup_log_behind")
    assert behind["seen"] == "it is 15 minutes old"
    (manifest,) = folder.glob("base-*.json")
    os.utime(folder / LAST_BACKUP_FILE, (1_764_000_000, 1_764_000_000))
    assert "hours old" in found(look(operated, **named), "backup_old")["seen"]
    shutil.copy(operated.data_dir / "kek", folder / "copied-here")
    beside = found(look(operated, **named), "key_beside_backup")
    assert beside["about"] == str(folder / "copied-here")
    manifest.write_text("{}")
    assert "backup_refused" in codes(look(operated, **named))


# --- the machine ---


def test_another_program_at_the_port_is_named(operated: RunningGateway) -> None:
    bank = str(urlsplit(operated.simbank_url).port)
    report = look_elsewhere(operated, HUNDI_PORT=bank, HUNDI_KEY_FILE=kek(operated))
    assert found(report, "port_taken")["about"] == f"127.0.0.1:{bank}"
    report = look_elsewhere(operated, HUNDI_PORT=str(free_port()), HUNDI_KEY_FILE=kek(operated))
    assert "gateway_stopped" in codes(report)
    assert {"data_missing", "database_stopped"} <= codes(report, "fault")


_WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Runs a program as root who may not read files of others."""


def test_another_user_learns_whose_the_folder_is(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o000)
    if os.geteuid() == 0:
        os.chown(folder, 65_534, 65_534)
    done = subprocess.run(
        [
            *(_WITHOUT_RIGHTS if os.geteuid() == 0 else ()),
            *(str(HUNDI), "doctor", "--json", "--data-dir", str(folder)),
        ],
        env={**clean_environment(), "HUNDI_PORT": str(free_port())},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (2, "")
    report = json.loads(done.stdout)
    assert "it belongs to user" in found(report, "data_forbidden")["seen"]
    assert {"probe_failed", "database_stopped"} & codes(report) == set()
    assert "gateway_stopped" in codes(report)


def look_elsewhere(gateway: RunningGateway, **environment: str) -> dict[str, Any]:
    """Return the report about a folder where nothing is."""
    nowhere = {"HUNDI_DATA_DIR": str(gateway.data_dir / "none"), **environment}
    ended = gateway.command("doctor", "--json", environment=nowhere)
    assert ended.returncode == 2
    return json.loads(ended.stdout)


def kek(gateway: RunningGateway) -> str:
    return str(gateway.data_dir / "kek")


# --- settings ---


def test_settings_that_cannot_be_used_are_findings(operated: RunningGateway) -> None:
    report = look(operated, HUNDI_PORT="eighty", HUNDI_PROT="80")
    faults = [each["seen"] for each in report["findings"] if each["code"] == "settings_refused"]
    assert any(each.startswith("HUNDI_PORT: Expected `int`") for each in faults)
    assert any("HUNDI_PROT is not a setting" in each for each in faults)
    assert report["status"] == 2
    assert "not_looked_at" in codes(report)


def test_secrets_that_others_can_read_are_named(operated: RunningGateway, tmp_path: Path) -> None:
    file = tmp_path / "hundi.toml"
    file.write_text('upstream_secret = "never-shown-5d41402a"\n')
    file.chmod(0o644)
    report = look(
        operated,
        HUNDI_CONFIG=str(file),
        HUNDI_UPSTREAM_API_KEY="never-shown-also",
        HUNDI_ACQUIRERS__SPARE__KIND="razorpay",
        HUNDI_ACQUIRERS__SPARE__KEY_SECRET="never-shown-too",
    )
    assert found(report, "settings_file_open")["seen"] == "it has upstream_secret"
    named = [each for each in report["findings"] if each["code"] == "secret_in_environment"]
    assert {each["about"] for each in named} == {
        "HUNDI_UPSTREAM_API_KEY",
        "HUNDI_ACQUIRERS__SPARE__KEY_SECRET",
    }
    assert "never-shown" not in json.dumps(report)


def test_an_acquirer_that_cannot_be_opened_is_named(operated: RunningGateway) -> None:
    report = look(operated, HUNDI_ACQUIRERS='{"north": {"kind": "payu", "key": "K"}}')
    assert "north" in found(report, "acquirers_refused")["seen"]
