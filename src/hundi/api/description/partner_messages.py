"""JSON Schemas of what partners send, with the bounds of `wire.partner`."""

from hundi.api.description import fields as f
from hundi.api.description.fields import Schema, message
from hundi.partners.leads.rules import SPECIFIED_LENGTHS
from hundi.partners.pos.rules import KINDS
from hundi.wire.message import schema_of
from hundi.wire.partner import identity, leads, pos, pos_entries
from hundi.wire.partner.gst import GSTIN
from hundi.wire.partner.leads import Rule
from hundi.wire.partner.table import OPERATIONS

_AADHAAR = f.written("12 digits, the last one a check digit", r"^[2-9][0-9]{11}$")
_PAN = f.written(
    "10 characters, the fourth says whose it is", r"^[A-Z]{3}[ABCEFGHJLKPT][A-Z](?!0000)[0-9]{4}[A-Z]$", "AAPFU0939F"
)
_CIN = f.written(
    "A CIN, or an LLPIN",
    r"^([LU][0-9]{5}[A-Z]{2}[0-9]{4}(PTC|PLC|OPC|FTC|GOI|SGC|NPL|ULL|ULT|FLC|GAP|GAT)[0-9]{6}|[A-Z]{3}-?[0-9]{4})$",
    "U74999MH2016PTC123456",
)
_DAY, _MONTH = "(0[1-9]|[12][0-9]|3[01])", "(0[1-9]|1[0-2])"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]"
_KNOWN: dict[str, Schema] = {
    "company_cin": _CIN,
    "business_category": f.written("A merchant category code", r"^[0-9]{4}$", "5651"),
    "business_pan": _PAN,
    "business_gstin": GSTIN.schema,
    "business_pincode": f.written("Postal code", r"^[1-9][0-9]{5}$", "411001"),
    "signatory_pan": _PAN,
    "signatory_dob": f.written(
        f"DD-MM-YYYY: 18 years ago or earlier, {leads.YEAR_MIN} or later",
        rf"^{_DAY}-{_MONTH}-(19|20)[0-9]{{2}}$",
        "31-01-1980",
    ),
}
"""Fields of a lead whose form the gateway knows."""


def _closed(schema: Schema) -> Schema:
    """Return a message's schema that allows no further fields."""
    return schema | {"additionalProperties": False}


def _lead_field(rule: Rule) -> Schema:
    if rule.allowed:
        return f.one_of("One of these", *rule.allowed, *([] if rule.required else [""]))
    if rule.name in _KNOWN:
        return _KNOWN[rule.name]
    specified = SPECIFIED_LENGTHS.get(rule.name)
    longer = f"The specification has {specified} characters: longer is a note, or refused where the partner is strict"
    match rule.kind:
        case "email":
            return f.described(f.EMAIL, longer)
        case "phone":
            return f.described(f.PHONE, f"8 to 15 digits; + - ( ) and spaces may stand between them. {longer}")
        case _:
            return f.text(longer if specified else "Text", rule.length_max, int(rule.required))


def _group(description: str, rules: tuple[Rule, ...], *, whole: bool) -> Schema:
    required = tuple(rule.name for rule in rules if rule.required) if whole else ()
    return _closed(message(description, required, **{rule.name: _lead_field(rule) for rule in rules}))


def _lead(description: str, required: tuple[str, ...], *, whole: bool, **more: Schema) -> Schema:
    """Return the schema of a lead. whole: whether all that a lead needs has to be there."""
    groups = {name: _group("A group of fields", rules, whole=whole) for name, rules in leads.GROUPS.items()}
    signatory = _group("Who signs", leads.SIGNATORY, whole=whole)
    if not whole:
        signatory = {"anyOf": [signatory, {"type": "null"}]}
    signatories = _closed(message("By position", (), **dict.fromkeys(leads.POSITIONS, signatory)))
    signatories["minProperties"] = 1
    return _closed(message(description, required, **more, **groups, signatory_info=signatories))


