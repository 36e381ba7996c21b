"""Bounds of texts that people write: names, labels, and when two names are one person's."""

import re
import unicodedata

# As on the wire: C0, DEL, C1, line separators, direction overrides, lone surrogates. Joiners in
# Indian scripts are allowed, though Python calls them unprintable.
_UNSEEN = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")
# ASCII spaces and punctuation (NFKD maps others to them), control characters, lone surrogates, and
# all that Unicode calls default-ignorable, which is invisible. The schema's `person_key` does the
# same.
_PASSED_OVER = re.compile(
    "[\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f"
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ud800-\\udfff"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]"
)


def is_name(text: str, length_max: int) -> bool:
    """Return whether a text is a name.

    It has 1 to `length_max` characters, not all spaces, and no control characters.
    """
    return len(text) <= length_max and bool(text.strip()) and not _UNSEEN.search(text)


def seen(text: str) -> str:
    """Return a text without control characters, runs of spaces as one."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def name_words(length_max: int) -> str:
    """Return in words what `is_name` allows."""
    return f"1 to {length_max} characters of any script, no control characters"


def person_key(name: str) -> str:
    """Return a person's name in the form that is compared; "" if no character is visible.

    Capitals, forms of a letter (NFKC), spaces, punctuation and invisible characters make no other
    person. The database has the same function, and refuses by it.
    """
    folded = unicodedata.normalize("NFKD", name).casefold()
    return unicodedata.normalize("NFKC", _PASSED_OVER.sub("", folded))


def is_same_person(one: str, other: str) -> bool:
    """Return whether two names may be one person's: equal when compared, or one has no letters."""
    return person_key(one) in {"", person_key(other)} or not person_key(other)
