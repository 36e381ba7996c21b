"""Payment links that are shared: words, QR, items, reminders, files of them, and the brand."""

import csv
import io
import re
from collections.abc import Iterator
from html import unescape
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest
from PIL import Image

from hundi.sdk import NewLinkItem, NewPaymentLink, errors
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shared_links import address_of, let_fall_due, make, number_of, text_of
from tests.system.shop import Shop

pytestmark = pytest.mark.usefixtures("books_hold")
OWNER, READER = "asha@demo.example", "reader@demo.example"
PHONE, EMAIL = "9876543210", "kavya@customers.example"


@pytest.fixture(scope="module")
def owner(gateway: RunningGateway) -> Iterator[Console]:
    with Console.signed_in(gateway, OWNER, "198.51.100.71") as console:
        yield console


@pytest.fixture(scope="module")
def place(gateway: RunningGateway) -> str:
    return str(gateway.demo["merchants"][0]["merchant_id"])


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "sharing")


def test_a_new_link_can_be_sent_each_way(owner: Console, place: str) -> None:
    path = make(owner, place, amount="1500", phone=PHONE, email=EMAIL)
    page = owner.get(path)
    address = address_of(page)
    for begins in ("https://wa.me/?text=", "sms:?&amp;body=", "mailto:?subject="):
        assert f'href="{begins}' in page.text
    assert text_of(page).count(address) >= 4, "the link, and the words of three ways"
    svg, png = owner.get(f"{path}/qr.svg"), owner.get(f"{path}/qr.png")
    assert (svg.headers["content-type"], svg.text[:4]) == ("image/svg+xml", "<svg")
    assert (png.headers["content-type"], png.content[:4]) == ("image/png", b"\x89PNG")
    assert address in owner.get(f"{path}/print").text


def test_the_customers_contact_is_masked_until_a_reason_is_given(
    owner: Console, place: str, gateway: RunningGateway
) -> None:
    path = make(owner, place, amount="1500", phone=PHONE, email=EMAIL)
    masked = owner.get(path).text
    assert PHONE not in masked
    assert EMAIL not in masked
    assert owner.post(f"{path}/reveal", reason="x").status_code != 200
    shown = owner.post(f"{path}/reveal", reason="To send the link")
    assert f"https://wa.me/91{PHONE}?text=" in shown.text
    assert f"mailto:{EMAIL}?" in shown.text
    told = gateway.rows(
        "SELECT detail FROM trail_entries WHERE act = 'link.reveal' AND about = $1",
        str(number_of(path)),
    )
    assert len(told) == 1


def test_who_makes_no_links_shares_none(
    owner: Console, place: str, gateway: RunningGateway
) -> None:
    path = make(owner, place, amount="1500", phone=PHONE, remind_after="1")
    with Console.signed_in(gateway, READER, "198.51.100.72") as reader:
        page = reader.get(path)
        assert page.status_code == 200
        assert "wa.me" not in page.text
        assert PHONE not in page.text
        for act in ("reveal", "cancel", "reminders/1/sent"):
            assert reader.post(f"{path}/{act}", reason="because").status_code in {403, 404}
        for form in (f"{place}/links/file", f"{place}/brand"):
            assert reader.get(form).status_code in {403, 404}


def test_items_make_the_amount_and_the_customer_reads_them(
    owner: Console, place: str, browser: Browser
) -> None:
    path = make(
        owner,
        place,
        amount="",
        item_1="Silk saree",
        item_1_quantity="2",
        item_1_amount="2,400.00",
        item_2="Blouse",
        item_2_amount="600.50",
    )
    page = owner.get(path)
    assert "₹3,000.50" in text_of(page)
    seen = browser.get(address_of(page))
    assert seen.heading.startswith("Pay ₹3,000.50")
    for words in ("Silk saree", "× 2", "₹2,400.00", "Blouse", "₹600.50", "Total"):
        assert words in seen.text


