"""The console's two cookies: the session's token, and the mark of a known browser."""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from hundi.api.context import GatewayContext
from hundi.staff.sign_in.actions import Signed

_SECURE_COOKIE, _COOKIE = "__Host-hundi-console", "hundi-console"
_SECURE_KNOWN, _KNOWN = "__Host-hundi-known", "hundi-known"
_KNOWN_S = 180 * 86_400
_SESSION_S = 12 * 3_600


def shown(gateway: GatewayContext, sent: Mapping[str, str]) -> tuple[str, str]:
    """Return the session's token and the browser's mark of a request, "" for a missing one."""
    token = sent.get(_cookie(gateway, _SECURE_COOKIE, _COOKIE), "")
    return token, sent.get(_cookie(gateway, _SECURE_KNOWN, _KNOWN), "")


def _cookie(gateway: GatewayContext, secure: str, plain: str) -> str:
    """Return the name of a cookie.

    With TLS the browser limits it to this host, this path and TLS.
    """
    return secure if gateway.settings.base_url.startswith("https://") else plain


def with_session(gateway: GatewayContext, answered: Response[Any], signed: Signed) -> Response[Any]:
    """Return an answer that gives the browser a session."""
    _set(gateway, answered, _cookie(gateway, _SECURE_COOKIE, _COOKIE), signed.token, _SESSION_S)
    if signed.known:
        _set(gateway, answered, _cookie(gateway, _SECURE_KNOWN, _KNOWN), signed.known, _KNOWN_S)
    return answered


def without_session(gateway: GatewayContext, answered: Response[Any]) -> Response[Any]:
    """Return an answer that removes the session and everything stored of it from the browser."""
    _set(gateway, answered, _cookie(gateway, _SECURE_COOKIE, _COOKIE), "", 0)
    answered.headers["clear-site-data"] = '"cache", "storage"'
    return answered


def _set(
    gateway: GatewayContext, answered: Response[Any], name: str, value: str, max_age_s: int
) -> None:
    secure = gateway.settings.base_url.startswith("https://")
    answered.set_cookie(
        name, value, max_age=max_age_s, path="/", httponly=True, secure=secure, samesite="strict"
    )
