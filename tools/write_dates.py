"""Copies the words of dates out of CLDR, by Babel, into `kernel/dates.json` (`make texts`).

English has short months and IST, as every page of the gateway; the other languages have whole
months, because their short forms are rare, and CLDR's name of India's time.
"""

import json
import re

from babel import Locale
from babel.dates import get_timezone, get_timezone_name

from hundi.kernel.dates import TABLE
from hundi.page.texts import LANGUAGES

ENGLISH = "en"
INDIA = "Asia/Kolkata"
_FIELDS = {"d": "{day}", "MMM": "{month}", "MMMM": "{month}", "y": "{year}"}


def words_of(language: str) -> dict[str, str | list[str]]:
    """Return the words of a language. Raises KeyError for a pattern with other fields."""
    locale = Locale.parse(f"{language}_IN")
    is_english = language == ENGLISH
    months = Locale(language).months["format"]["abbreviated" if is_english else "wide"]
    pattern = str(locale.date_formats["medium" if is_english else "long"].pattern)
    zone = get_timezone_name(get_timezone(INDIA), "short", locale=locale)
    return {
        "months": [str(months[month]) for month in range(1, 13)],
        "day": re.sub(r"[dMy]+", lambda found: _FIELDS[found[0]], pattern),
        "zone": "IST" if is_english else zone,
    }


def table() -> str:
    """Return the table of all languages as JSON."""
    words = {language: words_of(language) for language in LANGUAGES}
    return json.dumps(words, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write the table."""
    TABLE.write_text(table(), "utf-8")


if __name__ == "__main__":
    main()
