"""The installed kinds of acquirers, from entry points.

A configured acquirer is a kind with settings.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import urlsplit

import msgspec

from hundi.acquirers.calls.banks import BankTable
from hundi.acquirers.port.account_checks import AccountCheck
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.port.sandbox import UNKNOWN_SANDBOX, SandboxData
from hundi.acquirers.registry import CAPABILITY, Member, Registry
from hundi.instruments.methods import METHODS

GROUP = "hundi.acquirers"
"""The group of entry points; the name of an entry point is the name of the kind."""
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
_OF_A_PATTERN = re.compile(r"matching regex .* - at `\$\.(\w+)`\Z", re.DOTALL)
COMMON = ("kind", "methods")
"""Fields that every acquirer has, whatever its kind."""
_SEALED, _FIXED, _CERTIFIED, _ADDRESS = "sealed", "fixed", "certified", "address"
SECRET = msgspec.Meta(extra={_SEALED: True})
"""Marks a field of a kind's settings: it is sealed in the database, and shown to nobody."""
FIXED = msgspec.Meta(extra={_FIXED: True})
"""Marks a field that identifies the account at the acquirer.

Another value would be another account.
"""
ADDRESS = msgspec.Meta(extra={_ADDRESS: True})
"""Marks where the gateway connects to with the account's secrets: `WebAddress` has it already.

The console takes another one only with every secret typed again, and only of a public host.
"""
LINES = msgspec.Meta(extra={"lines": True})
"""Marks a text of several lines, such as a key in PEM."""
MACHINE_FILE = msgspec.Meta(extra={"machine_file": True})
"""Marks the path of a file of the gateway's machine: only a command there may name one."""


def certified_by(capability: str, value: object = True) -> msgspec.Meta:  # noqa: FBT002 (a setting's own value)
    """Return the mark of a field by which an operator says that a capability is certified.

    value: the field's value that says so. The account's page names one without evidence.
    """
    return msgspec.Meta(extra={_CERTIFIED: (capability, value)})


_WEB_HOST = r"(https://[^/?#@\s]+|http://(127\.0\.0\.1|localhost)(:[0-9]+)?)"
"""Hosts that keys and cards may be sent to: over TLS, or in the clear to this machine."""
WebAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^({_WEB_HOST}(/[^?#\s]*)?)?\Z",
        description="an https address, or an http address of this machine",
    ),
    ADDRESS,
]
"""The address for calls; "" for the acquirer's own."""
WebOrigin = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^{_WEB_HOST}\Z",
        description="https:// and a host, or http:// and this machine, without a path",
    ),
]
"""A site that customers may be sent to."""
ContactEmail = Annotated[
    str,
    msgspec.Meta(pattern=r"^[^|@\s]+@[^|@\s]+\Z", description="an email address", max_length=50),
]
ContactPhone = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9+]{10,15}\Z", description="10 to 15 digits or +")
]
"""The operator's own, sent for customers who gave none, where an acquirer demands one."""
Filled = Annotated[str, msgspec.Meta(min_length=1)]
_Settings = TypeVar("_Settings", bound=msgspec.Struct)


class AcquirerConfigurationError(ValueError):
    """An acquirer's configuration is wrong; the text names acquirer, field and what is allowed."""


@dataclass(frozen=True, slots=True)
class AcquirerContext:
    """What a connector may know of the gateway.

    callback_url: the address for its network's callbacks. memory: stores what it has to remember of
    each reference.
    """

    callback_url: str
    memory: Memory


@dataclass(frozen=True, slots=True)
class AcquirerKind(Generic[_Settings]):
    """One kind of acquirer: the value of an entry point of GROUP.

    settings: its own fields, as a struct. open: returns a connector with a name, without opening a
    connection. checks: an operator's checks of an account before it takes money. never: methods
    that it never serves, although it has their capability: a connector that sends customers to
    banks may have no wallets. brand: what merchants and customers call it, for public pages; "" for
    the kind's name. sandbox: what `hundi acquirer certify` pays with there.
    """

    settings: type[_Settings]
    open: Callable[[str, _Settings, AcquirerContext], Connector]
    checks: tuple[AccountCheck, ...] = ()
    never: tuple[str, ...] = ()
    brand: str = ""
    sandbox: SandboxData = UNKNOWN_SANDBOX


