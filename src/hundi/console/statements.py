"""Statements in the browser: upload one, see each column on its own rows, try it, import it."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.lists import ID_DIGITS, words
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.money import Money, shown
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reconciliation import actions as reconciliation
from hundi.money.reconciliation.csv_lines import OURS
from hundi.money.reconciliation.mappings import store as mappings
from hundi.money.reconciliation.mappings.rules import layout_of
from hundi.money.reconciliation.rules import CsvMapping, Line, LineKind, StatementError
from hundi.money.reconciliation.uploads import actions, rules, store
from hundi.money.reconciliation.uploads.rules import (
    CsvSample,
    StatementTrial,
    StatementUpload,
    UploadState,
)
from hundi.staff.people.rules import Permission
from hundi.verbs.reconcile_statements import take, upload

SHOWN_MAX = 50
FORMATS = {"csv": "CSV", "mt940": "MT940", "camt053": "CAMT.053 (XML)"}
_OUR_ACCOUNT = "Our own bank account"
_STATES = {
    UploadState.UPLOADED: ("Not imported yet", "waiting"),
    UploadState.ASKED: ("Being imported", "waiting"),
    UploadState.IMPORTED: ("Imported", "done"),
    UploadState.REFUSED: ("Refused: nothing of it was imported", "failed"),
    UploadState.FORGOTTEN: ("Not imported, and not kept any more", ""),
}
_RESULTS = {
    "lines": "Lines",
    "matched": "Agree with our books",
    "missing_there": "Payments that no statement has",
    "resolved": "Earlier differences that ended",
    "posted": "Payments whose money arrived",
}
"""What an import came to, in the order of the page."""
_COLUMN, _KIND = "column-", "kind-"


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show the form for a statement, and the newest uploads."""
    names = sorted(member.connector.name for member in visit.gateway.connectors.members)
    return visit.page(
        "statements.html",
        "Statements",
        rows=[_row(each) for each in await store.newest(visit.db, SHOWN_MAX)],
        whose=[(OURS, _OUR_ACCOUNT), *((name, name) for name in names)],
        formats=list(FORMATS.items()),
        mib_max=rules.BYTES_MAX // 1024**2,
        may_work=visit.may(Permission.RECONCILIATION_WORK),
    )


