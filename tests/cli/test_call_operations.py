"""The commands that the table of operations makes.

What they take, and what they say of a wrong field.
"""

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from hundi.cli import application

KEYS = {
    "merchant_id": "12345",
    "username": "demo-user",
    "password": "demo-pass",
    "secret": "demo-secret",
    "client_id": "client-1",
    "client_secret": "client-secret",
    "webhook_key": "whsec_dGhlIGtleSBvZiB0aGUgdGVzdHMsIDMyIGJ5dGVzLi4=",
    "base_url": "http://127.0.0.1:9",
}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("link", "show", "x"), "link_id: received 'x', allowed is 1 to 20 digits"),
        (("subscription", "change", "7", "--debits", "999"), "a whole number from 1 to 998"),
        (("dispute", "accept", "7", "--amount", "0"), "a decimal above zero"),
        (("dispute", "evidence", "7", "nowhere.pdf"), "nowhere.pdf: No such file or directory"),
        (("dispute", "contest", "x", "--note", "delivered"), "dispute_id: received 'x'"),
        (("savedcards", "list", " asha"), "UID: received ' asha'"),
        (
            ("payout", "list", "--state", "lost"),
            "state: received 'lost', allowed is one of waiting sent done",
        ),
        (("settlement", "show", "x"), "settlement_id: received 'x', allowed is 1 to 20 digits"),
        (
            ("settlement", "items", "7", "--after", "first"),
            "after: received 'first', allowed is an item_id",
        ),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_sent(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    keys = tmp_path / "keys.json"
    keys.write_bytes(msgspec.json.encode(KEYS))
    told = CliRunner().invoke(application("call"), ["call", *arguments, "--credentials", str(keys)])
    assert told.exit_code == 2, told.exception
    assert said in " ".join(told.output.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("link",), ("Links.", "list", "show", "create", "cancel")),
        (("dispute",), ("Disputes.", "list", "show", "evidence", "contest", "accept")),
        (("dispute", "contest"), ("{dispute_id}", "--evidence", "--note")),
        (("dispute", "accept"), ("{dispute_id}", "--amount", "--note")),
        (
            ("subscription",),
            ("Subscriptions.", "show", "list", "charge", "change", "pause", "resume", "cancel"),
        ),
        (("savedcards",), ("Saved cards.", "list", "delete")),
        (("settlement",), ("Settlements.", "list", "show", "items", "next")),
        (("bankaccount",), ("Bank accounts.", "list")),
        (("payout", "list"), ("--state", "--before")),
    ],
)
def test_each_operation_is_a_command_of_its_group(
    arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    told = CliRunner().invoke(application("call"), ["call", *arguments, "--help"])
    assert [word for word in words if word not in told.output] == []
