"""Updates translations from the English texts (`make texts`).

`tools/write_texts.py NEW_LANGUAGE` adds a language. Every translation gets the keys, the notes and
the order of the English catalogue. A new text is empty, a text with changed English is marked
fuzzy, and a removed text goes. Then every catalogue is compiled.
"""

import sys
from pathlib import Path

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

_HUNDI = Path(__file__).parents[1] / "src" / "hundi"
LOCALES = {"page": _HUNDI / "page" / "locales", "letters": _HUNDI / "letters/wording/locales"}
"""The folders of the catalogues, by the name of their files."""
SUBJECTS = {"page": "The payment page and the offers page", "letters": "The letters to customers"}
ENGLISH = "en"


def path_of(language: str, suffix: str = "po", name: str = "page") -> Path:
    """Return the path of a language's catalogue: its source (`po`) or compiled form (`mo`)."""
    return LOCALES[name] / language / "LC_MESSAGES" / f"{name}.{suffix}"


def read(language: str, name: str = "page") -> Catalog:
    """Return a language's catalogue, an empty one for a new language."""
    path = path_of(language, name=name)
    if not path.exists():
        return Catalog(language)
    with path.open("rb") as file:
        return read_po(file, language, abort_invalid=True)


def in_step(english: Catalog, translation: Catalog, name: str = "page") -> Catalog:
    """Return a translation with the keys of English, and the English text beside each."""
    catalogue = Catalog(
        translation.locale,
        project="Hundi",
        version="4",
        msgid_bugs_address="the issues of the project",
        last_translator="Hundi contributors",
        language_team=translation.locale.english_name,
        header_comment=(f"# {SUBJECTS[name]} in {translation.locale.english_name}."),
        creation_date=english.creation_date,
        revision_date=english.revision_date,
        fuzzy=False,
    )
    for each in english:
        if not each.id:
            continue
        old = translation.get(each.id)
        changed = old is not None and " ".join(old.auto_comments) != each.string
        flags = (
            {"fuzzy"} if old is not None and old.string and (old.fuzzy or changed) else set[str]()
        )
        catalogue.add(
            each.id,
            old.string if old else "",
            auto_comments=[each.string],
            user_comments=each.user_comments,
            flags=flags,
        )
    return catalogue


def main() -> None:
    """Write every translation, and every compiled catalogue."""
    for name, folder in LOCALES.items():
        english = read(ENGLISH, name)
        languages = {path.name for path in folder.iterdir()} | set(sys.argv[1:])
        for language in sorted(languages - {ENGLISH}):
            catalogue = in_step(english, read(language, name), name)
            path_of(language, name=name).parent.mkdir(parents=True, exist_ok=True)
            with path_of(language, name=name).open("wb") as file:
                write_po(file, catalogue, width=100)
        for language in sorted(languages):
            with path_of(language, "mo", name).open("wb") as file:
                write_mo(file, read(language, name))


if __name__ == "__main__":
    main()
