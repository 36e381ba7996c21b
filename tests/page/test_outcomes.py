"""Bank codes become sentences; a code nobody knows still says what to do."""

import pytest

from hundi.kernel.states import AttemptState
from hundi.page.outcomes import REASONS, refused_lines
from hundi.page.texts import LANGUAGES, speaker
from tests.page.views import attempt


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", [*REASONS, "", "a code of tomorrow"])
def test_every_code_has_words_in_every_language(language, code):
    failed = attempt("card", AttemptState.FAILED, bank_code=code)
    what, advice = refused_lines(failed, speaker(language))
    assert what
    assert advice


def test_the_state_speaks_before_the_code():
    failed = attempt("upi_collect", AttemptState.NOT_REGISTERED, bank_code="ZH")
    what, _ = refused_lines(failed, speaker("en"))
    assert what == "This UPI ID is not registered."
