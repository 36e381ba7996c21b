"""The checks of fees and invoices: one query for each promise.

A fee is computed again from its plan's JSON document, without the code that quoted it.
"""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

# How attempts are reported. The channel, the network and the card's type decide which of them are
# free by law.
_CHANNELS = """
    (VALUES ('upi_qr', 'upi'), ('upi_link', 'upi'), ('upi_collect', 'upi'), ('upi_autopay', 'upi'),
        ('card', 'pg'), ('card_page', 'pg'), ('card_direct', 'pg'), ('card_moto', 'pg'),
        ('card_mandate', 'pg'), ('card_emi', 'emi'), ('emi_page', 'emi'), ('emi_direct', 'emi'),
        ('netbanking', 'nb'), ('wallet', 'ppc'), ('pay_later', 'payltr'),
        ('virtual_account', 'va'), ('rtgs_account', 'rtgs'), ('remittance', 'remit'),
        ('cash_voucher', 'cash'), ('enach', 'enach'), ('enach_debit', 'enach')
    ) AS c (method, channel)
"""
_NETWORKS = (
    "('RuPay', 'Visa', 'Mastercard', 'American Express', 'Diners Club', 'Discover', 'JCB',"
    " 'Maestro')"
)

# Items of payments whose money stayed, with the facts that decide their fee. Their day follows the
# cut-off of their terms.
_CHARGED = f"""
    SELECT i.*, c.channel, a.emi_discount_paise AS discount_paise,
        CASE WHEN c.channel NOT IN ('pg', 'emi') THEN 'unknown'
            WHEN a.card ->> 'scheme' IN {_NETWORKS}
            THEN a.card ->> 'scheme' ELSE 'unknown' END AS network,
        CASE WHEN c.channel NOT IN ('pg', 'emi') THEN 'unknown'
            WHEN a.card ->> 'type' IN ('credit', 'debit', 'prepaid')
            THEN a.card ->> 'type' ELSE 'unknown' END AS card_type,
        (i.at AT TIME ZONE 'Asia/Kolkata'
            + (1440 - coalesce(t.cut_off_minute, 1440)) * interval '1 minute')::date AS day
    FROM settlement_items i JOIN attempts a ON a.merchant_id = i.merchant_id
        AND a.attempt_id = i.cause_id
        JOIN {_CHANNELS} ON c.method = a.method
        LEFT JOIN settlement_terms t ON t.merchant_id = i.merchant_id AND t.terms_no = i.terms_no
    WHERE i.kind IN ('payment', 'capture', 'review_released') AND NOT EXISTS (
        SELECT FROM settlement_items late WHERE late.merchant_id = i.merchant_id
            AND late.cause_id = i.cause_id
            AND late.kind = 'late_refund_due')
"""
# The rule is found by name with a JSON path: Citus cannot push down a sub-query that unnests a
# list.
_SAID = f"""
    SELECT i.*, f.document, f.first_day, f.published_at, CASE i.rule
        WHEN 'otherwise' THEN f.document -> 'otherwise'
        ELSE jsonb_path_query_first(f.document, '$.rules[*] ? (@.name == $rule)',
        jsonb_build_object('rule', i.rule))
        END AS r
    FROM ({_CHARGED}) AS i LEFT JOIN fee_plans f ON f.merchant_id = i.merchant_id
        AND f.plan_no = i.plan_no
"""
# A rule and the payment it priced. A missing list allows any value; a `not_` list excludes its
# values.
_PRICED = f"""
    SELECT i.*, r AS rule_said,
        i.channel IN ('upi', 'btqr') OR (i.channel = 'pg' AND i.network = 'RuPay'
            AND i.card_type = 'debit') AS free,
        coalesce(r ->> 'basis_points', '0')::numeric AS bps,
        coalesce(r ->> 'fixed_paise', '0')::numeric AS fixed,
        coalesce(r ->> 'minimum_paise', '0')::numeric AS least_paise,
        nullif(coalesce(r ->> 'maximum_paise', '0')::numeric, 0) AS most_paise
    FROM ({_SAID}) AS i
"""
_FEE = """
    discount_paise + CASE WHEN plan_no = 0 OR free THEN 0
        ELSE greatest(
            least(fixed + floor(gross_paise * bps / 10000 + 0.5), most_paise), least_paise
        ) END
"""
_TAX = """
    CASE WHEN plan_no = 0 OR day < '2017-07-01'
        OR (gross_paise <= 200000 AND channel IN ('pg', 'emi')
            AND coalesce((document ->> 'aggregator')::boolean, true)) THEN 0
        ELSE floor((due - discount_paise) * 0.18 + 0.5) END
"""
_MISFIT = """
    coalesce((rule_said -> 'channels' IS NOT NULL AND NOT rule_said -> 'channels' ? channel)
    OR (rule_said -> 'networks' IS NOT NULL AND NOT rule_said -> 'networks' ? network)
    OR coalesce(rule_said -> 'not_networks' ? network, false)
    OR (rule_said -> 'card_types' IS NOT NULL AND NOT rule_said -> 'card_types' ? card_type)
    OR coalesce(rule_said -> 'not_card_types' ? card_type, false)
    OR gross_paise <= coalesce((rule_said ->> 'above_paise')::bigint, 0)
    OR gross_paise > coalesce(nullif((rule_said ->> 'up_to_paise')::bigint, 0), gross_paise), false)
"""

