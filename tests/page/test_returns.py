"""The return leg, read by the merchant's own SDK: genuine, complete, and to the right address."""

import pytest

from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.page.returns import origin_of, return_form
from hundi.sdk.callback import Callbacks
from hundi.sdk.credentials import Credentials
from hundi.wire import cipher
from tests.page.views import KEYS, NOW, attempt, merchant, paid_by_card, view

SDK = Callbacks(
    Credentials(
        merchant_id="7",
        username=KEYS.username,
        password=KEYS.password,
        api_secret=KEYS.secret,
        oauth_client_id=KEYS.client_id,
        oauth_client_secret=KEYS.client_secret,
        webhook_keys=KEYS.webhook_keys[:1],
    ),
    clock=NOW.timestamp,
)


def fields(payment) -> dict[str, str]:
    form = return_form(payment, merchant(), NOW)
    assert form is not None
    return dict(form.fields)


def test_the_sdk_reads_a_paid_return():
    sent = fields(paid_by_card())
    read = SDK.read_return(sent, order_id="ORD-1", amount_paise=149_950)
    assert read.transaction.is_paid
    assert read.webhook_id == sent["webhook_id"]


def test_older_kits_find_their_upper_case_fields():
    sent = fields(paid_by_card())
    assert sent["TRANSACTIONID"] == "ORD-1"
    assert sent["AMOUNT"] == "1499.50"
    assert sent["TRANSACTIONSTATUS"] == "200"
    assert sent["CHMOD"] == "pg"
    assert sent["CUSTOMVAR"] == "a=1"
    assert sent["ap_SecureHash"].isdigit()


def test_inside_every_value_of_data_is_a_string_and_repeated_before_it():
    opened = cipher.open_json(KEYS.encryption_key, fields(paid_by_card())["response"])
    data = opened["data"]
    assert isinstance(data, dict)
    assert all(isinstance(value, str) for value in data.values())
    assert opened["transaction_status"] == data["transaction_status"] == "200"
    assert list(opened)[-1] == "data"


def test_a_refunded_order_brings_nobody_back_with_a_success():
    paid = paid_by_card()
    back = view(
        P.PAID,
        *paid.attempts,
        method="pg",
        captured_paise=149_950,
        refunds=1,
        refunded_paise=149_950,
    )
    assert return_form(back, merchant(), NOW) is None
    part = view(
        P.PAID, *paid.attempts, method="pg", captured_paise=149_950, refunds=1, refunded_paise=100
    )
    assert return_form(part, merchant(), NOW) is not None


@pytest.mark.parametrize("state", P)
def test_only_success_goes_to_the_success_address(state):
    form = return_form(view(state, attempt("card", A.PENDING)), merchant(), NOW)
    assert form is not None
    succeeded = state in {P.PAID, P.AUTHORISED, P.CAPTURED}
    assert form.action == (
        "https://shop.example.in/ok" if succeeded else "https://shop.example.in/no"
    )


def test_without_an_address_there_is_no_form():
    assert return_form(paid_by_card(), merchant(success_url=""), NOW) is None
    assert return_form(view(), merchant(failure_url=""), NOW) is None


def test_every_current_key_signs_and_a_reload_keeps_its_id():
    first, second = fields(paid_by_card()), fields(paid_by_card())
    assert first["webhook_id"] == second["webhook_id"]
    assert len(first["webhook_signature"].split(" ")) == len(KEYS.webhook_keys)


def test_an_origin_is_scheme_and_authority():
    assert origin_of("https://shop.example.in:8443/ok?a=b") == "https://shop.example.in:8443"
