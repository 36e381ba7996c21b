"""Reads camt.053 (ISO 20022) as a stream, entry by entry, without entities or other files."""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] (it is compiled, and has no stubs)

from hundi.money.reconciliation.rules import (
    CURRENCY,
    Controls,
    Line,
    LineKind,
    StatementError,
    cause_of,
    day_of,
    exact,
    paise_of,
    short,
    wrong,
)

ENTRY_BYTES_MAX = 1_048_576
"""The most bytes between two entries, so that a hostile file does not use up memory.

A head or an entry takes some kilobytes.
"""
_HEAD_BYTES = 65_536
_KINDS = {
    "PAYMENT": LineKind.PAYMENT,
    "CAPTURE": LineKind.PAYMENT,
    "REFUND": LineKind.REFUND,
    "REFUND_REVERSAL": LineKind.REFUND,
    "CHARGEBACK": LineKind.CHARGEBACK,
    "HANDOVER": LineKind.HANDOVER,
}
_NAMESPACE = re.compile(r"\{(urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.[0-9]{2})\}Document\Z")
_NOT_GIVEN = {"NOTPROVIDED", "NONREF"}
_NOT_BOOKED = {"PDNG", "INFO", "FUTR"}
"""The statuses of entries that are in no balance: pending, for information, or of a future day."""


class _Bounded:
    """A file that gives a limited number of bytes between two entries."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.since_entry = file, 0

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(min(size, _HEAD_BYTES) if size > 0 else _HEAD_BYTES)
        self.since_entry += len(piece)
        if self.since_entry > ENTRY_BYTES_MAX:
            message = f"more than {ENTRY_BYTES_MAX:,} bytes without an entry"
            raise StatementError(message)
        return piece


def _check_head(file: BinaryIO) -> None:
    """Refuse a document type, entities, and encodings that could hide them: no bank sends these."""
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    if b"\0" in head or not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise wrong(1, "it is no XML in UTF-8")
    declared = re.search(rb"encoding\s*=\s*[\"']([^\"']*)[\"']", head.split(b"?>", 1)[0])
    if declared and declared[1].upper() not in {b"UTF-8", b"US-ASCII", b"ASCII"}:
        raise wrong(1, "it is no XML in UTF-8")
    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
        raise wrong(1, "it has a document type, and a statement has none")


def read(file: BinaryIO, controls: Controls) -> Iterator[Line]:
    """Yield the lines of a statement, fill in its controls, and check them at the end.

    Raises StatementError with the line's number: the whole file is refused.
    """
    _check_head(file)
    bounded = _Bounded(file)
    try:
        yield from _entries(bounded, controls)
    except etree.XMLSyntaxError as error:
        place = f"after {controls.lines:,} entries the file is broken or cut off: {error.msg}"
        raise StatementError(place) from None
    controls.check()


def _entries(bounded: _Bounded, controls: Controls) -> Iterator[Line]:
    place, statements, namespace = 0, 0, ""
    events = etree.iterparse(
        bounded,
        events=("end",),
        tag=("{*}Ntry", "{*}TxsSummry", "{*}Bal", "{*}Stmt"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    for _, element in events:
        namespace = namespace or _namespace(element)
        name = element.tag.removeprefix(namespace)
        if name != "Ntry":
            _of_head(name, element, namespace, controls)
            statements += name == "Stmt"
            continue
        bounded.since_entry = 0
        if not controls.account:
            _account(element.getparent(), namespace, controls)
        if not _is_booked(element, namespace, place + 1):
            # The summary counts every entry of the file, including skipped ones.
            controls.stated_lines = controls.stated_lines and controls.stated_lines - 1
            _forget(element)
            continue
        for line in _lines(element, namespace, place + 1, controls):
            place += 1
            controls.add(line)
            yield line
        _forget(element)
    if statements != 1:
        message = f"a file holds one camt.053 statement, and this one holds {statements}"
        raise StatementError(message)
    if controls.opening_paise is None or controls.closing_paise is None:
        raise wrong(0, "the statement lacks a balance: opening and closing are needed")


def _of_head(name: str, element: Any, ns: str, controls: Controls) -> None:  # noqa: ANN401 (lxml has no types)
    """Read an element outside entries: a balance, the count of entries, or the statement's end."""
    if name == "Bal":
        _balance(element, ns, controls)
    elif name == "TxsSummry":
        stated = element.findtext(f"{ns}TtlNtries/{ns}NbOfNtries") or ""
        if stated.isascii() and stated.isdecimal():
            controls.stated_lines = int(stated[:12])
    elif not controls.account:
        _account(element, ns, controls)


def _namespace(element: Any) -> str:  # noqa: ANN401 (lxml has no types)
    tree = element.getroottree()
    if tree.docinfo.doctype or tree.docinfo.internalDTD is not None:
        raise wrong(1, "it has a document type, and a statement has none")
    match = _NAMESPACE.match(tree.getroot().tag)
    if match is None:
        raise wrong(1, f"it is no camt.053 statement: its root is {str(tree.getroot().tag)[:100]}")
    return "{" + match[1] + "}"


def _forget(element: Any) -> None:  # noqa: ANN401 (as above)
    """Free an entry and everything before it; else the tree would grow with the file."""
    element.clear()
    parent = element.getparent()
    while element.getprevious() is not None:
        del parent[0]