def open_registry(
    configured: Mapping[str, Mapping[str, Any]], callback_url: Callable[[str], str], memory: Memory
) -> Registry:
    """Return the configured acquirers; the first one that can serve a method does.

    configured: by name, `kind` and the kind's own fields; `methods` restricts which methods it
    serves. callback_url: returns the address by name. memory: shared by all. Raises
    AcquirerConfigurationError.
    """
    members = [
        open_member(name, fields, AcquirerContext(callback_url(name), memory))
        for name, fields in configured.items()
    ]
    check_together({each.connector.name: each.connector.simulated for each in members})
    registry = Registry(())
    registry.take(members)
    return registry


def open_member(name: str, fields: Mapping[str, Any], context: AcquirerContext) -> Member:
    """Open one acquirer without calling it. Raises AcquirerConfigurationError."""
    kind, connector = _opened(name, fields, context)
    brand = kind.brand or str(fields["kind"]).replace("_", " ").capitalize()
    return Member(connector, _methods(connector, kind, fields.get("methods")), brand=brand)


def check_together(taking: Mapping[str, bool]) -> None:
    """Refuse a simulated acquirer beside a live one, where both take payments.

    A test card would pay a real order. taking: by name, whether an acquirer that takes new payments
    is simulated. Raises AcquirerConfigurationError.
    """
    simulated = [name for name, is_simulated in taking.items() if is_simulated]
    live = [name for name, is_simulated in taking.items() if not is_simulated]
    if simulated and live:
        message = (
            f"acquirers: {', '.join(simulated)} only simulates payments and "
            f"{', '.join(live)} takes real money; "
            "one gateway cannot have both, because test cards would pay real orders"
        )
        raise AcquirerConfigurationError(message)


def _opened(
    name: str, fields: Mapping[str, Any], context: AcquirerContext
) -> tuple[AcquirerKind[Any], Connector]:
    if not _NAME.match(name):
        raise _fault(
            name,
            "a name is of small letters, digits and single underscores, and begins with a letter",
        )
    kind = kind_of(name, fields)
    names = [field.name for field in msgspec.structs.fields(kind.settings)]
    unknown = sorted(set(fields) - {*names, *COMMON})
    if unknown:
        raise _fault(
            name,
            f"{', '.join(unknown)}: not a field of this kind, which has "
            f"{', '.join([*COMMON, *names])}",
        )
    own = {field: value for field, value in fields.items() if field in names}
    try:
        settings = msgspec.convert(own, kind.settings, strict=False)
    except msgspec.ValidationError as error:
        raise _fault(name, _in_words(str(error), kind)) from None
    try:
        connector = kind.open(name, settings, context)
    except AcquirerConfigurationError:
        raise
    except Exception as error:
        # Its words may quote a secret, and pages show ours.
        raise _fault(
            name, f"its plug-in cannot open it with these fields: {type(error).__name__}"
        ) from error
    if connector.name != name:
        raise _fault(
            name,
            f"its plug-in calls it {connector.name}, and attempts would be stored under that name",
        )
    return kind, connector


def kind_of(name: str, fields: Mapping[str, Any]) -> AcquirerKind[Any]:
    """Return the installed kind that a configured acquirer names.

    Raises AcquirerConfigurationError.
    """
    kind = fields.get("kind")
    kinds = installed()
    if not kind:
        raise _fault(name, f"kind is missing; installed are: {_listed(kinds)}")
    if kind not in kinds:
        raise _fault(name, f"kind {kind} is not installed; installed are: {_listed(kinds)}")
    return _loaded(name, kinds[str(kind)])


def installed() -> Mapping[str, EntryPoint]:
    """Return the entry point of each installed kind, by its name, without loading it."""
    return {each.name: each for each in entry_points(group=GROUP)}


