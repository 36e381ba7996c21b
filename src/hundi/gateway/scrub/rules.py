"""Rules of the sweep: its columns, the exact columns, and masked values; pure.

The columns come from the database's catalogue. Every column that is not named here is swept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from itertools import groupby
from typing import Any

from hundi.kernel.masking import masked, masked_json

TEXT_TYPES = ("text", "character varying", "character", "json", "jsonb")
"""Base types of columns that may hold words, also as arrays."""
LENGTH_MIN = 12
"""Characters of the shortest number: a shorter value is not read."""

EXACT: Mapping[str, frozenset[str]] = {
    "an order id, or another identifier that its merchant or partner gave and gets "
    "back exactly": frozenset(
        {
            "accepted_names.beneficiary",
            "archived_orders.order_id",
            "archived_payments.order_id",
            "bank_accounts.beneficiary",
            "direct_shares.identifier",
            "direct_shares.request_id",
            "identity_consents.reference",
            "identity_requests.request_id",
            "linked_accounts.identifier",
            "linked_parties.identifier",
            "message_templates.entity_id",
            "message_templates.registered",
            "message_templates.template_id",
            "offers.unique_id",
            "payment_link_batches.reference",
            "payment_links.reference",
            "payments.order_id",
            "payouts.beneficiary",
            "account_checks.beneficiary",
            "account_papers.beneficiary",
            "pos_sales.reference",
            "pos_sales.terminal_id",
            "pos_terminals.terminal_id",
            "refund_requests.request_id",
            "refunds.request_id",
            "saved_cards.customer",
            "settlement_parts.identifier",
            "settlement_shares.beneficiary",
            "shares_to_pay.beneficiary",
            "split_configurations.request_id",
            "split_parts.identifier",
            "split_parts.request_id",
            "subscriptions.order_id",
        }
    ),
    "a reference that a bank or an acquirer gave, by which money is found again": frozenset(
        {
            "account_lines.utr",
            "acquirer_words.value",
            "archived_payments.rrns",
            "attempts.approval_code",
            "attempts.authentication_id",
            "attempts.rrn",
            "attempts.saved_card",
            "attempts.voucher",
            "completions.rrn",
            "direct_shares.party",
            "direct_shares.transfer_id",
            "direct_shares.utr",
            "dispute_stages.bank_case",
            "dispute_stages.rrn",
            "identity_requests.forwarded_as",
            "linked_parties.party",
            "payouts.late_utr",
            "payouts.utr",
            "refunds.rrn",
            "saved_cards.token",
            "statement_files.statement",
            "statement_handovers.utr",
            "statement_lines.reference",
            "statement_lines.rrn",
            "statement_lines.utr",
            "statement_steps.utr",
            "subscriptions.mandate_reference",
            "subscriptions.umrn",
        }
    ),
    "a reference of our own: digits of a clock": frozenset(
        {
            "acquirer_words.reference",
            "approvals.act_id",
            "certification_evidence.moved_reference",
            "certification_webhooks.reference",
            "partner_calls.reference",
            "refused_requests.reference",
        }
    ),
    "masked before it was written, with references of banks in it": frozenset(
        {"certification_evidence.exchanges", "certification_evidence.words"}
    ),
    "the number of a bank account, which an operator compares": frozenset(
        {"account_lines.account", "statement_files.account"}
    ),
    "the names of our account at an acquirer, which an operator entered": frozenset(
        {"acquirer_accounts.fields"}
    ),
    "the number of a database cluster: 19 digits, of which one in ten passes the check": frozenset(
        {
            "chain_blocks.cluster",
            "ledger_rolls.cluster",
            "search_marks.cluster",
            "tally_marks.cluster",
            "tally_marks.days_upto",
            "settlement_marks.cluster",
        }
    ),
    "the address that a person signs in with, and was invited by": frozenset({"people.email"}),
    "what a bank said of an account, as the trail tells it": frozenset(
        {"bank_accounts.registered_name"}
    ),
    "a salted hash": frozenset({"people.password_hash"}),
}
"""Why columns stay as they are → their names in the catalogue (`table.column`)."""

TOLD = frozenset({"linked_accounts", "partners", "settlement_terms"})
"""Tables whose rows have digests in the trail; their words have been masked since then."""
EXACT_COLUMNS = frozenset[str]().union(*EXACT.values())
_EXACT_NAMES = frozenset(column.partition(".")[2] for column in EXACT_COLUMNS) - {
    "value",
    "account",
    "statement",
}
"""Values under these names in JSON stay: copies of whole rows have them."""
_EXACT_KEYS: Mapping[str, frozenset[str]] = {"acquirer_terms.document": frozenset({"account"})}
"""For one column's JSON alone: a statement of another account than the terms name is refused."""
_ADDRESS_ENDS = ("url", "urls", "origins")
"""Names in JSON of addresses that we call: one changed letter is another server."""


