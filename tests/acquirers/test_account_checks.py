"""The lists of what operators check of an account: each step once, and named by the page that explains them."""

from pathlib import Path

import pytest

from hundi.acquirers.account_checks import AccountCheck
from hundi.acquirers.billdesk import checks as billdesk
from hundi.acquirers.ccavenue import checks as ccavenue
from hundi.acquirers.gateway import checks as gateway
from hundi.acquirers.paytm import checks as paytm
from hundi.acquirers.payu import checks as payu
from hundi.acquirers.phonepe import checks as phonepe

DOCS = Path(__file__).parents[2] / "docs"


LISTS = {
    "another-gateway.md": gateway.CHECKS,
    "billdesk.md": billdesk.CHECKS,
    "ccavenue.md": ccavenue.CHECKS,
    "paytm.md": paytm.CHECKS,
    "payu.md": payu.CHECKS,
    "phonepe.md": phonepe.CHECKS,
}


@pytest.mark.parametrize("checks", LISTS.values(), ids=LISTS)
def test_every_step_stands_once_and_says_what_is_called_and_expected(checks: tuple[AccountCheck, ...]) -> None:
    assert len({each.name for each in checks}) == len(checks)
    assert all(each.called and each.expected for each in checks)


@pytest.mark.parametrize(("page", "checks"), LISTS.items())
def test_the_page_has_every_step(page: str, checks: tuple[AccountCheck, ...]) -> None:
    rows = [line for line in (DOCS / page).read_text().splitlines() if line.startswith("| `")]
    wanted = [f"| `{each.name}` | {each.called} | {each.expected} | {'yes' if each.paid else ''} |" for each in checks]
    assert [row for row in rows if row in wanted] == wanted
