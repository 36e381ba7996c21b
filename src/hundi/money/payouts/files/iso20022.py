"""ISO 20022: writes pain.001, checked against its schema, and reads pain.002 and camt.054."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from itertools import groupby
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] (it is compiled, and has no stubs)

from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.payouts.files.rules import (
    FileLine,
    PayingAccount,
    ReportForm,
    line,
    paise_of,
    rupees,
    unread,
)
from hundi.money.payouts.rules import Reported

PAIN_001 = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"
SCHEMA = "pain.001.001.09.xsd"
"""The message's schema as ISO 20022 publishes it (docs/payouts.md#files)."""
_REPORTS = re.compile(
    r"\{urn:iso:std:iso:20022:tech:xsd:(pain\.002|camt\.054)\.001\.[0-9]{2}\}Document\Z"
)
_DONE, _REJECTED, _RETURNED_PREFIX = frozenset({"ACCC", "ACSC"}), "RJCT", "returned:"


def pain_001(batch: str, payer: PayingAccount, lines: Sequence[FileLine], at: datetime) -> bytes:
    """Return a file as pain.001, with a block for each rail.

    Raises Refused if the schema forbids it.
    """
    root = etree.Element("Document", nsmap={None: PAIN_001})
    start = etree.SubElement(root, "CstmrCdtTrfInitn")
    head = _fields(
        etree.SubElement(start, "GrpHdr"),
        MsgId=batch,
        CreDtTm=ist(at).isoformat(timespec="seconds"),
    )
    _fields(head, NbOfTxs=str(len(lines)), CtrlSum=rupees(sum(payment.paise for payment in lines)))
    _fields(etree.SubElement(head, "InitgPty"), Nm=payer.name)
    for rail, grouped in groupby(
        sorted(lines, key=lambda payment: (payment.rail, payment.reference)),
        lambda payment: payment.rail,
    ):
        _payments(etree.SubElement(start, "PmtInf"), f"{batch}-{rail}", payer, list(grouped), at)
    body = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    # Parsed again, so that the bytes for the bank are what is checked.
    schema = etree.XMLSchema(
        etree.fromstring(files(__package__ or "").joinpath(SCHEMA).read_bytes())
    )
    if not schema.validate(etree.fromstring(body)):
        # The message names elements and may contain their values: it is not passed on.
        raise refuse(RefusalCode.FIELD_INVALID, field="file", allowed=f"what {SCHEMA} allows")
    return body


def _payments(
    element: Any,  # noqa: ANN401 (an element of lxml, which has no types)
    name: str,
    payer: PayingAccount,
    lines: Sequence[FileLine],
    at: datetime,
) -> None:
    _fields(element, PmtInfId=name, PmtMtd="TRF", NbOfTxs=str(len(lines)))
    _fields(element, CtrlSum=rupees(sum(payment.paise for payment in lines)))
    instrument = etree.SubElement(etree.SubElement(element, "PmtTpInf"), "LclInstrm")
    _fields(instrument, Prtry=lines[0].rail.upper())
    _fields(etree.SubElement(element, "ReqdExctnDt"), Dt=ist(at).date().isoformat())
    _fields(etree.SubElement(element, "Dbtr"), Nm=payer.name)
    _account(etree.SubElement(element, "DbtrAcct"), payer.account)
    _agent(etree.SubElement(element, "DbtrAgt"), payer.ifsc)
    for payment in lines:
        transfer = etree.SubElement(element, "CdtTrfTxInf")
        _fields(etree.SubElement(transfer, "PmtId"), EndToEndId=payment.reference)
        etree.SubElement(etree.SubElement(transfer, "Amt"), "InstdAmt", Ccy="INR").text = rupees(
            payment.paise
        )
        _agent(etree.SubElement(transfer, "CdtrAgt"), payment.ifsc)
        _fields(etree.SubElement(transfer, "Cdtr"), Nm=payment.holder)
        _account(etree.SubElement(transfer, "CdtrAcct"), payment.account)


def _account(element: Any, number: str) -> None:  # noqa: ANN401 (an element of lxml, which has no types)
    _fields(etree.SubElement(etree.SubElement(element, "Id"), "Othr"), Id=number)


