"""The check of payment links: the amount that counts as paid was paid."""

from collections.abc import Mapping

from hundi.money.audit.rules import Violation

CHECKS: Mapping[Violation, str] = {
    # A payment is archived only once it is paid; the check of the archive proves it.
    Violation.LINK_DIFFERS: """
        SELECT merchant_id || ' link ' || link_id AS subject,
            format('counts %s paise as paid, its orders %s', l.paid_paise, coalesce(o.counted_paise,
                0)) AS found
        FROM payment_links l LEFT JOIN (
            SELECT merchant_id, link_id, sum(counted_paise) AS counted_paise
                FROM payment_link_orders GROUP BY 1, 2
        ) AS o USING (merchant_id, link_id)
        WHERE l.paid_paise <> coalesce(o.counted_paise, 0)
        UNION ALL
        SELECT o.merchant_id || ' link ' || o.link_id || ' order ' || o.order_no,
            format('counted %s paise of %s, its payment: %s', o.counted_paise, o.amount_paise,
                coalesce(p.state, 'none'))
        FROM payment_link_orders o LEFT JOIN (
            SELECT merchant_id, payment_id, order_id, amount_paise::bigint, state::text
                FROM payments
            UNION ALL SELECT merchant_id, payment_id, order_id, NULL, 'archived'
                FROM archived_payments
        ) AS p USING (merchant_id, payment_id)
        WHERE o.counted_at IS NOT NULL AND (p.order_id = format('link-%s-%s', o.link_id, o.order_no)
            AND p.state IN ('paid', 'captured', 'archived')
            AND coalesce(p.amount_paise = o.amount_paise, true)) IS NOT TRUE
    """,
}
"""The query that finds the violations of each promise."""
