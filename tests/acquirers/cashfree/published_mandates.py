"""What Cashfree published of subscriptions, as short as it still says the same.

Pages of cashfree.com/docs/api-reference/payments/latest/subscription; "skill" is Cashfree's agent
skill "subscriptions", version 0.2.4.
"""

from typing import Any

# Page payment/create-controlled-notification
NOTICE: dict[str, Any] = {
    "cf_notification_id": "3333",
    "cf_payment_id": "123456",
    "notification_id": "basePay123-pdn1",
    "notification_initiated_time": "2025-06-01T22:14:58+05:30",
    "notification_status": "INITIALIZED",
    "payment_amount": 10,
    "payment_id": "basePay123",
    "payment_status": "INITIALIZED",
    "subscription_id": "abcd",
}
# Page payment/create-controlled-execution
EXECUTION: dict[str, Any] = {
    "cf_execution_id": "3333",
    "cf_payment_id": "123456",
    "execution_id": "basePay123-exec1",
    "execution_initiated_time": "2025-06-01T22:14:58+05:30",
    "execution_status": "INITIALIZED",
    "payment_amount": 10,
    "payment_id": "basePay123",
    "payment_status": "PENDING",
    "subscription_id": "abcd",
}
# Page payment/fetch-controlled-executions: the second failed, and the payment reads SUCCESS
EXECUTIONS: list[dict[str, Any]] = [
    EXECUTION
    | {
        "execution_id": "execution-001",
        "execution_status": "SUCCESS",
        "failure_details": {
            "failure_reason": "",
            "failure_error_code": "",
            "failure_sub_error_code": "",
        },
        "payment_status": "SUCCESS",
    },
    EXECUTION
    | {
        "cf_execution_id": "3334",
        "execution_id": "execution-002",
        "execution_status": "FAILED",
        "failure_details": {
            "failure_reason": "Insufficient balance",
            "failure_error_code": "INSUFFICIENT_FUNDS",
            "failure_sub_error_code": "BALANCE_LOW",
        },
        "payment_remarks": "retry attempt",
        "payment_status": "SUCCESS",
    },
]
# Skill, section 6
STATUS_CHANGED: dict[str, Any] = {
    "data": {
        "subscription_details": {
            "cf_subscription_id": "23639356",
            "subscription_id": "sub_unique_id",
            "subscription_status": "ACTIVE",
            "next_schedule_date": None,
        },
        "customer_details": {
            "customer_email": "john@dummy.com",
            "customer_phone": "9900000000",
        },
        "plan_details": {
            "plan_name": "Premium Plan",
            "plan_type": "ON_DEMAND",
            "plan_max_amount": 399.0,
            "plan_currency": "INR",
        },
        "authorization_details": {
            "authorization_amount": 2.0,
            "authorization_amount_refund": False,
            "authorization_status": "PENDING",
            "payment_method": {"upi": {"channel": "link", "upi_id": "9910000000@ybl"}},
            "payment_group": "upi",
        },
    },
    "event_time": "...",
    "type": "SUBSCRIPTION_STATUS_CHANGED",
}
