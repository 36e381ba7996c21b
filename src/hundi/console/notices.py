"""Notices at the top of a screen after a form; the address has the key, not the words."""

from hundi.verbs.table import all_verbs

_OF_SCREENS = {
    "approved": "Approved and carried out.",
    "approved_in_vain": "Approved, but it could not be carried out: the reason is below.",
    "asked": "Asked. It waits for a second person.",
    "captured": "Captured.",
    "codes_made": "New recovery codes were made. The old ones are good no more.",
    "filter_removed": "The view was removed.",
    "filter_saved": "Saved. Only you see it, above this list.",
    "key_ended": "The old key was ended.",
    "key_replaced": (
        "Nothing was done: this key was replaced meanwhile, by this form or by somebody else."
    ),
    "letters_chosen": "Your choice of mails was kept.",
    "trial_written": "A test mail was written. It arrives within a minute if mails work here.",
    "merchant_added_before": (
        "This form has added it already. Its secrets were shown then: replace what is lost."
    ),
    "passkey_added": "The passkey was added.",
    "passkey_removed": "The passkey was removed.",
    "password_changed": "The password was changed, and every other session was ended.",
    "payout_proposed": "Proposed. Another person approves it.",
    "payout_released": "Released. It is sent to the bank.",
    "refunded": "The refund was started. The bank's answer appears below.",
    "rejected": "Rejected. Nothing was done.",
    "replayed": "They are sent again.",
    "resent": "It is sent again.",
    "session_ended": "The session was ended.",
    "settings_kept": "Saved. The settings hold from the next request on.",
    "signed_out": "You are signed out.",
    "voided": "The hold was given back.",
}
"""Notices of hand-written screens."""
NOTICES = _OF_SCREENS | dict(each.notice for each in all_verbs() if each.notice[1])
