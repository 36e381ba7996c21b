"""The wire's codes: their words, and whether the same request can succeed later."""

from enum import Enum
from typing import Literal

Retry = Literal["never", "after_fix", "later"]
"""never: always refused. after_fix: a corrected request can succeed.

later: the same request can succeed.
"""


class Code(Enum):
    """`response_code` or `error_code` of replies (docs/spec/states-and-codes.md#response-codes).

    wire: the text that travels. words: the message for people, without the details of one request.
    retry: whether the same request can succeed later.
    """

    def __init__(self, wire: str, words: str, retry: Retry) -> None:
        """Take the parts of a member."""
        self.wire, self.words, self.retry = wire, words, retry

    SUCCESS = ("00", "Success", "never")
    """The operation did what was asked; nothing is left to retry."""
    ENVELOPE_UNREADABLE = (
        "101",
        "The request could not be read or an outer field is missing",
        "after_fix",
    )
    """The body has none of the accepted forms, or lacks merchant_id or encdata."""
    ENCDATA_UNREADABLE = ("102", "encdata could not be read", "after_fix")
    """Base64, padding or JSON: one code for all of them."""
    CHECKSUM_WRONG = ("103", "The checksum does not match the data", "after_fix")
    """A checksum was sent (or is required) and no accepted form gives it."""
    TOKEN_UNKNOWN = ("104", "The access token is not known", "after_fix")
    """Never issued, or issued to another merchant."""
    TOKEN_EXPIRED = ("105", "The access token has expired", "after_fix")
    """A new token helps."""
    TOKEN_MISUSED = ("106", "The access token cannot be used for this", "after_fix")
    """A token whose scope or sender opens something else; the merchant's list of refusals says
    which.
    """
    MERCHANT_KEY_WRONG = ("108", "Merchant key authentication failed", "after_fix")
    """privatekey missing, wrong, or of an API secret for other operations; for the flat split its
    key and token.
    """
    FIELD_INVALID = ("110", "A field is missing or invalid", "after_fix")
    """The message names the field, what was received and what is allowed."""
    ORDER_CONTENT_DIFFERS = (
        "111",
        "This order id was already used with other content",
        "after_fix",
    )
    """A new order id helps."""
    ORDER_ALREADY_PAID = ("112", "This order is already paid", "never")
    """Verify shows the payment."""
    NOT_ENABLED = (
        "113",
        "The currency or payment channel is not enabled for this merchant",
        "after_fix",
    )
    """Another currency or channel, or a changed setting, helps."""
    STATE_FORBIDS = ("120", "This is not allowed in the state the payment is in", "never")
    """For example a capture of what was voided; the message names the state, and those that allow
    it.
    """
    MORE_THAN_REMAINS = ("121", "The amount is more than remains", "after_fix")
    """A smaller amount helps."""
    REQUEST_ID_REUSED = ("122", "This request id was already used with other content", "after_fix")
    """A new request id helps."""
    UNDER_DISPUTE = ("123", "The customer's bank disputes this payment", "later")
    """A dispute that was won, or took a part, leaves the rest to be refunded."""
    DISPUTE_OVER = ("124", "This dispute cannot be answered any more", "never")
    """Its deadline is over, or it was answered: the message names its state."""
    DISPUTE_ELSEWHERE = ("125", "The acquirer takes this answer in its own dashboard", "never")
    """Ask the operator to give it there; what became of it is told as ever."""
    SANDBOX_MERCHANT = ("130", "This operation works with a live merchant id only", "never")
    """The sandbox does not offer it."""
    MERCHANT_SUSPENDED = ("131", "This merchant is suspended", "later")
    """The operator can lift it."""
    BODY_TOO_LARGE = ("413", "The request body is too large", "after_fix")
    """Over the limit of this operation."""
    TOO_MANY_REQUESTS = ("429", "Too many requests", "later")
    """Wait, then send the same again."""
    MERCHANT_UNKNOWN = ("501", "Invalid merchant id", "after_fix")
    """No such merchant."""
    NO_RECORDS = ("503", "No records found", "never")
    """Nothing of this merchant matches; asked about a payment just started, ask again after it
    exists.
    """
    CREDENTIALS_WRONG = ("903", "Invalid client id or secret", "after_fix")
    """Token issuance only."""
    DOMAIN_NOT_REGISTERED = ("U04", "The domain is not registered for this merchant", "after_fix")
    """The message names the domain that was received."""
    INTERFACE_NOT_ENABLED = (
        "114",
        "This partner may not call this, or nobody answers it here",
        "after_fix",
    )
    """A changed setting helps."""
    PARTNER_SUSPENDED = ("132", "This partner is suspended", "later")
    """The operator can lift it."""
    OTP_WRONG = ("140", "The one-time password is wrong", "after_fix")
    """Three wrong ones end the request."""
    OTP_OVER = ("141", "This request is used, too old, or had too many wrong passwords", "never")
    """A new request helps."""
    NAME_DIFFERS = ("142", "The name is not the one that is registered", "after_fix")
    """Nothing is said about the one that is."""
    LEAD_EXISTS = ("143", "This business has a lead already", "after_fix")
    """Send its `lead_id` to update it."""
    LEAD_CLOSED = ("145", "The lead's state does not allow this", "never")
    """What was approved or rejected is changed no more."""
    ADDRESS_NOT_LISTED = (
        "144",
        "No such merchant, or this address may not ask about it",
        "after_fix",
    )
    """The merchant's list of addresses, which is empty at first."""
    RISK_BLOCKED = ("146", "This payment is blocked by the risk rules", "never")
    """The payment's story says by which one: `hundi payment show`."""
    PARTNER_UNPROVEN = ("904", "affiliate, api-key or processor-key is wrong", "after_fix")
    """One code for all three, and for an affiliate that is none."""
    PROVIDER_SILENT = ("991", "The register does not answer", "later")
    """Nothing was decided; the same again is safe."""
    HOME_UNREACHABLE = (
        "992",
        "This merchant's part of the gateway cannot be reached for the moment",
        "later",
    )
    """The server that has the merchant's data is away; the same again is safe, `Retry-After` says
    when.
    """
    OURS = ("999", "Something went wrong on our side", "later")
    """Our fault, with a reference id; requests that carry an id of the merchant's are safe to send
    again.
    """


BY_WIRE = {code.wire: code for code in Code}
"""Codes by the text that travels."""