def test_items_that_do_not_come_to_the_amount_are_refused(
    owner: Console, place: str, gateway: RunningGateway
) -> None:
    counted = "SELECT count(*) AS n FROM payment_links"
    before = gateway.rows(counted)
    form = {
        "description": "Sarees",
        "amount": "3000",
        "item_1": "Saree",
        "item_1_amount": "2999.99",
    }
    form["act_id"] = owner.field(f"{place}/links", "act_id")
    refused = owner.post(f"{place}/links", **form)
    assert refused.status_code == 409
    assert "Items: use items that add up to the amount, ₹3,000.00." in text_of(refused)
    assert 'value="Saree"' in refused.text, "what was typed stays"
    assert gateway.rows(counted) == before


def test_the_database_refuses_items_of_another_sum(shop: Shop) -> None:
    made = shop.gateway.operate(
        "link", "make", shop.merchant.merchant_id, "5", "Tea", "--item", "Tea; 1; 5"
    )
    bent = """
        INSERT INTO payment_links (merchant_id, link_id, code, reference, content_hash,
            amount_paise, minimum_paise, description, surplus, buyer, made_by, created_at,
            expires_at, items)
        SELECT merchant_id, link_id + 1, 'a' || substr(code, 2), 'bent', content_hash,
            amount_paise + 1, minimum_paise, description, surplus, buyer, made_by, created_at,
            expires_at, items FROM payment_links WHERE link_id = $1"""
    with pytest.raises(Exception, match="payment_links_items"):
        shop.gateway.rows(bent, int(made["link_id"]))


def test_a_shops_server_names_items(shop: Shop, browser: Browser) -> None:
    new = NewPaymentLink(
        reference="ITEMS-1",
        amount_paise=300_050,
        description="Sarees",
        items=(
            NewLinkItem(description="Silk saree", quantity=2, amount_paise=240_000),
            NewLinkItem(description="Blouse", amount_paise=60_050),
        ),
    )
    made = shop.client.create_link(new)
    assert [(item.description, item.quantity, item.amount_paise) for item in made.items] == [
        ("Silk saree", 2, 240_000),
        ("Blouse", 1, 60_050),
    ]
    assert shop.client.create_link(new) == made
    assert "Silk saree" in browser.get(made.url).text
    with pytest.raises(errors.HundiError) as refused:
        shop.client.create_link(
            NewPaymentLink(
                reference="ITEMS-2",
                amount_paise=300_051,
                description="Sarees",
                items=new.items,
            )
        )
    assert "items" in str(refused.value)


def test_a_reminder_falls_due_and_people_send_it(
    owner: Console, place: str, gateway: RunningGateway
) -> None:
    path = make(owner, place, amount="1500", description="A reminded saree", remind_after="1 2")
    assert "Planned" in owner.get(path).text
    assert "A reminded saree" not in owner.get(f"{place}/").text
    let_fall_due(gateway, path)
    until(lambda: "A reminded saree" in owner.get(f"{place}/").text, "the reminder on Home")
    page = owner.get(path)
    assert "Hundi has sent nothing" in page.text
    assert "Reminder: Asha Handlooms asks you to pay" in text_of(page)
    for _ in range(2):
        noted = owner.post(f"{path}/reminders/1/sent")
        assert noted.status_code == 303, noted.text
    assert "A reminded saree" not in owner.get(f"{place}/").text
    assert "Reminder: " not in text_of(owner.get(path))
    states = "SELECT state, sent_by FROM payment_link_reminders WHERE link_id = $1 ORDER BY 1"
    assert [row["state"] for row in gateway.rows(states, number_of(path))] == ["planned", "sent"]
    entries = "SELECT act FROM trail_entries WHERE act = 'link.reminded' AND about = $1"
    assert len(gateway.rows(entries, str(number_of(path)))) == 1
    assert owner.post(f"{path}/reminders/2/sent").status_code != 303, "its day has not come"


