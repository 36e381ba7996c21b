"""`hundi dispute`: what customers' banks want back, and what merchants answer."""

import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import change_settings, check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.kernel.clock import utc_now
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import Actor, DisputeState
from hundi.masking import masked
from hundi.merchants.directory.rules import DISPUTE_FEE_PAISE_MAX
from hundi.payments.disputes import sealed
from hundi.payments.disputes.answers import actions as answers
from hundi.payments.disputes.answers.actions import DisputeReply, DisputeView
from hundi.payments.disputes.documents import DOCUMENT_BYTES_MAX
from hundi.payments.disputes.rules import Stage
from hundi.payments.disputes.store import EvidenceDocument

LIST_MAX = 1_000
app = typer.Typer(
    help="Disputes: what customers' banks want back, and what is answered.", no_args_is_help=True
)
evidence = typer.Typer(help="Documents for the answer to a dispute.", no_args_is_help=True)
app.add_typer(evidence, name="evidence")

DisputeId = Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The dispute's id.")]
Note = Annotated[str, typer.Option(parser=masked, help="What the bank is told.")]
_TOLD = {RefusalCode.NO_RECORDS: "there is no such dispute or document of this merchant"}


@app.command("list")
def list_disputes(
    merchant_id: MerchantId,
    *,
    state: Annotated[DisputeState | None, typer.Option(help="Only those in this state.")] = None,
    most: Annotated[int, typer.Option(min=1, max=LIST_MAX, help="How many at most.")] = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List a merchant's disputes, newest first, each in the phase that it is in."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await check_merchant(context, merchant_id)
        return [
            _stage(each)
            for each in await answers.list_of(context.db, merchant_id, state, None, most)
        ]

    show(run(data_dir, act, reading=True), json=json, title="Disputes")


@app.command("show")
def show_dispute(
    merchant_id: MerchantId, dispute_id: DisputeId, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show a dispute: its phases, its money and its documents."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        found = await answers.find(context.db, merchant_id, dispute_id)
        if found is None:
            raise fail(_TOLD[RefusalCode.NO_RECORDS])
        return _dispute(found)

    _show(run(data_dir, act, reading=True), json=json)


@app.command()
def accept(
    merchant_id: MerchantId,
    dispute_id: DisputeId,
    *,
    amount_paise: Annotated[
        int | None,
        typer.Option(
            min=1, help="Only this part: the rest is contested, with the note and documents."
        ),
    ] = None,
    note: Note = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Accept a dispute: the bank takes the money."""
    _answer(merchant_id, dispute_id, DisputeReply(amount_paise, note), data_dir, json=json)


@app.command()
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
    _answer(merchant_id, dispute_id, DisputeReply(0, note), data_dir, json=json)


@app.command()
def fee(
    merchant_id: MerchantId,
    paise: Annotated[
        int, typer.Option(min=0, max=DISPUTE_FEE_PAISE_MAX, help="Without GST; 0 for none.")
    ],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Set what a merchant is charged for each dispute about money; GST comes on top."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        changed = await change_settings(
            context,
            merchant_id,
            lambda before: msgspec.structs.replace(before, dispute_fee_paise=paise),
        )
        return {"merchant_id": str(merchant_id), "dispute_fee_paise": changed.dispute_fee_paise}

    show(run(data_dir, act), json=json, title="Fee of a dispute")


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
        found = await answers.find(context.db, merchant_id, dispute_id)
        if found is None:
            raise fail(_TOLD[RefusalCode.NO_RECORDS])
        return [_document(each) for each in found.documents]

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
        added = await answers.add_evidence(
            context.db, context.vault, merchant_id, dispute_id, file.name, body, utc_now()
        )
        return _document(added)

    return run(data_dir, act, _TOLD)


def _answer(
    merchant_id: int, dispute_id: int, given: DisputeReply, data_dir: str | None, *, json: bool
) -> None:
    async def act(context: OperatorContext) -> dict[str, Any]:
        return _dispute(
            await answers.answer(
                context.db, merchant_id, dispute_id, given, Actor.OPERATOR, utc_now()
            )
        )

    _show(run(data_dir, act, _TOLD), json=json)


def _show(dispute: dict[str, Any], *, json: bool) -> None:
    if json:
        show(dispute, json=True)
        return
    stages, documents = dispute.pop("stages"), dispute.pop("evidence")
    show(dispute, json=False, title="Dispute")
    show(stages, json=False, title="Phases")
    show(documents, json=False, title="Evidence")


def _dispute(found: DisputeView) -> dict[str, Any]:
    stages = [_stage(each) for each in found.stages]
    return stages[-1] | {
        "stages": stages,
        "evidence": [_document(each) for each in found.documents],
    }


def _stage(stage: Stage) -> dict[str, Any]:
    currency = stage.amount.currency
    return {
        "dispute_id": str(stage.dispute_id),
        "stage_id": str(stage.stage_id),
        "ap_transactionid": str(stage.payment_id),
        "phase": stage.phase,
        "state": stage.state,
        "amount_paise": stage.amount.paise,
        "amount_currency": currency,
        "held_paise": stage.held_paise,
        "taken_paise": stage.taken_paise,
        "accepted_paise": stage.accepted_paise if stage.answered_at else None,
        "accepted_currency": currency,
        "fee_paise": stage.fee_paise + stage.tax_paise,
        "reason": stage.reason,
        "bank_case": stage.bank_case,
        "opened_at": stage.opened_at,
        "respond_by": stage.respond_by,
        "answered_at": stage.answered_at,
        "sent_at": stage.sent_at,
        "ended_at": stage.settled_at,
        "rrn": stage.rrn,
        "bank": stage.bank_message,
    }


def _document(document: EvidenceDocument) -> dict[str, Any]:
    return {
        "evidence_id": str(document.evidence_id),
        "stage_id": str(document.stage_id),
        "name": document.name,
        "type": document.media_type,
        "bytes": document.size_bytes,
        "sha256": document.digest.hex(),
        "added_at": document.added_at,
        "sent_at": document.sent_at,
    }
