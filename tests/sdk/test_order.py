"""Orders and the form that carries them: refused before anything is sent, escaped when shown."""

import html.parser

import pytest

from hundi.kernel.records import replace
from hundi.sdk import Order, PaymentForm, paise
from hundi.sdk.errors import InvalidOrderError
from tests.sdk.gateway_double import BUYER, ORDER


@pytest.mark.parametrize(
    ("order", "field"),
    [
        (replace(ORDER, order_id="has space"), "orderid"),
        (replace(ORDER, order_id=""), "orderid"),
        (replace(ORDER, amount_paise=0), "amount"),
        (replace(ORDER, amount_paise=-1), "amount"),
        (replace(ORDER, amount_paise=1499.5), "amount"),
        (replace(ORDER, amount_paise=10**12), "amount"),
        (replace(ORDER, currency="XXX"), "currency_code"),
        (replace(ORDER, channels=("upi", "barter")), "chmod"),
        (replace(ORDER, payer_account="50100012345678"), "upi_tpv_ifsc"),
        (replace(ORDER, payer_account="50100012345678", payer_ifsc="HDFC1"), "upi_tpv_ifsc"),
        (replace(ORDER, payer_ifsc="HDFC0000001"), "upi_tpv_account"),
        (replace(ORDER, custom_var="x" * 4097), "customvar"),
        (replace(ORDER, buyer=replace(BUYER, email="nobody")), "buyer_email"),
        (replace(ORDER, buyer=replace(BUYER, phone="12")), "buyer_phone"),
        (replace(ORDER, buyer=replace(BUYER, first_name="a\nb")), "buyer_firstname"),
    ],
)
def test_what_the_gateway_would_refuse_is_refused_here(order: Order, field: str) -> None:
    with pytest.raises(InvalidOrderError) as caught:
        order.fields()
    assert caught.value.field == field
    assert caught.value.allowed


def test_optional_fields_travel_only_when_given() -> None:
    assert set(replace(ORDER, custom_var="").fields()) == {
        "orderid",
        "amount",
        "currency_code",
        "iso_currency",
        "buyer_email",
        "buyer_phone",
        "buyer_firstname",
        "buyer_lastname",
    }
    full = replace(
        ORDER, channels=("upi", "pg"), authorise_only=True, buyer=replace(BUYER, city="पुणे")
    ).fields()
    assert (full["chmod"], full["txnsubtype"], full["buyer_city"]) == ("upi_pg", "1", "पुणे")


class _Document(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_the_document_submits_itself_and_works_without_scripts() -> None:
    form = PaymentForm("https://pay.example/pay/v4/?token=abc&x=1", {"encdata": 'a"><script>+/='})
    document = _Document(form.html(nonce="n0nce", title="<Going>", button="Weiter & zahlen"))
    assert document.all("form")[0]["action"] == "https://pay.example/pay/v4/?token=abc&x=1"
    assert document.all("form")[0]["method"] == "post"
    assert document.all("input") == [
        {"type": "hidden", "name": "encdata", "value": 'a"><script>+/='}
    ]
    assert document.all("script") == [{"nonce": "n0nce"}]
    assert document.all("button") == [{"type": "submit"}]
    assert _Document(form.html()).all("script") == [{}]


def test_the_form_keeps_its_secrets_out_of_the_repr() -> None:
    assert (
        repr(PaymentForm("https://pay.example/?token=abc", {"privatekey": "p"})) == "PaymentForm()"
    )


def test_rupees_as_text_become_paise() -> None:
    assert paise("1499.5") == 149_950
    for text in ("", "0", "-1", "1e3", "1,000.00", "10.005", " 10 ", "१०", "99999999999.99"):
        with pytest.raises(InvalidOrderError):
            paise(text)
