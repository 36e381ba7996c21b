"""The actions of risk: check a try, count a decline, publish rules, sweep counts."""

import hmac
from collections.abc import Awaitable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from importlib.resources import files

import msgspec
import structlog
from asyncpg import PostgresError, Record

from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.infra.postgres.row_cache import RowCache
from hundi.infra.secrets.vault import Vault
from hundi.instruments.card import CardNumber, scheme_of
from hundi.instruments.methods import BHARAT_QR, CHANNEL_OF_METHOD, UPI
from hundi.kernel.clock import ist
from hundi.kernel.masking import masked
from hundi.payments.risk import rules, store
from hundi.payments.risk.counting import rules as counting
from hundi.payments.risk.counting.rules import Tally
from hundi.payments.risk.document import read
from hundi.payments.risk.faults import RiskFault
from hundi.payments.risk.replay import rules as replay
from hundi.payments.risk.replay.rules import PastRiskTry, Replayed
from hundi.payments.risk.rules import (
    NOTHING_SAID,
    OPERATOR,
    WITHIN_MAX,
    WITHIN_OF_CARDS_MAX,
    Facts,
    RiskRecord,
    RiskVerdict,
    RuleSet,
    Seen,
    Subject,
)
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

NOUN = "risk"
"""The noun of entries about rule sets in the trail."""
CHANGED_CHANNEL = "hundi_risk_rules"
"""NOTIFY channel: the payload is the owner whose rules changed."""
PURPOSE = "risk-subjects"
_PACKAGE = "hundi.payments.risk"
_BIN_DIGITS = 6
_HASH_BYTES = 16
PAST_TRIES_MAX = 100_000
"""Tries of a merchant that a rule set is tried on."""
_KEPT_LONGER = timedelta(hours=2)

_log = structlog.get_logger(__name__)


class PayerTrace(msgspec.Struct, frozen=True):
    """The payer, as the request shows it.

    browser: the headers that a browser always sends alike.
    """

    ip_address: str = ""
    browser: tuple[str, ...] = ()


NOBODY = PayerTrace()
"""The trace where the customer did not send the request."""


def default_document() -> str:
    """Return the rules in force until an operator publishes others."""
    return files(_PACKAGE).joinpath("default.toml").read_text("utf-8")


class RiskControl:
    """Check tries by the rules in force, which it caches by owner."""

    def __init__(self, db: Database, vault: Vault) -> None:
        """Keep the dependencies; call `start` before the first request."""
        self._db = db
        self._vault = vault
        self._known = RowCache(
            db,
            CHANGED_CHANNEL,
            lambda owner: live(db, owner),
            lambda owner: int(owner) if owner.isdigit() else None,
        )

    async def start(self) -> None:
        """Listen for rules that other processes publish."""
        await self._known.start()

    async def rule_sets(self, merchant_id: int) -> tuple[RuleSet, ...]:
        """Return the rules in force for a merchant: the operator's and its own."""
        sets = [await self._known.get(owner) for owner in (OPERATOR, merchant_id)]
        return tuple(each for each in sets if each is not None and each.rules)

    def seen(self, payer: PayerTrace, card: CardNumber | None = None) -> Seen:
        """Return the stored traces of a payer; for a card, its fingerprint and first six digits."""
        device = counting.device_of(payer.ip_address, payer.browser)
        number = card.number if card else ""
        return Seen(
            ip_address=payer.ip_address,
            device=self._hash("device", device).hex() if device else "",
            card=self._hash(Subject.CARD, number).hex() if number else "",
            card_bin=number[:_BIN_DIGITS],
            card_scheme=(scheme_of(number) or "") if number else "",
        )

    def fingerprint_of_account(self, number: str, ifsc: str) -> str:
        """Return the fingerprint of a bank account.

        A keyed hash, so that two can be compared and none be read.
        """
        return self._hash("account", f"{ifsc} {number}").hex()

    async def check(self, facts: Facts, now: datetime) -> RiskVerdict:
        """Count a try and return the verdict of the rules.

        One round trip to the database, and none when nothing has to be counted.
        """
        rule_sets = await self.rule_sets(int(facts.merchant))
        if not rule_sets:
            return NOTHING_SAID
        tally = counting.tally_of_try(rule_sets, facts)
        counts = (
            {}
            if tally.is_empty
            else await store.count_try(self._db, tally, facts, self._hashes(facts), now)
        )
        return rules.decide(rule_sets, facts, counts)

    async def check_offer(self, facts: Facts, now: datetime) -> RiskVerdict:
        """Return the verdict on a QR before it is offered.

        Nobody has tried yet, so nothing is counted.
        """
        rule_sets = await self.rule_sets(int(facts.merchant))
        rule_counts = counting.tally_of_try(rule_sets, facts).rule_counts
        counts = (
            await store.count_try(
                self._db, Tally((), (), rule_counts), facts, self._hashes(facts), now
            )
            if rule_counts
            else {}
        )
        return rules.decide(rule_sets, facts, counting.with_offer(counts, facts))

    async def count_scan(self, facts: Facts, now: datetime) -> None:
        """Count a QR that was paid; its offer was no try."""
        added = counting.added_by_try(await self.rule_sets(int(facts.merchant)), facts)
        if not added.is_empty:
            await self._count(
                store.count_try(self._db, added, facts, self._hashes(facts), now), facts
            )

    async def count_decline(self, facts: Facts, now: datetime) -> None:
        """Count a decline."""
        tally = counting.tally_of_decline(await self.rule_sets(int(facts.merchant)), facts)
        if not tally.is_empty:
            await self._count(
                store.count_decline(self._db, tally, facts, self._hashes(facts), now), facts
            )

    async def _count(self, counting: Awaitable[object], facts: Facts) -> None:
        """Count the bank's answer.

        The payment has been written: a lost count must not be its failure.
        """
        try:
            await counting
        except (PostgresError, *UNREACHABLE) as error:
            _log.warning("risk_count_lost", merchant_id=facts.merchant, error=type(error).__name__)

    def _hashes(self, facts: Facts) -> Mapping[Subject, bytes]:
        return {
            subject: self._hash(subject, text)
            for subject, text in counting.subjects_of(facts).items()
        }

    def _key(self) -> bytes:
        """Return the oldest key.

        A new one would lose all counts, and every fingerprint in a rule.
        """
        return self._vault.derive_oldest(PURPOSE)

    def _hash(self, kind: str, text: str) -> bytes:
        return hmac.digest(self._key(), f"{kind}\n{text}".encode(), sha256)[:_HASH_BYTES]


