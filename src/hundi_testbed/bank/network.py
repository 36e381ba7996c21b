"""Open routes without a signature: pay as a customer's app, read the books, inject faults."""

from datetime import timedelta
from typing import Annotated

import msgspec
from asyncpg import Record
from litestar import Request, asgi, delete, get, post, put
from litestar.params import Parameter
from litestar.types import ASGIApp, Receive, Scope, Send

from hundi_testbed.bank import actions, jobs, rates, replies, store
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.bookkeeping import store as bookkeeping
from hundi_testbed.bank.callback_sender import GatewaySilentError
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.clock.rules import Steps
from hundi_testbed.bank.database import AWAY
from hundi_testbed.bank.fault_injection import FaultSettings
from hundi_testbed.bank.messages import BankBookEntry, BankBookPage, PayAnswer, PayRequest
from hundi_testbed.bank.upi_links import LinkRefusedError, read_link, read_vpa

_PAGE_OF_BOOKS = 1_000
_PLACE_MAX = 2**63 - 1
_PAY_BYTES_MAX = 16 * 1024
_ADVANCE_S_MAX = 2 * 366 * 86_400
_EXPIRED = PayAnswer("declined", "U69", "", "This QR code has expired; nothing was paid")
_TOO_LONG = replies.problem(413, f"a request has at most {_PAY_BYTES_MAX} bytes")
_faults_decoder = msgspec.json.Decoder(FaultSettings)
_pay_decoder = msgspec.json.Decoder(PayRequest)


@asgi("/upi/pay", copy_scope=False)
async def pay(scope: Scope, receive: Receive, send: Send) -> None:
    """Pay a upi:// link as a customer's app would; 400 for what an app would not even send.

    Most of the bank's work comes in here, so it runs without the framework's layers around a
    handler.
    """
    if scope["type"] != "http" or scope["method"] != "POST":
        await replies.problem(405, "pay with POST")(scope, receive, send)
        return
    body = await _body(receive)
    reply = _TOO_LONG if body is None else await _paid(scope["litestar_app"].state.bank, body)
    await reply(scope, receive, send)


