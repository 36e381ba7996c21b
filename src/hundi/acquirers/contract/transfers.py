"""The contract about money paid to account numbers and for vouchers."""

from datetime import UTC, datetime, timedelta

from hundi.acquirers.contract.steps import (
    AMOUNT,
    OTHER_AMOUNT,
    ConnectorCase,
    ContractBrokenError,
    demand,
    new_charge,
)
from hundi.acquirers.port.answers import Accepted, Declined
from hundi.acquirers.port.payments import Connector, IssuesVouchers, ReceivesTransfers
from hundi.acquirers.port.transfers import Transfer, Voucher
from hundi.instruments.methods import TO_ACCOUNTS
from hundi.kernel.records import replace

_VOUCHER_LIFE = timedelta(hours=1)


async def check_accounts(connector: Connector, case: ConnectorCase) -> None:
    """Prove that each reference has an account number of its own.

    An unused number got no transfer.
    """
    if not isinstance(connector, ReceivesTransfers):
        return
    for method in (each.method.name for each in TO_ACCOUNTS):
        charge, other = new_charge(case), new_charge(case)
        account = connector.account_for(charge, method=method)
        demand(
            account == connector.account_for(charge, method=method),
            "the same reference has the same account",
        )
        another = connector.account_for(other, method=method)
        demand(account.number != another.number, "another reference has another account")
        demand(
            await connector.transfers(charge.reference) == (),
            "nothing came to an account that nobody used",
        )


async def check_vouchers(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a reference has one voucher of one amount.

    Its cash is reported once, with a receipt number.
    """
    if not isinstance(connector, IssuesVouchers):
        return
    if case.pay_voucher is None:
        raise ContractBrokenError("tests of vouchers play the customer at a counter")
    charge, ends = new_charge(case), datetime.now(UTC) + _VOUCHER_LIFE

    async def issued(reference: str) -> Voucher:
        answer = await connector.issue_voucher(
            replace(charge, reference=reference), payee_name="Contract", expires_at=ends
        )
        if not isinstance(answer, Voucher):
            promise = f"a voucher is issued, not {answer}"
            raise ContractBrokenError(promise)
        return answer

    voucher, unpaid = await issued(charge.reference), case.new_reference()
    demand(voucher.number.isdigit(), "the number of a voucher can be read out and typed")
    demand(await issued(charge.reference) == voucher, "the same reference has the same voucher")
    demand(await issued(unpaid) != voucher, "another reference has another voucher")
    for _ in range(2):
        demand(
            isinstance(await connector.end_voucher(unpaid), Accepted),
            "an unpaid voucher ends, also asked twice",
        )
    answer = await connector.issue_voucher(
        replace(charge, amount=OTHER_AMOUNT), payee_name="Contract", expires_at=ends
    )
    demand(not isinstance(answer, Voucher), "a reference belongs to one amount")
    demand(
        await connector.transfers(charge.reference) == (),
        "nobody has paid a voucher that was just issued",
    )
    await case.pay_voucher(charge, voucher)
    transfers = await connector.transfers(charge.reference)
    demand(isinstance(transfers, tuple) and len(transfers) == 1, "a paid voucher is told of once")
    paid = (
        transfers[0]
        if isinstance(transfers, tuple) and transfers
        else Transfer("", OTHER_AMOUNT, "")
    )
    demand(paid.amount == AMOUNT and paid.utr, "cash has the voucher's amount and a receipt")
    demand(
        isinstance(await connector.end_voucher(charge.reference), Declined),
        "a paid voucher does not end",
    )
