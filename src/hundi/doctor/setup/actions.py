"""Looks at settings, the data directory and Python."""

import os
import platform
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from hundi.doctor.context import DoctorContext, Looker
from hundi.doctor.rules import DoctorFinding
from hundi.doctor.setup.rules import (
    ADDRESS_IN_CLEAR,
    DATA_FORBIDDEN,
    DATA_MISSING,
    DATA_USABLE,
    PACKAGE_MISSING,
    PYTHON_OLD,
    PYTHON_USABLE,
    SECRET_IN_ENVIRONMENT,
    SETTINGS_FILE_OPEN,
    SETTINGS_REFUSED,
    SETTINGS_USED,
    is_supported,
)
from hundi.infra.settings import SECRETS, Settings
from hundi.infra.settings_shown import without_password
from hundi.infra.settings_sources import (
    ACQUIRER_PREFIX,
    ACQUIRERS,
    CONFIG_VARIABLE,
    PREFIX,
    from_file,
)
from hundi.kernel.clock import world_now

_OPEN_OF_ACQUIRERS = ("__KIND", "__METHODS")
"""How variables of an acquirer end that hold no secret."""


async def look_at_settings(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find settings that cannot be used, or that put something at risk."""
    settings = context.settings
    if settings is None:
        return [DoctorFinding(SETTINGS_REFUSED, "settings", fault) for fault in context.faults]
    findings = [*_risks(settings)]
    if context.looker is Looker.COMMAND:
        findings += _open_secrets(os.environ)
    return findings or [DoctorFinding(SETTINGS_USED, "settings", "all can be used")]


def _risks(settings: Settings) -> Iterator[DoctorFinding]:
    for address in dict.fromkeys((settings.base_url, settings.payment_page_url)):
        if not settings.demo and not address.startswith("https://"):
            yield DoctorFinding(ADDRESS_IN_CLEAR, address, "it begins with http://")


def _open_secrets(environment: Mapping[str, str]) -> Iterator[DoctorFinding]:
    """Find secrets in variables, and in a settings file that other users can read."""
    for name in SECRETS:
        value = environment.get(PREFIX + name.upper(), "")
        # An address without a password is no secret.
        if value and not (name.endswith("_url") and without_password(value) == value):
            yield DoctorFinding(SECRET_IN_ENVIRONMENT, PREFIX + name.upper(), "it is set")
    for variable in environment:
        if variable == PREFIX + ACQUIRERS.upper() or (
            variable.startswith(ACQUIRER_PREFIX) and not variable.endswith(_OPEN_OF_ACQUIRERS)
        ):
            yield DoctorFinding(SECRET_IN_ENVIRONMENT, variable, "it is set")
    path = Path(environment.get(CONFIG_VARIABLE, ""))
    if path.is_file() and path.stat().st_mode & stat.S_IROTH:
        secrets = [name for name in from_file(path, []) if name in (*SECRETS, ACQUIRERS)]
        if secrets:
            yield DoctorFinding(SETTINGS_FILE_OPEN, str(path), f"it has {', '.join(secrets)}")


async def look_at_data(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find a data directory that is not there or cannot be used."""
    settings = context.settings
    assert settings is not None
    folder = settings.data_dir
    if not folder.is_dir():
        kind = DATA_USABLE if settings.database_url else DATA_MISSING
        return [DoctorFinding(kind, str(folder), "there is no such folder")]
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        owner = f"it belongs to user {folder.stat().st_uid}, and this is user {os.geteuid()}"
        return [DoctorFinding(DATA_FORBIDDEN, str(folder), owner)]
    return [DoctorFinding(DATA_USABLE, str(folder), "it can be read and written")]


async def look_at_python(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find a Python without fixes, and packages that the settings need."""
    settings = context.settings
    version = f"{platform.python_implementation()} {platform.python_version()}"
    if settings is not None and settings.traces_to and find_spec("opentelemetry") is None:
        seen = "HUNDI_TRACES_TO is set and the extra hundi[traces] is not installed"
        return [DoctorFinding(PACKAGE_MISSING, "traces", seen)]
    supported = is_supported(sys.version_info[:2], f"{world_now():%Y-%m}")
    return [DoctorFinding(PYTHON_USABLE if supported else PYTHON_OLD, "Python", version)]
