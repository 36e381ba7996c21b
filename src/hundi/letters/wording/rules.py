"""The text of each kind of letter; pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hundi.kernel.masking import masked
from hundi.kernel.names import seen
from hundi.letters.rules import (
    AT_SENDING,
    CHOSEN_BY_PERSON,
    PATH,
    TO_CUSTOMERS,
    UNSEEN,
    LetterKind,
)

Say = Callable[..., str]
_FACT_LENGTH_MAX = 300
_LONGER: Mapping[str, int] = {"answer": 1000}
"""The length of facts that people write as a text of their own."""
LABELS = (
    ("amount", "amount"),
    ("order", "ref_order"),
    ("payment", "ref_payment"),
    ("rrn", "ref_rrn"),
    ("at", "ref_when"),
    ("mandate", "mandate"),
)
"""The rows below a letter to a customer: the fact, and the key of its label."""
_STAFF: Mapping[LetterKind, tuple[str, str]] = {
    LetterKind.DISPUTE_DUE: (
        "A dispute about {amount} waits for an answer until {until}",
        (
            "{merchant}: the dispute of order {order} about {amount} is lost without an answer by"
            " {until}."
        ),
    ),
    LetterKind.COMPLAINT_WAITING: (
        "{merchant}: a payer complains, and waits for your answer until {until}",
        "The payer of payment {payment} wrote to {merchant}, and waits until {until}.",
    ),
    LetterKind.APPROVAL_WAITING: (
        "{merchant}: something waits for your decision",
        "{by} asks for a second person: {what}.",
    ),
    LetterKind.PAYOUT_RETURNED: (
        "{merchant}: a payout of {amount} came back",
        "The bank returned the payout of {amount} to {merchant}: {reason}.",
    ),
    LetterKind.NOTIFICATIONS_FAILING: (
        "{merchant}: your server takes no notifications",
        (
            "Since {since}, your server has not taken our notifications ({problem}). Orders may be"
            " paid without your shop knowing it."
        ),
    ),
    LetterKind.REPORT: ("{merchant}: {report}", "The report that you ordered is attached."),
    LetterKind.TRIAL: (
        "A test mail from {site}",
        "This mail reaches you, so letters to this address work. You asked for it on your page.",
    ),
}
"""Subject and sentence of each kind for people of the console, which is in English."""


@dataclass(frozen=True, slots=True)
class LetterText:
    """The text of a letter, without any markup.

    sender: the name that the letter comes from. path: of our own site, "" for none; open: the words
    of its button. small: sentences at the end.
    """

    sender: str
    subject: str
    sentence: str
    rows: tuple[tuple[str, str], ...] = ()
    path: str = ""
    open: str = ""
    small: tuple[str, ...] = ()
    language: str = "en"


def text_of(kind: LetterKind, facts: Mapping[str, Any], language: str, say: Say) -> LetterText:
    """Return the text of a letter. say: gives texts for customers in its language."""
    values = {name: _clean(name, value) for name, value in facts.items()}
    if kind in AT_SENDING:
        values.setdefault(AT_SENDING[kind], UNSEEN)
    if kind in TO_CUSTOMERS:
        return _for_customer(kind, values, language, say)
    subject, sentence = _STAFF[kind]
    small = (
        ("You choose on your page in the console which of these mails you get.",)
        if kind in CHOSEN_BY_PERSON
        else ()
    )
    return LetterText(
        "Hundi",
        subject.format_map(values),
        sentence.format_map(values),
        path=values.get(PATH, ""),
        open="Open the console" if values.get(PATH) else "",
        small=small,
    )


def _for_customer(
    kind: LetterKind, values: Mapping[str, str], language: str, say: Say
) -> LetterText:
    rows = tuple((say(label), values[name]) for name, label in LABELS if values.get(name))
    small = [say("help", support=values["support"])] if values.get("support") else []
    small.append(say("why", merchant=values["merchant"]))
    if values.get("simulated"):
        small.append(say("simulated"))
    return LetterText(
        values["merchant"],
        say(f"{kind}_subject", **values),
        say(f"{kind}_text", **values),
        rows,
        values.get(PATH, ""),
        say("open") if values.get(PATH) else "",
        tuple(small),
        language,
    )


def _clean(name: str, value: object) -> str:
    """Return a fact on one line, without card and Aadhaar numbers."""
    text = seen(str(value))[: _LONGER.get(name, _FACT_LENGTH_MAX)]
    return text if name == PATH else masked(text)
