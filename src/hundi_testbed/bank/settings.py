"""The simulator's settings: addresses, the shared key, and the durations of its outcomes."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

_KEY_BYTES_MIN = 16
_CALLBACK_PATH = "/callbacks/sandbox"


class BankSettingsError(Exception):
    """A setting is missing or malformed; the text names it and the allowed values."""


@dataclass(frozen=True, slots=True)
class Timings:
    """How long the triggers take, in seconds; the defaults are the simulator's contract.

    pending_s: `pending@hundi`, `silent@hundi` and the silent card; deemed_s: `deemed@hundi`;
    enach_s: until a bank registers a mandate; collect_s: until a payer's app answers a collect
    request; challenge_s: how long a 3-D Secure page lives; hold_s: how long the silent card keeps
    the acquirer's call open.
    """

    pending_s: float = 20.0
    deemed_s: float = 60.0
    enach_s: float = 20.0
    collect_s: float = 1.0
    challenge_s: float = 600.0
    hold_s: float = 60.0


@dataclass(frozen=True, slots=True)
class BankSettings:
    """Everything from `HUNDI_SIMBANK_*` and the shared `HUNDI_ACQUIRER_KEY`.

    return_origins: where a browser may return to after a challenge. apart_s: how far this process's
    own clock is ahead (below zero: behind), None for the bank's one clock. waits_for: due work
    waits while this file exists: another process makes the history of a demo. mail_socket: where
    mails arrive, None for nowhere.
    """

    database_url: str
    acquirer_key: bytes = field(repr=False)
    callback_url: str
    public_url: str
    return_origins: tuple[str, ...]
    timings: Timings = Timings()
    pool_size: int = 8
    apart_s: float | None = None
    waits_for: Path | None = None
    mail_socket: Path | None = None


def load_settings(environ: Mapping[str, str] = os.environ) -> BankSettings:
    """Return the settings of this process; raises BankSettingsError.

    `HUNDI_SIMBANK_DATABASE_URL`; `HUNDI_ACQUIRER_KEY` or `HUNDI_SIMBANK_ACQUIRER_KEY_FILE` (its
    stripped text, as UTF-8, is the key); `HUNDI_SIMBANK_GATEWAY_URL` (callbacks go to its
    `/callbacks/sandbox`, or to `HUNDI_SIMBANK_CALLBACK_URL`); `HUNDI_SIMBANK_RETURN_ORIGINS`
    (comma-separated, default the gateway's origin); `HUNDI_SIMBANK_PUBLIC_URL` (default the
    gateway's own `HUNDI_SIMBANK_URL`); `HUNDI_SIMBANK_PENDING_SECONDS`, `_DEEMED_SECONDS`,
    `_ENACH_SECONDS`, `_COLLECT_SECONDS`, `_CHALLENGE_SECONDS`, `_HOLD_SECONDS`;
    `HUNDI_SIMBANK_MAIL_SOCKET`; `HUNDI_SIMBANK_APART_SECONDS` and `HUNDI_SIMBANK_WAITS_FOR`, while
    a demo's history is made.
    """
    gateway_url = _web_address(environ, "HUNDI_SIMBANK_GATEWAY_URL", "http://127.0.0.1:8080")
    defaults = Timings()
    apart, waits_for, mail_socket = (
        environ.get("HUNDI_SIMBANK_APART_SECONDS", ""),
        environ.get("HUNDI_SIMBANK_WAITS_FOR", ""),
        environ.get("HUNDI_SIMBANK_MAIL_SOCKET", ""),
    )
    return BankSettings(
        database_url=_required(environ, "HUNDI_SIMBANK_DATABASE_URL"),
        acquirer_key=_acquirer_key(environ),
        callback_url=_web_address(
            environ, "HUNDI_SIMBANK_CALLBACK_URL", gateway_url + _CALLBACK_PATH
        ),
        public_url=_web_address(
            environ,
            "HUNDI_SIMBANK_PUBLIC_URL",
            environ.get("HUNDI_SIMBANK_URL", "") or "http://127.0.0.1:8081",
        ),
        return_origins=_origins(environ, gateway_url),
        timings=Timings(
            pending_s=_seconds(environ, "HUNDI_SIMBANK_PENDING_SECONDS", defaults.pending_s),
            deemed_s=_seconds(environ, "HUNDI_SIMBANK_DEEMED_SECONDS", defaults.deemed_s),
            enach_s=_seconds(environ, "HUNDI_SIMBANK_ENACH_SECONDS", defaults.enach_s),
            collect_s=_seconds(environ, "HUNDI_SIMBANK_COLLECT_SECONDS", defaults.collect_s),
            challenge_s=_seconds(environ, "HUNDI_SIMBANK_CHALLENGE_SECONDS", defaults.challenge_s),
            hold_s=_seconds(environ, "HUNDI_SIMBANK_HOLD_SECONDS", defaults.hold_s),
        ),
        apart_s=float(apart) if apart else None,
        waits_for=Path(waits_for) if waits_for else None,
        mail_socket=Path(mail_socket) if mail_socket else None,
    )


def origin(url: str) -> str:
    """Return scheme, host and port of a web address in lower case, "" for any other."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    default_port = {"http": 80, "https": 443}[parts.scheme]
    return (
        f"{parts.scheme}://{host}"
        if port in {None, default_port}
        else f"{parts.scheme}://{host}:{port}"
    )


def _required(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "")
    if not value:
        text = f"{name} is not set"
        raise BankSettingsError(text)
    return value


def _acquirer_key(environ: Mapping[str, str]) -> bytes:
    text = environ.get("HUNDI_ACQUIRER_KEY", "")
    path = environ.get("HUNDI_SIMBANK_ACQUIRER_KEY_FILE", "")
    if not text and path:
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as problem:
            reason = (
                "HUNDI_SIMBANK_ACQUIRER_KEY_FILE names a file that cannot be read:"
                f" {problem.strerror}"
            )
            raise BankSettingsError(reason) from None
    key = text.strip().encode()
    if len(key) < _KEY_BYTES_MIN:
        reason = (
            f"HUNDI_ACQUIRER_KEY (or HUNDI_SIMBANK_ACQUIRER_KEY_FILE) needs {_KEY_BYTES_MIN} bytes"
            " or more"
        )
        raise BankSettingsError(reason)
    return key


def _origins(environ: Mapping[str, str], default: str) -> tuple[str, ...]:
    name = "HUNDI_SIMBANK_RETURN_ORIGINS"
    origins = tuple(origin(text.strip()) for text in (environ.get(name, "") or default).split(","))
    if "" in origins:
        text = f"{name} must be http or https addresses with commas between them"
        raise BankSettingsError(text)
    return origins


def _web_address(environ: Mapping[str, str], name: str, default: str) -> str:
    value = environ.get(name, "") or default
    if not origin(value):
        text = f"{name} must be an http or https address, not {value!r}"
        raise BankSettingsError(text)
    return value.rstrip("/")


def _seconds(environ: Mapping[str, str], name: str, default: float) -> float:
    text = environ.get(name, "")
    try:
        value = float(text) if text else default
    except ValueError:
        value = -1.0
    if not 0 <= value <= 86_400:  # noqa: PLR2004  (a day; NaN fails too)
        reason = f"{name} must be a number of seconds from 0 to 86400, not {text!r}"
        raise BankSettingsError(reason)
    return value
