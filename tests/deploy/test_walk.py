"""docs/install.md on a bare machine: from its first command to a gateway that lost its database.

The page's commands run as they stand, in order, under a real systemd (tests/deploy/machine.py).
"""

import re
import sys
from collections.abc import Iterator

import pytest

from tests.deploy.machine import booted, files
from tests.deploy.release import Release
from tests.deploy.walk import NEXT, Walk

CALLS = 200

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


def test_the_page_leads_to_a_gateway(walk: Walk, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        sys.stdout.write(f"\n{walk.table()}")
    told = walk.told
    assert "certificate_good" in told["7. The first people"]
    paying = told["8. One payment, before you have an acquirer"]
    assert re.search(r"paid +FIRST-1", paying), paying
    assert "All promises are kept." in paying
    assert "Paid" in paying.splitlines()[-1], paying.splitlines()[-1]
    assert "All promises are kept." in told["10. Back it up"]
    assert f"hundi {NEXT}" in told["11. Upgrade it"]
    assert '"payment_status": "SUCCESS"' in walk.read("paid.json")
    assert '"merchant_order_id": "AFTER-1"' in walk.read("paid.json"), walk.read("paid.json")


def test_everything_that_runs_is_of_the_package(walk: Walk) -> None:
    run = walk.machine.run
    parts = run("curl -sS http://127.0.0.1:9400/metrics | grep part_started_seconds{")
    assert {"api", "worker", "metrics"} == set(re.findall(r'part="(\w+)"', parts))
    assert run("curl -sS http://127.0.0.1:8080/docs/install/ | grep -c systemd").strip() != "0"
    assert run("man -w hundi 2>/dev/null || ls /usr/share/man/man1/hundi.1.gz")
    migrated = "SELECT obj_description('merchants'::regclass, 'pg_class')"
    psql = "cd / && runuser -u postgres -- psql --port 5433 -XAtc"
    assert run(f'{psql} "{migrated}" hundi').strip() == "of the next version"


def test_a_restart_loses_no_request_and_a_reload_keeps_the_service(walk: Walk) -> None:
    call = (
        "curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8080/health/live || echo lost"
    )
    calling = f"(for i in $(seq {CALLS}); do {call}; done | sort | uniq -c) & sleep 1"
    for verb in ("restart", "reload"):
        told = walk.machine.run(f"{calling}; systemctl {verb} hundi-api; wait")
        assert told.split() == [str(CALLS), "200"]
    assert walk.machine.run("systemctl show -p NRestarts --value hundi-api").strip() == "0"


def test_keys_that_root_rotates_are_the_services(walk: Walk) -> None:
    walk.machine.run("hundi keys rotate")
    assert walk.machine.run("stat -c %U:%a /var/lib/hundi/kek").strip() == "hundi:600"


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
