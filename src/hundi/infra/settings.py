"""Settings from `HUNDI_*` variables, credentials or a TOML file, checked at start."""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from hundi.infra.errors import OperatorError
from hundi.infra.package_files import documentation_folder
from hundi.infra.settings_faults import faults_of
from hundi.infra.settings_shown import (
    MASK,
    NO_ADDRESS,
    is_address,
    shown_to_people,
    text_of,
    without_password,
)
from hundi.infra.settings_sources import (
    ACQUIRERS,
    CONFIG_VARIABLE,
    CREDENTIALS_VARIABLE,
    PREFIX,
    acquirers_from,
    decode_path,
    decoded_acquirers,
    from_credentials,
    from_environment,
    from_file,
    join_acquirers,
)

DEMO_FILE = "demo.json"
"""The file of a demo in the data directory: addresses and credentials, for scripts."""
ACQUIRER_KEY_FILE = "acquirer_key"
"""The file of a demo in the data directory: the key of the gateway and the simulated bank."""
MAILBOX_SOCKET = "mailbox.sock"
"""The socket of a demo in the data directory, on which its mailbox takes mails."""
LAST_BACKUP_FILE = "last_backup"
"""The file whose time is that of the last whole backup: in the folder of backups if it is named,
else in the data directory."""

Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]
Seconds = Annotated[int, msgspec.Meta(ge=1, le=86_400)]
Milliseconds = Annotated[int, msgspec.Meta(ge=1, le=600_000)]
_SECRET, _DATABASE = "secret", "database"
SecretText = Annotated[str, msgspec.Meta(extra={_SECRET: True})]
"""A setting that is shown to nobody, and that may come as a credential."""
DatabaseAddress = Annotated[
    str,
    msgspec.Meta(
        examples=["postgresql://ROLE:PASSWORD@127.0.0.1:5432/hundi"],
        extra={_SECRET: True, _DATABASE: True},
    ),
]
"""The same, of which all but the password may be shown."""
SiteAddress = Annotated[str, msgspec.Meta(examples=["https://pay.example.in"])]

Acquirers = Annotated[
    dict[str, dict[str, Any]],
    msgspec.Meta(examples=[{"payu": {"kind": "payu", "environment": "test", "key": "KEY"}}]),
]
"""By an acquirer's name: its kind and its fields."""


