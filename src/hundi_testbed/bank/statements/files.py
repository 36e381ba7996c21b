"""Statements as files: camt.053, CSV and MT940."""

import csv
import io
from collections.abc import Iterable
from datetime import date
from xml.sax.saxutils import escape

from hundi_testbed.bank.statements.rules import (
    OUR_ACCOUNT,
    SETTLEMENT_ACCOUNT,
    Statement,
    StatementMovement,
)

_COLUMNS = (
    "Type",
    "Account",
    "Currency",
    "Merchant Reference",
    "RRN",
    "Gross",
    "Fee",
    "Net",
    "UTR",
    "Date",
)


def _rupees(paise: int) -> str:
    sign, paise = ("-", -paise) if paise < 0 else ("", paise)
    return f"{sign}{paise // 100}.{paise % 100:02d}"


def acquirer_csv(statement: Statement) -> str:
    """Return the acquirer's statement as CSV: the movements, the hand-over, and the totals."""
    text = io.StringIO()
    out = csv.writer(text)
    out.writerow(_COLUMNS)
    for each in statement.movements:
        money = (_rupees(each.gross_paise), _rupees(each.fee_paise), _rupees(abs(each.net_paise)))
        out.writerow(
            (
                each.kind,
                SETTLEMENT_ACCOUNT,
                "INR",
                each.reference,
                each.rrn,
                *money,
                statement.utr,
                statement.day,
            )
        )
    lines, left = len(statement.movements), statement.net_paise
    if left > 0:
        money = (_rupees(left), "0.00", _rupees(left))
        out.writerow(
            ("HANDOVER", SETTLEMENT_ACCOUNT, "INR", "", "", *money, statement.utr, statement.day)
        )
        lines, left = lines + 1, 0
    out.writerow(
        ("TOTAL", SETTLEMENT_ACCOUNT, "INR", lines, "", "", "", _rupees(left), "", statement.day)
    )
    return text.getvalue()


def _entry(paise: int, day: date, code: str, *, credit: bool, details: str) -> str:
    sign = "CRDT" if credit else "DBIT"
    return (
        "<Ntry><Amt"
        f' Ccy="INR">{_rupees(paise)}</Amt><CdtDbtInd>{sign}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>'
        f"<BookgDt><Dt>{day}</Dt></BookgDt><BkTxCd><Prtry><Cd>{code}</Cd></Prtry></BkTxCd>"
        f"<NtryDtls><TxDtls>{details}</TxDtls></NtryDtls></Ntry>"
    )


def _references(reference: str, rrn: str, utr: str) -> str:
    end_to_end = f"<EndToEndId>{escape(reference) or 'NOTPROVIDED'}</EndToEndId>"
    transfer = f"<AcctSvcrRef>{escape(rrn)}</AcctSvcrRef><PmtInfId>{escape(utr)}</PmtInfId>"
    return f"<Refs>{transfer}{end_to_end}</Refs>"


def _movement(each: StatementMovement, statement: Statement) -> str:
    money = (
        f'<AmtDtls><InstdAmt><Amt Ccy="INR">{_rupees(each.gross_paise)}</Amt></InstdAmt></AmtDtls>'
    )
    fee = (
        f'<Chrgs><TtlChrgsAndTaxAmt Ccy="INR">{_rupees(each.fee_paise)}</TtlChrgsAndTaxAmt></Chrgs>'
    )
    details = _references(each.reference, each.rrn, statement.utr) + money + fee
    paise = abs(each.net_paise)
    return _entry(paise, statement.day, each.kind, credit=each.is_credit, details=details)


def _document(account: str, day: date, entries: list[str], balances: tuple[int, int]) -> str:
    def balance(code: str, paise: int) -> str:
        sign = "CRDT" if paise >= 0 else "DBIT"
        return (
            f"<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp>"
            f'<Amt Ccy="INR">{_rupees(abs(paise))}</Amt><CdtDbtInd>{sign}</CdtDbtInd>'
            f"<Dt><Dt>{day}</Dt></Dt></Bal>"
        )

    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>'
        f"<GrpHdr><MsgId>{account}-{day:%Y%m%d}</MsgId><CreDtTm>{day}T23:59:59+05:30</CreDtTm></GrpHdr>"
        f"<Stmt><Id>{account}-{day:%Y%m%d}</Id><CreDtTm>{day}T23:59:59+05:30</CreDtTm>"
        f"<Acct><Id><Othr><Id>{account}</Id></Othr></Id><Ccy>INR</Ccy></Acct>"
    )
    total = f"<TxsSummry><TtlNtries><NbOfNtries>{len(entries)}</NbOfNtries></TtlNtries></TxsSummry>"
    body = (
        balance("OPBD", balances[0])
        + balance("CLBD", balances[1])
        + total
        + "\n"
        + "\n".join(entries)
    )
    return f"{head}{body}\n</Stmt></BkToCstmrStmt></Document>\n"


def acquirer_camt053(statement: Statement) -> str:
    """Return the acquirer's statement as camt.053, with its debt when the day began and ended."""
    entries = [_movement(each, statement) for each in statement.movements]
    left = statement.net_paise
    if left > 0:
        details = _references("", "", statement.utr)
        entries.append(_entry(left, statement.day, "HANDOVER", credit=False, details=details))
        left = 0
    return _document(SETTLEMENT_ACCOUNT, statement.day, entries, (0, left))


def account_lines(
    statement: Statement, payouts: Iterable[StatementMovement]
) -> list[tuple[str, int]]:
    """Return the lines of the gateway's bank account: UTR, and paise, below zero for payouts."""
    handed = [(statement.utr, statement.net_paise)] if statement.net_paise else []
    return [*handed, *((each.rrn, -each.gross_paise) for each in payouts)]


def account_camt053(day: date, lines: list[tuple[str, int]], opening_paise: int) -> str:
    """Return the statement of the gateway's bank account as camt.053."""
    entries = [
        _entry(
            abs(paise),
            day,
            "TRANSFER",
            credit=paise > 0,
            details=f"<Refs><EndToEndId>{utr}</EndToEndId><TxId>{utr}</TxId></Refs>",
        )
        for utr, paise in lines
    ]
    return _document(
        OUR_ACCOUNT, day, entries, (opening_paise, opening_paise + sum(paise for _, paise in lines))
    )


def account_mt940(day: date, lines: list[tuple[str, int]], opening_paise: int) -> str:
    """Return the statement of the gateway's bank account as MT940."""

    def balance(tag: str, paise: int) -> str:
        side, rupees = "D" if paise < 0 else "C", _rupees(abs(paise)).replace(".", ",")
        return f":{tag}:{side}{day:%y%m%d}INR{rupees}"

    out = [
        ":20:HUNDI" + f"{day:%Y%m%d}",
        f":25:{OUR_ACCOUNT}",
        f":28C:{day:%j}/1",
        balance("60F", opening_paise),
    ]
    for utr, paise in lines:
        amount = _rupees(abs(paise)).replace(".", ",")
        out.append(
            f":61:{day:%y%m%d}{day:%m%d}{'D' if paise < 0 else 'C'}{amount}NTRFNONREF//{utr}"
        )
        out.append(f":86:NEFT {utr}")
    out.append(balance("62F", opening_paise + sum(paise for _, paise in lines)))
    return "\r\n".join([*out, "-", ""])
