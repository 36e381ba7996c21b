"""All SQL of the audit of the chain.

The code that seals names the columns that it seals; the audit names the columns that are not
sealed. So a column that a later version adds is noticed: either a new version of its row's text has
it, or it is named here.
"""

from collections.abc import Mapping, Sequence

from hundi.infra.postgres.database import Connection
from hundi.money.audit.rules import Violation

STATEMENT_S_MAX = 600


def _text(row: str, times: str = "", without: str = "", other: str = "") -> str:
    """Return the text of a row: every column but `without`.

    Columns in `times` are written in microseconds.
    """
    parts = [
        f"'row', '{row}'",
        *(f"'{name}', (extract(epoch FROM {name}) * 1e6)::bigint" for name in times.split()),
    ]
    parts += [other] if other else []
    left_out = ",".join(without.split())
    return (
        f"(to_jsonb(sealed) - '{{{left_out}}}'::text[] ||"
        f" jsonb_build_object({', '.join(parts)}))::text"
    )


_HASH = "'content_hash', encode(content_hash, 'hex')"
_PAYMENT = _text(
    "payment 1",
    "created_at",
    (
        "state captured_paise method bank_code bank_message revision expires_at refunds"
        " refunded_paise settled_at"
    ),
    _HASH,
)
_ATTEMPT = _text(
    "attempt 1",
    "created_at",
    "expires_at state received_paise rrn bank_code bank_message approval_code payer_vpa card"
    " authentication_id "
    "settled_at inquire_at inquiries charged_at hastened_at voucher rate_micros settled_paise"
    " route",
)
_RECEIVED = _text(
    "received 1",
    "settled_at charged_at",
    "payment_id method state amount_paise currency connector created_at expires_at inquire_at"
    " inquiries "
    "hastened_at bank bank_name emi_months emi_rate_bps emi_discount_paise risk saved_card"
    " surcharge_paise route",
)
_COMPLETION = _text("completion 1", "created_at settled_at", "due_at inquiries")
_MANDATE = _text(
    "mandate 1",
    "created_at activated_at",
    "state amount_paise debits_max retries_max due_at next_period ended_at mandate_name"
    " notice_before ask_at paused_at_bank",
)
_DEBIT = _text(
    "debit 1",
    "planned_at created_at noticed_at settled_at",
    "due_at notice_name debit_until",
)
_NOTICE = _text(
    "notice 1",
    "planned_at created_at noticed_at",
    "state due_at connector payment_id tries settled_at notice_name debit_until",
)
_DELIVERY = _text(
    "delivery 1", "created_at", "state due_at tries scheduled_from tries_before delivered_at"
)
_DISPUTE = _text(
    "dispute 1",
    "opened_at respond_by",
    "state due_at inquiries reminded_at answered_at accepted_paise note sent_at expired_at"
    " taken_paise "
    "taken_settled_paise rrn bank_message settled_at",
)
_OF_DISPUTE = (
    "dispute_id payment_id attempt_id connector bank_case phase amount_paise currency held_paise"
    " held_settled_paise "
    "rate_micros reason opened_at respond_by due_at inquiries bank_message fee_paise tax_paise "
)
_DISPUTE_ANSWER = _text(
    "dispute answer 1",
    "answered_at",
    _OF_DISPUTE
    + "state reminded_at sent_at expired_at taken_paise taken_settled_paise rrn settled_at",
)
_DISPUTE_END = _text(
    "dispute end 1",
    "reminded_at expired_at sent_at settled_at",
    _OF_DISPUTE + "answered_at accepted_paise note",
)
_EVIDENCE = _text(
    "evidence 1", "added_at", "sealed_content sent_at", "'digest', encode(digest, 'hex')"
)
_REFUND = _text(
    "refund 1",
    "created_at",
    (
        "state rrn bank_code bank_message sent_at settled_at due_at inquiries reversed_at"
        " reversed_code reversed_message"
    ),
)
_REFUND_END = _text(
    "refund end 1",
    "sent_at settled_at",
    "payment_id attempt_id cause amount_paise currency connector created_at due_at inquiries"
    " request_id "
    "surcharge_paise settled_paise reversed_at reversed_code reversed_message",
    "'state', CASE state WHEN 'reversed' THEN 'done' ELSE state END",
)
_REFUND_REVERSAL = _text(
    "refund reversal 1",
    "reversed_at",
    "payment_id attempt_id cause amount_paise currency connector created_at due_at inquiries"
    " request_id "
    "surcharge_paise settled_paise state rrn bank_code bank_message sent_at settled_at",
)

