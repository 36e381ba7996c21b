"""Draws reports as PDF: the same report gives the same bytes."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, LongTable, Paragraph, SimpleDocTemplate, Spacer

from hundi.kernel.money import group_indian
from hundi.kernel.registrations import STATES
from hundi.money.reports.invoices.rules import SAC, Invoice, Party
from hundi.money.reports.rules import moment
from hundi.money.reports.settlements.rules import SettlementReport

_STYLES = getSampleStyleSheet()
_MARGIN = 18 * mm
_LATIN = "latin-1"
"""The letters that the standard fonts of PDF have; others are shown as a question mark."""

_REPLACED = (
    "A question mark may stand for a letter that this document's fonts lack; the page of the"
    " payment has it."
)


def invoice_pdf(invoice: Invoice) -> bytes:
    """Return an invoice for fees as PDF."""
    charges, taxes = invoice.charges, invoice.taxes
    lines = [
        ("Payment services", SAC, charges.taxable_paise),
        (
            "Payment services, exempt: cards up to Rs 2,000 (Notification 12/2017, serial 34)",
            SAC,
            charges.exempt_paise,
        ),
        ("Lenders' interest of no-cost instalments, not taxed", "", charges.other_paise),
        ("CGST 9 %", "", taxes.cgst_paise),
        ("SGST 9 %", "", taxes.sgst_paise),
        ("IGST 18 %", "", taxes.igst_paise),
    ]
    rows = [(text, code, _rupees(paise)) for text, code, paise in lines if paise]
    rows.append(("Total", "", _rupees(charges.total_paise)))
    parties = (_named(invoice.supplier), _named(invoice.recipient))
    place = f"{invoice.recipient.state} {STATES[invoice.recipient.state]}"
    facts = [
        ("Invoice", invoice.number),
        ("Date", invoice.issued_on.isoformat()),
        ("Fees of", f"{invoice.month:%B %Y}"),
        ("Place of supply", place),
        ("Reverse charge", "no"),
    ]
    return _drawn(
        f"Invoice {invoice.number}",
        [
            Paragraph("Tax invoice", _STYLES["Title"]),
            _table([("Supplier", "Recipient"), parties], (87 * mm, 87 * mm)),
            Spacer(1, 6 * mm),
            _table(facts, (40 * mm, 134 * mm), head=False),
            Spacer(1, 6 * mm),
            _table([("Description", "SAC", "INR"), *rows], (114 * mm, 24 * mm, 36 * mm)),
        ],
    )


def settlement_pdf(report: SettlementReport) -> bytes:
    """Return a settlement's report as PDF: its items, their sums and its shares."""
    sums = [(text, _signed(paise)) for text, paise in report.sums if paise]
    shares = [(each.beneficiary, each.utr, _rupees(each.amount_paise)) for each in report.shares]
    rows = [
        (moment(each.at)[:19], each.order_id, each.kind, each.rule, _signed(each.gross_paise),
         _rupees(each.fee_paise),
         _rupees(each.tax_paise), _signed(each.net_paise))
        for each in report.rows
    ]  # fmt: skip
    head = ("at", "order", "entry", "rule", "gross", "fee", "tax", "net")
    return _drawn(
        f"Settlement {report.reference}",
        [
            Paragraph(f"Settlement {report.reference}", _STYLES["Title"]),
            Paragraph(
                f"Merchant {report.merchant_id}, {report.day}, {report.kind}. Amounts in INR.",
                _STYLES["Normal"],
            ),
            Spacer(1, 6 * mm),
            _table([("", "INR"), *sums], (120 * mm, 54 * mm)),
            Spacer(1, 6 * mm),
            _table([("Paid out to", "UTR", "INR"), *shares], (60 * mm, 60 * mm, 54 * mm)),
            Spacer(1, 6 * mm),
            _table(
                [head, *rows],
                (30 * mm, 32 * mm, 24 * mm, 24 * mm, 20 * mm, 14 * mm, 12 * mm, 20 * mm),
                small=True,
            ),
        ],
    )


def receipt_pdf(title: str, rows: Sequence[tuple[str, str]], notes: Sequence[str]) -> bytes:
    """Return a customer's receipt as PDF: labels with values, and sentences below.

    The rupee sign is printed as INR. A last sentence says if another letter was replaced.
    """
    cells = [(label, value.replace("₹", "INR ")) for label, value in rows]
    style, sentences = _STYLES["Normal"], list(notes)
    if any(_shown(value) != escape(value) for _, value in cells):
        sentences.append(_REPLACED)
    return _drawn(
        title,
        [
            Paragraph(_shown(title), _STYLES["Title"]),
            _table(cells, (60 * mm, 114 * mm), head=False),
            *(
                part
                for each in sentences
                for part in (Spacer(1, 4 * mm), Paragraph(_shown(each), style))
            ),
        ],
    )


def _drawn(title: str, parts: Sequence[Flowable]) -> bytes:
    file = BytesIO()
    # Without its clock and its random numbers the library draws the same bytes again.
    document = SimpleDocTemplate(
        file, pagesize=A4, title=title, invariant=1, leftMargin=_MARGIN, rightMargin=_MARGIN,
        topMargin=_MARGIN, bottomMargin=_MARGIN,
    )  # fmt: skip
    document.build(list(parts))
    return file.getvalue()


def _table(
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    *,
    head: bool = True,
    small: bool = False,
) -> LongTable:
    style: Any = _STYLES["Normal"].clone(
        "cell", fontSize=6 if small else 9, leading=7 if small else 11, wordWrap="CJK"
    )
    cells = [[Paragraph(_shown(text), style) for text in row] for row in rows]
    table = LongTable(cells, colWidths=list(widths), repeatRows=1 if head else 0)
    table.setStyle(
        [("GRID", (0, 0), (-1, -1), 0.25, colors.grey), ("VALIGN", (0, 0), (-1, -1), "TOP")]
    )
    return table


def _named(party: Party) -> str:
    lines = [party.name, party.address, f"{party.state} {STATES[party.state]}"]
    lines += [f"GSTIN {party.gstin}"] if party.gstin else ["GSTIN: none"]
    return "\n".join(lines)


def _shown(text: str) -> str:
    return escape(text.encode(_LATIN, "replace").decode(_LATIN)).replace("\n", "<br/>")


def _rupees(paise: int) -> str:
    whole, rest = divmod(paise, 100)
    return f"{group_indian(whole)}.{rest:02d}"


def _signed(paise: int) -> str:
    return f"-{_rupees(-paise)}" if paise < 0 else _rupees(paise)
