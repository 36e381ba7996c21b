"""Comparing finds the usual mistake behind a value, and the byte where the texts differ."""

import hashlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire.merchant import checksum, compare, mistakes
from hundi.wire.merchant.compare import ClaimedCredentials
from hundi.wire.merchant.mistakes import joined
from hundi.wire.strict_json import JsonNumber

NOW = datetime(2026, 1, 15, 20, tzinfo=UTC)
DAY = "2026-01-16"
KEYS = ClaimedCredentials("demo-user", "demo-pass", "demo-secret", "oauth-secret")
FIELDS = {
    "orderid": "ORD-1",
    "amount": "1499.50",
    "buyer_email": "asha+1@example.in",
    "buyer_firstname": "Asha अ",
    "customvar": {"cart": [JsonNumber("7"), "a b"]},
}
VALUES = "1499.50asha+1@example.inAsha अ" + '{"cart":[7,"a b"]}' + "ORD-1"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "words", "at", "name"),
    [
        (VALUES, "without the date", 55, "date"),
        (
            VALUES.replace("1499.50", "1499.5") + DAY,
            "the amount without zeros at its end",
            6,
            "amount",
        ),
        (VALUES.replace("1499.50", "149950") + DAY, "the amount in paise", 4, "amount"),
        (VALUES.replace("1499.50", "1,499.50") + DAY, "the amount with commas", 1, "amount"),
        (
            VALUES.replace("[7,", "[7, ").replace('":[', '": [') + DAY,
            "spaces behind",
            40,
            "customvar",
        ),
        (
            VALUES.replace("asha+1@example.in", "") + DAY,
            "a text without buyer_email",
            7,
            "buyer_email",
        ),
        ("oauth-secret" + VALUES + DAY, "the OAuth client secret in front", 0, "amount"),
        (VALUES + "16-01-2026", "the date written %d-%m-%Y", 55, "date"),
        (VALUES + "2026-01-10", "the date 2026-01-10", 64, "date"),
        (
            VALUES.replace("1499.50", "1499.5"),
            "the amount without zeros at its end, and no date",
            6,
            "amount",
        ),
    ],
)
def test_a_usual_mistake_and_where_it_begins(text: str, words: str, at: int, name: str) -> None:
    found = compare.compare_checksum(FIELDS, sha(text), KEYS, NOW)
    assert words in found.mistake
    whole = compare.compare_checksum(FIELDS, sha(text), KEYS, NOW, clear=True)
    assert (
        whole.gives
        == sha(VALUES + DAY)
        == checksum.v4(FIELDS, datetime(2026, 1, 16, tzinfo=UTC).date())
    )
    assert found.gives == sha(VALUES + DAY)[:4] + "…"
    parted = compare.difference(found.ours, found.theirs)
    assert parted is not None
    assert (parted.at, parted.name) == (at, name)


def test_people_and_secrets_are_never_in_what_is_kept() -> None:
    for tried in mistakes.mistakes(FIELDS, compare._heads(KEYS), NOW, 3):  # noqa: SLF001 (every mistake there is)
        kept = repr(compare.compare_checksum(FIELDS, tried.digest(FIELDS), KEYS, NOW))
        for text in (
            "asha+1@example.in",
            "Asha",
            'cart": [7',
            "demo-secret",
            "oauth-secret",
            "demo-pass",
        ):
            assert text not in kept, tried.mistake


def test_a_digest_over_what_is_covered_is_not_told_whole() -> None:
    # It has no key: whoever has all of it finds a telephone number by trying every one.
    fields = {"orderid": "ORD-1", "buyer_phone": "9876543210"}
    sent = sha("9876543210ORD-1")
    kept = compare.compare_checksum(fields, sent, KEYS, NOW)
    assert (kept.mistake, kept.shaped) == ("a text without the date", ("buyer_phone",))
    assert not {sent, sha("9876543210ORD-1" + DAY)} & {kept.sent, kept.gives}
    assert compare.compare_checksum({"orderid": "ORD-1"}, sent, KEYS, NOW).sent == sent


def test_a_shape_takes_the_room_of_what_it_covers() -> None:
    found = compare.compare_checksum(FIELDS, "0" * 64, KEYS, NOW)
    assert (found.mistake, found.theirs) == ("", ())
    assert joined(found.ours) == '1499.50xxxx+9@xxxxxxx.xxXxxx अ{"cart":[9,"x x"]}ORD-1' + DAY
    assert found.shaped == ("buyer_email", "buyer_firstname", "customvar")
    assert len(joined(found.ours).encode()) == len((VALUES + DAY).encode())


@given(st.text(max_size=60))
def test_any_text_keeps_its_bytes_and_hides_its_letters(text: str) -> None:
    shape = compare.covered(text)
    assert len(shape.encode()) == len(text.encode())
    assert not set(shape) & (set("012345678abcdefghij") & set(text))


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (sha("demo-secret"), "the API secret alone"),
        (sha("demo-secret@777:|:demo-pass"), "the merchant id in place of the username"),
        ("demo-secret", "the API secret itself, not hashed"),
        (
            sha("oauth-secret@demo-user:|:demo-pass"),
            "the OAuth client secret in place of the API secret",
        ),
        (sha("?"), ""),
    ],
)
def test_a_privatekey_is_compared_by_names(sent: str, words: str) -> None:
    found = compare.compare_privatekey(sent, KEYS, "777")
    assert found.mistake == words
    assert joined(found.ours) == "<API secret>@<username>:|:<password>"
    assert found.gives == ""
    assert all(
        secret not in repr(found)
        for secret in ("demo-secret", "oauth-secret", "demo-pass", sha("?"))
    )
