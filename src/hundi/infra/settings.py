"""Settings from `HUNDI_*` environment variables or a TOML file, checked at start."""

import difflib
import json
import os
import tomllib
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from hundi.infra.errors import OperatorError
from hundi.infra.settings_shown import MASK, SECRET, shown_to_people, text_of, without_password

DEMO_FILE = "demo.json"
"""The file of a demo in the data directory: addresses and credentials, for scripts."""
ACQUIRER_KEY_FILE = "acquirer_key"
"""The file of a demo in the data directory: the key of the gateway and the simulated bank."""
PREFIX = "HUNDI_"
_NOT_SETTINGS = (
    "HUNDI_TEST_",
    "HUNDI_MERCHANT_",
)  # of tests, and of the commands that open envelopes
_SIMBANK_PREFIX = "HUNDI_SIMBANK_"  # the simulated bank reads its own settings
_CONFIG_VARIABLE = "HUNDI_CONFIG"
_ACQUIRER_PREFIX = "HUNDI_ACQUIRERS__"

Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Seconds = Annotated[int, msgspec.Meta(ge=1, le=86_400)]
Milliseconds = Annotated[int, msgspec.Meta(ge=1, le=600_000)]


Acquirers = dict[str, dict[str, Any]]
"""By an acquirer's name: its kind and its fields."""


class SettingsError(OperatorError):
    """Settings cannot be used; the text names each, its source and the allowed values."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings of an operator.

    The environment variable is `HUNDI_` and the name in upper case.
    """

    data_dir: Path = Path(".hundi")
    """Where the embedded database, the key file and `demo.json` live; absolute after loading."""
    database_url: str | None = None
    """Any PostgreSQL >= 15; without it the embedded one is used."""
    owner_database_url: str | None = None
    """The same database for the [role that owns it](#roles), which migrates; without it
    `HUNDI_DATABASE_URL`."""
    console_database_url: str | None = None
    """The same database for the [console's role](#roles); without it nobody can sign in if the
    other address is the gateway role's."""
    worker_database_url: str | None = None
    """The same database for the worker's role, with `hundi serve`; without it
    `HUNDI_DATABASE_URL`."""
    read_database_url: str | None = None
    """A [read replica](database.md#a-read-replica) for audits, lists and exports; never for
    requests of merchants."""
    read_lag_seconds: Seconds = 10
    """How long a command waits for the replica to catch up before it reads from the primary.
    """
    simbank_database_url: str | None = None
    """The simulated bank's own database; without it the embedded one is used."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: Port = 8080
    """The gateway's port."""
    simbank_port: Port = 0
    """The simulated bank's port; without it the gateway's port + 1."""
    simbank_face: Literal["bank", "aggregator", "aggregator_direct"] = "bank"
    """The simulated bank is a bank, an aggregator with its own card page, or one that takes cards
    typed at ours.
    """
    workers: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    """API processes."""
    demo: bool = False
    """Demo merchants, the simulated bank and the demo shop."""
    base_url: str = ""
    """The gateway's address for merchants and customers; without it `http://host:port`."""
    payment_page_url: str = ""
    """The payment page's address for customers; without it the base address."""
    simbank_url: str = ""
    """The simulated bank's address for the gateway and customers; without it
    `http://host:simbank_port`."""
    path_aliases: tuple[str, ...] = ("/airpay",)
    """Path prefixes existing clients use before every address of the interface."""
    token_seconds: Seconds = 300
    """Life of an access token."""
    session_seconds: Seconds = 900
    """Life of a payment session."""
    qr_seconds: Seconds = 480
    """Life of one UPI QR."""
    key_file: Path | None = None
    """Key-encryption keys, newest first; without it `kek` in the data directory."""
    keys: str = ""
    """Key-encryption keys as text, in place of the file: `id:base64` separated by commas, newest
    first."""
    keys_command: str = ""
    """A command that prints the keys, in place of the file, such as a [vault's
    program](#the-key-file).
    """
    acquirers: Acquirers = msgspec.field(default_factory=dict)
    """The acquirers by name: see [connectors](connectors.md#configure-it)."""
    acquirer_key: str = ""
    """The key by which gateway and simulated bank sign their calls to each other; setting it
    makes the acquirer `sandbox`."""
    fetch_reports: bool = True
    """Whether the worker fetches the [settlement reports](reconciliation.md#fetch) of every
    acquirer each morning.
    """
    providers: tuple[str, ...] = ()
    """Which installed [providers](providers.md) answer live questions: by name, the first that
    can."""
    upstream_url: str = ""
    """The address of the live provider of identity, GST and card data, which has our own
    interfaces; none without it."""
    upstream_live: bool = True
    """Whether identity documents are asked of the upstream's own live provider; off, of its
    simulated register."""
    upstream_affiliate: str = ""
    """Our affiliate code there."""
    upstream_api_key: str = ""
    """Our api-key there."""
    upstream_processor_key: str = ""
    """Our processor-key there."""
    upstream_secret: str = ""
    """Our shared secret there."""
    upstream_card_token: str = ""
    """Our card token there."""
    upstream_card_programme: str = ""
    """The programme of that token, as in partners' `card_programme`; no other partner sees its
    cards."""
    allow_private_callbacks: bool = False
    """Whether merchants' addresses may be loopback or private; always so in demo mode."""
    trusted_proxies: tuple[str, ...] = ()
    """Networks, such as `10.0.0.0/8`, of the proxies whose `X-Forwarded-For` is believed."""
    docs_dir: Path | None = None
    """The folder of the documentation's site (`make docs`), served at `/docs/`; without it nothing
    is there."""
    metrics_port: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 0
    """A port for `/metrics` alone, on the same host; 0: it is among the gateway's own addresses."""
    metrics_from: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    """Networks that may read `/metrics`; nobody else finds it."""
    traces_to: str = ""
    """Where OpenTelemetry traces are sent (OTLP over HTTP), such as `http://127.0.0.1:4318`; none
    without it."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe line that is written."""
    pool_size: Annotated[int, msgspec.Meta(ge=1, le=200)] = 8
    """Database connections of one process, besides up to 4 for shared commits and one that listens.
    """
    requests_at_once: Annotated[int, msgspec.Meta(ge=2, le=200)] = 16
    """Requests worked on at once, long ones as several, at banks as none; of several senders each
    has a quarter."""
    requests_a_minute: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 6_000
    """Requests of one network a minute in one process, until it shows a merchant's or partner's
    keys; 0: any number.
    """
    statement_timeout_ms: Milliseconds = 10_000
    """Longest a statement may run."""
    archive_after_days: Annotated[int, msgspec.Meta(ge=31, le=3_650)] = 180
    """How many days after the last that happened to a payment [`hundi archive`](retention.md) may
    move it.
    """
    lock_timeout_ms: Milliseconds = 3_000
    """Longest a statement may wait for a lock."""

    def masked(self) -> dict[str, Any]:
        """Return every setting for people to read, secrets hidden."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        for name in SECRET:
            values[name] = MASK if values[name] else ""
        values["acquirers"] = {
            name: {field: shown_to_people(field, value) for field, value in fields.items()}
            for name, fields in self.acquirers.items()
        }
        for name in _DATABASES:
            values[name] = without_password(values[name]) if values[name] else None
        return {
            name: str(value) if isinstance(value, Path) else value for name, value in values.items()
        }

    def environment(self) -> dict[str, str]:
        """Return the variables that give another process the same settings."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {
            PREFIX + name.upper(): text_of(value)
            for name, value in values.items()
            if value is not None
        }


