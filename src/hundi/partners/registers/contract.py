"""The contract of live providers, as checks that the tests of each provider run on its network.

A provider answers some of the questions in `registers.port`; checks of the others do nothing.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from structlog.testing import capture_logs

from hundi.kernel.refusals import RefusalCode
from hundi.partners.registers.port import (
    CardRegister,
    ChecksHolders,
    Forwarded,
    ForwardedDocument,
    GstRegister,
    HolderFacts,
    IssuesDocuments,
    Nobody,
    ProgrammeCard,
    RegisterEntry,
    Silent,
    TurnedDown,
)

Check = Callable[[object, "ProviderCase"], Awaitable[None]]
_DATE = re.compile(r"([0-9]{2}/[0-9]{2}/[0-9]{4})?\Z")
_EXPIRY = re.compile(r"(0[1-9]|1[0-2])/[0-9]{2}\Z")
_MASKED_CARD = re.compile(r"[0-9]{0,6}[Xx*]{4,}[0-9]{4}\Z")
_MASKED_MOBILE = re.compile(r"([Xx*]+[0-9]{1,4})?\Z")
_CARD_KINDS = frozenset({"PHYSICAL", "VIRTUAL"})


class ProviderContractBrokenError(AssertionError):
    """A provider breaks a promise of the port; the text names the promise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderCase:
    """What a provider's tests provide, because only they know their network.

    silent: a provider of the same kind whose network does not answer. gstin, no_gstin: one that is
    registered, and a well-formed one that is not. programme, customer, no_customer: a programme of
    cards, a customer with cards of it and one with none. number, holder_name: an identity number
    and its holder's name; other_number: of another holder, who has a phone; no_number: a
    well-formed one that nobody has. consent: the text of a consent. password: returns the last
    one-time password to the holder of other_number.
    """

    silent: object
    gstin: str = ""
    no_gstin: str = ""
    programme: str = ""
    customer: str = ""
    no_customer: str = ""
    number: str = ""
    holder_name: str = ""
    other_number: str = ""
    no_number: str = ""
    consent: str = ""
    password: Callable[[], Awaitable[str]] | None = None

    def __repr__(self) -> str:
        """Hide the people: this value reaches tracebacks."""
        return "Given(****)"


def demand(holds: object, promise: str) -> None:
    """Raise ProviderContractBrokenError with the promise unless it is kept."""
    if not holds:
        raise ProviderContractBrokenError(promise)


async def check_registrations(provider: object, case: ProviderCase) -> None:
    """Prove that a registered business is found as the register has it, and no other."""
    if not isinstance(provider, GstRegister):
        return
    demand(
        case.gstin and case.no_gstin,
        "tests of a GST register bring a GSTIN along, and one that nobody has",
    )
    entry = await provider.registration(case.gstin)
    demand(
        isinstance(entry, RegisterEntry) and entry.gstin == case.gstin,
        "a GSTIN is answered about, and no other",
    )
    if isinstance(entry, RegisterEntry):
        demand(entry.legal_name and entry.status, "a registration has a name and a status")
        dates = entry.registered_on, entry.updated_on, entry.cancelled_on
        demand(
            all(_DATE.match(each) for each in dates),
            "dates are DD/MM/YYYY, and unknown ones are empty",
        )
    nobody = await provider.registration(case.no_gstin)
    demand(isinstance(nobody, Nobody), "a GSTIN that nobody has is nobody's, and not an error")


async def check_cards(provider: object, case: ProviderCase) -> None:
    """Prove that no card number comes whole, and an unknown customer or programme is not found."""
    if not isinstance(provider, CardRegister):
        return
    demand(case.customer and case.no_customer, "tests of a card register bring customers along")
    cards = await provider.cards(case.programme, case.customer)
    demand(isinstance(cards, tuple) and cards, "a customer's cards are found")
    for card in cards if isinstance(cards, tuple) else ():
        demand(_MASKED_CARD.match(card.number), "of a card's number ten digits at most are told")
        demand(
            _EXPIRY.match(card.expiry) and card.kind in _CARD_KINDS and card.kit_no,
            "a card is told as documented",
        )
        demand(isinstance(card, ProgrammeCard) and card.status, "a card has a status")
    for programme, customer in (
        (case.programme, case.no_customer),
        ("NO-SUCH-PROGRAMME", case.customer),
    ):
        demand(
            isinstance(await provider.cards(programme, customer), Nobody),
            "whom a programme does not have is nobody",
        )


