"""The breaker opens after failures in a row, and one probe decides whether it closes."""

from hundi.acquirers.calls.breaker import (
    FAILURES_MAX,
    OPEN_S,
    REFUSED_OPEN_S,
    Breaker,
    BreakerState,
)


def opened() -> Breaker:
    breaker = Breaker()
    for _ in range(FAILURES_MAX):
        assert breaker.admit(0)
        breaker.failed(0)
    return breaker


def test_a_success_forgets_the_failures_before_it():
    breaker = Breaker()
    for _ in range(FAILURES_MAX - 1):
        breaker.failed(0)
    breaker.succeeded()
    breaker.failed(0)
    assert breaker.state(0) is BreakerState.CLOSED


def test_it_opens_at_the_limit_and_refuses_until_the_pause_is_over():
    breaker = opened()
    assert breaker.state(OPEN_S - 0.01) is BreakerState.OPEN
    assert not breaker.admit(OPEN_S - 0.01)
    assert breaker.state(OPEN_S) is BreakerState.HALF_OPEN


def test_half_open_lets_exactly_one_call_through():
    breaker = opened()
    assert breaker.admit(OPEN_S)
    assert not breaker.admit(OPEN_S)
    breaker.succeeded()
    assert breaker.state(OPEN_S) is BreakerState.CLOSED


def test_a_failed_probe_opens_again_from_its_own_moment():
    breaker = opened()
    assert breaker.admit(OPEN_S)
    breaker.failed(OPEN_S)
    assert breaker.state(OPEN_S + 1) is BreakerState.OPEN
    assert breaker.admit(2 * OPEN_S)


def test_an_abandoned_probe_leaves_room_for_the_next():
    breaker = opened()
    assert breaker.admit(OPEN_S)
    breaker.abandoned()
    assert breaker.admit(OPEN_S)


def test_who_does_not_believe_us_is_left_alone_for_longer():
    breaker = Breaker()
    assert breaker.admit(0)
    breaker.credentials_refused(0)
    assert breaker.state(REFUSED_OPEN_S - 0.01) is BreakerState.OPEN
    assert breaker.admit(REFUSED_OPEN_S)
    breaker.credentials_refused(REFUSED_OPEN_S)
    assert not breaker.admit(REFUSED_OPEN_S + OPEN_S)
    assert breaker.admit(2 * REFUSED_OPEN_S)
    breaker.succeeded()
    assert breaker.state(2 * REFUSED_OPEN_S) is BreakerState.CLOSED
