"""Whatever colour a merchant chooses, the page stays readable on both themes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.infra.look import colours
from hundi.page.assets import ASSETS


def rgb(text: str) -> colours.Rgb:
    read = colours.read(text)
    assert read is not None
    return read


COLOUR = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def properties(css: str) -> list[dict[str, str]]:
    return [dict(re.findall(r"--([a-z-]+):(#[0-9a-f]{6})", block)) for block in css.split("@media")]


@given(COLOUR)
def test_text_on_and_in_the_accent_has_enough_contrast(accent):
    for theme, ground in zip(
        properties(colours.stylesheet(accent)),
        (colours.GROUND_LIGHT, colours.GROUND_DARK),
        strict=True,
    ):
        read = {name: rgb(value) for name, value in theme.items()}
        assert colours.contrast(read["accent-text"], ground) >= colours.CONTRAST_MIN
        assert colours.contrast(read["on-accent"], read["accent"]) >= colours.CONTRAST_MIN


@pytest.mark.parametrize(
    "accent", ["", "red", "#12345", "#1234567", "#12345g", "};body{display:none"]
)
def test_anything_but_a_colour_gives_the_default(accent):
    assert colours.stylesheet(accent) == colours.stylesheet(colours.DEFAULT_ACCENT)


def test_the_grounds_are_those_of_the_stylesheet():
    css = ASSETS["page.css"].content.decode()
    light, dark = re.findall(r"--sheet: (#[0-9a-f]{6})", css)
    assert colours.read(light) == colours.GROUND_LIGHT
    assert colours.read(dark) == colours.GROUND_DARK


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_stylesheets_own_colours_have_enough_contrast(scheme):
    css = ASSETS["page.css"].content.decode()
    blocks = re.findall(r":root \{(.*?)\n\s*\}", css, re.DOTALL)
    tokens = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", blocks[0 if scheme == "light" else 1]))
    pairs = [
        ("ink", "ground"),
        ("ink", "sheet"),
        ("ink-quiet", "ground"),
        ("ink-quiet", "sheet"),
        ("on-accent", "accent"),
    ]
    pairs += [
        ("accent-text", "sheet"),
        ("red", "sheet"),
        ("ink", "red-ground"),
        ("amber", "amber-ground"),
    ]
    for text, ground in pairs:
        ratio = colours.contrast(rgb(tokens[text]), rgb(tokens[ground]))
        assert ratio >= colours.CONTRAST_MIN, (text, ground, ratio)
