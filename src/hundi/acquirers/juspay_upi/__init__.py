"""The connector of UPI at banks that use Juspay's UPI merchant stack."""