_SETTLEMENT = _text("settlement 1", "at", "", "'digest', encode(digest, 'hex')")
_PAYOUT = _text(
    "payout 1",
    "created_at sent_at",
    (
        "state utr bank_code bank_message settled_at due_at inquiries revision maker_named"
        " checker_named sent_by sent_rail late_utr late_at hastened_at wait_reason"
    ),
)
_PAYOUT_END = _text(
    "payout end 1",
    "settled_at",
    "share_id try_no beneficiary account_no amount_paise source channel rail connector created_at"
    " maker checker "
    "batch_id sent_at due_at inquiries revision maker_named checker_named sent_by sent_rail"
    " late_utr late_at hastened_at wait_reason",
    "'state', CASE WHEN late_at IS NULL THEN state ELSE 'refused' END",
)
_PAYOUT_LATE = _text(
    "payout late 1",
    "late_at",
    "share_id try_no beneficiary account_no amount_paise source state channel rail connector"
    " created_at maker checker batch_id utr bank_code bank_message sent_at settled_at due_at"
    " inquiries revision maker_named checker_named hastened_at wait_reason",
)
_CHECK = _text("account check 1", "at")
_DIRECT_SHARE = _text(
    "direct share 1",
    "created_at",
    "state sent_paise transfer_id code message utr sent_at called_at ended_at settled_at due_at"
    " inquiries revision late_at hastened_at",
)
_DIRECT_SHARE_END = _text(
    "direct share end 1",
    "sent_at ended_at",
    "payment_id request_id identifier attempt_id connector party base_paise amount_paise"
    " created_at called_at utr settled_at due_at inquiries revision late_at hastened_at",
)
_SHARE_REVERSAL = _text("share reversal 1", "created_at sent_at ended_at")
_PAYOUT_ACCOUNT = _text(
    "payout account 1",
    "added_at checked_at",
    "sealed_number replaced_at due_at inquiries accepted_named asked_of hastened_at",
    "'fingerprint', encode(fingerprint, 'hex')",
)

