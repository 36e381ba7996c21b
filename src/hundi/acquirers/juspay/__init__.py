"""The connector of Juspay HyperCheckout and HDFC SmartGateway."""