async def check_holders(provider: object, case: ProviderCase) -> None:
    """Prove that a name is compared and never returned, and that a refusal says why."""
    if not isinstance(provider, ChecksHolders):
        return
    demand(
        case.number and case.holder_name and case.no_number,
        "tests of identity checks bring holders along",
    )
    right = await provider.check_holder(case.number, case.holder_name, case.consent)
    demand(isinstance(right, HolderFacts), "a holder whose name is right is checked")
    demand(
        isinstance(right, HolderFacts) and _MASKED_MOBILE.match(right.mobile),
        "of a phone four digits at most are told",
    )
    other = await provider.check_holder(case.number, "Somebody Else Entirely", case.consent)
    demand(
        other == TurnedDown(RefusalCode.NAME_DIFFERS), "another name is turned down as another name"
    )
    nobody = await provider.check_holder(case.no_number, case.holder_name, case.consent)
    demand(isinstance(nobody, TurnedDown), "a number that nobody has is turned down")


async def check_documents(provider: object, case: ProviderCase) -> None:
    """Prove that a document comes for its password, once, and is hidden from tracebacks."""
    if not isinstance(provider, IssuesDocuments):
        return
    demand(
        case.other_number and case.password,
        "tests of documents bring a holder along, and read their phone",
    )
    request = await provider.request_otp(case.other_number)
    demand(
        isinstance(request, Forwarded) and request.request_id,
        "a holder with a phone is sent a password",
    )
    if not isinstance(request, Forwarded) or case.password is None:
        return
    otp = await case.password()
    wrong = "".join(str((int(digit) + 1) % 10) for digit in otp)
    refused = await provider.fetch_document(request, wrong)
    demand(refused == TurnedDown(RefusalCode.OTP_WRONG), "a wrong password is turned down as wrong")
    document = await provider.fetch_document(request, otp)
    demand(
        isinstance(document, ForwardedDocument) and document.told,
        "the password brings the document",
    )
    if isinstance(document, ForwardedDocument):
        demand(
            document.share_code and document.share_code not in repr(document),
            "the share code is in no traceback",
        )
    again = await provider.fetch_document(request, otp)
    demand(isinstance(again, TurnedDown), "a password brings a document once")


async def check_silence(provider: object, case: ProviderCase) -> None:  # noqa: ARG001 (one shape for every check)
    """Prove that a network which does not answer is Silent: no exception, and no decision."""
    answers = await _everything(case.silent, case)
    demand(
        all(isinstance(each, Silent) for each in answers),
        f"silence is Silent, and decides nothing: {answers}",
    )


async def check_privacy(provider: object, case: ProviderCase) -> None:
    """Prove that numbers, names and consents stand in no line of the log, answered or not."""
    with capture_logs() as lines:
        await _everything(provider, case)
        await _everything(case.silent, case)
    logged = str(lines)
    private = (
        case.number,
        case.other_number,
        case.no_number,
        case.holder_name,
        case.consent,
        case.gstin,
    )
    demand(
        not [each for each in private if each and each in logged],
        "what was asked about stands in no log",
    )


async def _everything(provider: object, case: ProviderCase) -> list[object]:
    """Ask a provider every question that it answers and that changes nothing."""
    answers: list[object] = []
    if isinstance(provider, GstRegister):
        answers.append(await provider.registration(case.gstin))
    if isinstance(provider, CardRegister):
        answers.append(await provider.cards(case.programme, case.customer))
    if isinstance(provider, ChecksHolders):
        answers.append(await provider.check_holder(case.number, case.holder_name, case.consent))
    if isinstance(provider, IssuesDocuments):
        answers.append(await provider.fetch_document(Forwarded("0", 0), "000000"))
    return answers


CHECKS: tuple[Check, ...] = (
    check_registrations,
    check_cards,
    check_holders,
    check_documents,
    check_silence,
    check_privacy,
)
