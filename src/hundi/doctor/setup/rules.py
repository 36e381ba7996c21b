"""What can be wrong with settings, the data directory and Python."""

from hundi.doctor.rules import FindingKind, Level

SETTINGS_USED = FindingKind("settings_used", Level.GOOD, "Every setting can be used.")
SETTINGS_REFUSED = FindingKind(
    "settings_refused",
    Level.FAULT,
    "A setting cannot be used; nothing starts.",
    "Correct the setting that is named, or take it away.",
)
ADDRESS_IN_CLEAR = FindingKind(
    "address_in_clear",
    Level.WARNING,
    "Customers or merchants reach the gateway without TLS, and it is no demo.",
    "Put a proxy that speaks TLS in front and set HUNDI_BASE_URL and HUNDI_PAYMENT_PAGE_URL to"
    " its https:// address.",
)
SECRET_IN_ENVIRONMENT = FindingKind(
    "secret_in_environment",
    Level.NOTE,
    "A secret is in an environment variable, where other programs of the same user can read it.",
    "Move it into a credential of $CREDENTIALS_DIRECTORY (docs/settings.md, Secrets).",
)
SETTINGS_FILE_OPEN = FindingKind(
    "settings_file_open",
    Level.FAULT,
    "Other users of the machine can read the settings file, and it has a secret.",
    "Take the right to read it from other users: chmod o-rwx on the file that is named.",
)
DATA_USABLE = FindingKind("data_usable", Level.GOOD, "The data directory can be used.")
DATA_MISSING = FindingKind(
    "data_missing",
    Level.FAULT,
    "The data directory is not there, and the settings name no database of yours.",
    "Name the right folder with --data-dir or HUNDI_DATA_DIR, or start `hundi serve`, which makes"
    " it.",
)
DATA_FORBIDDEN = FindingKind(
    "data_forbidden",
    Level.FAULT,
    "The user who runs this command may not read and write the data directory.",
    "Run it as the user who runs Hundi, or give the folder to that user with chown.",
)
PYTHON_USABLE = FindingKind("python_usable", Level.GOOD, "Python and all packages are there.")
PYTHON_OLD = FindingKind(
    "python_old",
    Level.WARNING,
    "This version of Python gets no more security fixes.",
    "Install a newer Python and make the environment of Hundi with it anew.",
)
PACKAGE_MISSING = FindingKind(
    "package_missing",
    Level.FAULT,
    "A package that these settings need is not installed.",
    "Install the extra that is named into the environment of Hundi.",
)

SUPPORT_ENDS = {(3, 11): "2027-10", (3, 12): "2028-10", (3, 13): "2029-10", (3, 14): "2030-10"}
"""The month in which Python's developers end their fixes, by version (devguide.python.org)."""


def is_supported(version: tuple[int, int], month: str) -> bool:
    """Return whether a version of Python gets fixes in a month of the form 2026-11."""
    return month <= SUPPORT_ENDS.get(version, month)
