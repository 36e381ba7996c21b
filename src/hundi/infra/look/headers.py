"""The headers of every page: nothing from another origin, nothing inline, nothing cached."""

from collections.abc import Iterable

_OFF = (
    "accelerometer",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "microphone",
    "payment",
    "usb",
)
PERMISSIONS = ", ".join(f"{feature}=()" for feature in _OFF)
"""Features that our pages never use are switched off, for our own scripts too."""


def page_headers(
    form_targets: Iterable[str] = (),
    *,
    referrer: str = "no-referrer",
    permissions: str = PERMISSIONS,
    frames: Iterable[str] = (),
) -> dict[str, str]:
    """Return the headers of a page whose forms, and their redirects, go to us and to these targets.

    form_targets: origins, or schemes for all of their hosts. frames: the origins whose pages may
    show it in a frame.
    """
    targets, ancestors = " ".join(("'self'", *form_targets)), " ".join(frames) or "'none'"
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src"
        " 'self'; "
        f"form-action {targets}; frame-ancestors {ancestors}; base-uri 'none'"
    )
    # The older header has no list of origins.
    unframed = {} if ancestors != "'none'" else {"x-frame-options": "DENY"}
    return {
        **unframed,
        "content-security-policy": policy,
        "referrer-policy": referrer,
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "permissions-policy": permissions,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
