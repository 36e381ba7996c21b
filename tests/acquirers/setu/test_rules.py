"""What Setu publishes about checks of accounts is read as its documents say it.

Samples of github.com/SetuHQ/docs, content/data/bav/penny-drop, commit b658beec.
"""

from typing import Any

import pytest

from hundi.acquirers.kinds import AcquirerConfigurationError, open_registry
from hundi.acquirers.port.answers import AccountFault, NotRegistered, RegisteredName, Unknown
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.probes import probe
from hundi.acquirers.setu.rules import check_standing

SUCCESS: dict[str, Any] = {
    "code": "BAV00",
    "verification": "success",
    "message": "Account exists and is active.",
    "data": {
        "name": "JOHN DOE",
        "transactionReference": "120716373986",
        "verifiedAt": "2017-08-28T09:36:18+00:00",
    },
    "id": "d9342684-1300-4fa8-8344-cc861a20a477",
}
FAILED: dict[str, Any] = {
    "id": "d9342684-1300-4fa8-8344-cc861a20a488",
    "code": "BAVM1",
    "verification": "failed",
    "message": "This account does not exist or is invalid.",
}
LIMIT: dict[str, Any] = {
    "code": "BAVM1",
    "message": "The transaction limit for this account may have been reached.",
    "verification": "failed",
}
SETTINGS = {
    "kind": "setu",
    "environment": "production",
    "client_id": "one",
    "client_secret": "a-secret-of-setu",
    "product_instance_id": "two",
    "check_cost_paise": 300,
}


def test_a_good_account_has_a_name() -> None:
    standing = check_standing(SUCCESS)
    assert (standing.answer, standing.name) == (RegisteredName("JOHN DOE"), SUCCESS["id"])
    nameless = check_standing(SUCCESS | {"data": {}})
    assert nameless.answer == Unknown("no_name", "the bank named no holder")


def test_a_check_that_has_begun_or_waits_is_unknown() -> None:
    begun = check_standing({"id": "02c2dc4c-1015-4ea0-8ec4-987829fc70cc"})
    assert (begun.answer, begun.failed) == (Unknown("created"), False)
    waiting = check_standing({"id": "d9342684", "verification": "pending"})
    assert (waiting.answer, waiting.failed) == (Unknown("pending"), False)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("BAVM1", AccountFault.ABSENT),
        ("BAV52", AccountFault.ABSENT),
        ("BAVM3", AccountFault.FROZEN),
        ("BAVM4", AccountFault.NOT_PAYABLE),
        ("BAVM5", AccountFault.CLOSED),
    ],
)
def test_a_bad_account_has_a_fault(code: str, fault: AccountFault) -> None:
    standing = check_standing(FAILED | {"code": code})
    assert standing.answer == NotRegistered(fault, code, FAILED["message"])


@pytest.mark.parametrize("code", ["BAV91", "BAV08", "BAVNC", "BAV2001", "BAVM2", ""])
def test_a_bank_that_is_down_says_nothing_of_the_account(code: str) -> None:
    standing = check_standing(FAILED | {"code": code})
    assert isinstance(standing.answer, Unknown)
    assert standing.failed


def test_a_limit_with_the_code_of_a_wrong_account_is_no_word_about_it() -> None:
    standing = check_standing(LIMIT)
    assert isinstance(standing.answer, Unknown)
    assert standing.failed


async def test_nothing_is_asked_that_costs_a_rupee() -> None:
    connector = open_registry({"setu": SETTINGS}, str, ShortMemory()).get("setu")
    assert await probe(connector) == ()


def test_it_can_check_accounts_alone() -> None:
    connector = open_registry({"setu": SETTINGS}, str, ShortMemory()).get("setu")
    assert set(abilities(connector)) == {"ChecksAccounts"}
    assert not connector.simulated
    missing = {name: value for name, value in SETTINGS.items() if name != "check_cost_paise"}
    with pytest.raises(AcquirerConfigurationError, match="check_cost_paise"):
        open_registry({"setu": missing}, str, ShortMemory())
