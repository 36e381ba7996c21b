"""Draws reports as PDF: the same report gives the same bytes."""

from reportlab.lib.units import mm

from hundi.infra.pdf.drawing import drawn, gap, grid, heading, text
from hundi.kernel.money import MINUS, group_indian
from hundi.kernel.registrations import STATES
from hundi.money.reports.invoices.rules import SAC, Invoice, Party
from hundi.money.reports.rules import moment, named
from hundi.money.reports.settlements.rules import SettlementReport


def invoice_pdf(invoice: Invoice) -> bytes:
    """Return an invoice for fees as PDF."""
    charges, taxes = invoice.charges, invoice.taxes
    lines = [
        ("Payment services", SAC, charges.taxable_paise),
        (
            "Payment services, exempt: cards up to ₹2,000 (Notification 12/2017, serial 34)",
            SAC,
            charges.exempt_paise,
        ),
        ("Lenders' interest of no-cost instalments, not taxed", "", charges.other_paise),
        ("CGST 9 %", "", taxes.cgst_paise),
        ("SGST 9 %", "", taxes.sgst_paise),
        ("IGST 18 %", "", taxes.igst_paise),
    ]
    rows = [(words, code, _rupees(paise)) for words, code, paise in lines if paise]
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
    return drawn(
        f"Invoice {invoice.number}",
        [
            heading("Tax invoice"),
            grid([("Supplier", "Recipient"), parties], (87 * mm, 87 * mm)),
            gap(6),
            grid(facts, (40 * mm, 134 * mm), head=False),
            gap(6),
            grid([("Description", "SAC", "INR"), *rows], (114 * mm, 24 * mm, 36 * mm)),
        ],
    )


def settlement_pdf(report: SettlementReport, merchant: str) -> bytes:
    """Return a settlement's report as PDF: its items, their sums and its shares.

    merchant: the merchant's name.
    """
    sums = [(words, _signed(paise)) for words, paise in report.sums if paise]
    shares = [(each.beneficiary, each.utr, _rupees(each.amount_paise)) for each in report.shares]
    rows = [
        (moment(each.at), each.order_id, each.kind, each.rule, _signed(each.gross_paise),
         _rupees(each.fee_paise),
         _rupees(each.tax_paise), _signed(each.net_paise))
        for each in report.rows
    ]  # fmt: skip
    head = ("at", "order", "entry", "rule", "gross", "fee", "tax", "net")
    return drawn(
        f"Settlement {report.reference}",
        [
            heading(f"Settlement {report.reference}"),
            text(
                f"{named(report.merchant_id, merchant)}, {report.day}, {report.kind}."
                " Amounts in INR."
            ),
            gap(6),
            grid([("", "INR"), *sums], (120 * mm, 54 * mm)),
            gap(6),
            grid([("Paid out to", "UTR", "INR"), *shares], (60 * mm, 60 * mm, 54 * mm)),
            gap(6),
            grid(
                [head, *rows],
                (30 * mm, 32 * mm, 24 * mm, 24 * mm, 20 * mm, 14 * mm, 12 * mm, 20 * mm),
                small=True,
            ),
        ],
    )


def _named(party: Party) -> str:
    lines = [party.name, party.address, f"{party.state} {STATES[party.state]}"]
    lines += [f"GSTIN {party.gstin}"] if party.gstin else ["GSTIN: none"]
    return "\n".join(lines)


def _rupees(paise: int) -> str:
    whole, rest = divmod(paise, 100)
    return f"{group_indian(whole)}.{rest:02d}"


def _signed(paise: int) -> str:
    return f"{MINUS}{_rupees(-paise)}" if paise < 0 else _rupees(paise)
