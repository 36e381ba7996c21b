"""Rules of assistants' keys."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.staff.assistant_keys import rules
from hundi.staff.assistant_keys.rules import AssistantKey, AssistantScope, KeyParts
from hundi.staff.people.rules import Role, may

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
KEY = AssistantKey(
    merchant_id=10_001,
    key_id=217_000_000_000_001,
    name="desk",
    person_id=1,
    scopes=tuple(AssistantScope),
    secret_hash=bytes(32),
    made_at=NOW,
    ends_at=NOW + timedelta(days=30),
)


@given(
    st.integers(0, 10**15 - 1),
    st.integers(10**14, 10**15 - 1),
    st.text("abcXYZ0189-_", min_size=43, max_size=43),
)
def test_a_key_is_read_as_it_was_shown(merchant_id: int, key_id: int, secret: str) -> None:
    parts = KeyParts(merchant_id, key_id, secret)
    text = rules.text_of(parts)
    assert rules.parts_of(text) == parts
    assert rules.parts_of(text + "x") is None
    assert rules.parts_of(f" {text}") is None


@given(st.text())
def test_any_other_text_is_no_key(text: str) -> None:
    assert rules.parts_of(text) is None


def test_a_key_is_good_until_its_end_or_until_it_is_revoked() -> None:
    assert rules.is_good(KEY, NOW)
    assert rules.is_good(KEY, KEY.ends_at - timedelta(microseconds=1))
    assert not rules.is_good(KEY, KEY.ends_at)
    assert not rules.is_good(replace(KEY, ended_at=NOW), NOW)


@pytest.mark.parametrize("role", Role)
def test_a_key_never_has_more_rights_than_its_person(role: Role) -> None:
    usable = rules.usable_scopes(KEY, role)
    assert all(may(role, rules.PERMISSION_OF[scope]) for scope in usable)
    assert rules.usable_scopes(replace(KEY, scopes=()), role) == frozenset()
    for scope in AssistantScope:
        if scope in usable:
            assert rules.checked("desk", [scope], 1, role) == (scope,)
        else:
            with pytest.raises(Refused) as refused:
                rules.checked("desk", [scope], 1, role)
            assert refused.value.refusal.field == "scopes"


def test_a_scope_that_is_not_known_any_more_gives_nothing() -> None:
    assert rules.usable_scopes(replace(KEY, scopes=("money.move",)), Role.OWNER) == frozenset()


@pytest.mark.parametrize(
    ("name", "days", "field"),
    [
        ("Desk", 1, "name"),
        ("a" * 41, 1, "name"),
        ("", 1, "name"),
        ("desk", 0, "days"),
        ("desk", 366, "days"),
    ],
)
def test_name_and_days_have_bounds(name: str, days: int, field: str) -> None:
    with pytest.raises(Refused) as refused:
        rules.checked(name, [AssistantScope.PAYMENTS_READ], days, Role.OWNER)
    assert refused.value.refusal.field == field
