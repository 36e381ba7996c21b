"""Files of a bank: payouts (CSV, pain.001) and their outcomes (CSV, pain.002)."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] (it is compiled, and has no stubs)

from hundi_testbed.bank.payouts.rules import PayoutInstruction

FILE_BYTES_MAX = 4 * 1024 * 1024
_PAIN_001 = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"
_PAIN_002 = "urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,12})\.([0-9]{2})\Z")
_REFERENCE = re.compile(r"[A-Za-z0-9_-]{4,35}\Z")
_RAILS = {"RTGS": "rtgs", "NEFT": "neft", "IMPS": "imps"}
_DETAIL_FIELDS = 8
_ISO_STATUS = {"done": "ACCC", "pending": "PDNG", "declined": "RJCT", "returned": "RJCT"}


class FileRefusedError(Exception):
    """A file that the bank refuses; nothing of it is paid out."""


@dataclass(frozen=True, slots=True)
class PayoutFile:
    """The payouts of a file."""

    batch: str
    payouts: tuple[PayoutInstruction, ...]


def read(body: bytes) -> PayoutFile:
    """Return the payouts of a file. Raises FileRefusedError, also when its totals are wrong."""
    payout_file, count, total = _pain_001(body) if body.lstrip().startswith(b"<") else _csv(body)
    sum_paise = sum(each.amount_paise for each in payout_file.payouts)
    if (len(payout_file.payouts), sum_paise) != (count, total):
        raise FileRefusedError(
            f"{len(payout_file.payouts)} payouts of {sum_paise} paise,"
            f" the totals say {count} of {total}"
        )
    if len({each.reference for each in payout_file.payouts}) != count or not all(
        _REFERENCE.match(each.reference) and each.amount_paise > 0 and each.account
        for each in payout_file.payouts
    ):
        raise FileRefusedError("a reference is there twice, or a payout is not complete")
    return payout_file


def _csv(body: bytes) -> tuple[PayoutFile, int, int]:
    try:
        head, *rows = list(csv.reader(io.StringIO(body.decode())))
        _, batch, count, total = head
        payouts = tuple(_detail(row, batch) for row in rows)
        return PayoutFile(batch, payouts), int(count), _paise(total)
    except (ValueError, csv.Error) as problem:
        raise FileRefusedError(f"the file cannot be read: {type(problem).__name__}") from None


def _detail(row: Sequence[str], batch: str) -> PayoutInstruction:
    kind, reference, rail, amount, ifsc, account, holder, _remarks = row
    if kind != "D" or len(row) != _DETAIL_FIELDS:
        raise FileRefusedError("a row is no payout")
    return PayoutInstruction(reference, _paise(amount), _RAILS[rail], account, ifsc, holder, batch)


def _paise(text: str) -> int:
    match = _AMOUNT.match(text)
    if match is None:
        raise FileRefusedError(f"{text[:20]!r} is no amount in rupees")
    return int(match[1]) * 100 + int(match[2])


def _pain_001(body: bytes) -> tuple[PayoutFile, int, int]:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise FileRefusedError("the file is no XML") from None
    if root.getroottree().docinfo.doctype or root.tag != f"{{{_PAIN_001}}}Document":
        raise FileRefusedError("the file is no pain.001.001.09")
    batch, count, total = (
        _said(root, f".//n:GrpHdr/n:{name}") for name in ("MsgId", "NbOfTxs", "CtrlSum")
    )
    payouts: list[PayoutInstruction] = []
    for block in root.iterfind(".//n:PmtInf", {"n": _PAIN_001}):
        rail = _RAILS.get(_said(block, "n:PmtTpInf/n:LclInstrm/n:Prtry"), "")
        payouts += [
            _transfer(each, rail, batch)
            for each in block.iterfind("n:CdtTrfTxInf", {"n": _PAIN_001})
        ]
    if not count.isdigit():
        raise FileRefusedError("the file has no totals")
    return PayoutFile(batch, tuple(payouts)), int(count), _paise(total)


def _transfer(element: Any, rail: str, batch: str) -> PayoutInstruction:  # noqa: ANN401 (an element of lxml, which has no types)
    return PayoutInstruction(
        reference=_said(element, "n:PmtId/n:EndToEndId"),
        amount_paise=_paise(_said(element, "n:Amt/n:InstdAmt")),
        rail=rail,
        account=_said(element, "n:CdtrAcct/n:Id/n:Othr/n:Id"),
        ifsc=_said(element, "n:CdtrAgt/n:FinInstnId/n:ClrSysMmbId/n:MmbId"),
        holder=_said(element, "n:Cdtr/n:Nm"),
        batch=batch,
    )


def _said(element: Any, path: str) -> str:  # noqa: ANN401 (as above)
    return element.findtext(path, default="", namespaces={"n": _PAIN_001})


def rupees(paise: int) -> str:
    """Return an amount as files write it."""
    return f"{paise // 100}.{paise % 100:02d}"


def report_csv(batch: str, rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return the outcomes of a file's payouts as CSV: a head with totals, and a row each."""
    listed = list(rows)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("H", batch, len(listed), rupees(sum(row["amount_paise"] for row in listed))))
    for row in listed:
        cells = (
            row["status"],
            row["utr"],
            rupees(row["amount_paise"]),
            row["code"],
            row["message"],
        )
        writer.writerow(("D", row["reference"], *cells))
    return text.getvalue().encode()


def report_pain_002(batch: str, rows: Iterable[Mapping[str, Any]], now: datetime) -> bytes:
    """Return the outcomes of a file's payouts as pain.002, with the reason of returned ones."""
    listed = list(rows)
    root = etree.Element("Document", nsmap={None: _PAIN_002})
    report = etree.SubElement(root, "CstmrPmtStsRpt")
    _fields(
        etree.SubElement(report, "GrpHdr"),
        MsgId=f"{batch}-R",
        CreDtTm=now.isoformat(timespec="seconds"),
    )
    paise = sum(row["amount_paise"] for row in listed)
    group = etree.SubElement(report, "OrgnlGrpInfAndSts")
    _fields(group, OrgnlMsgId=batch, OrgnlMsgNmId="pain.001.001.09")
    _fields(group, OrgnlNbOfTxs=str(len(listed)), OrgnlCtrlSum=rupees(paise))
    payment = etree.SubElement(report, "OrgnlPmtInfAndSts")
    _fields(payment, OrgnlPmtInfId=batch)
    for row in listed:
        status = etree.SubElement(payment, "TxInfAndSts")
        _fields(status, OrgnlEndToEndId=row["reference"], TxSts=_ISO_STATUS[row["status"]])
        reason = etree.SubElement(status, "StsRsnInf")
        _fields(etree.SubElement(reason, "Rsn"), Prtry=f"{row['status']}:{row['code']}"[:35])
        _fields(reason, AddtlInf=row["message"])
        if row["utr"]:
            _fields(status, AcctSvcrRef=row["utr"])
        original = etree.SubElement(etree.SubElement(status, "OrgnlTxRef"), "Amt")
        etree.SubElement(original, "InstdAmt", Ccy="INR").text = rupees(row["amount_paise"])
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _fields(element: Any, **texts: str) -> None:  # noqa: ANN401 (as above)
    for name, text in texts.items():
        etree.SubElement(element, name).text = text
