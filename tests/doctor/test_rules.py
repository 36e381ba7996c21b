"""Findings: codes that are unique and never change, what each says, and where levels begin."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.doctor.backups.rules import age_words
from hundi.doctor.database.rules import clock_kind, clock_words, listed
from hundi.doctor.machine.rules import DiskRoom
from hundi.doctor.rules import OF_ANY_PROBE, DoctorFinding, FindingKind, Level, gravest
from hundi.doctor.setup.rules import is_supported
from hundi.doctor.site.rules import SeenCaller, certificate_kind, is_proof, proof_of, proxy_kinds
from hundi.doctor.table import PROBES

ALL = [*(kind for probe in PROBES for kind in probe.kinds), *OF_ANY_PROBE]
GIGABYTE = 1_000_000_000


def test_a_code_is_of_one_kind() -> None:
    by_code: dict[str, FindingKind] = {}
    for kind in ALL:
        assert by_code.setdefault(kind.code, kind) is kind
        assert kind.code.isidentifier()
        assert kind.code.islower()


def test_each_kind_says_what_to_do_in_one_sentence_unless_all_is_good() -> None:
    for kind in ALL:
        assert (kind.level is Level.GOOD) is (kind.remedy == ""), kind
        assert kind.meaning.endswith(".")
        assert kind.remedy in {"", kind.remedy.strip()}
        assert kind.remedy == "" or kind.remedy.endswith((".", "`."))


def test_each_probe_can_find_something_good_or_says_why_not() -> None:
    for probe in PROBES:
        assert probe.question.endswith("?")
        assert {Level.GOOD, Level.NOTE} & {kind.level for kind in probe.kinds}, probe.name
    assert len({probe.name for probe in PROBES}) == len(PROBES)


def test_the_gravest_finding_decides() -> None:
    kinds = [FindingKind("a", level, "A.") for level in Level]
    findings = [DoctorFinding(kind, "", "") for kind in kinds]
    assert gravest(findings) is Level.FAULT
    assert gravest(findings[:3]) is Level.WARNING
    assert gravest([]) is Level.GOOD


@pytest.mark.parametrize(
    ("difference_s", "code"),
    [
        (0.0, "clock_good"),
        (1.9, "clock_good"),
        (-2.0, "clock_drifts"),
        (29.9, "clock_drifts"),
        (30.0, "clock_wrong"),
        (-60.0, "clock_wrong"),
    ],
)
def test_clocks_differ(difference_s: float, code: str) -> None:
    assert clock_kind(difference_s).code == code


def test_a_clock_is_behind_or_ahead_in_words() -> None:
    assert clock_words(61, "the bank's clock") == "61 s behind the bank's clock"
    assert clock_words(-61, "the bank's clock") == "61 s ahead of the bank's clock"
    assert clock_words(1, "the bank's clock") == "within 2 s of the bank's clock"


@pytest.mark.parametrize(
    ("room", "code"),
    [
        (DiskRoom(50 * GIGABYTE, 100 * GIGABYTE, 0, 0), "disk_good"),
        (DiskRoom(9 * GIGABYTE, 100 * GIGABYTE, 0, 0), "disk_low"),
        (DiskRoom(1 * GIGABYTE, 4 * GIGABYTE, 0, 0), "disk_low"),
        (DiskRoom(1 * GIGABYTE, 100 * GIGABYTE, 0, 0), "disk_full"),
        (DiskRoom(200_000_000, GIGABYTE, 0, 0), "disk_full"),
        (DiskRoom(50 * GIGABYTE, 100 * GIGABYTE, 5, 100), "disk_low"),
        (DiskRoom(50 * GIGABYTE, 100 * GIGABYTE, 1, 100), "disk_full"),
        (DiskRoom(0, 0, 0, 0), "disk_full"),
    ],
)
def test_a_disk_has_room(room: DiskRoom, code: str) -> None:
    assert room.kind().code == code


def test_a_certificate_ends() -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    assert certificate_kind(now + timedelta(days=15), now).code == "certificate_good"
    assert certificate_kind(now + timedelta(days=13), now).code == "certificate_ends_soon"


def test_a_version_of_python_is_supported_until_its_last_month() -> None:
    assert is_supported((3, 11), "2027-10")
    assert not is_supported((3, 11), "2027-11")
    assert is_supported((3, 99), "2050-01")


def test_a_proxy_is_judged_by_what_arrives() -> None:
    good = SeenCaller("pay.example", "10.0.0.1", "198.51.100.7", is_believed=True)
    silent = SeenCaller("pay.example", "10.0.0.1", "", is_believed=True)
    assert proxy_kinds(good, "pay.example", is_direct=False) == []
    assert [each.code for each in proxy_kinds(good, "other.example", is_direct=False)] == [
        "proxy_host"
    ]
    assert [each.code for each in proxy_kinds(silent, "pay.example", is_direct=False)] == [
        "proxy_caller_missing"
    ]
    assert proxy_kinds(silent, "pay.example", is_direct=True) == []


def test_a_proof_holds_for_the_keys_that_made_it() -> None:
    proof = proof_of("nonce", b"a")
    assert is_proof(proof, [b"b", b"a"])
    assert not is_proof(proof, [b"b"])
    assert not is_proof(proof.replace("nonce", "other"), [b"a"])
    assert not is_proof("", [b"a"])


def test_long_lists_are_cut() -> None:
    assert listed({("SELECT", "b"), ("INSERT", "a")}) == "INSERT on a, SELECT on b"
    assert listed({("SELECT", f"t{n}") for n in range(10)}).endswith(" and 2 more")


def test_an_age_is_in_minutes_or_hours() -> None:
    assert age_words(timedelta(minutes=90)) == "90 minutes"
    assert age_words(timedelta(hours=30)) == "30 hours"
