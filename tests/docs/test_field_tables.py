"""A table of fields follows its message: what is declared is derived, what is written stays."""

from tools.field_tables import rewritten

PAGE = """Text before.

<!-- fields: RefundRequest -->

| Field | Required | Meaning |
| --- | --- | --- |
| `gone` | yes | no longer declared |
| `transactions` (*seen*) | no | a batch |

Text behind.
"""


def test_fields_come_and_go_and_sentences_stay() -> None:
    assert (
        rewritten(PAGE)
        == """Text before.

<!-- fields: RefundRequest -->

| Field | Required | Meaning |
| --- | --- | --- |
| `mode` | no | |
| `refund_request_id` | no | |
| `transactions` (*seen*) | yes | a batch |

Text behind.
"""
    )


def test_names_that_share_a_row_share_their_sentence() -> None:
    page = (
        "<!-- fields: RefundResult -->\n\n| Field | Type | Meaning |\n| --- | --- | --- |\n"
        "| `message`, `mode`, `ap_transactionid` | | in words |\n"
    )
    told = rewritten(page)
    assert "| `ap_transactionid`, `message`, `mode` | integer, text, text | in words |" in told
    assert rewritten(told) == told
