"""Disputes in the console: listed by deadline, answered with documents, accepted.

And by whom not.
"""

import csv
import io
import re
from collections.abc import Iterator

import httpx
import pytest

from tests.system.browser import Browser
from tests.system.console import Console
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_console_once import no_entries
from tests.system.test_console_payments import OPERATOR, demo_shop, pay, place, session_of
from tests.system.test_disputes import PDF

__all__ = ["demo_shop", "place"]
pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.39") as browser:
        yield browser


def disputed(
    gateway: RunningGateway, shop: Shop, browser: Browser, **more: object
) -> tuple[int, int]:
    """Pay, and let the bank dispute it; return the payment's number and the dispute's."""
    _, number, _ = pay(gateway, shop, browser)
    (row,) = gateway.rows(
        "SELECT merchant_id, attempt_id FROM attempts WHERE payment_id = $1 AND state = 'paid'",
        number,
    )
    asked = {
        "reference": f"{row['merchant_id']}-{row['attempt_id']}",
        "amount_paise": 149_950,
        "reason": "13.1",
        **more,
    }
    assert gateway.bank.post("/control/dispute", json=asked).status_code == 200
    find = "SELECT dispute_id FROM dispute_stages WHERE payment_id = $1"
    return number, until(lambda: gateway.value(find, number), "the dispute to be known")


def becomes(console: Console, page: str, state: str) -> str:
    """Wait until a dispute's page says a state, and return the page."""

    def look() -> str:
        text = console.get(page).text
        return (
            text
            if re.search(rf'<p class="verdict \w+"><span class="tag \w*">{state}</span>', text)
            else ""
        )

    return until(look, f"the dispute to be {state}")


def upload(console: Console, page: str, name: str, content: bytes) -> httpx.Response:
    data, files = (
        {"form_token": console.token("you")},
        {"document": (name, content, "application/pdf")},
    )
    return console.http.post(f"/console/{page}/evidence", data=data, files=files)


def answer(
    console: Console, page: str, kind: str, seen_at: str = "", **fields: str
) -> httpx.Response:
    """Send a form of an answer, which tells the documents of its page.

    seen_at: what another page told, "" for the present one.
    """
    return console.post(f"{page}/{kind}", seen=seen_at or seen_on(console, page), **fields)


def seen_on(console: Console, page: str) -> str:
    """Return the mark of the documents on a page, "0" where it has no form any more."""
    found = re.search(r'name="seen" value="(\d+)"', console.get(page).text)
    return found[1] if found else "0"


def trail_of(gateway: RunningGateway, dispute_id: int) -> list[str]:
    rows = gateway.rows(
        "SELECT act FROM trail_entries WHERE about = $1 ORDER BY entry_no", str(dispute_id)
    )
    return [row["act"] for row in rows]


