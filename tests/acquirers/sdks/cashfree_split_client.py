"""What a marketplace's program does with cashfree_pg; run by `runs.program`."""

import json

from cashfree_pg import rest
from cashfree_pg.api_client import Cashfree
from cashfree_pg.models.adjust_vendor_balance_request import AdjustVendorBalanceRequest
from cashfree_pg.models.create_order_request import CreateOrderRequest
from cashfree_pg.models.create_vendor_request import CreateVendorRequest
from cashfree_pg.models.es_order_recon_request import ESOrderReconRequest
from cashfree_pg.models.order_create_refund_request import OrderCreateRefundRequest
from cashfree_pg.models.split_after_payment_request import SplitAfterPaymentRequest
from cashfree_pg.models.vendor_adjustment_request import VendorAdjustmentRequest
from cashfree_pg.models.vendor_recon_request import VendorReconRequest
from program import TOLD, serve

SANDBOX = "https://sandbox.cashfree.com"
_request = rest.RESTClientObject.request


def request(self, method, url, *arguments, **named):
    """Call the stand-in: the client has no setting for another address."""
    assert url.startswith(SANDBOX), url
    return _request(self, method, TOLD["url"] + url.removeprefix(SANDBOX), *arguments, **named)


rest.RESTClientObject.request = request


def client():
    return Cashfree(
        XEnvironment=Cashfree.SANDBOX,
        XClientId=TOLD["client_id"],
        XClientSecret=TOLD["client_secret"],
    )


def as_json(answer):
    """Return what the client read."""
    return json.loads(answer.data.to_json())


def vendor():
    """Make a vendor, and read it with its balance."""
    made = client().PGesCreateVendors(
        create_vendor_request=CreateVendorRequest.from_dict(TOLD["vendor"])
    )
    return {
        "made": as_json(made),
        "read": as_json(client().PGesFetchVendors(TOLD["vendor"]["vendor_id"])),
        "balance": as_json(client().PGesGetVendorBalance(TOLD["vendor"]["vendor_id"])),
    }


def order():
    """Make an order that is split."""
    asked = {
        "order_id": "o_1",
        "order_amount": 1000,
        "order_currency": "INR",
        "customer_details": {"customer_id": "c10", "customer_phone": "9999999999"},
        "order_splits": [{"vendor_id": TOLD["vendor"], "amount": 850}],
    }
    return as_json(client().PGCreateOrder(CreateOrderRequest.from_dict(asked)))


def paid():
    """Split more of a paid order, give a part back, adjust, pay out and read the reports."""
    name = TOLD["vendor"]
    more = {"split": [{"vendor_id": name, "amount": 50}], "disable_split": True}
    more = SplitAfterPaymentRequest.from_dict(more)
    split = client().PGOrderSplitAfterPayment("o_1", split_after_payment_request=more)
    refund = {"refund_amount": 100, "refund_id": "ref_1"}
    refund["refund_splits"] = [{"vendor_id": name, "amount": 80}]
    back = client().PGOrderCreateRefund("o_1", OrderCreateRefundRequest.from_dict(refund))
    adjusted = {"vendor_id": name, "adjustment_id": 1, "amount": 10, "type": "CREDIT"}
    adjusted = VendorAdjustmentRequest.from_dict(adjusted)
    transfer = {"transfer_from": "VENDOR", "transfer_type": "ON_DEMAND", "transfer_amount": 5}
    transfer = AdjustVendorBalanceRequest.from_dict(transfer)
    of_order = {"filters": {"order_ids": ["o_1"]}, "pagination": {"limit": 10}}
    of_order = ESOrderReconRequest.from_dict(of_order)
    lines = {"filters": {"merchant_vendor_id": name}, "pagination": {"limit": 10}}
    lines["filters"] |= {"start_date": "2026-01-01", "end_date": "2099-01-01"}
    return {
        "split": as_json(split),
        "refund": as_json(back),
        "adjusted": as_json(
            client().PGesCreateAdjustment(name, vendor_adjustment_request=adjusted)
        ),
        "transfer": as_json(
            client().PGesCreateOnDemandTransfer(name, adjust_vendor_balance_request=transfer)
        ),
        "details": as_json(client().PGSplitOrderRecon("o_1")),
        "report": as_json(client().PGesOrderRecon(es_order_recon_request=of_order)),
        "lines": as_json(client().PGesReconVendor(VendorReconRequest.from_dict(lines))),
    }


serve(vendor, order, paid)
