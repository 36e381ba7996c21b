"""What can be wrong with the keys and their copy."""

from hundi.doctor.rules import FindingKind, Level

KEYS_GOOD = FindingKind("keys_good", Level.GOOD, "The keys open what the database has.")
KEYS_NEW = FindingKind(
    "keys_new",
    Level.NOTE,
    "There is no key file, and nothing is sealed yet: the first start makes one.",
    "Copy the key file to another place after the first start.",
)
KEYS_REFUSED = FindingKind(
    "keys_refused",
    Level.FAULT,
    "The keys cannot be used: the file is lost or open to others, or holds no key.",
    "Do what the finding says; a lost key file is restored from its copy.",
)
KEYS_OTHER = FindingKind(
    "keys_other",
    Level.FAULT,
    "Secrets of the database are sealed under a key that is not there.",
    "Restore the key file from its copy; never make a new one in its place.",
)
COPY_UNSEEN = FindingKind(
    "key_copy_unseen",
    Level.NOTE,
    "Whether the key file has a copy cannot be seen.",
    "Copy the key file to a place apart from the backups, and name it in HUNDI_KEY_COPY_FILE"
    " where this machine can reach it.",
)
COPY_GOOD = FindingKind("key_copy_good", Level.GOOD, "The copy of the key file has every key.")
COPY_OLD = FindingKind(
    "key_copy_old",
    Level.FAULT,
    "The copy of the key file lacks a key: after a loss, what it sealed could not be read.",
    "Copy the key file again.",
)
COPY_REFUSED = FindingKind(
    "key_copy_refused",
    Level.WARNING,
    "The copy of the key file cannot be read, or others can read it.",
    "Do what the finding says, or name another copy in HUNDI_KEY_COPY_FILE.",
)
