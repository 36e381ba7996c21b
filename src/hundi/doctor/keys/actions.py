"""Looks at the keys and their copy; no key is shown."""

import asyncio
from collections.abc import Sequence

from hundi.doctor.context import DoctorContext
from hundi.doctor.keys.rules import (
    COPY_GOOD,
    COPY_OLD,
    COPY_REFUSED,
    COPY_UNSEEN,
    KEYS_GOOD,
    KEYS_NEW,
    KEYS_OTHER,
    KEYS_REFUSED,
)
from hundi.doctor.rules import DoctorFinding
from hundi.infra.secrets.key_sources import (
    EncryptionKey,
    KeyFile,
    LostKeyError,
    VaultError,
    key_source,
)
from hundi.infra.secrets.vault import open_vault
from hundi.infra.settings import Settings
from hundi.merchants.directory.store import sealed_samples


async def look_at_keys(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find keys that cannot be used, or that are not those of the database."""
    settings = context.settings
    assert settings is not None
    source = key_source(settings)
    sealed = await sealed_samples(context.db) if context.db is not None else []
    if isinstance(source, KeyFile) and not source.path.exists() and not sealed:
        return [DoctorFinding(KEYS_NEW, source.origin, "there is no such file")]
    try:
        vault = await asyncio.to_thread(open_vault, settings, sealed)
        count = len(source.read())
    except LostKeyError as error:
        return [DoctorFinding(KEYS_OTHER, source.origin, str(error))]
    except VaultError as error:
        return [DoctorFinding(KEYS_REFUSED, source.origin, str(error))]
    seen = f"{count} {'key' if count == 1 else 'keys'}; {vault.newest_id} seals"
    return [DoctorFinding(KEYS_GOOD, source.origin, seen)]


async def look_at_copy(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find a copy of the key file that lacks a key, or that cannot be read."""
    settings = context.settings
    assert settings is not None
    path = settings.key_copy_file
    if path is None:
        return [DoctorFinding(COPY_UNSEEN, "copy", "HUNDI_KEY_COPY_FILE names none")]
    try:
        copied = KeyFile(path).read()
    except VaultError as error:
        return [DoctorFinding(COPY_REFUSED, str(path), str(error))]
    try:
        keys = await asyncio.to_thread(_keys, settings)
    except VaultError:
        keys = {}  # the keys' own probe says why
    missing = sorted(each for each, key in keys.items() if not _has(copied, each, key))
    if missing:
        return [DoctorFinding(COPY_OLD, str(path), f"it lacks {', '.join(missing)}")]
    return [DoctorFinding(COPY_GOOD, str(path), f"it has all {len(keys)}")]


def _keys(settings: Settings) -> dict[str, EncryptionKey]:
    return key_source(settings).read()


def _has(copied: dict[str, EncryptionKey], key_id: str, key: EncryptionKey) -> bool:
    """Return whether a copy has a key, whole unless the key itself is retired."""
    copy = copied.get(key_id)
    return (
        copy is not None and copy.root == key.root and (copy.secret is not None or not key.secret)
    )
