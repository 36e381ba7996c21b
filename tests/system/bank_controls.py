"""What tests do at the simulated bank of a running gateway."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.system.waiting import until


class BankControls:
    """The books of the simulated bank, and its faults, of a gateway that runs."""

    def bank_entries(self, reference: str = "") -> list[dict[str, Any]]:
        """Return the bank's own books as they stand, of one reference or of all.

        One entry an RRN, its last state.
        """
        found: dict[str, dict[str, Any]] = {}
        after = 0
        while True:
            page = self.bank.get("/books", params={"after": after}).raise_for_status().json()
            if not page["entries"]:
                return [
                    each
                    for each in found.values()
                    if not reference or each["reference"] == reference
                ]
            found |= {each["rrn"]: each for each in page["entries"]}
            after = page["next"]

    def inject_faults(self, **setting: object) -> None:
        """Set the bank's dial for trouble; without anything, end the trouble."""
        answer = (
            self.bank.put("/control/dial", json=setting)
            if setting
            else self.bank.delete("/control/dial")
        )
        assert answer.is_success, answer.text

    def make_late_successes_due(self) -> None:
        """Let the late successes that wait at the bank happen now.

        At least one does wait, or is on its way there.
        """
        until(self._late_successes_made_due, "a late success")

    def _late_successes_made_due(self) -> int:
        return self.bank.post("/control/late-success").raise_for_status().json()["made_due"]

    def make_registrations_due(self) -> None:
        """Let the banks that have to register a mandate do so now; at least one has to."""
        assert self.bank.post("/control/registration").raise_for_status().json()["made_due"] > 0

    @contextmanager
    def undecided(self) -> Iterator[None]:
        """Keep payments undecided at the bank until the end of this; then they succeed."""
        self.inject_faults(late_success_s=86_400)
        try:
            yield
            # A page may wait already while its charge is on the way to the bank: it must come
            # before the trouble ends.
            self.make_late_successes_due()
        finally:
            self.inject_faults()
            self._late_successes_made_due()
