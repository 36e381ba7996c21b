"""Statements of every form are read exactly, and errors are named with their line."""

import io
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from hundi.money.reconciliation import actions, camt, csv_lines, mt940
from hundi.money.reconciliation.rules import (
    Controls,
    CsvMapping,
    Line,
    LineKind,
    StatementError,
    terms_of,
)
from hundi_testbed.bank.statements import files
from hundi_testbed.bank.statements.rules import Statement, StatementMovement

DAY = date(2026, 11, 20)
TERMS = terms_of((Path(actions.__file__).parent / "sandbox.toml").read_bytes(), "sandbox")
STATEMENT = Statement(
    DAY,
    (
        StatementMovement("PAYMENT", "10001-217000000000001", "632412345678", 50_000, 0),
        StatementMovement("CAPTURE", "10002-217000000000002", "632412345679", 100_000, 2_124),
        StatementMovement("REFUND", "10001-R217000000000003", "632412345680", 5_000, 0),
        StatementMovement("PAYMENT", "UTR0001", "632412345681", 1_000, 590),
    ),
)
Reader = Callable[[bytes, Controls], Iterator[Line]]


def by_camt(content: bytes, controls: Controls) -> Iterator[Line]:
    return camt.read(io.BytesIO(content), controls)


def by_csv(content: bytes, controls: Controls) -> Iterator[Line]:
    assert TERMS.csv is not None
    return csv_lines.read(io.BytesIO(content), TERMS.csv, controls)


def by_mt940(content: bytes, controls: Controls) -> Iterator[Line]:
    return mt940.read(io.BytesIO(content), controls)


CAMT = files.acquirer_camt053(STATEMENT).encode()
CSV = files.acquirer_csv(STATEMENT).encode()
LINES = files.account_lines(STATEMENT, [StatementMovement("PAYOUT", "x", "UTRPAYOUT1", 7_000, 0)])
ACCOUNT_CAMT = files.account_camt053(DAY, LINES, 1_000).encode()
ACCOUNT_MT940 = files.account_mt940(DAY, LINES, 1_000).encode()


def read(reader: Reader, content: bytes) -> tuple[list[Line], Controls]:
    controls = Controls(today=DAY)
    return list(reader(content, controls)), controls


@pytest.mark.parametrize(("reader", "content"), [(by_camt, CAMT), (by_csv, CSV)])
def test_an_acquirers_statement_is_read(reader: Reader, content: bytes) -> None:
    lines, controls = read(reader, content)
    said = [
        (
            each.kind,
            each.reference,
            each.rrn,
            each.gross_paise,
            each.fee_paise,
            each.net_paise,
            each.is_credit,
        )
        for each in lines
    ]
    assert said == [
        (LineKind.PAYMENT, "10001-217000000000001", "632412345678", 50_000, 0, 50_000, True),
        (LineKind.PAYMENT, "10002-217000000000002", "632412345679", 100_000, 2_124, 97_876, True),
        (LineKind.REFUND, "10001-R217000000000003", "632412345680", 5_000, 0, 5_000, False),
        (LineKind.PAYMENT, "UTR0001", "632412345681", 1_000, 590, 410, True),
        (LineKind.HANDOVER, "", "", 143_286, 0, 143_286, False),
    ]
    assert {each.utr for each in lines} == {STATEMENT.utr}
    assert {each.day for each in lines} == {DAY}
    assert controls.account == "SANDBOX-SETTLEMENT"
    assert (controls.lines, controls.net_paise) == (5, 0)


@pytest.mark.parametrize(
    ("reader", "content"), [(by_camt, ACCOUNT_CAMT), (by_mt940, ACCOUNT_MT940)]
)
def test_our_accounts_statement_is_read(reader: Reader, content: bytes) -> None:
    lines, controls = read(reader, content)
    assert [(each.utr, each.net_paise, each.is_credit) for each in lines] == [
        (STATEMENT.utr, 143_286, True),
        ("UTRPAYOUT1", 7_000, False),
    ]
    assert controls.account == "50200012345678"
    assert (controls.opening_paise, controls.closing_paise) == (1_000, 137_286)


