"""The actions of access: issue and check tokens, count failures, log refused requests."""

import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta

import structlog
from cachetools import TTLCache

from hundi.infra.postgres.database import Database
from hundi.infra.postgres.row_cache import kept
from hundi.kernel.clock import ticks_s
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.merchants.access import rules, store
from hundi.merchants.access.rules import IssuedToken, TokenScope
from hundi.merchants.directory.actions import CHANGED_CHANNEL
from hundi.merchants.directory.rules import Merchant, is_listed

TOKENS_CACHED_MAX = 50_000
TOKEN_TRUSTED_FOR_S = 60.0
"""Seconds for which a process trusts a cached token, in case a notice of revocation gets lost."""
EXPIRED_TOKENS_KEPT_FOR = timedelta(days=1)
"""Expired tokens stay a day, so that the reply can say "expired" and not "unknown"."""
REFUSED_KEPT_FOR = timedelta(days=30)
NETWORK_KNOWN_FOR = EXPIRED_TOKENS_KEPT_FOR
"""How long after a token request a network counts as one of the merchant's servers."""

_log = structlog.get_logger(__name__)


class Tokens:
    """Access tokens of all merchants, with a bounded cache in front of the table."""

    def __init__(self, db: Database, life: timedelta) -> None:
        """Keep the dependencies. life: how long a new token is valid."""
        self._db = db
        self.life = life
        self._known: TTLCache[tuple[int, bytes], IssuedToken, float] = TTLCache(
            TOKENS_CACHED_MAX, TOKEN_TRUSTED_FOR_S, timer=ticks_s
        )

    async def start(self) -> None:
        """Listen for changed merchants and forget their tokens: a rotated secret revokes them."""
        await self._db.listen(CHANGED_CHANNEL, self._forget)

    def _forget(self, _payload: str) -> None:
        self._known.clear()

    async def issue(
        self,
        merchant: Merchant,
        client_id: str,
        client_secret: str,
        scope: TokenScope,
        address: str,
        now: datetime,
    ) -> str:
        """Return a new token for the right credentials; raises Refused (CREDENTIALS_WRONG).

        Both comparisons always run, in constant time.
        """
        right_id = hmac.compare_digest(client_id.encode(), merchant.keys.client_id.encode())
        secret = client_secret.encode()
        matches = [
            hmac.compare_digest(secret, each.encode()) for each in merchant.keys.client_secrets
        ]
        right_secret = any(matches)
        if not (right_id & right_secret):
            wrong = "client_secret" if right_id else "client_id"
            hint = ""
            if hmac.compare_digest(client_secret.encode(), merchant.keys.secret.encode()):
                hint = "; what was sent as client_secret is the API secret"
            raise refuse(
                RefusalCode.CREDENTIALS_WRONG, detail=f"{wrong} is not this merchant's{hint}"
            )
        token = rules.new_token()
        hashed = rules.token_hash(token)
        issued = IssuedToken(scope, rules.network_of(address), now + self.life)
        await store.insert_token(self._db, merchant.merchant_id, hashed, issued, now)
        self._known[merchant.merchant_id, hashed] = issued
        return token

    async def check(self, merchant_id: int, token: str, now: datetime) -> IssuedToken:
        """Return a token that is valid and this merchant's.

        Raises Refused (TOKEN_UNKNOWN, TOKEN_EXPIRED).
        """
        key = (merchant_id, rules.token_hash(token))
        issued = kept(self._known, key)
        if issued is None:
            issued = await store.select_token(self._db, *key)
            if issued is None:
                raise refuse(
                    RefusalCode.TOKEN_UNKNOWN, detail="no such token was issued to this merchant"
                )
            self._known[key] = issued
        if issued.expires_at <= now:
            raise refuse(
                RefusalCode.TOKEN_EXPIRED,
                detail=f"expired at {issued.expires_at:%Y-%m-%d %H:%M:%S} UTC",
            )
        return issued

    async def check_sender(
        self, merchant: Merchant, token: IssuedToken | None, address: str, now: datetime
    ) -> None:
        """Refuse an operation that a customer's browser may have sent.

        Raises Refused (SENDER_UNPROVEN). A browser has everything else that proves a request:
        docs/decisions/0016-a-browser-opens-no-operation.md. token: None where the operation has
        none. address: the sender's, "" if unknown.
        """
        settings = merchant.settings
        networks = settings.operation_addresses
        if networks and not is_listed(address, networks):
            raise _unproven(f"the merchant's operation_addresses do not hold {address}")
        if token is not None and token.scope is TokenScope.OPERATIONS:
            return
        if token is not None and token.scope is TokenScope.PAGE:
            raise _unproven("this token was asked for with the scope page")
        if settings.scoped_tokens:
            raise _unproven("this merchant's operations need a token of the scope operations")
        if not address:
            raise _unproven(
                "the call came through a proxy that is not named in HUNDI_TRUSTED_PROXIES"
            )
        network = rules.network_of(address)
        if networks or (token is not None and token.network == network):
            return
        if not await store.is_known(
            self._db, merchant.merchant_id, network, now - NETWORK_KNOWN_FOR
        ):
            other_network = f", and this one to {token.network}" if token else ""
            raise _unproven(f"no token was issued to {network} within a day{other_network}")


