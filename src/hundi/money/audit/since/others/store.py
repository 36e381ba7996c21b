"""What an audit since a day reads of checks, notes and figures that have no days.

An audit in parts reads these whole, once. An audit since a day reads the few subscriptions,
disputes, payouts and settlements there are, but of postings and events, of which there are
millions, only what belongs to them and what is newer: a row of an older day that belongs to none of
them is found by a whole audit alone.
"""

from collections.abc import Mapping

from hundi.money.audit.rules import Note, Violation
from hundi.money.audit.since.rows.store import looked_up, newer
from hundi.money.audit.since.scopes.store import OF_CHAIN, OF_PAYMENTS, OF_SEALED, OF_SETTLEMENTS


def _postings_of(*owners: tuple[str, str]) -> str:
    """Return newer postings, and those whose cause is a column of some tables."""
    newest = newer("postings", "ledger_postings", "cause_id")
    older = (
        looked_up(f"public.{table}", "ledger_postings", column, "cause_id")
        for table, column in owners
    )
    return f"({' UNION '.join((newest, *older))})"


def _events_of(table: str, column: str) -> str:
    """Return newer events, and those of the payments that a column of a table names."""
    newest = newer("events", "payment_events", "payment_id")
    return (
        f"({newest} UNION {looked_up(f'public.{table}', 'payment_events', column, 'payment_id')})"
    )


_OF_SUBSCRIPTIONS = {
    "payment_events": _events_of("subscriptions", "subscription_id"),
    "payments": looked_up(
        """(SELECT merchant_id, subscription_id AS payment_id FROM public.subscriptions
            UNION SELECT merchant_id, payment_id FROM public.subscription_debits)""",
        "payments",
        "payment_id",
        "payment_id",
    ),
    "deliveries": looked_up(
        "(SELECT DISTINCT merchant_id, payment_id FROM payment_events)",
        "deliveries",
        "payment_id",
        "payment_id",
    ),
}
_OF_DISPUTES = {
    "payment_events": _events_of("dispute_stages", "payment_id"),
    "ledger_postings": _postings_of(("dispute_stages", "stage_id")),
    **{
        name: looked_up(
            f"(SELECT DISTINCT merchant_id, {column} FROM public.dispute_stages)",
            name,
            column,
            column,
        )
        for name, column in (("attempts", "attempt_id"), ("payments", "payment_id"))
    },
}
_OF_PAYOUTS = {"ledger_postings": _postings_of(("payouts", "payout_id"), ("payouts", "share_id"))}
# A payment in process has an attempt of which the bank is asked: a check of what changed says so.
_ASKED = "(SELECT * FROM public.attempts WHERE inquire_at IS NOT NULL)"
_OPEN_PAYMENTS = looked_up(
    f"""(SELECT merchant_id, payment_id FROM public.payments WHERE state = 'open'
        UNION SELECT merchant_id, payment_id FROM {_ASKED} AS a)""",
    "payments",
    "payment_id",
    "payment_id",
)
_V = Violation
OTHERS: Mapping[Violation, Mapping[str, str]] = {
    **dict.fromkeys(
        (_V.DEBIT_DIFFERS, _V.DEBIT_UNEXPLAINED, _V.SUBSCRIPTION_DIFFERS, _V.NOTICE_DIFFERS),
        _OF_SUBSCRIPTIONS,
    ),
    **dict.fromkeys(
        (
            _V.DISPUTE_UNEXPLAINED,
            _V.DISPUTE_POSTING_DIFFERS,
            _V.DISPUTE_DIFFERS,
            _V.DISPUTED_TOO_MUCH,
        ),
        _OF_DISPUTES,
    ),
    **dict.fromkeys((_V.PAYOUT_POSTING_DIFFERS, _V.PAYOUT_CAUSE_DIFFERS), _OF_PAYOUTS),
    _V.CHECK_COST_DIFFERS: {
        "ledger_postings": _postings_of(
            ("account_checks", "check_id"), ("payout_fees", "payout_id")
        )
    },
    _V.SETTLEMENT_POSTING_DIFFERS: {
        "ledger_postings": _postings_of(
            ("settlements", "settlement_id"), ("settlement_shares", "share_id")
        )
    },
    _V.CORRECTION_DIFFERS: {
        "ledger_postings": _postings_of(("reconciliation_proposals", "proposal_id"))
    },
    _V.SCHEDULE_TOO_LATE: {"payments": _OPEN_PAYMENTS},
}
"""The checks that read less in an audit since a day, and everything in one in parts."""
NOTES: Mapping[Note, Mapping[str, str]] = {
    Note.UNSEALED: OF_SEALED,
    Note.CHAIN_RESTORED: OF_CHAIN,
    Note.IN_FLIGHT: {"attempts": _ASKED},
}
"""The notes that read less in an audit since a day."""
FIGURES: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "payments",
            "payments_paid",
            "attempts",
            "postings",
            "posted_paise",
            "refunds",
            "events",
            "deliveries",
            "deliveries_delivered",
        ),
        OF_PAYMENTS,
    ),
    **dict.fromkeys(("settlements", "settled_paise"), OF_SETTLEMENTS),
    "disputes": {},
    "payouts": {},
}
"""The figures of an audit since a day, with what they count; those of small tables are of all."""
