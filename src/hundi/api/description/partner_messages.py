"""JSON Schemas of partners' requests, with the bounds of `wire.partner`."""

from hundi.api.description import fields as f
from hundi.api.description.fields import Schema, message
from hundi.partners.leads.rules import SPECIFIED_LENGTHS
from hundi.wire.kinds import EMAIL, PHONE
from hundi.wire.partner import leads
from hundi.wire.partner.gst import GSTIN
from hundi.wire.partner.leads import FieldRule
from hundi.wire.partner.pos_entries import EntriesRequest
from hundi.wire.partner.table import OPERATIONS
from hundi.wire.schema import schema_of, with_those_inside

_PAN = f.written(
    "10 characters, the fourth says whose it is",
    r"^[A-Z]{3}[ABCEFGHJLKPT][A-Z](?!0000)[0-9]{4}[A-Z]$",
    "AAPFU0939F",
)
_CIN = f.written(
    "A CIN, or an LLPIN",
    r"^([LU][0-9]{5}[A-Z]{2}[0-9]{4}(PTC|PLC|OPC|FTC|GOI|SGC|NPL|ULL|ULT|FLC|GAP|GAT)[0-9]{6}|[A-Z]{3}-?[0-9]{4})$",
    "U74999MH2016PTC123456",
)
_DAY, _MONTH = "(0[1-9]|[12][0-9]|3[01])", "(0[1-9]|1[0-2])"
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


def _lead_field(rule: FieldRule) -> Schema:
    if rule.allowed:
        return f.one_of("One of these", *rule.allowed, *([] if rule.required else [""]))
    if rule.name in _KNOWN:
        return _KNOWN[rule.name]
    specified = SPECIFIED_LENGTHS.get(rule.name)
    longer = (
        f"The specification has {specified} characters: longer is a note, or refused where "
        "the partner is strict"
    )
    match rule.kind:
        case "email":
            return f.described(EMAIL.schema, longer)
        case "phone":
            return f.described(
                PHONE.schema, f"8 to 15 digits; + - ( ) and spaces may stand between them. {longer}"
            )
        case _:
            return f.text(longer if specified else "Text", rule.length_max, int(rule.required))


def _group(description: str, rules: tuple[FieldRule, ...], *, whole: bool) -> Schema:
    required = tuple(rule.name for rule in rules if rule.required) if whole else ()
    return _closed(
        message(description, required, **{rule.name: _lead_field(rule) for rule in rules})
    )


def _lead(description: str, required: tuple[str, ...], *, whole: bool, **more: Schema) -> Schema:
    """Return the schema of a lead. whole: all required fields have to be there."""
    groups = {
        name: _group("A group of fields", rules, whole=whole)
        for name, rules in leads.GROUPS.items()
    }
    signatory = _group("Who signs", leads.SIGNATORY, whole=whole)
    if not whole:
        signatory = {"anyOf": [signatory, {"type": "null"}]}
    signatories = _closed(message("By position", (), **dict.fromkeys(leads.POSITIONS, signatory)))
    signatories["minProperties"] = 1
    return _closed(message(description, required, **more, **groups, signatory_info=signatories))


_LEAD_ID = f.written(
    "Of a lead of yours", rf"^[1-9][0-9]{{0,{leads.LEAD_DIGITS_MAX - 1}}}$", "217383559059812"
)


def _form(declared: Schema) -> Schema:
    """Return the schema of a form: arrays are a text there."""
    arrays = {
        name: each for name, each in declared["properties"].items() if each.get("type") == "array"
    }
    texts = {
        name: {
            "type": "string",
            "description": "A JSON array",
            "contentMediaType": f.JSON,
            "contentSchema": each,
        }
        for name, each in arrays.items()
    }
    return declared | {
        "description": "The same in a form",
        "properties": declared["properties"] | texts,
    }


REQUESTS: dict[str, Schema] = {
    **{
        inner.__name__: schema_of(inner)
        for each in OPERATIONS
        for inner in with_those_inside(each.request)
    },
    "EntriesForm": _form(schema_of(EntriesRequest)),
    "NewLead": _lead("A new lead", (*leads.GROUPS, "signatory_info"), whole=True),
    "LeadUpdate": _lead(
        "Changes of a lead: what is not sent stays, a signatory that is null is removed",
        ("lead_id",),
        whole=False,
        lead_id=_LEAD_ID,
    )
    | {"minProperties": 2},
    "LeadRequest": message(
        "A sealed lead",
        ("query",),
        query=f.sealed(
            {"anyOf": [f.ref("NewLead"), f.ref("LeadUpdate")]},
            "The lead, encrypted",
            "affiliate ~:~ shared secret",
        ),
    ),
}