PAGES = b"""\
:20:A
:25:50200012345678
:28C:1/1
:60F:C261120INR10,00
:61:2611201120C1432,86NTRFNONREF//SBHO1
:62M:C261120INR1442,86
-
:20:B
:25:50200012345678
:28C:1/2
:60M:C261120INR1442,86
:61:2611201120D70,00NTRFNONREF//UTRPAYOUT1
:62F:C261120INR1372,86
-
"""
HEADERS = b"{1:F01BANKINBBAXXX0000000000}{2:O9400000}{4:\n"


@pytest.mark.parametrize("headers", [b"", HEADERS])
def test_the_pages_of_a_statement_are_one_statement(headers: bytes) -> None:
    content = (
        headers + PAGES.replace(b"-\n:20:B", b"-}\n" + headers + b":20:B") if headers else PAGES
    )
    lines, controls = read(by_mt940, content)
    assert [(each.utr, each.net_paise, each.is_credit) for each in lines] == [
        ("SBHO1", 143_286, True),
        ("UTRPAYOUT1", 7_000, False),
    ]
    assert (controls.account, controls.statement) == ("50200012345678", "A")
    assert (controls.opening_paise, controls.closing_paise) == (1_000, 137_286)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + ACCOUNT_MT940,
        ACCOUNT_MT940.replace(b"NEFT", "Café Ünal".encode()),
        ACCOUNT_MT940.replace(b"NEFT", "Café Ünal".encode("latin-1")),
        ACCOUNT_MT940.replace(b"NEFT", "Café – €".encode("cp1252")),
    ],
)
def test_a_banks_own_letters_keep_no_statement_out(content: bytes) -> None:
    assert read(by_mt940, content)[0] == read(by_mt940, ACCOUNT_MT940)[0]


@pytest.mark.parametrize(("mark", "is_credit"), [(b"RC", False), (b"RD", True)])
def test_a_reversed_credit_is_a_debit(mark: bytes, *, is_credit: bool) -> None:
    closing = b"INR1442,86" if is_credit else b"INR1302,86"
    content = ACCOUNT_MT940.replace(b"1120C1432,86", b"1120C1362,86").replace(
        b"D70,00", mark + b"70,00"
    )
    content = content.replace(b"INR1372,86", closing)
    lines, _ = read(by_mt940, content)
    assert (lines[1].is_credit, lines[1].net_paise) == (is_credit, 7_000)


def test_a_reference_stays_beside_a_text_in_parts() -> None:
    content = ACCOUNT_MT940.replace(b"NONREF//UTRPAYOUT1", b"UTRPAYOUT1")
    content = content.replace(b":86:NEFT UTRPAYOUT1", b":86:020?00NEFT?20SVWZ+PAYOUT")
    assert read(by_mt940, content)[0][1].utr == "UTRPAYOUT1"


def test_the_closing_balance_of_the_day_before_is_the_opening_one() -> None:
    assert b">OPBD<" in ACCOUNT_CAMT
    lines, controls = read(by_camt, ACCOUNT_CAMT.replace(b">OPBD<", b">PRCD<"))
    assert (len(lines), controls.opening_paise, controls.closing_paise) == (2, 1_000, 137_286)


@pytest.mark.parametrize("status", [b"PDNG", b"INFO", b"<Cd>PDNG</Cd>"])
def test_an_entry_that_is_not_booked_is_left_out(status: bytes) -> None:
    first = ACCOUNT_CAMT.index(b"<Ntry>")
    entry = ACCOUNT_CAMT[first : ACCOUNT_CAMT.index(b"</Ntry>") + len(b"</Ntry>")]
    assert b"<NbOfNtries>2<" in ACCOUNT_CAMT
    announced = entry.replace(b"<Sts><Cd>BOOK</Cd></Sts>", b"<Sts>" + status + b"</Sts>")
    content = ACCOUNT_CAMT[:first] + announced + ACCOUNT_CAMT[first:]
    lines, controls = read(by_camt, content.replace(b"<NbOfNtries>2<", b"<NbOfNtries>3<"))
    assert [each.net_paise for each in lines] == [143_286, 7_000]
    assert (controls.lines, controls.closing_paise) == (2, 137_286)


