"""Files of payouts as rows of templates, and the lines of banks' reports; pure."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hundi.acquirers.port.answers import Approved, Declined, SentBack, Unknown
from hundi.kernel.masking import masked_reference
from hundi.kernel.money import Money
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.payouts.rails.rules import Rail
from hundi.money.payouts.rules import Reported

FILE_BYTES_MAX = 8 * 1024 * 1024
"""The most bytes of a report; a line takes some 200 bytes, in XML some 1,000."""
PAYOUTS_MAX = 5_000
"""The most payouts of one file."""
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,12})(?:\.([0-9]{1,2}))?\Z")
_WORDS_MAX = 140


class FileForm(StrEnum):
    """The form of a file of payouts."""

    CSV = "csv"
    """Rows with commas, after a first row with totals."""
    PIPE = "pipe"
    """Rows with bars, for banks with Finacle."""
    PAIN_001 = "pain001"
    """ISO 20022 pain.001.001.09, checked against its schema."""


class ReportForm(StrEnum):
    """The form of a bank's report."""

    CSV = "csv"
    """Rows with commas, after a first row with totals."""
    PAIN_002 = "pain002"
    """ISO 20022 pain.002: the status of each payout of a file."""
    CAMT_054 = "camt054"
    """ISO 20022 camt.054: debits and returns of our account."""


@dataclass(frozen=True, slots=True)
class PayingAccount:
    """Our own account, from which payouts leave."""

    name: str = ""
    account: str = ""
    ifsc: str = ""


@dataclass(frozen=True, slots=True)
class FileLine:
    """One payout of a file. account: the full number, in memory only."""

    reference: str
    rail: Rail
    paise: int
    ifsc: str
    account: str
    holder: str

    def __repr__(self) -> str:
        """Hide the account number from tracebacks."""
        return f"Line({self.reference})"


@dataclass(frozen=True, slots=True)
class Template:
    """The rows of a bank's own form: each field with its pattern and its most characters.

    head: the fields of the first row.
    """

    delimiter: str
    head: tuple[tuple[str, int], ...]
    row: tuple[tuple[str, int], ...]


TEMPLATES: Mapping[FileForm, Template] = {
    FileForm.CSV: Template(
        ",",
        (("H", 1), ("{batch}", 35), ("{count}", 6), ("{total}", 20)),
        (
            *(("D", 1), ("{reference}", 35), ("{rail}", 4), ("{amount}", 20), ("{ifsc}", 11)),
            *(("{account}", 34), ("{holder}", 100), ("{batch}", 35)),
        ),
    ),
    FileForm.PIPE: Template(
        "|",
        (("FILEHDR", 7), ("{payer}", 40), ("{batch}", 35), ("{count}", 6), ("{total}", 20)),
        (
            *(
                ("{rail}", 4),
                ("{from_ifsc}", 12),
                ("{from_account}", 24),
                ("{ifsc}", 12),
                ("{account}", 24),
            ),
            *(
                ("INR", 3),
                ("{amount}", 14),
                ("{reference}", 140),
                ("{holder}", 100),
                ("", 80),
                ("{batch}", 35),
            ),
        ),
    ),
}
"""The forms as data; another bank's form is another entry. See docs/payouts.md#files."""


def rupees(paise: int) -> str:
    """Return an amount in rupees with two decimal places, as files have it."""
    return f"{paise // 100}.{paise % 100:02d}"


def rows(form: FileForm, batch: str, payer: PayingAccount, lines: Sequence[FileLine]) -> bytes:
    """Return a file by its template. Raises Refused if a value is too long for its field."""
    template, text = TEMPLATES[form], io.StringIO()
    writer = csv.writer(text, delimiter=template.delimiter, lineterminator="\n")
    own = {
        "from_account": payer.account,
        "from_ifsc": payer.ifsc,
        "payer": payer.name,
        "batch": batch,
    }
    totals = {"count": str(len(lines)), "total": rupees(sum(line.paise for line in lines))}
    writer.writerow(_filled(template.head, own | totals))
    for line in lines:
        values = {
            "reference": line.reference,
            "rail": line.rail.upper(),
            "amount": rupees(line.paise),
        }
        values |= {"ifsc": line.ifsc, "account": line.account, "holder": line.holder}
        writer.writerow(_filled(template.row, own | values))
    return text.getvalue().encode()


def _filled(fields: Sequence[tuple[str, int]], values: Mapping[str, str]) -> list[str]:
    filled = [(pattern, pattern.format_map(values), most) for pattern, most in fields]
    too_long = next((pattern for pattern, value, most in filled if len(value) > most), "")
    if too_long:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field=too_long.strip("{}"),
            allowed="what the bank's form has room for",
        )
    return [value for _, value, _ in filled]


def unread(allowed: str) -> Refused:
    """Return the refusal of a report. allowed: what the report should have."""
    return refuse(RefusalCode.FIELD_INVALID, field="file", allowed=allowed)


def paise_of(text: str) -> int:
    """Return an amount of a report in paise. Raises Refused."""
    match = _AMOUNT.match(text)
    if match is None:
        raise unread("amounts in rupees, such as 1499.50")
    return int(match[1]) * 100 + int((match[2] or "0").ljust(2, "0"))


def csv_report(body: bytes) -> list[Reported]:
    """Return the lines of a report in rows. Raises Refused if it is incomplete."""
    try:
        head, *rows = csv.reader(io.StringIO(body.decode()))
        kind, _, count, total = head
        details = [(row[0], *_strings(row[1:], 6)) for row in rows if row]
        totals = int(count), paise_of(total)
    except (ValueError, csv.Error):
        raise unread(
            "a head H,file,count,total and rows D,reference,status,utr,amount,code,message"
        ) from None
    if kind != "H" or any(detail[0] != "D" for detail in details):
        raise unread("a head H and rows D")
    lines = [line(*detail[1:]) for detail in details]
    if (len(lines), sum(line.paise for line in lines)) != totals:
        raise unread("as many rows, and the sum, that the head says")
    return lines


def _strings(row: Sequence[str], count: int) -> Sequence[str]:
    if len(row) != count:
        message = f"{len(row)} fields"
        raise ValueError(message)
    return row


def line(reference: str, status: str, utr: str, amount: str, code: str, message: str) -> Reported:
    """Return one line of a report from its texts. Raises Refused."""
    paise = paise_of(amount)
    message, code, utr = message[:_WORDS_MAX], code[:35], masked_reference(utr)[:35]
    match status:
        case "done" if utr:
            return Reported(
                reference, paise, Approved(Money(paise), utr, code=code or "00", message=message)
            )
        case "declined":
            return Reported(reference, paise, Declined(code or "unnamed", message, utr))
        case "returned":
            return Reported(reference, paise, SentBack(code or "unnamed", message, utr))
        case "pending":
            return Reported(reference, paise, Unknown(code, message))
        case _:
            raise unread("status done (with a UTR), pending, declined or returned")
