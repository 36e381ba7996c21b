"""Every call of the port against a bank that answers anything else.

Nothing is believed, and nobody waits for long.
"""

import asyncio
import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.mandates import MandateDebit, MandateNotice
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from tests.acquirers.sandbox.hostile import (
    ANSWERED_S,
    ENDLESS_S,
    HTML,
    REFERENCE,
    REFUND,
    SENT_BYTES_MAX,
    HostileBank,
    PortCall,
    Say,
    drips,
    floods,
    hostile,
    never,
    other,
    raw,
    reply,
    says,
    turns,
    twice,
)

pytestmark = pytest.mark.asyncio
CHARGE, CARD = (
    Charge(REFERENCE, Money(149_950)),
    CardNumber("4111111111111111", 12, 2030, "123", "Asha"),
)
AT = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
PAID = {
    "status": "paid",
    "code": "00",
    "rrn": "632512345678",
    "amount_paise": 149_950,
    "currency": "INR",
}
HELD_CARD = {"last4": "1111", "scheme": "Visa", "type": "credit", "issuer": "HDFC", "country": "IN"}
ENTRY = {
    "at": "2026-11-20T08:00:00Z",
    "kind": "debit",
    "reference": REFERENCE,
    "rrn": "1",
    "amount_paise": 5,
}
CALLS: dict[str, PortCall] = {
    "collect": PortCall(
        lambda at: at.collect(
            CHARGE, payer_vpa="a@hundi", payee_name="Shop", note="", expires_in_s=300
        ),
        {"status": "declined", "code": "ZA"},
    ),
    "authenticate": PortCall(
        lambda at: at.authenticate(CHARGE, CARD, return_url="https://shop.example.in/"),
        {"status": "challenge", "authentication_id": "a1", "challenge_url": "ORIGIN/3ds/a1"},
    ),
    "authenticate_token": PortCall(
        lambda at: at.authenticate_token(CHARGE, "tok", return_url="https://shop.example.in/"),
        {"status": "challenge", "authentication_id": "a1", "challenge_url": "ORIGIN/3ds/a1"},
    ),
    "end_token": PortCall(lambda at: at.end_token("tok"), {"status": "done"}, ""),
    "authentication": PortCall(
        lambda at: at.authentication("a1"), {"status": "done", "trans_status": "N"}, ""
    ),
    "authorise": PortCall(
        lambda at: at.authorise(CHARGE, authentication_id="a1", capture=True), PAID
    ),
    "identify_card": PortCall(
        lambda at: at.identify_card(CARD), {"status": "done", "card": HELD_CARD}, ""
    ),
    "charge_moto": PortCall(lambda at: at.charge_moto(CHARGE, CARD, capture=True), PAID),
    "capture": PortCall(lambda at: at.capture(REFERENCE, CHARGE.amount), PAID),
    "void": PortCall(lambda at: at.void(REFERENCE), {"status": "voided", "code": "00", "rrn": "1"}),
    "give_notice": PortCall(
        lambda at: at.give_notice(MandateNotice(REFERENCE, "7-1", 1, CHARGE.amount, AT)),
        {"status": "done"},
    ),
    "debit_mandate": PortCall(
        lambda at: at.debit_mandate(MandateDebit(REFERENCE, "7-1", 1, CHARGE.amount, "7-N1")), PAID
    ),
    "end_mandate": PortCall(lambda at: at.end_mandate(REFERENCE), {"status": "done"}),
    "banks": PortCall(
        lambda at: at.banks(),
        {
            "status": "done",
            "banks": [{"method": "netbanking", "code": "HDFC", "name": "HDFC Bank"}],
        },
        "",
        quick=False,
    ),
    "plans": PortCall(
        lambda at: at.plans(),
        {
            "status": "done",
            "plans": [
                {
                    "bank_code": "HDFC",
                    "months": 3,
                    "annual_rate_bps": 1500,
                    "minimum_paise": 300_000,
                }
            ],
        },
        "",
        quick=False,
    ),
    "start_redirect": PortCall(
        lambda at: at.start_redirect(
            CHARGE, method="netbanking", bank_code="HDFC", return_url="https://shop.example.in/"
        ),
        {"status": "challenge", "authentication_id": "a1", "challenge_url": "ORIGIN/visit/a1"},
    ),
    "check_address": PortCall(
        lambda at: at.check_address("a@hundi"), {"status": "registered", "name": "Asha"}, ""
    ),
    "inquire": PortCall(lambda at: at.inquire(REFERENCE), PAID),
    "books": PortCall(
        lambda at: at.books("3"),
        {"entries": [{**ENTRY, "state": "done"}], "next": 4},
        "",
        quick=False,
    ),
    "issue_voucher": PortCall(
        lambda at: at.issue_voucher(CHARGE, payee_name="Shop", expires_at=AT),
        {"status": "done", "voucher": "V1"},
    ),
    "end_voucher": PortCall(lambda at: at.end_voucher(REFERENCE), {"status": "done"}),
    "transfers": PortCall(
        lambda at: at.transfers(REFERENCE),
        {"transfers": [{"utr": "U1", "amount_paise": 5, "currency": "INR", "mode": "NEFT"}]},
    ),
    "refund": PortCall(
        lambda at: at.refund(RefundOrder(REFUND, REFERENCE, CHARGE.amount)),
        {**PAID, "status": "done"},
        REFUND,
    ),
    "inquire_refund": PortCall(
        lambda at: at.inquire_refund(REFUND), {**PAID, "status": "done"}, REFUND
    ),
}
EVERY = frozenset(CALLS)
QUICK = frozenset(name for name, each in CALLS.items() if each.quick)
MOVING = frozenset({"authorise", "charge_moto", "capture", "debit_mandate", "refund"})
WITH_AMOUNT = MOVING | {"inquire", "inquire_refund"}
WITH_RRN = WITH_AMOUNT | {"void"}
WITH_REFERENCE = frozenset(name for name, each in CALLS.items() if each.about)
WITH_STATUS = frozenset(CALLS) - {"transfers", "books", "banks", "plans"}
FAULTS: dict[str, tuple[Say, frozenset[str]]] = {
    "broken JSON": (says(lambda sane: json.dumps(sane).encode()[:-1]), EVERY),
    "nothing": (says(lambda _: b""), EVERY),
    "HTML with 200": (says(lambda _: HTML), EVERY),
    "another shape": (
        says(lambda sane: json.dumps({"data": sane, "success": True}).encode()),
        EVERY,
    ),
    "a list": (says(lambda sane: json.dumps([sane]).encode()), EVERY),
    "every field a list": (
        says(lambda sane: json.dumps({key: [sane[key]] for key in sane}).encode()),
        EVERY,
    ),
    "keys twice": (says(twice), EVERY),
    "deep nesting": (says(lambda _: b"[" * 60_000), EVERY),
    "no UTF-8": (
        says(lambda sane: json.dumps({**sane, "message": "?"}).encode().replace(b"?", b"\xff")),
        EVERY,
    ),
    "UTF-16": (says(lambda sane: json.dumps(sane).encode("utf-16")), EVERY),
    "a NUL": (other(message="\0"), EVERY),
    "a NUL in a number": (other(rrn="63\0"), WITH_RRN),
    "an endless number": (other(rrn="6" * 5_000), WITH_RRN),
    "a code of pages": (other(code="0" * 5_000), WITH_RRN),
    "another reference": (other(reference="7-215000000000009"), WITH_REFERENCE),
    "no reference": (other(reference=None), WITH_REFERENCE),
    "an empty reference": (other(reference=""), WITH_REFERENCE),
    "an unknown word": (other(status="PAID"), WITH_STATUS),
    "a word of another call": (other(status="authenticated"), WITH_STATUS),
    "another amount": (other(amount_paise=149_949), MOVING),
    "a negative amount": (other(amount_paise=-149_950), WITH_AMOUNT),
    "an absurd amount": (other(amount_paise=10**18), WITH_AMOUNT),
    "an amount beyond numbers": (other(amount_paise=10**40), WITH_AMOUNT),
    "an amount in rupees": (other(amount_paise=1499.5), WITH_AMOUNT),
    "an amount in text": (other(amount_paise="149950"), WITH_AMOUNT),
    "no amount": (other(amount_paise=None), WITH_AMOUNT),
    "another currency": (other(currency="USD", rate_micros=90_000_000), MOVING),
    "another currency without a rate": (
        other(currency="USD"),
        WITH_AMOUNT - {"refund", "inquire_refund"},
    ),
    "no currency": (other(currency=""), WITH_AMOUNT),
    "currency in words": (other(currency="rupees"), WITH_AMOUNT),
    "a rate of rupees": (other(rate_micros=500_000), WITH_AMOUNT),
    "a hold of what cannot be held": (
        other(status="authorised"),
        frozenset({"refund", "inquire_refund", "debit_mandate"}),
    ),
    "a no without a code": (other(status="declined", code=""), WITH_RRN | {"collect"}),
    "a challenge elsewhere": (
        other(challenge_url="https://evil.example/3ds/a1"),
        frozenset({"authenticate", "authenticate_token", "start_redirect"}),
    ),
    "a challenge of two lines": (
        says(
            lambda sane: json.dumps(
                {**sane, "challenge_url": sane["challenge_url"] + "\r\nSet-Cookie: a=b"}
            ).encode()
        ),
        frozenset({"authenticate", "authenticate_token", "start_redirect"}),
    ),
    "an unheard-of end of a challenge": (other(trans_status="?"), frozenset({"authentication"})),
    "no list": (other(banks=None, plans=None), frozenset({"banks", "plans"})),
    "plans of no months": (
        other(plans=[{"bank_code": "H", "months": 0, "annual_rate_bps": -1, "minimum_paise": -1}]),
        frozenset({"plans"}),
    ),
    "a transfer of less than nothing": (
        other(transfers=[{"utr": "U1", "amount_paise": -5, "currency": "INR", "mode": "NEFT"}]),
        frozenset({"transfers"}),
    ),
    "a transfer twice": (
        other(transfers=[{"utr": "U1", "amount_paise": 5, "currency": "INR", "mode": "NEFT"}] * 2),
        frozenset({"transfers"}),
    ),
    "books that lead back": (other(next=3), frozenset({"books"})),
    "a redirect": (
        raw(lambda body: reply(body, "302 Found", b"Location: /acquirer/elsewhere\r\n")),
        EVERY,
    ),
    "a redirect to itself": (
        raw(lambda body: reply(body, "307 Temporary Redirect", b"Location: ?\r\n")),
        EVERY,
    ),
    "success with 500": (raw(lambda body: reply(body, "500 Internal Server Error")), EVERY),
    "success with 503": (raw(lambda body: reply(body, "503 Service Unavailable")), EVERY),
    "success with 202": (raw(lambda body: reply(body, "202 Accepted")), EVERY),
    "success with 404": (raw(lambda body: reply(body, "404 Not Found")), EVERY),
    "switched protocols": (
        raw(lambda body: reply(body, "101 Switching Protocols", b"Upgrade: x\r\n")),
        QUICK,
    ),
    "half a body": (raw(lambda body: reply(body)[:-5]), EVERY),
    "half a head": (raw(lambda body: reply(body)[:20]), EVERY),
    "a chunk cut off": (
        raw(
            lambda body: (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n"
                % (len(body), body)
            )
        ),
        EVERY,
    ),
    "two lengths": (
        raw(
            lambda body: (
                b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % len(body) + reply(body[:-1])[17:]
            )
        ),
        EVERY,
    ),
    "TLS on a plain port": (raw(lambda _: b"\x15\x03\x01\x00\x02\x02\x46"), EVERY),
    "noise": (raw(lambda _: bytes(range(256)) * 16), EVERY),
    "closed without a word": (raw(lambda _: b""), EVERY),
    "packed": (
        raw(lambda body: reply(b"\x1f\x8b" + body, headers=b"Content-Encoding: gzip\r\n")),
        EVERY,
    ),
    "silence": (never, QUICK),
    "a byte a moment": (drips(b"HTTP"), QUICK),
    "a body of a byte a moment": (drips(b"\r\n\r\n"), QUICK),
    "continue without end": (floods(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 20, 0.02), QUICK),
    "megabytes": (
        floods(b"HTTP/1.1 200 OK\r\nContent-Length: 4000000000\r\n\r\n", b" " * 65_536),
        QUICK,
    ),
    "chunks without end": (
        floods(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"10000\r\n" + b" " * 65_536 + b"\r\n",
        ),
        QUICK,
    ),
    "headers without end": (
        floods(b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"x" * 4_000 + b"\r\n"),
        QUICK,
    ),
    "a header without end": (floods(b"HTTP/1.1 200 OK\r\nX-More: ", b"x" * 65_536), QUICK),
}
ENDLESS = {
    "silence",
    "a byte a moment",
    "a body of a byte a moment",
    "continue without end",
    "megabytes",
    "chunks without end",
    "headers without end",
    "a header without end",
}


