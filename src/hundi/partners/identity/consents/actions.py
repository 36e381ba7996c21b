"""Holders' consents: the text of each, sealed without the numbers in it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.key_sources import VaultError
from hundi.infra.secrets.vault import Vault
from hundi.kernel.masking import Swept, masked
from hundi.partners.identity import rules, store
from hundi.partners.identity.store import SealedConsent

_PURPOSE = "identity-consent"


@dataclass(frozen=True, slots=True)
class Consent:
    """A stored consent. reference: of the call. words: the text of the consent."""

    reference: str
    at: datetime
    last4: str
    words: str = field(repr=False)


def sealed(vault: Vault, affiliate: str, reference: str, words: str) -> bytes:
    """Return the text of a consent as it is stored: numbers masked, sealed for its row."""
    return _sealed(vault, affiliate, reference, _without_numbers(words))


async def newest(db: Database, vault: Vault, affiliate: str, limit: int) -> list[Consent]:
    """Return a partner's newest consents, decrypted, newest first."""
    found = await store.newest_consents(db, affiliate, limit)
    return [Consent(each.reference, each.at, each.last4, _words(vault, each)) for each in found]


async def reseal(db: Database, vault: Vault) -> int:
    """Seal consents with the newest key; return how many had an older one."""
    done, after = 0, ("", "")
    while page := await store.consents_after(db, *after):
        for consent in page:
            if not vault.is_sealed_with_newest(consent.sealed_words):
                done += await _write(db, vault, consent, _words(vault, consent))
        after = page[-1].affiliate, page[-1].reference
    return done


async def mask_kept(
    db: Database, vault: Vault, *, is_applied: bool
) -> AsyncIterator[tuple[str, Swept]]:
    """Mask numbers in consents that were stored before texts were masked.

    Yields each consent's name and its result. is_applied: False changes nothing.
    """
    after = "", ""
    while page := await store.consents_after(db, *after):
        for consent in page:
            yield (
                f"{consent.affiliate}/{consent.reference}",
                await _masked(db, vault, consent, is_applied=is_applied),
            )
        after = page[-1].affiliate, page[-1].reference


async def _masked(db: Database, vault: Vault, consent: SealedConsent, *, is_applied: bool) -> Swept:
    try:
        words = _words(vault, consent)
    except VaultError:
        return Swept.UNOPENED
    kept = _without_numbers(words)
    if kept == words:
        return Swept.CLEAN
    return (
        Swept.FOUND if not is_applied or await _write(db, vault, consent, kept) else Swept.CHANGED
    )


def _without_numbers(words: str) -> str:
    return masked(rules.without_numbers(words))


def _words(vault: Vault, consent: SealedConsent) -> str:
    return vault.open(consent.sealed_words, _PURPOSE, consent.affiliate, consent.reference).decode()


def _sealed(vault: Vault, affiliate: str, reference: str, words: str) -> bytes:
    return vault.seal(words.encode(), _PURPOSE, affiliate, reference)


async def _write(db: Database, vault: Vault, consent: SealedConsent, words: str) -> bool:
    return await store.reseal_consent(
        db, consent, _sealed(vault, consent.affiliate, consent.reference, words)
    )
