"""Five acquirers say whose a UPI address is; whatever else they answer says nothing of it."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.contract.payments import check_addresses, check_test_instruments
from hundi.acquirers.kinds import open_registry
from hundi.acquirers.port.answers import NotRegistered, RegisteredName, Unknown
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import ChecksAddresses, Connector
from hundi.acquirers.registry import Registry
from tests.acquirers.playing import given_at
from tests.acquirers.stage import Document, Trouble
from tests.acquirers.standin_addresses import SETTINGS, Addresses

ASHA, NOBODY = "asha@okaxis", "nobody@okaxis"
CASHFREE = "cashfree_payouts"
CALLS = {
    CASHFREE: "POST /verification/upi",
    "payu": "/postservice.php",
    "juspay": "/verify-vpa",
    "phonepe": "/validate/upi",
    "razorpay": "/validate/vpa",
}
"""The end of each call."""
DECIDES = {
    CASHFREE: "status",
    "payu": "isVPAValid",
    "juspay": "status",
    "phonepe": "valid",
    "razorpay": "success",
}
"""The field that says whether an address exists."""
ECHOES = {CASHFREE, "payu", "juspay", "razorpay"}
"""Those whose answer repeats the address."""


@dataclass
class AddressFace:
    """An account at an acquirer's stand-in. registry: of a gateway with this account alone."""

    name: str
    stage: Addresses
    registry: Registry

    @property
    def connector(self) -> Connector:
        return self.registry.get("x")

    async def check(self, vpa: str = ASHA) -> RegisteredName | NotRegistered | Unknown:
        checks = self.registry.first(ChecksAddresses)
        assert checks is not None
        return await checks.check_address(vpa)

    def says(self, change: Callable[[Document], Document]) -> None:
        self.stage.change(CALLS[self.name], change, change)

    def goes_wrong(self, trouble: Trouble) -> None:
        # A question is asked twice.
        self.stage.trouble(CALLS[self.name], trouble, trouble)


def opened(name: str, url: str, **other: Any) -> Registry:
    fields = {"kind": name, **SETTINGS[name](url), "address_checks": True, **other}
    return open_registry({"x": fields}, lambda _name: "https://pay.example.in", ShortMemory())


