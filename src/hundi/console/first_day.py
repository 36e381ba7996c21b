"""The steps of a merchant's first day, until each is done."""

from dataclasses import dataclass

from hundi.console.queries import needs
from hundi.console.visits import ConsoleVisit
from hundi.staff.people.rules import Permission


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A step of the first day. href: of its form, "" for a person who may not do it."""

    title: str
    words: str
    href: str
    is_done: bool


async def of_visit(visit: ConsoleVisit) -> list[FirstStep]:
    """Return the steps of the place's merchant; none when all are done."""
    assert visit.place is not None
    merchant = visit.place.merchant
    if merchant is None:
        return []
    done = await needs.steps(visit.db, merchant.merchant_id)
    live = (
        _step(
            visit,
            "Name the bank account",
            "Your money is paid out to it, once the bank has confirmed it.",
            ("bank-account", Permission.BANK_ACCOUNTS_CHANGE),
            is_done=done["account"],
        ),
        _step(
            visit,
            "Agree on prices",
            "The operator publishes your price plan; without one nothing is charged.",
            ("price-plan", Permission.FEES_CHANGE),
            is_done=done["plan"],
        ),
    )
    own = (
        _step(
            visit,
            "Give your server its keys",
            "Done when your server has asked for an access token, or started a payment.",
            ("keys", Permission.KEYS_CHANGE),
            is_done=done["token"] or done["payment"],
        ),
        _step(
            visit,
            "Say where notifications go",
            "Your server hears there of each payment, and needs not ask.",
            ("integration/notifications", Permission.SETTINGS_CHANGE),
            is_done=bool(merchant.settings.notification_url),
        ),
        _step(
            visit,
            "Take the first payment",
            "Share a payment link, or let your shop begin one.",
            ("links", Permission.LINKS_MAKE),
            is_done=done["paid"],
        ),
    )
    steps = [*(live if merchant.mode == "live" else ()), *own]
    return steps if any(not step.is_done for step in steps) else []


def _step(
    visit: ConsoleVisit,
    title: str,
    words: str,
    form: tuple[str, Permission],
    *,
    is_done: bool,
) -> FirstStep:
    path, permission = form
    return FirstStep(title, words, visit.href(path) if visit.may(permission) else "", is_done)
