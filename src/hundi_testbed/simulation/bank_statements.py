"""The bank's statements: collected money and hand-overs, and the gateway's bank account."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from hundi.kernel.clock import business_day
from hundi_testbed.simulation.agreements import BANK, CARD, UPI
from hundi_testbed.simulation.world import World

SETTLEMENT_ACCOUNT = "SIMULATED-SETTLEMENT"
OUR_ACCOUNT = "50200012345678"
FEES_BPS = {UPI: 0, CARD: 180, BANK: 150}
"""The bank's fee for each way to pay; GST comes on top."""
GST_PER_CENT = 18
CREDITS = frozenset({"debit", "capture"})
_KINDS = {"debit": "PAYMENT", "capture": "CAPTURE", "refund": "REFUND", "chargeback": "CHARGEBACK"}
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
TERMS = f"""
account = "{SETTLEMENT_ACCOUNT}"
late_after_days = 0
missing_after_days = 1
[csv]
trailer = "TOTAL"
trailer_count = "Merchant Reference"
trailer_sum = "Net"
[csv.kinds]
PAYMENT = "payment"
CAPTURE = "payment"
REFUND = "refund"
CHARGEBACK = "chargeback"
HANDOVER = "handover"
[csv.columns]
kind = "Type"
account = "Account"
currency = "Currency"
reference = "Merchant Reference"
rrn = "RRN"
gross = "Gross"
fee = "Fee"
net = "Net"
utr = "UTR"
day = "Date"
""" + "".join(
    f'[[fees]]\nmethod = "{method}"\nbps = {FEES_BPS[way]}\ntax_bps = {GST_PER_CENT * 100}\n'
    for method, way in (
        ("upi_qr", UPI),
        ("upi_collect", UPI),
        ("upi_autopay", UPI),
        ("card", CARD),
        ("netbanking", BANK),
        ("refund", UPI),
    )
)
"""The bank's terms, in the operator's form."""


@dataclass(frozen=True, slots=True)
class SimulatedMovement:
    """One movement of a customer's money. merchant: of the payment."""

    at: datetime
    kind: str
    reference: str
    rrn: str
    gross_paise: int
    fee_paise: int

    @property
    def merchant(self) -> int:
        """Return the merchant of the payment."""
        return int(self.reference.partition("-")[0])

    @property
    def signed_paise(self) -> int:
        """Return the change of the bank's debt, before its fee."""
        return self.gross_paise if self.kind in CREDITS else -self.gross_paise

    @property
    def net_paise(self) -> int:
        """Return its amount in a hand-over."""
        return self.signed_paise - self.fee_paise


def fee_of(way: str, paise: int) -> int:
    """Return the bank's fee for a payment, with tax."""
    fee = (paise * FEES_BPS[way] + 5_000) // 10_000
    return fee + (fee * GST_PER_CENT + 50) // 100


class BankStatements:
    """All movements, and the days with statements.

    movements: oldest first. handed: the number in past hand-overs. account: UTR and paise of each
    movement on the gateway's bank account. files: the written statements, of the acquirer and of
    our account, in turn.
    """

    def __init__(self, world: World, folder: Path) -> None:
        """Start with empty books."""
        self._world = world
        self._folder = folder
        self.movements: list[SimulatedMovement] = []
        self.handed = 0
        self.account: list[tuple[str, int]] = []
        self._told_account = 0
        self.balance_paise = 0
        self.files: list[tuple[Path, str, str]] = []

    def move(self, utr: str, paise: int) -> None:
        """Record a movement on the gateway's bank account."""
        self.account.append((utr, paise))

    def end_day(self) -> None:
        """Hand over the day's sum, and write both statements of the day."""
        day = business_day(self._world.now) - timedelta(days=1)
        new = self.movements[self.handed :]
        net = sum(each.net_paise for each in new)
        if net:
            # A sum of zero or less is not transferred: it stays for the next day.
            utr = f"SIMH{day:%Y%m%d}0001"
            self.handed = len(self.movements)
            self.move(utr, net)
            self._write(f"acquirer-{day}.csv", _acquirer(new, utr, net, day), "csv")
        lines = self.account[self._told_account :]
        if lines:
            self._told_account = len(self.account)
            self._write(f"account-{day}.sta", _account(lines, self.balance_paise, day), "mt940")
            self.balance_paise += sum(paise for _, paise in lines)
        self._world.note(f"bank tells of {day}: {len(new)} movements, {net} paise handed over")

    def _write(self, name: str, text: str, form: str) -> None:
        path = self._folder / name
        path.write_text(text)
        self.files.append((path, form, "simulated" if form == "csv" else ""))


def _acquirer(movements: Iterable[SimulatedMovement], utr: str, net: int, day: date) -> str:
    text = io.StringIO()
    out, lines = csv.writer(text), 0
    out.writerow(_COLUMNS)
    for each in movements:
        money = (_rupees(each.gross_paise), _rupees(each.fee_paise), _rupees(abs(each.net_paise)))
        out.writerow(
            (
                _KINDS[each.kind],
                SETTLEMENT_ACCOUNT,
                "INR",
                each.reference,
                each.rrn,
                *money,
                utr,
                day,
            )
        )
        lines += 1
    left = net
    if net > 0:
        money = (_rupees(net), "0.00", _rupees(net))
        out.writerow(("HANDOVER", SETTLEMENT_ACCOUNT, "INR", "", "", *money, utr, day))
        lines, left = lines + 1, 0
    out.writerow(("TOTAL", SETTLEMENT_ACCOUNT, "INR", lines, "", "", "", _rupees(left), "", day))
    return text.getvalue()


def _account(lines: list[tuple[str, int]], opening: int, day: date) -> str:
    out = [
        f":20:SIM{day:%Y%m%d}",
        f":25:{OUR_ACCOUNT}",
        f":28C:{day:%j}/1",
        _balance("60F", opening, day),
    ]
    for utr, paise in lines:
        amount = _rupees(abs(paise)).replace(".", ",")
        out.append(
            f":61:{day:%y%m%d}{day:%m%d}{'D' if paise < 0 else 'C'}{amount}NTRFNONREF//{utr}"
        )
        out.append(f":86:NEFT {utr}")
    out.append(_balance("62F", opening + sum(paise for _, paise in lines), day))
    return "\r\n".join([*out, "-", ""])


def _balance(tag: str, paise: int, day: date) -> str:
    return (
        f":{tag}:{'D' if paise < 0 else 'C'}{day:%y%m%d}INR{_rupees(abs(paise)).replace('.', ',')}"
    )


def _rupees(paise: int) -> str:
    sign, paise = ("-", -paise) if paise < 0 else ("", paise)
    return f"{sign}{paise // 100}.{paise % 100:02d}"
