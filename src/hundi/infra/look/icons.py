"""The icons of our pages: one line each, in the colour of the text around them."""

from collections.abc import Mapping

from markupsafe import Markup

_SHARED = {
    "waiting": '<circle cx="12" cy="12" r="9"/><path d="M12 7v5.2l3.3 2"/>',
    "refused": '<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6m0-6-6 6"/>',
    "info": '<circle cx="12" cy="12" r="9"/><path d="M12 11v5.5M12 7.6v.4"/>',
}
DONE = '<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.7 2.7L16 9.5"/>'
CARD = '<rect x="3" y="5.5" width="18" height="13" rx="2.5"/><path d="M3 10h18M6.5 15h4"/>'
BANK = (
    '<path d="M4 10h16M12 4 4 8.5v1.5h16V8.5zM6.5 10v7M10.5 10v7M13.5 10v7M17.5 10v7M4 19.5h16"/>'
)
MOVES = '<path d="M4 8.5h14m0 0-3.5-3.5M18 8.5 14.5 12M20 15.5H6m0 0 3.5-3.5M6 15.5 9.5 19"/>'
"""The lines of icons that both kinds of pages have, each under a name of its own."""


def drawn(lines: str, name: str = "icon") -> Markup:
    """Return an icon. lines: our own SVG only. name: its class in the stylesheet."""
    frame = Markup(
        '<svg class="{}" viewBox="0 0 24 24" aria-hidden="true" focusable="false">{}</svg>'
    )
    return frame.format(name, Markup(lines))  # noqa: S704 (lines of ours, nobody else's)


def all_drawn(own: Mapping[str, str]) -> dict[str, Markup]:
    """Return the icons of all pages, and these."""
    return {name: drawn(lines) for name, lines in {**_SHARED, **own}.items()}