def _agent(element: Any, ifsc: str) -> None:  # noqa: ANN401 (as above)
    member = etree.SubElement(etree.SubElement(element, "FinInstnId"), "ClrSysMmbId")
    _fields(etree.SubElement(member, "ClrSysId"), Cd="INFSC")
    _fields(member, MmbId=ifsc)


def _fields(element: Any, **texts: str) -> Any:  # noqa: ANN401 (as above)
    for name, text in texts.items():
        etree.SubElement(element, name).text = text
    return element


def report(form: ReportForm, body: bytes) -> list[Reported]:
    """Return the lines of a pain.002 or camt.054. Raises Refused if it is incomplete or hostile."""
    root = parsed(body)
    match = _REPORTS.match(root.tag)
    if match is None or match[1].replace(".", "") != form:
        raise unread(f"a Document of {form}")
    space = {"n": root.tag[1:].partition("}")[0]}
    return _pain_002(root, space) if form is ReportForm.PAIN_002 else _camt_054(root, space)


def parsed(body: bytes) -> Any:  # noqa: ANN401 (an element of lxml, which has no types)
    """Return the root of an XML file. Raises Refused, also for any document type."""
    try:
        text = body.decode("utf-8-sig")
        if "<!DOCTYPE" in text or "<!ENTITY" in text or "\0" in text:
            raise unread("XML without a document type")
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        )
        root = etree.fromstring(text.encode(), parser)
    except (UnicodeDecodeError, etree.XMLSyntaxError, ValueError):
        raise unread("XML in UTF-8") from None
    if root.getroottree().docinfo.doctype or not isinstance(root.tag, str):
        raise unread("XML without a document type")
    return root


def _pain_002(root: Any, space: Mapping[str, str]) -> list[Reported]:  # noqa: ANN401 (as above)
    lines: list[Reported] = []
    for transaction in root.iterfind(".//n:TxInfAndSts", space):
        status, reason = (
            _said(transaction, "n:TxSts", space),
            _said(transaction, "n:StsRsnInf/n:Rsn/n:Prtry", space),
        )
        code = _said(transaction, "n:StsRsnInf/n:Rsn/n:Cd", space) or reason.rpartition(":")[2]
        returned = reason.startswith(_RETURNED_PREFIX)
        word = "done" if status in _DONE else "pending"
        if status == _REJECTED:
            word = "returned" if returned else "declined"
        lines.append(
            line(
                _said(transaction, "n:OrgnlEndToEndId", space),
                word,
                _said(transaction, "n:AcctSvcrRef", space),
                _said(transaction, "n:OrgnlTxRef/n:Amt/n:InstdAmt", space),
                code,
                _said(transaction, "n:StsRsnInf/n:AddtlInf", space),
            )
        )
    count, total = (
        _said(root, f".//n:OrgnlGrpInfAndSts/n:{name}", space)
        for name in ("OrgnlNbOfTxs", "OrgnlCtrlSum")
    )
    if count != str(len(lines)) or paise_of(total) != sum(payment.paise for payment in lines):
        raise unread("as many payouts, and the sum, that OrgnlGrpInfAndSts says")
    return lines


def _camt_054(root: Any, space: Mapping[str, str]) -> list[Reported]:  # noqa: ANN401 (as above)
    lines: list[Reported] = []
    for entry in root.iterfind(".//n:Ntry", space):
        if _said(entry, "n:Sts/n:Cd", space) not in {"BOOK", ""}:
            continue
        for details in entry.iterfind(".//n:TxDtls", space):
            reference, utr = (
                _said(details, "n:Refs/n:EndToEndId", space),
                _said(details, "n:Refs/n:AcctSvcrRef", space),
            )
            amount = _said(details, "n:Amt", space) or _said(entry, "n:Amt", space)
            code, words = (
                _said(details, "n:RtrInf/n:Rsn/n:Cd", space),
                _said(details, "n:RtrInf/n:AddtlInf", space),
            )
            is_debit = _said(entry, "n:CdtDbtInd", space) == "DBIT"
            if reference and (is_debit or code):
                lines.append(
                    line(reference, "done" if is_debit else "returned", utr, amount, code, words)
                )
    return lines


def _said(element: Any, path: str, space: Mapping[str, str]) -> str:  # noqa: ANN401 (as above)
    return (element.findtext(path, default="", namespaces=space) or "").strip()
