"""What is shown of phone numbers and e-mail addresses."""

import pytest

from hundi.kernel.masks import masked_email, masked_name, masked_phone


@pytest.mark.parametrize(("phone", "shown"), [("9876543210", "•••3210"), ("123", "•••"), ("", "")])
def test_a_phone_shows_its_last_four_digits(phone: str, shown: str) -> None:
    assert masked_phone(phone) == shown


@pytest.mark.parametrize(
    ("email", "shown"),
    [("asha@example.in", "a•••@example.in"), ("@x.in", "•••@x.in"), ("nonsense", "•••"), ("", "")],
)
def test_an_email_shows_its_first_letter_and_domain(email: str, shown: str) -> None:
    assert masked_email(email) == shown


def test_a_name_and_a_upi_address_keep_their_first_letters() -> None:
    assert masked_name("Asha  Rao") == "A••• R•••"
    assert masked_name("") == ""
    assert masked_email("asha.rao@okbank") == "a•••@okbank"