CHECKS: Mapping[Violation, str] = {
    Violation.FEE_DIFFERS: f"""
        SELECT merchant_id || '-' || cause_id AS subject,
            format('%s paise and %s tax by rule %s of plan %s, which gives %s and %s', fee_paise,
                tax_paise, rule, plan_no, due, due_tax) AS found
        FROM (SELECT *, {_TAX} AS due_tax FROM (SELECT *, {_FEE} AS due
            FROM ({_PRICED}) AS priced) AS fee) AS taxed
        WHERE (fee_paise, tax_paise) IS DISTINCT FROM (due, due_tax)
    """,
    Violation.FEE_RULE_DIFFERS: f"""
        SELECT merchant_id || '-' || cause_id AS subject,
            format('%s paise by %s %s %s, by rule %s of plan %s from %s', gross_paise, channel,
                network, card_type, rule, plan_no, first_day) AS found
        FROM ({_PRICED}) AS p
        WHERE CASE WHEN plan_no = 0 THEN rule <> 'no_plan' WHEN free THEN rule <> 'zero_by_law'
                WHEN rule = 'otherwise' THEN rule_said IS NULL OR EXISTS (
                    SELECT FROM jsonb_array_elements(document -> 'rules') AS said (rule_said)
                        WHERE NOT {_MISFIT})
                ELSE rule_said IS NULL OR {_MISFIT} END
            OR (plan_no > 0 AND (first_day IS NULL OR first_day > day))
            OR EXISTS (SELECT FROM fee_plans newer WHERE newer.merchant_id = p.merchant_id
                AND newer.plan_no > p.plan_no
                AND newer.first_day <= p.day AND newer.published_at < p.at)
    """,
    Violation.INVOICE_DIFFERS: """
        SELECT v.merchant_id || ' ' || v.month AS subject,
            format('%s and %s tax invoiced, %s and %s posted',
        taxable_paise + exempt_paise + other_paise, cgst_paise + sgst_paise + igst_paise, b.fee,
        b.tax) AS found
        FROM fee_invoices v LEFT JOIN (
            SELECT merchant_id, date_trunc('month', at AT TIME ZONE 'Asia/Kolkata')::date AS month,
                sum(amount_paise * CASE 'fee_income' WHEN credit THEN 1
                    WHEN debit THEN -1 ELSE 0 END) AS fee,
                sum(amount_paise * CASE 'tax_payable' WHEN credit THEN 1
                    WHEN debit THEN -1 ELSE 0 END) AS tax
            FROM ledger_postings
            WHERE ('fee_income' IN (debit, credit) OR 'tax_payable' IN (debit, credit))
                AND kind <> 'correction'
            GROUP BY 1, 2
        ) AS b USING (merchant_id, month)
        WHERE (taxable_paise + exempt_paise + other_paise, cgst_paise + sgst_paise + igst_paise)
            IS DISTINCT FROM (b.fee, b.tax)
    """,
    Violation.INVOICE_GAP: """
        SELECT coalesce(v.merchant_id || ' ' || v.month,
            'financial year ' || s.financial_year) AS subject,
                format('number %s is the %s of %s in its year, the last given is %s', v.serial_no,
        v.place, v.invoices, coalesce(s.last_no, 0)) AS found
        FROM (
            SELECT *, row_number() OVER (PARTITION BY financial_year ORDER BY serial_no,
                merchant_id, month) AS place,
            count(*) OVER (PARTITION BY financial_year) AS invoices
            FROM fee_invoices
        ) AS v FULL JOIN invoice_series s ON s.financial_year = v.financial_year
        WHERE v.serial_no IS DISTINCT FROM v.place
            OR v.place IS NOT DISTINCT FROM v.invoices AND s.last_no IS DISTINCT FROM v.invoices
    """,
}
"""The query that finds the violations of each promise, as rows of (subject, found)."""
