"""Razorpay's published reasons of failed payments, by what they prove.

Source: github.com/razorpay/markdown-docs, errors/payments/list.md and
payments/payments/late-authorisation.md, commit ab3bda5f. Any other reason proves nothing.
"""

CANCELLED = "payment_cancelled"
"""The customer left, or pressed "back".

Perhaps after the OTP, so the bank may still have debited them.
"""

TIMED_OUT = "payment_timed_out"
"""Nobody answered for ten minutes; most likely nobody opened the link."""

REFUSED = frozenset(
    {
        # The customer failed the bank's authentication.
        "authentication_failed",
        "incorrect_atm_pin",
        "incorrect_card_details",
        "incorrect_card_expiry_date",
        "incorrect_cardholder_name",
        "incorrect_cvv",
        "incorrect_otp",
        "incorrect_pin",
        "invalid_otp",
        "otp_attempts_exceeded",
        "otp_expired",
        "pin_attempts_exceeded",
        "pin_not_set",
        # The card, account or wallet does not support this.
        "bank_account_invalid",
        "bank_account_validation_failed",
        "card_expired",
        "card_not_enrolled",
        "card_number_invalid",
        "card_type_invalid",
        "credit_limit_expired",
        "credit_limit_inactive",
        "credit_limit_not_approved",
        "credit_not_permitted",
        "debit_instrument_blocked",
        "debit_instrument_inactive",
        "emi_greater_than_max_amount",
        "emi_plan_unavailable",
        "international_transaction_not_allowed",
        "invalid_device",
        "invalid_email",
        "invalid_mobile_number",
        "invalid_user_details",
        "invalid_vpa",
        "mobile_number_invalid",
        "psp_app_not_supported",
        "psp_not_registered",
        "transaction_on_vpa_restricted",
        "user_not_eligible",
        "user_not_registered_for_netbanking",
        # The funds are too low, or a limit was reached.
        "credit_limit_exceeded",
        "funds_blocked_by_mandate",
        "insufficient_funds",
        "mcc_amount_limit_exceeded",
        "transaction_daily_count_exceeded",
        "transaction_daily_limit_exceeded",
        "transaction_frequency_limit_exceeded",
        "transaction_limit_exceeded",
        # The bank, or a risk check, declined.
        "authorisation_declined_by_psp",
        "card_declined",
        "debit_declined",
        "payment_declined",
        "payment_risk_check_failed",
        # Razorpay refused the request before it reached a bank.
        "amount_less_than_minimum_amount",
        "bank_not_enabled",
        "card_network_not_enabled",
        "collect_on_mcc_blocked",
        "compliance_violation",
        "extra_field_sent",
        "input_validation_failed",
        "invalid_amount",
        "invalid_currency",
        "invalid_order_id",
        "invalid_request",
        "live_mode_not_enabled",
        "merchant_not_activated",
        "order_amount_mismatch",
        "order_payment_method_mismatch",
        "payment_method_not_enabled",
        "recurring_payment_not_enabled",
        "upi_autopay_not_supported_on_psp",
        "upi_collect_not_enabled",
        "upi_intent_not_enabled",
    }
)
"""Declines: a payment with such a reason is not authorised later."""

MANDATE_OVER = frozenset(
    {
        "bank_account_invalid",
        "invalid_token",
        "mandate_cancelled",
        "mandate_expired",
        "mandate_not_active",
        "remitter_account_dormant",
        "umn_does_not_exist_payer",
    }
)
"""Declines of a debit after which its mandate debits nothing any more."""

BANK_MANDATE_OVER = frozenset({"bank_account_invalid", "incorrect_ifsc", "invalid_token"})
"""The same of a bank account's mandate.

`mandate_not_active` is none of them: for some days after the registration it says that the bank has
not set the mandate up yet. How such a mandate stands is inquired about.
Source: payments/recurring-payments/emandate/errors.md and faqs.md, commit ab3bda5f.
"""

MANDATE_PAUSED = frozenset({"mandate_paused"})
"""Declines of a debit whose mandate its customer paused."""

DEBIT_REFUSED = frozenset(
    {
        "adequate_funds_not_available_blocked",
        "amount_does_not_match_mandate_amount",
        "execution_day_rule_mismatch",
        "limit_exceeded_remitting_bank",
        "mandate_current_cycle_allowed_debit_exceeds",
        "mandate_debit_beyond_psp_amount_cap",
        "mpin_not_set_by_customer",
        "nature_of_debit_not_allowed",
        "number_of_pin_tries_exceeded",
        "payer_account_has_changed",
        "payment_stopped_by_court_order",
        "per_transaction_limit_exceeded",
        "suspected_fraud_decline",
        "transaction_not_allowed",
    }
)
"""Further declines of a debit by a mandate.

Source: api/payments/recurring-payments/upi/create-subsequent-payments.md, commit ab3bda5f.
"""

DOUBTFUL = frozenset(
    {
        CANCELLED,
        "bank_cutoff_in_progress",
        "bank_not_available",
        "bank_technical_error",
        "beneficiary_account_does_not_exist",
        "beneficiary_account_dormant",
        "capture_failed",
        "collect_request_pending",
        "credit_failed",
        "deemed_transaction",
        "duplicate_refund_id",
        "duplicate_request",
        "duplicate_rrn_found",
        "gateway_technical_error",
        "invalid_response_from_gateway",
        "issuer_technical_error",
        "mandate_creation_declined",
        "mandate_creation_expired",
        "mandate_creation_failed",
        "mandate_creation_timeout",
        "mismatch_in_transaction_details",
        "order_already_paid",
        "payment_amount_tampered",
        "payment_collect_request_expired",
        "payment_declined_due_to_high_traffic",
        "payment_failed",
        "payment_pending",
        "payment_pending_approval",
        "payment_session_expired",
        TIMED_OUT,
        "psp_app_not_available",
        "psp_not_available",
        "record_not_found",
        "refund_limit_crossed",
        "reqauth_mandate_not_acknowledged",
        "request_timed_out",
        "server_error",
        "upi_app_technical_error",
        "verification_failed",
        "vpa_resolution_failed",
    }
)
"""The bank's answer may have been lost: it may come for days ("late authorisation")."""