def test_a_cancelled_link_reminds_nobody(
    owner: Console, place: str, gateway: RunningGateway
) -> None:
    path = make(owner, place, amount="1500", description="A cancelled saree", remind_after="1")
    assert owner.post(f"{path}/cancel").status_code == 303
    let_fall_due(gateway, path)
    state = "SELECT state FROM payment_link_reminders WHERE link_id = $1"
    until(
        lambda: gateway.rows(state, number_of(path)) == [{"state": "dropped"}],
        "the reminder to be dropped",
    )
    assert "A cancelled saree" not in owner.get(f"{place}/").text


FILE = """reference,description,amount,phone,items
{name}-1,"School fees, term 2",12500.00,9876543210,
{name}-2,=HYPERLINK("x"),,,Fees; 1; 12500|Bus; 3; 4500.50
"""


def sent(owner: Console, place: str, content: str) -> httpx.Response:
    data = {"form_token": owner.token("you")}
    files = {"file": ("links.csv", content.encode(), "text/csv")}
    return owner.http.post(f"/console/{place}/links/file", data=data, files=files)


def confirmed(owner: Console, place: str, preview: httpx.Response) -> httpx.Response:
    return owner.post(f"{place}/links/file/make", **hidden(preview))


def hidden(preview: httpx.Response) -> dict[str, str]:
    content = re.search(
        r'<textarea name="lines" hidden>\n(.*?)</textarea>', preview.text, re.DOTALL
    )
    number = re.search(r'name="act_id" value="(\d+)"', preview.text)
    assert content
    assert number
    return {"lines": unescape(content[1]), "act_id": number[1]}


def result_of(owner: Console, made: httpx.Response) -> list[dict[str, Any]]:
    path = made.headers["location"].removeprefix("/console/").partition("?")[0]
    file = owner.get(f"{path}/export")
    assert "attachment" in file.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"))))


def test_a_file_makes_its_links_once(
    owner: Console, place: str, gateway: RunningGateway, browser: Browser
) -> None:
    counted = "SELECT count(*)::int AS n FROM payment_links WHERE reference LIKE 'ONCE-%'"
    entries = "SELECT detail FROM trail_entries WHERE act = 'link.import' ORDER BY entry_no"
    before = len(gateway.rows(entries))
    preview = sent(owner, place, FILE.format(name="ONCE"))
    assert preview.status_code == 200, preview.text
    assert "2 links of ₹29,500.50 together" in text_of(preview)
    assert gateway.rows(counted) == [{"n": 0}], "a preview makes nothing"
    made = confirmed(owner, place, preview)
    assert made.status_code == 303, made.text
    again = confirmed(owner, place, preview)
    assert again.headers["location"] == made.headers["location"]
    assert gateway.rows(counted) == [{"n": 2}]
    rows = result_of(owner, made)
    assert [row["reference"] for row in rows] == ["ONCE-1", "ONCE-2"]
    assert rows[1]["description"].startswith("'="), "no spreadsheet runs it"
    assert "9876543210" not in str(rows)
    assert browser.get(rows[0]["address"]).heading.startswith("Pay ₹12,500.00")
    # The file, sent again with a line more, makes that one only.
    longer = sent(owner, place, FILE.format(name="ONCE") + "ONCE-3,Books,300,,\n")
    assert text_of(longer).count("There already") == 2
    rows_again = result_of(owner, confirmed(owner, place, longer))
    assert [row["address"] for row in rows_again[:2]] == [row["address"] for row in rows]
    assert gateway.rows(counted) == [{"n": 3}]
    assert len(gateway.rows(entries)) == before + 2


def test_a_file_with_one_fault_makes_nothing(
    owner: Console, place: str, gateway: RunningGateway
) -> None:
    content = FILE.format(name="NONE") + "NONE-4,Books,free,,\nNONE-5,Books,5,card,\n"
    answer = sent(owner, place, content)
    assert answer.status_code == 409
    told = text_of(answer)
    for words in ("Nothing was made: 2 things are wrong", "Line 4", "amount", "Line 5", "phone"):
        assert words in told
    assert "card" not in re.sub(r"\s+", " ", told).partition("Line 5")[2][:30]
    assert "<textarea" not in answer.text
    # Nor does the form, whatever it carries.
    form = {"lines": content, "act_id": "217000000000091"}
    assert owner.post(f"{place}/links/file/make", **form).status_code == 409
    counted = "SELECT count(*)::int AS n FROM payment_links WHERE reference LIKE 'NONE-%'"
    assert gateway.rows(counted) == [{"n": 0}]


