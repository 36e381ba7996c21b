"""Static files of the payment page, and the headers of every page."""

from functools import lru_cache
from pathlib import Path

from hundi.infra.look import headers
from hundi.infra.look.files import Asset, load

STATIC_PATH = "/pay/v4/static"
PAGE_LEVEL = 1
"""The compression level of a page, which is compressed for each phone.

48 µs, and level 9 takes 120 µs for 7 % fewer bytes (decision 43).
"""
ASSETS = load(Path(__file__).parent / "static", STATIC_PATH)
_BY_HREF = {asset.href: asset for asset in ASSETS.values()}


def at(path: str) -> Asset | None:
    """Return the static file at a path, or None."""
    return _BY_HREF.get(path)


@lru_cache(maxsize=256)
def page_headers(
    form_targets: tuple[str, ...], frames: tuple[str, ...] = (), referrer: str = "no-referrer"
) -> dict[str, str]:
    """Return the headers of a page whose forms, and their redirects, go to us and to these targets.

    form_targets: origins, or schemes for all of their hosts. frames: the origins whose pages may
    show it in a frame.
    """
    return headers.page_headers(form_targets, frames=frames, referrer=referrer)