CUT = b"</Ntry>"
BILLION = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">
<!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]><Document>&lol2;</Document>"""
OUTSIDE = b'<!DOCTYPE a SYSTEM "file:///etc/passwd">'
FAR = b" " * 70_000


def without_line(content: bytes, number: int) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join(lines[:number] + lines[number + 1 :])


@pytest.mark.parametrize(
    ("reader", "content", "words"),
    [
        (by_camt, CAMT[: CAMT.index(CUT) + 30], "after 1 entries the file is broken or cut off"),
        (by_camt, CAMT[:-60], "cut off"),
        (by_camt, b"", "line 1: it is no XML"),
        (by_camt, without_line(CAMT, 3), "the statement says it has 5 lines, and 4 are there"),
        (by_camt, CAMT.replace(b'Ccy="INR">978.76', b'Ccy="USD">978.76'), "line 2: it is in USD"),
        (by_camt, CAMT.replace(b'Ccy="INR">978.76', b'Ccy="INR">978.77'),
         "line 2: 100000 paise with a fee of 2124"),
        (by_camt, CAMT.replace(b'<Amt Ccy="INR">500.00', b'<Amt Ccy="INR">501.00'),
         "the opening balance of 0 paise"),
        (by_camt, CAMT.replace(b">500.00<", b">5e2<"), "line 1: '5e2' is no amount"),
        (by_camt, CAMT.replace(b"<Dt>2026-11-20</Dt></BookgDt>", b"<Dt>2026-11-21</Dt></BookgDt>"),
         "in the future"),
        (by_camt, CAMT.replace(b">CRDT</CdtDbtInd><Sts>", b">MAYBE</CdtDbtInd><Sts>"),
         "amount, sign and day"),
        (by_camt, CAMT.replace(b">CLBD<", b">CLAV<"), "lacks a balance"),
        (by_camt, CAMT.replace(b"camt.053", b"camt.052"), "line 1: it is no camt.053 statement"),
        (by_camt, CAMT.replace(b"UTR0001", b"U" * 200), "EndToEndId has 200 characters"),
        (by_camt, BILLION, "line 1: it has a document type"),
        (by_camt, CAMT.replace(b"<Document", FAR + OUTSIDE + b"<Document"), "document type"),
        (by_camt, CAMT.decode().encode("utf-16"), "line 1: it is no XML in UTF-8"),
        (by_camt, CAMT.replace(b"<Stmt>", b"<Stmt>" + b"<Extra>x</Extra>" * 90_000),
         "bytes without an entry"),
        (by_camt, CAMT.replace(b"</Stmt>", b"</Stmt><Stmt></Stmt>"),
         "one camt.053 statement, and this one holds 2"),
        (by_csv, CSV[:-3], "line 7: the file is cut off in the middle of this row"),
        (by_csv, without_line(CSV, 6), "the row of totals (TOTAL) is missing"),
        (by_csv, without_line(CSV, 2), "says it has 5 lines, and 4 are there"),
        (by_csv, CSV + CSV.splitlines(keepends=True)[1], "line 8: there is a row after the totals"),
        (by_csv, CSV.replace(b",500.00,0.00,500.00,", b",501.00,0.00,501.00,"),
         "should come to 0 paise"),
        (by_csv, CSV.replace(b"INR,10002", b"USD,10002"), "line 3: it is in USD"),
        (by_csv, CSV.replace(b"SANDBOX-SETTLEMENT,INR,10002", b"OTHER,INR,10002"),
         "line 3: it is of account OTHER"),
        (by_csv, CSV.replace(b"Gross", b"Brutto"), "line 1: the file has no column Gross"),
        (by_csv, CSV.replace(b"2026-11-20\r\nCAPTURE", b"2026-11-20,x\r\nCAPTURE"),
         "line 2: the row has 11 fields"),
        (by_csv, CSV.replace(b"UTR0001", b'"' + b"U" * 9_000), "too long"),
        (by_csv, CSV.replace(b"UTR0001", b"\xff"), "no text in UTF-8"),
        (by_mt940, ACCOUNT_MT940[: ACCOUNT_MT940.index(b":62F:")], "cut off"),
        (by_mt940, ACCOUNT_MT940 * 2, "one statement (:20:), and this one holds 2"),
        (by_mt940, ACCOUNT_MT940.replace(b"INR", b"USD"), "it is in USD"),
        (by_mt940, ACCOUNT_MT940.replace(b"1432,86", b"1432,87"),
         "the opening balance of 1000 paise"),
        (by_mt940, b"\x00" * 20, "holds 0"),
        (by_mt940, ACCOUNT_MT940.replace(b"NEFT", b"\x81"),
         "line 6: it is no text in UTF-8 or Windows-1252"),
        (by_mt940, PAGES.replace(b":60M:C261120INR1442,86", b":60M:C261120INR1442,87"),
         "line 8: the page opens"),
        (by_mt940, PAGES.replace(b":28C:1/2", b":28C:1/3"), "line 8: page 3 follows page 1"),
        (by_mt940, PAGES.replace(b":28C:1/2", b":28C:2/2"),
         "line 8: the page is of another statement"),
        (by_mt940, PAGES.replace(b":20:B\n:25:5", b":20:B\n:25:6"),
         "line 8: the page is of account 6"),
        (by_mt940, PAGES.replace(b"60F", b"60M"), "the statement is cut off: its first page"),
        (by_mt940, PAGES.replace(b"62F", b"62M"), "the statement is cut off: its first page"),
        (by_mt940, PAGES.replace(b"62M", b"62F"), "line 8: a page follows the end"),
        (by_camt, ACCOUNT_CAMT.replace(b"<Cd>BOOK<", b"<Cd>LOST<"), "line 1: 'LOST' is no status"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_whole_and_says_why(
    reader: Reader, content: bytes, words: str
) -> None:
    with pytest.raises(StatementError) as refused:
        read(reader, content)
    assert words in str(refused.value)


def test_an_entry_of_several_transactions_is_several_lines() -> None:
    entry = CAMT.splitlines()[2]
    half = (
        entry.replace(b">500.00<", b">250.00<")
        .split(b"<NtryDtls>")[1]
        .removesuffix(b"</NtryDtls></Ntry>")
    )
    parts = half.replace(b"<TxDtls>", b'<TxDtls><Amt Ccy="INR">250.00</Amt>')
    lines, controls = read(by_camt, CAMT.replace(half.replace(b"250.00", b"500.00"), parts * 2))
    assert [each.net_paise for each in lines][:2] == [25_000, 25_000]
    assert controls.lines == 6
    with pytest.raises(StatementError, match="come to 35000 paise, and the entry to 50000"):
        read(
            by_camt,
            CAMT.replace(
                half.replace(b"250.00", b"500.00"), parts + parts.replace(b"250.00", b"100.00")
            ),
        )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "account = 1",
        "[csv]\nkinds = {}\n[csv.columns]\nkind = 'a'\n",
        "[[fees]]\nmethod = 'x'\nbps = -1\n",
    ],
)
def test_terms_that_are_none_are_refused(text: str) -> None:
    if not text:
        assert terms_of(b"", "other").fees == ()
        return
    with pytest.raises(StatementError):
        terms_of(text.encode(), "other")


@pytest.mark.parametrize(("sign", "net"), [("", -1_000), ("Side", None)])
def test_an_amount_below_zero_is_no_credit(sign: str, net: int | None) -> None:
    columns = {"kind": "Type", "reference": "Ref", "net": "Net", "day": "Day"} | (
        {"sign": sign} if sign else {}
    )
    mapping = CsvMapping(columns, {"P": LineKind.PAYMENT}, {"C": "credit", "D": "debit"})
    controls = Controls(today=DAY)
    lines = csv_lines.read(
        io.BytesIO(b"Type,Ref,Net,Day,Side\nP,10001-5,-10.00,2026-11-20,C\n"), mapping, controls
    )
    if net is None:
        with pytest.raises(
            StatementError, match="line 2: its amount is below zero, and its sign says credit"
        ):
            list(lines)
        return
    assert [each.is_credit for each in lines] == [False]
    assert controls.net_paise == net
