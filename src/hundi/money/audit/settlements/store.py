"""The checks of settlements, their items, shares and postings: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

_OWN = "('settlement_fee', 'settlement_tax', 'reserve_held', 'reserve_released', 'share_due')"
_SALES = "('payment', 'capture', 'review_released')"
_REFUNDS = "('late_refund_due', 'refund_begun', 'refund_failed', 'refund_reversed')"

# The postings that a settlement must have, from its own rows alone.
_EXPECTED = """
    SELECT merchant_id, settlement_id AS cause_id, due.kind, debit, credit, paise, at
        FROM settlements
        CROSS JOIN LATERAL (VALUES ('settlement_fee', 'payable', 'fee_income',
            fee_paise + price_paise),
            ('settlement_tax', 'payable', 'tax_payable', tax_paise + price_tax_paise),
            ('reserve_held', 'payable', 'reserve', reserve_held_paise),
            ('reserve_released', 'reserve', 'payable', reserve_released_paise)) AS due (kind, debit,
                credit, paise)
    WHERE paise <> 0
    UNION ALL
    SELECT merchant_id, share_id, 'share_due', 'payable',
        CASE beneficiary WHEN 'primary' THEN 'settlement_due' ELSE 'payable_linked' END,
            amount_paise, created_at
    FROM settlement_shares
"""
_TAKEN = f"""
    SELECT merchant_id, settlement_id, count(*)::int AS items, max(ready_on) AS ready_on,
        max(at) AS newest,
        sum(CASE WHEN kind IN {_SALES} THEN gross_paise ELSE 0 END)::bigint AS gross,
        sum(CASE WHEN kind IN {_REFUNDS} THEN -gross_paise ELSE 0 END)::bigint AS refunds,
        sum(CASE WHEN kind IN {_SALES}
        OR kind IN {_REFUNDS} THEN 0 ELSE gross_paise END)::bigint AS other,
        sum(fee_paise)::bigint AS fee, sum(tax_paise)::bigint AS tax,
            sha256(convert_to(string_agg(format('%s %s %s %s %s %s %s %s %s %s %s', cause_id, kind,
            extract(epoch FROM at)::numeric(20, 6), ready_on, gross_paise, fee_paise, tax_paise,
    net_paise, plan_no, terms_no, rule), E'\\n' ORDER BY cause_id, kind), 'UTF8')) AS digest
    FROM settlement_items WHERE settlement_id IS NOT NULL GROUP BY merchant_id, settlement_id
"""
_SHARED = """
    SELECT merchant_id, settlement_id,
        sum(amount_paise) FILTER (WHERE beneficiary = 'primary') AS net,
    sum(amount_paise) FILTER (WHERE beneficiary <> 'primary') AS splits
    FROM settlement_shares GROUP BY merchant_id, settlement_id
"""
# What linked accounts are owed from the settled payments, and what they got.
_OWED_TO_LINKED = """
    SELECT merchant_id, identifier, sum(paise)::bigint AS paise FROM (
        SELECT merchant_id, identifier, amount_paise AS paise FROM settlement_parts
        UNION ALL SELECT merchant_id, beneficiary, -amount_paise FROM settlement_shares
            WHERE beneficiary <> 'primary'
    ) AS moved GROUP BY merchant_id, identifier HAVING sum(paise) <> 0
"""
_SAID_OF_LINKED = """
    SELECT merchant_id, each.key AS identifier, each.value::bigint AS paise FROM (
        SELECT DISTINCT ON (merchant_id) merchant_id, linked_carried FROM settlements
        ORDER BY merchant_id, settlement_no DESC
    ) AS newest CROSS JOIN LATERAL jsonb_each_text(linked_carried) AS each
