"""Formats of money, times and states on the simulator's pages."""

from datetime import date, datetime, timedelta, timezone

_IST = timezone(timedelta(hours=5, minutes=30))
_STATES = {"done": "Done", "declined": "Declined", "pending": "Pending", "reversed": "Reversed"}
_ICONS = {"done": "✓", "declined": "✕", "pending": "…", "reversed": "↩"}


def rupees(paise: int) -> str:
    """Return an amount with Indian grouping: 10000000 paise are ₹1,00,000.00."""
    whole, rest = divmod(paise, 100)
    head, tail = str(whole)[:-3], str(whole)[-3:]
    pairs: list[str] = []
    while head:
        head, pair = head[:-2], head[-2:]
        pairs.insert(0, pair)
    return f"₹{','.join([*pairs, tail])}.{rest:02d}"


def money(minor: int, currency: str) -> str:
    """Return an amount with its sign, or with its currency's letters: USD 1,499.50."""
    return rupees(minor) if currency == "INR" else f"{currency} {minor // 100:,}.{minor % 100:02d}"


def ist(at: datetime) -> str:
    """Return a time as 20 Nov 2026, 14:05 IST."""
    local = at.astimezone(_IST)
    return f"{local.day} {local:%b %Y, %H:%M} IST"


def indian_day(at: datetime) -> date:
    """Return the day of a time in India."""
    return at.astimezone(_IST).date()


def state(name: str) -> str:
    """Return the word for an entry's state."""
    return _STATES[name]


def icon(name: str) -> str:
    """Return the icon beside the word; colour is never the only signal."""
    return _ICONS[name]


def mark(name: str) -> str:
    """Return the initials of a bank's name."""
    words = [word for word in name.split() if word[0].isalpha()] or ["B"]
    return "".join(word[0] for word in words[:2]).upper()


def hue(name: str) -> int:
    """Return a bank's colour, always the same one; real banks' colours are not used."""
    return sum(name.encode()) % HUES


HUES = 4
"""The number of bank colours in the stylesheet."""