_ROWS = f"""
    SELECT merchant_id, 'events' AS book, payment_id AS id, 'event ' || event_no AS part,
        {_text("event 1", "at")} AS said FROM payment_events AS sealed
    UNION ALL SELECT merchant_id, 'events', payment_id, 'payment', {_PAYMENT}
        FROM payments AS sealed
    UNION ALL SELECT merchant_id, 'events', payment_id, 'attempt ' || attempt_id, {_ATTEMPT}
        FROM attempts AS sealed
    UNION ALL SELECT merchant_id, 'events', payment_id, 'received ' || attempt_id, {_RECEIVED}
        FROM attempts AS sealed
    UNION ALL SELECT merchant_id, 'events', payment_id, 'completion ' || completion_id,
        {_COMPLETION}
        FROM completions AS sealed
    UNION ALL SELECT merchant_id, 'events', payment_id, 'split ' || request_id,
        {_text("split 1", "created_at", "replaced_at", _HASH)} FROM split_configurations AS sealed
    UNION ALL SELECT merchant_id, 'events', c.payment_id, 'split ' || request_id || ' ' || place,
        {_text("split part 1")}
        FROM split_parts AS sealed JOIN split_configurations c USING (merchant_id, request_id)
    UNION ALL SELECT merchant_id, 'events', subscription_id, 'mandate', {_MANDATE}
        FROM subscriptions AS sealed
    UNION ALL SELECT merchant_id, 'events', subscription_id, 'debit ' || debit_id, {_DEBIT}
        FROM subscription_debits AS sealed
    UNION ALL SELECT merchant_id, 'events', subscription_id, 'notice ' || debit_id, {_NOTICE}
        FROM subscription_debits AS sealed
    UNION ALL SELECT merchant_id, 'events', payment_id, 'dispute ' || stage_id, {_DISPUTE}
        FROM dispute_stages AS sealed
    UNION ALL SELECT merchant_id, 'events', payment_id, 'dispute answer ' || stage_id,
        {_DISPUTE_ANSWER}
        FROM dispute_stages AS sealed
    UNION ALL SELECT merchant_id, 'events', payment_id, 'dispute end ' || stage_id, {_DISPUTE_END}
        FROM dispute_stages AS sealed
    UNION ALL SELECT sealed.merchant_id, 'events', s.payment_id, 'evidence ' || evidence_id,
        {_EVIDENCE}
        FROM dispute_evidence AS sealed JOIN dispute_stages s USING (merchant_id, stage_id)
    UNION ALL SELECT merchant_id, 'events', payment_id, 'delivery ' || event_no, {_DELIVERY}
        FROM deliveries AS sealed
    UNION ALL SELECT merchant_id, 'postings', cause_id, kind, {_text("posting 1", "at")}
        FROM ledger_postings AS sealed
    UNION ALL SELECT merchant_id, 'postings', refund_id, 'refund', {_REFUND} FROM refunds AS sealed
    UNION ALL SELECT merchant_id, 'postings', refund_id, 'answer',
        {_text("answer 1", "at", "", _HASH)} FROM refund_requests AS sealed WHERE code = ''
    UNION ALL SELECT merchant_id, 'postings', refund_id, 'refund end', {_REFUND_END}
        FROM refunds AS sealed
    UNION ALL SELECT merchant_id, 'postings', refund_id, 'refund reversal', {_REFUND_REVERSAL}
        FROM refunds AS sealed
    UNION ALL SELECT merchant_id, 'settlements', settlement_id, 'settlement', {_SETTLEMENT}
        FROM settlements AS sealed
    UNION ALL SELECT merchant_id, 'settlements', settlement_id, 'share ' || beneficiary,
        {_text("share 1", "created_at")} FROM settlement_shares AS sealed
    UNION ALL SELECT merchant_id, 'settlements', settlement_id,
        'part ' || payment_id || ' ' || identifier, {_text("settled part 1")}
        FROM settlement_parts AS sealed
    UNION ALL SELECT merchant_id, 'postings', line_id, 'line', {_text("line 1")}
        FROM statement_lines AS sealed
    UNION ALL SELECT merchant_id, 'postings', line_id, 'match', {_text("match 1")}
        FROM statement_matches AS sealed
    UNION ALL SELECT merchant_id, 'postings', proposal_id, 'proposal',
        {_text("proposal 1", "proposed_at decided_at")} FROM reconciliation_proposals AS sealed
    UNION ALL SELECT merchant_id, 'postings', payout_id, 'payout', {_PAYOUT} FROM payouts AS sealed
    UNION ALL SELECT merchant_id, 'postings', payout_id, 'approval ' || person_key,
        {_text("approval 1", "at")} FROM payout_approvals AS sealed
    UNION ALL SELECT merchant_id, 'postings', payout_id, 'payout end', {_PAYOUT_END}
        FROM payouts AS sealed
    UNION ALL SELECT merchant_id, 'postings', payout_id, 'payout late', {_PAYOUT_LATE}
        FROM payouts AS sealed
    UNION ALL SELECT merchant_id, 'postings', payout_id, 'fee ' || kind,
        {_text("payout fee 1", "at")} FROM payout_fees AS sealed
    UNION ALL SELECT merchant_id, 'postings', check_id, 'account check', {_CHECK}
        FROM account_checks AS sealed
    UNION ALL SELECT merchant_id, 'postings', share_id, 'direct share', {_DIRECT_SHARE}
        FROM direct_shares AS sealed
    UNION ALL SELECT merchant_id, 'postings', share_id, 'direct share end', {_DIRECT_SHARE_END}
        FROM direct_shares AS sealed
    UNION ALL SELECT merchant_id, 'postings', reversal_id, 'share reversal', {_SHARE_REVERSAL}
        FROM share_reversals AS sealed
    UNION ALL SELECT p.merchant_id, 'postings', p.payout_id, 'payout account', a.said FROM payouts p
        JOIN (
            SELECT merchant_id, beneficiary, account_no, {_PAYOUT_ACCOUNT} AS said
                FROM bank_accounts AS sealed
        ) AS a USING (merchant_id, beneficiary, account_no)
    UNION ALL SELECT merchant_id, 'postings', payout_id, 'payout event ' || event_no,
        {_text("payout event 1", "at")} FROM payout_events AS sealed
"""

