"""docs/install.md on a bare machine: from its first command to a gateway that lost its database.

The page's commands run as they stand, in order, under a real systemd (tests/deploy/machine.py).
"""

import re
import shlex
from collections.abc import Callable, Iterator

import pytest

from tests.deploy.faults import CREDENTIALS, FaultyMachine, page_says
from tests.deploy.machine import MADE, booted, files
from tests.deploy.release import Release
from tests.deploy.walk import NEXT, Walk

CALLS = 200
COLLECTOR = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class Collector(BaseHTTPRequestHandler):
    def do_POST(self):
        open("/tmp/spans", "a").write(self.path + " " + self.headers["content-length"] + chr(10))
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.end_headers()
HTTPServer(("127.0.0.1", 4318), Collector).serve_forever()
"""
"""Writes each message that it gets into a file, by address and size."""

pytestmark = pytest.mark.timeout(1_800)


@pytest.fixture(scope="module")
def walk(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """A machine after every command of the page."""
    root = files(tmp_path_factory.mktemp("machine"))
    with booted(root) as machine:
        done = Walk(machine, release)
        done.bring_files()
        done.carry_out()
        yield done


def test_the_page_leads_to_a_gateway(walk: Walk) -> None:
    (MADE.parent / "walk.txt").write_text(walk.table())
    told = walk.told
    assert "certificate_good" in told["7. The first people"]
    paying = told["8. One payment, before you have an acquirer"]
    assert re.search(r"paid +FIRST-1", paying), paying
    assert "All promises are kept." in paying
    assert "Paid" in paying.splitlines()[-1], paying.splitlines()[-1]
    assert '"alertname":"BackupOld"' in told["9. Watch it"]
    backed_up = told["10. Back it up"]
    assert '"__name__":"hundi_last_backup_seconds"' in backed_up, "the alarm's end was seen"
    assert "All promises are kept." in backed_up
    assert f"hundi {NEXT}" in told["11. Upgrade it"]
    assert '"payment_status": "SUCCESS"' in walk.read("paid.json")
    assert '"order_id": "AFTER-1"' in walk.read("paid.json")


def test_everything_that_runs_is_of_the_package(walk: Walk) -> None:
    run = walk.machine.run
    parts = run("curl -sS http://127.0.0.1:9400/metrics | grep part_started_seconds{")
    assert {"api", "worker", "metrics"} == set(re.findall(r'part="(\w+)"', parts))
    assert run("curl -sS http://127.0.0.1:8080/docs/install/ | grep -c systemd").strip() != "0"
    assert run("man -w hundi 2>/dev/null || ls /usr/share/man/man1/hundi.1.gz")
    migrated = "SELECT obj_description('merchants'::regclass, 'pg_class')"
    psql = "cd / && runuser -u postgres -- psql --port 5433 -XAtc"
    assert run(f'{psql} "{migrated}" hundi').strip() == "of the next version"


def test_the_end_of_an_alarm_is_not_believed_without_an_answer(walk: Walk) -> None:
    """The page's last wait of step 10, with nobody who answers."""
    walk.machine.run("systemctl stop prometheus")
    walk.machine.run("timeout 3 sh ended", status=124)
    walk.machine.run("systemctl start prometheus; timeout 120 sh ended")


def test_a_restart_loses_no_request_and_a_reload_keeps_the_service(walk: Walk) -> None:
    call = (
        "curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8080/health/live || echo lost"
    )
    calling = f"(for i in $(seq {CALLS}); do {call}; done | sort | uniq -c) & sleep 1"
    for verb in ("restart", "reload"):
        told = walk.machine.run(f"{calling}; systemctl {verb} hundi-api; wait")
        assert told.split() == [str(CALLS), "200"]
    assert walk.machine.run("systemctl show -p NRestarts --value hundi-api").strip() == "0"


PRYING = """
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'id -un; kill -0 {pid} && echo there; \\
    for secret in {secrets}; do cat $secret && echo read; done; true'
"""
"""A service that a stranger took over; the drop-in of all services of Hundi is its own, too."""


def test_no_service_reads_what_another_was_given(walk: Walk) -> None:
    run = walk.machine.run
    pid = run("systemctl show -p MainPID --value hundi-api").strip()
    given = "/run/credentials/hundi-api.service/hundi.database_url"
    secrets = [given, f"/proc/{pid}/root{given}", f"/proc/{pid}/environ", f"/proc/{pid}/mem"]
    unit = PRYING.format(secrets=" ".join(secrets), pid=pid).replace("$", "$$")
    (walk.machine.root / "etc/systemd/system/hundi-prying.service").write_text(unit)
    run("systemctl daemon-reload; systemctl start hundi-prying")
    told = run("journalctl -o cat -u hundi-prying; rm /etc/systemd/system/hundi-prying*")
    assert "hundi\n" in told
    assert "there\n" in told, "the process is there, and of the same user"
    assert "read\n" not in told, told
    parts = run("curl -sS http://127.0.0.1:9400/metrics | grep resident_bytes{")
    assert {"api", "worker", "metrics"} == set(re.findall(r'part="(\w+)"', parts))


