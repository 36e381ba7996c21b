"""Forms of the console that the test of canaries cannot send, with the reason for each."""

_MASKED = "what it has of words is named as what every form masks"
_WORDLESS = "asks for no words"
_ENDPOINT = "/console/{place:str}/integration/endpoints/{endpoint_no:int}"
NOT_OPENED: dict[str, str] = {
    "/console/join/{link:str}": "a password and a code",
    "/console/sign-in/code": "a code",
    "/console/sign-in/passkey": "what a browser signs",
    "/console/you/passkeys": _MASKED,
    "/console/you/passkeys/remove": _WORDLESS,
    "/console/you/sessions/end": _WORDLESS,
    "/console/{place:str}/acquirers/{name:str}/change": "the fields of a kind, which its form has",
    "/console/{place:str}/acquirers/{name:str}/disable": _MASKED,
    "/console/{place:str}/acquirers/{name:str}/enable": _MASKED,
    "/console/{place:str}/across/payouts/{merchant_id:int}/{payout_id:int}/cancel": _MASKED,
    "/console/{place:str}/across/payouts/{merchant_id:int}/{payout_id:int}/release": _WORDLESS,
    "/console/{place:str}/across/payouts/{merchant_id:int}/{payout_id:int}/retry": _WORDLESS,
    "/console/{place:str}/approvals/{approval_id:int}/repeat": _WORDLESS,
    "/console/{place:str}/customers/{customer:str}/erasure": _MASKED,
    "/console/{place:str}/deliveries/replay": "two days",
    "/console/{place:str}/deliveries/send-several": _WORDLESS,
    "/console/{place:str}/disputes/{dispute_id:int}/contest": _MASKED,
    **dict.fromkeys(
        ("/console/{place:str}/integration/endpoints/test", _ENDPOINT + "/test"),
        "an address, and keeps nothing",
    ),
    _ENDPOINT: "as the form of a new one",
    **{
        f"{_ENDPOINT}/{act}": _WORDLESS
        for act in ("end-key", "remove", "replay", "rotate", "switch")
    },
    "/console/{place:str}/integration/test": "an address, and keeps nothing",
    "/console/{place:str}/keys/end": _WORDLESS,
    "/console/{place:str}/keys/make": _WORDLESS,
    "/console/{place:str}/leads/{affiliate:str}/{lead_id:int}/reveal": _MASKED,
    "/console/{place:str}/links/file/make": "a file, which the page before it showed masked",
    "/console/{place:str}/links/{link_id:int}/reminders/{reminder_no:int}/sent": _WORDLESS,
    "/console/{place:str}/merchants/{merchant_id:int}/resume": _MASKED,
    "/console/{place:str}/payments/refund-several": _MASKED,
    "/console/{place:str}/payments/{payment_id:int}/capture": "an amount",
    "/console/{place:str}/payments/{payment_id:int}/void": _WORDLESS,
    "/console/{place:str}/payout-routing/try": "keeps nothing",
    "/console/{place:str}/reconciliation/items/{owner:int}/{item:int}": _MASKED,
    "/console/{place:str}/reconciliation/proposals/{merchant_id:int}/{proposal:int}": _WORDLESS,
    "/console/{place:str}/reconciliation/retry": _WORDLESS,
    "/console/{place:str}/reconciliation/statements/{upload:int}/import": _WORDLESS,
    "/console/{place:str}/reports/schedules/{schedule:int}/end": _WORDLESS,
    "/console/{place:str}/reviews/{merchant_id:int}/{transaction:int}": _MASKED,
    "/console/{place:str}/routing/try": "keeps nothing",
    "/console/{place:str}/saved-filters": _MASKED,
    "/console/{place:str}/saved-filters/remove": _WORDLESS,
    "/console/{place:str}/subscriptions/{subscription_id:int}/cancel": _WORDLESS,
    "/console/{place:str}/subscriptions/{subscription_id:int}/pause": _WORDLESS,
    "/console/{place:str}/subscriptions/{subscription_id:int}/resume": _WORDLESS,
}
"""Forms that nothing here has a page for, and what they have of words.

The names of their fields are looked at instead.
"""
_SECRETS_MISSING = "without its secrets, which are no words, no account is asked for"
NEVER_TAKEN: dict[tuple[str, str], str] = {
    ("/console/{place:str}/acquirer-kinds/{kind:str}", "name"): _SECRETS_MISSING,
    ("/console/{place:str}/acquirer-kinds/{kind:str}", "reason"): _SECRETS_MISSING,
    ("/console/{place:str}/bank-account", "holder"): (
        "a mask has brackets, and banks take none in a name"
    ),
    ("/console/{place:str}/brand", "name"): "words are no colour, and the form asks for one",
    ("/console/{place:str}/integration/endpoints", "name"): "words are no address of a server",
    **{
        ("/console/{place:str}/links", f"item_{number}"): "words alone are no item with its amount"
        for number in range(1, 7)
    },
    ("/console/{place:str}/routing/form", "note"): "draws the form again, and keeps nothing",
    ("/console/{place:str}/payout-routing/form", "note"): "draws the form again, and keeps nothing",
    ("/console/{place:str}/verbs/report/party", "name"): "words are no state and no GSTIN",
    ("/console/{place:str}/verbs/mcp/key-add", "name"): (
        "a mask has brackets, and a key's name letters, digits and -"
    ),
    ("/console/{place:str}/verbs/merchant/set", "support"): (
        "a mask has brackets, which whom customers ask has not"
    ),
    ("/console/{place:str}/verbs/settlement/terms-set", "reason"): (
        "its page names no merchant, and only a merchant that there is gets terms"
    ),
}
"""Words that a form refuses once they are masked, and why."""
OTHERWISE = {
    "again_code": "of a second factor",
    "amount_paise": "an amount",
    "code": "of a second factor",
    "for_merchant": "a merchant's number",
    "lines": "the content of a file, of which masked cells are kept",
}
"""Fields of forms that nothing here has a page for, of other names than those that every form
masks.
"""