@pytest.fixture(params=list(SETTINGS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def face(name: str) -> AsyncIterator[AddressFace]:
    async with Addresses.running() as stage:
        made = AddressFace(name, stage, opened(name, stage.url))
        yield made
        await made.registry.close()


async def test_only_an_account_whose_operator_says_so_checks_addresses(face: AddressFace) -> None:
    assert "ChecksAddresses" in abilities(face.connector)
    without = opened(face.name, face.stage.url, address_checks=False)
    assert "ChecksAddresses" not in abilities(without.get("x"))
    assert without.first(ChecksAddresses) is None
    await without.close()


async def test_the_contract(face: AddressFace) -> None:
    case = given_at(face.stage.calls)
    await check_addresses(face.connector, case)
    await check_test_instruments(face.connector, case)


async def test_a_holder_has_a_name_or_none(face: AddressFace) -> None:
    assert await face.check() == RegisteredName("ASHA RAO")
    assert await face.check("nameless@okaxis") == RegisteredName("")
    assert await face.check(NOBODY) == NotRegistered()


async def test_a_card_number_in_a_name_is_masked(face: AddressFace) -> None:
    face.stage.holders[ASHA] = "ASHA 4539578763621486"
    answer = await face.check()
    assert isinstance(answer, RegisteredName)
    assert "453957876362" not in answer.name


NEVER_DONE = {
    Trouble.LOST_BEFORE,
    Trouble.TOO_MANY,
    Trouble.FAILED_BEFORE,
    Trouble.UNAVAILABLE,
    Trouble.HTML,
}
DONE = {Trouble.LOST_AFTER, Trouble.FAILED_AFTER, Trouble.CUT, Trouble.EMPTY}


@pytest.mark.parametrize("vpa", [ASHA, NOBODY])
@pytest.mark.parametrize("trouble", sorted(NEVER_DONE | DONE))
async def test_no_broken_answer_says_anything_of_an_address(
    face: AddressFace, trouble: Trouble, vpa: str
) -> None:
    face.goes_wrong(trouble)
    with capture_logs() as lines:
        answer = await face.check(vpa)
    assert vpa.partition("@")[0] not in str(lines)
    if face.name == CASHFREE and trouble in DONE - {Trouble.EMPTY}:
        # The check was made and paid for: it is found by our name.
        assert not isinstance(answer, Unknown)
        assert len(face.stage.checks) == 1
    else:
        assert isinstance(answer, Unknown)


@pytest.mark.parametrize("said", [None, "", "MAYBE", 2, [], {"VALID": True}, "0 ", "valid"])
async def test_another_word_decides_nothing(face: AddressFace, said: object) -> None:
    face.says(lambda told: told | {DECIDES[face.name]: said})
    assert isinstance(await face.check(), Unknown)


async def test_a_missing_word_decides_nothing(face: AddressFace) -> None:
    field = DECIDES[face.name]
    face.says(lambda told: {name: each for name, each in told.items() if name != field})
    assert isinstance(await face.check(NOBODY), Unknown)


@pytest.mark.parametrize("vpa", [ASHA, NOBODY])
async def test_an_answer_about_another_address_decides_nothing(face: AddressFace, vpa: str) -> None:
    if face.name not in ECHOES:
        return
    face.says(lambda told: told | {"vpa": "ravi@okaxis"})
    assert isinstance(await face.check(vpa), Unknown)


async def test_an_address_comes_back_in_other_letters(face: AddressFace) -> None:
    if face.name not in ECHOES:
        return
    face.says(lambda told: told | {"vpa": "Asha@OKAXIS"})
    assert await face.check() == RegisteredName("ASHA RAO")


@pytest.mark.parametrize("vpa", [ASHA, NOBODY])
async def test_an_account_that_may_not_ask_learns_nothing(face: AddressFace, vpa: str) -> None:
    face.stage.may_ask = False
    with capture_logs() as lines:
        assert isinstance(await face.check(vpa), Unknown)
    assert vpa.partition("@")[0] not in str(lines)


@pytest.mark.parametrize("word", ["EXPIRED", "NPCI_NAME_INCORRECT"])
@pytest.mark.parametrize("name", [CASHFREE], indirect=True)
async def test_unexplained_words_of_cashfree_decide_nothing(face: AddressFace, word: str) -> None:
    face.says(lambda told: told | {"status": word})
    answer = await face.check()
    assert isinstance(answer, Unknown)
    assert answer.code == word


@pytest.mark.parametrize("name", [CASHFREE], indirect=True)
async def test_a_short_balance_at_cashfree_says_nothing_of_an_address(face: AddressFace) -> None:
    face.stage.balance = 0
    answer = await face.check(NOBODY)
    assert isinstance(answer, Unknown)
    assert "balance" in answer.message


@pytest.mark.parametrize("name", [CASHFREE], indirect=True)
async def test_another_check_of_cashfree_is_not_ours(face: AddressFace) -> None:
    face.says(lambda told: told | {"verification_id": "another"})
    assert isinstance(await face.check(), Unknown)
    assert len(face.stage.called("POST /verification/upi")) == 1


PUBLISHED = {
    # UPIv2ResponseSchema of Cashfree's openapi-verification.json, 2023-12-18
    CASHFREE: (
        {"reference_id": 123, "status": "VALID", "name_at_bank": "JOHN DOE", "vpa": "success@upi"},
        "success@upi",
        "JOHN DOE",
    ),
    # docs.payu.in, validate_vpa_api
    "payu": (
        {
            "status": "SUCCESS",
            "vpa": "9999999999@upi",
            "isVPAValid": 1,
            "isAutoPayVPAValid": 1,
            "isAutoPayBankValid": "NA",
            "payerAccountName": "ABC",
        },
        "9999999999@upi",
        "ABC",
    ),
    # developer.phonepe.com, UPI Address Validate API
    "phonepe": ({"valid": True, "name": "<Name of User>"}, "abc@ybl", "<Name of User>"),
    # razorpay/markdown-docs, payment-methods/upi/vpa-validation
    "razorpay": (
        {"vpa": "gauravkumar@exampleupi", "success": True, "customer_name": "Gaurav Kumar"},
        "gauravkumar@exampleupi",
        "Gaurav Kumar",
    ),
}
ABSENT = {
    "payu": (
        {"status": "SUCCESS", "vpa": "abc@upi", "isVPAValid": 0, "payerAccountName": "NA"},
        "abc@upi",
    ),
    "phonepe": ({"valid": False}, "abc@ybl"),
}


@pytest.mark.parametrize("name", PUBLISHED, indirect=True)
async def test_a_published_answer_has_a_name(face: AddressFace) -> None:
    told, vpa, holder = PUBLISHED[face.name]
    # The name of the check is ours.
    kept = {"verification_id"} if face.name == CASHFREE else set()
    face.says(lambda made: told | {field: made[field] for field in kept})
    assert await face.check(vpa) == RegisteredName(holder)


@pytest.mark.parametrize("name", ABSENT, indirect=True)
async def test_a_published_answer_says_that_nobody_has_an_address(face: AddressFace) -> None:
    told, vpa = ABSENT[face.name]
    face.says(lambda _made: told)
    assert await face.check(vpa) == NotRegistered()