def test_keys_that_root_rotates_are_the_services(walk: Walk) -> None:
    walk.machine.run("hundi keys rotate")
    assert walk.machine.run("stat -c %U:%a /var/lib/hundi/kek").strip() == "hundi:600"


# --- what is wrong with it, in one sentence ---


@pytest.fixture(scope="module")
def faulty(walk: Walk) -> FaultyMachine:
    """The same machine."""
    return FaultyMachine(walk.machine)


def _with_password(url: str) -> str:
    return re.sub(r":[^:@/]+@", ":wrong@", url)


def _with_host(url: str) -> str:
    return re.sub(r"@[^/]+/", "@no-such-host.invalid/", url)


def _with_port(url: str) -> str:
    return re.sub(r"@[^/]+/", "@127.0.0.1:1/", url)


def _with_database(url: str) -> str:
    return re.sub(r"/hundi\s*$", "/postgres", url)


@pytest.mark.parametrize(
    ("change", "seen", "helps"),
    [
        (
            _with_password,
            "password authentication failed for user",
            "correct role and password in this address",
        ),
        (
            _with_host,
            "Temporary failure in name resolution",
            "correct the server's name in this address",
        ),
        (
            _with_port,
            "Connect call failed",
            "start the server, or correct host and port in this address",
        ),
        (_with_database, "name two different databases", "correct the one that is wrong"),
    ],
)
def test_a_wrong_address_of_the_owner_is_one_sentence_of_the_service(
    faulty: FaultyMachine, change: Callable[[str], str], seen: str, helps: str
) -> None:
    with faulty.changed(f"{CREDENTIALS}/owner_database_url", change):
        sentence = faulty.refusal("hundi-migrate")
    faulty.run("systemctl restart hundi-migrate")
    assert seen in sentence
    assert sentence.endswith(helps)
    assert page_says(seen)


def test_a_missing_right_is_named_and_comes_back(faulty: FaultyMachine) -> None:
    faulty.sql("REVOKE SELECT ON merchants FROM hundi_gateway")
    sentence = faulty.refusal("hundi-api")
    assert "lacks a right that this part needs (permission denied for table merchants)" in sentence
    assert page_says("lacks a right that this part needs")
    assert faulty.doctor()["right_missing"]["seen"] == "it lacks SELECT on merchants"
    worker = (faulty.root / CREDENTIALS / "worker_database_url").read_text()
    with faulty.changed(f"{CREDENTIALS}/owner_database_url", lambda _: worker):
        sentence = faulty.refusal("hundi-migrate")
    assert "the role hundi_worker of the database's address may not bring it up" in sentence
    assert page_says("may not bring it up to date")
    faulty.recovers()
    assert "right_missing" not in faulty.doctor()


def test_a_port_that_another_program_has_is_named(faulty: FaultyMachine) -> None:
    address = "HUNDI_DATABASE_URL=$(cat /etc/hundi/credentials/gateway_database_url)"
    told = faulty.run(f"{address} HUNDI_PORT=9080 hundi api 2>&1", status=2)
    assert told.count("\n") == 1
    assert "9080: Address already in use; choose another port with HUNDI_PORT, or" in told
    faulty.run("systemctl stop hundi-api hundi-api.socket")
    faulty.run("systemd-run --quiet --unit other python3 -m http.server 8080 --bind 127.0.0.1")
    faulty.run("until curl --silent --output /dev/null http://127.0.0.1:8080; do sleep 0.1; done")
    faulty.run("! systemctl start hundi-api 2>/dev/null")
    told = faulty.run("journalctl --unit hundi-api.socket --output cat --lines 3")
    assert "Failed to listen on sockets" in told
    assert page_says("Failed to listen on sockets")
    assert faulty.doctor()["port_taken"]["do"].startswith("Choose another port with HUNDI_PORT")
    faulty.run("systemctl stop other; systemctl reset-failed; systemctl start hundi-api.socket")
    faulty.recovers()


