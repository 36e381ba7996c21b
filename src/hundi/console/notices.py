"""What a screen says at its top after a form was taken; the address has the key, not the words."""

NOTICES = {
    "asked": "Asked. It waits for a second person.",
    "approved": "Approved and carried out.",
    "approved_in_vain": "Approved, but it could not be carried out: the reason is below.",
    "captured": "Captured.",
    "codes_made": "New recovery codes were made. The old ones are good no more.",
    "invited": "Invited.",
    "noted": "The note was added.",
    "passkey_added": "The passkey was added.",
    "passkey_removed": "The passkey was removed.",
    "password_changed": "The password was changed, and every other session was ended.",
    "refunded": "The refund was begun. The bank's answer appears below.",
    "rejected": "Rejected. Nothing was done.",
    "removed": "Removed.",
    "resent": "It is sent again.",
    "role_changed": "The role was changed.",
    "session_ended": "The session was ended.",
    "signed_out": "You are signed out.",
    "voided": "The hold was given back.",
}
