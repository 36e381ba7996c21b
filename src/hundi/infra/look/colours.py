"""The merchant's accent colour, and its readable shades on both themes; pure."""

import re
from typing import NamedTuple

DEFAULT_ACCENT = "#2b2a6b"
# WCAG 2.2 AA for text.
CONTRAST_MIN = 4.5
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_STEPS = 20
_SRGB_LINEAR_MAX = 0.04045
_WHITE = (255, 255, 255)
# White or black: one of them is readable on any colour; a softer ink may not be.
_BLACK = (0, 0, 0)
# The backgrounds in page.css; a test compares them with the file.
GROUND_LIGHT = (255, 255, 255)
GROUND_DARK = (30, 32, 40)

Rgb = tuple[int, int, int]


def read(text: str) -> Rgb | None:
    """Return the parts (0-255) of a colour written `#2b2a6b`, or None."""
    if _COLOUR.fullmatch(text) is None:
        return None
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the WCAG contrast ratio, 1 to 21."""
    brighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


class Shade(NamedTuple):
    """An accent on one theme, as `#2b2a6b`: filled surfaces, text on them, text on the ground."""

    surface: str
    text_on: str
    text: str


class Shades(NamedTuple):
    """An accent on both themes."""

    light: Shade
    dark: Shade


def shades(accent: str) -> Shades:
    """Return the readable shades of an accent; of the default for an unreadable one."""
    colour = read(accent) or read(DEFAULT_ACCENT) or _BLACK
    on_dark = _readable_on(GROUND_DARK, colour, towards=_WHITE)
    return Shades(
        _shade(colour, _readable_on(GROUND_LIGHT, colour, towards=_BLACK)),
        _shade(on_dark, on_dark),
    )


def _shade(surface: Rgb, text: Rgb) -> Shade:
    on_surface = _WHITE if contrast(surface, _WHITE) >= contrast(surface, _BLACK) else _BLACK
    return Shade(_text(surface), _text(on_surface), _text(text))


def stylesheet(accent: str) -> str:
    """Return the custom properties of an accent for both themes; a default for an unreadable one.

    --accent: filled surfaces, with --on-accent for text on them. --accent-text: text and lines on
    the page's background.
    """
    light, dark = (_properties(shade) for shade in shades(accent))
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _properties(shade: Shade) -> str:
    return f"--accent:{shade.surface};--on-accent:{shade.text_on};--accent-text:{shade.text}"


def _readable_on(ground: Rgb, colour: Rgb, *, towards: Rgb) -> Rgb:
    """Return the colour, mixed with ink or white just far enough to be readable."""
    for step in range(_STEPS + 1):
        mixed = _mixed(colour, towards, step)
        if contrast(mixed, ground) >= CONTRAST_MIN:
            return mixed
    return towards


def _mixed(colour: Rgb, towards: Rgb, step: int) -> Rgb:
    red, green, blue = (
        (part * (_STEPS - step) + end * step) // _STEPS
        for part, end in zip(colour, towards, strict=True)
    )
    return red, green, blue


def _linear(part: int) -> float:
    share = part / 255
    return share / 12.92 if share <= _SRGB_LINEAR_MAX else ((share + 0.055) / 1.055) ** 2.4


def _luminance(colour: Rgb) -> float:
    red, green, blue = map(_linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _text(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
