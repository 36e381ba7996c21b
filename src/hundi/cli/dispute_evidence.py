"""`hundi dispute contest`, `evidence`: documents from files of the machine."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.cli.context import run, verb_context
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.gateway.bootstrap import OperatorContext
from hundi.kernel.clock import utc_now
from hundi.kernel.masking import masked
from hundi.kernel.refusals import RefusalCode
from hundi.payments.disputes.answers import actions
from hundi.payments.disputes.documents import actions as sealed
from hundi.payments.disputes.documents.rules import DOCUMENT_BYTES_MAX
from hundi.verbs.dispute import UNKNOWN, DisputeToAccept, accept, answer, document_row

evidence = typer.Typer(help="Documents for the answer to a dispute.", no_args_is_help=True)
DisputeId = Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The dispute's id.")]
Note = Annotated[str, typer.Option(parser=masked, help="What the bank is told.")]
CONTEST = "dispute.contest"
_TOLD = {RefusalCode.NO_RECORDS: UNKNOWN}


def contest(
    merchant_id: MerchantId,
    dispute_id: DisputeId,
    *,
    note: Note = "",
    document: Annotated[
        list[Path] | None,
        typer.Option("--evidence", help="A PDF, PNG or JPEG; may be given several times."),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Contest a dispute with what was added as evidence; the bank decides."""
    for path in document or []:
        _add(merchant_id, dispute_id, path, data_dir)
    dispute = DisputeToAccept(merchant_id=merchant_id, dispute_id=dispute_id)

    async def act(context: OperatorContext) -> Any:  # noqa: ANN401 (a Result)
        return await answer(verb_context(context, accept).named(CONTEST), dispute, 0, note)

    contested = run(data_dir, act, _TOLD)
    if json:
        show(contested, json=True)
        return
    for title, part in accept.sections(contested, dispute):
        show(part, json=False, title=title)


@evidence.command("add")
def add(
    merchant_id: MerchantId,
    dispute_id: DisputeId,
    file: Annotated[Path, typer.Argument(help="A PDF, PNG or JPEG of up to 2 MiB.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Add a document to the answer of a dispute that is open."""
    show(_add(merchant_id, dispute_id, file, data_dir), json=json, title="Evidence")


@evidence.command("list")
def list_evidence(
    merchant_id: MerchantId, dispute_id: DisputeId, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """List the documents of a dispute."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        dispute = await actions.find(context.db, merchant_id, dispute_id)
        if dispute is None:
            raise fail(UNKNOWN)
        return [document_row(each) for each in dispute.documents]

    show(run(data_dir, act, reading=True), json=json, title="Evidence")


@evidence.command("export")
def export(
    merchant_id: MerchantId,
    evidence_id: Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The document's id.")],
    file: Annotated[Path, typer.Argument(help="Where to write it; nothing is overwritten.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write a document into a file that only its owner reads."""

    async def act(context: OperatorContext) -> bytes:
        return await sealed.content(context.db, context.vault, merchant_id, evidence_id)

    body: bytes = run(data_dir, act, _TOLD)
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as written:
            written.write(body)
    except OSError as error:
        raise fail(f"{file} cannot be written: {error.strerror}") from None
    show(
        {"evidence_id": str(evidence_id), "file": str(file), "bytes": len(body)},
        json=json,
        title="Exported",
    )


def _add(merchant_id: int, dispute_id: int, file: Path, data_dir: str | None) -> dict[str, Any]:
    try:
        if file.stat().st_size > DOCUMENT_BYTES_MAX:
            raise fail(f"{file} is larger than {DOCUMENT_BYTES_MAX} bytes")
        body = file.read_bytes()
    except OSError as error:
        raise fail(f"{file} cannot be read: {error.strerror}") from None

    async def act(context: OperatorContext) -> dict[str, Any]:
        added = await actions.add_evidence(
            context.db, context.vault, merchant_id, dispute_id, file.name, body, utc_now()
        )
        return document_row(added)

    return run(data_dir, act, _TOLD)


def add_to(app: typer.Typer) -> None:
    """Add the commands that read or write documents."""
    app.add_typer(evidence, name="evidence")
    app.command()(contest)
