"""Every SDK answers the vectors and random messages as Python does."""

import pytest

from tools.sdks import check

RANDOM_MESSAGES = 3_000
"""In each run; `make -C sdks fuzz` asks 100,000 of another seed."""


def test_all_vectors_are_answered_alike(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.vectors(check.command_of(language)) == 0, capsys.readouterr().out


def test_random_messages_are_answered_alike(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = check.fuzz(RANDOM_MESSAGES, 20261128, check.command_of(language))
    assert wrong == 0, capsys.readouterr().out
