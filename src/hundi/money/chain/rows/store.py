"""The SQL of the texts of sealed rows: which rows are final with an event, posting or settlement.

A row's digest is the SHA-256 of a text of its named columns, computed in the database. The text is
a JSON object as PostgreSQL writes `jsonb`: keys in a fixed order, every value escaped, so no two
rows share a text. `row` names the kind and its version; times are microseconds since 1970, bytes
are hexadecimal.
"""

_FORMS = {
    "us": "(extract(epoch FROM {}) * 1000000)::bigint",
    "hex": "encode({}, 'hex')",
    "text": "{}::text",
}


def _said(row: str, columns: str) -> str:
    """Return the SQL of a row's text.

    columns: names, each with its form if JSON has no type for it.
    """
    pairs = [f"'row', '{row}', 'merchant_id', merchant_id"]
    for column in columns.split():
        name, _, form = column.partition(":")
        pairs.append(f"'{name}', {_FORMS[form].format(name) if form else name}")
    return f"jsonb_build_object({', '.join(pairs)})::text"


_EVENT = _said("event 1", "payment_id event_no at:us kind state actor attempt_id xact:text")
_PAYMENT = _said(
    "payment 1",
    "payment_id order_id content_hash:hex amount_paise currency kind buyer custom_var channels"
    " created_at:us "
    "emi_months restrictions surcharges",
)
_ATTEMPT = _said(
    "attempt 1",
    "attempt_id payment_id method amount_paise currency connector created_at:us bank bank_name "
    "emi_months emi_rate_bps emi_discount_paise risk saved_card surcharge_paise",
)
_RECEIVED = _said(
    "received 1",
    "attempt_id received_paise rrn bank_code bank_message approval_code payer_vpa card"
    " authentication_id "
    "settled_at:us charged_at:us voucher rate_micros settled_paise",
)
_COMPLETION = _said(
    "completion 1",
    "completion_id payment_id attempt_id kind amount_paise currency connector state actor rrn"
    " bank_code bank_message "
    "created_at:us settled_at:us",
)
_SPLIT = _said(
    "split 1",
    (
        "request_id payment_id content_hash:hex kind base_paise primary_value primary_paise"
        " created_at:us"
    ),
)
_SPLIT_PART = _said("split part 1", "request_id place identifier value amount_paise ledger_account")
_MANDATE = _said(
    "mandate 1",
    "subscription_id order_id currency max_paise period frequency starts_on:text valid_until:text"
    " created_at:us "
    "connector mandate_reference channel umrn payer activated_at:us",
)
_DEBIT = _said(
    "debit 1",
    "debit_id subscription_id period_no amount_paise currency state planned_at:us created_at:us"
    " connector "
    "noticed_at:us payment_id tries settled_at:us",
)
_NOTICE = _said(
    "notice 1",
    (
        "debit_id subscription_id period_no amount_paise currency planned_at:us created_at:us"
        " noticed_at:us"
    ),
)
_DELIVERY = _said("delivery 1", "payment_id event_no kind facts created_at:us")
_POSTING = _said("posting 1", "cause_id kind debit credit amount_paise currency at:us xact:text")
_REFUND = _said(
    "refund 1",
    "refund_id payment_id attempt_id cause amount_paise currency connector created_at:us"
    " request_id surcharge_paise "
    "settled_paise",
)
_ANSWER = _said("answer 1", "request_id item_no content_hash:hex refund_id code words at:us")
_REFUND_END = _said(
    "refund end 1", "refund_id state rrn bank_code bank_message sent_at:us settled_at:us"
)
_REFUND_REVERSAL = _said(
    "refund reversal 1", "refund_id reversed_at:us reversed_code reversed_message"
)
_LINE = _said(
    "line 1",
    (
        "line_id file_id connector kind is_credit gross_paise fee_paise net_paise cause_id"
        " reference rrn utr day"
    ),
)
_MATCH = _said("match 1", "line_id kind cause_id class")
_PROPOSAL = _said(
    "proposal 1",
    "proposal_id owner_id item_id debit credit amount_paise reason proposed_by proposed_at:us"
    " decision decided_by "
    "decided_at:us",
)

