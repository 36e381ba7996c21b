"""The providers' interfaces, and what they took for scripts."""

from dataclasses import asdict
from xml.sax.saxutils import escape

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import forms, replies
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.people import store as people
from hundi_testbed.bank.providers import rules
from hundi_testbed.bank.providers.rules import ProviderRefusal, TakenMessage
from hundi_testbed.bank.replies import BankReply

_XML = ((b"content-type", b"application/xml"),)


@post("/phones/exotel/v1/Accounts/{account:str}/Sms/send", status_code=200)
async def send_sms(request: Request, account: str) -> ASGIApp:
    """Take an SMS as Exotel does."""
    if not _signed_in(request, "Basic"):
        return _xml(401, "<RestException><Status>401</Status></RestException>")
    taken = rules.sms_of(await forms.read(request), clock.now())
    if isinstance(taken, ProviderRefusal):
        return _xml(
            taken.status,
            f"<RestException><Status>{taken.status}</Status>"
            f"<Message>{escape(taken.words)}</Message></RestException>",
        )
    number = await _arrive(bank_of(request), taken)
    return _xml(
        200,
        f"<SMSMessage><Sid>sms{number}</Sid><AccountSid>{escape(account)}</AccountSid>"
        f"<To>0{taken.number}</To><Status>queued</Status></SMSMessage>",
    )


@get("/phones/exotel/v1/Accounts/{account:str}/SMS/Messages/{sid:str}")
async def show_sms(request: Request, account: str, sid: str) -> ASGIApp:
    """Answer for a message that is not kept."""
    del account, sid
    status = 404 if _signed_in(request, "Basic") else 401
    return _xml(status, f"<RestException><Status>{status}</Status></RestException>")


@post("/phones/meta/{version:str}/{phone:str}/messages", status_code=200)
async def send_whatsapp(request: Request, version: str, phone: str) -> ASGIApp:
    """Take a WhatsApp message as Meta's Cloud API does."""
    del version, phone
    if not _signed_in(request, "Bearer"):
        return _no_token()
    try:
        body = msgspec.json.decode(await request.body(), type=dict)
    except (msgspec.DecodeError, RecursionError):
        body = {}
    taken = rules.whatsapp_of(body, clock.now())
    if isinstance(taken, ProviderRefusal):
        error = {"message": taken.words, "type": "OAuthException", "code": taken.code}
        return replies.json({"error": error}, taken.status)
    number = await _arrive(bank_of(request), taken)
    return replies.json(
        {
            "messaging_product": "whatsapp",
            "contacts": [{"input": body["to"], "wa_id": f"91{taken.number}"}],
            "messages": [{"id": f"wamid.{number}", "message_status": "accepted"}],
        }
    )


@get("/phones/meta/{version:str}/{phone:str}")
async def show_phone(request: Request, version: str, phone: str) -> ASGIApp:
    """Show the number that messages come from."""
    del version
    return replies.json({"id": phone}) if _signed_in(request, "Bearer") else _no_token()


@get("/phones/taken")
async def list_taken(request: Request) -> ASGIApp:
    """List what the providers took lately, newest first, for one number or all."""
    number = request.query_params.get("to", "")
    taken = reversed(bank_of(request).taken)
    return replies.json([asdict(each) for each in taken if number in {"", each.number}])


ROUTES = (send_sms, show_sms, send_whatsapp, show_phone, list_taken)


async def _arrive(bank: BankContext, message: TakenMessage) -> int:
    """Let a message arrive on its phone; return how many are kept."""
    bank.taken.append(message)
    words = f"{message.sender}: {message.words}"
    await people.write_message(bank.db, message.number, words, message.at)
    return len(bank.taken)


def _signed_in(request: Request, scheme: str) -> bool:
    """Return whether there is a key; which one it is, a demo does not mind."""
    given, _, key = request.headers.get("authorization", "").partition(" ")
    return given == scheme and bool(key)


def _no_token() -> BankReply:
    error = {"message": "Invalid OAuth access token.", "type": "OAuthException", "code": 190}
    return replies.json({"error": error}, 401)


def _xml(status: int, content: str) -> BankReply:
    body = f"<?xml version='1.0'?><TwilioResponse>{content}</TwilioResponse>"
    return BankReply(status, body.encode(), _XML)
