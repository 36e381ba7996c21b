"""The environment of each child of `hundi serve`: its own settings and database role."""

import os
from collections.abc import Mapping
from pathlib import Path

from hundi.infra.embedded.server import EmbeddedPostgres
from hundi.infra.monitoring import folder
from hundi.infra.postgres.roles import DATABASE, DatabaseRole
from hundi.infra.settings import MAILBOX_SOCKET, PREFIX, Settings
from hundi.infra.settings_sources import CREDENTIALS_VARIABLE

_URL, _OWNER_URL, _CONSOLE_URL = (
    "HUNDI_DATABASE_URL",
    "HUNDI_OWNER_DATABASE_URL",
    "HUNDI_CONSOLE_DATABASE_URL",
)
SERVED_URL = "SERVED_DATABASE_URL"
"""Environment variable with the database address of the served gateway.

The owner's address must be of the same database.
"""
_SOCKET_PATH_BYTES_MAX = 100  # the kernel's limit is 108 on Linux and 104 on macOS
_SIMBANK_PREFIX = "HUNDI_SIMBANK_"
_NOT_OF_GATEWAY = (
    _OWNER_URL,
    _CONSOLE_URL,
    "HUNDI_WORKER_DATABASE_URL",
    "HUNDI_SIMBANK_DATABASE_URL",
)
_OF_SIMBANK = (
    "HUNDI_ACQUIRER_KEY",
    "HUNDI_DATA_DIR",
    "HUNDI_HOST",
    "HUNDI_LOG_LEVEL",
    "HUNDI_SIMBANK_DATABASE_URL",
    "HUNDI_SIMBANK_PORT",
    "HUNDI_SIMBANK_URL",
)


def mailbox_socket(settings: Settings) -> Path | None:
    """Return the socket of a demo's mailbox; None for another relay, or a path that is too long."""
    mailbox = settings.data_dir / MAILBOX_SOCKET
    is_short = len(os.fsencode(mailbox)) <= _SOCKET_PATH_BYTES_MAX
    ours = mailbox if is_short and not settings.smtp_host else None
    return settings.smtp_socket or ours


def phones(settings: Settings, key: str) -> dict[str, str]:
    """Return the settings by which a demo's messages reach the simulated bank's phones.

    key: any secret; the phones check only that there is one. A provider of the settings stays.
    """
    if settings.sms_provider or settings.whatsapp_provider:
        return {}
    return {
        "sms_provider": "exotel",
        "sms_url": f"{settings.simbank_url}/phones/exotel",
        "sms_account": "demo",
        "sms_user": "demo",
        "sms_secret": key,
        "whatsapp_provider": "meta",
        "whatsapp_url": f"{settings.simbank_url}/phones/meta/v23.0",
        "whatsapp_account": "100000000000001",
        "whatsapp_secret": key,
    }


def environments(settings: Settings, own: EmbeddedPostgres | None) -> Mapping[str, dict[str, str]]:
    """Return the environment of each child by its name.

    own: the embedded server, if it holds the gateway's database.
    """
    # A child has its own secrets, and none that is read from the folder of all.
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(PREFIX) and name != CREDENTIALS_VARIABLE
    }
    of_simbank = {
        name: value for name, value in os.environ.items() if name.startswith(_SIMBANK_PREFIX)
    }
    variables = settings.environment()
    counting = {folder.VARIABLE: str(settings.data_dir / folder.NAME)}
    gateway = (
        inherited
        | counting
        | {name: value for name, value in variables.items() if name not in _NOT_OF_GATEWAY}
    )

    def database(role: DatabaseRole) -> str:
        return own.url(DATABASE, role) if own is not None else settings.database_url or ""

    of_console = settings.console_database_url or (
        own.url(DATABASE, DatabaseRole.CONSOLE) if own is not None else ""
    )
    console = {_CONSOLE_URL: of_console} if of_console else {}
    owner = settings.owner_database_url or database(DatabaseRole.OWNER)
    operator = database(DatabaseRole.OPERATOR) if own is not None else owner
    of_bank = {
        **inherited,
        **of_simbank,
        **{name: variables[name] for name in _OF_SIMBANK if name in variables},
        **({"HUNDI_SIMBANK_TRACES_TO": settings.traces_to} if settings.traces_to else {}),
        "HUNDI_SIMBANK_MAIL_SOCKET": str(settings.smtp_socket or ""),
        "HUNDI_SIMBANK_GATEWAY_URL": settings.base_url,
        "HUNDI_SIMBANK_PUBLIC_URL": settings.simbank_url,
        "HUNDI_SIMBANK_RETURN_ORIGINS": ",".join(
            dict.fromkeys((settings.payment_page_url, settings.base_url))
        ),
    }
    return {
        "prepare": gateway
        | {_URL: operator, _OWNER_URL: owner, SERVED_URL: settings.database_url or ""}
        | console,
        # For one minute it is gateway, operator and bank in one, to make a demo's history.
        "history": of_bank | gateway | {_URL: owner},
        "api": gateway | {_URL: database(DatabaseRole.GATEWAY)} | console,
        "worker": gateway | {_URL: settings.worker_database_url or database(DatabaseRole.WORKER)},
        "simbank": of_bank,
    }
