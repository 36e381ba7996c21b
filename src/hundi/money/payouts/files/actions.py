"""Write a file of approved payouts, and apply a bank's report."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as accounts
from hundi.money.bank_accounts.rules import IFSC, NUMBER, PERSON
from hundi.money.payouts import actions
from hundi.money.payouts import store as payout_store
from hundi.money.payouts.actions import ReportOutcome
from hundi.money.payouts.files import forms, rules, store
from hundi.money.payouts.files.rules import FileForm, FileLine, PayingAccount, ReportForm
from hundi.money.payouts.rules import PayoutState, PayoutTry, PayoutWay
from hundi.money.payouts.sending.actions import send


def unseen(_batch_id: int) -> None:
    """Show a file's number to nobody."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A file of payouts.

    paise: its control total. left: payouts that stay here because the books do not show their
    cause.
    """

    batch_id: int
    payouts: int
    paise: int
    body: bytes
    left: int = 0

    def __repr__(self) -> str:
        """Hide the body, which holds account numbers."""
        return f"Exported({self.batch_id})"


async def export(
    db: Database,
    vault: Vault,
    form: FileForm,
    payer: PayingAccount,
    person: str,
    now: datetime,
    begun: Callable[[int], object] = unseen,
) -> Exported | None:
    """Send the approved payouts of one bank in a file, and return it; None if there are none.

    Each payout is written as sent before the file exists: after a crash `again` makes the same
    file, and no payout is in two files. begun: gets the file's number before the first payout is
    written. Raises Refused.
    """
    check(payer, person)
    waiting = await store.to_export(db, rules.PAYOUTS_MAX)
    payouts = [payout for payout in waiting if payout.connector == waiting[0].connector]
    lines = [await _line(db, vault, payout) for payout in payouts]
    if not any(lines):
        return None
    # A payout that the form cannot hold is refused before anything is sent.
    forms.write(form, "0" * 15, payer, [line for line in lines if line], now)
    batch_id = await _open_batch(db, form, payouts[0].connector, person, now)
    begun(batch_id)
    sent, left, way = 0, 0, PayoutWay(batch_id=batch_id)
    for payout, line in zip(payouts, lines, strict=True):
        if line is not None and await send(db, payout, way, now, person) is not None:
            sent += 1
        elif await _still_waits(db, payout):
            left += 1
    if sent == 0:
        return Exported(batch_id, 0, 0, b"", left) if left else None
    file = await again(db, vault, batch_id, payer)
    return Exported(file.batch_id, file.payouts, file.paise, file.body, left)


async def _still_waits(db: Database, payout: PayoutTry) -> bool:
    """Return whether a payout is left: another export at once may have sent it."""
    current = await payout_store.select(db, payout.merchant_id, payout.payout_id)
    return current is not None and current.state is PayoutState.APPROVED


def check(payer: PayingAccount, person: str) -> None:
    """Refuse a paying account or a person's name that is not valid. Raises Refused."""
    if not PERSON.match(person):
        raise refuse(
            RefusalCode.FIELD_INVALID, field="as", received=person[:64], allowed="a person's name"
        )
    if payer.account and not NUMBER.match(payer.account):
        raise refuse(
            RefusalCode.FIELD_INVALID, field="from account", allowed="4 to 34 capitals and digits"
        )
    if payer.ifsc and not IFSC.match(payer.ifsc):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="from IFSC",
            received=payer.ifsc[:20],
            allowed="an IFSC",
        )


async def _open_batch(
    db: Database, form: FileForm, connector: str, person: str, now: datetime
) -> int:
    for _ in range(ID_TRIES_MAX):
        batch_id = new_id(now)
        if await store.insert_batch(db, batch_id, form, connector, person, now):
            return batch_id
    message = "no free id of a file found"
    raise RuntimeError(message)


async def again(db: Database, vault: Vault, batch_id: int, payer: PayingAccount) -> Exported:
    """Return an earlier file again, byte for byte. Raises Refused: NO_RECORDS."""
    row = await store.batch(db, batch_id)
    if row is None:
        raise refuse(RefusalCode.NO_RECORDS, field="batch", received=str(batch_id))
    payouts = await store.of_batch(db, batch_id)
    lines = [line for payout in payouts if (line := await _line(db, vault, payout))]
    if len(lines) != len(payouts):
        raise refuse(
            RefusalCode.STATE_FORBIDS,
            field="batch",
            received=str(batch_id),
            allowed="accounts as they were",
        )
    body = forms.write(FileForm(row["format"]), str(batch_id), payer, lines, row["made_at"])
    return Exported(batch_id, len(lines), sum(line.paise for line in lines), body)


async def _line(db: Database, vault: Vault, payout: PayoutTry) -> FileLine | None:
    """Return a payout with its account number; None if the row was changed from outside."""
    account = await accounts.select(db, payout.merchant_id, payout.beneficiary, payout.account_no)
    if account is None or not await bank_accounts.is_proved(db, vault, account):
        return None
    bank_account = bank_accounts.opened(vault, account)
    if bank_account is None:
        return None
    return FileLine(
        payout.reference,
        payout.rail,
        payout.amount_paise,
        bank_account.ifsc,
        bank_account.number,
        account.holder,
    )


async def take(db: Database, form: ReportForm, body: bytes, now: datetime) -> ReportOutcome:
    """Apply a bank's report; a repeated one changes nothing. Raises Refused if it is incomplete."""
    return await actions.take_report(db, forms.read(form, body), now)
