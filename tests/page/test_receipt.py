"""What a receipt says, and how it is drawn: read out of the document."""

import struct
import zlib
from io import BytesIO

import pytest
import uharfbuzz
from pypdf import PdfReader

from hundi.infra.pdf.fonts import BLOCKS, FOLDER, LATIN, has_letters, runs
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import RefundCause, RefundState
from hundi.money.reports.invoices.rules import Party
from hundi.page.receipt import Receipt, ReceiptFacts, receipt_of
from hundi.page.receipt_drawing import receipt_pdf
from hundi.page.texts import LANGUAGES, speaker
from hundi.payments.links.items.rules import LinkItem
from hundi.payments.refunds.rules import Refund
from tests.page import views
from tools.write_texts import read

SAY = speaker("en")
PARTY = Party("Asha Private Limited", "12 MG Road, Bengaluru 560001", "29", "29ABCDE1234F1Z5")
RECEIPT = Receipt(
    title="Receipt",
    when="20 Nov 2026, 14:05 IST",
    payee=("Asha <Handlooms> & Co", "12 MG Road"),
    facts=(("Order", "ORD-1"),),
    sums=(("Amount paid", "₹1,499.50"),),
    notes=("It is paid.",),
)
SCRIPTS = {
    "bn": "NotoSansBengali",
    "gu": "NotoSansGujarati",
    "hi": "NotoSansDevanagari",
    "kn": "NotoSansKannada",
    "ml": "NotoSansMalayalam",
    "mr": "NotoSansDevanagari",
    "pa": "NotoSansGurmukhi",
    "ta": "NotoSansTamil",
    "te": "NotoSansTelugu",
}


def words(pdf: bytes) -> str:
    """Return the Latin text of a document, with a space for each break."""
    return " ".join(" ".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages).split())


def fonts(pdf: bytes) -> set[str]:
    """Return the names of the fonts in a document whose letters it has in itself."""
    named = PdfReader(BytesIO(pdf)).pages[0]["/Resources"]["/Font"].values()
    descriptors = [each.get_object().get("/FontDescriptor") for each in named]
    return {
        str(each.get_object()["/FontName"]).partition("+")[2]
        for each in descriptors
        if each is not None and "/FontFile2" in each.get_object()
    }


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x2b\x2a\x6b" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def refund(paise: int, state=RefundState.DONE, **changes) -> Refund:
    made = Refund(
        7, 215_000_000_000_009, 215_000_000_000_001, 215_000_000_000_002, RefundCause.MERCHANT,
        Money(paise), "sandbox", state, views.NOW, paise, rrn="632500001111", settled_at=views.NOW,
    )  # fmt: skip
    return replace(made, **changes)


def test_a_receipt_has_its_rows_and_its_sentences():
    pdf = receipt_pdf(RECEIPT, SAY)
    assert words(pdf) == (
        "Asha <Handlooms> & Co 12 MG Road Receipt 20 Nov 2026, 14:05 IST Order ORD-1"
        " Amount paid ₹1,499.50 It is paid."
    )
    assert fonts(pdf) == {"NotoSans-Regular"}


def test_the_same_receipt_has_the_same_bytes_after_other_documents():
    first = receipt_pdf(RECEIPT, SAY)
    for language in LANGUAGES:
        other = receipt_of(ReceiptFacts(views.paid_by_card(), views.merchant()), speaker(language))
        receipt_pdf(other, speaker(language))
    assert receipt_pdf(RECEIPT, SAY) == first


def test_items_and_a_logo_have_their_place():
    plain = words(receipt_pdf(RECEIPT, SAY))
    full = replace(RECEIPT, items=(("Saree, blue", "₹999.50"),), logo=png(400, 100))
    pdf = receipt_pdf(full, SAY)
    assert "Saree, blue ₹999.50" in words(pdf)
    assert "Saree" not in plain
    (image,) = PdfReader(BytesIO(pdf)).pages[0].images
    assert image.image is not None
    assert image.image.size == (400, 100)


