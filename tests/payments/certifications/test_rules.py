"""Which evidence counts, and what is ready."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hundi.acquirers.certification.catalogue import NO_STEPS, steps_of
from hundi.acquirers.certification.steps import (
    CertificationStep,
    StepOutcome,
    StepRun,
    StepUnavailableError,
    StepVerdict,
)
from hundi.acquirers.port.capabilities import CAPABILITIES, abilities
from hundi.acquirers.port.payouts import RailTerms
from hundi.acquirers.registry import Member
from hundi.instruments.methods import UPI_LINK
from hundi.kernel.records import replace
from hundi.payments.certifications.rules import (
    CertifiedAccount,
    Readiness,
    StepEvidence,
    capabilities,
    digest_of,
    goes_on,
    is_ready,
    moved_by,
    stand,
)

ACCOUNT = CertifiedAccount("north", "razorpay", "a" * 64, "0.1.0", is_live=False)
AT = datetime(2026, 11, 28, 12, tzinfo=UTC)


async def passes(_run: StepRun) -> StepOutcome:
    return StepOutcome("paid")


PAID = CertificationStep("card_page-paid", "HostsCheckout", "paid", passes, is_payment=True)
PART = CertificationStep("refund-part", "Refunds", "back", passes, after=("card_page-paid",))
FEE = CertificationStep("fee", "CustomerFees", "told apart", passes, optional=True)
STEPS = (PAID, PART, FEE)


def evidence(
    step: CertificationStep,
    number: int,
    verdict: StepVerdict = StepVerdict.PASSED,
    **differing: Any,
) -> StepEvidence:
    entry = StepEvidence(
        "north",
        number,
        step.name,
        step.subject,
        verdict,
        "words",
        number,
        f"0-21500000000000{number}" if verdict is StepVerdict.PASSED else "",
        200 if verdict is StepVerdict.PASSED else 0,
        ACCOUNT.kind,
        ACCOUNT.settings_digest,
        ACCOUNT.version,
        is_live=False,
        exchanges=(),
        at=AT,
    )
    return replace(entry, **differing)


def verdicts(*entries: StepEvidence, account: CertifiedAccount = ACCOUNT) -> list[str]:
    return [each.verdict for each in stand(STEPS, {one.step: one for one in entries}, account)]


def readiness(*entries: StepEvidence) -> dict[str, Readiness]:
    stood = stand(STEPS, {one.step: one for one in entries}, ACCOUNT)
    return {each.subject: each.readiness for each in capabilities(stood, ["TellsDisputes"])}


def test_what_nobody_tried_is_not_ready() -> None:
    assert verdicts() == ["not tried"] * 3
    assert readiness() == {
        "HostsCheckout": Readiness.NOT_READY,
        "Refunds": Readiness.NOT_READY,
        "CustomerFees": Readiness.NOT_TRIED,
        "TellsDisputes": Readiness.NOT_TRIED,
    }


def test_what_passed_is_ready() -> None:
    found = readiness(evidence(PAID, 1), evidence(PART, 2))
    assert (found["HostsCheckout"], found["Refunds"]) == (Readiness.READY, Readiness.READY)


@pytest.mark.parametrize(
    "changed", [{"settings_digest": "b" * 64}, {"version": "0.2.0"}, {"kind": "cashfree"}]
)
def test_evidence_of_other_settings_or_another_version_is_older(changed: dict[str, str]) -> None:
    now = replace(ACCOUNT, **changed)
    assert verdicts(evidence(PAID, 1), evidence(PART, 2), account=now) == [
        "older",
        "older",
        "not tried",
    ]


def test_a_step_that_went_on_with_an_earlier_payment_is_older_after_a_new_one() -> None:
    assert verdicts(evidence(PAID, 3), evidence(PART, 2)) == ["passed", "older", "not tried"]


def test_a_step_that_failed_is_not_ready_and_says_why() -> None:
    stood = stand(STEPS, {PAID.name: evidence(PAID, 1, StepVerdict.FAILED)}, ACCOUNT)
    first = capabilities(stood, [])[0]
    assert (first.readiness, first.why) == (
        Readiness.NOT_READY,
        "card_page-paid: failed, words",
    )
    assert not is_ready(capabilities(stood, []))


def test_an_interrupted_step_goes_on_with_its_number() -> None:
    (standing, *_) = stand(STEPS, {PAID.name: evidence(PAID, 7, StepVerdict.BEGUN)}, ACCOUNT)
    assert goes_on(standing) == 7
    (standing, *_) = stand(STEPS, {PAID.name: evidence(PAID, 7)}, ACCOUNT)
    assert goes_on(standing) == 0


def test_later_steps_go_on_with_what_passed() -> None:
    stood = stand(STEPS, {PAID.name: evidence(PAID, 1)}, ACCOUNT)
    assert moved_by(stood)[PAID.name].reference == "0-215000000000001"


def test_a_digest_follows_every_field_and_tells_none() -> None:
    fields = {"kind": "razorpay", "key_secret": "one"}
    digest = digest_of(fields, b"k" * 32)
    assert digest == digest_of(dict(reversed(fields.items())), b"k" * 32)
    assert digest != digest_of({**fields, "key_secret": "two"}, b"k" * 32)
    assert digest != digest_of(fields, b"l" * 32)


def test_every_capability_has_a_step_or_a_reason_why_not() -> None:
    members = {
        name
        for capability in CAPABILITIES.values()
        for each in capability.__mro__
        for name in (*vars(each), *getattr(each, "__annotations__", {}))
        if not name.startswith("_")
    }
    has = {"payout_rails": (RailTerms("imps"),), "mandate_methods": {UPI_LINK.name}}
    # Attributes of the class: a capability is not found by __getattr__.
    everything: Any = type("Everything", (), dict.fromkeys(members, print) | has)()
    named = set(abilities(everything))
    assert named == {
        name for name, each in CAPABILITIES.items() if getattr(each, "_is_runtime_protocol", False)
    }
    tried = {each.subject for each in steps_of(everything, Member(everything).can)}
    assert named - tried == set(NO_STEPS)


def test_the_bound_holds_for_each_step() -> None:
    run: Any = StepRun.__new__(StepRun)
    object.__setattr__(run, "most_paise", 100)
    assert run.amount().paise == 100
    with pytest.raises(StepUnavailableError, match="more than --live allows"):
        run.amount(101)
    object.__setattr__(run, "most_paise", None)
    assert (run.amount().paise, run.amount(300_000).paise) == (200, 300_000)
