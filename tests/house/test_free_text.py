"""Each column that can hold text says whether people's own words come there; those that do are masked when written."""

import importlib
import re
from collections.abc import Iterator

from hundi.infra.postgres.columns import Table
from tests.house.source import ROOT

_SOURCE = ROOT / "src"
_PAGE = (_SOURCE / "hundi/infra/migrations/schema.sql").read_text("utf-8")

MASKED = {
    "acquirer_troubles": "error",
    "approvals": "title maker reason checker note result",
    "attempts": "bank_message bank_name",
    "bank_accounts": "holder registered_name added_by accepted_by",
    "bank_days": "name",
    "completions": "bank_message",
    "deliveries": "facts",
    "delivery_attempts": "answer problem",
    "dispute_evidence": "name",
    "dispute_stages": "reason note bank_message",
    "failing_endpoints": "problem",
    "lead_events": "words",
    "linked_accounts": "name",
    "merchants": "name",
    "partner_calls": "detail",
    "partner_events": "words",
    "partners": "name",
    "passkeys": "name",
    "payment_links": "description buyer made_by",
    "payments": "buyer custom_var bank_message",
    "payout_events": "note",
    "payouts": "bank_message",
    "people": "name",
    "pos_sales": "table_no",
    "pos_terminals": "label",
    "reconciliation_proposals": "reason",
    "refunds": "bank_message reversed_message",
    "refused_requests": "words detail explained",
    "report_fetches": "error",
    "review_decisions": "reason decided_by",
    "statement_files": "name",
    "tax_parties": "name address",
    "trail_entries": "person about detail",
}
"""Columns of free text, each masked by the store that writes it."""

WRITERS = {
    "passkeys": "staff/sign_in/passkeys.py",
    "reconciliation_proposals": "money/reconciliation/proposals.py",
    "statement_files": "money/reconciliation/actions.py",
    "trail_entries": "staff/trail/actions.py",
    "failing_endpoints": "notifications/store.py",
    "deliveries": "payments/orders/store.py",
}
"""Where a table's texts are masked, if not in the store with its statement."""

UNFREE = {
    r".*\.(kind|state|mode|class|code|bank_code|reversed_code|result|actor|rule|surplus|format|media_type|part|book)": (
        "a word of ours, or a code of a list"
    ),
    r".*\.(connector|channels?|method|currency|bank|ifsc|centre|base_event|span|scope|series|purpose|step|act)": (
        "a word of ours, or a name that an operator gave in a fixed form"
    ),
    r".*\.account": "an account of the ledger, or a number of a bank account of the operator's",
    r".*\.(cluster|document|settings|restrictions|risk|route|card|fields|linked_carried)": "of checked parts",
    r".*\.(affiliate|identifier|beneficiary|terminal_id|manager|interface|operation|gstin|pan|last4)": (
        "of a fixed form that is checked"
    ),
    r".*\.(rrns?|utr|umrn|reference|bank_case|mandate_reference|authentication_id|approval_code|voucher|statement)": (
        "a bank's own reference, which must stay exact"
    ),
    r".*\.(order_id|request_id|forwarded_as|unique_id|customer|token|saved_card|act_id|value)": (
        "an identifier, which must come back exactly: one that is a card number is refused"
    ),
    r".*\.(payer|payer_vpa|upi_address)": "a UPI address; one that is a card number is refused",
    r".*\.(network|address|browser|url)": "where a caller came from, or the address of a merchant's server",
    r".*\.(person|person_key|maker|checker|\w+_by)": "the name of a person of ours, masked where people are made",
    r"people\.(email|password_hash)": "an address in its form; a hash",
    r"(acquirer_accounts|acquirer_words|schedules)\.(name|value)": "of a fixed form; what an acquirer calls its parts",
    r"approvals\.payload": "read by the act that it is for, whose own texts are masked when it is done",
    r"archived_payments\.contents": "rows that were masked when they were written",
    r"fee_invoices\.(supplier|recipient)": "copies of tax_parties",
    r"leads\.notes": "sentences of ours",
    r"pos_sales\.masked_mobile": "the last digits of a phone number",
    r"reconciliation_items\.resolution|refund_requests\.words|reconciliation_proposals\.decision": "words of ours",
    r"review_decisions\.decision": "a word of ours",
}
"""Columns that can hold nobody's own words, and why."""


def _columns() -> Iterator[tuple[str, str]]:
    for table, body in re.findall(r"^CREATE TABLE (\w+) \((.*?)^\)", _PAGE, re.MULTILINE | re.DOTALL):
        for column in re.findall(r"^\s+(\w+) (?:text|jsonb)(?:\[\])?(?! GENERATED)[ ,\n]", body, re.MULTILINE):
            yield table, column


def _masked() -> set[tuple[str, str]]:
    return {(table, column) for table, columns in MASKED.items() for column in columns.split()}


def test_every_column_of_text_says_whether_it_is_free() -> None:
    columns, masked = set(_columns()), _masked()
    assert len(columns) > 200
    assert masked <= columns
    unsaid = {
        f"{table}.{column}"
        for table, column in columns - masked
        if not any(re.fullmatch(pattern, f"{table}.{column}") for pattern in UNFREE)
    }
    assert not unsaid, "free text goes through masking.py; what cannot be free has a reason here"


def test_every_reason_is_of_a_column() -> None:
    names = [f"{table}.{column}" for table, column in _columns()]
    assert not [pattern for pattern in UNFREE if not any(re.fullmatch(pattern, name) for name in names)]


def _writers(table: str) -> Iterator[tuple[str, object]]:
    for path in sorted((_SOURCE / "hundi").glob("**/store.py")):
        text = path.read_text("utf-8")
        if re.search(rf"\b(INSERT INTO {table}\b|UPDATE {table} SET)", text):
            yield text, importlib.import_module(".".join(path.relative_to(_SOURCE).with_suffix("").parts))


def test_every_store_that_writes_free_text_masks_it() -> None:
    unmasked = set[str]()
    for table, columns in MASKED.items():
        elsewhere = WRITERS.get(table)
        if elsewhere:
            text = (_SOURCE / "hundi" / elsewhere).read_text("utf-8")
            assert "from hundi.masking import" in text, elsewhere
            continue
        for text, module in _writers(table):
            tables = [one for one in vars(module).values() if isinstance(one, Table)]
            free = set[str]().union(*(one.free for one in tables))
            for column in columns.split():
                written = re.search(rf"(INSERT INTO {table}\b[^;]*?|SET [^;]*?)\b{column}\b", text)
                if written and column not in free and "from hundi.masking import" not in text:
                    unmasked.add(f"{table}.{column}")
    assert not unmasked
