"""What can be wrong with the mail relay, and with providers of SMS and WhatsApp."""

from hundi.doctor.rules import FindingKind, Level

MAIL_GOOD = FindingKind("mail_good", Level.GOOD, "The mail relay answers and takes us.")
MAIL_NONE = FindingKind(
    "mail_none",
    Level.NOTE,
    "No mail relay is set: nobody is told anything by mail.",
    "Name your relay in HUNDI_SMTP_HOST and the sender's address in HUNDI_MAIL_FROM"
    " (docs/letters.md).",
)
MAIL_UNREACHABLE = FindingKind(
    "mail_unreachable",
    Level.FAULT,
    "The mail relay does not answer, or its certificate is not right: letters wait.",
    "Correct HUNDI_SMTP_HOST, HUNDI_SMTP_PORT and HUNDI_SMTP_SECURITY, or start the relay.",
)
MAIL_REFUSES = FindingKind(
    "mail_refuses",
    Level.FAULT,
    "The mail relay refuses us: letters wait.",
    "Correct HUNDI_SMTP_USER and HUNDI_SMTP_PASSWORD, or allow this machine at the relay.",
)
PHONES_GOOD = FindingKind("phones_good", Level.GOOD, "The provider answers and knows us.")
PHONES_NONE = FindingKind(
    "phones_none",
    Level.NOTE,
    "No provider of SMS or WhatsApp is set: nobody is told anything on the phone.",
    "Name one in HUNDI_SMS_PROVIDER or HUNDI_WHATSAPP_PROVIDER (docs/letters.md).",
)
PHONES_UNREACHABLE = FindingKind(
    "phones_unreachable",
    Level.FAULT,
    "The provider of SMS or WhatsApp does not answer: letters wait.",
    "Correct its address in HUNDI_SMS_URL or HUNDI_WHATSAPP_URL, or wait until it is back.",
)
PHONES_REFUSES = FindingKind(
    "phones_refuses",
    Level.FAULT,
    "The provider of SMS or WhatsApp does not know us: letters wait.",
    "Correct account, user and secret in HUNDI_SMS_… or HUNDI_WHATSAPP_… (docs/letters.md).",
)
