"""Rules of people and of signing in: roles, the last owner, passwords, waits."""

from datetime import UTC, datetime, timedelta

import pytest
from pyotp.totp import TOTP

from hundi.staff.people.passwords.actions import common
from hundi.staff.people.rules import (
    OPERATOR,
    PERMISSIONS,
    Membership,
    PasswordFault,
    Permission,
    Role,
    email_of,
    leaves_nobody,
    name_of,
    password_fault,
    roles_for,
)
from hundi.staff.sign_in import rules
from hundi.staff.sign_in.actions import step_of_code

NOW = datetime(2026, 11, 23, 4, 30, tzinfo=UTC)
KNOWN = ("Asha Iyer", "asha@handlooms.example")


@pytest.mark.parametrize(
    ("password", "fault"),
    [
        ("short", PasswordFault.SHORT),
        ("elevenchars", PasswordFault.SHORT),
        ("x" * 129, PasswordFault.LONG),
        ("qwerty123456", PasswordFault.COMMON),
        ("QWERTY123456", PasswordFault.COMMON),
        ("password2026", PasswordFault.COMMON),
        ("sunshine1234!", PasswordFault.COMMON),
        ("abababababab", PasswordFault.SIMPLE),
        ("asha.handlooms", PasswordFault.OURS),
        ("hundi-payment-1", PasswordFault.OURS),
        ("correct horse battery", None),
        ("नमस्ते दुनिया भाई", None),
        ("E3EcWAQsa1ksYlGDXaCp", None),
        ("aaaa bbbb cccc dddd e", None),
    ],
)
def test_passwords(password: str, fault: PasswordFault | None) -> None:
    assert password_fault(password, KNOWN, common()) == fault


def test_the_list_has_the_3000_that_are_tried_first() -> None:
    assert len(common()) > 3000
    assert all(each == each.lower() for each in common())


CARD = "5555341244441115@canary.example"


@pytest.mark.parametrize(
    "text",
    ["", "a", "a@b", "a@b@c.d", "a b@c.example", "@c.example", "a@.", "x" * 250 + "@a.in", CARD],
)
def test_what_is_no_address(text: str) -> None:
    assert email_of(text) is None


def test_addresses_and_names_are_stored_in_one_form() -> None:
    assert email_of("  Asha@Handlooms.Example ") == "asha@handlooms.example"
    assert name_of("  Asha   Iyer ") == "Asha Iyer"
    assert name_of("\u0000") is None


def test_the_last_owner_is_seen() -> None:
    owner, reader = Membership(7, 1, Role.OWNER), Membership(7, 2, Role.READER)
    assert leaves_nobody([owner, reader], 1, None)
    assert leaves_nobody([owner, reader], 1, Role.FINANCE)
    assert not leaves_nobody([owner, reader], 2, None)
    assert not leaves_nobody([owner, Membership(7, 2, Role.OWNER)], 1, None)
    assert not leaves_nobody([owner], 1, Role.OWNER)


def test_merchants_people_and_the_operators_have_other_roles() -> None:
    assert set(roles_for(OPERATOR)) & set(roles_for(7)) == set()
    own = {
        Permission.RECONCILIATION_WORK,
        Permission.FEES_CHANGE,
        Permission.MERCHANTS_CHANGE,
        Permission.RISK_CHANGE,
    }
    assert all(not own & PERMISSIONS[role] for role in roles_for(7))


def test_a_wait_ends_by_itself() -> None:
    most = rules.FAILURES_MAX
    assert rules.waits(most, NOW, most, NOW) is None
    assert rules.waits(most + 1, NOW, most, NOW) == rules.FAILURES_FOR
    assert rules.waits(most * 50, NOW, most, NOW + rules.FAILURES_FOR) is None


def test_a_session_ends_idle_and_at_its_end() -> None:
    session = rules.Session(b"", 1, "complete", NOW, NOW, NOW + rules.LIFE, NOW, None, "", "")
    assert not session.is_over(NOW + rules.IDLE - timedelta(seconds=1))
    assert session.is_over(NOW + rules.IDLE)
    assert session.is_fresh(NOW + rules.FACTOR_FRESH - timedelta(seconds=1))
    assert not session.is_fresh(NOW + rules.FACTOR_FRESH)


def test_codes_of_a_half_minute_before_and_after_are_taken() -> None:
    secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    at = int(NOW.timestamp())
    for offset, found in ((-2, None), (-1, -1), (0, 0), (1, 1), (2, None)):
        code = TOTP(secret).at(at + 30 * offset)
        step = step_of_code(secret, code, NOW)
        assert step == (None if found is None else rules.step_of(NOW) + found)


def test_browsers_are_named_in_words() -> None:
    agent = (
        "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile"
        " Safari/537.36"
    )
    assert rules.browser_name(agent) == "Chrome on Android"
    assert rules.browser_name("") == "unknown browser"
