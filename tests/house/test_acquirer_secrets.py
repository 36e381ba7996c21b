"""Every field of an acquirer's settings with a secret's name is sealed and never shown."""

import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Annotated, Any

import msgspec
import pytest

from hundi.acquirers.kinds import GROUP, SECRET, AcquirerKind, secret_fields

LOOKS_SECRET = re.compile(
    r"secret|password|passphrase|salt|token\Z|pin\Z|mac|private|credential|(\A|_)key(\Z|_before\Z)"
)
IN_THE_OPEN = {
    ("payu", "key"): "stands in every form that a customer's browser posts",
    ("easebuzz", "key"): "stands in every form that a customer's browser brings back",
    ("iso8583", "mac"): "the name of an algorithm",
}
"""(kind, field) → the reason why it is public."""
KINDS: dict[str, AcquirerKind[Any]] = {each.name: each.load() for each in entry_points(group=GROUP)}


def unmarked(name: str, kind: AcquirerKind[Any]) -> Iterator[str]:
    """Find unmarked fields with the name of a secret."""
    marked = secret_fields(kind)
    for field in msgspec.structs.fields(kind.settings):
        looks = LOOKS_SECRET.search(field.name) and (name, field.name) not in IN_THE_OPEN
        if looks and field.name not in marked:
            yield f"{name}.{field.name}"


@pytest.mark.parametrize("name", KINDS)
def test_what_looks_secret_is_marked(name: str) -> None:
    assert list(unmarked(name, KINDS[name])) == []
    assert secret_fields(KINDS[name]), "an account that proves itself by nothing"


def test_what_is_in_the_open_is_there_and_is_not_marked() -> None:
    for name, field in IN_THE_OPEN:
        assert field in {each.name for each in msgspec.structs.fields(KINDS[name].settings)}
        assert field not in secret_fields(KINDS[name])


def test_the_rule_finds_what_it_is_for() -> None:
    class Settings(msgspec.Struct):
        key: str
        api_secret: Annotated[str, msgspec.Meta(min_length=8)]
        webhook_password: Annotated[str, msgspec.Meta(min_length=8), SECRET]
        key_id: str

    kind = AcquirerKind(Settings, lambda *_: None)  # type: ignore[arg-type, return-value]
    assert list(unmarked("one", kind)) == ["one.key", "one.api_secret"]
    assert secret_fields(kind) == {"webhook_password"}
