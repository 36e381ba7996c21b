"""Registered texts of SMS and WhatsApp messages."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from hundi.kernel.languages import OWN_NAMES
from hundi.kernel.refusals import RefusalCode
from hundi.letters.mobile import actions, store
from hundi.letters.mobile.rules import FIELDS, STOP, TEXT_LENGTH_MAX, MessageTemplate
from hundi.letters.rules import LetterChannel, LetterKind
from hundi.merchants.directory.rules import LANGUAGES
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import ID_MAX, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

_FACTS = " ".join(dict.fromkeys([*(name for names in FIELDS.values() for name in names), STOP]))
Place = Annotated[
    int,
    Meta(ge=0, le=ID_MAX, description="The merchant's id; 0 for the operator's, for every shop."),
]
Phone = Annotated[Literal["sms", "whatsapp"], Meta(description="By SMS or WhatsApp.")]
About = Annotated[
    Literal[
        "receipt",
        "refund",
        "refund_returned",
        "debit_notice",
        "link",
        "link_reminder",
        "payer_code",
        "complaint_answer",
    ],
    Meta(description="What the letter is about."),
]
Language = Annotated[
    str,
    Meta(description="The language of the text."),
    ParameterHints(known={each: OWN_NAMES[each] for each in LANGUAGES}),
]


Fields = Annotated[
    list[str] | None,
    Meta(
        description="The fact in each variable, in their order; repeat for several. A long fact may"
        f" fill variables that follow each other. Facts: {_FACTS}."
    ),
    ParameterHints(label="Facts"),
]


class TemplatesOfPlace(VerbParameters, frozen=True, kw_only=True):
    """Whose templates."""

    merchant_id: Place


class NamedTemplate(VerbParameters, frozen=True, kw_only=True):
    """One template."""

    merchant_id: Place
    channel: Phone
    kind: About
    language: Language = "en"


class NewTemplate(VerbParameters, frozen=True, kw_only=True):
    """A template as it was registered."""

    merchant_id: Place
    channel: Phone
    kind: About
    template_id: Annotated[
        str,
        Meta(
            description="The content template's 19 digits; of WhatsApp the template's name.",
            max_length=512,
        ),
        ParameterHints(by="name"),
    ]
    text: Annotated[
        str,
        Meta(
            description="The text exactly as it was registered, with its variables: {#var#} of an"
            " SMS, {{1}} of WhatsApp.",
            max_length=TEXT_LENGTH_MAX,
        ),
        ParameterHints(by="name"),
    ]
    field: Fields = None
    language: Language = "en"
    entity_id: Annotated[
        str, Meta(description="Of an SMS: the principal entity's 19 digits.", max_length=19)
    ] = ""
    header: Annotated[
        str, Meta(description="Of an SMS: the sender's six letters.", max_length=6)
    ] = ""


@verb("template list", Permission.PAYMENTS_SEE, at="both", title="Templates")
async def list_of(context: VerbContext, parameters: TemplatesOfPlace) -> Result:
    """List the registered texts of a merchant's messages, or the operator's."""
    templates = await store.select_all(context.db, parameters.merchant_id)
    return [_row(template) for template in templates]


@verb(
    "template set",
    Permission.MERCHANTS_CHANGE,
    at="both",
    trail="template.set",
    page="Write a template",
    button="Write",
    title="Written",
)
async def set_one(context: VerbContext, parameters: NewTemplate) -> Result:
    """Write the registered text of a kind of message, in place of the one before.

    The message that leaves is this text with its variables filled in, and nothing else. It leaves
    by the operator's account, so the operator writes it, also for a merchant with an own entity.
    """
    template = MessageTemplate(
        parameters.merchant_id,
        LetterChannel(parameters.channel),
        LetterKind(parameters.kind),
        parameters.language,
        parameters.template_id.strip(),
        parameters.entity_id.strip(),
        parameters.header.strip(),
        parameters.text,
        tuple(parameters.field or ()),
        context.now,
    )
    recorded = context.recording(
        parameters.merchant_id,
        f"{template.channel} {template.kind} {template.language}",
        template_id=template.template_id,
    )
    await actions.write_template(context.db, template, recorded)
    return _row(template)


@verb(
    "template remove",
    Permission.MERCHANTS_CHANGE,
    at="both",
    trail="template.remove",
    title="Removed",
    danger=True,
    refusals={RefusalCode.NO_RECORDS: "there is no such template of {channel} for {kind}"},
)
async def remove(context: VerbContext, parameters: NamedTemplate) -> Result:
    """Remove a registered text: such messages are withheld then."""
    named = parameters.channel, parameters.kind, parameters.language
    whose = (
        parameters.merchant_id,
        LetterChannel(parameters.channel),
        LetterKind(parameters.kind),
        parameters.language,
    )
    recorded = context.recording(parameters.merchant_id, " ".join(named))
    await actions.remove_template(context.db, whose, recorded)
    return dict(zip(("channel", "kind", "language"), named, strict=True))


def _row(template: MessageTemplate) -> dict[str, Any]:
    return {
        "channel": template.channel,
        "kind": template.kind,
        "language": template.language,
        "template_id": template.template_id,
        "entity_id": template.entity_id,
        "header": template.header,
        "text": template.registered,
        "fields": " ".join(template.fields),
        "written": template.written_at,
    }


VERBS = (list_of, set_one, remove)