@dataclass(frozen=True, slots=True)
class CatalogueColumn:
    """A column of the catalogue.

    type: its base type. key_place: its place in the primary key, from 0, or None.
    """

    table: str
    name: str
    type: str
    key_place: int | None
    is_generated: bool

    @property
    def full_name(self) -> str:
        """Return it with its table, as the exceptions name it."""
        return f"{self.table}.{self.name}"

    @property
    def holds_words(self) -> bool:
        """Return whether its type can hold words of people."""
        return self.type.removesuffix("[]") in TEXT_TYPES

    @property
    def is_swept(self) -> bool:
        """Return whether the sweep reads it; a generated column follows its source."""
        return self.holds_words and not self.is_generated and self.full_name not in EXACT_COLUMNS


@dataclass(frozen=True, slots=True)
class SweptTable:
    """A swept table: the columns of its key, those to read, and those with numbers of rows."""

    name: str
    key: tuple[CatalogueColumn, ...]
    swept: tuple[CatalogueColumn, ...]
    ids: tuple[str, ...]
    has_merchant: bool


def tables_of(columns: Iterable[CatalogueColumn]) -> list[SweptTable]:
    """Return the tables with a column to sweep. columns: the catalogue's, each table's together."""
    tables: list[SweptTable] = []
    for name, group in groupby(columns, key=lambda column: column.table):
        of_table = list(group)
        swept = tuple(column for column in of_table if column.is_swept)
        key = [column for column in of_table if column.key_place is not None]
        key.sort(key=lambda column: column.key_place or 0)
        ids = [
            column.name
            for column in of_table
            if column.type == "bigint" and column.name.endswith("_id")
        ]
        names = {column.name for column in of_table}
        if swept:
            tables.append(SweptTable(name, tuple(key), swept, tuple(ids), "merchant_id" in names))
    return tables


def scrubbed(column: CatalogueColumn, value: Any) -> Any:  # noqa: ANN401 (whatever a column holds)
    """Return a column's value with numbers masked; JSON is masked by its values, not its text."""
    return _of_json(
        column.name, value, _EXACT_NAMES | _EXACT_KEYS.get(column.full_name, frozenset())
    )


def _of_json(name: str, value: Any, exact: frozenset[str]) -> Any:  # noqa: ANN401 (JSON)
    if isinstance(value, dict):
        return {key: _of_json(key, inner, exact) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list):
        return [_of_json(name, inner, exact) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, str) or name in exact or name.endswith(_ADDRESS_ENDS):
        return value
    return _of_text(name, value)


def _of_text(name: str, value: str) -> str:
    if len(value) < LENGTH_MIN or masked(value) == value or _is_network(value):
        return value
    return masked_json({name: value})[name]


def _is_network(value: str) -> bool:
    """Return whether a value is an address of a network.

    Its four numbers may look like 12 digits.
    """
    try:
        ip_network(value, strict=False)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class SweepFinding:
    """Rows of one column with numbers. kept: why they stay; "" for masked ones."""

    table: str
    column: str
    rows: int
    kept: str = ""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """The result of a sweep. is_applied: it masked what it could; else nothing was changed.

    unopened: names of rows whose seal does not open, so that nobody knows whether they have a
    number.
    """

    is_applied: bool
    tables: int
    columns: int
    rows: int
    findings: Sequence[SweepFinding]
    unopened: Sequence[str]
