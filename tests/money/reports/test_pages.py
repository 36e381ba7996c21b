"""What a customer's receipt says: read out of the document as it was drawn."""

import re
import zlib
from base64 import a85decode

from hundi.money.reports.pages import receipt_pdf


def words(pdf: bytes) -> str:
    """Return the text of a document in the order in which it is drawn."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    drawn = b"".join(
        zlib.decompress(a85decode(b"<~" + each.strip(), adobe=True)) for each in streams
    )
    return b" | ".join(re.findall(rb"\((.*?)\) Tj", drawn)).decode("latin-1")


def test_a_receipt_has_its_rows_and_its_sentences():
    pdf = receipt_pdf(
        "Receipt", [("Paid to", "Asha <Handlooms> & Co"), ("Amount", "₹1,499.50")], ["It is paid."]
    )
    assert (
        words(pdf)
        == "Receipt | Paid to | Asha <Handlooms> & Co | Amount | INR 1,499.50 | It is paid."
    )
    assert pdf == receipt_pdf(
        "Receipt", [("Paid to", "Asha <Handlooms> & Co"), ("Amount", "₹1,499.50")], ["It is paid."]
    )


def test_a_receipt_says_that_letters_are_replaced():
    told = words(receipt_pdf("Receipt", [("Paid to", "आशा Handlooms")], []))
    assert "??? Handlooms" in told
    assert "A question mark may stand for a letter" in told
