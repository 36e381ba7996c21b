"""The plug-in of a bank's own switch: an operator's settings, and how it is opened."""

import ssl
from typing import Annotated, Literal

import msgspec

from hundi.acquirers.iso8583.checks import CHECKS
from hundi.acquirers.iso8583.connector import SwitchConnector
from hundi.acquirers.iso8583.dialects import DIALECTS, Dialect, Version
from hundi.acquirers.iso8583.fields import FIELD_MAX, MACS, Encoding, FieldShape, shape_of
from hundi.acquirers.iso8583.link import SwitchAddress
from hundi.acquirers.iso8583.mac import KEY_BYTES, Algorithm, Seal
from hundi.acquirers.iso8583.rules import Station
from hundi.acquirers.iso8583.sender import SwitchLine
from hundi.acquirers.iso8583.wire import Codec
from hundi.acquirers.kinds import (
    ADDRESS,
    FIXED,
    MACHINE_FILE,
    SECRET,
    AcquirerConfigurationError,
    AcquirerContext,
    AcquirerKind,
)

_Hex = Annotated[
    str, msgspec.Meta(pattern=r"^([0-9A-Fa-f]{2})*\Z", description="hexadecimal digits in pairs")
]


class SwitchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A line to a switch. See docs/iso8583.md#configure-it.

    host: the address of the switch. port: the port of the switch. acquirer_id: our institution
    (field 32). terminal_id: our terminal (field 41). acceptor_id: our number as a merchant
    (field 42). acceptor_name: our name and place (field 43). category: our merchant category
    code (field 18). country: the numeric code of our country. version: of the message type.
    encoding: of digits in the fields. bitmap: how the bitmap is written. header: bytes before
    each message. card_code_field: the field with the CVV, 0 for none. card_code_prefix:
    characters before the CVV in it. mac: how messages are signed. mac_key: signs messages.
    reversals: how a lost payment is taken back. tls: the line is encrypted. ca_file: the file
    of the bank's authority, on the gateway's machine. certificate_file: the file of our
    certificate. certificate_key_file: the file of its key. connect_s: seconds that a connection
    may take. answer_s: seconds that an answer may take. echo_s: seconds between two echoes.
    forget_after_s: seconds after which the answer "nothing to reverse" counts. mode: test makes it
    a simulation. fields: the bank's own shapes of some fields, by number. mac_key_before: the key
    before, which answers may still have.
    """

    host: Annotated[str, msgspec.Meta(min_length=1, max_length=253), ADDRESS]
    port: Annotated[int, msgspec.Meta(ge=1, le=65_535), ADDRESS]
    acquirer_id: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9]{1,11}\Z", description="1 to 11 digits"), FIXED
    ]
    terminal_id: Annotated[
        str,
        msgspec.Meta(pattern=r"^[ -~]{1,16}\Z", description="1 to 16 printable ASCII characters"),
    ]
    acceptor_id: Annotated[
        str,
        msgspec.Meta(pattern=r"^[ -~]{1,35}\Z", description="1 to 35 printable ASCII characters"),
        FIXED,
    ]
    acceptor_name: Annotated[
        str,
        msgspec.Meta(pattern=r"^[ -~]{1,40}\Z", description="1 to 40 printable ASCII characters"),
    ]
    category: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}\Z", description="4 digits")]
    country: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{3}\Z", description="3 digits")] = "356"
    mode: Literal["live", "test"] = "live"
    version: Version = "1987"
    encoding: Encoding = "ascii"
    bitmap: Encoding = "binary"
    header: _Hex = ""
    fields: dict[str, str] = {}
    card_code_field: Annotated[int, msgspec.Meta(ge=0, le=127)] = 0
    card_code_prefix: Annotated[str, msgspec.Meta(max_length=32)] = ""
    mac: Algorithm = "none"
    mac_key: Annotated[_Hex, SECRET] = ""
    mac_key_before: Annotated[_Hex, SECRET] = ""
    reversals: Literal["request", "advice"] = "request"
    tls: bool = True
    ca_file: Annotated[str, MACHINE_FILE] = ""
    certificate_file: Annotated[str, MACHINE_FILE] = ""
    certificate_key_file: Annotated[str, MACHINE_FILE] = ""
    connect_s: Annotated[float, msgspec.Meta(gt=0, le=5)] = 3.0
    answer_s: Annotated[float, msgspec.Meta(gt=0, le=18)] = 15.0
    echo_s: Annotated[float, msgspec.Meta(ge=1, le=3_600)] = 60.0
    forget_after_s: Annotated[float, msgspec.Meta(ge=0, le=86_400)] = 120.0


def _open(name: str, settings: SwitchSettings, context: AcquirerContext) -> SwitchConnector:
    dialect = DIALECTS[settings.version]
    line = SwitchLine(
        dialect,
        Station(
            acquirer=settings.acquirer_id,
            terminal=settings.terminal_id,
            acceptor=settings.acceptor_id,
            name_and_place=settings.acceptor_name,
            category=settings.category,
            country=settings.country,
            card_code_field=settings.card_code_field,
            card_code_prefix=settings.card_code_prefix,
        ),
        SwitchAddress(
            host=settings.host,
            port=settings.port,
            tls=_tls(name, settings),
            connect_s=settings.connect_s,
            answer_s=settings.answer_s,
            echo_s=settings.echo_s,
        ),
        Codec(
            _fields(name, dialect, settings),
            settings.encoding,
            settings.bitmap,
            Seal(settings.mac, _keys(name, settings)),
            bytes.fromhex(settings.header),
        ),
        settings.reversals == "advice",
        settings.forget_after_s,
    )
    return SwitchConnector(name, line, context.memory, simulated=settings.mode == "test")


def _fields(name: str, dialect: Dialect, settings: SwitchSettings) -> dict[int, FieldShape]:
    fields = dict(dialect.fields)
    for number, text in settings.fields.items():
        if not number.isdecimal() or not 1 < int(number) < FIELD_MAX or int(number) in MACS:
            raise _fault(name, f"fields: {number}: a number from 2 to 127, without 64")
        try:
            fields[int(number)] = shape_of(text)
        except ValueError as error:
            raise _fault(name, f"fields: {number}: {error}") from None
    if settings.card_code_field and settings.card_code_field not in fields:
        raise _fault(
            name, f"card_code_field: {settings.card_code_field} is no field of this dialect"
        )
    return fields


def _keys(name: str, settings: SwitchSettings) -> tuple[bytes, ...]:
    """Return the keys, the one in use first. Errors do not show them."""
    allowed = KEY_BYTES[settings.mac]
    keys = [bytes.fromhex(each) for each in (settings.mac_key, settings.mac_key_before) if each]
    if bool(keys) != (settings.mac != "none") or (keys and not settings.mac_key):
        raise _fault(
            name,
            f"mac_key: mac = {settings.mac} needs {'no key' if settings.mac == 'none' else 'one'}",
        )
    if any(len(each) not in allowed for each in keys):
        raise _fault(
            name, f"mac_key: {' or '.join(str(each * 2) for each in allowed)} hexadecimal digits"
        )
    return tuple(keys)


def _tls(name: str, settings: SwitchSettings) -> ssl.SSLContext | None:
    if not settings.tls:
        return None
    try:
        context = ssl.create_default_context(cafile=settings.ca_file or None)
        if settings.certificate_file:
            context.load_cert_chain(
                settings.certificate_file, settings.certificate_key_file or None
            )
    except OSError as error:
        raise _fault(
            name, f"ca_file, certificate_file: {error.strerror or type(error).__name__}"
        ) from None
    return context


def _fault(name: str, words: str) -> AcquirerConfigurationError:
    return AcquirerConfigurationError(f"acquirers.{name}: {words}")


KIND = AcquirerKind(SwitchSettings, _open, CHECKS, brand="Bank")
