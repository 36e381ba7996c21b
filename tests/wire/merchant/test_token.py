"""Token issuance: what is demanded, what a refusal never repeats, and the reply."""

import pytest

from hundi.wire import strict_json
from hundi.wire.fields import FieldError
from hundi.wire.merchant.token import AccessToken, TokenRequest
from hundi.wire.message import read_reply, read_request, write_reply
from hundi.wire.parts import Values

TOKEN = {
    "client_id": "cid",
    "client_secret": "cs-secret",
    "merchant_id": "12345",
    "grant_type": "client_credentials",
}


def read(values: Values) -> TokenRequest:
    return read_request(TokenRequest, values)


def refused(values: Values) -> FieldError:
    with pytest.raises(FieldError) as caught:
        read(values)
    return caught.value


def test_token_request() -> None:
    expected = TokenRequest(**TOKEN)
    assert read(TOKEN) == expected
    body = (
        b'{"client_id":"cid","client_secret":"cs-secret",'
        b'"merchant_id":12345,"grant_type":"client_credentials"}'
    )
    assert read(strict_json.parse(body)) == expected
    assert "cs-secret" not in repr(expected)


@pytest.mark.parametrize("field", TOKEN)
def test_every_token_field_is_required(field: str) -> None:
    for values in (
        TOKEN | {field: ""},
        TOKEN | {field: None},
        {k: v for k, v in TOKEN.items() if k != field},
    ):
        assert refused(values).field == field


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "x" * 21},
        {"client_secret": "x" * 201},
        {"merchant_id": "1" * 21},
        {"merchant_id": "12a"},
        {"grant_type": "password"},
    ],
)
def test_token_bounds(changes: dict[str, str]) -> None:
    error = refused(TOKEN | changes)
    assert error.field in changes
    assert "xxx" not in error.received or error.field != "client_secret"


def test_a_missing_secret_is_told_its_length() -> None:
    error = refused({**TOKEN, "client_secret": ""})
    assert (error.field, error.received, error.allowed) == (
        "client_secret",
        "",
        "1 to 200 characters",
    )


def test_fields_of_the_payment_page_say_nothing_here() -> None:
    assert read({**TOKEN, "buyer_email": "asha@example.in"}).client_id == "cid"


@pytest.mark.parametrize(("scope", "sent"), [("", None), ("page", "page")])
def test_a_token_of_no_scope_says_null(scope: str, sent: str | None) -> None:
    issued = AccessToken(token="a" * 40, life_s=300, scope=scope)
    assert write_reply(issued) == {"access_token": "a" * 40, "expires_in": 300, "scope": sent}
    assert read_reply(AccessToken, write_reply(issued)) == issued
