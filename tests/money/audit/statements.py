"""What the books of tests are written with, row by row."""

MERCHANT = """
    INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
    VALUES ($1, 'live', 'Asha', '', '{}', $2, $2)
"""
LINKED_ACCOUNT = """
    INSERT INTO linked_accounts (merchant_id, identifier, name, sealed_number, last4, ifsc,
        ledger_account, created_at)
    VALUES ($1, 'V1', 'Weaver', '', '6789', 'HDFC0000001', 'payable_linked:1', $2)
"""
PAYMENT = """
    INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency,
        kind, state, buyer, created_at, expires_at)
    VALUES ($1, $2::bigint, 'order-' || $2::bigint, sha256(''), 49900, 'INR', 'sale', 'open', '{}',
        $3, $3)
"""
ATTEMPT = """
    INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
        currency, connector, created_at, expires_at, inquire_at)
    VALUES ($1, $2, $3, 'upi_qr', $5, 49900, 'INR', 'sandbox', $4, $4, $4)
"""
ENDED = """
    UPDATE attempts SET state = $3::text, received_paise = $4::bigint, settled_at = $5,
        inquire_at = NULL, rrn = CASE WHEN $4::bigint > 0 THEN 'debit-' || attempt_id ELSE '' END
    WHERE merchant_id = $1 AND attempt_id = $2
"""
EVENT = """
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor,
        attempt_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
MOVED = """
    UPDATE payments SET revision = $3, state = $4, captured_paise = $5, refunds = $6,
        refunded_paise = $7 WHERE merchant_id = $1 AND payment_id = $2
"""
POSTING = """
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency,
        at)
    VALUES ($1, $2, $3, $4, $5, $6, 'INR', $7)
"""
REFUND = """
    INSERT INTO refunds (merchant_id, refund_id, payment_id, attempt_id, cause, amount_paise,
        settled_paise, currency, connector, state, created_at, due_at, request_id)
    VALUES ($1, $2, $3, $4, $5, $6, $6, 'INR', 'sandbox', 'initiated', $7, $7, $8)
"""
ANSWER = """
    INSERT INTO refund_requests (merchant_id, request_id, item_no, content_hash, refund_id, at)
    VALUES ($1, $2, 0, sha256(''), $3, $4)
"""
REFUND_ENDED = """
    UPDATE refunds SET state = $3::text, settled_at = coalesce(settled_at, $4), due_at = NULL,
        reversed_at = CASE $3::text WHEN 'reversed' THEN $4::timestamptz END
    WHERE merchant_id = $1 AND refund_id = $2
"""
COMPLETION = """
    INSERT INTO completions (merchant_id, completion_id, payment_id, attempt_id, kind, amount_paise,
        currency, connector, state, actor, created_at, due_at)
    VALUES ($1, $2, $3, $4, $5, $6, 'INR', 'sandbox', 'sent', 'merchant', $7, $7)
"""
COMPLETED = """
    UPDATE completions SET state = 'done', settled_at = $3, due_at = NULL
    WHERE merchant_id = $1 AND completion_id = $2
"""
SPLIT = """
    INSERT INTO split_configurations (merchant_id, request_id, payment_id, content_hash, kind,
        base_paise, primary_value, primary_paise, created_at)
    VALUES ($1, $2, $3, sha256(''), 'absolute', 49900, 9900, 9900, $4)
"""
SPLIT_PART = """
    INSERT INTO split_parts (merchant_id, request_id, place, identifier, value, amount_paise,
        ledger_account)
    VALUES ($1, $2, 1, 'V1', 40000, 40000, 'payable_linked:1')
"""
DELIVERY = """
    INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at,
        due_at, tries, scheduled_from, delivered_at)
    VALUES ($1, $2, $3, $4, $6, 'delivered', $5, $5, 1, $5, $5)
"""
TRY = """
    INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, status,
        latency_ms)
    VALUES ($1, $2, $3, 1, $4, 'https://shop.example/ipn', 200, 7)
"""
ENDPOINT_DELIVERY = """
    INSERT INTO endpoint_deliveries (merchant_id, endpoint_no, payment_id, event_no, kind, facts,
        state, created_at, due_at, tries, scheduled_from, delivered_at)
    VALUES ($1, 1, $2, $3, $4, $6, 'delivered', $5, $5, 1, $5, $5)
"""
ENDPOINT_TRY = """
    INSERT INTO endpoint_tries (merchant_id, endpoint_no, payment_id, event_no, attempt_no, at, url,
        status, latency_ms)
    VALUES ($1, 1, $2, $3, 1, $4, 'https://shop.example/ipn', 200, 7)
"""
