"""Catalogues of texts in several languages, compiled from `.po` files: see decision 0010."""

from gettext import GNUTranslations, NullTranslations
from pathlib import Path


class NoText(NullTranslations):
    """The answer for a key that no catalogue has.

    Gettext's own would show the key to the customer.
    """

    def gettext(self, message: str) -> str:
        """Raise KeyError: an unknown key is our bug."""
        raise KeyError(message)


def read_catalogue(compiled: Path, otherwise: NullTranslations) -> NullTranslations:
    """Return a compiled catalogue. otherwise: for keys that it lacks."""
    with compiled.open("rb") as file:
        catalogue = GNUTranslations(file)
    catalogue.add_fallback(otherwise)
    return catalogue
