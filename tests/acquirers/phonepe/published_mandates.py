"""What PhonePe published of AutoPay, as short as it still says the same.

From phonepe-pg-sdk-python 3.0.1 of PyPI, module test_validate_callback and the one named at
each, and PhonePe/phonepe-pg-skills at 231df70. The header of a webhook is the first one's vector:
SHA-256 of "username:password".
"""

from typing import Any

USERNAME, PASSWORD = "username", "password"
HEADER = "bc842c31a9e54efe320d30d948be61291f3ceee4766e36ab25fa65243cd76e0e"
# In test_validate_callback_subscription: a pause is told beside the end
CANCELLED: dict[str, Any] = {
    "event": "subscription.cancelled",
    "type": "SUBSCRIPTION_CANCELLED",
    "payload": {
        "merchantSubscriptionId": "MS1708797962855",
        "subscriptionId": "OMS2402242336054995042603",
        "state": "CANCELLED",
        "authWorkflowType": "TRANSACTION",
        "amountType": "FIXED",
        "maxAmount": 200,
        "frequency": "ON_DEMAND",
        "expireAt": 1737278524000,
        "pauseStartDate": 1708798426196,
        "pauseEndDate": 1708885799000,
    },
}
# In test_subscription_setup_success
SET_UP: dict[str, Any] = {
    "event": "subscription.setup.order.completed",
    "type": "SUBSCRIPTION_SETUP_ORDER_COMPLETED",
    "payload": {
        "merchantId": "MID",
        "merchantOrderId": "MO1af83fb6",
        "orderId": "OMO2403041556072639596105",
        "state": "COMPLETED",
        "amount": 10001,
        "expireAt": 1709548387262,
        "paymentFlow": {
            "type": "SUBSCRIPTION_SETUP",
            "merchantSubscriptionId": "MS1af83fb6",
            "authWorkflowType": "TRANSACTION",
            "amountType": "FIXED",
            "maxAmount": 10001,
            "frequency": "ON_DEMAND",
            "subscriptionId": "OMS2403041556097829596189",
        },
        "paymentDetails": [
            {
                "transactionId": "OM2403041556072639596105",
                "paymentMode": "UPI_INTENT",
                "timestamp": 1709548387262,
                "amount": 10001,
                "state": "COMPLETED",
                "rail": {"type": "UPI", "utr": "405554491450", "vpa": "<vpa>"},
            }
        ],
    },
}
# In test_notify_validate
NOTIFIED: dict[str, Any] = {
    "event": "subscription.notification.completed",
    "type": "SUBSCRIPTION_NOTIFICATION_COMPLETED",
    "payload": {
        "merchantId": "TESTMID",
        "merchantOrderId": "MO1708797962855",
        "orderId": "OMO12344",
        "amount": 100,
        "state": "NOTIFIED",
        "expireAt": 1620891733101,
        "paymentFlow": {
            "type": "SUBSCRIPTION_REDEMPTION",
            "merchantSubscriptionId": "MS121312",
            "redemptionRetryStrategy": "CUSTOM",
            "autoDebit": True,
            "validAfter": 1628229131000,
            "validUpto": 1628574731000,
            "notifiedAt": 1622539751586,
        },
    },
}
# In the skill, standardCheckoutAutoPay: the answers to a notice at the page's face, and to a debit
NOTICE = {
    "orderId": "OMO2603101528244777924698BW",
    "state": "NOTIFICATION_IN_PROGRESS",
    "expireAt": 1773309503656,
}
REDEMPTION = {"transactionId": "OM2603101539420517924712BW", "state": "PENDING"}
# In test_subscription_status_response
STANDING = {
    "merchantSubscriptionId": "123456",
    "state": "ACTIVE",
    "authWorkflowType": "PENNY_DROP",
    "frequency": "ON_DEMAND",
}
