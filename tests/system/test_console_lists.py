"""Lists of the console: pages both ways, order, sums, days, and the views that a person saved."""

import html
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from urllib.parse import parse_qsl

import pytest

from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.money import rupees
from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id

OPERATOR, SECOND = "operator@demo.example", "operator.finance@demo.example"
FORGET = "UPDATE people SET totp_step = 0 WHERE email = $1"
ORDERS = 104
"""Two pages and a few rows."""
FIRST_PAISE = 7_001
_ID = re.compile(r'<th scope="row"><a href="/console/\d+/payments/(\d{15})"')


def session_of(gateway: RunningGateway, email: str, address: str) -> Console:
    gateway.rows(FORGET, email)
    browser = Console.signed_in(gateway, email, address)
    gateway.rows(FORGET, email)
    return browser


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.171") as browser:
        yield browser


@pytest.fixture(scope="module")
def place(gateway: RunningGateway) -> str:
    return gateway.demo["merchants"][0]["merchant_id"]


@pytest.fixture(scope="module")
def amounts(gateway: RunningGateway, shop: Shop) -> dict[str, str]:
    """Open orders that only this module's amounts find, and return the filter that finds them."""
    found = Shop.at(gateway, Merchant.of(gateway.demo["merchants"][0]), shop.endpoint)
    with found.client, Browser() as browser:
        for number in range(ORDERS):
            found.open_page(browser, new_order_id("L"), FIRST_PAISE + number)
    return {"from": f"{FIRST_PAISE / 100:.2f}", "upto": f"{(FIRST_PAISE + ORDERS) / 100:.2f}"}


def link(page: str, words: str) -> dict[str, str]:
    """Return the parameters of a page's link by its words, {} for no such link."""
    found = re.search(rf'href="\?([^"]*)">{words}', page)
    return dict(parse_qsl(html.unescape(found[1]))) if found else {}


def read_on(operator: Console, place: str, query: dict[str, str], words: str) -> list[list[str]]:
    """Return the rows of each page, from one on, as long as there is a link."""
    pages: list[list[str]] = []
    while query:
        page = operator.get(f"{place}/payments", **query).text
        pages.append(_ID.findall(page))
        assert len(pages) < 10
        query = link(page, words)
    return pages


def test_pages_lead_back_the_way_they_came(
    operator: Console, place: str, amounts: dict[str, str]
) -> None:
    pages = read_on(operator, place, amounts, "Older")
    rows = [row for page in pages for row in page]
    assert [len(page) for page in pages] == [50, 50, 4]
    assert len(set(rows)) == ORDERS
    assert all(int(above) > int(below) for above, below in pairwise(rows))
    last = operator.get(f"{place}/payments", **amounts, before=pages[1][-1]).text
    assert _ID.findall(last) == pages[2]
    assert not link(last, "Older")
    middle = operator.get(f"{place}/payments", **link(last, "Newer")).text
    assert _ID.findall(middle) == pages[1]
    first = operator.get(f"{place}/payments", **link(middle, "Newer")).text
    assert _ID.findall(first) == pages[0]
    assert not link(first, "Newer")


def test_a_way_back_that_reaches_the_beginning_shows_a_whole_page(
    operator: Console, place: str, amounts: dict[str, str]
) -> None:
    rows = _ID.findall(operator.get(f"{place}/payments", **amounts).text)
    page = operator.get(f"{place}/payments", **amounts, after=rows[3]).text
    assert _ID.findall(page) == rows


def test_the_head_turns_the_order_around_and_the_file_keeps_the_filters(
    operator: Console, place: str, amounts: dict[str, str]
) -> None:
    first = operator.get(f"{place}/payments", **amounts).text
    assert 'aria-sort="descending"' in first
    turned = link(first, "Started")
    newest = [row for page in read_on(operator, place, amounts, "Older") for row in page]
    oldest = read_on(operator, place, turned, "Newer")
    assert [row for page in oldest for row in page] == newest[::-1]
    assert 'aria-sort="ascending"' in operator.get(f"{place}/payments", **turned).text
    lines = operator.get(f"{place}/payments/export", **amounts).text.splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == newest


