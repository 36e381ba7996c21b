"""Credentials: derived keys equal the wire's vectors, no repr shows secrets, none is empty."""

import dataclasses

import pytest

from hundi.kernel.records import replace
from hundi.sdk import Gateway
from hundi.sdk.errors import ConfigurationError
from tests.sdk.gateway_double import CREDENTIALS


def test_the_derived_keys_are_those_of_the_vectors() -> None:
    assert CREDENTIALS.encryption_key == b"2b4d2b42c0f93accfdaaf4dc35c1e77d"
    assert (
        CREDENTIALS.privatekey == "916d6655e5908076144bbdf2b6e9d15f56251e3b59850123b53db07bcac58fec"
    )


def test_a_log_line_shows_the_merchant_id_only() -> None:
    assert repr(CREDENTIALS) == "Credentials(merchant_id='12345')"


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(CREDENTIALS)])
def test_an_empty_credential_is_named(name: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        replace(CREDENTIALS, **{name: type(getattr(CREDENTIALS, name))()})


def test_one_text_is_not_a_list_of_keys() -> None:
    with pytest.raises(ConfigurationError, match="tuple"):
        replace(CREDENTIALS, webhook_keys="whsec_AAAA")


@pytest.mark.parametrize("key", ["whsec_", "whsec_A", "whsec_AAAA", "whsec_%%%", "रहस्य"])
def test_a_key_that_is_no_key_is_found_at_once(key: str) -> None:
    with pytest.raises(ConfigurationError, match="webhook_keys"):
        replace(CREDENTIALS, webhook_keys=(key,))


@pytest.mark.parametrize("merchant_id", ["12a", "१२", " 12"])
def test_a_merchant_id_is_digits(merchant_id: str) -> None:
    with pytest.raises(ConfigurationError, match="digits"):
        replace(CREDENTIALS, merchant_id=merchant_id)


@pytest.mark.parametrize(
    "address", ["", "gateway", "ftp://x", "https://", "https://x/?a=1", "http://shop.example"]
)
def test_an_address_that_cannot_work_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError):
        Gateway(base_url=address)


def test_an_open_line_needs_consent() -> None:
    assert not Gateway(base_url="http://gateway", allow_plain_http=True).is_local
    assert Gateway(base_url="http://127.0.0.1:8080").is_local
