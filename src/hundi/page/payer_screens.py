"""The values of the page "Where is my money?", ready to print: templates decide nothing."""

from dataclasses import dataclass

from hundi.page.screens import LogoImage, Reference, Tone


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form of one column. error: why it was refused, "" if it was not."""

    name: str
    label: str
    value: str = ""
    hint: str = ""
    error: str = ""
    inputmode: str = "text"
    autocomplete: str = "off"
    length_max: int = 100


@dataclass(frozen=True, slots=True)
class FormScreen:
    """A page with a form. path: where it is sent, and what the language's switch shows again.

    other, other_words: a second way, "" for none.
    """

    path: str
    title: str
    lines: tuple[str, ...]
    fields: tuple[FormField, ...]
    button: str
    other: str = ""
    other_words: str = ""


@dataclass(frozen=True, slots=True)
class ComplaintLine:
    """A complaint as its payer reads it. lines: when it was written, and by when it is answered.

    answer: the merchant's, "" for none yet.
    """

    what: str
    words: str
    lines: tuple[str, ...]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class ComplaintBox:
    """What a payer wrote about a payment, and the form for more.

    action: where the form is sent, "" while a complaint waits. kinds: names and words of what can
    be wrong. solved: where the button is sent that closes it all, "" for none. typed, kind, error:
    of a form that was refused.
    """

    lines: tuple[ComplaintLine, ...]
    action: str = ""
    intro: str = ""
    kinds: tuple[tuple[str, str], ...] = ()
    button: str = ""
    solved: str = ""
    typed: str = ""
    kind: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class MoneyScreen:
    """Where a payment's money is. path: of the page. leave: where its closing button is sent.

    lines: what happens next, and by when. refunds: a sentence each. receipt: its address, "" for
    none. until: when the page closes.
    """

    path: str
    tone: Tone
    title: str
    sentence: str
    lines: tuple[str, ...]
    refunds: tuple[str, ...]
    references: tuple[Reference, ...]
    merchant: str
    monogram: str
    logo: LogoImage | None
    amount: str
    receipt: str
    support: str
    leave: str
    until: str
    complaint: ComplaintBox
    accent: str = ""
    simulated: bool = False


PayerScreen = FormScreen | MoneyScreen