def test_the_head_of_the_amounts_orders_by_them_and_equal_ones_by_their_numbers(
    gateway: RunningGateway, operator: Console, place: str, amounts: dict[str, str]
) -> None:
    first = operator.get(f"{place}/payments", **amounts).text
    largest = link(first, "Amount")
    assert largest == {**amounts, "by": "amount"}
    by_amount = [row for page in read_on(operator, place, largest, "Smaller") for row in page]
    find = "SELECT payment_id FROM payments WHERE merchant_id = $1 AND amount_paise BETWEEN $2 AND"
    rows = gateway.rows(
        f"{find} $3 ORDER BY amount_paise DESC, payment_id DESC",
        *(int(place), FIRST_PAISE, FIRST_PAISE + ORDERS),
    )
    assert by_amount == [str(row["payment_id"]) for row in rows]
    page = operator.get(f"{place}/payments", **largest).text
    assert page.count('aria-sort="descending"') == 1
    smallest = link(page, "Amount")
    upwards = [row for page in read_on(operator, place, smallest, "Larger") for row in page]
    assert upwards == by_amount[::-1]
    last = operator.get(f"{place}/payments", **largest, before=f"{FIRST_PAISE + 3}-1").text
    assert _ID.findall(last) == by_amount[-3:]
    assert _ID.findall(operator.get(f"{place}/payments", **link(last, "Larger")).text)
    assert link(page, "Started") == amounts, "the other head leads back to the order by time"


def test_lists_that_are_declared_whole_have_filters_days_sums_and_a_file(
    operator: Console, place: str
) -> None:
    heads = {
        f"{place}/payouts": "payout_id,settlement_id,state,bank_code,bank_message,beneficiary,",
        f"{place}/links": "link_id,reference,description,state,made_ist,made_by,until_ist,",
        f"{place}/approvals": "approval_id,kind,title,state,asked_by,reason,decided_by,",
        f"{place}/trail": "entry_no,at_ist,person,network,act,about,detail",
        "all/trail": "entry_no,at_ist,person,network,act,about,detail",
        "all/approvals": "approval_id,kind,title,state,asked_by,reason,decided_by,",
    }
    for path, head in heads.items():
        page = operator.get(path).text
        assert re.search(r'class="chip" href="[^"]*">Last month</a>', page), path
        assert 'name="since"' in page, path
        file = operator.get(f"{path}/export")
        assert (file.status_code, file.text.splitlines()[0][: len(head)]) == (200, head), path
        has_titles = path.endswith(("trail", "approvals"))  # words of people, with their amounts
        assert file.text.isascii() or has_titles, path
        nobody = operator.get(path, since="2020-01-02", until="2020-01-02")
        assert "fits these filters" in nobody.text, path
        for odd in ({"after": "9" * 18}, {"before": "1-2"}, {"order": "turned", "after": "1"}):
            assert operator.get(path, **odd).status_code == 200, (path, odd)
    acts = operator.get("all/trail", act="session", order="turned").text
    assert 'aria-sort="ascending"' in acts
    one = {"act": "session.begin", "about": "", "state": ""}
    trail = operator.get("all/trail/export", **one).text.splitlines()[1:]
    assert operator.get("all/trail/export", about="x").status_code == 200
    assert operator.get(f"{place}/links/export", state="open", text="x").status_code == 200
    assert trail
    assert [line for line in trail if ",session.begin," not in line] == []


def test_links_are_filtered_by_what_they_have_come_to(operator: Console, place: str) -> None:
    typed = {"amount": "8123.45", "description": "Blue lamps for June", "act_id": "812345"}
    assert operator.post(f"{place}/links", **typed).status_code == 303
    for query, shown in (
        ({"state": "open", "text": "blue LAMPS"}, True),
        ({"state": "paid", "text": "blue lamps"}, False),
        ({"from": "8123.45", "upto": "8123.45", "by": "amount"}, True),
        ({"from": "8123.46", "upto": "8124"}, False),
    ):
        page = operator.get(f"{place}/links", **query).text
        assert ("Blue lamps for June</a>" in page) is shown, query
    one = operator.get(f"{place}/links", text="Blue lamps for June").text
    assert "1 link · ₹8,123.45 in all" in one