def _loaded(name: str, point: EntryPoint) -> AcquirerKind[Any]:
    try:
        kind = point.load()
    except Exception as error:
        raise _fault(
            name, f"the plug-in {point.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(kind, AcquirerKind):
        raise _fault(name, f"the plug-in {point.value} is no AcquirerKind")
    return kind


def described() -> list[dict[str, Any]]:
    """Return each installed kind: `kind`, the `package` it is from, and its `fields`.

    Each field says whether it is `needed`, `secret` (see SECRET) or `fixed` (see FIXED). Raises
    AcquirerConfigurationError.
    """
    rows: list[dict[str, Any]] = []
    for name, point in sorted(installed().items()):
        kind = _loaded(name, point)
        fields = msgspec.structs.fields(kind.settings)
        marked = {
            "needed": {field.name for field in fields if field.required},
            "secret": secret_fields(kind),
            "fixed": fixed_fields(kind),
        }
        told = {
            field.name: [mark for mark, names in marked.items() if field.name in names]
            for field in fields
        }
        rows.append(
            {"kind": name, "package": point.dist.name if point.dist else "", "fields": told}
        )
    return rows


def secret_fields(kind: AcquirerKind[Any]) -> frozenset[str]:
    """Return the names of a kind's fields that are marked as SECRET."""
    return _marked(kind, _SEALED)


def fixed_fields(kind: AcquirerKind[Any]) -> frozenset[str]:
    """Return the names of a kind's fields that are marked as FIXED."""
    return _marked(kind, _FIXED)


def address_fields(kind: AcquirerKind[Any]) -> frozenset[str]:
    """Return the names of a kind's fields that are marked as ADDRESS."""
    return _marked(kind, _ADDRESS)


def certified_fields(kind: AcquirerKind[Any], fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the capability by each field that says that it is certified (`certified_by`)."""
    marks = {
        name: mark
        for name, metas in _metas(kind).items()
        for each in metas
        if (mark := (each.extra or {}).get(_CERTIFIED))
    }
    settings = {
        name: str(fields.get(name, "")).lower() == str(value).lower()
        for name, (_, value) in marks.items()
    }
    return {name: capability for name, (capability, _) in marks.items() if settings[name]}


def _marked(kind: AcquirerKind[Any], mark: str) -> frozenset[str]:
    marked = _metas(kind)
    return frozenset(
        name
        for name, metas in marked.items()
        if any((each.extra or {}).get(mark) for each in metas)
    )


def _metas(kind: AcquirerKind[Any]) -> Mapping[str, tuple[msgspec.Meta, ...]]:
    """Return the annotations of each of a kind's fields."""
    return {
        each.name: getattr(each.type, "__metadata__", ())
        for each in msgspec.structs.fields(kind.settings)
    }


def _in_words(fault: str, kind: AcquirerKind[Any]) -> str:
    """Return a field's fault in words; for a pattern its description, where it has one.

    Few people read patterns.
    """
    match = _OF_A_PATTERN.search(fault)
    described = [
        each.description
        for each in _metas(kind).get(match[1] if match else "", ())
        if each.description
    ]
    return (
        f"{match[1]}: it has another form than this: {described[0]}"
        if match and described
        else fault
    )


def _methods(connector: Connector, kind: AcquirerKind[Any], restriction: object) -> frozenset[str]:
    """Return the methods that an acquirer serves.

    All that it can, or the wanted ones of them.
    """
    parts = restriction.split(",") if isinstance(restriction, str) else restriction or []
    if not isinstance(parts, list | tuple):
        raise _fault(connector.name, "methods: a list of names")
    names = [str(each).strip() for each in parts]
    able = [
        name
        for name in METHODS
        if isinstance(connector, CAPABILITY[name]) and name not in kind.never
    ]
    wrong = [each for each in names if each not in able]
    if wrong:
        raise _fault(
            connector.name,
            f"methods: it cannot do {', '.join(wrong)}; it can do {', '.join(able) or 'none'}",
        )
    return frozenset(names or able)


def origin_of(url: str) -> str:
    """Return the site of an address: scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def banks_of(name: str, table: BankTable, wanted: tuple[str, ...]) -> BankTable:
    """Return the banks and wallets of an acquirer's table that its account has.

    wanted: our codes; all of the table without. Raises AcquirerConfigurationError.
    """
    if strange := table.unknown(wanted):
        raise _fault(name, f"banks: this acquirer has no {', '.join(strange)}")
    return table.only(wanted)


def _listed(kinds: Mapping[str, EntryPoint]) -> str:
    return ", ".join(sorted(kinds)) or "none"


def _fault(name: str, words: str) -> AcquirerConfigurationError:
    return AcquirerConfigurationError(f"acquirers.{name}: {words}")
