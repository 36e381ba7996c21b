"""Every form of checksum that counts, computed as the kits do."""

import zlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

from tests.system.envelopes import (
    Merchant,
)


def mobile(merchant: Merchant, asked: Mapping[str, str], day: str) -> str:
    """Return the mobile kits' checksum, written out from docs/spec/wire.md#checksum-mobile."""
    head = sha256(f"{merchant.username}~:~{merchant.password}".encode()).hexdigest()
    names = (
        "buyer_email",
        "buyer_firstname",
        "buyer_lastname",
        "buyer_address",
        "buyer_city",
        "buyer_state",
        "buyer_country",
    )
    alldata = "".join(asked.get(name, "") for name in (*names, "amount", "orderid"))
    return sha256(f"{head}@{alldata}{day}".encode()).hexdigest()


def checksums(merchant: Merchant, asked: dict[str, str]) -> dict[str, str]:
    india = datetime.now(timezone(timedelta(hours=5, minutes=30))).date().isoformat()
    by_key = "".join(asked[name] for name in sorted(asked))
    by_value = "".join(sorted(asked.values()))
    return {
        "v4 in India": sha256(f"{by_key}{india}".encode()).hexdigest(),
        "v4 in UTC": sha256(f"{by_key}{datetime.now(UTC).date()}".encode()).hexdigest(),
        "v4 in upper case": sha256(f"{by_key}{india}".encode()).hexdigest().upper(),
        "crc32 by key": str(zlib.crc32(by_key.encode())),
        "crc32 by key, hex": f"{zlib.crc32(by_key.encode()):08x}",
        "crc32 by value": str(zlib.crc32(by_value.encode())),
        "crc32 by value, hex": f"{zlib.crc32(by_value.encode()):08X}",
        "mobile": mobile(merchant, asked, india),
    }
