"""The console's static files, named by their content, and the headers of its pages."""

from pathlib import Path

from hundi.infra.look.files import load
from hundi.infra.look.headers import PERMISSIONS, page_headers

PREFIX = "/console/"
STATIC_PATH = "/console/static"
# Our own forms send their origin; other sites get no referrer.
HEADERS = page_headers(
    referrer="same-origin",
    permissions=(
        f"{PERMISSIONS}, publickey-credentials-get=(self), publickey-credentials-create=(self)"
    ),
)
ASSETS = load(Path(__file__).parent / "static", STATIC_PATH)
BY_HREF = {asset.href: asset for asset in ASSETS.values()}
