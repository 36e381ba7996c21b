"""Statements in the browser: upload one to look at it, and have the worker import it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

from msgspec import Meta

from hundi.money.reconciliation.csv_lines import OURS
from hundi.money.reconciliation.rules import OUR_ACCOUNT, StatementError
from hundi.money.reconciliation.uploads import actions as uploading
from hundi.money.reconciliation.uploads import rules as uploads
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, ParameterHints, UploadedFile, VerbParameters
from hundi.verbs.verb import Result, verb

DOCUMENT_MAX = 64 * 1024
CONNECTOR_MAX = 64
_WORK = Permission.RECONCILIATION_WORK


class StatementToUpload(VerbParameters, frozen=True, kw_only=True):
    """A statement to look at before its import."""

    document: Annotated[
        UploadedFile,
        Meta(description="The statement, of up to 8 MiB."),
        ParameterHints(metavar="FILE", file_bytes_max=uploads.BYTES_MAX),
    ]
    format: Annotated[
        Literal["csv", "mt940", "camt053"],
        Meta(description="How the file is written."),
        ParameterHints(by="name"),
    ]
    connector: Annotated[
        str,
        Meta(
            max_length=CONNECTOR_MAX,
            description=f"Whose statement it is (default: {OURS}, our own bank account's).",
        ),
    ] = OURS


class StatementToImport(VerbParameters, frozen=True, kw_only=True):
    """An uploaded statement, and how its CSV is read."""

    upload: Annotated[int, Meta(ge=1, le=ID_MAX, description="The upload's number.")]
    mapping: Annotated[
        str,
        Meta(
            max_length=DOCUMENT_MAX,
            description="How its CSV is read, in JSON (default: as the acquirer's terms say).",
        ),
    ] = ""


@verb(
    "reconcile upload",
    _WORK,
    at="all",
    trail="reconciliation.upload",
    fresh=False,
    screen="reconciliation/statements",
    title="Uploaded",
    notice=("statement_uploaded", "Uploaded. Nothing is imported yet: look at it first."),
)
async def upload(context: VerbContext, parameters: StatementToUpload) -> Result:
    """Keep a statement for a day, so that it can be looked at before its import."""
    connector, document = connector_named(parameters.connector), parameters.document
    recorded = context.recording(
        OPERATOR, connector=parameters.connector, bytes=len(document.content)
    )
    given = connector, parameters.format, document.name, document.content
    with statement_problems():
        kept = await uploading.keep(
            context.db, context.vault, given, context.name, context.now, recorded
        )
    return {"upload": str(kept.upload_id), "name": kept.name, "size_bytes": kept.size_bytes}


@verb(
    "reconcile take",
    _WORK,
    at="all",
    trail="reconciliation.import",
    screen="reconciliation/statements/{upload:int}/import",
    title="Asked for",
    notice=("statement_asked", "The worker imports it. What it finds appears below."),
)
async def take(context: VerbContext, parameters: StatementToImport) -> Result:
    """Ask the worker to import an uploaded statement, whole or not at all."""
    recorded = context.recording(OPERATOR, parameters.upload)
    with statement_problems():
        mapping = uploads.mapping_of(parameters.mapping) if parameters.mapping else None
        by = context.name, context.now
        await uploading.ask(context.db, context.vault, parameters.upload, mapping, by, recorded)
    return {"upload": str(parameters.upload), "asked": True}


def connector_named(name: str) -> str:
    """Return the connector of a name; our own account has one for people."""
    return OUR_ACCOUNT if name == OURS else name


@contextmanager
def statement_problems() -> Iterator[None]:
    """Turn the refusal of a statement into a verb's problem."""
    try:
        yield
    except StatementError as error:
        raise VerbProblemError(str(error)) from None