# Every event and posting up to the newest block has a link. No row is of a transaction that has not
# begun: it would never be sealed. Marks of another cluster (before a restore) are ignored.
_BOOKS = """
    SELECT merchant_id, 'events' AS book, payment_id AS id, 'event ' || event_no AS part, xact
        FROM payment_events
    UNION ALL SELECT merchant_id, 'postings', cause_id, kind, xact FROM ledger_postings
    UNION ALL SELECT merchant_id, 'settlements', settlement_id, 'settlement', xact FROM settlements
"""
_UNLINKED = f"""
    SELECT merchant_id, book, id, part, CASE WHEN (xact, id) <= (upto_xact, upto_id) THEN 'inserted'
        ELSE 'of transaction ' || xact || ', which has not begun' END AS found
    FROM ({_BOOKS}) AS b JOIN (
        SELECT DISTINCT ON (merchant_id, book) *, is_home(cluster, tableoid) AS is_home
            FROM chain_blocks
        ORDER BY merchant_id, book, block_no DESC
    ) AS newest USING (merchant_id, book)
    WHERE is_home
        AND ((xact, id) <= (upto_xact, upto_id) OR xact >= pg_snapshot_xmax(pg_current_snapshot()))
        AND NOT EXISTS (SELECT FROM chain_links l WHERE l.merchant_id = b.merchant_id
            AND l.book = b.book
            AND l.id = b.id AND l.part = b.part)
"""

# Links in the archive are counted; their blocks are not hashed again, since all links would have to
# be read. An audit of some days says with -1 links that a block is before them.
_CHAIN_BROKEN = """
        SELECT merchant_id || ' ' || book || ' block ' || block_no AS subject, CASE
            WHEN hash IS NULL THEN 'deleted, or never there'
                WHEN block_no <> before + 1 THEN 'no block before it'
            WHEN b.links <> coalesce(found, 0) + coalesce(away.links,
                0) THEN format('%s links, %s are there', b.links,
            coalesce(found, 0) + coalesce(away.links, 0))
            WHEN cluster = cluster_before AND (upto_xact, upto_id) < (xact_before,
            id_before) THEN 'goes back'
            ELSE 'its hash is not that of its links and of the block before' END AS found
        FROM (
            SELECT *, coalesce(lag(block_no) OVER book, 0) AS before,
                lag(hash) OVER book AS previous, lag(upto_xact) OVER book AS xact_before,
                lag(upto_id) OVER book AS id_before, lag(cluster) OVER book AS cluster_before
            FROM chain_blocks WINDOW book AS (PARTITION BY merchant_id, book ORDER BY block_no)
        ) AS b FULL JOIN (
            SELECT merchant_id, book, block_no, count(*) AS found, string_agg(digest, ''
                ORDER BY id, part COLLATE "C")
                AS digests FROM chain_links GROUP BY 1, 2, 3
        ) AS l USING (merchant_id, book, block_no) LEFT JOIN {away} AS away USING (merchant_id,
        book, block_no)
        WHERE away.links IS DISTINCT FROM -1 AND (hash IS NULL OR block_no <> before + 1
            OR b.links <> coalesce(found, 0) + coalesce(away.links, 0)
            OR (cluster = cluster_before AND (upto_xact, upto_id) < (xact_before, id_before))
            OR away.links IS NULL AND hash <> sha256(convert_to(concat_ws(E'\\n',
                'hundi block 1', 'merchant=' || merchant_id, 'book=' || book,
                'block=' || block_no, 'links=' || b.links,
                'upto=' || upto_xact || ' ' || upto_id || ' of ' || cluster, 'day=' || day,
                'rows=' || encode(sha256(coalesce(digests, '')), 'hex'), 'previous=' || CASE before
                    WHEN 0 THEN repeat('00', 32) ELSE encode(previous, 'hex') END, ''), 'UTF8')))
        ORDER BY block_no, merchant_id, book
    """