_SETTLEMENT = _said(
    "settlement 1",
    "settlement_id settlement_no day:text kind at:us terms_no items carried_in_paise gross_paise"
    " refunds_paise "
    "other_paise fee_paise tax_paise price_paise price_tax_paise reserve_held_paise"
    " reserve_until:text "
    "reserve_released_paise net_paise splits_paise carried_paise linked_carried digest:hex"
    " xact:text",
)
_SHARE = _said("share 1", "share_id settlement_id beneficiary amount_paise created_at:us")
_SETTLED_PART = _said("settled part 1", "settlement_id payment_id identifier amount_paise")
_PAYOUT = _said(
    "payout 1",
    "payout_id share_id try_no beneficiary account_no amount_paise source channel rail connector"
    " created_at:us maker "
    "checker batch_id sent_at:us",
)
_APPROVAL = _said("approval 1", "payout_id person_key person amount_paise account_no at:us")
_PAYOUT_END = _said("payout end 1", "payout_id state utr bank_code bank_message settled_at:us")
_PAYOUT_FEE = _said("payout fee 1", "payout_id kind connector fee_paise tax_paise at:us")
_PAYOUT_LATE = _said("payout late 1", "payout_id late_utr late_at:us sent_by sent_rail")
_DIRECT_SHARE = _said(
    "direct share 1",
    "share_id payment_id request_id identifier attempt_id connector party base_paise amount_paise"
    " created_at:us",
)
_DIRECT_SHARE_END = _said(
    "direct share end 1",
    "share_id state sent_paise transfer_id code message sent_at:us ended_at:us",
)
_SHARE_REVERSAL = _said(
    "share reversal 1",
    "reversal_id share_id state amount_paise code message created_at:us sent_at:us ended_at:us"
    " tries refund_id",
)
_CHECK_COLUMNS = "beneficiary account_no connector outcome score code message cost_paise at:us"
_CHECK = _said("account check 1", f"check_id {_CHECK_COLUMNS}")
_PAYOUT_EVENT = _said("payout event 1", "payout_id event_no at:us state actor note")
_PAYOUT_ACCOUNT = _said(
    "payout account 1",
    "beneficiary account_no holder last4 fingerprint:hex ifsc added_by added_at:us state check_id"
    " registered_name "
    "checked_at:us accepted_by",
)
_DISPUTE = _said(
    "dispute 1",
    "stage_id dispute_id payment_id attempt_id connector bank_case phase amount_paise currency"
    " held_paise "
    "held_settled_paise rate_micros reason opened_at:us respond_by:us fee_paise tax_paise",
)
_DISPUTE_ANSWER = _said("dispute answer 1", "stage_id answered_at:us accepted_paise note")
_DISPUTE_END = _said(
    "dispute end 1",
    (
        "stage_id state reminded_at:us expired_at:us sent_at:us taken_paise taken_settled_paise"
        " rrn settled_at:us"
    ),
)
_EVIDENCE = _said(
    "evidence 1", "evidence_id stage_id name media_type size_bytes digest:hex added_at:us"
)

