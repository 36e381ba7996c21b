"""The line of a payment in a file; pure."""

from collections.abc import Mapping
from typing import Any

from hundi.kernel.ids import reference
from hundi.kernel.masks import masked_email, masked_phone
from hundi.money.reports.rules import amount, cell, moment

HEAD = (
    *("ap_transactionid", "orderid", "created_ist", "state", "method", "currency", "amount"),
    *("refunded", "phone", "email", "bank_code", "bank_message", "rrn", "fee", "gst"),
    *("settlement", "utr"),
)


def cells(merchant_id: int, row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells of a payment: masked, and without formulas that a spreadsheet would run.

    row: with the columns of `SELECT_PAYMENTS`. Fee and GST are empty until they are charged.
    """
    charged = row["fee_paise"] is not None
    return (
        *(str(row["payment_id"]), cell(row["order_id"]), moment(row["created_at"]), row["state"]),
        *(row["method"], row["currency"], amount(row["amount_paise"])),
        *(amount(row["refunded_paise"]), cell(masked_phone(row["phone"] or ""))),
        *(
            cell(masked_email(row["email"] or "")),
            cell(row["bank_code"]),
            cell(row["bank_message"]),
        ),
        cell(row["rrn"]),
        *((amount(row["fee_paise"]), amount(row["tax_paise"])) if charged else ("", "")),
        reference(merchant_id, row["settlement_id"]) if row["settlement_id"] else "",
        cell(row["utr"]),
    )
