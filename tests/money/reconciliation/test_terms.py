"""Terms of acquirers are kept in versions."""

from hundi.infra.postgres.database import Database
from hundi.money.reconciliation import actions
from tests.money.reconciliation.test_actions import NOW


async def test_terms_of_another_acquirer_are_kept_by_version(db: Database) -> None:
    document = b'account = "OTHER"\n[[fees]]\nmethod = "card"\nbps = 100\ntax_bps = 1800\n'
    assert [await actions.set_terms(db, "other", document, "asha", NOW) for _ in range(2)] == [
        1,
        2,
    ]
    terms = await actions.terms_for(db, "other")
    assert (terms.account, terms.fees[0].fee_paise(12_345)) == ("OTHER", 145)
