"""NEFT, RTGS and IMPS transfers to account numbers of orders."""
