"""Everything the SDK raises, in one tree; each error says whether trying again can help.

HundiError
├── ConfigurationError          credentials, addresses or settings cannot work
│   └── WrongKeyError               replies have another key: wrong username or password
├── InvalidRequestError         a field breaks a bound of the interface; nothing was sent
│   └── InvalidOrderError           a field of the order
├── TransportError              no usable answer
│   ├── UnreachableError            no answer: refused, timed out or broken off
│   └── UnreadableReplyError        an answer that is not the gateway's
├── RefusedError                the gateway said no, with a code
│   ├── RequestRefusedError         101 102 103 110 413: something in the request is wrong
│   ├── TokenRefusedError           104 105 106: access token unknown, expired or for something else
│   ├── CredentialsRefusedError     108 501 903: merchant id, API secret, or OAuth client
│   ├── OrderRefusedError           111 112 122: order or request id already used
│   ├── NotEnabledError             113 130 131 U04: the merchant may not do this
│   ├── StateRefusedError           120 121: not in this state, or more than remains
│   ├── NotFoundError               503: no records
│   ├── TooManyRequestsError        429
│   └── GatewayFaultError           999: the gateway's own fault
└── UntrustedError              an answer, return or notification that must not be believed
    ├── UnreadableCallbackError     not of any documented form, or encrypted under another key
    ├── SignatureError              webhook signature missing or wrong
    ├── StaleError                  signed too long ago, or in the future
    ├── SecureHashError             `ap_SecureHash` does not cover the values
    └── MismatchError               order id, amount, currency or merchant is not the expected one
"""

from collections.abc import Mapping

from hundi.kernel.refusals import Retry
from hundi.wire import codes

__all__ = [
    "ConfigurationError",
    "CredentialsRefusedError",
    "GatewayFaultError",
    "HundiError",
    "InvalidOrderError",
    "InvalidRequestError",
    "MismatchError",
    "NotEnabledError",
    "NotFoundError",
    "OrderRefusedError",
    "RefusedError",
    "RequestRefusedError",
    "Retry",
    "SecureHashError",
    "SignatureError",
    "StaleError",
    "StateRefusedError",
    "TokenRefusedError",
    "TooManyRequestsError",
    "TransportError",
    "UnreachableError",
    "UnreadableCallbackError",
    "UnreadableReplyError",
    "UntrustedError",
    "WrongKeyError",
    "refusal",
]


class HundiError(Exception):
    """The root of everything the SDK raises on purpose.

    message: a sentence for the merchant's developer; it never contains a secret. code: the
    gateway's response code (docs/spec/states-and-codes.md#response-codes), or "" when it gave none.
    reference_id: what to quote to the gateway's operator, or "". retry: `never`, `after_fix` or
    `later`: whether the same call can succeed if it is made again.
    """

    retry: Retry = Retry.AFTER_FIX

    def __init__(self, message: str, *, code: str = "", reference_id: str = "") -> None:
        """Keep the values, and show all of them in one line."""
        self.message = message
        self.code = code
        self.reference_id = reference_id
        declared = codes.BY_WIRE.get(code)
        if declared:
            self.retry = Retry(declared.retry)
        parts = (
            f"[{code}]" if code else "",
            message,
            f"(reference {reference_id})" if reference_id else "",
        )
        super().__init__(" ".join(part for part in parts if part))


class ConfigurationError(HundiError):
    """Credentials, addresses or settings cannot work.

    Raised before anything is sent where possible.
    """


class WrongKeyError(ConfigurationError):
    """The gateway's reply is encrypted under another key: check `username` and `password`.

    code, reference_id: what the reply says in plain beside the encrypted part, if it does.
    """


class InvalidRequestError(HundiError):
    """A field breaks a bound of the interface; raised before anything is sent.

    field: the field's name on the wire. received: what was given. allowed: what would be accepted.
    """

    def __init__(self, field: str, received: str, allowed: str) -> None:
        """Keep the field, its value and its bound."""
        super().__init__(f"{field}: received {received!r}, allowed is {allowed}")
        self.field = field
        self.received = received
        self.allowed = allowed


