"""UPI apps by name, each with a link that opens it on a phone; pure."""

from enum import StrEnum
from typing import NamedTuple

GENERAL = "upi://"
"""The start of a link that any UPI app may open (docs/spec/domain.md#upi-link)."""


class Platform(StrEnum):
    """A phone's system, for links to apps."""

    ANDROID = "android"
    """A link names the app's package: Chrome opens it, or does nothing if it is missing."""
    APPLE = "apple"
    """A link has a scheme of the app's own: the system asks whether it may open it."""
    OTHER = "other"
    """Not a phone, or an unknown one: the general link alone."""


class UpiApp(NamedTuple):
    """One app. package: on Android. begins: its links on an iPhone, in place of `upi://`."""

    name: str
    package: str
    begins: str


APPS = (
    UpiApp("Google Pay", "com.google.android.apps.nbu.paisa.user", "tez://upi/"),
    UpiApp("PhonePe", "com.phonepe.app", "phonepe://"),
    UpiApp("Paytm", "net.one97.paytm", "paytmmp://"),
    UpiApp("BHIM", "in.org.npci.upiapp", "bhim://"),
    UpiApp("CRED", "com.dreamplug.androidapp", "credpay://upi/"),
)
"""The most used apps, in order (docs/spec/domain.md#upi-apps)."""
SCHEMES = frozenset({"upi", "intent", *(app.begins.partition(":")[0] for app in APPS)})
"""The schemes of every link that opens an app."""


def platform_of(user_agent: str) -> Platform:
    """Return the system of a User-Agent."""
    if "Android" in user_agent:
        return Platform.ANDROID
    apple = any(name in user_agent for name in ("iPhone", "iPad", "iPod"))
    return Platform.APPLE if apple else Platform.OTHER


def links(link: str, platform: Platform, *, as_it_is: bool = False) -> tuple[tuple[str, str], ...]:
    """Return the apps that can open a `upi://` link by name, each with its own link.

    as_it_is: the link is an acquirer's and must not be changed; Android's form names an app around
    it.
    """
    request = link.removeprefix(GENERAL)
    match platform:
        case _ if as_it_is and (platform is not Platform.ANDROID or "#" in request):
            return ()
        case Platform.ANDROID:
            return tuple(
                (app.name, f"intent://{request}#Intent;scheme=upi;package={app.package};end")
                for app in APPS
            )
        case Platform.APPLE:
            return tuple((app.name, app.begins + request) for app in APPS)
        case Platform.OTHER:
            return ()
