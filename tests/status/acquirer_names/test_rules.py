"""Public names of acquirers: chosen, else the brand, each once, and never the account's own."""

from hundi.status.acquirer_names.rules import public_acquirers

ACCOUNTS = (("rp_for_acme", "Razorpay"), ("rp_two", "Razorpay"), ("hdfc", "Bank"))


def test_an_acquirer_stands_under_its_brand_and_a_second_one_has_a_number() -> None:
    there = [(each.name, each.public_id) for each in public_acquirers(ACCOUNTS, {})]
    assert there == [
        ("Razorpay", "acquirer-razorpay"),
        ("Razorpay 2", "acquirer-razorpay-2"),
        ("Bank", "acquirer-bank"),
    ]


def test_a_chosen_name_stands_for_the_brand_and_none_hides_it() -> None:
    names = {"hdfc": "Cards & UPI", "rp_for_acme": "", "rp_two": "आशा बैंक"}
    there = {
        each.account: (each.name, each.public_id) for each in public_acquirers(ACCOUNTS, names)
    }
    assert there == {
        "rp_two": ("आशा बैंक", "acquirer-other"),
        "hdfc": ("Cards & UPI", "acquirer-cards-upi"),
    }


def test_no_two_have_one_name_or_one_id() -> None:
    names = {"rp_for_acme": "Razorpay 2", "hdfc": "बैंक", "rp_two": "Razorpay"}
    three = (*ACCOUNTS, ("more", "Razorpay"), ("bank_two", "बैंक"))
    there = [(each.name, each.public_id) for each in public_acquirers(three, names)]
    assert there == [
        ("Razorpay 2", "acquirer-razorpay-2"),
        ("Razorpay", "acquirer-razorpay"),
        ("बैंक", "acquirer-other"),
        ("Razorpay 3", "acquirer-razorpay-3"),
        ("बैंक 2", "acquirer-2"),
    ]
