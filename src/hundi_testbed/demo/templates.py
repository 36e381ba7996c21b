"""Templates of the demo's SMS and WhatsApp messages, with invented numbers."""

from collections.abc import Iterator
from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.letters.mobile import store
from hundi.letters.mobile.rules import MessageTemplate
from hundi.letters.rules import LetterChannel, LetterKind
from hundi.staff.people.rules import OPERATOR

_ENTITY, _HEADER = "1101000000000000001", "HUNDIP"
_SMS = {
    LetterKind.RECEIPT: "You paid Rs {#var#} to {#var#}. Order {#var#}. -Hundi demo",
    LetterKind.REFUND: "{#var#} refunded Rs {#var#}. Order {#var#}. -Hundi demo",
    LetterKind.LINK: "{#var#} asks you to pay Rs {#var#}: {#url#} -Hundi demo",
    LetterKind.LINK_REMINDER: "Reminder: {#var#} asks you to pay Rs {#var#}: {#url#} -Hundi demo",
    LetterKind.PAYER_CODE: "{#numeric#} shows your payment to {#var#}. Tell nobody. -Hundi demo",
    LetterKind.COMPLAINT_ANSWER: "{#var#} answered your complaint, order {#var#}. -Hundi demo",
}
_FIELDS = {
    LetterKind.RECEIPT: ("amount", "merchant", "order"),
    LetterKind.REFUND: ("merchant", "amount", "order"),
    LetterKind.LINK: ("merchant", "amount", "link"),
    LetterKind.LINK_REMINDER: ("merchant", "amount", "link"),
    LetterKind.PAYER_CODE: ("code", "merchant"),
    LetterKind.COMPLAINT_ANSWER: ("merchant", "order"),
}
_WHATSAPP = "Hello from {{1}}: Rs {{2}}. {{3}}"


def demo_templates(now: datetime) -> Iterator[MessageTemplate]:
    """Yield the operator's templates of a demo, in English."""
    for number, (kind, text) in enumerate(_SMS.items(), 1):
        yield MessageTemplate(
            OPERATOR,
            LetterChannel.SMS,
            kind,
            "en",
            f"11070000000000000{number:02}",
            _ENTITY,
            _HEADER,
            text,
            _FIELDS[kind],
            now,
        )
        if "amount" not in _FIELDS[kind]:
            continue
        yield MessageTemplate(
            OPERATOR,
            LetterChannel.WHATSAPP,
            kind,
            "en",
            f"hundi_{kind}",
            "",
            "",
            _WHATSAPP,
            ("merchant", "amount", _FIELDS[kind][-1]),
            now,
        )


async def seed_demo_templates(db: Database, now: datetime) -> None:
    """Write the demo's templates on the first start; changed ones stay."""
    if await store.select_all(db, OPERATOR):
        return
    for template in demo_templates(now):
        await store.write(db, template)
