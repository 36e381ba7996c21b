"""Uploaded statements: what was chosen is proposed again, and SQL alone imports nothing."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.money.reconciliation.mappings import store as mappings
from hundi.money.reconciliation.mappings.rules import layout_of
from hundi.money.reconciliation.rules import (
    OUR_ACCOUNT,
    CsvMapping,
    LineKind,
    StatementError,
    check_mapping,
)
from hundi.money.reconciliation.uploads import actions, rules, store
from hundi.money.reconciliation.uploads.rules import UploadState
from tests.recording import BY, record_act

VAULT = BY.vault
NOW = datetime(2026, 11, 24, 6, 30, tzinfo=UTC)
CONTENT = (
    b"Type;Ref;Amount;Date\nSALE;order-1;100.00;23/11/2026\nCASHBACK;order-2;1.00;23/11/2026\n"
)
HEAD = ("Type", "Ref", "Amount", "Date")
MAPPING = CsvMapping(
    {"kind": "Type", "reference": "Ref", "net": "Amount", "gross": "Amount", "day": "Date"},
    kinds={"SALE": LineKind.PAYMENT, "CASHBACK": LineKind.OTHER},
    delimiter=";",
    day_format="%d/%m/%Y",
)


async def kept(db: Database, content: bytes = CONTENT, name: str = "bank.csv") -> int:
    given = "sandbox", "csv", name, content
    return (await actions.keep(db, VAULT, given, "meera", NOW, record_act)).upload_id


async def ask(
    db: Database, upload_id: int, mapping: CsvMapping = MAPPING, by: str = "meera"
) -> None:
    await actions.ask(db, VAULT, upload_id, mapping, (by, NOW), record_act)


async def imported(db: Database, upload_id: int) -> rules.StatementUpload:
    await actions.import_asked(db, VAULT, NOW)
    upload = await store.select(db, upload_id)
    assert upload is not None
    return upload


async def test_what_was_chosen_for_a_layout_is_proposed_with_who_and_when(db: Database) -> None:
    layout = layout_of(";", HEAD)
    assert await mappings.newest(db, "sandbox", layout) is None
    await ask(db, await kept(db))
    first = await mappings.newest(db, "sandbox", layout)
    assert first is not None
    assert (first.version_no, first.mapping, first.chosen_by, first.chosen_at) == (
        1, MAPPING, "meera", NOW,
    )  # fmt: skip
    await ask(db, await kept(db), by="ravi")
    assert await mappings.newest(db, "sandbox", layout) == first, "the same is no version"
    other = replace(MAPPING, amounts_in="paise")
    await ask(db, await kept(db), other, by="ravi")
    second = await mappings.newest(db, "sandbox", layout)
    assert second is not None
    assert (second.version_no, second.mapping, second.chosen_by) == (2, other, "ravi")
    assert await mappings.newest(db, "", layout) is None, "of our own bank account"


def test_a_layout_is_the_names_and_order_of_its_columns() -> None:
    assert layout_of(";", HEAD) == layout_of(";", ("Type ", *HEAD[1:]))
    others = [layout_of(",", HEAD), layout_of(";", HEAD[::-1]), layout_of(";", HEAD[:3])]
    assert len({layout_of(";", HEAD), *others}) == 4


def test_words_that_are_new_are_added_to_what_was_chosen() -> None:
    sample = rules.sample_of(CONTENT.replace(b"CASHBACK", b"REFUND"))
    proposed = rules.proposed(sample, replace(MAPPING, kinds={"SALE": LineKind.CHARGEBACK}))
    assert proposed.kinds == {"SALE": LineKind.CHARGEBACK, "REFUND": LineKind.REFUND}
    assert proposed.columns == MAPPING.columns


async def test_an_import_that_was_asked_for_is_done_once(db: Database) -> None:
    upload_id = await kept(db)
    await ask(db, upload_id)
    with pytest.raises(StatementError, match="asked for before"):
        await ask(db, upload_id)
    upload = await imported(db, upload_id)
    assert (upload.state, upload.problem, upload.result["lines"]) == (UploadState.IMPORTED, "", 2)


@pytest.mark.parametrize(
    "change",
    [
        "mapping = jsonb_set(mapping, '{amounts_in}', '\"paise\"')",
        "mapping = NULL",
        "connector = ''",
        "asked_by = 'ravi'",
        "mark = NULL",
        "mark = sha256('x')",
    ],
)
async def test_sql_alone_changes_nothing_of_an_import(db: Database, change: str) -> None:
    upload_id = await kept(db)
    await ask(db, upload_id)
    await db.execute(f"UPDATE statement_uploads SET {change}")
    upload = await imported(db, upload_id)
    assert upload.state is UploadState.REFUSED
    assert "nobody asked" in upload.problem
    assert await db.fetchval("SELECT count(*) FROM statement_lines") == 0


async def test_sql_alone_asks_for_no_import(db: Database) -> None:
    first, second = await kept(db), await kept(db)
    await ask(db, first)
    await db.execute(
        "UPDATE statement_uploads SET state = 'asked', mapping = other.mapping, mark = other.mark,"
        " asked_by = other.asked_by FROM statement_uploads other WHERE other.upload_id = $1"
        " AND statement_uploads.upload_id = $2",
        first,
        second,
    )
    assert (await imported(db, second)).state is UploadState.REFUSED


async def test_what_nobody_asked_for_is_forgotten(db: Database) -> None:
    upload_id = await kept(db)
    await actions.import_asked(db, VAULT, NOW + timedelta(days=2))
    with pytest.raises(StatementError):
        await ask(db, upload_id)


async def test_one_statement_that_cannot_be_read_stops_no_other(db: Database) -> None:
    """A file called `..` once ended each run before the next statement."""
    others = CONTENT.replace(b"order-", b"another-")
    first = await kept(db, name="..")
    second = await kept(db, others, "good.csv")
    for upload_id in (first, second):
        await ask(db, upload_id)
    assert (await imported(db, first)).state is UploadState.IMPORTED
    assert (await imported(db, second)).state is UploadState.IMPORTED


@pytest.mark.parametrize(
    ("columns", "day_format", "fault"),
    [
        ({"net": "Amount"}, "%Y-%m-%d", "missing"),
        ({"utr": "UTR", "debit": "D", "day": "Day"}, "%Y-%m-%d", "missing net"),
        ({"utr": "UTR", "net": "Amount", "day": "Day"}, "%d/%d/%Y", "names no day"),
        ({"utr": "UTR", "net": "Amount", "day": "Day"}, "%d", "names no day"),
    ],
)
def test_a_mapping_that_reads_nothing_is_refused(
    columns: dict[str, str], day_format: str, fault: str
) -> None:
    with pytest.raises(StatementError, match=fault):
        check_mapping(CsvMapping(columns, day_format=day_format), OUR_ACCOUNT)


def test_a_first_row_of_very_many_columns_is_refused() -> None:
    with pytest.raises(StatementError, match="201 columns"):
        rules.sample_of(",".join(f"c{number}" for number in range(201)).encode())
    with pytest.raises(StatementError, match="8192 bytes"):
        rules.sample_of(b",".join([b"c"] * 20_000))
