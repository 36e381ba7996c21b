"""A customer's personal data, masked for people who gave no reason to see it."""

_KEPT_DIGITS = 4
_STARS = "•••"


def masked_phone(phone: str) -> str:
    """Return the last four digits of a phone number, the rest masked: to compare, not to call."""
    return (
        f"{_STARS}{phone[-_KEPT_DIGITS:]}" if len(phone) > _KEPT_DIGITS else _STARS if phone else ""
    )


def masked_email(email: str) -> str:
    """Return an email or UPI address with only its first letter and the part after the @."""
    name, at, domain = email.rpartition("@")
    return f"{name[:1]}{_STARS}{at}{domain}" if at else _STARS if email else ""


def masked_name(name: str) -> str:
    """Return a person's name with only the first letter of each word."""
    return " ".join(f"{word[0]}{_STARS}" for word in name.split())
