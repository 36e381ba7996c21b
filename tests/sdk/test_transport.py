"""What both clients ask of httpx."""

import pytest

from hundi.sdk import Gateway, errors
from hundi.sdk.transport import HiddenUrl, ReplyBody, http_options


def test_an_address_travels_whole_and_is_shown_without_its_token() -> None:
    url = HiddenUrl("https://api.example.in:8443/verify/?token=abc")
    assert url.raw_path == b"/verify/?token=abc"
    assert str(url) == "https://api.example.in:8443/verify/"


def test_a_reply_is_bounded_in_bytes() -> None:
    body = ReplyBody(timeout_s=5)
    body.add(b"x" * 2_000_000)
    with pytest.raises(errors.UnreadableReplyError, match="longer"):
        body.add(b"x" * 100_000)


def test_a_reply_is_bounded_in_time() -> None:
    body = ReplyBody(timeout_s=-1)
    with pytest.raises(TimeoutError):
        body.add(b"x")


def test_a_gateway_on_this_machine_is_reached_without_a_proxy() -> None:
    assert not http_options(Gateway(base_url="http://127.0.0.1:8080"))["trust_env"]
    assert http_options(Gateway(base_url="https://api.example.in"))["trust_env"]
