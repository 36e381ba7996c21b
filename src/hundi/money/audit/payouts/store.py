"""The checks of payouts: one query for each promise."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

# The postings that a payout must have, from its events and its share's posting: whether it was
# refused before it was paid, only its events tell.
_EXPECTED = """
    SELECT p.merchant_id, p.payout_id, p.amount_paise, s.credit AS owed, k.kind,
        CASE k.kind WHEN 'payout_sent' THEN s.credit WHEN 'payout_late' THEN s.credit
            WHEN 'payout_twice' THEN 'paid_twice' WHEN 'payout_reversed' THEN 'escrow'
            WHEN 'payout_recovered' THEN 'payable' WHEN 'payout_recovered_back' THEN 'paid_twice'
            ELSE 'payouts_in_flight' END AS debit,
        CASE k.kind WHEN 'payout_sent' THEN 'payouts_in_flight' WHEN 'payout_returned' THEN s.credit
            WHEN 'payout_reversed' THEN CASE WHEN e.twice THEN 'paid_twice' ELSE s.credit END
            WHEN 'payout_recovered' THEN 'paid_twice' WHEN 'payout_recovered_back' THEN 'payable'
            ELSE 'escrow' END AS credit,
        CASE k.kind WHEN 'payout_sent' THEN p.sent_at WHEN 'payout_done' THEN e.done_at
            WHEN 'payout_returned' THEN e.nothing_at WHEN 'payout_reversed' THEN e.reversed_at
            WHEN 'payout_recovered_back' THEN e.reversed_at
            ELSE p.late_at END AS at
    FROM payouts p CROSS JOIN LATERAL (
            SELECT min(at) FILTER (WHERE state = 'done') AS done_at,
                min(at) FILTER (WHERE state IN ('refused', 'returned')) AS nothing_at,
                min(at) FILTER (WHERE state = 'reversed') AS reversed_at,
                bool_or(state = 'paid_twice') AS twice, bool_or(state = 'paid_late') AS late
            FROM payout_events WHERE merchant_id = p.merchant_id AND payout_id = p.payout_id
        ) AS e CROSS JOIN LATERAL (VALUES
            ('payout_sent', p.state NOT IN ('prepared', 'proposed', 'approved', 'awaiting_balance',
                'awaiting_provider', 'held_back')),
            ('payout_done', p.state = 'done' OR p.state = 'reversed' AND p.late_at IS NULL),
            ('payout_returned', p.state IN ('refused', 'returned') OR p.late_at IS NOT NULL),
            ('payout_late', p.state = 'paid_late' OR p.late_at IS NOT NULL AND e.late),
            ('payout_twice', p.state = 'paid_twice' OR p.late_at IS NOT NULL AND e.twice),
            ('payout_recovered', p.beneficiary = 'primary' AND e.twice),
            ('payout_recovered_back', p.beneficiary = 'primary' AND e.twice
                AND p.state = 'reversed'),
            ('payout_reversed', p.state = 'reversed')) AS k (kind, is_due)
        LEFT JOIN ledger_postings s ON s.merchant_id = p.merchant_id AND s.cause_id = p.share_id
            AND s.kind = 'share_due'
    WHERE k.is_due
