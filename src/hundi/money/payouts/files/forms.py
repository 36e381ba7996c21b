"""Dispatches to the forms of payout files and bank reports."""

from collections.abc import Sequence
from datetime import datetime

from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.payouts.files import iso20022, rules
from hundi.money.payouts.files.rules import (
    FILE_BYTES_MAX,
    FileForm,
    FileLine,
    PayingAccount,
    ReportForm,
    unread,
)
from hundi.money.payouts.rules import Reported


def write(
    form: FileForm, batch: str, payer: PayingAccount, lines: Sequence[FileLine], at: datetime
) -> bytes:
    """Return a file of payouts with its control totals. Raises Refused if a value does not fit."""
    if form is not FileForm.CSV and not (payer.name and payer.account and payer.ifsc):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="from",
            allowed="name, account and IFSC that payouts leave from",
        )
    if form is FileForm.PAIN_001:
        return iso20022.pain_001(batch, payer, lines, at)
    return rules.rows(form, batch, payer, lines)


def read(form: ReportForm, body: bytes) -> list[Reported]:
    """Return the lines of a bank's report. Raises Refused if it is incomplete."""
    if len(body) > FILE_BYTES_MAX:
        raise unread(f"at most {FILE_BYTES_MAX} bytes")
    lines = rules.csv_report(body) if form is ReportForm.CSV else iso20022.report(form, body)
    answers = [(line.reference, type(line.answer)) for line in lines]
    if len(answers) != len(set(answers)):
        raise unread("each payout once")
    return lines
