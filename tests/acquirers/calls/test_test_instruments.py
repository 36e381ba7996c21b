"""Test instruments stay on the simulated side of the wall."""

import pytest

from hundi.acquirers.calls.test_instruments import (
    TEST_CARD_NUMBERS,
    decline_test_card,
    decline_test_vpa,
)


@pytest.mark.parametrize("number", sorted(TEST_CARD_NUMBERS))
def test_published_test_numbers_are_declined(number):
    declined = decline_test_card(number)
    assert declined is not None
    assert number not in declined.message


def test_other_numbers_pass():
    assert decline_test_card("4539578763621486") is None


@pytest.mark.parametrize("vpa", ["success@hundi", "ANY@HUNDI", "m1@simbank"])
def test_addresses_of_the_simulated_network_are_declined(vpa):
    declined = decline_test_vpa(vpa)
    assert declined is not None
    assert declined.not_registered


@pytest.mark.parametrize("vpa", ["asha@okaxis", "hundi@okaxis", "a@hundibank"])
def test_other_addresses_pass(vpa):
    assert decline_test_vpa(vpa) is None
