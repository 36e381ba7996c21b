"""The days of a simulation's bank: it hands over what it collected, and writes its statements."""

from datetime import timedelta
from importlib.resources import files as resources
from pathlib import Path

from hundi.kernel.clock import business_day
from hundi_testbed.bank.statements import files
from hundi_testbed.bank.statements.rules import Statement, StatementMovement
from hundi_testbed.simulation.world import World

TERMS = resources("hundi.money.reconciliation").joinpath("sandbox.toml").read_bytes()
"""The bank's terms, in the operator's form."""


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
        self.movements: list[StatementMovement] = []
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
        statement = Statement(day, tuple(self.movements[self.handed :]))
        lines, net = len(statement.movements), statement.net_paise
        if net:
            # A sum of zero is not transferred: its lines stay for the next day.
            self.handed = len(self.movements)
            self.move(statement.utr, net)
            self._write(f"acquirer-{day}.csv", files.acquirer_csv(statement), "csv")
        moved = self.account[self._told_account :]
        if moved:
            self._told_account = len(self.account)
            text = files.account_mt940(day, moved, self.balance_paise)
            self._write(f"account-{day}.sta", text, "mt940")
            self.balance_paise += sum(paise for _, paise in moved)
        self._world.note(f"bank tells of {day}: {lines} movements, {net} paise handed over")

    def _write(self, name: str, text: str, form: str) -> None:
        path = self._folder / name
        path.write_text(text)
        self.files.append((path, form, "simulated" if form == "csv" else ""))
