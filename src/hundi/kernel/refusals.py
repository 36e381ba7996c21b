"""Every expected "no" as a coded value: what was wrong, and whether trying again can help.

The interface layer has one table of words and wire codes; this module knows only business names.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum


class Retry(StrEnum):
    """Whether the same request can succeed later."""

    NEVER = "never"
    """The same request will always be refused."""
    AFTER_FIX = "after_fix"
    """A corrected request can succeed."""
    LATER = "later"
    """The same request can succeed after a while."""


class RefusalCode(Enum):
    """One member for each reason; the value is (name in logs, whether a retry can help)."""

    ENVELOPE_UNREADABLE = ("envelope_unreadable", Retry.AFTER_FIX)
    """The body is no form or JSON, or an outer field is missing."""
    ENCDATA_UNREADABLE = ("encdata_unreadable", Retry.AFTER_FIX)
    """Base64, padding or JSON of `encdata`: deliberately one reason for all three (no padding
    oracle).
    """
    CHECKSUM_WRONG = ("checksum_wrong", Retry.AFTER_FIX)
    """A checksum was sent and no accepted form gives it."""
    TOKEN_UNKNOWN = ("token_unknown", Retry.AFTER_FIX)
    """The access token was never issued to this merchant."""
    TOKEN_EXPIRED = ("token_expired", Retry.AFTER_FIX)
    """The access token was issued to this merchant and its life is over."""
    SENDER_UNPROVEN = ("sender_unproven", Retry.AFTER_FIX)
    """An operation whose sender could be a customer's browser; detail says what its token lacks."""
    TOKEN_NOT_FOR_PAGE = ("token_not_for_page", Retry.AFTER_FIX)
    """A token of the scope operations came to the payment page, through a browser."""
    PRIVATEKEY_WRONG = ("privatekey_wrong", Retry.AFTER_FIX)
    """The privatekey is missing or not the one of this merchant."""
    FIELD_INVALID = ("field_invalid", Retry.AFTER_FIX)
    """A field is missing or out of bounds; field, received and allowed say which and how."""
    ORDER_CONTENT_DIFFERS = ("order_content_differs", Retry.AFTER_FIX)
    """This order id was used before with other content."""
    ORDER_ALREADY_PAID = ("order_already_paid", Retry.NEVER)
    """This order id is paid."""
    CHANNEL_NOT_ENABLED = ("channel_not_enabled", Retry.AFTER_FIX)
    """The currency or the payment channel is not enabled for this merchant."""
    NO_CHANNEL_SERVED = ("no_channel_served", Retry.AFTER_FIX)
    """No connected acquirer serves any payment channel of this merchant: the operator's to mend."""
    STATE_FORBIDS = ("state_forbids", Retry.NEVER)
    """The operation is not allowed in the state the payment is in."""
    REFUND_EXISTS = ("refund_exists", Retry.NEVER)
    """This transaction has a refund, and the merchant does not refund in parts."""
    MORE_THAN_REMAINS = ("more_than_remains", Retry.AFTER_FIX)
    """The amount is more than is left to give back, or to capture."""
    UNDER_DISPUTE = ("under_dispute", Retry.LATER)
    """The customer's bank disputes the payment: nothing is refunded before that has ended."""
    DISPUTE_OVER = ("dispute_over", Retry.NEVER)
    """The deadline of the dispute is over, or it was answered."""
    DISPUTE_ELSEWHERE = ("dispute_elsewhere", Retry.NEVER)
    """The acquirer takes this answer to a dispute in its own dashboard alone."""
    REQUEST_ID_REUSED = ("request_id_reused", Retry.AFTER_FIX)
    """This request id was used before with other content."""
    SANDBOX_MERCHANT = ("sandbox_merchant", Retry.NEVER)
    """The operation works on a live merchant id only."""
    MERCHANT_SUSPENDED = ("merchant_suspended", Retry.LATER)
    """The operator has suspended this merchant."""
    BODY_TOO_LARGE = ("body_too_large", Retry.AFTER_FIX)
    """The body is over the limit of this operation."""
    TOO_MANY_REQUESTS = ("too_many_requests", Retry.LATER)
    """The rate limit of this operation is used up."""
    MERCHANT_UNKNOWN = ("merchant_unknown", Retry.AFTER_FIX)
    """No such merchant id."""
    NO_RECORDS = ("no_records", Retry.NEVER)
    """Nothing of this merchant matches."""
    CREDENTIALS_WRONG = ("credentials_wrong", Retry.AFTER_FIX)
    """Client id or client secret at token issuance."""
    DOMAIN_NOT_REGISTERED = ("domain_not_registered", Retry.AFTER_FIX)
    """The payment was started from an origin the merchant has not registered."""
    BANK_REFUSED = ("bank_refused", Retry.AFTER_FIX)
    """The acquirer said no; detail has its words, which may be told."""
    BANK_UNREACHABLE = ("bank_unreachable", Retry.LATER)
    """The acquirer cannot be reached and nothing was sent to it."""
    KEY_OUT_OF_SCOPE = ("key_out_of_scope", Retry.AFTER_FIX)
    """The API secret is for other operations."""
    RISK_BLOCKED = ("risk_blocked", Retry.NEVER)
    """A risk rule blocked the try; detail names the rule."""
    PARTNER_UNPROVEN = ("partner_unproven", Retry.AFTER_FIX)
    """No such affiliate, or a key of it is wrong or missing: one reason for all of them."""
    PARTNER_SUSPENDED = ("partner_suspended", Retry.LATER)
    """The operator has suspended this partner."""
    INTERFACE_NOT_ENABLED = ("interface_not_enabled", Retry.AFTER_FIX)
    """The partner may not call this interface, or nobody answers it here."""
    OTP_WRONG = ("otp_wrong", Retry.AFTER_FIX)
    """The one-time password is not the one that was sent."""
    OTP_OVER = ("otp_over", Retry.NEVER)
    """The request is used, too old, or had too many wrong passwords."""
    NAME_DIFFERS = ("name_differs", Retry.AFTER_FIX)
    """The name is not the one that is registered under the number."""
    LEAD_EXISTS = ("lead_exists", Retry.AFTER_FIX)
    """This business has a lead already; the words name it."""
    LEAD_CLOSED = ("lead_closed", Retry.NEVER)
    """The lead is in a state that does not allow it."""
    ADDRESS_NOT_LISTED = ("address_not_listed", Retry.AFTER_FIX)
    """The caller's address is not on the merchant's list of those that may see its terminals."""
    PROVIDER_SILENT = ("provider_silent", Retry.LATER)
    """The register or provider behind an interface does not answer."""
    HOME_UNREACHABLE = ("home_unreachable", Retry.LATER)
    """The node of the cluster that has the merchant's rows is away; other merchants' calls go on.
    """
    OURS = ("our_fault", Retry.LATER)
    """A fault of the gateway, logged under the reference id."""

    @property
    def log_name(self) -> str:
        """Return the name logs and metrics use."""
        return self.value[0]

    @property
    def retry(self) -> Retry:
        """Return whether the same request can succeed later."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Cure:
    """A merchant's setting that would accept the refused request.

    setting: its name. value: what it must be, or what must be added; "" if the merchant decides.
    """

    setting: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One "no".

    field, received, allowed: for bad input, what the sender reads (received is cut and never has a
    secret). detail: for the merchant's own request log only, never for the reply. retry_after_s:
    seconds until the same request may be accepted; 0 for unknown. cures: settings of which each
    alone would accept the request; for the merchant's own request log only.
    """

    code: RefusalCode
    field: str = ""
    received: str = ""
    allowed: str = ""
    detail: str = ""
    retry_after_s: int = 0
    cures: tuple[Cure, ...] = ()


def wrong_state(what: str, state: str, *allowed: str) -> Refusal:
    """Return the refusal of an act in a wrong state, naming the state and the allowed ones."""
    return Refusal(
        RefusalCode.STATE_FORBIDS, field=what, received=str(state), allowed=", ".join(allowed)
    )


class Refused(Exception):  # noqa: N818 (a refusal is an answer, not an error of ours)
    """Carries a refusal from its decision to its answer."""

    def __init__(self, refusal: Refusal) -> None:
        """Store the refusal; the text is for logs."""
        super().__init__(refusal.code.log_name)
        self.refusal = refusal


def refuse(
    code: RefusalCode,
    *,
    field: str = "",
    received: str = "",
    allowed: str = "",
    detail: str = "",
    retry_after_s: int = 0,
    cures: tuple[Cure, ...] = (),
) -> Refused:
    """Return the exception to raise for one coded "no"."""
    return Refused(Refusal(code, field, received, allowed, detail, retry_after_s, cures))