def test_another_content_under_a_reference_is_a_fault_of_its_line(
    owner: Console, place: str
) -> None:
    confirmed(owner, place, sent(owner, place, FILE.format(name="DIFF")))
    other = sent(owner, place, FILE.format(name="DIFF").replace("12500.00,9", "12501.00,9"))
    assert other.status_code == 409
    assert "another reference: a link of other content has this one" in text_of(other)


def test_a_command_makes_the_links_of_a_file(shop: Shop, tmp_path: Any) -> None:
    file = tmp_path / "links.csv"
    file.write_text(FILE.format(name="CMD"))
    for new in (2, 0):
        made = shop.gateway.operate("link", "import", shop.merchant.merchant_id, str(file))
        assert (made["new"], len(made["links"])) == (new, 2)


def logo(colour: str, form: str = "PNG") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (600, 200), colour).save(written, form)
    return written.getvalue()


def branded(owner: Console, place: str, file: bytes | None = None, **fields: str) -> httpx.Response:
    data = {"form_token": owner.token("you"), "name": "Asha Handlooms", **fields}
    files = {"logo": ("logo.png", file, "image/png")} if file is not None else None
    return owner.http.post(f"/console/{place}/brand", data=data, files=files)


def test_the_logo_stands_on_the_link_and_the_payment_page(
    owner: Console, place: str, browser: Browser, gateway: RunningGateway
) -> None:
    address = address_of(owner.get(make(owner, place, amount="1500")))
    saved = branded(owner, place, logo("teal", "JPEG"), accent="#8a1538")
    assert saved.status_code == 303, saved.text
    link_page = until(
        lambda: "/pay/v4/logo/" in (page := browser.get(address)).html and page,
        "the logo on the link's page",
    )
    source = re.search(
        r'<img class="logo" src="([^"]+)" width="(\d+)" height="(\d+)"', link_page.html
    )
    assert source
    assert (source[2], source[3]) == ("108", "36"), "the page keeps its place before it is there"
    at = urljoin(address, source[1])
    picture = browser.http.get(at)
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert "immutable" in picture.headers["cache-control"]
    assert picture.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in picture.headers["content-security-policy"]
    assert source[1] in browser.submit(link_page.forms[0]).html
    assert "accent-8a1538.css" in link_page.html
    entry = "SELECT detail FROM trail_entries WHERE act = 'settings.change' ORDER BY entry_no DESC"
    assert "accent logo" in str(gateway.rows(entry)[0]["detail"])
    # Another picture has another address, and the old one ends.
    assert branded(owner, place, logo("navy")).status_code == 303
    until(lambda: browser.http.get(at).status_code == 404, "the old logo to end")
    assert branded(owner, place, remove_logo="1").status_code == 303
    until(lambda: "/pay/v4/logo/" not in browser.get(address).html, "the initial to be back")


@pytest.mark.parametrize(
    ("file", "fields", "words"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", {}, "Logo: use a PNG"),
        (None, {"accent": "red"}, "Colour: use a colour such as #2b2a6b"),
    ],
)
def test_a_brand_that_cannot_be_shown_is_refused(
    owner: Console, place: str, file: bytes | None, fields: dict[str, str], words: str
) -> None:
    refused = branded(owner, place, file, **fields)
    assert refused.status_code == 409
    assert words in text_of(refused)


def test_a_logos_address_shows_nothing_else(browser: Browser, gateway: RunningGateway) -> None:
    place = gateway.demo["merchants"][1]["merchant_id"]
    for name in (f"{place}.0123456789abcdef.png", "1.0123456789abcdef.png", "x", "..%2fhundi.js"):
        assert browser.http.get(f"{gateway.base_url}/pay/v4/logo/{name}").status_code == 404
