"""The index of the search: sections with their pages, the same bytes each time."""

import gzip
import json

from tools.site.search import packed, sections

MENU = ["Take payments", "Verify"]
ITEMS = [
    {"location": "verify/", "title": "Verify: ask", "text": "<p>Ask &amp; wait</p>", "path": MENU},
    {"location": "banks/", "title": "Bank list", "text": "", "path": []},
    {
        "location": "verify/#outcome",
        "title": "The <code>outcome</code>",
        "text": "a\n  b",
        "path": MENU,
    },
]


def test_a_section_has_plain_words_and_its_page_as_the_menu_calls_it() -> None:
    assert sections(ITEMS) == [
        ("banks/", "Bank list", "Bank list", ""),
        ("verify/", "Verify: ask", "Verify", "Ask & wait"),
        ("verify/#outcome", "The outcome", "Verify", "a b"),
    ]


def test_the_file_is_the_same_each_time() -> None:
    listed = sections(ITEMS)
    assert packed(listed) == packed(listed)
    assert json.loads(gzip.decompress(packed(listed))) == [list(each) for each in listed]
