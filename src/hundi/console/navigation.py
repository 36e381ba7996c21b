"""What the left side of every screen lists: nouns, each with the permission that shows it."""

from dataclasses import dataclass

from hundi.staff.people.rules import Permission

SEARCH = "search"
"""The path of the page that the search box leads to; "" while there is none."""


@dataclass(frozen=True, slots=True)
class Noun:
    """One line of the navigation.

    at: "merchant" where one merchant is looked at, "all" where the operator looks across merchants, "both".
    """

    label: str
    path: str
    icon: str
    permission: Permission | None
    at: str = "merchant"


NOUNS: tuple[Noun, ...] = (
    Noun("Home", "", "home", None, "both"),
    Noun("Payments", "payments", "payments", Permission.PAYMENTS_SEE),
    Noun("Settlements", "settlements", "settlements", Permission.MONEY_SEE),
    Noun("Payouts", "payouts", "payouts", Permission.MONEY_SEE),
    Noun("Approvals", "approvals", "approvals", Permission.APPROVALS_SEE, "both"),
    Noun("People", "people", "people", Permission.PEOPLE_SEE, "both"),
    Noun("Trail", "trail", "trail", Permission.TRAIL_SEE, "both"),
)