def test_a_dispute_is_told_contested_with_a_document_and_won(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    number, dispute_id = disputed(gateway, demo_shop, browser)
    one = f"{place}/disputes/{dispute_id}"
    page = operator.get(one).text
    for words in (
        "did not get what they paid for",
        "13.1",
        "Held now",
        "₹1,499.50",
        "Answer until",
        "days left",
    ):
        assert words in page, words
    assert f"disputes/{dispute_id}" in operator.get(f"{place}/payments/{number}").text, (
        "the story leads here"
    )
    unsure = answer(operator, one, "contest", note="delivered on Monday")
    assert unsure.status_code == 409
    assert "cannot be taken back" in unsure.text
    empty = answer(operator, one, "contest", note="", sure="yes")
    assert empty.status_code == 409
    assert "a note or a document" in empty.text
    for wrong in (b"MZ an executable", PDF[:-6], b""):
        assert upload(operator, one, "bill.pdf", wrong).status_code == 409, wrong
    large = upload(operator, one, "bill.pdf", PDF[:-6] + bytes(3 * 1024 * 1024) + PDF[-6:])
    assert (large.status_code, "Nothing was done" in large.text) == (413, True)
    with no_entries(gateway, "NEW.act = 'dispute.evidence'"):
        assert upload(operator, one, "bill.pdf", PDF).status_code == 500
    assert "0 of 10 are added" in operator.get(one).text
    for _again in range(2):
        kept = upload(operator, one, "../bill<b>.pdf", PDF)
        assert kept.headers["location"].endswith("said=evidence_kept")
    assert (
        gateway.value(
            "SELECT count(*) FROM dispute_evidence e JOIN dispute_stages s USING (merchant_id,"
            " stage_id)"
            " WHERE dispute_id = $1",
            dispute_id,
        )
        == 1
    )
    page = operator.get(one).text
    assert "1 of 10 are added" in page
    assert "<b>.pdf" not in page
    (document,) = re.findall(rf'disputes/{dispute_id}/evidence/(\d+)"', page)
    back = operator.get(f"{one}/evidence/{document}")
    assert (back.content, back.headers["x-content-type-options"]) == (PDF, "nosniff")
    assert back.headers["content-disposition"].startswith("attachment")
    assert operator.get(f"{one}/evidence/1").status_code == 404
    given = answer(operator, one, "contest", note="delivered on Monday", sure="yes")
    assert given.headers["location"] == f"/console/{one}?said=contested"
    assert "delivered on Monday" in operator.get(one).text
    page = becomes(operator, one, "Won")
    assert "what was held is yours again" in page
    assert "Given back to you" in page
    assert answer(operator, one, "accept", amount_paise="1").status_code == 409
    acts = ["dispute.evidence", "dispute.evidence", "dispute.read", "dispute.contest"]
    assert trail_of(gateway, dispute_id) == acts


def test_a_document_is_removed_until_the_dispute_is_answered(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    _, dispute_id = disputed(gateway, demo_shop, browser)
    one = f"{place}/disputes/{dispute_id}"
    upload(operator, one, "wrong.pdf", PDF)
    (wrong,) = re.findall(r"evidence/(\d+)/remove", operator.get(one).text)
    assert operator.post(f"{one}/evidence/1/remove").status_code == 404
    with no_entries(gateway, "NEW.act = 'dispute.remove_evidence'"):
        assert operator.post(f"{one}/evidence/{wrong}/remove").status_code == 500
    assert "1 of 10 are added" in operator.get(one).text
    removed = operator.post(f"{one}/evidence/{wrong}/remove")
    assert removed.headers["location"] == f"/console/{one}?said=evidence_removed"
    page = operator.get(one).text
    assert "0 of 10 are added" in page
    assert "wrong.pdf" not in page
    assert operator.get(f"{one}/evidence/{wrong}").status_code == 404
    assert operator.post(f"{one}/evidence/{wrong}/remove").status_code == 404
    (entry,) = gateway.rows(
        "SELECT person, detail FROM trail_entries WHERE about = $1 AND act = $2",
        *(str(dispute_id), "dispute.remove_evidence"),
    )
    assert entry["person"]
    assert '"name":"wrong.pdf"' in entry["detail"]
    upload(operator, one, "right.pdf", PDF)
    (right,) = re.findall(r"evidence/(\d+)/remove", operator.get(one).text)
    given = answer(operator, one, "contest", note="", sure="yes")
    assert given.headers["location"] == f"/console/{one}?said=contested"
    page = operator.get(one).text
    assert "right.pdf" in page
    assert "/remove" not in page, "after the answer it stays"
    assert operator.post(f"{one}/evidence/{right}/remove").status_code == 409


def test_an_answer_goes_with_the_documents_that_its_page_showed(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    """One document in another's place is another answer, which nobody has seen."""
    _, dispute_id = disputed(gateway, demo_shop, browser)
    one = f"{place}/disputes/{dispute_id}"
    upload(operator, one, "bill.pdf", PDF)
    shown = seen_on(operator, one)
    (bill,) = re.findall(r"evidence/(\d+)/remove", operator.get(one).text)
    operator.post(f"{one}/evidence/{bill}/remove")
    upload(operator, one, "other.pdf", PDF)
    for kind, fields in (
        ("contest", {"note": "see the bill", "sure": "yes"}),
        ("accept", {"amount_paise": "1499.50"}),
    ):
        refused = answer(operator, one, kind, shown, **fields)
        assert (refused.status_code, "look again" in refused.text) == (409, True), kind
        unseen = operator.post(f"{one}/{kind}", **fields)
        assert unseen.status_code == 409, "a form that tells no documents"
    assert "dispute.contest" not in trail_of(gateway, dispute_id)
    given = answer(operator, one, "contest", note="see the bill", sure="yes")
    assert given.headers["location"].endswith("said=contested")


def test_a_dispute_is_accepted_in_part_with_a_fresh_factor(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    _, dispute_id = disputed(gateway, demo_shop, browser, reason="XYZ-9")
    one = f"{place}/disputes/{dispute_id}"
    assert "has no words here" in operator.get(one).text
    for wrong in ("0", "1499.51", "all"):
        assert answer(operator, one, "accept", amount_paise=wrong, note="x").status_code == 409, (
            wrong
        )
    session = (
        "UPDATE staff_sessions SET factor_at = factor_at {} interval '16 minutes' WHERE stage ="
        " 'complete'"
    )
    gateway.rows(session.format("-"))
    stale = answer(operator, one, "accept", amount_paise="500.00", note="one of two came back")
    assert "Nothing was done yet" in stale.text
    gateway.rows(session.format("+"))
    assert trail_of(gateway, dispute_id) == []
    given = answer(operator, one, "accept", amount_paise="500.00", note="one of two came back")
    assert given.headers["location"] == f"/console/{one}?said=accepted"
    page = becomes(operator, one, "Partly accepted")
    for words in ("The bank took", "₹500.00", "Given back to you", "₹999.50"):
        assert words in page, words
    assert trail_of(gateway, dispute_id) == ["dispute.accept"]


def test_no_answer_is_given_whose_entry_cannot_be_written(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    _, dispute_id = disputed(gateway, demo_shop, browser)
    one = f"{place}/disputes/{dispute_id}"
    gateway.rows(
        "CREATE TRIGGER attic BEFORE INSERT ON trail_entries FOR EACH ROW WHEN (NEW.about ="
        f" '{dispute_id}')"
        " EXECUTE FUNCTION refuse_change()"
    )
    try:
        assert answer(operator, one, "accept", amount_paise="1499.50").status_code == 500
    finally:
        gateway.rows("DROP TRIGGER attic ON trail_entries")
    assert (
        gateway.value("SELECT state FROM dispute_stages WHERE dispute_id = $1", dispute_id)
        == "open"
    )
    assert answer(operator, one, "accept", amount_paise="1499.50").status_code == 303
    becomes(operator, one, "Accepted")


def test_what_waits_comes_first_soonest_due(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    late = disputed(gateway, demo_shop, browser, phase="retrieval")[1]
    soon = disputed(gateway, demo_shop, browser)[1]
    rows = [
        int(each)
        for each in re.findall(r'disputes/(\d{15})"><code>', operator.get(f"{place}/disputes").text)
    ]
    assert rows.index(soon) < rows.index(late), "three days come before seven"
    states = gateway.rows(
        "SELECT dispute_id, state FROM dispute_stages WHERE merchant_id = $1", int(place)
    )
    is_open = {row["dispute_id"]: row["state"] == "open" for row in states}
    assert [is_open[each] for each in rows] == sorted(
        (is_open[each] for each in rows), reverse=True
    )
    papers = operator.get(f"{place}/disputes", phase="retrieval").text
    assert f"disputes/{late}" in papers
    assert f"disputes/{soon}" not in papers
    told = csv.DictReader(io.StringIO(operator.get(f"{place}/disputes/export", state="open").text))
    found = {int(row["dispute_id"]): row for row in told}
    assert (found[soon]["phase"], found[soon]["amount"], found[soon]["reason"]) == (
        "chargeback",
        "1499.50",
        "13.1",
    )
    place_of = (
        "SELECT extract(epoch FROM respond_by)::bigint FROM dispute_stages WHERE dispute_id = $1"
    )
    after = f"{gateway.value(place_of, soon)}-{soon}"
    beyond = operator.get(f"{place}/disputes", after=after).text
    assert f"disputes/{late}" in beyond
    assert f"disputes/{soon}" not in beyond


def test_who_may_not_answer_and_whose_it_is_not(
    gateway: RunningGateway, demo_shop: Shop, browser: Browser, operator: Console, place: str
) -> None:
    _, dispute_id = disputed(gateway, demo_shop, browser)
    one, elsewhere = f"disputes/{dispute_id}", gateway.demo["merchants"][1]["merchant_id"]
    assert operator.get(f"{elsewhere}/{one}").status_code == 404
    for act in ("contest", "accept", "evidence"):
        assert operator.post(f"{elsewhere}/{one}/{act}", amount="1", note="x").status_code in {
            404,
            409,
        }, act
    with session_of(gateway, "reader@demo.example", "198.51.100.40") as reader:
        page = reader.get(f"{place}/{one}").text
        assert "Contest all" not in page
        for act in ("contest", "accept", "evidence"):
            assert reader.post(f"{place}/{one}/{act}", amount="1", note="x").status_code == 403, act
    with session_of(gateway, "developer@demo.example", "198.51.100.41") as developer:
        assert developer.get(f"{place}/disputes").status_code == 403
    assert (
        gateway.value("SELECT state FROM dispute_stages WHERE dispute_id = $1", dispute_id)
        == "open"
    )
    for odd in (
        {"state": "nonsense"},
        {"after": "x-y"},
        {"after": "9" * 30},
        {"after": "1-" + "9" * 30},
    ):
        assert operator.get(f"{place}/disputes", **odd).status_code == 200, odd
