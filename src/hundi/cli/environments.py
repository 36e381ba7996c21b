"""The environment of each child of `hundi serve`: its own settings and database role."""

import os
from collections.abc import Mapping

from hundi.infra.embedded.server import EmbeddedPostgres
from hundi.infra.monitoring import folder
from hundi.infra.postgres.roles import DATABASE, DatabaseRole
from hundi.infra.settings import PREFIX, Settings
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
