"""Routing plans, and why an attempt is made at its acquirer."""

from hundi.infra.migrations import build_index, run_sql_beside

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Run the SQL file of the same name, then build the index while payments go on."""
    run_sql_beside(__file__)
    # How acquirers do is read of the latest attempts for which one was chosen: the others are not
    # in it.
    build_index("attempts_routed", "attempts (created_at) WHERE route <> '{}'::jsonb")
