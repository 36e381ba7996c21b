"""Two people by one key: payouts, accounts and corrections name only who has an approval."""

from hundi.infra.migrations import run_sql_beside, spread_beside

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Let payouts refer to the tables of approvals, which a spread database spreads first."""
    spread_beside("payouts", "person_key(text)", "payout_approvals", "accepted_names")
    run_sql_beside(__file__)