_MERCID = f.written("The merchant's number", rf"^[0-9]{{1,{pos.MERCHANT_DIGITS_MAX}}}$", "10001")
_TERMINAL = f.written("The terminal", r"^[A-Za-z0-9]{1,16}$", "T1")
_REFERENCE = f.text("The terminal's own reference of a sale", pos.REFERENCE_MAX, 1)
_ENTRY = _closed(
    message(
        "What a terminal sold. The same reference again is the same sale",
        ("terminalid", "reference", "amount"),
        terminalid=_TERMINAL,
        reference=_REFERENCE,
        type=f.one_of("SALE when missing", *KINDS),
        amount=f.AMOUNT,
        edit_amount=f.described(f.ZERO_OR_AMOUNT, "The amount after a change at the table; zero for none"),
        table=f.text("The table", pos_entries.TABLE_MAX),
        mobile=f.written("The customer's, of which the last four digits are kept", r"^[0-9]{10}$", "9876543210"),
        at=f.written(
            "ISO 8601 with an offset: the last 7 days, 5 minutes ahead at most; the time of the call when missing",
            rf"^[0-9]{{4}}-{_MONTH}-{_DAY}T{_TIME}:[0-5][0-9](\.[0-9]{{1,6}})?(Z|[+-]{_TIME})$",
            "2026-11-22T14:05:00+05:30",
        ),
    )
)
_ENTRIES: Schema = {
    "type": "array",
    "minItems": 1,
    "maxItems": pos_entries.ENTRIES_MAX,
    "items": f.ref("Entry"),
}

REQUESTS: dict[str, Schema] = {
    **{each.request.__name__: schema_of(each.request) for each in OPERATIONS},
    "OtpRequest": message(
        "The first call, which sends a one-time password to the holder",
        ("type", "aadhaarNo"),
        type=f.one_of("Always this", "otp"),
        aadhaarNo=_AADHAAR,
    ),
    "DocumentRequest": message(
        "The second call, for the document",
        ("type", "requestId", "otp", "gateway_txn_id"),
        type=f.one_of("Always this", "file"),
        requestId=f.written("What the first call returned", r"^[A-Za-z0-9_-]{1,64}$"),
        otp=f.written("What the holder received", r"^[0-9]{6}$"),
        gateway_txn_id=f.written("What the first call returned", r"^[0-9]{1,15}$"),
    ),
    "HolderRequest": message(
        "A number and a name to check, with consent",
        ("name", "consentText", "aadhaarNo"),
        name=f.text("The holder's", identity.NAME_MAX, identity.NAME_MIN),
        consentText={
            "type": "string",
            "description": "What the holder agreed to",
            "minLength": 1,
            "maxLength": identity.CONSENT_MAX,
        },
        aadhaarNo=_AADHAAR,
    ),
    "NewLead": _lead("A new lead", (*leads.GROUPS, "signatory_info"), whole=True),
    "LeadUpdate": _lead(
        "Changes of a lead: what is not sent stays, a signatory that is null is removed",
        ("lead_id",),
        whole=False,
        lead_id=f.written("Of a lead of yours", rf"^[1-9][0-9]{{0,{leads.LEAD_DIGITS_MAX - 1}}}$", "217383559059812"),
    )
    | {"minProperties": 2},
    "LeadRequest": message(
        "A sealed lead",
        ("query",),
        query=f.sealed(
            {"anyOf": [f.ref("NewLead"), f.ref("LeadUpdate")]}, "The lead, encrypted", "affiliate ~:~ shared secret"
        ),
    ),
    "SalesRequest": message(
        "Whose sales to list",
        ("mercid", "terminalid", "uniqueid"),
        mercid=_MERCID,
        terminalid=_TERMINAL,
        uniqueid=f.written("Comes back as a number, selects nothing", r"^[0-9]{4,10}$", "4711"),
    ),
    "SaleRequest": message(
        "Which sale to tell",
        ("mercid", "terminalid", "uniqueid", "referenceid"),
        mercid=_MERCID,
        terminalid=_TERMINAL,
        uniqueid=f.written("Comes back, selects nothing", r"^[A-Za-z0-9]{4,10}$", "a4711"),
        referenceid=_REFERENCE,
    ),
    "Entry": _ENTRY,
    "EntriesRequest": message(
        "What terminals of one merchant sold, in JSON", ("mercid", "entries"), mercid=_MERCID, entries=_ENTRIES
    ),
    "EntriesForm": message(
        "The same in a form",
        ("mercid", "entries"),
        mercid=_MERCID,
        entries={
            "type": "string",
            "description": "A JSON array",
            "contentMediaType": f.JSON,
            "contentSchema": _ENTRIES,
        },
    ),
}