def _unproven(detail: str) -> Refused:
    """Return the refusal, without a setting that would let this sender in: it may be anybody."""
    return refuse(RefusalCode.SENDER_UNPROVEN, detail=detail)


async def revoke_tokens(db: Database, merchant_id: int) -> None:
    """Revoke every token of a merchant, in every process."""
    await store.delete_tokens(db, merchant_id)
    db.wake(CHANGED_CHANNEL, str(merchant_id))


async def count_failure(db: Database, merchant: Merchant, address: str, now: datetime) -> timedelta:
    """Count a failed token request; return how long this address has to wait.

    Right credentials never wait: they are checked first, and only a failure is counted here.
    """
    merchant_id, address = merchant.merchant_id, rules.network_of(address)
    before = await store.select_failures(db, merchant_id, address)
    waits = rules.wait_of(before, now)
    await store.upsert_failures(
        db,
        merchant_id,
        address,
        rules.after_failure(before, now, merchant.settings.token_failures_a_minute),
    )
    total = await store.count_failures(db, merchant_id, now - rules.WINDOW)
    if total >= rules.ALARM_FAILURES_PER_WINDOW:
        _log.warning("token_failures_alarm", merchant_id=merchant_id, failures=total)
    return waits


async def keep_refusal(  # noqa: PLR0913 (what the merchant will look for)
    db: Database,
    merchant_id: int,
    reference: str,
    operation: str,
    refusal: Refusal,
    words: str,
    address: str,
    now: datetime,
    *,
    proven: bool,
    explained: Mapping[str, object] | None = None,
) -> None:
    """Store one refused request, where the merchant's developer can read why.

    proven: the sender showed the merchant's own secrets. An unproven request needs only a public
    number, and nobody may fill the disk: only the first ones of each minute are stored. explained:
    what was compared with what, without secrets.
    """
    if not proven:
        since = now - rules.WINDOW
        every, of_address = await store.count_refused(
            db, merchant_id, address, since, rules.REFUSED_KEPT_MAX
        )
        if every >= rules.REFUSED_KEPT_MAX or of_address >= rules.REFUSED_KEPT_PER_ADDRESS_MAX:
            return
    code = refusal.code.log_name
    # Both may repeat received text, and PostgreSQL's text holds no NUL.
    words, detail = (
        text.replace("\0", "\N{REPLACEMENT CHARACTER}") for text in (words, refusal.detail)
    )
    await store.insert_refused(
        db, merchant_id, reference, now, operation, code, words, detail, address, explained or {}
    )


async def sweep(db: Database, now: datetime) -> None:
    """Delete expired tokens, old failures and old refused requests (scheduled, gateway-wide)."""
    await store.sweep(
        db,
        tokens_before=now - EXPIRED_TOKENS_KEPT_FOR,
        failures_before=now - timedelta(hours=1),
        refused_before=now - REFUSED_KEPT_FOR,
    )
