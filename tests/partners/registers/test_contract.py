"""The contract of providers is kept by one that keeps it, and broken by each that does not."""

import pytest
import structlog

from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode
from hundi.partners.registers import contract
from hundi.partners.registers.port import (
    Forwarded,
    ForwardedDocument,
    HolderFacts,
    Nobody,
    ProgrammeCard,
    RegisteredAddress,
    RegisterEntry,
    Silent,
    TurnedDown,
)

GSTIN, NUMBER, NAME = "29AAGCB7383J1Z4", "999941057058", "Asha Rao"
WORDS = (
    "trade_name",
    "taxpayer_type",
    "constitution",
    "updated_on",
    "cancelled_on",
    "state_jurisdiction",
)
MORE_WORDS = ("state_jurisdiction_code", "centre_jurisdiction_code", "centre_jurisdiction")
BUSINESS = RegisterEntry(
    gstin=GSTIN,
    legal_name="ASHA HANDLOOMS",
    status="Active",
    registered_on="01/07/2017",
    activities=(),
    principal=RegisteredAddress(),
    **dict.fromkeys((*WORDS, *MORE_WORDS), ""),
)
CARD = ProgrammeCard("KIT1", "999900XXXXXX1234", "12/30", "ACTIVE", "PHYSICAL")


class Honest:
    """A provider that keeps the contract; answers: False for one whose network does not answer."""

    def __init__(self, *, answers: bool = True) -> None:
        self.answers = answers
        self.fetched = False

    async def registration(self, gstin: str) -> RegisterEntry | Nobody | Silent:
        if not self.answers:
            return Silent("no answer")
        return BUSINESS if gstin == GSTIN else Nobody()

    async def cards(
        self, programme: str, entity_id: str
    ) -> tuple[ProgrammeCard, ...] | Nobody | Silent:
        if not self.answers:
            return Silent("no answer")
        return (CARD,) if (programme, entity_id) == ("OURS", "CUST1") else Nobody()

    async def check_holder(
        self, number: str, name: str, consent: str
    ) -> HolderFacts | TurnedDown | Silent:
        if not self.answers:
            return Silent("no answer")
        if number != NUMBER:
            return TurnedDown(RefusalCode.NO_RECORDS)
        return (
            HolderFacts("20-30", "F", "KA", "XXXXXX3210")
            if name == NAME
            else TurnedDown(RefusalCode.NAME_DIFFERS)
        )

    async def request_otp(self, number: str) -> Forwarded | TurnedDown | Silent:
        return Forwarded("r-1", 7) if self.answers else Silent("no answer")

    async def fetch_document(
        self, request: Forwarded, otp: str
    ) -> ForwardedDocument | TurnedDown | Silent:
        if not self.answers:
            return Silent("no answer")
        if request.request_id != "r-1" or self.fetched:
            return TurnedDown(RefusalCode.OTP_OVER)
        if otp != "123456":
            return TurnedDown(RefusalCode.OTP_WRONG)
        self.fetched = True
        return ForwardedDocument({"name": NAME}, "4321")


async def password() -> str:
    return "123456"


GIVEN = contract.ProviderCase(
    silent=Honest(answers=False),
    gstin=GSTIN,
    no_gstin="27AAPFU0939F1ZV",
    programme="OURS",
    customer="CUST1",
    no_customer="NOBODY",
    number=NUMBER,
    holder_name=NAME,
    other_number="999971658847",
    no_number="999933119405",
    consent="I agree to the check",
    password=password,
)


async def broken(provider: object, given: contract.ProviderCase = GIVEN) -> list[str]:
    """Return the names of the checks that a provider does not pass."""
    found: list[str] = []
    for check in contract.CHECKS:
        try:
            await check(provider, given)
        except contract.ProviderContractBrokenError:
            found.append(check.__name__)
    return found


def lying(method: str, answer: object) -> Honest:
    """Return a provider that gives one answer whatever it is asked."""

    async def told(*_asked: object) -> object:
        return answer

    provider = Honest()
    setattr(provider, method, told)
    return provider


async def test_an_honest_provider_keeps_it_and_one_without_methods_is_asked_nothing() -> None:
    assert await broken(Honest()) == []
    assert await broken(object(), contract.ProviderCase(silent=object())) == []


@pytest.mark.parametrize(
    ("method", "answer", "check"),
    [
        ("registration", BUSINESS, "check_registrations"),
        ("registration", Nobody(), "check_registrations"),
        ("registration", Silent("x"), "check_registrations"),
        ("registration", replace(BUSINESS, gstin="other"), "check_registrations"),
        ("registration", replace(BUSINESS, registered_on="2017-07-01"), "check_registrations"),
        ("cards", (CARD,), "check_cards"),
        ("cards", (), "check_cards"),
        ("cards", (replace(CARD, number="9999001234561234"),), "check_cards"),
        ("cards", (replace(CARD, expiry="2030-12"),), "check_cards"),
        ("check_holder", HolderFacts("20-30", "F", "KA", "XXXXXX3210"), "check_holders"),
        ("check_holder", HolderFacts("20-30", "F", "KA", "9876543210"), "check_holders"),
        ("check_holder", TurnedDown(RefusalCode.NAME_DIFFERS), "check_holders"),
        ("request_otp", Silent("x"), "check_documents"),
        ("fetch_document", ForwardedDocument({"name": NAME}, "4321"), "check_documents"),
        ("fetch_document", TurnedDown(RefusalCode.OTP_WRONG), "check_documents"),
    ],
)
async def test_a_provider_that_tells_something_else_breaks_it(
    method: str, answer: object, check: str
) -> None:
    assert check in await broken(lying(method, answer))


async def test_a_provider_that_guesses_when_nobody_answers_breaks_it() -> None:
    assert await broken(Honest(), replace(GIVEN, silent=Honest())) == ["check_silence"]


@pytest.mark.parametrize("told", [NUMBER, NAME, GSTIN, "I agree to the check"])
async def test_a_provider_that_logs_what_it_was_asked_breaks_it(told: str) -> None:
    class Talkative(Honest):
        async def registration(self, gstin: str) -> RegisterEntry | Nobody | Silent:
            structlog.get_logger(__name__).warning("asked", about=told)
            return await super().registration(gstin)

    assert await broken(Talkative()) == ["check_privacy"]


def test_people_are_hidden_from_tracebacks() -> None:
    assert NUMBER not in repr(GIVEN)
    assert NAME not in repr(GIVEN)