def test_a_certificate_that_ended_is_named_and_raises_an_alarm(faulty: FaultyMachine) -> None:
    with faulty.expired_certificate():
        finding = faulty.doctor()["certificate_ended"]
        assert finding["seen"] == "certificate has expired"
        assert finding["do"].startswith("Renew the certificate")
        assert page_says("certificate_ended")
        assert "pay.example.in" in faulty.alarm("CertificateEnds")
    assert "site_good" in faulty.doctor()


def test_work_that_nobody_does_and_a_log_that_nobody_keeps_are_named(
    faulty: FaultyMachine,
) -> None:
    faulty.run("systemctl stop hundi-worker; mv /var/lib/pgbackrest /var/lib/away")
    faulty.run(
        "HUNDI_BASE_URL=http://127.0.0.1:8080 hundi call qr LATE-1 100.00"
        " --credentials merchant.json >/dev/null"
    )
    faulty.sql(
        "UPDATE attempts SET inquire_at = now() - interval '5 minutes' WHERE inquire_at IS NOT NULL"
    )
    faulty.sql("SELECT pg_switch_wal()")
    found = faulty.finds("archive_fails")
    faulty.run("mv /var/lib/away /var/lib/pgbackrest; systemctl start hundi-worker")
    assert found["work_late"]["do"].startswith("Start `hundi worker`")
    assert found["archive_fails"]["do"].startswith("Look at the server's log")
    assert {"database_good", "disk_unseen"} <= found.keys()


def test_traces_need_the_setting_alone(faulty: FaultyMachine) -> None:
    """Whatever listens at the collector's address is sent the spans of a request."""
    to = "traces_to = 'http://127.0.0.1:4318'\n"
    faulty.run(f"systemd-run --quiet --unit collector python3 -c {shlex.quote(COLLECTOR)}")
    with faulty.changed("etc/hundi/hundi.toml", lambda before: to + before):
        faulty.recovers()
        faulty.run(
            "HUNDI_BASE_URL=http://127.0.0.1:8080 hundi call qr TRACED-1 100.00"
            " --credentials merchant.json >/dev/null"
        )
        told = faulty.run("until test -s /tmp/spans; do sleep 0.2; done; cat /tmp/spans")
        assert "package_missing" not in faulty.doctor()
    faulty.run("systemctl stop collector")
    faulty.recovers()
    path, size = told.split()[:2]
    assert path == "/v1/traces"
    assert int(size) > 0


def test_traces_without_their_package_are_named(faulty: FaultyMachine) -> None:
    """The package brings it, and so somebody took it away."""
    there = faulty.run("ls -d /usr/lib/hundi/lib/python3*/site-packages/opentelemetry").strip()
    faulty.run(f"mv {there} /root/away")
    finding = faulty.doctor("HUNDI_TRACES_TO=http://127.0.0.1:4318")["package_missing"]
    faulty.run(f"mv /root/away {there}")
    assert "hundi[traces]" in finding["seen"]


def test_a_superuser_who_comes_over_the_network_in_clear_is_named(faulty: FaultyMachine) -> None:
    """The page's network is one machine; another address of it is another machine's."""
    faulty.sql("ALTER SYSTEM SET listen_addresses = '*'")
    faulty.sql("ALTER ROLE postgres PASSWORD 'of-a-test'")
    faulty.run(
        "echo 'host all all 10.0.0.1/32 scram-sha-256' >> /etc/postgresql/15/second/pg_hba.conf"
    )
    faulty.run("ip address add 10.0.0.1/32 dev lo; systemctl restart postgresql@15-second")
    url = "postgresql://postgres:of-a-test@10.0.0.1:5433/hundi?sslmode=disable"
    found = faulty.doctor(f"HUNDI_DATABASE_URL='{url}'")
    assert found["database_in_clear"]["do"].startswith("Add ?sslmode=verify-full")
    assert found["role_superuser"]["seen"] == "postgres is a superuser"
    faulty.recovers()


def test_a_purge_leaves_nothing(walk: Walk) -> None:
    run = walk.machine.run
    run("systemctl stop demo-gateway; userdel -r hundi-demo 2>/dev/null || true")
    run("rm -rf /opt/hundi-demo; dpkg --purge hundi", s_max=600)
    copied = ("/etc/nginx", "/etc/ssl", "/etc/prometheus", "/etc/postgresql", "/srv", "/var")
    places = " ".join(f"-not -path '{place}/*'" for place in (*copied, "/proc"))
    assert run(f"find / -xdev -iname '*hundi*' {places}").split() == []
    assert run("getent passwd hundi || true") == ""
    assert run("ls -d /var/lib/hundi 2>/dev/null || true") == ""
    assert run("systemctl list-units --all --plain --no-legend 'hundi*'") == ""
