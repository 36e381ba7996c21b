"""The catalogues of texts.

Nothing missing, nothing left over, nothing out of date, and no words beside them.
"""

import ast
import io
import re
import string
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.mofile import read_mo, write_mo

from hundi.instruments.card import Problem
from hundi.instruments.methods import CHANNELS, EMI, TO_ACCOUNTS
from hundi.page import endings, grievances, link, mandates, messages, methods, outcomes, rules
from hundi.page.screens import MessageScreen, Tone
from hundi.page.texts import LANGUAGES
from tools.write_texts import ENGLISH, in_step, path_of, read

FOLDER = Path(rules.__file__).parent
MODULES = sorted(FOLDER.glob("*.py"))
TEMPLATES = sorted((FOLDER / "templates").glob("*.html"))
TRANSLATIONS = [language for language in LANGUAGES if language != ENGLISH]

ACCOUNTS = [each.code for each in TO_ACCOUNTS]
_BANKS_TROUBLE = set(methods.TROUBLE.values())
_ENDINGS = [*(name for _, name in endings.RESULTS.values()), endings.MANDATE_DONE]
_LINK_ENDINGS = [name for _, name in link.ENDED.values()]
_REASONS = {
    *outcomes.REASONS.values(),
    outcomes.ANY_OTHER,
    outcomes.NOT_REGISTERED,
    outcomes.LEFT,
}
_WAYS = {each.form or code for code, each in CHANNELS.items()}
_LISTED = ("nb", "ppc", "payltr", "enach")
COMPUTED: dict[str, set[str]] = {
    # of the modules
    "problem.value": {problem.value for problem in Problem},
    "wrong[field].value": {problem.value for problem in Problem},
    "why": {*outcomes.WHY_BACK.values(), "other_amount"},
    "f'{code}_missing'": {f"{code}_missing" for code in _LISTED},
    "accepted": set(rules.CARDS_ONLY.values()),
    "CARD_NEXT[payment.kind]": set(rules.CARD_NEXT.values()),
    "EVERY[subscription.period][count > 1]": {
        text for pair in mandates.EVERY.values() for text in pair
    },
    "title": {title for _, title in mandates.TITLES.values()},
    "f'mandate_{verb}'": {f"mandate_{verb}" for verbs in mandates.VERBS.values() for verb in verbs},
    "f'mandate_{verb}_what'": {
        f"mandate_{verb}_what" for verbs in mandates.VERBS.values() for verb in verbs
    },
    "name": {*_ENDINGS, *_LINK_ENDINGS},
    "f'{name}_title'": {f"{name}_title" for name in (*_ENDINGS, *_LINK_ENDINGS)},
    "f'{name}_next'": {f"{name}_next" for name in _ENDINGS},
    "what": {
        *(outcomes.WITHOUT_CARD.get(what, what) for what, _ in _REASONS),
        *(what for what, _ in _REASONS),
        *(messages.WHY_REFUSED.values()),
        outcomes.DECLINED_THERE,
        "refused_what",
    },
    "advice": {
        *(advice for _, advice in _REASONS),
        *outcomes.IN_AN_APP.values(),
        *(outcomes.WITHOUT_CARD.get(advice, advice) for _, advice in _REASONS),
    },
    "TROUBLE[health]": _BANKS_TROUBLE,
    "channel.form or channel.code": _WAYS,
    "CHANNELS[code].form or code": _WAYS,
    "EMI.code": {EMI.code},
    "key": {"offer_title", "offer_title_over"},
    "f'{key}_nobody'": {"offer_title_nobody", "offer_title_over_nobody"},
    "KINDS[kind]": set(grievances.KINDS.values()),
    "KINDS[complaint.kind]": set(grievances.KINDS.values()),
    # of the templates
    "screen.footer": {MessageScreen(Tone.INFO, "", ()).footer, messages.OFFER_FOOTER},
    "code": {*_LISTED, *ACCOUNTS},
    'code ~ "_hint"': {f"{code}_hint" for code in (*_LISTED, *ACCOUNTS)},
    'code ~ "_how"': {f"{code}_how" for code in ACCOUNTS},
    'code ~ "_what"': {f"{code}_what" for code in ACCOUNTS},
    'code ~ "_exact"': {f"{code}_exact" for code in ACCOUNTS},
    'code ~ "_choose"': {f"{code}_choose" for code in _LISTED},
    'code ~ "_button"': {f"{code}_button" for code in (*_LISTED, *ACCOUNTS)},
    'code ~ "_missing"': {f"{code}_missing" for code in _LISTED},
    'code ~ "_next"': {f"{code}_next" for code in _LISTED},
}
"""What the expressions come to whose key is not written where it is used.

An expression that is not here fails.
"""


