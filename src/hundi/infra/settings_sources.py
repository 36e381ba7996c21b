"""Where settings come from: the environment, a directory of credentials, a TOML file."""

import json
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

PREFIX = "HUNDI_"
CREDENTIALS_VARIABLE = "CREDENTIALS_DIRECTORY"
"""The variable that names the folder of secrets; systemd sets it for `LoadCredential=`."""
CREDENTIAL_PREFIX = "hundi."
"""Other files of that folder are not ours."""
ACQUIRERS = "acquirers"
CONFIG_VARIABLE = "HUNDI_CONFIG"
_SIMBANK_PREFIX = "HUNDI_SIMBANK_"  # the simulated bank reads its own settings
ACQUIRER_PREFIX = "HUNDI_ACQUIRERS__"
_NOT_SETTINGS = (
    "HUNDI_TEST_",
    "HUNDI_MCP_KEY",
    "HUNDI_MERCHANT_",
)  # of tests, of an assistant, and of the commands that open envelopes
CREDENTIAL_BYTES_MAX = 64 * 1024

SettingsSource = dict[str, tuple[str, Any]]
"""By a setting's name: where it was found, in words, and its value."""


def from_environment(
    environment: Mapping[str, str], known: Collection[str], lists: Collection[str]
) -> SettingsSource:
    """Read our variables; an empty one counts as absent, except for lists, where it means none."""
    values: SettingsSource = {}
    for variable, value in environment.items():
        if (
            not variable.startswith(PREFIX)
            or variable == CONFIG_VARIABLE
            or variable.startswith(_NOT_SETTINGS)
        ):
            continue
        name = variable.removeprefix(PREFIX).lower()
        if variable.startswith(_SIMBANK_PREFIX) and name not in known:
            continue
        if variable.startswith(ACQUIRER_PREFIX):
            continue
        if value or name in lists:
            values[name] = (variable, value)
    return values


def acquirers_from(environment: Mapping[str, str]) -> SettingsSource:
    """Read the variables that hold one field of one acquirer each, in the order of their names."""
    acquirers: dict[str, dict[str, Any]] = {}
    for variable in sorted(name for name in environment if name.startswith(ACQUIRER_PREFIX)):
        name, _, field = variable.removeprefix(ACQUIRER_PREFIX).lower().partition("__")
        acquirers.setdefault(name, {})[field] = environment[variable]
    return {ACQUIRERS: (f"{ACQUIRER_PREFIX}*", acquirers)} if acquirers else {}


def from_credentials(folder: Path, secrets: Collection[str], faults: list[str]) -> SettingsSource:
    """Read the secrets in a folder, a file for each; an empty file counts as absent.

    `hundi.database_url` has a setting, `hundi.acquirers.payu.salt` a field of an acquirer. Line
    ends behind the value are left out.
    """
    values: SettingsSource = {}
    acquirers: dict[str, dict[str, Any]] = {}
    if not folder.is_dir():
        faults.append(f"{CREDENTIALS_VARIABLE}, {folder}: there is no such folder")
    for path in sorted(folder.glob(f"{CREDENTIAL_PREFIX}*")):
        name = path.name.removeprefix(CREDENTIAL_PREFIX)
        value = _credential(path, faults)
        noun, _, rest = name.partition(".")
        acquirer, _, field = rest.partition(".")
        if noun == ACQUIRERS and acquirer and field:
            acquirers.setdefault(acquirer, {}).update({field: value} if value else {})
        elif name not in secrets:
            faults.append(
                f"{path} is no secret of the settings, which are: {', '.join(sorted(secrets))},"
                f" {ACQUIRERS}.NAME.FIELD"
            )
        elif value:
            values[name] = (str(path), value)
    if acquirers:
        values[ACQUIRERS] = (f"{folder}/{CREDENTIAL_PREFIX}{ACQUIRERS}.*", acquirers)
    return values


def _credential(path: Path, faults: list[str]) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(CREDENTIAL_BYTES_MAX + 1)
        if len(content) > CREDENTIAL_BYTES_MAX:
            faults.append(f"{path}: over {CREDENTIAL_BYTES_MAX} bytes: this is no secret of ours")
        return content.decode("utf-8").rstrip("\r\n")
    except OSError as error:
        faults.append(f"{path}: {error.strerror}: let the user who runs Hundi read it")
    except UnicodeDecodeError:
        faults.append(f"{path}: it is no text in UTF-8")
    return ""


def from_file(path: Path, faults: list[str]) -> SettingsSource:
    """Read a TOML file, whose names are those of the settings."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        faults.append(f"{path}: {error.strerror}")
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        faults.append(f"{path}: {error}")
        return {}
    return {name: (f"{path}: {name}", value) for name, value in content.items()}


def decoded_acquirers(text: str) -> dict[str, Any]:
    """Return the acquirers in a text of JSON. Raises ValueError, in words."""
    try:
        return json.loads(text, object_pairs_hook=_without_twins)
    except ValueError as error:
        message = f"must be a JSON object of acquirers by name: {error}"
        raise ValueError(message) from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raises ValueError for a name that appears twice: one would be lost."""
    names = [name for name, _ in pairs]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise ValueError(f"{', '.join(twins)} stands there twice")
    return dict(pairs)


def join_acquirers(
    before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return acquirers with the fields of a later source merged in.

    Secrets may come as variables, the rest in a file.
    """
    return before | {name: before.get(name, {}) | fields for name, fields in after.items()}


def decode_path(wanted: type, value: object) -> Path:
    """Return a path of a setting; msgspec names the setting of what is none."""
    if wanted is Path and isinstance(value, str) and value:
        return Path(value).expanduser()
    message = "Expected a path"
    raise msgspec.ValidationError(message)
