"""The reasons that RazorpayX gives for the state of a payout."""

from pathlib import Path

_WORDS: dict[str, tuple[str, str]] = {
    "bank_account_closed": (
        "beneficiary_bank",
        "Payout failed as the beneficiary account is closed. Please contact the beneficiary bank.",
    ),
    "bank_account_frozen": (
        "beneficiary_bank",
        "Payout failed as beneficiary account is frozen. Please contact the beneficiary bank.",
    ),
    "bank_account_invalid": (
        "beneficiary_bank",
        "Payout failed due to invalid beneficiary account details.",
    ),
    "beneficiary_bank_offline": (
        "beneficiary_bank",
        "Beneficiary bank systems are offline. Please retry after 30 min.",
    ),
    "beneficiary_bank_rejected": (
        "beneficiary_bank",
        "Payout rejected by the beneficiary bank. Please contact the beneficiary bank.",
    ),
    "imps_not_allowed": (
        "beneficiary_bank",
        "IMPS is not enabled on beneficiary account. Please retry with different mode.",
    ),
    "npci_beneficiary_timeout": (
        "beneficiary_bank",
        (
            "Temporary technical issue between NPCI and the beneficiary bank. "
            "Please retry after 30 min."
        ),
    ),
    "beneficiary_vpa_invalid": (
        "business",
        "UPI validation failed. If the UPI ID is valid, please retry after sometime.",
    ),
    "insufficient_funds": ("business", "Payout failed due to insufficient funds in your account."),
    "gateway_timeout": (
        "gateway",
        "Payout timed out at the partner bank. Please retry after 30 min.",
    ),
    "server_error": ("internal", "Payout failed. Contact support for help."),
    "beneficiary_bank_confirmation_pending": (
        "beneficiary_bank",
        (
            "Confirmation of credit to the beneficiary is pending from HDFC Bank. Please check the "
            "status after 24th October 2021, 10:40 PM."
        ),
    ),
    "bank_window_closed": (
        "gateway",
        (
            "The NEFT window for the day is closed. Please check the status after 24th October "
            "2021, 10:40 PM."
        ),
    ),
    "payout_bank_processing": (
        "gateway",
        (
            "Payout is being processed by the partner bank. Please check the final status after "
            "24th October 2021, 10:40 PM."
        ),
    ),
    "payout_processed": (
        "beneficiary_bank",
        "Payout is processed and the money has been credited into the beneficiary's account.",
    ),
    "pending_approval": (
        "business",
        "Workflow for the payout is pending approval from the approver(s).",
    ),
    "gateway_degraded": ("gateway", "Payout is queued as Partner bank systems are down."),
    "beneficiary_bank_down": (
        "gateway",
        (
            "Beneficiary bank's systems are not working. Payout will be processed after the system "
            "starts working else it will be failed after the pre-defined time limit."
        ),
    ),
    "low_balance": (
        "business",
        "Payout is queued as there is insufficient balance in your account to process the payout.",
    ),
}
"""errors/x/payout-status-details.md: source and description of those that tests read."""
_LINES = (Path(__file__).parent / "reasons.txt").read_text().splitlines()
_SOURCES = {reason: source for _status, reason, source in map(str.split, _LINES)}


def explained(reason: str) -> tuple[str | None, str | None]:
    """Return source and description of a reason, that of one without words in its own words."""
    if not reason:
        return None, None
    known = _WORDS.get(reason)
    return known or (_SOURCES[reason], reason.replace("_", " ").capitalize() + ".")
