"""What Setu's answers about bank accounts mean; pure.

Source: github.com/SetuHQ/docs, content/data/bav/penny-drop, commit b658beec.
"""

from collections.abc import Mapping
from typing import Any

from hundi.acquirers.calls.aggregators import MESSAGE_MAX, object_of, text_of
from hundi.acquirers.calls.check_tries import CheckStanding
from hundi.acquirers.port.answers import AccountFault, NotRegistered, RegisteredName, Unknown

NARRATION = "Account check"
_FAULTS = {
    "BAV03": AccountFault.NOT_PAYABLE,
    "BAV52": AccountFault.ABSENT,
    "BAV84": AccountFault.CLOSED,
    "BAV92": AccountFault.ABSENT,
    "BAV1008": AccountFault.ABSENT,
    "BAVM1": AccountFault.ABSENT,
    "BAVM3": AccountFault.FROZEN,
    "BAVM4": AccountFault.NOT_PAYABLE,
    "BAVM5": AccountFault.CLOSED,
    "BAVM7": AccountFault.NOT_PAYABLE,
    "BAVMJ": AccountFault.ABSENT,
    "BAVMN": AccountFault.NOT_PAYABLE,
    "BAVMP": AccountFault.NOT_PAYABLE,
    "BAVMS": AccountFault.ABSENT,
    "BAVMW": AccountFault.NOT_PAYABLE,
}
"""Of an account that takes no money. Any other code of a failed check is no word about it."""
LIMIT_WORDS = "limit"
"""In the message of a check that failed at a limit: a sample has the code of a wrong account."""
NOT_PAYABLE_WORDS = "not valid for this account"
"""In that of an account that takes no such transfers, under the same code."""


def check_standing(check: Mapping[str, Any]) -> CheckStanding:
    """Return how a check stands. The bank that is down says nothing about the account."""
    name = text_of(check.get("id"), 64)
    verification, code = text_of(check.get("verification")), text_of(check.get("code"))
    words = text_of(check.get("message"))
    if verification == "success":
        data = object_of(check.get("data")) or {}
        holder = text_of(data.get("name")).strip()
        if not holder:
            return CheckStanding(Unknown("no_name", "the bank named no holder"), name)
        return CheckStanding(RegisteredName(holder[:MESSAGE_MAX]), name)
    if verification != "failed":
        return CheckStanding(Unknown(code or verification or "created", words), name)
    fault = _FAULTS.get(code)
    if fault is None or LIMIT_WORDS in words.lower():
        return CheckStanding(Unknown(code or "failed", words), name, failed=True)
    if NOT_PAYABLE_WORDS in words.lower():
        fault = AccountFault.NOT_PAYABLE
    return CheckStanding(NotRegistered(fault, code, words), name)