def _row(kept: StatementUpload) -> dict[str, Any]:
    state, tone = _STATES[kept.state]
    return {
        "id": kept.upload_id,
        "name": kept.name,
        "whose": kept.connector or _OUR_ACCOUNT,
        "format": FORMATS[kept.format],
        "state": state,
        "tone": tone,
        "by": kept.uploaded_by,
        "at": kept.uploaded_at,
        "problem": kept.problem,
        "is_again": bool(kept.result.get("again")),
        "result": [
            (label, f"{kept.result[name]:,}") for name, label in _RESULTS.items() if kept.result
        ],
    }


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show an upload: its columns on its own rows, and its lines as an import would read them."""
    number = int(visit.params["upload"])
    kept = await store.select(visit.db, number) if 0 < number < 10**ID_DIGITS else None
    if kept is None:
        raise refuse(RefusalCode.NO_RECORDS, field="statement", received=str(number))
    values: dict[str, Any] = {"upload": _row(kept), "waits": kept.state is UploadState.ASKED}
    values |= {"chosen": None, "sample": None, "trial": None, "fault": "", "mapping": ""}
    if kept.state is UploadState.UPLOADED and visit.may(Permission.RECONCILIATION_WORK):
        values |= await _tried(visit, kept)
    return visit.page("statement.html", f"Statement {kept.name}", **values)


async def _tried(visit: ConsoleVisit, kept: StatementUpload) -> dict[str, Any]:
    """Return the mapping with its examples, and the statement as it would be imported."""
    content = await actions.content_of(visit.db, visit.gateway.vault, kept.upload_id)
    mapping, sample, chosen = None, None, None
    if kept.format == "csv":
        try:
            sample = await asyncio.to_thread(rules.sample_of, content)
        except StatementError as fault:
            return {"fault": str(fault)}
        layout = layout_of(sample.delimiter, sample.head)
        chosen = await mappings.newest(visit.db, kept.connector, layout)
        if chosen is None:
            terms = await reconciliation.terms_for(visit.db, kept.connector)
            first = rules.guess(sample, terms.csv)
        else:
            first = rules.proposed(sample, chosen.mapping)
        mapping = _chosen(visit.query, first, sample)
    tried = await actions.read(visit.db, kept, content, mapping, visit.now)
    return {
        "sample": _sample(sample, mapping) if sample and mapping else None,
        "mapping": msgspec.json.encode(mapping).decode() if mapping else "",
        "chosen": chosen,
        "trial": _trial(tried),
        "fault": tried.fault,
    }


def _chosen(query: Mapping[str, str], guessed: CsvMapping, sample: CsvSample) -> CsvMapping:
    """Return the mapping of the form in the address; the guess where nothing was chosen."""
    if not any(name.startswith(_COLUMN) for name in query):
        return guessed
    columns = {name: query[_COLUMN + name] for name in rules.FIELDS if query.get(_COLUMN + name)}
    kinds = rules.kinds_of(sample.words.get(columns.get("kind", ""), ()))
    for place, word in enumerate(kinds):
        said = query.get(f"{_KIND}{place}", "")
        kinds[word] = LineKind(said) if said in set(LineKind) else kinds[word]
    day_format = query.get("day_format", "")
    return replace(
        guessed,
        columns=columns,
        # Words of earlier files of this layout stay.
        kinds=dict(guessed.kinds) | kinds,
        signs=dict(guessed.signs) | rules.signs_of(sample.words.get(columns.get("sign", ""), ())),
        delimiter=sample.delimiter,
        day_format=day_format if day_format in rules.DAY_FORMATS else guessed.day_format,
        amounts_in="paise" if query.get("amounts_in") == "paise" else "rupees",
    )


def _sample(sample: CsvSample, mapping: CsvMapping) -> dict[str, Any]:
    """Return the columns with what the file's own rows have in each."""
    kind_words = rules.kinds_of(sample.words.get(mapping.columns.get("kind", ""), ()))
    return {
        "head": sample.head,
        "columns": [
            {
                "name": name,
                "label": label,
                "column": mapping.columns.get(name, ""),
                "examples": sample.examples(mapping.columns.get(name, "")),
            }
            for name, label in rules.FIELDS.items()
        ],
        "kinds": [
            {"place": place, "word": word, "kind": mapping.kinds.get(word, LineKind.OTHER)}
            for place, word in enumerate(kind_words)
        ],
        "all_kinds": [(each.value, words(each)) for each in LineKind],
        "day_formats": list(rules.DAY_FORMATS.items()),
        "day_format": mapping.day_format,
        "amounts_in": mapping.amounts_in,
    }


def _trial(tried: StatementTrial) -> dict[str, Any]:
    days = [each for each in (tried.first_day, tried.last_day) if each]
    return {
        "count": tried.count,
        "net": shown(Money(tried.net_paise)),
        "account": tried.account,
        "days": " to ".join(f"{each:%-d %b %Y}" for each in dict.fromkeys(days)),
        "lines": [_line(each) for each in tried.lines],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "day": f"{line.day:%-d %b %Y}",
        "kind": words(line.kind),
        "gross": shown(Money(line.gross_paise)),
        "fee": shown(Money(line.fee_paise)) if line.fee_paise else "",
        "net": shown(Money(line.net_paise if line.is_credit else -line.net_paise)),
        "reference": line.reference,
        "rrn": line.rrn,
        "utr": line.utr,
    }


_WORK, _ONE = Permission.RECONCILIATION_WORK, "reconciliation/statements/{upload:int}"
ROUTES = (
    ConsoleRoute("GET", "reconciliation/statements", show_list, Permission.MONEY_SEE, at="all"),
    form_of(upload, upload.screen, "reconciliation/statements/{upload}"),
    ConsoleRoute("GET", _ONE, show, Permission.MONEY_SEE, at="all"),
    form_of(take, take.screen, _ONE.replace(":int", "")),
)
