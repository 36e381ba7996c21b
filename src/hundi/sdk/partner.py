"""The partner's client: identity, GST, cards, leads and terminals, and answers to offers."""

import hmac
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
import msgspec

from hundi.sdk import errors
from hundi.sdk.calls import Gateway
from hundi.sdk.partner_calls import (
    PartnerCalls,
    PartnerCredentials,
    PartnerRefusedError,
    PartnerRequest,
)
from hundi.sdk.transport import ReplyBody, http_options
from hundi.wire.fields import text_from_paise
from hundi.wire.partner import offers

__all__ = [
    "AsyncPartnerClient",
    "Offers",
    "PartnerClient",
    "PartnerCredentials",
    "PartnerRefusedError",
]

_GATEWAY = "/gateway"
_SUCCESS = 200
Result = TypeVar("Result")


class _Problems(msgspec.Struct):
    """The `data` of a refused lead."""

    error: str = ""
    errors: tuple[dict[str, str], ...] = ()


class _RefusedReply(msgspec.Struct):
    """A refusal; only a Hundi sends code and sentence.

    See docs/spec/partner-interfaces.md#replies.
    """

    message: str | list[str] = ""
    data: _Problems | str | list[str] = ""
    error: str = ""
    error_code: str = ""

    def error_of(self, reference_id: str) -> PartnerRefusedError:
        """Return the caller's error. reference_id: of the call, "" where none came."""
        said = self.data if isinstance(self.data, _Problems) else _Problems()
        words = (
            self.error
            or said.error
            or (self.message if isinstance(self.message, str) else "")
            or "refused"
        )
        return PartnerRefusedError(
            words, code=self.error_code, problems=said.errors, reference_id=reference_id
        )


class Offers:
    """An affiliate's side of the offers page: checks a question, and makes the answer to it.

    See docs/spec/partner-interfaces.md#offers.
    """

    def __init__(self, credentials: PartnerCredentials) -> None:
        """Keep the credentials."""
        self._keys = credentials

    def question(self, checksum: str, body: bytes) -> str:
        """Return the unique id of a question.

        Raises SignatureError, UnreadableCallbackError.
        """
        try:
            asked = msgspec.json.decode(body, type=dict[str, str])
            affiliate, unique_id = asked["affiliateid"], asked["uniqueid"]
        except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, RecursionError):
            message = "no question about an offer"
            raise errors.UnreadableCallbackError(message) from None
        _, wanted = offers.question(self._keys.affiliate, unique_id, self._keys.secret)
        genuine = hmac.compare_digest(wanted.encode(), checksum.encode("utf-8", "replace"))
        if affiliate != self._keys.affiliate or not genuine:
            message = "the checksum of the question is wrong"
            raise errors.SignatureError(message)
        return unique_id

    def grant(
        self, *, customer: str, amount_paise: int, at: datetime, expiry_days: int = 0
    ) -> bytes:
        """Return the answer that grants an offer.

        at: of the transaction, aware. expiry_days: 0 for your default.
        """
        moment = at.astimezone(offers.INDIA).strftime("%Y-%m-%d %H:%M:%S")
        data = {
            "transactiontime": moment,
            "customer": customer,
            "amount": text_from_paise(amount_paise),
        }
        if expiry_days:
            data["expiryday"] = str(expiry_days)
        checksum = offers.answer_checksum(self._keys.affiliate, self._keys.secret, data)
        return msgspec.json.encode(
            {"status": 200, "message": "success", "data": data, "checksum": checksum}
        )

    def refuse(self) -> bytes:
        """Return the answer that grants nothing."""
        return msgspec.json.encode({"status": 400, "message": "fail", "data": {}, "checksum": ""})


class _Connection:
    """The shared part of both clients."""

    def __init__(self, credentials: PartnerCredentials, gateway: Gateway) -> None:
        self.calls = PartnerCalls(credentials)
        self._base = gateway.base_url.rstrip("/") + _GATEWAY
        self._timeout_s = gateway.timeout_s

    def _told(self, asked: PartnerRequest[Result], response: httpx.Response, body: bytes) -> Result:
        try:
            reply = self.calls.opened(msgspec.json.decode(body, type=dict[str, Any]))
            if int(reply["status"]) == _SUCCESS:
                return asked.read(reply)
            refused = msgspec.convert(reply, _RefusedReply)
        except (msgspec.MsgspecError, KeyError, ValueError, TypeError, RecursionError):
            message = f"the reply (HTTP {response.status_code}) is not of the documented form"
            raise errors.UnreadableReplyError(message) from None
        raise refused.error_of(response.headers.get("x-request-id", ""))


class PartnerClient(_Connection):
    """A partner's connection: `client.ask(client.calls.cards("CUST1"))`.

    Close it, or use it as a context manager.
    """

    def __init__(self, credentials: PartnerCredentials, gateway: Gateway) -> None:
        """Keep the configuration; the first call opens a connection."""
        super().__init__(credentials, gateway)
        self._http = httpx.Client(**http_options(gateway))

    def ask(self, asked: PartnerRequest[Result]) -> Result:
        """Make a call, once. Raises PartnerRefusedError, UnreachableError, UnreadableReplyError."""
        body = ReplyBody(self._timeout_s)
        headers = {"content-type": asked.content_type, **asked.headers}
        try:
            with self._http.stream(
                "POST", self._base + asked.path, content=asked.body, headers=headers
            ) as response:
                for chunk in response.iter_bytes():
                    body.add(chunk)
        except (httpx.RequestError, TimeoutError) as error:
            raise errors.UnreachableError(type(error).__name__) from None
        return self._told(asked, response, body.whole())

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        self.close()


class AsyncPartnerClient(_Connection):
    """The same with asyncio: `await client.ask(client.calls.cards("CUST1"))`."""

    def __init__(self, credentials: PartnerCredentials, gateway: Gateway) -> None:
        """Keep the configuration; the first call opens a connection."""
        super().__init__(credentials, gateway)
        self._http = httpx.AsyncClient(**http_options(gateway))

    async def ask(self, asked: PartnerRequest[Result]) -> Result:
        """Make a call, once; see `PartnerClient.ask`."""
        body = ReplyBody(self._timeout_s)
        headers = {"content-type": asked.content_type, **asked.headers}
        try:
            async with self._http.stream(
                "POST", self._base + asked.path, content=asked.body, headers=headers
            ) as response:
                async for chunk in response.aiter_bytes():
                    body.add(chunk)
        except (httpx.RequestError, TimeoutError) as error:
            raise errors.UnreachableError(type(error).__name__) from None
        return self._told(asked, response, body.whole())

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self.close()