# What was final when its event was written. Of two kinds of rows with the same key, one is sealed
# with the first event.
OF_EVENTS = f"""
    SELECT payment_id AS id, 'event ' || event_no AS part, {_EVENT} AS said FROM taken
    UNION ALL SELECT payment_id, 'payment', {_PAYMENT} FROM payments
        WHERE merchant_id = $1 AND payment_id IN (SELECT payment_id FROM taken WHERE event_no = 1)
    UNION ALL SELECT payment_id, 'attempt ' || attempt_id, {_ATTEMPT} FROM attempts
        WHERE merchant_id = $1 AND attempt_id IN (SELECT attempt_id FROM taken)
    UNION ALL SELECT payment_id, 'received ' || attempt_id, {_RECEIVED} FROM attempts
        WHERE merchant_id = $1 AND state IN ('paid', 'authorised', 'overpaid')
            AND attempt_id IN (SELECT attempt_id FROM taken)
    UNION ALL SELECT payment_id, 'completion ' || completion_id, {_COMPLETION} FROM completions
        WHERE merchant_id = $1 AND state IN ('done', 'failed') AND payment_id IN (SELECT payment_id
            FROM taken
            WHERE kind IN ('captured', 'voided', 'capture_failed', 'void_failed'))
    UNION ALL SELECT payment_id, 'split ' || request_id, {_SPLIT} FROM split_configurations
        WHERE merchant_id = $1 AND payment_id IN (SELECT payment_id FROM taken
            WHERE kind = 'split_configured')
    UNION ALL SELECT c.payment_id, 'split ' || p.request_id || ' ' || place, p.said
        FROM split_configurations c JOIN (SELECT request_id, place, {_SPLIT_PART} AS said
            FROM split_parts
            WHERE merchant_id = $1) AS p ON p.request_id = c.request_id
        WHERE c.merchant_id = $1 AND c.payment_id IN (SELECT payment_id FROM taken
            WHERE kind = 'split_configured')
    UNION ALL SELECT subscription_id, 'mandate', {_MANDATE} FROM subscriptions
        WHERE merchant_id = $1 AND subscription_id IN (SELECT payment_id FROM taken
            WHERE kind = 'mandate_approved')
    UNION ALL SELECT subscription_id, 'debit ' || debit_id, {_DEBIT} FROM subscription_debits
        WHERE merchant_id = $1 AND state IN ('done', 'skipped', 'missed')
            AND subscription_id IN (SELECT payment_id
            FROM taken WHERE kind IN ('debit_done', 'debit_skipped', 'debit_missed'))
    UNION ALL SELECT subscription_id, 'notice ' || debit_id, {_NOTICE} FROM subscription_debits
        WHERE merchant_id = $1 AND noticed_at IS NOT NULL
            AND subscription_id IN (SELECT payment_id FROM taken WHERE kind = 'debit_announced')
    UNION ALL SELECT payment_id, 'dispute ' || stage_id, {_DISPUTE} FROM dispute_stages
        WHERE merchant_id = $1 AND payment_id IN (SELECT payment_id FROM taken
            WHERE kind = 'dispute_opened')
    UNION ALL SELECT payment_id, 'dispute answer ' || stage_id, {_DISPUTE_ANSWER}
        FROM dispute_stages
        WHERE merchant_id = $1 AND answered_at IS NOT NULL AND payment_id IN (SELECT payment_id
            FROM taken
            WHERE kind IN ('dispute_contested', 'dispute_accepted'))
    UNION ALL SELECT payment_id, 'evidence ' || evidence_id, e.said FROM dispute_stages s JOIN (
            SELECT stage_id, evidence_id, {_EVIDENCE} AS said FROM dispute_evidence
                WHERE merchant_id = $1
        ) AS e ON e.stage_id = s.stage_id
        WHERE s.merchant_id = $1 AND s.answered_at IS NOT NULL
            AND s.payment_id IN (SELECT payment_id FROM taken
            WHERE kind IN ('dispute_contested', 'dispute_accepted'))
    UNION ALL SELECT payment_id, 'dispute end ' || stage_id, {_DISPUTE_END} FROM dispute_stages
        WHERE merchant_id = $1 AND settled_at IS NOT NULL AND payment_id IN (SELECT payment_id
            FROM taken
            WHERE kind IN ('dispute_won', 'dispute_lost', 'dispute_partly_lost', 'dispute_closed'))
    UNION ALL SELECT payment_id, 'delivery ' || event_no, {_DELIVERY} FROM deliveries
        WHERE merchant_id = $1 AND (payment_id, event_no) IN (SELECT payment_id, event_no
            FROM taken)
"""
OF_POSTINGS = f"""
    SELECT cause_id AS id, kind::text AS part, {_POSTING} AS said FROM taken
    UNION ALL SELECT refund_id, 'refund', {_REFUND} FROM refunds
        WHERE merchant_id = $1 AND refund_id IN (SELECT cause_id FROM taken
            WHERE kind = 'refund_begun')
    UNION ALL SELECT r.refund_id, 'answer', a.said FROM refunds r JOIN (
            SELECT request_id, refund_id, {_ANSWER} AS said FROM refund_requests
                WHERE merchant_id = $1 AND code = ''
        ) AS a ON a.request_id = r.request_id AND a.refund_id = r.refund_id
        WHERE r.merchant_id = $1 AND r.refund_id IN (SELECT cause_id FROM taken
            WHERE kind = 'refund_begun')
    UNION ALL SELECT refund_id, 'refund end', {_REFUND_END} FROM (
            -- What came back was done before.
            SELECT merchant_id, refund_id, CASE state
                WHEN 'reversed' THEN 'done' ELSE state END AS state, rrn,
                bank_code, bank_message, sent_at, settled_at FROM refunds
            WHERE merchant_id = $1 AND state IN ('done', 'failed', 'reversed')
        ) AS ended
        WHERE refund_id IN (SELECT cause_id FROM taken WHERE kind IN ('refund_done',
            'refund_failed'))
    UNION ALL SELECT refund_id, 'refund reversal', {_REFUND_REVERSAL} FROM refunds
        WHERE merchant_id = $1 AND state = 'reversed'
            AND refund_id IN (SELECT cause_id FROM taken WHERE kind = 'refund_reversed')
    UNION ALL SELECT line_id, 'line', {_LINE} FROM statement_lines
        WHERE merchant_id = $1 AND line_id IN (SELECT cause_id FROM taken
            WHERE kind IN ('handed_over', 'acquirer_fee'))
    UNION ALL SELECT line_id, 'match', {_MATCH} FROM statement_matches
        WHERE merchant_id = $1 AND line_id IN (SELECT cause_id FROM taken
            WHERE kind IN ('handed_over', 'acquirer_fee'))
    UNION ALL SELECT proposal_id, 'proposal', {_PROPOSAL} FROM reconciliation_proposals
        WHERE merchant_id = $1 AND proposal_id IN (SELECT cause_id FROM taken
            WHERE kind = 'correction')
    UNION ALL SELECT payout_id, 'payout', {_PAYOUT} FROM payouts
        WHERE merchant_id = $1 AND payout_id IN (SELECT cause_id FROM taken
            WHERE kind = 'payout_sent')
    UNION ALL SELECT payout_id, 'approval ' || person_key, {_APPROVAL} FROM payout_approvals
        WHERE merchant_id = $1 AND payout_id IN (SELECT cause_id FROM taken
            WHERE kind = 'payout_sent')
    UNION ALL SELECT p.payout_id, 'payout account', a.said FROM payouts p JOIN (
            SELECT beneficiary, account_no, {_PAYOUT_ACCOUNT} AS said FROM bank_accounts
                WHERE merchant_id = $1
        ) AS a ON a.beneficiary = p.beneficiary AND a.account_no = p.account_no
        WHERE p.merchant_id = $1 AND p.payout_id IN (SELECT cause_id FROM taken
            WHERE kind = 'payout_sent')
    UNION ALL SELECT payout_id, 'payout end', {_PAYOUT_END} FROM (
            SELECT merchant_id, payout_id, CASE WHEN late_at IS NULL THEN state ELSE 'refused' END
                AS state, utr, bank_code, bank_message, settled_at FROM payouts
            WHERE merchant_id = $1
        ) AS ended
        WHERE state IN ('refused', 'returned', 'reversed')
            AND payout_id IN (SELECT cause_id FROM taken WHERE kind IN ('payout_returned',
                'payout_reversed'))
    UNION ALL SELECT payout_id, 'payout late', {_PAYOUT_LATE} FROM payouts
        WHERE merchant_id = $1 AND late_at IS NOT NULL
            AND payout_id IN (SELECT cause_id FROM taken WHERE kind LIKE 'payout_%')
    UNION ALL SELECT payout_id, 'fee ' || kind, {_PAYOUT_FEE} FROM payout_fees
        WHERE merchant_id = $1 AND (payout_id, kind) IN (SELECT cause_id, kind FROM taken)
    UNION ALL SELECT check_id, 'account check', {_CHECK} FROM account_checks
        WHERE merchant_id = $1 AND check_id IN (SELECT cause_id FROM taken
            WHERE kind = 'check_cost')
    UNION ALL SELECT share_id, 'direct share', {_DIRECT_SHARE} FROM direct_shares
        WHERE merchant_id = $1 AND share_id IN (SELECT cause_id FROM taken
            WHERE kind = 'direct_begun')
    UNION ALL SELECT share_id, 'direct share end', {_DIRECT_SHARE_END} FROM direct_shares
        WHERE merchant_id = $1 AND share_id IN (SELECT cause_id FROM taken
            WHERE kind IN ('direct_done', 'direct_returned'))
    UNION ALL SELECT reversal_id, 'share reversal', {_SHARE_REVERSAL} FROM share_reversals
        WHERE merchant_id = $1 AND reversal_id IN (SELECT cause_id FROM taken
            WHERE kind = 'direct_reversed')
    UNION ALL SELECT payout_id, 'payout event ' || event_no, {_PAYOUT_EVENT} FROM payout_events
        WHERE merchant_id = $1 AND payout_id IN (SELECT cause_id FROM taken
            WHERE kind LIKE 'payout%')
"""
OF_SETTLEMENTS = f"""
    SELECT settlement_id AS id, 'settlement' AS part, {_SETTLEMENT} AS said FROM taken
    UNION ALL SELECT settlement_id, 'share ' || beneficiary, {_SHARE} FROM settlement_shares
        WHERE merchant_id = $1 AND settlement_id IN (SELECT settlement_id FROM taken)
    UNION ALL SELECT settlement_id, 'part ' || payment_id || ' ' || identifier, {_SETTLED_PART}
        FROM settlement_parts
        WHERE merchant_id = $1 AND settlement_id IN (SELECT settlement_id FROM taken)
"""