class SettingsError(OperatorError):
    """Settings cannot be used; the text names each, its source and the allowed values."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings of an operator.

    The environment variable is `HUNDI_` and the name in upper case.
    """

    data_dir: Path = Path(".hundi")
    """Where the embedded database, the key file and `demo.json` live; absolute after loading."""
    database_url: DatabaseAddress | None = None
    """Any PostgreSQL >= 15; without it the embedded one is used."""
    owner_database_url: DatabaseAddress | None = None
    """The same database for the [role that owns it](operations.md#roles), which migrates; without
    it `HUNDI_DATABASE_URL`."""
    console_database_url: DatabaseAddress | None = None
    """The same database for the [console's role](operations.md#roles); without it nobody can sign
    in if the other address is the gateway role's."""
    worker_database_url: DatabaseAddress | None = None
    """The same database for the worker's role, with `hundi serve`; without it
    `HUNDI_DATABASE_URL`."""
    read_database_url: DatabaseAddress | None = None
    """A [read replica](database.md#a-read-replica) for audits, lists and exports; never for
    requests of merchants."""
    read_lag_seconds: Seconds = 10
    """How long a command waits for the replica to catch up before it reads from the primary.
    """
    simbank_database_url: DatabaseAddress | None = None
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
    base_url: SiteAddress = ""
    """The gateway's address for merchants and customers; without it `http://host:port`."""
    payment_page_url: SiteAddress = ""
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
    keys: SecretText = ""
    """Key-encryption keys as text, in place of the file: `id:base64` separated by commas, newest
    first."""
    keys_command: SecretText = ""
    """A command that prints the keys, in place of the file, such as a [vault's
    program](operations.md#the-key-file).
    """
    acquirers: Acquirers = msgspec.field(default_factory=dict)
    """The acquirers by name: see [connectors](connectors.md#configure-it)."""
    acquirer_key: SecretText = ""
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
    upstream_api_key: SecretText = ""
    """Our api-key there."""
    upstream_processor_key: SecretText = ""
    """Our processor-key there."""
    upstream_secret: SecretText = ""
    """Our shared secret there."""
    upstream_card_token: SecretText = ""
    """Our card token there."""
    upstream_card_programme: str = ""
    """The programme of that token, as in partners' `card_programme`; no other partner sees its
    cards."""
    allow_private_callbacks: bool = False
    """Whether merchants' addresses may be loopback or private; always so in demo mode."""
    smtp_host: str = ""
    """The mail relay that takes [letters](letters.md) to people; none without it. It signs them
    (DKIM)."""
    smtp_port: Port = 587
    """Its port."""
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    """How the connection is encrypted; the certificate and the name are always checked. Choose
    `none` for a relay on the same machine alone."""
    smtp_user: str = ""
    """Our name there; none without it."""
    smtp_password: SecretText = ""
    """Our password there."""
    smtp_socket: Path | None = None
    """A Unix socket in place of host and port, without encryption: the demo's mailbox has one."""
    mail_from: str = "no-reply@localhost"
    """The address that mails come from."""
    sms_provider: Literal["", "exotel", "bridge"] = ""
    """Who takes [letters](letters.md#sms) to phones by SMS; nobody without it."""
    sms_url: str = ""
    """Its address, such as `https://api.in.exotel.com`; of a bridge, the whole address."""
    sms_account: str = ""
    """Our account there: Exotel's account sid."""
    sms_user: str = ""
    """Our name there: Exotel's API key."""
    sms_secret: SecretText = ""
    """Our secret there: Exotel's API token, a bridge's `whsec_` key."""
    whatsapp_provider: Literal["", "meta", "bridge"] = ""
    """Who takes [letters](letters.md#whatsapp) by WhatsApp; nobody without it."""
    whatsapp_url: str = "https://graph.facebook.com/v23.0"
    """Its address with the version; of a bridge, the whole address."""
    whatsapp_account: str = ""
    """Meta's id of the phone number that messages come from."""
    whatsapp_secret: SecretText = ""
    """Meta's access token, or a bridge's `whsec_` key."""
    quiet_hours: str = "21:00-08:00"
    """Indian time in which no reminder is sent to a customer; `never` for none."""
    trusted_proxies: tuple[str, ...] = ()
    """Networks, such as `10.0.0.0/8`, of the proxies whose `X-Forwarded-For` is believed."""
    backup_dir: Path | None = None
    """The folder that [`hundi backup`](database.md#backups) writes to, as this machine reaches
    it: [`hundi doctor`](doctor.md) says how old the newest copy is."""
    key_copy_file: Path | None = None
    """A copy of the key file, as this machine reaches it: [`hundi doctor`](doctor.md) says whether
    it has every key."""
    docs_dir: Path | None = None
    """The folder of the documentation's site (`make docs`), served at `/docs/`; without it the site
    inside the package, if there is one."""
    metrics_port: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 0
    """A port for `/metrics` alone, on the same host; 0: it is among the gateway's own addresses."""
    metrics_from: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    """Networks that may read `/metrics`; nobody else finds it."""
    status_page: bool = True
    """Whether everybody may read the [status page](status.md) at `/status`; off, nobody finds it,
    and no component is looked at."""
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
        for name in SECRETS:
            values[name] = MASK if values[name] else ""
        values["acquirers"] = {
            name: {field: shown_to_people(field, value) for field, value in fields.items()}
            for name, fields in self.acquirers.items()
        }
        for name in _DATABASES:
            url = getattr(self, name)
            values[name] = without_password(url) if url else None
        return {
            name: str(value) if isinstance(value, Path) else value for name, value in values.items()
        }

    def database_addresses(self) -> dict[str, str]:
        """Return every address of the gateway's database, by its variable."""
        names = [name for name in _DATABASES if name != "simbank_database_url"]
        addresses = {PREFIX + name.upper(): getattr(self, name) for name in names}
        return {name: url for name, url in addresses.items() if url}

    def environment(self) -> dict[str, str]:
        """Return the variables that give another process the same settings."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {
            PREFIX + name.upper(): text_of(value)
            for name, value in values.items()
            if value is not None
        }


SIMULATOR = "sandbox"
"""The stored connector name of attempts at the simulated bank."""
_TYPES = {field.name: field.type for field in msgspec.structs.fields(Settings)}


def _marked(mark: str) -> tuple[str, ...]:
    """Return the settings whose type has a mark."""
    return tuple(name for name, kind in _TYPES.items() if _has(kind, mark))


def _has(kind: object, mark: str) -> bool:
    metas = getattr(kind, "__metadata__", ())
    return any(mark in (meta.extra or {}) for meta in metas) or any(
        _has(each, mark) for each in get_args(kind)
    )


SECRETS = _marked(_SECRET)
"""The settings that may come as credentials; the fields of acquirers may, too."""
_DATABASES = _marked(_DATABASE)
_LISTS = ("path_aliases", "providers", "trusted_proxies", "metrics_from")
_NETWORKS = ("trusted_proxies", "metrics_from")


def load_settings(
    environment: Mapping[str, str] | None = None,
    /,
    **overrides: Any,  # noqa: ANN401 (a command line hands over what it parsed)
) -> Settings:
    """Return the settings: overrides, environment, credentials, TOML file, defaults.

    Each counts more than those after it.

    environment: by default the process's. An override of None counts as absent. Raises
    SettingsError naming every setting that cannot be used.
    """
    environment = os.environ if environment is None else environment
    options = {name: value for name, value in overrides.items() if value is not None}
    config = options.pop("config", None) or environment.get(CONFIG_VARIABLE)
    faults: list[str] = []
    values: dict[str, Any] = {}
    sources = [from_file(Path(config), faults)] if config else []
    if credentials := environment.get(CREDENTIALS_VARIABLE):
        sources.append(from_credentials(Path(credentials), SECRETS, faults))
    sources += [
        from_environment(environment, _TYPES, _LISTS),
        acquirers_from(environment),
        {name: (f"--{name}", value) for name, value in options.items()},
    ]
    for source in sources:
        for name, (origin, value) in source.items():
            if name not in _TYPES:
                faults.append(f"{origin} is not a setting{_nearest(name)}")
                continue
            try:
                read = msgspec.convert(
                    _split(name, value), _TYPES[name], strict=False, dec_hook=decode_path
                )
                if name in _DATABASES and read and not is_address(read):
                    faults.append(f"{origin}: {NO_ADDRESS}")
                values[name] = (
                    join_acquirers(values.get(name, {}), read) if name == ACQUIRERS else read
                )
            except ValueError as error:  # msgspec's own is one, too
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
        "docs_dir": settings.docs_dir or documentation_folder(),
    }
    if settings.acquirer_key and SIMULATOR not in settings.acquirers:
        changes["acquirers"] = with_simulator(
            settings.acquirers,
            str(changes["simbank_url"]),
            settings.acquirer_key,
            settings.simbank_face,
        )
    complete = msgspec.structs.replace(settings, **changes)
    faults = [f"{PREFIX}{name.upper()}: {words}" for name, words in faults_of(complete)]
    if faults:
        raise SettingsError("these settings cannot be used:\n  " + "\n  ".join(faults))
    return complete


def with_simulator(acquirers: Acquirers, url: str, key: str, face: str = "bank") -> Acquirers:
    """Return the acquirers with the simulated bank as the first of them."""
    others = {name: fields for name, fields in acquirers.items() if name != SIMULATOR}
    spoken_to = {} if face == "bank" else {"face": face}
    return {SIMULATOR: {"kind": SIMULATOR, "url": url, "key": key, **spoken_to}, **others}


def _split(name: str, value: object) -> object:
    if name in _LISTS and isinstance(value, str):
        return [part for part in (piece.strip() for piece in value.split(",")) if part]
    if _TYPES.get(name) is bool and isinstance(value, str):
        return {"on": "true", "off": "false"}.get(value.lower(), value)
    if name == ACQUIRERS and isinstance(value, str):
        return decoded_acquirers(value)
    return str(value) if isinstance(value, Path) else value


def _nearest(name: str) -> str:
    matches = difflib.get_close_matches(name, _TYPES, n=1)
    return f"; the nearest is {matches[0]}" if matches else ""