def test_the_sums_are_over_all_rows_that_fit_and_not_over_a_page(
    operator: Console, place: str, amounts: dict[str, str]
) -> None:
    total = rupees(sum(FIRST_PAISE + number for number in range(ORDERS)))
    line = f'<p class="sums">{ORDERS} payments · {total} in all</p>'
    first = operator.get(f"{place}/payments", **amounts).text
    assert line in first
    assert line in operator.get(f"{place}/payments", **link(first, "Older")).text
    one = {"from": amounts["from"], "upto": amounts["from"]}
    shown = operator.get(f"{place}/payments", **one).text
    assert f"1 payment · {rupees(FIRST_PAISE)} in all" in shown


def test_every_list_has_its_days_and_answers_odd_addresses(operator: Console, place: str) -> None:
    today = business_day(utc_now())
    last = today.replace(day=1) - timedelta(days=1)
    names = "payments refunds disputes deliveries subscriptions payouts links approvals trail"
    for name in names.split():
        page = operator.get(f"{place}/{name}", state="").text
        days = {words: link(page, words) for words in ("Today", "Yesterday", "Last month")}
        assert days["Today"] == {"since": f"{today}", "until": f"{today}"}, name
        assert days["Last month"] == {"since": f"{last.replace(day=1)}", "until": f"{last}"}, name
        chosen = operator.get(f"{place}/{name}", **days["Today"]).text
        assert re.search(r'aria-current="true">Today', chosen), name
        for odd in ({"after": "x"}, {"after": "9" * 40}, {"before": "1-2-3"}, {"order": "up"}):
            assert operator.get(f"{place}/{name}", **odd).status_code == 200, (name, odd)
        for turned in ({"order": "turned"}, {"order": "turned", "after": "1"}):
            assert operator.get(f"{place}/{name}", **turned).status_code == 200, (name, turned)


def test_a_view_is_saved_for_one_person_and_removed(
    gateway: RunningGateway, operator: Console, place: str, amounts: dict[str, str]
) -> None:
    at = f"{place}/payments"
    page = operator.get(at, **amounts).text
    query = html.unescape(re.findall(r'name="query" value="([^"]*)"', page)[0])
    view = {"list": "payments", "query": query, "name": "Small ones"}
    saved = operator.post(f"{place}/saved-filters", **view)
    assert saved.headers["location"] == f"/console/{at}?{query}&said=filter_saved"
    assert f'href="?{html.escape(query)}">Small ones</a>' in operator.get(at).text
    assert "Small ones" not in operator.get(f"{place}/refunds").text
    with session_of(gateway, SECOND, "198.51.100.172") as second:
        assert "Small ones" not in second.get(at).text
        second.post(f"{place}/saved-filters/remove", list="payments", name="Small ones")
    assert "Remove “Small ones”" in operator.get(at, **amounts).text
    operator.post(f"{place}/saved-filters/remove", list="payments", name="Small ones")
    assert "Small ones" not in operator.get(at).text
    acts = "SELECT act FROM trail_entries WHERE merchant_id = $1 AND act LIKE 'filter.%'"
    assert sorted(row["act"] for row in gateway.rows(acts, int(place))) == [
        "filter.remove",
        "filter.save",
    ]


def test_a_view_with_odd_words_is_refused(operator: Console, place: str) -> None:
    good = {"list": "payments", "query": "state=paid", "name": "Paid"}
    for wrong in ({"name": " "}, {"name": "x" * 41}, {"query": "a b"}, {"query": "//x.example"}):
        assert operator.post(f"{place}/saved-filters", **{**good, **wrong}).status_code == 409
    for odd in ("//x.example", "../all", "", "payments?x"):
        answer = operator.post(f"{place}/saved-filters", **{**good, "list": odd})
        assert answer.status_code == 409, odd
    for number in range(20):
        operator.post(f"{place}/saved-filters", **{**good, "name": f"View {number}"})
    full = operator.post(f"{place}/saved-filters", **{**good, "name": "One more"})
    assert full.status_code == 409
    assert "remove one first" in full.text
    for number in range(20):
        operator.post(f"{place}/saved-filters/remove", list="payments", name=f"View {number}")