def texts(catalogue: Catalog) -> dict[str, str]:
    return {str(each.id): str(each.string) for each in catalogue if each.id}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def problems(english: Catalog, translation: Catalog) -> Iterator[str]:
    """Yield what a translator has to mend."""
    theirs = texts(translation)
    yield from (f"{key}: not in English" for key in theirs.keys() - texts(english).keys())
    yield from (f"{key}: gone from English" for key in translation.obsolete)
    for key, text in texts(english).items():
        found = translation.get(key)
        if found is None or not found.string:
            yield f"{key}: missing"
        elif found.fuzzy:
            yield f"{key}: fuzzy"
        elif fields(str(found.string)) != fields(text):
            yield f"{key}: other values"
        elif translation is not english and " ".join(found.auto_comments) != text:
            yield f"{key}: translated from another English text"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_says_everything_that_english_says(language: str):
    catalogue = read(language)
    assert list(problems(read(ENGLISH) if language != ENGLISH else catalogue, catalogue)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_not_out_of_date(language: str):
    source = read(language)
    ready = {key: text for key, text in texts(source).items() if text and not source[key].fuzzy}
    with path_of(language, "mo").open("rb") as file:
        assert texts(read_mo(file)) == ready, "run: make texts"


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_the_order_and_the_notes_of_english(language: str):
    found = read(language)
    made = in_step(read(ENGLISH), found)
    shown = [
        [(each.id, each.user_comments, each.flags) for each in catalogue]
        for catalogue in (found, made)
    ]
    assert shown[0] == shown[1], "run: make texts"


# --- planted: each is seen ---


def small(**changed: str) -> Catalog:
    catalogue = Catalog("hi")
    for key, text in {"paid": "{amount} दिए", "close": "बंद करें"}.items():
        catalogue.add(key, changed.get(key, text), auto_comments=[text])
    return catalogue


def test_a_missing_text_is_seen():
    short = small()
    short.delete("paid")
    assert list(problems(small(), short)) == ["paid: missing"]
    assert list(problems(small(), small(paid=""))) == ["paid: missing"]


def test_a_doubtful_text_is_seen():
    doubtful = small()
    doubtful["paid"].flags.add("fuzzy")
    assert list(problems(small(), doubtful)) == ["paid: fuzzy"]


def test_a_text_too_many_is_seen():
    long = small()
    long.add("more", "और")
    long.obsolete["old"] = long["more"]
    assert list(problems(small(), long)) == ["more: not in English", "old: gone from English"]


def test_a_text_with_other_values_is_seen():
    assert list(problems(small(), small(paid="{sum} दिए"))) == ["paid: other values"]


def test_a_translation_of_yesterdays_english_is_seen_and_marked():
    english = small(close="अब बंद करें")
    assert list(problems(english, small())) == ["close: translated from another English text"]
    assert list(problems(english, in_step(english, small()))) == ["close: fuzzy"]


def test_a_new_text_waits_for_its_translation_and_an_old_one_goes():
    english = small()
    english.add("more", "और")
    assert list(problems(english, in_step(english, small()))) == ["more: missing"]
    assert list(problems(small(), in_step(small(), english))) == []


def test_a_doubtful_text_is_not_compiled():
    doubtful, compiled = small(), io.BytesIO()
    doubtful["paid"].flags.add("fuzzy")
    write_mo(compiled, doubtful)
    assert texts(read_mo(io.BytesIO(compiled.getvalue()))) == {"close": "बंद करें"}


# --- used and there ---


def keys(expression: ast.expr) -> set[str]:
    """Return the keys that an expression of a module can come to."""
    match expression:
        case ast.Constant(value=str(key)):
            return {key}
        case ast.IfExp():
            return keys(expression.body) | keys(expression.orelse)
        case _:
            return COMPUTED[ast.unparse(expression)]


def said(module: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Call) and (
            getattr(node.func, "id", "") == "say" or getattr(node.func, "attr", "") == "say"
        ):
            found |= keys(node.args[0])
    return found


def shown(template: str) -> set[str]:
    found: set[str] = set()
    for expression in re.findall(r"\bt\[(.+?)\]", template):
        literal = re.fullmatch(r'"(\w+)"', expression)
        found |= {literal[1]} if literal else COMPUTED[expression]
    return found


def test_every_text_that_is_used_is_there_and_every_text_that_is_there_is_used():
    used = set[str]().union(
        *map(said, MODULES), *(shown(path.read_text("utf-8")) for path in TEMPLATES)
    )
    assert len(used) > 100
    assert used == texts(read(ENGLISH)).keys()


def test_a_key_that_nobody_can_follow_is_seen(tmp_path: Path):
    module = tmp_path / "screen.py"
    module.write_text("say('paid' if done else 'declined')")
    assert said(module) == {"paid", "declined"}
    module.write_text("page.say(anything)")
    with pytest.raises(KeyError):
        said(module)
    assert shown('{{ t["paid"] }} {{ t[screen.footer] }}') == {"paid", "powered", "offer_powered"}
    with pytest.raises(KeyError):
        shown("{{ t[anything] }}")


# --- no words beside the catalogues ---


class Wording(HTMLParser):
    """Collects what a customer would read of a template that is in no catalogue."""

    SPOKEN = ("alt", "aria-label", "label", "placeholder", "title")

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self._note(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in self.SPOKEN:
                self._note(value or "")

    def _note(self, text: str) -> None:
        if any(map(str.isalpha, text)):
            self.found.append(text.strip())


def wording(template: str) -> list[str]:
    parser = Wording()
    parser.feed(re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", template, flags=re.DOTALL))
    return parser.found


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_words_of_its_own(path: Path):
    assert wording(path.read_text("utf-8")) == []


def test_words_in_a_template_are_seen():
    assert wording('<p title="Pay">{{ t["paid"] }}</p><b>now</b>') == ["Pay", "now"]