async def _body(receive: Receive) -> bytes | None:
    """Return a request's body, or None when it is too long or incomplete."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > _PAY_BYTES_MAX:
            return None
    return body


async def _paid(bank: BankContext, body: bytes) -> replies.BankReply:
    """Pay, or return the reason of a refusal.

    A link past its QRexpire is declined with U69 by the app itself (nothing reaches the bank)
    unless `ignore_expiry` is true: that is the customer who scanned in time and approved late.
    """
    try:
        question = _pay_decoder.decode(body)
        link = read_link(question.uri)
    except (msgspec.MsgspecError, LinkRefusedError, RecursionError) as reason:
        return _refused(str(reason))
    payer_vpa = read_vpa(question.payer_vpa)
    if not payer_vpa:
        return _refused("payer_vpa is not a UPI address")
    now = clock.now()
    if link.expires_at is not None and link.expires_at <= now and not question.ignore_expiry:
        return replies.json(_EXPIRED)
    return replies.json(await actions.pay(bank, link, payer_vpa, now))


def _refused(reason: str) -> replies.BankReply:
    return replies.json({"status": "declined", "code": "", "rrn": "", "error": reason}, 400)


@get("/books")
async def books(
    request: Request, after: Annotated[int, Parameter(ge=0, le=_PLACE_MAX)] = 0
) -> ASGIApp:
    """Return up to 1,000 entries after a place; follow `next` until a page is empty.

    An entry that changes moves to the end.
    """
    bank = bank_of(request)
    rows = await bookkeeping.read_books(bank.db, after, _PAGE_OF_BOOKS)
    entries = [_entry(row) for row in rows]
    return replies.json(BankBookPage(entries, entries[-1].id if entries else after))


def _entry(row: Record) -> BankBookEntry:
    """Return an entry of the books with its amount in rupees."""
    values = dict(row)
    rate = rates.rate_micros(row["currency"], values.pop("charged_at"))
    values["settled_paise"] = row["settled_paise"] or rates.settled_paise(row["amount_paise"], rate)
    return BankBookEntry(**values | {"at": row["at"].isoformat(timespec="milliseconds")})


@get("/control/dial")
async def read_faults(request: Request) -> ASGIApp:
    """Return the fault settings."""
    bank = bank_of(request)
    return replies.json(bank.faults.settings)


@put("/control/dial")
async def set_faults(request: Request) -> ASGIApp:
    """Set all fault settings and count turns from the start.

    An omitted key injects no fault.
    """
    try:
        settings = _faults_decoder.decode(await request.body())
    except (msgspec.MsgspecError, RecursionError) as reason:
        return replies.problem(400, str(reason))
    return await _inject(request, settings)


@delete("/control/dial", status_code=200)
async def reset_faults(request: Request) -> ASGIApp:
    """End all faults."""
    return await _inject(request, FaultSettings())


async def _inject(request: Request, settings: FaultSettings) -> ASGIApp:
    bank = bank_of(request)
    await store.write_faults(bank.db, msgspec.json.encode(settings).decode())
    bank.faults.use(settings)
    return replies.json(settings)


class MoveRequest(msgspec.Struct, frozen=True):
    """Move the clocks of bank and gateway forward, by so many seconds."""

    advance_s: Annotated[float, msgspec.Meta(ge=0, le=_ADVANCE_S_MAX)]


class ClockState(msgspec.Struct, frozen=True):
    """The clock's time, and the number of payments' events in the last move."""

    now: str
    worked: int = 0


@get("/control/clock")
async def read_clock() -> ASGIApp:
    """Return the time at the bank."""
    return replies.json(ClockState(clock.now().isoformat()))


@post("/control/clock", status_code=200)
async def move_clock(request: Request) -> ASGIApp:
    """Move the clocks forward, and answer when all due work is done.

    They stop wherever a debit of a subscription, or its notice, falls due, so that no day of a year
    is skipped. The gateway repeats calls without an answer ever more seldom.
    """
    bank = bank_of(request)
    try:
        move = msgspec.json.decode(await request.body(), type=MoveRequest)
    except (msgspec.MsgspecError, RecursionError) as reason:
        return replies.problem(400, str(reason))
    left_s, worked, steps = move.advance_s, 0, Steps()
    try:
        answer = await bank.callback_sender.move_clock(clock.ahead().total_seconds())
        while left_s > 0:
            step = steps.next(left_s, answer.next_due_in_s, answer.waiting, answer.again_in_s)
            left_s -= step.seconds
            await clock.move(bank.db, clock.ahead() + timedelta(seconds=step.seconds))
            await jobs.once(bank, clock.now())
            answer = await bank.callback_sender.move_clock(
                clock.ahead().total_seconds(), hasty=step.hasty
            )
            worked += answer.worked
    except GatewaySilentError as problem:
        return replies.problem(503, f"the gateway's clock was not moved: {problem}")
    return replies.json(ClockState(clock.now().isoformat(), worked))


class JumpRequest(msgspec.Struct, frozen=True):
    """How far the clock of a process with its own time is to be ahead, in seconds; or behind."""

    ahead_s: Annotated[float, msgspec.Meta(ge=-_ADVANCE_S_MAX, le=_ADVANCE_S_MAX)]


@put("/control/clock")
async def jump(request: Request) -> ASGIApp:
    """Set the clock of a process with its own time, telling nobody; 409 at the bank itself."""
    try:
        target = msgspec.json.decode(await request.body(), type=JumpRequest)
    except (msgspec.MsgspecError, RecursionError) as reason:
        return replies.problem(400, str(reason))
    if not clock.jump(timedelta(seconds=target.ahead_s)):
        return replies.problem(409, "the bank's own clock only moves on: POST advance_s")
    return replies.json(ClockState(clock.now().isoformat()))


@get("/health/live")
async def live() -> ASGIApp:
    """Answer that the process is running."""
    return replies.json({"status": "live"})


@get("/health/ready")
async def ready(request: Request) -> ASGIApp:
    """Answer whether the database can be read."""
    bank = bank_of(request)
    try:
        reachable = await store.is_reachable(bank.db)
    except AWAY:
        reachable = False
    return (
        replies.json({"status": "ready"})
        if reachable
        else replies.problem(503, "the books are not reachable")
    )


ROUTES = (
    pay,
    books,
    read_clock,
    move_clock,
    jump,
    read_faults,
    set_faults,
    reset_faults,
    live,
    ready,
)
