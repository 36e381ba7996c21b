"""What the operations after the payment have in common.

How they travel, what is repeated, what is not believed.
"""

from collections.abc import Sequence

import httpx
import pytest

from hundi.sdk import Client, NewPaymentLink, QrOrder, RefundItem, Split, errors
from hundi.wire import cipher
from tests.sdk.both_clients import AUTHORISED, GATEWAY, ID, Call
from tests.sdk.dispute_double import DISPUTED
from tests.sdk.gateway_double import CREDENTIALS, PAID, GatewayDouble
from tests.sdk.link_double import LINK
from tests.sdk.money_double import SETTLED

SPLIT = Split(
    transaction_id=ID, rrn=PAID.rrn, request_id="1001", primary=7000, shares={"vendor-1": 3000}
)
CALLS = [
    ("banks", (), {}, "/gateway/pay/v4/api/banks/", "application/x-www-form-urlencoded"),
    (
        "refund",
        ([RefundItem(ID)],),
        {"request_id": "r-1"},
        "/gateway/pay/v4/api/refund/",
        "application/json",
    ),
    (
        "generate_qr",
        (QrOrder(order_id="Q-1", amount_paise=100),),
        {},
        "/gateway/pay/v4/api/generateorder/",
        "application/json",
    ),
    ("validate_vpa", ("asha@hundi",), {}, "/gateway/pay/v4/api/validatevpa/", "application/json"),
    (
        "split",
        (SPLIT,),
        {},
        "/gateway/neft/split_payout/transaction_level_split_config_api.php",
        "application/json",
    ),
    ("capture", (ID,), {}, "/gateway/pay/v4/api/capture/", "application/x-www-form-urlencoded"),
    ("void", (ID,), {}, "/gateway/pay/v4/api/void/", "application/x-www-form-urlencoded"),
    *(
        (
            name,
            arguments,
            {},
            f"/gateway/pay/v4/api/link/{verb}/",
            "application/x-www-form-urlencoded",
        )
        for name, arguments, verb in (
            (
                "create_link",
                (NewPaymentLink(reference="INV-7", amount_paise=150_000, description="Sarees"),),
                "create",
            ),
            ("link", (LINK.link_id,), "status"),
            ("links", (), "list"),
            ("cancel_link", (LINK.link_id,), "cancel"),
        )
    ),
    (
        "saved_cards",
        ("asha-7",),
        {},
        "/gateway/pay/v4/api/savedcards/",
        "application/x-www-form-urlencoded",
    ),
    (
        "delete_saved_card",
        ("card_1",),
        {},
        "/gateway/pay/v4/api/savedcards/delete/",
        "application/x-www-form-urlencoded",
    ),
    *(
        (name, arguments, {}, f"/gateway/pay/v4/api/{path}/", "application/x-www-form-urlencoded")
        for name, arguments, path in (
            ("settlements", (), "settlement/list"),
            ("settlement", (SETTLED.settlement_id,), "settlement/status"),
            ("settlement_items", (SETTLED.settlement_id,), "settlement/items"),
            ("payouts", (), "payout/list"),
            ("notifications", (), "notification/list"),
            ("next_settlement", (), "settlement/next"),
            ("price_list", (), "fees"),
            ("bank_accounts", (), "bankaccount/list"),
            ("disputes", (), "dispute/list"),
            ("dispute", (DISPUTED.dispute_id,), "dispute/status"),
            ("contest_dispute", (DISPUTED.dispute_id,), "dispute/contest"),
            ("accept_dispute", (DISPUTED.dispute_id,), "dispute/accept"),
        )
    ),
    (
        "add_evidence",
        (DISPUTED.dispute_id, b"%PDF-1.7"),
        {},
        "/gateway/pay/v4/api/dispute/evidence/",
        "application/json",
    ),
    (
        "subscriptions",
        (),
        {},
        "/gateway/pay/v4/api/subscription/list/",
        "application/x-www-form-urlencoded",
    ),
    *(
        (
            name,
            (ID,),
            named,
            f"/gateway/pay/v4/api/subscription/{verb}/",
            "application/x-www-form-urlencoded",
        )
        for name, verb, named in (
            ("subscription", "status", {}),
            ("charge_subscription", "charge", {}),
            ("change_subscription", "change", {"debits": 6}),
            ("pause_subscription", "pause", {}),
            ("resume_subscription", "resume", {}),
            ("cancel_subscription", "cancel", {}),
        )
    ),
]
DISPUTES = {"disputes", "dispute", "contest_dispute", "accept_dispute", "add_evidence"}
TERMS = {"next_settlement", "price_list", "bank_accounts"}
LINKS = {"create_link", "link", "links", "cancel_link"}
READ = (
    DISPUTES
    | TERMS
    | LINKS
    | {"settlements", "settlement", "settlement_items", "payouts", "notifications"}
)
REPEATED = (
    READ
    | {"banks", "saved_cards", "refund", "generate_qr", "validate_vpa", "split"}
    | {
        "subscription",
        "subscriptions",
        "change_subscription",
        "cancel_subscription",
    }
)


