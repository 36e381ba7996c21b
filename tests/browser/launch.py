"""Which Chromium the tests start, and how."""

import shutil

# The first is the same engine without windows: a fresh profile costs it a fifth of the work.
_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str:
    """Return where the system's Chromium is."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    assert path, (
        "no Chromium found: install it with the system's package manager, for example apt-get"
        " install chromium"
    )
    return path