ACQUIRER_KEY_LENGTH_MIN = 16
SIMULATOR = "sandbox"
"""The stored connector name of attempts at the simulated bank."""
_DATABASES = (
    *("database_url", "read_database_url", "owner_database_url"),
    *("console_database_url", "worker_database_url", "simbank_database_url"),
)
_TYPES = {field.name: field.type for field in msgspec.structs.fields(Settings)}
_LISTS = ("path_aliases", "providers", "trusted_proxies", "metrics_from")
_NETWORKS = ("trusted_proxies", "metrics_from")


def load_settings(
    environment: Mapping[str, str] | None = None,
    /,
    **overrides: Any,  # noqa: ANN401 (a command line hands over what it parsed)
) -> Settings:
    """Return the settings: overrides before environment before TOML file before defaults.

    environment: by default the process's. An override of None counts as absent. Raises
    SettingsError naming every setting that cannot be used.
    """
    environment = os.environ if environment is None else environment
    options = {name: value for name, value in overrides.items() if value is not None}
    config = options.pop("config", None) or environment.get(_CONFIG_VARIABLE)
    faults: list[str] = []
    values: dict[str, Any] = {}
    sources = [_from_file(Path(config), faults)] if config else []
    sources += [
        _from_environment(environment),
        _acquirers_from(environment),
        {name: (f"--{name}", value) for name, value in options.items()},
    ]
    for source in sources:
        for name, (origin, value) in source.items():
            if name not in _TYPES:
                faults.append(f"{origin} is not a setting{_nearest(name)}")
                continue
            try:
                read = msgspec.convert(
                    _split(name, value), _TYPES[name], strict=False, dec_hook=_decode_path
                )
                values[name] = _merged(values.get(name, {}), read) if name == "acquirers" else read
            except msgspec.ValidationError as error:
                faults.append(f"{origin}: {error}")
    if faults:
        raise SettingsError("these settings cannot be used:\n  " + "\n  ".join(faults))
    return _complete(Settings(**values))


