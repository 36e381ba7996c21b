"""Which names are one person's: told by Python and by the database alike."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hundi.infra.postgres.database import Database
from hundi.kernel.names import is_same_person, person_key

SAME = [
    ("Meera", "meera"),
    ("Meera Shah", " meera  SHAH "),
    ("Meera", "Me\u200bera"),
    ("Meera", "Meera\ufe0f"),
    ("Meera", "M\u034feera\U000e0041"),
    ("Meera", "\uff2d\uff45\uff45\uff52\uff41"),
    ("meera.shah", "meera shah"),
    ("STRASSE", "straße"),
    ("Jos\u00e9", "Jose\u0301"),
    ("कमल", "क\u200dमल"),
    ("ΙΣΙΣ", "ισις"),
]
OTHERS = [("Meera", "Chetan"), ("कमल", "कमला"), ("Meera1", "Meera2"), ("José", "Jose")]
PART = 20_000
KEYS = (
    "SELECT array_agg(person_key(name) ORDER BY n) FROM unnest($1::text[]) WITH "
    "ORDINALITY AS names (name, n)"
)
_LETTERS = st.characters(codec="utf-8", exclude_characters="\x00")


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_person_is_not_two(one: str, other: str) -> None:
    assert is_same_person(one, other)
    assert is_same_person(other, one)


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_two_people_are_not_one(one: str, other: str) -> None:
    assert not is_same_person(one, other)


@pytest.mark.parametrize("nobody", ["", " ", "\u200b", "._-@", "\u3164"])
def test_a_name_that_cannot_be_seen_is_nobodys(nobody: str) -> None:
    assert is_same_person(nobody, "Meera")
    assert is_same_person("Meera", nobody)


@given(name=st.text(_LETTERS))
def test_a_key_is_its_own_key(name: str) -> None:
    assert person_key(person_key(name)) == person_key(name)


async def test_the_database_has_the_same_key_of_every_character(db: Database) -> None:
    known = [
        chr(code)
        for code in range(1, 0x110000)
        if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) not in {"Cn", "Co"}
    ]
    texts = [f"a{each}b" for each in known]
    # In parts, because one statement has ten seconds, also on a busy machine.
    parts = [texts[start : start + PART] for start in range(0, len(texts), PART)]
    keys = [key for part in parts for key in await db.fetchval(KEYS, part)]
    assert [each for each, key in zip(texts, keys, strict=True) if person_key(each) != key] == []


async def test_the_database_has_the_same_key_of_names(db: Database) -> None:
    names: list[str] = []

    @settings(max_examples=300)
    @given(name=st.text(_LETTERS, max_size=20))
    @example("straße")
    def collect(name: str) -> None:
        names.append("".join(each for each in name if unicodedata.category(each) != "Cn"))

    collect()
    keys = await db.fetchval(KEYS, names)
    assert list(keys) == [person_key(each) for each in names]
    assert len(names) > 100