async def live(db: Database, owner: int) -> RuleSet:
    """Return an owner's rules in force; the default until an operator publishes others."""
    row = await store.select_live(db, owner)
    if row is None:
        return _whole(default_document(), owner, 0) if owner == OPERATOR else RuleSet((), owner)
    return _whole(row["document"], owner, row["version"])


def _whole(document: str, owner: int, version: int) -> RuleSet:
    rule_set = read(document, owner=owner, version=version)
    if not isinstance(rule_set, RuleSet):
        # It was valid when it was published: an older release allowed what this one does not.
        message = f"the rule set {version} of {owner} cannot be read: {rule_set[0]}"
        raise AssertionError(message)  # noqa: TRY004 (it would be our bug)
    return rule_set


async def publish(
    db: Database, owner: int, document: str, who: Who, now: datetime
) -> int | tuple[RiskFault, ...]:
    """Put a rule set into force and return its version, or all its faults.

    The operator's trail records it, and so does the trail of the merchant whose rules they are.
    """
    document = masked(document)  # stored with its comments
    rule_set = read(document, owner=owner)
    if not isinstance(rule_set, RuleSet):
        return rule_set
    async with db.transaction() as conn:
        version = await store.insert_rule_set(conn, owner, document, who.name, now)
        details = {"rules": len(rule_set.rules), "sha256": sha256(document.encode()).hexdigest()}
        operators_details = {**details, "merchant": str(owner)} if owner != OPERATOR else details
        # The operator's trail always first: otherwise two publishers could deadlock.
        await trail.record(
            conn, OPERATOR, who, f"{NOUN}.publish", version, now, **operators_details
        )
        if owner != OPERATOR:
            await trail.record(conn, owner, who, f"{NOUN}.publish", version, now, **details)
    db.wake(CHANGED_CHANNEL, str(owner))
    return version


async def try_on_past(
    db: Database, merchant_id: int, rule_set: RuleSet, since: datetime
) -> Replayed:
    """Return a rule set's verdicts on a merchant's past tries; nothing changes."""
    rows = await store.select_tries(db, merchant_id, since, PAST_TRIES_MAX)
    return replay.replay(rule_set, [_past(merchant_id, row) for row in rows])


def _past(merchant_id: int, row: Record) -> PastRiskTry:
    seen, buyer = msgspec.convert(row["risk"], RiskRecord).seen, row["buyer"]
    channel = CHANNEL_OF_METHOD[row["method"]].code
    facts = Facts(
        amount_paise=row["amount_paise"],
        currency=row["currency"],
        channel=BHARAT_QR.code
        if channel == UPI.code and UPI.code not in row["channels"]
        else channel,
        method=row["method"],
        kind=row["kind"],
        hour=ist(row["at"]).hour,
        email=buyer.get("email", ""),
        phone=buyer.get("phone", ""),
        ip_address=seen.ip_address,
        device=seen.device,
        card=seen.card,
        card_bin=seen.card_bin,
        card_scheme=seen.card_scheme,
        upi_address=row["upi_address"],
        bank=row["bank"],
        order=str(row["payment_id"]),
        merchant=str(merchant_id),
    )
    return PastRiskTry(facts, row["at"], row["state"], row["settled_at"], row["order_id"])


async def sweep(db: Database, now: datetime) -> None:
    """Delete counts that no rule needs any more (scheduled, gateway-wide)."""
    counts, cards = timedelta(minutes=WITHIN_MAX), timedelta(minutes=WITHIN_OF_CARDS_MAX)
    await store.sweep(db, now - counts - _KEPT_LONGER, now - cards - _KEPT_LONGER)
