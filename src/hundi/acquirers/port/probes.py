"""Probes of any acquirer that move no money.

They prove credentials and addresses.
"""

import time
from collections import Counter
from dataclasses import dataclass

from hundi.acquirers.port.answers import Accepted, NothingThere, Unknown
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.checkout import SendsTriggers
from hundi.acquirers.port.lines import AnswersEcho
from hundi.acquirers.port.payments import Connector, SendsToBanks
from hundi.acquirers.port.payouts import PaysOut, TellsBalance

NOBODYS = "0-"
"""The beginning of references that no gateway makes: no merchant has the number 0."""
_OF_PAYOUTS = frozenset(
    {"PaysOut", "TellsBalance", "ChecksAccounts", "ChecksAddresses", "SendsTriggers"}
)
"""What a connector can do that takes no payments: it is not asked about one.

Its base (`TakesNoPayments`) does not tell: the registry's connectors stand behind a front.
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe. said: the answer; passed: it is the expected one."""

    name: str
    called: str
    expected: str
    said: str
    passed: bool


async def probe(connector: Connector, now_ms: int | None = None) -> tuple[Probe, ...]:
    """Ask a connector every question that moves no money. now_ms: makes the unused reference."""
    number = now_ms if now_ms is not None else time.time_ns() // 1_000_000
    done: list[Probe] = []
    if not _OF_PAYOUTS.issuperset(abilities(connector)):
        done.append(await _unused(connector, f"{NOBODYS}{number}"))
    if isinstance(connector, PaysOut):
        done.append(await _unused_payout(connector, f"{NOBODYS}P{number}"))
    if isinstance(connector, TellsBalance):
        done.append(await _balance(connector))
    if isinstance(connector, AnswersEcho):
        done.append(await _echo(connector))
    if isinstance(connector, SendsToBanks):
        done.append(await _banks(connector))
    if isinstance(connector, SendsTriggers):
        done.append(_unsigned(connector))
    return tuple(done)


async def _unused(connector: Connector, reference: str) -> Probe:
    return _absent("inquiry", "inquiry", reference, await connector.inquire(reference))


async def _unused_payout(connector: PaysOut, reference: str) -> Probe:
    answer = await connector.inquire_payout(reference)
    return _absent("payout-inquiry", "inquiry of payouts", reference, answer)


def _absent(name: str, called: str, reference: str, answer: object) -> Probe:
    passed = isinstance(answer, NothingThere)
    answer_text = "nothing there" if passed else _words(answer)
    words = f"{called} about {reference}, which was never used"
    return Probe(name, words, "nothing there", answer_text, passed)


async def _balance(connector: TellsBalance) -> Probe:
    answer = await connector.payout_balance()
    passed = not isinstance(answer, Unknown)
    answer_text = "told" if passed else _words(answer)
    return Probe("balance", "the balance that payouts leave from", "told", answer_text, passed)


async def _echo(connector: AnswersEcho) -> Probe:
    answer = await connector.echo()
    passed = isinstance(answer, Accepted)
    return Probe(
        "echo",
        "sign-on, then an echo",
        "accepted",
        "accepted" if passed else _words(answer),
        passed,
    )


async def _banks(connector: SendsToBanks) -> Probe:
    answer = await connector.banks()
    if isinstance(answer, Unknown):
        return Probe(
            "banks", "its banks, wallets and lenders", "a list", _words(answer), passed=False
        )
    counts = Counter(each.method for each in answer)
    answer_text = (
        ", ".join(f"{count} {method}" for method, count in sorted(counts.items()))
        or "an empty list"
    )
    return Probe("banks", "its banks, wallets and lenders", "a list", answer_text, passed=True)


def _unsigned(connector: SendsTriggers) -> Probe:
    believed = connector.read_trigger({}, b"{}", now_s=int(time.time())) is not None
    answer_text = "believed" if believed else "not believed"
    return Probe(
        "unsigned-webhook",
        "nobody: an unsigned webhook is read",
        "not believed",
        answer_text,
        passed=not believed,
    )


def _words(answer: object) -> str:
    """Return the text of an unexpected answer, without anything that may be a customer's."""
    if isinstance(answer, Unknown):
        return f"no answer: {answer.message or answer.code or 'unknown'}"
    return type(answer).__name__.lower()