def _account(element: Any, ns: str, controls: Controls) -> None:  # noqa: ANN401 (as above)
    controls.statement = short(element.findtext(f"{ns}Id") or "", 0, "Id")
    account = element.find(f"{ns}Acct")
    if account is None:
        raise wrong(0, "the statement names no account")
    number = (
        account.findtext(f"{ns}Id/{ns}Othr/{ns}Id") or account.findtext(f"{ns}Id/{ns}IBAN") or ""
    )
    controls.account = exact(number, 0, "account")
    controls.currency = account.findtext(f"{ns}Ccy") or controls.currency


def _balance(element: Any, ns: str, controls: Controls) -> None:  # noqa: ANN401 (as above)
    code = element.findtext(f"{ns}Tp/{ns}CdOrPrtry/{ns}Cd")
    amount = element.find(f"{ns}Amt")
    if code not in {"OPBD", "PRCD", "CLBD"} or amount is None:
        return
    if amount.get("Ccy") != CURRENCY:
        raise wrong(
            0,
            f"its balance is in {str(amount.get('Ccy'))[:9]}, and accounts here are in {CURRENCY}",
        )
    paise = paise_of((amount.text or "").strip(), 0)
    if element.findtext(f"{ns}CdtDbtInd") == "DBIT":
        paise = -paise
    if code == "PRCD":
        # Some banks send only the closing balance of the day before, which is the opening one.
        controls.opening_paise = paise if controls.opening_paise is None else controls.opening_paise
        return
    if code == "OPBD":
        controls.opening_paise = paise
        return
    controls.closing_paise = paise
    if day := element.findtext(f"{ns}Dt/{ns}Dt"):
        controls.cover(day_of(day, 0))


def _amount(element: Any, place: int) -> int:  # noqa: ANN401 (as above)
    currency = element.get("Ccy")
    if currency != CURRENCY:
        raise wrong(place, f"it is in {str(currency)[:9]}, and accounts here are in {CURRENCY}")
    return paise_of((element.text or "").strip(), place)


def _is_booked(entry: Any, ns: str, place: int) -> bool:  # noqa: ANN401 (as above)
    """Return whether an entry changed the balance.

    Its status is a text, or a code inside it since version 8.
    """
    status = entry.find(f"{ns}Sts")
    if status is None:
        return True
    code = (status.findtext(f"{ns}Cd") or status.text or "").strip()
    if code != "BOOK" and code not in _NOT_BOOKED:
        raise wrong(place, f"{code[:40]!r} is no status of an entry")
    return code == "BOOK"


def _lines(entry: Any, ns: str, place: int, controls: Controls) -> Iterator[Line]:  # noqa: ANN401 (as above)
    """Yield the transactions of an entry; the summary counts entries, so one entry counts once."""
    parts = {child.tag.removeprefix(ns): child for child in entry if child.tag != f"{ns}NtryDtls"}
    try:
        net = _amount(parts["Amt"], place)
        credit = {"CRDT": True, "DBIT": False}[parts["CdtDbtInd"].text]
        day = day_of(parts["BookgDt"][0].text or "", place)
    except (KeyError, IndexError):
        raise wrong(place, "an entry needs amount, sign and day") from None
    code = (parts["BkTxCd"].findtext(f"{ns}Prtry/{ns}Cd") or "") if "BkTxCd" in parts else ""
    own = (parts["AcctSvcrRef"].text or "") if "AcctSvcrRef" in parts else ""
    details = [
        each
        for group in entry
        if group.tag == f"{ns}NtryDtls"
        for each in group
        if each.tag == f"{ns}TxDtls"
    ]
    if not details:
        kind = _KINDS.get(code, LineKind.OTHER)
        yield Line(place, kind, credit, net, 0, net, "", short(own, place, "reference"), "", day)
        return
    if len(details) > 1 and controls.stated_lines is not None:
        controls.stated_lines += len(details) - 1
    left = net
    for number, each in enumerate(details):
        whole = net if len(details) == 1 else None
        line = _transaction(each, ns, (place + number, whole, credit, day, code, own))
        left -= line.net_paise
        yield line
    if left:
        raise wrong(
            place,
            f"the transactions of the entry come to {net - left} paise, and the entry to {net}",
        )


def _transaction(details: Any, ns: str, entry: tuple[int, int | None, bool, Any, str, str]) -> Line:  # noqa: ANN401
    place, net, credit, day, code, own = entry
    references: dict[str, str] = {}
    fee, gross, amount = 0, None, None
    for part in details:
        tag = part.tag
        if tag == f"{ns}Refs":
            references = {each.tag: (each.text or "") for each in part}
        elif tag == f"{ns}Amt":
            amount = _amount(part, place)
        elif tag == f"{ns}Chrgs" and (total := part.find(f"{ns}TtlChrgsAndTaxAmt")) is not None:
            fee = _amount(total, place)
        elif tag == f"{ns}AmtDtls" and (sent := part.find(f"{ns}InstdAmt/{ns}Amt")) is not None:
            gross = _amount(sent, place)
    if net is None and amount is None:
        raise wrong(place, "a transaction of several needs its amount")
    net = net if net is not None else amount or 0
    reference = short(references.get(f"{ns}EndToEndId", ""), place, "EndToEndId")
    reference = "" if reference in _NOT_GIVEN else reference
    rrn = short(references.get(f"{ns}AcctSvcrRef", own), place, "AcctSvcrRef")
    utr = short(
        references.get(f"{ns}PmtInfId", "") or references.get(f"{ns}TxId", ""), place, "PmtInfId"
    )
    cause = cause_of(reference)
    kind = _KINDS.get(code) or (cause[0] if cause else LineKind.OTHER)
    if gross is None:
        gross = net + (fee if credit else -fee)
    return Line(place, kind, credit, gross, fee, net, reference, rrn, utr, day)