CHECKS: Mapping[Violation, str] = {
    Violation.SEALED_ROW_DIFFERS: f"""
        SELECT merchant_id || '-' || id || ' ' || part AS subject, found FROM (
            SELECT merchant_id, book, block_no, id, part, CASE
                WHEN said IS NULL THEN 'deleted' ELSE 'changed' END
                || ' since block ' || block_no || ' of ' || book AS found
            FROM chain_links LEFT JOIN ({_ROWS}) AS r USING (merchant_id, book, id, part)
            WHERE sha256(convert_to(said, 'UTF8')) IS DISTINCT FROM digest::bytea
            UNION ALL SELECT merchant_id, book, NULL, id, part, found FROM ({_UNLINKED}) AS u
        ) AS bent ORDER BY block_no, merchant_id, id, part
    """,
    Violation.CHAIN_BROKEN: _CHAIN_BROKEN.format(
        away="(SELECT * FROM archived_links WHERE links <> 0)"
    ),
}
"""The query that finds the violations of each promise, oldest block first."""
WHOLE_CHECKS: Mapping[Violation, str] = {
    Violation.CHAIN_BROKEN: _CHAIN_BROKEN.format(away="(SELECT * FROM archived_links WHERE false)"),
}
"""The same, reading links from the archive as well."""

# For some rows alone, after a change and before its commit: may the change stay?
DIFFERING = f"""
SELECT count(*) FROM chain_links l LEFT JOIN (
    SELECT * FROM ({_ROWS}) AS every WHERE merchant_id = $1 AND id = ANY ($2::bigint[])
) AS r USING (merchant_id, book, id, part)
WHERE l.merchant_id = $1 AND l.id = ANY ($2::bigint[])
    AND sha256(convert_to(said, 'UTF8')) IS DISTINCT FROM digest::bytea
"""

# Looks for rows without a link and not at marks: a block that claims to seal everything would hide
# the missing ones.
UNSEALED = """
SELECT count(*) FROM (
    SELECT merchant_id, 'events' AS book, payment_id AS id, 'event ' || event_no AS part, at
        FROM payment_events
    UNION ALL SELECT merchant_id, 'postings', cause_id, kind, at FROM ledger_postings
    UNION ALL SELECT merchant_id, 'settlements', settlement_id, 'settlement', at FROM settlements
) AS b
WHERE at < $1 AND NOT EXISTS (SELECT FROM chain_links l WHERE l.merchant_id = b.merchant_id
    AND l.book = b.book
    AND l.id = b.id AND l.part = b.part)
"""
RESTORED = """
SELECT count(*) FROM (
    SELECT cluster, lag(cluster) OVER (PARTITION BY merchant_id, book ORDER BY block_no) AS before
        FROM chain_blocks
) AS b WHERE cluster <> before
"""


async def count_differing(conn: Connection, merchant_id: int, ids: Sequence[int]) -> int:
    """Return how many sealed rows about some payments and refunds differ from their seal."""
    rows = await conn.fetch(DIFFERING, merchant_id, ids)
    return rows[0][0]