"""
_NOTHING = "'refused', 'returned', 'reversed', 'held_back'"
_FINAL = f"{_NOTHING}, 'paid_twice'"
# What a merchant was paid twice is taken off its next settlement: its share is owed all the same.
_PAYS = f"""p.state NOT IN ({_NOTHING})
                AND (p.state <> 'paid_twice' OR p.beneficiary <> 'primary')"""
_TO_SEND = "'approved', 'awaiting_balance', 'awaiting_provider'"
_BEFORE = f"'prepared', 'proposed', {_TO_SEND}, 'held_back'"
_OPEN = "'sent', 'unknown', 'awaiting_approval', 'queued', 'processing', 'deemed'"


def _plain(name: str) -> str:
    """Return the letters and digits of a name that bank networks carry, else NULL."""
    return (
        f"CASE WHEN {name} ~ '^[A-Za-z][A-Za-z0-9 ._@-]*$' THEN regexp_replace(lower({name}),"
        " '[^a-z0-9]', '', 'g') END"
    )


CHECKS: Mapping[Violation, str] = {
    Violation.PAYOUT_POSTING_DIFFERS: f"""
        SELECT coalesce(e.merchant_id, p.merchant_id) || '-P' || coalesce(e.payout_id,
            p.cause_id) AS subject, format('expected %s, posted %s',
                coalesce(e.kind || ' ' || e.amount_paise, 'nothing'),
        coalesce(p.kind || ' ' || p.amount_paise, 'nothing')) AS found
        FROM ({_EXPECTED}) AS e FULL JOIN (SELECT * FROM ledger_postings
            WHERE kind LIKE 'payout%' AND kind NOT LIKE 'payout_fee%') AS p
            ON p.merchant_id = e.merchant_id AND p.cause_id = e.payout_id AND p.kind = e.kind
        WHERE (p.amount_paise, p.currency, p.debit, p.credit, p.at)
            IS DISTINCT FROM (e.amount_paise, 'INR', e.debit, e.credit, e.at)
    """,
    # A payout that left must have its share and the share's posting, a verified account with the
    # same number, and two people.
    Violation.PAYOUT_CAUSE_DIFFERS: f"""
        SELECT p.merchant_id || '-P' || p.payout_id AS subject,
            format('share of %s, posted %s, account %s, released by %s and %s',
                coalesce(s.amount_paise::text, 'none'), coalesce(g.amount_paise::text, 'nothing'),
                coalesce(a.state, 'none'), p.maker, p.checker) AS found
        FROM payouts p LEFT JOIN settlement_shares s USING (merchant_id, share_id)
            LEFT JOIN ledger_postings g ON g.merchant_id = p.merchant_id AND g.cause_id = p.share_id
                AND g.kind = 'share_due'
            LEFT JOIN bank_accounts a ON a.merchant_id = p.merchant_id
                AND a.beneficiary = p.beneficiary
                AND a.account_no = p.account_no
        WHERE (s.amount_paise = p.amount_paise AND s.beneficiary = p.beneficiary
            AND g.amount_paise = p.amount_paise
                AND g.credit = p.source
                    AND (p.beneficiary = 'primary') = (g.credit = 'settlement_due')
                AND a.merchant_id IS NOT NULL AND a.added_at <= p.created_at) IS NOT TRUE
            OR (p.state NOT IN ({_BEFORE})
                AND (a.state = 'verified'
                AND a.checked_at <= p.created_at AND coalesce(a.replaced_at >= p.sent_at, true)
                AND {_plain("p.maker")} <> {_plain("p.checker")}) IS NOT TRUE)
        UNION ALL
        SELECT coalesce(p.merchant_id, o.merchant_id) || '-P' || coalesce(p.payout_id, o.payout_id),
            CASE WHEN o.payout_id IS NULL THEN 'no approval of ' || p.person
                WHEN p.payout_id IS NULL THEN 'approved by ' || o.person || ', whom no payout names'
                ELSE format('%s approved %s paise to %s at %s', o.person, o.amount_paise,
                    o.account_no, o.at) END
        FROM (
            SELECT r.merchant_id, r.payout_id, r.amount_paise, r.account_no, r.person, e.at
            FROM (
                SELECT merchant_id, payout_id, amount_paise, account_no, maker AS person,
                'proposed' AS step
                FROM payouts WHERE maker <> ''
                UNION ALL SELECT merchant_id, payout_id, amount_paise, account_no, checker,
                'approved'
                FROM payouts WHERE checker <> ''
            ) AS r LEFT JOIN payout_events e ON e.merchant_id = r.merchant_id
                AND e.payout_id = r.payout_id
                AND e.state::text = r.step
        ) AS p FULL JOIN payout_approvals o ON o.merchant_id = p.merchant_id
            AND o.payout_id = p.payout_id
            AND o.person = p.person
        WHERE (o.amount_paise, o.account_no, o.at) IS DISTINCT FROM (p.amount_paise, p.account_no,
        p.at)
        UNION ALL
        SELECT merchant_id || '-P' || payout_id, count(*) || ' approvals, of ' || string_agg(person,
        ' and ')
        FROM payout_approvals GROUP BY merchant_id, payout_id HAVING count(*) > 2
        UNION ALL
        SELECT merchant_id || '-P' || payout_id, format('%s is compared as %s', person, person_key)
        FROM payout_approvals WHERE {_plain("person")} IS DISTINCT FROM person_key
    """,
    Violation.PAID_OUT_TWICE: f"""
        SELECT merchant_id || '-' || share_id AS subject,
            count(*) FILTER (WHERE state NOT IN ({_FINAL})) || ' payouts stand of ' || count(*)
                || ', the last is try ' || max(try_no) AS found
        FROM payouts GROUP BY merchant_id, share_id
        HAVING count(*) FILTER (WHERE state NOT IN ({_FINAL})) > 1 OR max(try_no) <> count(*)
            OR min(try_no) <> 1
            OR count(DISTINCT try_no) <> count(*)
    """,
    # Each change has its event, with the person and the time that the payout has.
    Violation.PAYOUT_UNEXPLAINED: f"""
        SELECT p.merchant_id || '-P' || p.payout_id AS subject,
            format('%s at revision %s, its events: %s', p.state, p.revision, e.states) AS found
        FROM (SELECT * FROM payouts) AS p FULL JOIN (
            SELECT merchant_id, payout_id, count(*) AS events, max(event_no) AS last,
                min(event_no) AS first, string_agg(state, ', ' ORDER BY event_no) AS states,
                min(at) AS began,
                (array_agg(state::text ORDER BY event_no DESC))[1] AS state,
                (array_agg(at ORDER BY event_no DESC))[1] AS last_at,
                min(at) FILTER (WHERE state = 'refused') AS refused_at,
                min(at) FILTER (WHERE state IN ('paid_late', 'paid_twice')) AS late_at,
                max(note) FILTER (WHERE state IN ('paid_late', 'paid_twice')) AS late_utr,
                max(actor) FILTER (WHERE state = 'proposed') AS maker,
                max(actor) FILTER (WHERE state = 'approved') AS checker,
                min(at) FILTER (WHERE state = 'sent') AS sent,
                max(note) FILTER (WHERE state = 'done') AS utr, bool_or(wrong) AS wrong
            FROM (SELECT *, at < lag(at) OVER steps OR CASE state
                    WHEN 'prepared' THEN lag(state) OVER steps IS NOT NULL
                    WHEN 'proposed' THEN lag(state) OVER steps IS DISTINCT FROM 'prepared'
                    WHEN 'approved' THEN lag(state) OVER steps IS DISTINCT FROM 'proposed'
                    WHEN 'awaiting_balance' THEN (lag(state) OVER steps IN ('approved',
                        'awaiting_provider')) IS NOT TRUE
                    WHEN 'awaiting_provider' THEN (lag(state) OVER steps IN ('approved',
                        'awaiting_balance')) IS NOT TRUE
                    WHEN 'sent' THEN lag(state) OVER steps NOT IN ({_TO_SEND}, 'unknown')
                    WHEN 'reversed' THEN lag(state) OVER steps NOT IN ('done', 'paid_late',
                        'paid_twice')
                    WHEN 'paid_late' THEN lag(state) OVER steps <> 'refused'
                    WHEN 'paid_twice' THEN lag(state) OVER steps <> 'refused'
                    WHEN 'held_back' THEN lag(state) OVER steps NOT IN ('prepared', 'proposed',
                        {_TO_SEND})
                    ELSE lag(state) OVER steps NOT IN ({_OPEN}) END AS wrong
                FROM payout_events WINDOW steps AS (PARTITION BY merchant_id, payout_id
                    ORDER BY event_no)) AS each
            GROUP BY merchant_id, payout_id
        ) AS e USING (merchant_id, payout_id)
        WHERE (e.events = p.revision AND e.last = p.revision AND e.first = 1 AND e.state = p.state
            AND e.began = p.created_at AND e.wrong IS NOT TRUE AND coalesce(e.maker, '') = p.maker
            AND coalesce(e.checker, '') = p.checker AND e.sent IS NOT DISTINCT FROM p.sent_at
            AND (p.state IN ('done', 'refused', 'returned', 'reversed', 'paid_late', 'paid_twice'))
                = (p.settled_at IS NOT NULL)
            AND coalesce(p.settled_at, e.last_at) = CASE WHEN p.late_at IS NULL THEN e.last_at
                ELSE e.refused_at END
            AND p.late_at IS NOT DISTINCT FROM e.late_at AND p.late_utr = coalesce(e.late_utr, '')
            AND coalesce(e.utr, p.utr) = p.utr AND (p.utr = '' OR p.settled_at IS NOT NULL)
            AND (p.sent_at IS NOT NULL OR p.bank_code || p.bank_message = '')) IS NOT TRUE
        UNION ALL
        SELECT string_agg(merchant_id || '-P' || payout_id, ' and ' ORDER BY merchant_id,
            payout_id), 'one UTR of ' || provider || ': ' || utr
        FROM (
            SELECT merchant_id, payout_id, CASE WHEN sent_by = '' THEN connector ELSE sent_by END
                AS provider, coalesce(nullif(late_utr, ''), utr) AS utr
            FROM payouts WHERE state IN ('done', 'paid_late', 'paid_twice', 'reversed')
        ) AS paid GROUP BY provider, utr HAVING count(*) > 1
    """,
    Violation.PAYOUT_FORGOTTEN: f"""
        SELECT merchant_id || '-P' || payout_id AS subject,
        state || ' and nobody goes on with it' AS found
        FROM payouts WHERE channel = 'api' AND state IN ({_TO_SEND}, {_OPEN})
            AND due_at IS NULL
        UNION ALL
        SELECT merchant_id || '-' || beneficiary || '-' || account_no,
        state || ' and nobody asks its bank'
        FROM bank_accounts WHERE state = 'unverified' AND replaced_at IS NULL AND due_at IS NULL
        UNION ALL
        SELECT coalesce(s.merchant_id, o.merchant_id) || '-' || coalesce(s.share_id, o.share_id),
            CASE WHEN o.share_id IS NULL THEN 'no payout stands, and it is not to be paid'
                WHEN s.share_id IS NULL
                    THEN 'to be paid, and a payout stands or there is no such share'
                ELSE format('to be paid to %s from account %s on', o.beneficiary,
                    o.account_no + 1) END
        FROM (
            SELECT s.merchant_id, s.share_id, s.beneficiary, coalesce(max(p.account_no),
            0) AS account_no
            FROM settlement_shares s LEFT JOIN payouts p ON p.merchant_id = s.merchant_id
                AND p.share_id = s.share_id
            GROUP BY 1, 2, 3 HAVING count(*) FILTER (WHERE {_PAYS}) = 0
        ) AS s FULL JOIN shares_to_pay o ON o.merchant_id = s.merchant_id
            AND o.share_id = s.share_id
        WHERE (o.beneficiary, o.account_no) IS DISTINCT FROM (s.beneficiary, s.account_no)
    """,
    Violation.PAYOUT_BATCH_DIFFERS: """
        SELECT p.merchant_id || '-P' || p.payout_id AS subject,
            format('%s, by %s, in file %s, sent by %s over %s', p.rail, p.channel,
                coalesce(p.batch_id::text, 'none'), coalesce(nullif(p.sent_by, ''), 'nobody'),
                coalesce(nullif(p.sent_rail, ''), 'none')) AS found
        FROM payouts p LEFT JOIN payout_batches b USING (batch_id) LEFT JOIN (
            SELECT DISTINCT ON (merchant_id, payout_id) * FROM payout_events WHERE state = 'sent'
            ORDER BY merchant_id, payout_id, event_no DESC
        ) AS e ON e.merchant_id = p.merchant_id AND e.payout_id = p.payout_id
        WHERE CASE WHEN e.note LIKE 'by % over %' THEN e.note ELSE '' END
                <> CASE WHEN p.sent_by = '' AND p.sent_rail = '' THEN ''
                    ELSE 'by ' || p.sent_by || ' over ' || p.sent_rail END
            OR (p.batch_id IS NOT NULL) <> (p.channel = 'file' AND p.sent_at IS NOT NULL)
            OR (p.batch_id IS NOT NULL AND (b.made_at <= p.sent_at AND b.connector = p.connector
                AND b.made_by = e.actor AND b.format IN ('csv', 'pipe', 'pain001')) IS NOT TRUE)
            OR p.rail <> CASE WHEN p.channel = 'file' AND p.amount_paise >= 20000000 THEN 'rtgs'
                WHEN p.channel = 'file' THEN 'neft'
                    WHEN p.amount_paise <= 50000000 THEN 'imps' ELSE 'rtgs' END
    """,
    # A beneficiary has one newest account; each older one was replaced when the next one came.
    # Papers verify no account that a bank spoke of; whoever accepted them named each of them.
    Violation.ACCOUNT_DIFFERS: f"""
        SELECT merchant_id || '-' || beneficiary || '-' || account_no AS subject,
            format('%s, replaced %s', state, coalesce(replaced_at::text, 'never')) AS found
        FROM (SELECT *, lead(added_at) OVER versions AS next_at,
            lag(account_no) OVER versions AS before
            FROM bank_accounts WINDOW versions AS (PARTITION BY merchant_id, beneficiary
                ORDER BY account_no)) AS a
        WHERE account_no <> coalesce(before, 0) + 1 OR replaced_at IS DISTINCT FROM next_at
            OR (accepted_by = '' OR {_plain("accepted_by")} <> {_plain("added_by")}) IS NOT TRUE
            OR (state = 'unverified') <> (checked_at IS NULL) OR checked_at < added_at
            OR (state = 'verified' AND registered_name = '' AND (accepted_by = '' OR NOT EXISTS (
                SELECT FROM account_papers p WHERE p.merchant_id = a.merchant_id
                    AND p.beneficiary = a.beneficiary AND p.account_no = a.account_no)
                OR EXISTS (SELECT FROM account_checks c WHERE c.merchant_id = a.merchant_id
                    AND c.beneficiary = a.beneficiary AND c.account_no = a.account_no)))
            OR (accepted_by <> '' AND state <> 'verified')
        UNION ALL
        SELECT p.merchant_id || '-' || p.beneficiary || '-' || p.account_no,
            format('paper %s of %s, added by %s', p.paper_id, p.added_at, p.added_by)
        FROM account_papers p JOIN bank_accounts b USING (merchant_id, beneficiary, account_no)
        WHERE p.added_at < b.added_at OR p.added_at > b.checked_at
            OR b.registered_name = '' AND {_plain("p.added_by")} = {_plain("b.accepted_by")}
        UNION ALL
        SELECT coalesce(a.merchant_id, n.merchant_id) || '-' || coalesce(a.beneficiary,
                n.beneficiary) || '-'
                || coalesce(a.account_no, n.account_no),
            format('let pass by %s at %s with papers %s, and it says %s at %s with papers %s',
                coalesce(n.person, 'nobody'), n.at, n.papers, coalesce(a.accepted_by, 'nobody'),
                a.checked_at, a.papers)
        FROM (SELECT *, ARRAY(SELECT p.paper_id::bigint FROM account_papers p
                WHERE p.merchant_id = b.merchant_id AND p.beneficiary = b.beneficiary
                    AND p.account_no = b.account_no AND b.registered_name = ''
                ORDER BY p.paper_id) AS papers
            FROM bank_accounts b WHERE accepted_by <> '') AS a FULL JOIN accepted_names n
            USING (merchant_id, beneficiary, account_no)
        WHERE (n.person, n.at, n.papers) IS DISTINCT FROM (a.accepted_by, a.checked_at, a.papers)
    """,
    # Each check that a provider ended is of an account, and costs what the books say. So does each
    # payout; what a provider gave back is what it took.
    Violation.CHECK_COST_DIFFERS: """
        SELECT coalesce(c.merchant_id, g.merchant_id) || '-V' || coalesce(c.check_id, g.cause_id)
            AS subject, format('%s by %s, cost %s, posted %s', coalesce(c.outcome, 'no check'),
                coalesce(c.connector, 'nobody'), coalesce(c.cost_paise::text, 'nothing'),
                coalesce(g.amount_paise::text, 'nothing')) AS found
        FROM (SELECT * FROM account_checks WHERE cost_paise > 0) AS c FULL JOIN (
            SELECT * FROM ledger_postings WHERE kind = 'check_cost'
        ) AS g ON g.merchant_id = c.merchant_id AND g.cause_id = c.check_id
        WHERE (g.amount_paise, g.currency, g.debit, g.credit, g.at)
            IS DISTINCT FROM (c.cost_paise, 'INR', 'acquirer_cost', 'provider_due', c.at)
        UNION ALL
        SELECT coalesce(f.merchant_id, g.merchant_id) || '-P' || coalesce(f.payout_id, g.cause_id),
            format('%s of %s by %s, posted %s', coalesce(f.kind, g.kind),
                coalesce(f.fee_paise::text, 'nothing'), coalesce(f.connector, 'nobody'),
                coalesce(g.amount_paise::text, 'nothing'))
        FROM payout_fees f FULL JOIN (
            SELECT * FROM ledger_postings WHERE kind LIKE 'payout_fee%'
        ) AS g ON g.merchant_id = f.merchant_id AND g.cause_id = f.payout_id AND g.kind = f.kind
        WHERE (g.amount_paise, g.currency, g.at, g.debit, g.credit) IS DISTINCT FROM (f.fee_paise,
            'INR', f.at,
            CASE f.kind WHEN 'payout_fee' THEN 'acquirer_cost' ELSE 'provider_due' END,
            CASE f.kind WHEN 'payout_fee' THEN 'provider_due' ELSE 'acquirer_cost' END)
        UNION ALL
        SELECT f.merchant_id || '-P' || f.payout_id,
            format('%s of %s by %s, of a payout that is %s', f.kind, f.fee_paise, f.connector,
                coalesce(p.state, 'unknown'))
        FROM payout_fees f LEFT JOIN payouts p USING (merchant_id, payout_id)
            LEFT JOIN payout_fees t ON t.merchant_id = f.merchant_id AND t.payout_id = f.payout_id
                AND t.kind = 'payout_fee'
        WHERE (CASE WHEN p.sent_by = '' THEN p.connector ELSE p.sent_by END = f.connector
            AND (t.connector, t.fee_paise, t.tax_paise)
                IS NOT DISTINCT FROM (f.connector, f.fee_paise, f.tax_paise)
            AND CASE f.kind WHEN 'payout_fee' THEN p.state IN ('done', 'paid_late', 'paid_twice',
                'reversed') ELSE p.state = 'reversed' END) IS NOT TRUE
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""

NOTES: Mapping[str, str] = {
    "payouts_waiting": (
        f"SELECT count(*) FROM payouts WHERE state IN ('prepared', 'proposed', {_TO_SEND})"
    ),
    "payouts_under_way": f"SELECT count(*) FROM payouts WHERE state IN ({_OPEN})",
    "payouts_twice": "SELECT count(*) FROM payouts WHERE state = 'paid_twice'",
    "shares_unpaid": f"""
        SELECT count(*) FROM settlement_shares s WHERE NOT EXISTS (SELECT FROM payouts p
            WHERE p.merchant_id = s.merchant_id AND p.share_id = s.share_id
                AND {_PAYS})
    """,
}
"""The queries of the notes about payouts."""
