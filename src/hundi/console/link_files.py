"""Payment links from a file: a form, a preview with its faults, one act for all, and the result."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from litestar import Response
from litestar.datastructures import UploadFile

from hundi.console.downloads import CSV, Download, leave, unrecorded
from hundi.console.guard import ConsoleRoute
from hundi.console.link_rows import link_row
from hundi.console.lists import ID_DIGITS, written
from hundi.console.verb_forms import ACT_ID, do, largest_body
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import ist
from hundi.kernel.ids import new_id
from hundi.kernel.money import rupees
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.rules import amount, cell
from hundi.payments.links.batches import actions, rules
from hundi.payments.links.batches.actions import LinkBatchView, LinkFileLook
from hundi.payments.links.batches.store import BatchedLink
from hundi.staff.people.rules import Permission
from hundi.verbs.context import DocumentFaultsError
from hundi.verbs.link import import_file
from hundi.verbs.parameters import UploadedFile

FAULTS_SHOWN_MAX = 100
"""Faults on a page: who has more has one cause for most of them."""
_HEAD = ("line", "reference", "description", "amount", "state", "paid", "until", "address")
_CONTENT = "lines"
"""The field of the form that makes the links: the file as it was looked at."""


async def ask(visit: ConsoleVisit) -> Response[Any]:
    """Show the form for a file, its columns, and the earlier files."""
    return await _asked(visit)


async def _asked(visit: ConsoleVisit, fault: str = "", status_code: int = 200) -> Response[Any]:
    batches = await actions.list_of(visit.db, visit.merchant_id)
    return visit.page(
        "link_file.html",
        "Payment links from a file",
        status_code,
        columns=rules.COLUMNS.items(),
        needed=rules.NEEDED,
        lines_max=rules.LINES_MAX,
        batches=batches,
        fault=fault,
    )


async def example(_: ConsoleVisit) -> Response[Any]:
    """Return a file to begin with."""
    return unrecorded(_file("payment-links-example", rules.EXAMPLE))


async def preview(visit: ConsoleVisit) -> Response[Any]:
    """Show what a file would make, or what is wrong with it. Nothing is written."""
    sent = (await visit.request.form()).get("file")
    content = await sent.read() if isinstance(sent, UploadFile) and sent.filename else b""
    if not content:
        return await _asked(visit, "Choose a CSV file.", HTTPStatus.CONFLICT)
    return await _previewed(visit, content)


async def _previewed(visit: ConsoleVisit, content: bytes) -> Response[Any]:
    look = await actions.look(visit.db, visit.merchant_id, content, visit.now)
    faults = look.file.faults
    return visit.page(
        "link_preview.html",
        "Payment links from a file",
        HTTPStatus.CONFLICT if faults else HTTPStatus.OK,
        faults=faults[:FAULTS_SHOWN_MAX],
        faults_left=max(0, len(faults) - FAULTS_SHOWN_MAX),
        total=rules.words_of(look.file),
        rows=_preview_rows(look),
        content="" if faults else content.decode("utf-8-sig"),
        act_id=new_id(visit.now),
    )


def _preview_rows(look: LinkFileLook) -> list[dict[str, Any]]:
    return [
        {
            "line": line.line,
            "reference": line.link.reference,
            "description": line.link.description,
            "item_count": len(line.link.items),
            "amount": rupees(line.link.amount_paise),
            "until": line.link.expires_at,
            "is_new": line.link.reference not in look.standing,
        }
        for line in look.file.lines
    ]


async def make(visit: ConsoleVisit) -> Response[Any]:
    """Make the links of a file that was looked at: all of them, or none."""
    content = visit.form.get(_CONTENT, "").encode()
    if not visit.form.get(ACT_ID, "").isdecimal() or not content:
        raise refuse(RefusalCode.FIELD_INVALID, field=ACT_ID, received="")
    file = UploadedFile("links.csv", content)
    try:
        made: Mapping[str, Any] = await do(visit, import_file, {"file": file})
    except DocumentFaultsError:
        # Something changed since the preview: show it as it is now.
        return await _previewed(visit, content)
    return visit.see(f"links/batches/{made['batch_id']}", import_file.notice[0])


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the links that were made from a file."""
    view = await _found(visit)
    return visit.page(
        "link_batch.html",
        "Payment links from a file",
        batch=view.batch,
        new=sum(line.is_new for line in view.links),
        rows=[
            {**link_row(visit, line.link), "line": line.line, "is_new": line.is_new}
            for line in view.links
        ],
        may_export=visit.may(Permission.PAYMENTS_EXPORT),
    )


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Return the links of a file as CSV, each with its address, and record the download."""
    view = await _found(visit)
    number = view.batch.batch_id
    rows = [_HEAD, *(_cells(visit, line) for line in view.links)]
    download = _file(f"payment-links-{number}", rows)
    return await leave(visit, download, "link.export", number, links=str(len(view.links)))


def _cells(visit: ConsoleVisit, line: BatchedLink) -> Sequence[str]:
    row, link = link_row(visit, line.link), line.link
    return (
        str(line.line),
        cell(link.reference),
        cell(link.description),
        amount(link.amount_paise),
        row["state"],
        amount(link.paid_paise),
        ist(link.expires_at).strftime("%Y-%m-%d"),
        row["address"],
    )


def _file(name: str, rows: Sequence[Sequence[str]]) -> Download:
    # Spreadsheets take a file for UTF-8 by its first character.
    return Download(f"{name}.csv", CSV, "\ufeff".encode() + written(rows))


async def _found(visit: ConsoleVisit) -> LinkBatchView:
    number = int(visit.params["batch_id"])
    view = (
        await actions.find(visit.db, visit.merchant_id, number)
        if 0 < number < 10**ID_DIGITS
        else None
    )
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return view


_BODY_MAX = largest_body(import_file)
_MAKE, _EXPORT = Permission.LINKS_MAKE, Permission.PAYMENTS_EXPORT
ROUTES = (
    ConsoleRoute("GET", "links/file", ask, _MAKE),
    ConsoleRoute("GET", "links/file/example", example, _MAKE),
    ConsoleRoute("POST", "links/file", preview, _MAKE, body_bytes_max=_BODY_MAX),
    ConsoleRoute("POST", "links/file/make", make, _MAKE, body_bytes_max=_BODY_MAX),
    ConsoleRoute("GET", "links/batches/{batch_id:int}", show, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", "links/batches/{batch_id:int}/export", export, _EXPORT),
)