def test_an_accountant_reads_payee_purpose_sums_and_refunds():
    facts = ReceiptFacts(
        views.paid_by_card(),
        views.merchant(support="help@asha.example.in"),
        PARTY,
        "Two sarees",
        (refund(50_000), refund(10_000, RefundState.FAILED), refund(20_000, settled_at=None)),
    )
    receipt = receipt_of(facts, SAY)
    assert receipt.payee == (
        "Asha Handlooms", "Asha Private Limited", "12 MG Road, Bengaluru 560001", "Karnataka",
        "GSTIN 29ABCDE1234F1Z5", "Questions about this order: help@asha.example.in",
    )  # fmt: skip
    assert receipt.facts[:2] == (("For", "Two sarees"), ("Paid by", "Credit or debit card"))
    assert receipt.sums == (
        ("Amount paid", "₹1,499.50"),
        ("Given back on 20 Nov 2026, 14:05 IST, reference 632500001111", "−₹500.00"),
        ("Being given back", "−₹200.00"),
        ("Paid after refunds", "₹799.50"),
    )


def test_a_links_items_are_lines_where_all_of_them_were_paid():
    items = (LinkItem("Silk saree", 2, 120_000), LinkItem("Blouse", 1, 29_950))
    whole = ReceiptFacts(views.paid_by_card(), views.merchant(), items=items)
    assert receipt_of(whole, SAY).items == (
        ("Silk saree × 2", "₹1,200.00"),
        ("Blouse", "₹299.50"),
    )
    part = ReceiptFacts(views.paid_by_card(), views.merchant(), items=items[:1])
    assert receipt_of(part, SAY).items == ()


def test_a_fee_for_the_way_to_pay_is_a_line_of_its_own():
    view = views.paid_by_card()
    paid = replace(view.attempts[-1], amount=Money(151_950), surcharge_paise=2_000)
    receipt = receipt_of(ReceiptFacts(replace(view, attempts=(paid,)), views.merchant()), SAY)
    assert receipt.sums == (
        ("Amount of the order", "₹1,499.50"),
        ("Fee for this way to pay", "₹20.00"),
        ("Amount paid", "₹1,519.50"),
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_every_language_can_be_drawn(language: str):
    for message in read(language):
        assert has_letters(str(message.string)), f"{message.id}: {message.string}"


@pytest.mark.parametrize("language", sorted(SCRIPTS))
def test_a_receipt_in_a_language_has_the_letters_of_its_script(language: str):
    say = speaker(language)
    pdf = receipt_pdf(receipt_of(ReceiptFacts(views.paid_by_card(), views.merchant()), say), say)
    assert fonts(pdf) == {"NotoSans-Regular", f"{SCRIPTS[language]}-Regular"}
    assert len(pdf) < 60_000


CONJUNCTS = {
    # (word, letters, drawn glyphs): conjuncts are one glyph, vowel signs go before their letter.
    "NotoSansDevanagari": ("क्ष", 3, 1),
    "NotoSansBengali": ("ক্ষ", 3, 1),
    "NotoSansTamil": ("கொ", 2, 3),
    "NotoSansTelugu": ("క్ష", 3, 1),
    "NotoSansMalayalam": ("ന്ത", 3, 1),
}


@pytest.mark.parametrize("name", sorted(CONJUNCTS))
def test_the_fonts_keep_the_rules_that_join_letters(name: str):
    word, letters, drawn = CONJUNCTS[name]
    font = uharfbuzz.Font(uharfbuzz.Face((FOLDER / f"{name}.ttf").read_bytes()))
    buffer = uharfbuzz.Buffer()
    buffer.add_str(word)
    buffer.guess_segment_properties()
    uharfbuzz.shape(font, buffer)
    assert (len(word), len(buffer.glyph_infos)) == (letters, drawn)


def test_a_word_of_two_scripts_has_one_font_and_an_unknown_letter_a_question_mark():
    assert list(runs("UPIसे ₹5, है, शब्द।")) == [
        (BLOCKS[0x0900], "UPIसे"), (LATIN, " "), (LATIN, "₹5,"), (LATIN, " "),
        (BLOCKS[0x0900], "है,"), (LATIN, " "), (BLOCKS[0x0900], "शब्द।"),
    ]  # fmt: skip
    assert list(runs("東京")) == [(LATIN, "??")]
    told = words(receipt_pdf(replace(RECEIPT, facts=(("For", "東京"),)), SAY))
    assert "For ??" in told
    assert "A question mark stands for a letter" in told


def test_the_licence_of_the_fonts_lies_beside_them():
    licence = (FOLDER / "OFL.txt").read_text()
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert {each.stem for each in FOLDER.glob("*.ttf")} == {LATIN, *BLOCKS.values()}
