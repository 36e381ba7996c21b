"""The doctor outside the gateway: a proxy, certificates, acquirers, merchants' servers, a disk."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.system.machine import clean_environment, free_port
from tests.system.running import HUNDI, RunningGateway
from tests.system.test_doctor import codes, found, look, pytestmark
from tests.system.tls import TestAuthority, dated, proxy_to, serving

__all__ = ("pytestmark",)
LASTING = timedelta(days=90)
_ALONE = [] if os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]
"""What lets somebody who is not root mount a disk that nobody else sees."""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> TestAuthority:
    return TestAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def at_site(
    gateway: RunningGateway, authority: TestAuthority, port: int, host: str = "localhost"
) -> dict[str, Any]:
    """Return the report of a gateway whose address is that of a proxy."""
    site = f"https://{host}:{port}"
    return look(
        gateway,
        HUNDI_BASE_URL=site,
        HUNDI_PAYMENT_PAGE_URL=site,
        SSL_CERT_FILE=str(authority.file),
    )


# --- the proxy ---


def test_a_proxy_that_keeps_everything_is_good(
    gateway: RunningGateway, authority: TestAuthority, closing: ExitStack
) -> None:
    port = closing.enter_context(
        serving(proxy_to(gateway.base_url), authority.context(ends_in=LASTING))
    )
    report = at_site(gateway, authority, port)
    of_site = {each["code"] for each in report["findings"] if each["probe"] == "site"}
    assert of_site == {"certificate_good", "site_good", "proxy_log_unseen"}
    assert "from 127.0.0.1 for 198.51.100.9" in found(report, "site_good")["seen"]
    assert found(report, "certificate_good")["about"] == f"https://localhost:{port}"
    assert found(report, "proxy_log_unseen")["level"] == "note"


def test_what_a_proxy_changes_is_named(
    gateway: RunningGateway, authority: TestAuthority, closing: ExitStack
) -> None:
    port = closing.enter_context(
        serving(
            proxy_to(gateway.base_url, forwarded="", host="upstream", hsts=False),
            authority.context(ends_in=timedelta(days=3)),
        )
    )
    report = at_site(gateway, authority, port)
    assert (
        found(report, "proxy_host")["seen"]
        == "Host upstream, from 127.0.0.1 without X-Forwarded-For"
    )
    assert {"proxy_caller_missing", "hsts_missing", "certificate_ends_soon"} <= codes(report)


def test_a_proxy_that_is_not_trusted_is_named(
    operated: RunningGateway, authority: TestAuthority, closing: ExitStack
) -> None:
    port = closing.enter_context(
        serving(proxy_to(operated.base_url), authority.context(ends_in=LASTING))
    )
    finding = found(at_site(operated, authority, port), "proxy_untrusted")
    assert "from 127.0.0.1" in finding["seen"]


def test_a_site_that_is_another_is_named(
    gateway: RunningGateway, authority: TestAuthority, closing: ExitStack
) -> None:
    port = closing.enter_context(serving(dated(timedelta()), authority.context(ends_in=LASTING)))
    assert "site_other" in codes(at_site(gateway, authority, port))
    assert "site_unreachable" in codes(at_site(gateway, authority, free_port()))
    plain = int(gateway.base_url.rpartition(":")[2])
    assert "site_no_tls" in codes(at_site(gateway, authority, plain))
    report = at_site(gateway, authority, 443, "no-such-host.invalid")
    assert found(report, "site_name")["seen"] == "the name no-such-host.invalid cannot be found"


def test_certificates_that_browsers_refuse_are_named(
    gateway: RunningGateway, authority: TestAuthority, closing: ExitStack, tmp_path: Path
) -> None:
    ended = closing.enter_context(
        serving(proxy_to(gateway.base_url), authority.context(ends_in=timedelta(days=-1)))
    )
    other = closing.enter_context(
        serving(proxy_to(gateway.base_url), authority.context(ends_in=LASTING, host="elsewhere"))
    )
    stranger = TestAuthority(tmp_path).context(ends_in=LASTING)
    unknown = closing.enter_context(serving(proxy_to(gateway.base_url), stranger))
    finding = found(at_site(gateway, authority, ended), "certificate_ended")
    assert finding["seen"] == "certificate has expired"
    assert finding["do"].startswith("Renew the certificate")
    report = at_site(gateway, authority, other)
    assert "Hostname mismatch" in found(report, "certificate_refused")["seen"]
    report = at_site(gateway, authority, unknown)
    assert "unable to get local issuer" in found(report, "certificate_refused")["seen"]


def test_nobody_else_learns_how_a_request_arrives(gateway: RunningGateway) -> None:
    for proof in ("", "x", "nonce.", "nonce." + "0" * 64, "\u00e9.\u00fc"):
        headers = {"x-hundi-proof": proof.encode("latin-1")}
        answer = httpx.get(f"{gateway.base_url}/health/seen", headers=headers, trust_env=False)
        assert answer.status_code == 404


# --- acquirers ---


def acquirer(url: str) -> str:
    """Return the settings of an acquirer that is reached at an address."""
    contact = {"contact_email": "ops@shop.example", "contact_phone": "9876543210"}
    keys = {"key": "KEY", "salt": "never-shown-salt", "environment": "test"}
    return json.dumps({"north": {"kind": "payu", "command_url": url, **keys, **contact}})


def at_acquirer(gateway: RunningGateway, authority: TestAuthority, url: str) -> dict[str, Any]:
    report = look(gateway, HUNDI_ACQUIRERS=acquirer(url), SSL_CERT_FILE=str(authority.file))
    assert "never-shown-salt" not in json.dumps(report)
    return report


def test_a_clock_that_is_off_by_a_minute_is_named(
    gateway: RunningGateway, authority: TestAuthority, closing: ExitStack
) -> None:
    port = closing.enter_context(
        serving(dated(timedelta(seconds=61)), authority.context(ends_in=timedelta(days=5)))
    )
    report = at_acquirer(gateway, authority, f"https://localhost:{port}")
    finding = found(report, "clock_wrong", "north")
    assert finding["seen"] in {f"{s} s behind the clock of localhost" for s in (60, 61, 62)}
    assert "acquirer_certificate_ends_soon" in codes(report)
    assert "clock_good" in codes(report)  # the database's


def test_acquirers_that_cannot_be_reached_are_named(
    gateway: RunningGateway, authority: TestAuthority, closing: ExitStack
) -> None:
    ended = authority.context(ends_in=timedelta(days=-1))
    port = closing.enter_context(serving(dated(timedelta()), ended))
    report = at_acquirer(gateway, authority, f"https://localhost:{port}")
    assert found(report, "acquirer_certificate", "north")["seen"] == f"localhost:{port}: tls"
    report = at_acquirer(gateway, authority, f"https://localhost:{free_port()}")
    assert found(report, "acquirer_unreachable", "north")["seen"].endswith(": connect")
    report = at_acquirer(gateway, authority, "https://no-such-host.invalid")
    assert found(report, "acquirer_name", "north")["seen"] == "no-such-host.invalid:443: name"


# --- merchants' servers ---


def test_notification_addresses_that_cannot_be_reached_are_named(
    operated: RunningGateway, authority: TestAuthority, closing: ExitStack
) -> None:
    port = closing.enter_context(
        serving(dated(timedelta()), authority.context(ends_in=timedelta(days=-1)))
    )
    addresses = {
        "endpoint_unreachable": f"http://127.0.0.1:{free_port()}/hook?key=never-shown",
        "endpoint_certificate": f"https://localhost:{port}/hook",
        "endpoint_name": "https://no-such-host.invalid/hook",
        "endpoint_refused": "http://169.254.169.254/hook",
    }
    merchants = {
        code: json.loads(operated.hundi("merchant", "add", code, "--json"))["merchant_id"]
        for code in addresses
    }
    # As one that was good when it was given.
    set_address = (
        "UPDATE merchants SET settings = settings || jsonb_build_object('notification_url',"
        " $2::text) WHERE merchant_id = $1"
    )
    for code, url in addresses.items():
        operated.rows(set_address, int(merchants[code]), url)
    report = look(operated, SSL_CERT_FILE=str(authority.file))
    for code, merchant_id in merchants.items():
        assert found(report, code)["about"] == f"merchant {merchant_id}"
    assert "never-shown" not in json.dumps(report)
    for code in addresses:
        operated.rows(set_address, int(merchants[code]), "")


# --- the disk ---


def on_small_disk(
    folder: Path, script: str, environment: Mapping[str, str], size_mb: int = 40
) -> str:
    """Run a script where a folder is a small disk of its own, that nobody else sees."""
    folder.mkdir()
    mounted = f"mount -t tmpfs -o size={size_mb}m tmpfs {folder} && {script}"
    done = subprocess.run(
        ["unshare", *_ALONE, "--mount", "sh", "-c", mounted],
        env={**clean_environment(), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.stdout + done.stderr


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    filled = f"head -c 39m /dev/zero > {folder}/ballast; {HUNDI} doctor --json"
    printed = on_small_disk(folder, filled, {"HUNDI_DATA_DIR": str(folder)})
    finding = found(json.loads(printed), "disk_full")
    assert finding["seen"].startswith(("1 of 42 MB free", "0 of 42 MB free", "2 of 42 MB free"))


@pytest.mark.parametrize("size_mb", [8, 40])
def test_a_start_on_a_full_disk_says_so_in_one_sentence(tmp_path: Path, size_mb: int) -> None:
    folder = tmp_path / "disk"
    printed = on_small_disk(folder, f"{HUNDI} serve --data-dir {folder}", {}, size_mb)
    assert printed.startswith("the disk of the embedded database is full: make room there")
    assert printed.count("\n") == 1


def test_a_key_file_is_not_made_on_a_full_disk(tmp_path: Path, fresh_url: str) -> None:
    folder = tmp_path / "disk"
    full = f"cat /dev/zero > {folder}/ballast; {HUNDI} merchant add Shop"
    named = {"HUNDI_DATABASE_URL": fresh_url, "HUNDI_DATA_DIR": str(folder)}
    printed = on_small_disk(folder, full, named, 8)
    assert "the disk is full: make room there, then run this again" in printed
    assert "Traceback" not in printed
