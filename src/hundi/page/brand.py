"""A merchant's logo on its pages: its address, and its size in the header; pure."""

from hundi.merchants.directory.logos.rules import parse_name
from hundi.merchants.directory.rules import Merchant
from hundi.page.screens import LogoImage

LOGO_PATH = "/pay/v4/logo/"
"""The beginning of a logo's address; the merchant's id, the picture's mark and `.png` follow."""
HEIGHT, WIDTH_MAX = 36, 160
"""The size of a logo in the header, in pixels: the amount beside it must stay in sight."""


def logo_of(merchant: Merchant) -> LogoImage | None:
    """Return the logo in a merchant's header, None where its initial stands."""
    named = parse_name(merchant.settings.logo)
    if named is None:
        return None
    mark, width, height = named
    shown_width = max(1, min(WIDTH_MAX, round(width * HEIGHT / height)))
    return LogoImage(f"{LOGO_PATH}{merchant.merchant_id}.{mark}.png", shown_width, HEIGHT)
