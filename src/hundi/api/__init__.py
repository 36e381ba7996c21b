"""The interfaces that merchants, partners and banks call: one file each, and one entrance for all.

`interfaces.py` answers each address in every spelling, in front of the framework that serves pages.
`endpoint.py` takes each call through the same steps: read the body within its limit, parse it,
authenticate, open, act, record, count. The endpoint's `EndpointPolicy` holds the differences.
`admission.py` gives each sender its turn. `replies.py` gives each refusal its words; `cures.py`
names the settings that would accept the request, for the merchant's own log.

The HTTP status is 200 whatever happened. After decryption bad Base64, bad padding and bad JSON have
one reply and about one duration.
"""