async def test_a_sane_bank_is_understood_in_every_call() -> None:
    for name, call in CALLS.items():
        async with hostile(says(lambda sane: json.dumps(sane).encode()), call) as (_, connector):
            assert not isinstance(await call.ask(connector), Unknown), name


@pytest.mark.parametrize("fault", FAULTS)
async def test_whatever_the_bank_answers_no_call_believes_it(fault: str) -> None:
    say, calls = FAULTS[fault]

    async def tried(name: str) -> tuple[str, object, float, HostileBank]:
        waits_s = ENDLESS_S if fault in ENDLESS else ANSWERED_S
        while True:
            async with hostile(say, CALLS[name], waits_s) as (bank, connector):
                began = time.monotonic()
                answer = await CALLS[name].ask(connector)
                took_s = time.monotonic() - began
            if bank.heard or waits_s >= ANSWERED_S:
                return name, answer, took_s, bank
            # The machine is so busy that the bank did not come to read: this call says nothing.
            waits_s *= 4

    for name, answer, took_s, bank in await asyncio.gather(*map(tried, sorted(calls))):
        assert isinstance(answer, Unknown), f"{name}: {answer!r}"
        assert answer.sent, f"{name}: the bank had it"
        assert bank.heard, name
        assert took_s < ANSWERED_S, name
        assert bank.sent < SENT_BYTES_MAX, name


