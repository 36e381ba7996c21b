"""Where the tests are that start a server or a browser, and those that take longest."""

SERVERS = (
    "acquirers/sandbox/test_contract.py",
    "browser/",
    "cli/test_serve.py",
    "docs/test_examples.py",
    "docs/test_partner_pages.py",
    "infra/test_embedded_postgres.py",
    "infra/test_migrate.py",
    "simbank/",
    "system/",
)
"""Places below `tests` where a server of its own is started; `make quick` leaves them out."""

SLOWEST = (
    "system/test_crashes.py",
    "browser/",
    "docs/test_examples.py",
    "cli/test_serve.py",
    "system/test_trouble.py",
    "system/test_late.py",
    "system/test_upstream.py",
)
"""Begun first, so that no worker is left alone with one of them at the end; most of their time they wait."""
