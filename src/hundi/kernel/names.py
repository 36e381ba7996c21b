"""Bounds of texts that people write and read: names and labels."""

import re

# As on the wire: C0, DEL, C1, line separators, direction overrides, lone surrogates. What joins or keeps apart the
# letters of Indian scripts stays, though Python calls it unprintable.
_UNSEEN = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")


def is_name(text: str, length_max: int) -> bool:
    """Return whether a text is 1 to `length_max` characters, not all spaces, no control characters."""
    return len(text) <= length_max and bool(text.strip()) and not _UNSEEN.search(text)


def seen(text: str) -> str:
    """Return a text without its control characters, runs of spaces as one."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def name_words(length_max: int) -> str:
    """Return what `is_name` allows, for whoever sent something else."""
    return f"1 to {length_max} characters of any script, no control characters"
