"""Logos: which pictures are taken, and that nothing but pixels is kept of one."""

import io

import pytest
from PIL import Image, PngImagePlugin

from hundi.kernel.refusals import RefusalCode, Refused
from hundi.merchants.directory.logos import rules


def picture(width: int, height: int, form: str = "PNG", **more) -> bytes:
    written = io.BytesIO()
    Image.effect_noise((width, height), 90).convert("RGB").save(written, form, **more)
    return written.getvalue()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_picture_is_kept_small(form: str) -> None:
    logo = rules.picture_of(picture(900, 300, form))
    assert (logo.width, logo.height) == (432, 144)
    with Image.open(io.BytesIO(logo.content)) as kept:
        assert (kept.format, kept.size) == ("PNG", (432, 144))
    assert len(logo.content) < 200_000, "the table's bound"
    assert rules.parse_name(logo.name) == (logo.mark, 432, 144)


def test_the_largest_noise_keeps_the_tables_bound() -> None:
    assert len(rules.picture_of(picture(480, 144)).content) < 200_000


def test_nothing_but_pixels_is_kept() -> None:
    told = PngImagePlugin.PngInfo()
    told.add_text("Comment", "<script>alert(1)</script>")
    sent = picture(64, 64, pnginfo=told) + b"PK\x05\x06 and an archive behind"
    assert b"script" in sent
    kept = rules.picture_of(sent).content
    assert b"script" not in kept
    assert b"PK\x05\x06" not in kept


def test_the_same_picture_has_the_same_name() -> None:
    sent = picture(64, 64)
    assert rules.picture_of(sent).name == rules.picture_of(sent).name


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"GIF89a",
        picture(64, 64)[:-40],
        picture(31, 64),
        picture(900, 100),
        b"\x89PNG\r\n\x1a\n" + b"\0" * rules.LOGO_BYTES_MAX,
    ],
    ids=["nothing", "svg", "gif", "broken off", "too small", "too long", "too many bytes"],
)
def test_what_is_no_logo_is_refused_by_its_field(content: bytes) -> None:
    with pytest.raises(Refused) as refused:
        rules.picture_of(content)
    refusal = refused.value.refusal
    assert (refusal.code, refusal.field) == (RefusalCode.FIELD_INVALID, "logo")


def test_a_picture_that_would_fill_the_memory_is_refused_unopened() -> None:
    written = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(written, "PNG")
    assert len(written.getvalue()) < rules.LOGO_BYTES_MAX
    with pytest.raises(Refused):
        rules.picture_of(written.getvalue())


@pytest.mark.parametrize("name", ["", "x", "0123456789abcdef", "0123456789abcdef.0x4", "../x.1x1"])
def test_what_is_no_logos_name(name: str) -> None:
    assert rules.parse_name(name) is None