async def test_an_answer_that_nobody_asked_for_is_not_the_answer_to_the_next_question() -> None:
    """A bank, or a proxy before it, answers twice on one connection.

    The second is about the payment before.
    """
    answered, said_twice = asyncio.Event(), asyncio.Event()

    async def say(bank: HostileBank, writer: asyncio.StreamWriter, sane: dict[str, Any]) -> None:
        status = "registered" if bank.heard == 1 else "not_registered"
        body = json.dumps({**sane, "status": status}).encode()
        await bank.write(writer, reply(body))
        await answered.wait()
        await bank.write(writer, reply(body))
        said_twice.set()

    async with hostile(say, CALLS["check_address"]) as (bank, connector):
        first = await connector.check_address("a@hundi")
        answered.set()
        await said_twice.wait()
        await turns()
        second = await connector.check_address("b@hundi")
    assert (type(first).__name__, type(second).__name__, bank.heard) == (
        "RegisteredName",
        "NotRegistered",
        2,
    )


async def test_a_connection_that_the_bank_closed_while_idle_moves_nothing_twice() -> None:
    async def say(bank: HostileBank, writer: asyncio.StreamWriter, sane: dict[str, Any]) -> None:
        await bank.write(writer, reply(json.dumps(sane).encode()))
        raise ConnectionError

    async with hostile(say, CALLS["authorise"]) as (bank, connector):
        for number in range(1, 4):
            assert not isinstance(await CALLS["authorise"].ask(connector), Unknown)
            assert bank.heard == number
            await asyncio.sleep(0.05)
