"""What is wrong with settings that are each of the right type."""

import re
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Protocol
from urllib.parse import urlsplit

ACQUIRER_KEY_LENGTH_MIN = 16
_ADDRESSES = ("base_url", "payment_page_url", "simbank_url")
_HOURS = re.compile(r"(never|([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)\Z")
_NETWORKS = ("trusted_proxies", "metrics_from")


class CompleteSettings(Protocol):
    """The settings that are looked at, and others."""

    @property
    def acquirer_key(self) -> str:
        """The key of the simulated bank."""
        ...

    @property
    def smtp_host(self) -> str:
        """The mail relay."""
        ...

    @property
    def mail_from(self) -> str:
        """The sender of mails."""
        ...

    @property
    def quiet_hours(self) -> str:
        """The hours without reminders."""
        ...


def faults_of(settings: CompleteSettings) -> Iterator[tuple[str, str]]:
    """Yield each fault of complete settings: the setting's name, and what is allowed."""
    for name in _ADDRESSES:
        if urlsplit(str(getattr(settings, name))).scheme not in {"http", "https"}:
            yield name, "must start with http:// or https://"
    if 0 < len(settings.acquirer_key) < ACQUIRER_KEY_LENGTH_MIN:
        yield "acquirer_key", f"{ACQUIRER_KEY_LENGTH_MIN} characters at least"
    if settings.smtp_host and "." not in settings.mail_from.rpartition("@")[2]:
        yield "mail_from", "an address of yours, such as no-reply@pay.example.in"
    if not _HOURS.match(settings.quiet_hours):
        yield "quiet_hours", "hours of the day such as 21:00-08:00, or never"
    for channel in ("sms", "whatsapp"):
        if getattr(settings, f"{channel}_provider"):
            yield from _provider_faults(settings, channel)
    for name in _NETWORKS:
        try:
            _ = [ip_network(each) for each in getattr(settings, name)]
        except ValueError as error:
            yield name, str(error)


def _provider_faults(settings: CompleteSettings, channel: str) -> Iterator[tuple[str, str]]:
    """Yield what is missing of a provider of SMS or WhatsApp."""
    is_bridge = getattr(settings, f"{channel}_provider") == "bridge"
    url, secret = (str(getattr(settings, f"{channel}_{part}")) for part in ("url", "secret"))
    if urlsplit(url).scheme not in {"http", "https"}:
        yield f"{channel}_url", "the provider's address, which starts with https://"
    if not secret or (is_bridge and not secret.startswith("whsec_")):
        words = "a key that starts with whsec_" if is_bridge else "our secret at the provider"
        yield f"{channel}_secret", words
    if not is_bridge and not getattr(settings, f"{channel}_account"):
        yield f"{channel}_account", "our account at the provider"
