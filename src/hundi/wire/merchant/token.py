"""Access tokens, which every other operation carries (docs/spec/payment-interfaces.md#token)."""

from hundi.wire import kinds
from hundi.wire.fields import FieldError
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation
from hundi.wire.parts import FieldKind

GRANT_TYPE = "client_credentials"
SCOPES = ("", "page", "operations")
"""The scopes that a token may be requested with (docs/spec/wire.md#token-scopes)."""
CLIENT_ID_MAX = 20
CLIENT_SECRET_MAX = 200
_SECRET_LENGTH = f"1 to {CLIENT_SECRET_MAX} characters"


def _secret(text: str, name: str) -> str:
    if len(text) > CLIENT_SECRET_MAX:
        raise FieldError(name, "(not shown)", _SECRET_LENGTH)
    return text


_SECRET = FieldKind(
    _secret,
    lambda secret, _: secret,
    kinds.described(kinds.text(CLIENT_SECRET_MAX, 1), "OAuth client secret").schema,
    absent=_SECRET_LENGTH,
)
_ISSUED = FieldKind(
    kinds.NAME.read,
    lambda token, _: token,
    {"type": "string", "description": "Hex", "pattern": r"^[0-9a-f]{40}$"},
)
_SECONDS = FieldKind(
    kinds.WHOLE.read, kinds.WHOLE.write, {"type": "integer", "description": "Seconds", "minimum": 1}
)
_SCOPE = FieldKind(
    lambda text, _: text,
    lambda scope, _: scope or None,
    {"type": ["string", "null"], "enum": ["page", "operations", None]},
)


@message(of_the_page=None)
class TokenRequest:
    """A merchant's request for an access token."""

    client_id: str = sent(kinds.described(kinds.text(CLIENT_ID_MAX, 1), "OAuth client id"))
    client_secret: str = sent(_SECRET, hidden=True)
    merchant_id: str = sent(kinds.digits("The outer merchant_id", "10001"))
    grant_type: str = sent(kinds.one_of(GRANT_TYPE), meaning="Always this value")
    scope: str = sent(
        kinds.one_of(*SCOPES),
        meaning="The token's purpose; empty: see the documentation",
        default="",
    )


@message()
class AccessToken:
    """An access token."""

    token: str = sent(_ISSUED, "access_token", hidden=True)
    life_s: int = sent(_SECONDS, "expires_in")
    scope: str = sent(_SCOPE, default="")


ISSUE = Operation(
    "token",
    "issueToken",
    "access_token",
    "Issue access token",
    "payment-interfaces.md#token",
    ("oauth2/", "oauth2/token.php", "oauth2/index.php"),
    TokenRequest,
    AccessToken,
    "read",
    proofs=(),
    by_hand=True,
)
