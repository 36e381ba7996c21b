"""Golden transcripts of an empty message at every operation: the list is the table's.

Each is a refusal that names the first field, or the reply of a list that is empty.
"""

from typing import Any

import pytest

from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.operation import Operation
from tests.system.conftest import NewMerchant
from tests.system.envelopes import Merchant, Sender, json_body
from tests.system.test_transcripts import GOLDEN, golden, on_the_wire

pytestmark = pytest.mark.usefixtures("books_hold")
EMPTY = GOLDEN / "empty"
FILES = {operation.name.replace("/", "-"): operation for operation in OPERATIONS}


@pytest.fixture(scope="module")
def quiet(new_merchant: NewMerchant) -> Merchant:
    """A merchant of whom nothing is known yet."""
    return new_merchant("Said nothing")


@pytest.mark.parametrize(("file", "operation"), FILES.items(), ids=[*FILES])
def test_an_empty_message_is_answered_as_it_is_written_down(
    file: str, operation: Operation[Any, Any], sender: Sender, quiet: Merchant
) -> None:
    token = {"token": sender.token(quiet)} if "token" in operation.proofs else {}
    reply = sender.post(operation.address, json_body(quiet.envelope({})), quiet, **token)
    assert reply.status == 200
    came = reply.envelope
    if isinstance(reply.data, dict) and operation.name == "notification/list":
        assert reply.data.pop("next"), "the place where what comes next will be"
    golden(EMPTY / f"{file}.json", came)
    on_the_wire(reply)


def test_every_golden_transcript_belongs_to_an_operation() -> None:
    assert {path.stem for path in EMPTY.glob("*.json")} == {*FILES}
