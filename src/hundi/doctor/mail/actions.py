"""Says hello to the mail relay and to providers of messages, and sends nothing."""

from collections.abc import Sequence

from hundi.doctor.context import DoctorContext
from hundi.doctor.mail.rules import (
    MAIL_GOOD,
    MAIL_NONE,
    MAIL_REFUSES,
    MAIL_UNREACHABLE,
    PHONES_GOOD,
    PHONES_NONE,
    PHONES_REFUSES,
    PHONES_UNREACHABLE,
)
from hundi.doctor.rules import DoctorFinding
from hundi.letters.mail import actions as mail
from hundi.letters.mobile import actions as mobile


async def look_at_relay(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find why letters would not leave."""
    settings = context.settings
    assert settings is not None
    if mail.open_relay(settings) is None:
        return [DoctorFinding(MAIL_NONE, "mail", "HUNDI_SMTP_HOST is not set")]
    about = str(settings.smtp_socket or f"{settings.smtp_host}:{settings.smtp_port}")
    look = await mail.look(settings)
    if look.reached and not look.problem:
        return [DoctorFinding(MAIL_GOOD, about, "it answers")]
    kind = MAIL_REFUSES if look.reached else MAIL_UNREACHABLE
    return [DoctorFinding(kind, about, look.problem)]


async def look_at_providers(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find why messages would not leave."""
    settings = context.settings
    assert settings is not None
    findings = []
    for channel in mobile.MOBILE:
        line = mobile.line_of(settings, channel)
        if line is None:
            continue
        about = f"{channel} by {line.kind.name}"
        look = await mobile.look(line)
        kind = PHONES_GOOD if look.reached and not look.problem else PHONES_REFUSES
        if not look.reached:
            kind = PHONES_UNREACHABLE
        findings.append(DoctorFinding(kind, about, look.problem or "it answers"))
    return findings or [DoctorFinding(PHONES_NONE, "phones", "HUNDI_SMS_PROVIDER is not set")]
