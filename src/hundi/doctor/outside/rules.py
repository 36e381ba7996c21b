"""What can be wrong with acquirers and with merchants' notification addresses."""

from collections.abc import Mapping

from hundi.doctor.rules import FindingKind, Level
from hundi.doctor.site.rules import CERTIFICATE_LEFT_MIN

ACQUIRER_GOOD = FindingKind("acquirer_good", Level.GOOD, "An acquirer answers as it has to.")
NO_ACQUIRER = FindingKind(
    "acquirer_missing",
    Level.WARNING,
    "No acquirer is configured: nobody can pay.",
    "Add one with `hundi acquirer add` (docs/acquirer-accounts.md).",
)
ACQUIRERS_REFUSED = FindingKind(
    "acquirers_refused",
    Level.FAULT,
    "The acquirers cannot be opened, so that no process starts.",
    "Correct the acquirer and the field that are named.",
)
ACQUIRER_NAME = FindingKind(
    "acquirer_name",
    Level.FAULT,
    "The name of an acquirer's address cannot be found.",
    "Look at this machine's resolver (/etc/resolv.conf), and at the acquirer's address.",
)
ACQUIRER_UNREACHABLE = FindingKind(
    "acquirer_unreachable",
    Level.FAULT,
    "An acquirer cannot be connected to, or does not answer.",
    "Let the firewall pass this machine's connections to the acquirer, and ask the acquirer"
    " whether it admits this machine's address.",
)
ACQUIRER_CERTIFICATE = FindingKind(
    "acquirer_certificate",
    Level.FAULT,
    "An acquirer's certificate is refused: it has ended, or nobody known signed it.",
    "Install the package ca-certificates; if it is new, tell the acquirer.",
)
ACQUIRER_ENDS_SOON = FindingKind(
    "acquirer_certificate_ends_soon",
    Level.NOTE,
    f"An acquirer's certificate ends within {CERTIFICATE_LEFT_MIN.days} days.",
    "Look again after that day, or tell the acquirer.",
)
ACQUIRER_OTHERWISE = FindingKind(
    "acquirer_answers_otherwise",
    Level.WARNING,
    "An acquirer answers, and not as it has to: mostly its keys are wrong.",
    "Run `hundi acquirer check NAME`, then rotate its keys with `hundi acquirer rotate`.",
)
OF_CALLS: Mapping[str, FindingKind] = {
    "name": ACQUIRER_NAME,
    "tls": ACQUIRER_CERTIFICATE,
    "connect": ACQUIRER_UNREACHABLE,
    "timeout": ACQUIRER_UNREACHABLE,
    "broken": ACQUIRER_UNREACHABLE,
}
"""What it means that a call had no answer, by the client's reason."""

ENDPOINTS_GOOD = FindingKind(
    "endpoints_good", Level.GOOD, "Merchants' notification addresses can be reached."
)
NO_ENDPOINT = FindingKind(
    "endpoints_missing",
    Level.NOTE,
    "No merchant has a notification address.",
    "Ask your merchants for one: `hundi merchant set ID --notification-url`.",
)
ENDPOINT_NAME = FindingKind(
    "endpoint_name",
    Level.WARNING,
    "The name of a merchant's notification address cannot be found.",
    "Tell the merchant, or look at this machine's resolver if several are named.",
)
ENDPOINT_UNREACHABLE = FindingKind(
    "endpoint_unreachable",
    Level.WARNING,
    "A merchant's notification address cannot be connected to.",
    "Tell the merchant, or look at this machine's firewall if several are named.",
)
ENDPOINT_CERTIFICATE = FindingKind(
    "endpoint_certificate",
    Level.WARNING,
    "The certificate of a merchant's notification address is refused.",
    "Tell the merchant to renew it, or to show its whole chain.",
)
ENDPOINT_REFUSED = FindingKind(
    "endpoint_refused",
    Level.WARNING,
    "A merchant's notification address is in a network that the gateway does not call.",
    "Ask the merchant for a public address.",
)
ENDPOINTS_LEFT_OUT = FindingKind(
    "endpoints_left_out",
    Level.NOTE,
    "There are more addresses than are looked at in one go.",
    "Look at the console's deliveries for the others.",
)
OF_HANDSHAKES: Mapping[str, FindingKind] = {
    "name": ENDPOINT_NAME,
    "connect": ENDPOINT_UNREACHABLE,
    "ended": ENDPOINT_CERTIFICATE,
    "other_name": ENDPOINT_CERTIFICATE,
    "untrusted": ENDPOINT_CERTIFICATE,
    "tls": ENDPOINT_CERTIFICATE,
}
"""What it means that a handshake failed, by its reason."""
ENDPOINTS_MAX = 100
"""How many different servers are looked at."""