@pytest.mark.parametrize(("name", "arguments", "named", "path", "content_type"), CALLS)
def test_each_operation_travels_as_the_specification_says(
    call: Call,
    name: str,
    arguments: Sequence[object],
    named: dict[str, object],
    path: str,
    content_type: str,
) -> None:
    double = GatewayDouble(record=AUTHORISED)
    call(double, name, *arguments, **named)
    assert (double.paths[-1], double.content_types[-1]) == (path, content_type)
    assert next(iter(double.opened[-1])) == "request_seal"
    assert not any(field.startswith("buyer") for field in double.opened[-1])
    assert len(double.tokens) == (0 if name == "split" else 1)


@pytest.mark.parametrize(("name", "arguments", "named", "path", "content_type"), CALLS)
def test_only_what_cannot_move_money_twice_is_sent_again(
    call: Call,
    name: str,
    arguments: Sequence[object],
    named: dict[str, object],
    path: str,
    content_type: str,
) -> None:
    class Silent(GatewayDouble):
        def __call__(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/oauth2/"):
                return super().__call__(request)
            self.paths.append(request.url.path)
            raise httpx.ReadTimeout("slow")

    double = Silent()
    with pytest.raises(errors.UnreachableError) as caught:
        call(double, name, *arguments, **named)
    assert caught.value.retry == "later"
    assert double.paths.count(path) == (3 if name in REPEATED else 1)


@pytest.mark.parametrize(("name", "arguments", "named", "path", "content_type"), CALLS)
@pytest.mark.parametrize(
    "odd", [None, "text", {}, [7], {"transactions": [7]}, {"orderid": "Q-1", "qr_image": "é"}]
)
def test_data_of_another_shape_is_not_believed(
    call: Call,
    name: str,
    arguments: Sequence[object],
    named: dict[str, object],
    path: str,
    content_type: str,
    odd: object,
) -> None:
    with pytest.raises((errors.UnreadableReplyError, errors.UntrustedError)):
        call(GatewayDouble(record=AUTHORISED, odd=odd), name, *arguments, **named)


def test_the_message_of_a_refund_begins_with_the_seal() -> None:
    double = GatewayDouble()
    bodies: list[bytes] = []

    def keep(request: httpx.Request) -> httpx.Response:
        bodies.append(request.read())
        return double(request)

    with Client(CREDENTIALS, GATEWAY, transport=httpx.MockTransport(keep)) as client:
        client.refund([RefundItem("7")], request_id="r")
    outer = httpx.Response(200, content=bodies[-1]).json()
    plaintext = cipher.open_(CREDENTIALS.encryption_key, outer["encdata"])
    assert plaintext[:16] == b'{"request_seal":'
