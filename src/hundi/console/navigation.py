"""The navigation of every screen: nouns in groups, each with the permission that shows it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hundi.staff.people.rules import Permission

SEARCH = "search"
"""The path of the search box's page; "" for none."""
SEARCH_ACROSS = "across/search"
"""The same for the operator's look across merchants."""


@dataclass(frozen=True, slots=True)
class Noun:
    """One line of the navigation.

    at: "merchant" at a merchant's place, "all" at the operator's look across merchants, "both".
    """

    label: str
    path: str
    icon: str
    permission: Permission | None
    at: str = "merchant"


GROUPS: Mapping[str, Sequence[Noun]] = {
    "": (
        Noun("Home", "", "home", None, "both"),
        Noun("Merchants", "merchants", "merchants", Permission.MONEY_SEE, "all"),
        Noun("Leads", "leads", "leads", Permission.LEADS_SEE, "all"),
    ),
    "Payments": (
        Noun("Success", "success", "charts", Permission.PAYMENTS_SEE, "both"),
        Noun("Payments", "payments", "payments", Permission.PAYMENTS_SEE),
        Noun("Payment links", "links", "links", Permission.PAYMENTS_SEE),
        Noun("Refunds", "refunds", "refunds", Permission.PAYMENTS_SEE),
        Noun("Disputes", "disputes", "disputes", Permission.MONEY_SEE),
        Noun("Complaints", "complaints", "disputes", Permission.PAYMENTS_SEE),
        Noun("Subscriptions", "subscriptions", "subscriptions", Permission.PAYMENTS_SEE),
        Noun("Customers", "customers", "customers", Permission.PAYMENTS_SEE),
        Noun("Letters", "letters", "deliveries", Permission.PAYMENTS_SEE, "both"),
        Noun("Terminals", "terminals", "terminals", Permission.PAYMENTS_SEE),
        Noun("Payments", "across/payments", "payments", Permission.PAYMENTS_SEE, "all"),
        Noun("Reviews", "reviews", "waiting", Permission.PAYMENTS_SEE, "all"),
        Noun("Disputes", "across/disputes", "disputes", Permission.MONEY_SEE, "all"),
        Noun("Complaints", "across/complaints", "disputes", Permission.PAYMENTS_SEE, "all"),
        Noun("Channels", "channels", "channels", Permission.CHANNELS_SEE, "both"),
        Noun("Acquirers", "acquirers", "acquirers", Permission.CHANNELS_SEE, "all"),
        Noun("Routing", "routing", "routing", Permission.CHANNELS_SEE, "all"),
    ),
    "Money": (
        Noun("Settlements", "settlements", "settlements", Permission.MONEY_SEE),
        Noun("Payouts", "payouts", "payouts", Permission.MONEY_SEE),
        Noun("Reports", "reports", "trail", Permission.MONEY_SEE, "both"),
        Noun("Payouts", "across/payouts", "payouts", Permission.MONEY_SEE, "all"),
        Noun("Routing of payouts", "payout-routing", "routing", Permission.CHANNELS_SEE, "all"),
        Noun("Reconciliation", "reconciliation", "reconciliation", Permission.MONEY_SEE, "all"),
        Noun("Bank account", "bank-account", "merchants", Permission.MONEY_SEE),
        Noun("Price plan", "price-plan", "trail", Permission.MONEY_SEE),
    ),
    "Developers": (
        Noun("Deliveries", "deliveries", "deliveries", Permission.DEVELOPERS_SEE),
        Noun("Refused requests", "requests", "developers", Permission.DEVELOPERS_SEE),
        Noun("Envelope lab", "lab", "lab", Permission.DEVELOPERS_SEE),
        Noun("Keys", "keys", "key", Permission.KEYS_CHANGE),
        Noun("Doctor", "doctor", "channels", Permission.DEVELOPERS_SEE, "all"),
        Noun("Integration", "integration", "settings", Permission.SETTINGS_CHANGE),
        Noun("Brand", "brand", "merchants", Permission.SETTINGS_CHANGE),
    ),
    "Team": (
        Noun("Approvals", "approvals", "approvals", Permission.APPROVALS_SEE, "both"),
        Noun("People", "people", "people", Permission.PEOPLE_SEE, "both"),
        Noun("Trail", "trail", "trail", Permission.TRAIL_SEE, "both"),
        Noun("More", "verbs", "settings", None, "both"),
    ),
}
"""The groups by heading; "" has none."""


def shown(at: str, may: Callable[[Permission], bool]) -> Mapping[str, Sequence[Noun]]:
    """Return the groups that a person sees at a place, "merchant" or "all"."""
    groups = {
        heading: [
            each
            for each in nouns
            if each.at in {"both", at} and (not each.permission or may(each.permission))
        ]
        for heading, nouns in GROUPS.items()
    }
    return {heading: nouns for heading, nouns in groups.items() if nouns}