"""

CHECKS: Mapping[Violation, str] = {
    # Postings in the archive had their item before they moved there.
    Violation.ITEM_MISSING: f"""
        SELECT p.merchant_id || '-' || p.cause_id AS subject,
            format('%s of %s paise was collected, and has no item', p.kind, p.amount_paise) AS found
        FROM public.ledger_postings p JOIN settlement_marks m USING (merchant_id)
            LEFT JOIN settlement_items i
            ON i.merchant_id = p.merchant_id AND i.cause_id = p.cause_id AND i.kind = p.kind::text
        WHERE i.merchant_id IS NULL AND (p.debit = 'payable' OR p.credit = 'payable')
            AND p.kind NOT IN {_OWN}
            AND is_home(m.cluster, m.tableoid) AND p.xact < m.upto_xact
            AND m.upto_xact <= pg_snapshot_xmax(pg_current_snapshot())
    """,
    Violation.ITEM_DIFFERS: f"""
        SELECT i.merchant_id || '-' || i.cause_id AS subject,
            format('%s of %s paise at %s, its posting: %s', i.kind, i.gross_paise, i.at,
        coalesce(p.amount_paise || ' from ' || p.credit || ' at ' || p.at, 'none')) AS found
        FROM settlement_items i LEFT JOIN ledger_postings p
                ON p.merchant_id = i.merchant_id AND p.cause_id = i.cause_id
                    AND p.kind::text = i.kind
            LEFT JOIN (SELECT merchant_id, unnest(attempt_ids) AS cause_id
                FROM archived_payments) AS away
                ON away.merchant_id = i.merchant_id AND away.cause_id = i.cause_id
        WHERE CASE WHEN p.merchant_id IS NULL THEN away.merchant_id IS NULL ELSE (i.gross_paise,
            i.at)
            IS DISTINCT FROM
            (CASE 'payable' WHEN p.credit THEN p.amount_paise WHEN p.debit THEN -p.amount_paise END,
            p.at) END
            OR i.kind IN {_OWN} OR i.gross_paise <> i.fee_paise + i.tax_paise + i.net_paise
            OR (i.kind NOT IN {_SALES} AND (i.fee_paise, i.tax_paise) <> (0, 0))
    """,
    Violation.ITEM_FORGOTTEN: """
        SELECT i.merchant_id || '-' || i.cause_id AS subject,
            format('%s ready on %s, a settlement was made on %s without it', i.kind, i.ready_on,
                s.day) AS found
        FROM settlement_items i JOIN (
            SELECT merchant_id, max(day) AS day FROM settlements WHERE kind = 'daily'
                GROUP BY merchant_id
        ) AS s USING (merchant_id) WHERE i.settlement_id IS NULL AND i.ready_on <= s.day - 7
    """,
    Violation.SETTLEMENT_DIFFERS: f"""
        SELECT merchant_id || '-' || settlement_id AS subject, format(
            'says %s items, %s sold, %s refunded, %s other, %s fee, %s tax, %s net, %s linked; '
                || 'its rows: %s',
            s.items, gross_paise, refunds_paise, other_paise, fee_paise, tax_paise, net_paise,
            splits_paise,
            (t.items, gross, refunds, other, fee, tax, net, splits)) AS found
        FROM settlements s FULL JOIN ({_TAKEN}) AS t USING (merchant_id, settlement_id)
            FULL JOIN ({_SHARED}) AS d USING (merchant_id, settlement_id)
        WHERE s.day IS NULL OR (s.items, gross_paise, refunds_paise, other_paise, fee_paise,
                tax_paise, net_paise, splits_paise, s.digest)
            IS DISTINCT FROM (coalesce(t.items, 0), coalesce(gross, 0), coalesce(refunds, 0),
                coalesce(other, 0), coalesce(fee, 0), coalesce(tax, 0), coalesce(net, 0),
                coalesce(splits, 0), coalesce(t.digest, sha256('')))
            OR carried_in_paise + gross_paise - refunds_paise + other_paise - fee_paise - tax_paise
                - price_paise - price_tax_paise - reserve_held_paise + reserve_released_paise
                <> net_paise + splits_paise + carried_paise
            OR s.kind = 'daily' AND (t.ready_on > s.day OR t.newest >= s.at)
            OR s.kind = 'daily' AND price_paise + price_tax_paise <> 0
            OR (reserve_held_paise > 0) <> (reserve_until IS NOT NULL) OR reserve_until <= s.day
    """,
    Violation.SETTLEMENT_POSTING_DIFFERS: f"""
        SELECT merchant_id || '-' || cause_id AS subject, format('%s: posted %s, due %s', kind,
            coalesce(p.amount_paise || ' from ' || p.debit || ' to ' || p.credit || ' at ' || p.at,
                'nothing'),
            coalesce(e.paise || ' from ' || e.debit || ' to ' || e.credit || ' at ' || e.at,
                'nothing')) AS found
        FROM (SELECT merchant_id, cause_id, kind::text AS kind, debit, credit, amount_paise,
            currency, at
            FROM ledger_postings WHERE kind IN {_OWN}) AS p
            FULL JOIN ({_EXPECTED}) AS e USING (merchant_id, cause_id, kind)
        WHERE (p.amount_paise, p.debit, p.credit, p.currency, p.at)
            IS DISTINCT FROM (e.paise, e.debit, e.credit, 'INR', e.at)
    """,
    Violation.CARRIED_DIFFERS: f"""
        SELECT merchant_id || '-' || settlement_id AS subject,
            format('settlement %s of %s carries in %s and releases %s; '
                    || 'the one before: %s of %s carried on %s',
                settlement_no, day, carried_in_paise, reserve_released_paise, no_before, day_before,
                before) AS found
        FROM (
            SELECT *, lag(settlement_no, 1, 0) OVER w AS no_before, lag(day) OVER w AS day_before,
                lag(carried_paise, 1, 0::bigint) OVER w AS before
            FROM settlements WINDOW w AS (PARTITION BY merchant_id ORDER BY settlement_no)
        ) AS s WHERE settlement_no <> no_before + 1 OR carried_in_paise <> before
            OR day < day_before
            OR reserve_released_paise <> (SELECT coalesce(sum(h.reserve_held_paise), 0)
                FROM settlements h
                WHERE h.merchant_id = s.merchant_id AND h.settlement_no < s.settlement_no
                    AND h.reserve_until > s.day_before AND h.reserve_until <= s.day)
        UNION ALL
        SELECT merchant_id || ' ' || identifier,
            format('%s paise are carried for it, its parts less its shares are %s', said.paise,
                owed.paise)
        FROM ({_SAID_OF_LINKED}) AS said FULL JOIN ({_OWED_TO_LINKED}) AS owed USING (merchant_id,
        identifier)
        WHERE said.paise IS DISTINCT FROM owed.paise
    """,
    Violation.PART_DIFFERS: f"""
        SELECT merchant_id || '-' || payment_id || ' ' || identifier AS subject,
            format('settled %s, the split says %s', part.amount_paise, split.amount_paise) AS found
        FROM settlement_parts part FULL JOIN (
            SELECT i.merchant_id, i.settlement_id, p.payment_id, s.identifier, s.amount_paise,
            p.refunds, false AS is_late
            FROM settlement_items i JOIN attempts a ON a.merchant_id = i.merchant_id
                AND a.attempt_id = i.cause_id
                JOIN payments p ON p.merchant_id = a.merchant_id AND p.payment_id = a.payment_id
                JOIN split_configurations c ON c.merchant_id = p.merchant_id
                    AND c.payment_id = p.payment_id
                JOIN split_parts s ON s.merchant_id = c.merchant_id AND s.request_id = c.request_id
            WHERE i.settlement_id IS NOT NULL AND i.kind IN {_SALES} AND c.replaced_at IS NULL
                AND NOT EXISTS (SELECT FROM direct_shares d WHERE d.merchant_id = s.merchant_id
                    AND d.request_id = s.request_id AND d.identifier = s.identifier)
            UNION ALL
            SELECT i.merchant_id, i.settlement_id, d.payment_id, d.identifier, d.amount_paise,
                p.refunds, d.late_at IS NOT NULL
            FROM settlement_items i JOIN direct_shares d ON d.merchant_id = i.merchant_id
                    AND d.share_id = i.cause_id
                JOIN split_configurations c ON c.merchant_id = d.merchant_id
                    AND c.request_id = d.request_id
                JOIN payments p ON p.merchant_id = d.merchant_id AND p.payment_id = d.payment_id
            WHERE i.settlement_id IS NOT NULL AND i.kind = 'direct_returned'
                AND d.state IN ('refused', 'cancelled') AND c.replaced_at IS NULL
        ) AS split USING (merchant_id, settlement_id, payment_id, identifier)
        WHERE part.amount_paise IS NULL AND NOT split.is_late OR split.amount_paise IS NULL
            OR part.amount_paise > split.amount_paise
            OR (split.refunds = 0 AND part.amount_paise <> split.amount_paise)
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""
