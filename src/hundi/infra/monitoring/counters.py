"""The counters of every process, for all parts of the gateway.

Labels have names of ours (endpoints, codes, kinds of work), never values that a caller chose. Each
counter has a label: one without would be written at import, before the process reserved disk space
for it.
"""

from prometheus_client import Counter, Gauge, Histogram

PARTS = Gauge(
    "hundi_part_started_seconds",
    "When each process of this machine started, in seconds since 1970 (UTC).",
    ["part"],
    multiprocess_mode="liveall",
)
REQUESTS = Counter(
    "hundi_requests", "Answered requests, by endpoint and response code.", ["endpoint", "code"]
)
REQUEST_SECONDS = Histogram(
    "hundi_request_seconds",
    "From a request's arrival to its reply, by endpoint.",
    ["endpoint"],
    buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
)
CHECKSUMS = Counter(
    "hundi_checksums",
    "Right checksums, by endpoint and form: shows what clients send.",
    ["endpoint", "form"],
)
BANK_SECONDS = Histogram(
    "hundi_bank_call_seconds",
    (
        "Calls to acquirers, by address and how they ended: answered, failed (a 5xx), silent"
        " (sent, no reply) or not_sent."
    ),
    ["acquirer", "outcome"],
    buckets=(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
)
ACQUIRER_CALLS = Counter(
    "hundi_acquirer_calls",
    "Calls to acquirers, by configured name, call of the port, and what came of it.",
    ["acquirer", "call", "outcome"],
)
ACQUIRER_SECONDS = Histogram(
    "hundi_acquirer_call_seconds",
    "Calls that may have reached the acquirer, by configured name and call of the port.",
    ["acquirer", "call"],
    buckets=(0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
)
ACQUIRER_REACHABLE = Gauge(
    "hundi_acquirer_reachable",
    (
        "1 while an acquirer is called at all, 0 while any process makes no calls, as its last"
        " call left it."
    ),
    ["acquirer"],
    multiprocess_mode="livemin",
)
LETTERS = Counter(
    "hundi_letters",
    (
        "Tries to send a letter to a person, by channel and what the relay or provider said: taken,"
        " refused, bounced, later, or absent (there is none)."
    ),
    ["channel", "verdict"],
)
ATTEMPTS = Counter(
    "hundi_attempts",
    "Attempts at payments that came to an outcome, by acquirer, method and state.",
    ["acquirer", "method", "state"],
)
REPORTS_OVERDUE = Gauge(
    "hundi_settlement_reports_overdue_seconds",
    (
        "For how long the settlement reports of an acquirer should have been fetched; 0 while all"
        " of them are."
    ),
    ["acquirer"],
    multiprocess_mode="livemin",
)
SETTLEMENTS_MISSING = Counter(
    "hundi_settlements_missing",
    "Payments, refunds and chargebacks that no report of their acquirer showed in time.",
    ["acquirer"],
)
WORK_SECONDS = Histogram(
    "hundi_work_seconds",
    (
        "Items of later work (deliveries, inquiries, refunds and so on), by kind and whether they"
        " were done or raised."
    ),
    ["work", "outcome"],
    buckets=(0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10),
)
WORK_IN_FLIGHT = Gauge(
    "hundi_work_in_flight",
    "Items of later work under way, by kind.",
    ["work"],
    multiprocess_mode="livesum",
)
SCHEDULE_DONE = Gauge(
    "hundi_schedule_done_seconds",
    (
        "When a living worker last did the work of a schedule without a fault, in seconds since"
        " 1970 (UTC)."
    ),
    ["schedule"],
    multiprocess_mode="livemax",
)