class InvalidOrderError(InvalidRequestError):
    """A field of the order that the customer is to pay."""


class TransportError(HundiError):
    """No usable answer arrived; the gateway may or may not have acted on the request."""

    retry = Retry.LATER


class UnreachableError(TransportError):
    """No answer: the connection was refused, timed out or broke off."""


class UnreadableReplyError(TransportError):
    """An answer arrived that is not the gateway's.

    A proxy's error page, another key, or too long a reply.
    """


class RefusedError(HundiError):
    """The gateway refused the request. `code` is its response code.

    See docs/spec/states-and-codes.md#response-codes.
    """


class RequestRefusedError(RefusedError):
    """101, 102, 103, 110, 413: something in the request is wrong; the message names it."""


class TokenRefusedError(RefusedError):
    """104, 105, 106: the access token is unknown, expired or for something else."""


class CredentialsRefusedError(RefusedError):
    """108, 501, 903: the merchant id, the API secret or the OAuth client is wrong."""


class OrderRefusedError(RefusedError):
    """111, 112, 122: the id was used with other content, or the order is paid."""


class NotEnabledError(RefusedError):
    """113, 130, 131, U04: this merchant may not do this.

    Currency, channel, sandbox, suspension or domain.
    """


class StateRefusedError(RefusedError):
    """120, 121: not allowed in the payment's state, or more than remains."""


class NotFoundError(RefusedError):
    """503: no transaction of this merchant matches. A payment never started is not found either."""


class TooManyRequestsError(RefusedError):
    """429: the rate limit is used up for now."""


class GatewayFaultError(RefusedError):
    """999: the gateway's own fault, logged there under `reference_id`."""


class UntrustedError(HundiError):
    """A reply, return or notification that must not be believed: do not release goods for it.

    Money may still have moved. `verify` is the way to find out.
    """

    retry = Retry.NEVER


class UnreadableCallbackError(UntrustedError):
    """Of no documented form, or encrypted under another merchant's key."""


class SignatureError(UntrustedError):
    """The webhook signature is missing or made with none of the merchant's webhook keys."""


class StaleError(UntrustedError):
    """Signed too long ago or too far in the future: a replay, or a clock that is wrong."""


class SecureHashError(UntrustedError):
    """`ap_SecureHash` is missing or does not cover the values that came with it."""


class MismatchError(UntrustedError):
    """Genuine, but about something else: another order, amount, currency or merchant.

    field: which one. expected, received: both values as text.
    """

    def __init__(self, field: str, expected: str, received: str) -> None:
        """Keep the differing value's name, and both values."""
        super().__init__(f"{field}: expected {expected!r}, received {received!r}")
        self.field = field
        self.expected = expected
        self.received = received


_KINDS: dict[str, type[RefusedError]] = {
    **dict.fromkeys(("101", "102", "103", "110", "413"), RequestRefusedError),
    **dict.fromkeys(("104", "105", "106"), TokenRefusedError),
    **dict.fromkeys(("108", "501", "903"), CredentialsRefusedError),
    **dict.fromkeys(("111", "112", "122"), OrderRefusedError),
    **dict.fromkeys(("113", "130", "131", "U04"), NotEnabledError),
    **dict.fromkeys(("120", "121"), StateRefusedError),
    "503": NotFoundError,
    "429": TooManyRequestsError,
    "999": GatewayFaultError,
}


def refusal(envelope: Mapping[str, object]) -> RefusedError:
    """Return the error of a refusing reply; an unknown code gives a plain RefusedError."""
    code = str(envelope.get("error_code") or envelope.get("response_code") or "")
    message = str(envelope.get("message") or "the gateway gave no reason")
    kind = _KINDS.get(code, RefusedError)
    return kind(message, code=code, reference_id=str(envelope.get("request_id") or ""))
