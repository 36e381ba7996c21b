"""The envelope lab: open, seal, sign and compare messages by hand.

Pasted texts are not stored.
"""

from datetime import datetime
from typing import Any

from litestar import Response

from hundi.api.merchant import lab
from hundi.api.merchant.lab import LabError, LabKeys, LabResult
from hundi.console.guard import ConsoleRoute, message
from hundi.console.requests import comparison
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import INDIA, utc_now
from hundi.staff.people.rules import Permission

ACTS = {
    "compare": "Compare a request",
    "open": "Open a message",
    "seal": "Seal a message",
    "sign": "Sign, or check a signature",
    "which": "Which key is this?",
}
BODY_BYTES_MAX = 256 * 1024
"""Bytes of a form with a whole request, percent-encoded twice."""
_YEARS = 2000, 2999
_MAKES = {"seal", "sign"}
"""Acts that sign or seal in the merchant's name when its own keys are used."""
_TYPED = ("username", "password", "secret", "client_secret", "webhook_key")
_PASTED = (
    *("body", "merchant_id", "privatekey", "encdata", "checksum", "at", "sealed"),
    *("text", "webhook_id", "timestamp", "signature", "key"),
)
_KEPT_OUT = {"privatekey", "key"}
"""Pasted fields that the page does not carry back, like the typed keys."""


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the form of one act."""
    return _shown(visit, _act_of(visit.query.get("act", "")))


async def work(visit: ConsoleVisit) -> Response[Any]:
    """Do an act with the pasted texts, and show the result."""
    form, act = visit.form, _act_of(visit.form.get("act", ""))
    own = form.get("keys", "own") != "typed"
    if own and act in _MAKES and not visit.may(Permission.KEYS_CHANGE):
        words = (
            "Sealing and signing with the merchant's own keys needs a role that may change them."
            " Type keys for a test."
        )
        return message(visit, "Not for your role", words, 403)
    try:
        result = _result(visit, act, own=own)
    except LabError as error:
        return _shown(visit, act, fault=str(error), status_code=409)
    if own and act in _MAKES:
        await visit.record(f"lab.{act}", visit.merchant_id)
    return _shown(visit, act, result)


def _result(visit: ConsoleVisit, act: str, *, own: bool) -> LabResult:
    """Return the result of an act. Raises LabError."""
    assert visit.place is not None
    assert visit.place.merchant is not None
    merchant, form, now = visit.place.merchant, visit.form, utc_now()
    if act == "which":
        return lab.which_key(merchant, form.get("key", ""))
    keys = lab.own_keys(merchant) if own else _typed(visit)
    if act == "open":
        return lab.open_message(keys, form.get("sealed", ""))
    if act == "seal":
        return lab.seal_message(keys, form.get("text", ""), now)
    if act == "sign":
        # Browsers send line ends of two characters; signed bodies have one.
        body = form.get("body", "").replace("\r\n", "\n")
        names = ("webhook_id", "timestamp", "signature")
        webhook_id, timestamp, signature = (form.get(name, "").strip() for name in names)
        return lab.sign(keys, webhook_id, timestamp, body, signature, now)
    pasted = (
        form.get(name, "") for name in ("body", "merchant_id", "privatekey", "encdata", "checksum")
    )
    return lab.compare_request(keys, lab.outer_of(*pasted), _moment(form.get("at", ""), now))


def _typed(visit: ConsoleVisit) -> LabKeys:
    texts = {name: visit.form.get(name, "") for name in _TYPED}
    return lab.typed_keys(**texts)


def _moment(text: str, now: datetime) -> datetime:
    """Return the Indian time of a request; now where none is given.

    Raises LabError.
    """
    if not text.strip():
        return now
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        moment = None
    if moment is None or not _YEARS[0] <= moment.year <= _YEARS[1]:
        fault = "When it was sent is written as 2026-11-23T10:30."
        raise LabError(fault)
    return moment if moment.tzinfo else moment.replace(tzinfo=INDIA)


def _act_of(name: str) -> str:
    return name if name in ACTS else "compare"


def _shown(
    visit: ConsoleVisit,
    act: str,
    result: LabResult | None = None,
    fault: str = "",
    status_code: int = 200,
) -> Response[Any]:
    typed = {name: "" if name in _KEPT_OUT else visit.form.get(name, "") for name in _PASTED}
    return visit.page(
        "lab.html",
        "Envelope lab",
        status_code,
        acts=ACTS,
        act=act,
        fault=fault,
        typed=typed,
        username=visit.form.get("username", ""),
        own=visit.form.get("keys", "own") != "typed",
        may_make=visit.may(Permission.KEYS_CHANGE),
        result=result,
        findings=_findings(result) if result else [],
    )


def _findings(result: LabResult) -> list[dict[str, Any]]:
    return [
        {
            "input": each.input,
            "verdict": each.verdict,
            # The comparison below shows the texts without masks; these words would repeat them.
            "words": "" if each.compared else each.words,
            "compared": comparison(each.compared) if each.compared else None,
        }
        for each in result.findings
    ]


ROUTES = (
    ConsoleRoute("GET", "lab", show, Permission.DEVELOPERS_SEE),
    ConsoleRoute("POST", "lab", work, Permission.DEVELOPERS_SEE, body_bytes_max=BODY_BYTES_MAX),
)
