"""The lists of what operators check of an account.

Each step once, and named by the page that explains them.
"""

import re
from pathlib import Path

import pytest

from hundi.acquirers.billdesk import checks as billdesk
from hundi.acquirers.cashfree import checks as cashfree
from hundi.acquirers.cashfree_payouts import checks as cashfree_payouts
from hundi.acquirers.ccavenue import checks as ccavenue
from hundi.acquirers.easebuzz import checks as easebuzz
from hundi.acquirers.gateway import checks as gateway
from hundi.acquirers.iso8583 import checks as iso8583
from hundi.acquirers.juspay import checks as juspay
from hundi.acquirers.juspay_upi import checks as juspay_upi
from hundi.acquirers.paytm import checks as paytm
from hundi.acquirers.payu import checks as payu
from hundi.acquirers.phonepe import checks as phonepe
from hundi.acquirers.pinelabs import checks as pinelabs
from hundi.acquirers.port.account_checks import AccountCheck
from hundi.acquirers.razorpay import checks as razorpay
from hundi.acquirers.razorpayx import checks as razorpayx
from hundi.acquirers.setu import checks as setu

DOCS = Path(__file__).parents[2] / "docs"


LISTS = {
    "another-gateway.md": gateway.CHECKS,
    "billdesk.md": billdesk.CHECKS,
    "cashfree.md": cashfree.CHECKS,
    "cashfree-payouts.md": cashfree_payouts.CHECKS,
    "ccavenue.md": ccavenue.CHECKS,
    "easebuzz.md": easebuzz.CHECKS,
    "iso8583.md": iso8583.CHECKS,
    "juspay.md": juspay.CHECKS,
    "juspay-upi.md": juspay_upi.CHECKS,
    "pinelabs.md": pinelabs.CHECKS,
    "paytm.md": paytm.CHECKS,
    "payu.md": payu.CHECKS,
    "phonepe.md": phonepe.CHECKS,
    "razorpay.md": razorpay.CHECKS,
    "razorpayx.md": razorpayx.CHECKS,
    "setu.md": setu.CHECKS,
}


@pytest.mark.parametrize("checks", LISTS.values(), ids=LISTS)
def test_every_step_stands_once_and_says_what_is_called_and_expected(
    checks: tuple[AccountCheck, ...],
) -> None:
    assert len({each.name for each in checks}) == len(checks)
    assert all(each.called and each.expected for each in checks)


@pytest.mark.parametrize(("page", "checks"), LISTS.items())
def test_the_page_has_every_step(page: str, checks: tuple[AccountCheck, ...]) -> None:
    rows = [line for line in (DOCS / page).read_text().splitlines() if line.startswith("| `")]
    wanted = [
        f"| `{each.name}` | {each.called} | {each.expected} | {'yes' if each.paid else ''} |"
        for each in checks
    ]
    assert [row for row in rows if row in wanted] == wanted


@pytest.mark.parametrize("page", LISTS)
def test_the_page_says_what_was_never_tried_and_how_to_certify_it(page: str) -> None:
    text = (DOCS / page).read_text()
    assert re.search(r"\*\*not yet with (live credentials|a bank)\*\*", text)
    assert "`hundi acquirer check <name>`" in text.partition("## Certify it")[2]
