"""What the operator may allow a partner is what partners can call."""

from hundi.partners.directory.rules import INTERFACES
from hundi.wire.partner.table import OPERATIONS

PAGES = {"offers"}
"""A page, no endpoint."""


def test_every_operation_of_partners_can_be_allowed_and_no_other() -> None:
    # Terminals' merchants call theirs by their address.
    proven = {each.name for each in OPERATIONS if each.proof != "address"}
    assert proven | PAGES == {*INTERFACES}
