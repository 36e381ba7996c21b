"""OpenCart's templates, rendered by Twig with what the plugin's controllers give them."""

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.house.source import ROOT
from tests.patience import PATIENCE_S

OPENCART = ROOT / "shops" / "opencart"
HOSTILE = '"><script>alert(1)</script>'
"""What a setting, a payment or a person could hold."""
_VIEW = re.compile(r"->load->view\(self::ROUTE(?: \. '(\w+)')?, \[(.*?)\n        \]\)", re.DOTALL)
_NAME = re.compile(r"^            '(\w+)' =>", re.MULTILINE)
_TEXT = re.compile(r"\$_\['(\w+)'\] = '((?:[^'\\]|\\.)*)'")


class Page(HTMLParser):
    """The elements and the values of fields of a rendered template."""

    def __init__(self, text: str) -> None:
        """Read them."""
        super().__init__()
        self.tags: list[str] = []
        self.values: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        if tag == "input" and given.get("name"):
            self.values[given["name"] or ""] = given.get("value") or ""


def texts(side: str) -> dict[str, str]:
    """Return the words of one side's language file."""
    path = OPENCART / side / "language" / "en-gb" / "payment" / "hundi.php"
    return dict(_TEXT.findall(path.read_text("utf-8")))


def given_names(side: str, ending: str = "") -> set[str]:
    """Return the names that a controller gives a template, beside its texts."""
    path = OPENCART / side / "controller" / "payment" / "hundi.php"
    views = {found[1] or "": found[2] for found in _VIEW.finditer(path.read_text("utf-8"))}
    return set(_NAME.findall(views[ending]))


def rendered(side: str, name: str, data: dict[str, Any]) -> Page:
    """Render a template without any other name than these."""
    file = OPENCART / side / "view" / "template" / "payment" / f"{name}.twig"
    script = Path(__file__).parent / "opencart" / "render.php"
    done = subprocess.run(
        ["php", str(script)],
        input=json.dumps({"file": str(file), "data": data}),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Page(done.stdout)


def test_the_settings_show_what_was_typed_and_run_nothing_of_it() -> None:
    field = {"name": "f", "label": "L", "help": "H", "placeholder": HOSTILE, "value": HOSTILE}
    own: dict[str, Any] = {
        "header": "",
        "column_left": "",
        "footer": "",
        "save": "/save",
        "test": "/test",
        "fields": [field | {"secret": False}],
        "statuses": [{"name": "s", "label": "S", "chosen": 2}],
        "order_statuses": [{"order_status_id": 2, "name": "Paid"}],
        "enabled": "1",
        "sort_order": HOSTILE,
        "addresses": {"Return": HOSTILE},
    }
    assert set(own) == given_names("admin")
    page = rendered("admin", "hundi", texts("admin") | own)
    assert "script" not in page.tags
    assert (page.values["f"], page.values["payment_hundi_sort_order"]) == (HOSTILE, HOSTILE)


def test_the_orders_tab_shows_payments_and_runs_nothing_of_them() -> None:
    own: dict[str, Any] = {
        "attempts": [{"reference": HOSTILE, "state": HOSTILE, "transactionId": HOSTILE}],
        "refunds": [{"request_id": HOSTILE, "amount": "1.00", "state": HOSTILE}],
        "seen": 1,
        "refund": "/refund",
    }
    assert set(own) == given_names("admin", "_order")
    page = rendered("admin", "hundi_order", texts("admin") | own)
    assert "script" not in page.tags
    assert page.values["seen"] == "1"
    assert page.tags.count("li") == 2


def test_the_checkout_shows_its_button() -> None:
    own = {"pay": "/pay", "button_confirm": "Confirm", "text_next": "Next"}
    assert set(own) == given_names("catalog")
    assert rendered("catalog", "hundi", own).tags == ["p", "div", "a"]