def _complete(settings: Settings) -> Settings:
    """Fill the settings that follow from others, so that each address is computed once."""
    simbank_port = settings.simbank_port or settings.port + 1
    data_dir = settings.data_dir.absolute()
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104 (recognised, not bound)
    base_url = (settings.base_url or f"http://{host}:{settings.port}").rstrip("/")
    changes = {
        "data_dir": data_dir,
        "simbank_port": simbank_port,
        "base_url": base_url,
        "payment_page_url": (settings.payment_page_url or base_url).rstrip("/"),
        "simbank_url": (settings.simbank_url or f"http://{host}:{simbank_port}").rstrip("/"),
        "key_file": (settings.key_file or data_dir / "kek").absolute(),
        "allow_private_callbacks": settings.allow_private_callbacks or settings.demo,
    }
    if settings.acquirer_key and SIMULATOR not in settings.acquirers:
        changes["acquirers"] = with_simulator(
            settings.acquirers,
            str(changes["simbank_url"]),
            settings.acquirer_key,
            settings.simbank_face,
        )
    for name in ("base_url", "payment_page_url", "simbank_url"):
        if urlsplit(str(changes[name])).scheme not in {"http", "https"}:
            message = (
                f"these settings cannot be used:\n  {PREFIX}{name.upper()}: must start with"
                " http:// or https://"
            )
            raise SettingsError(message)
    if 0 < len(settings.acquirer_key) < ACQUIRER_KEY_LENGTH_MIN:
        message = (
            f"these settings cannot be used:\n  {PREFIX}ACQUIRER_KEY: {ACQUIRER_KEY_LENGTH_MIN}"
            " characters at least"
        )
        raise SettingsError(message)
    for name in _NETWORKS:
        try:
            _ = [ip_network(each) for each in getattr(settings, name)]
        except ValueError as error:
            message = f"these settings cannot be used:\n  {PREFIX}{name.upper()}: {error}"
            raise SettingsError(message) from None
    return msgspec.structs.replace(settings, **changes)


def with_simulator(acquirers: Acquirers, url: str, key: str, face: str = "bank") -> Acquirers:
    """Return the acquirers with the simulated bank as the first of them."""
    others = {name: fields for name, fields in acquirers.items() if name != SIMULATOR}
    spoken_to = {} if face == "bank" else {"face": face}
    return {SIMULATOR: {"kind": SIMULATOR, "url": url, "key": key, **spoken_to}, **others}


def _merged(before: Acquirers, after: Acquirers) -> Acquirers:
    """Return acquirers with the fields of a later source merged in.

    Secrets may come as variables, the rest in a file.
    """
    return before | {name: before.get(name, {}) | fields for name, fields in after.items()}


def _acquirers_from(environment: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Read the variables that hold one field of one acquirer each, in the order of their names."""
    acquirers: Acquirers = {}
    for variable in sorted(name for name in environment if name.startswith(_ACQUIRER_PREFIX)):
        name, _, field = variable.removeprefix(_ACQUIRER_PREFIX).lower().partition("__")
        acquirers.setdefault(name, {})[field] = environment[variable]
    return {"acquirers": (f"{_ACQUIRER_PREFIX}*", acquirers)} if acquirers else {}


def _from_environment(environment: Mapping[str, str]) -> dict[str, tuple[str, Any]]:
    """Read our variables; an empty one counts as absent, except for lists, where it means none."""
    values: dict[str, tuple[str, Any]] = {}
    for variable, value in environment.items():
        if (
            not variable.startswith(PREFIX)
            or variable == _CONFIG_VARIABLE
            or variable.startswith(_NOT_SETTINGS)
        ):
            continue
        name = variable.removeprefix(PREFIX).lower()
        if variable.startswith(_SIMBANK_PREFIX) and name not in _TYPES:
            continue
        if variable.startswith(_ACQUIRER_PREFIX):
            continue
        if value or name in _LISTS:
            values[name] = (variable, value)
    return values


def _from_file(path: Path, faults: list[str]) -> dict[str, tuple[str, Any]]:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        faults.append(f"{path}: {error.strerror}")
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        faults.append(f"{path}: {error}")
        return {}
    return {name: (f"{path}: {name}", value) for name, value in content.items()}


def _split(name: str, value: object) -> object:
    if name in _LISTS and isinstance(value, str):
        return [part for part in (piece.strip() for piece in value.split(",")) if part]
    if _TYPES.get(name) is bool and isinstance(value, str):
        return {"on": "true", "off": "false"}.get(value.lower(), value)
    if name == "acquirers" and isinstance(value, str):
        return _decode_acquirers(value)
    return str(value) if isinstance(value, Path) else value


def _decode_acquirers(text: str) -> dict[str, Any]:
    try:
        return json.loads(text, object_pairs_hook=_without_twins)
    except ValueError as error:
        raise msgspec.ValidationError(
            f"must be a JSON object of acquirers by name: {error}"
        ) from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raises ValueError for a name that appears twice: one would be lost."""
    names = [name for name, _ in pairs]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise ValueError(f"{', '.join(twins)} stands there twice")
    return dict(pairs)


def _decode_path(wanted: type, value: object) -> Path:
    if wanted is Path and isinstance(value, str) and value:
        return Path(value).expanduser()
    message = "Expected a path"
    raise msgspec.ValidationError(message)


def _nearest(name: str) -> str:
    matches = difflib.get_close_matches(name, _TYPES, n=1)
    return f"; the nearest is {matches[0]}" if matches else ""
