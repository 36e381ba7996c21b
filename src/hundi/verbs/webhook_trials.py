"""Sends trial notifications for people of a merchant, and writes each into the trail."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from hundi.api.merchant.trials import EVENTS, TrialNotification, notification
from hundi.infra.http.client import client_for_others
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import world_now
from hundi.kernel.masking import masked
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.rules import Merchant, wrong_setting
from hundi.notifications import actions
from hundi.notifications.actions import CalledServer
from hundi.staff.trail import actions as trail
from hundi.staff.trail import store as entries
from hundi.staff.trail.actions import Who

TRIALS_A_MINUTE = 10
"""Trials of one merchant in a minute, of all processes and commands together."""
ACT = "delivery.test"
"""The name in the trail of every trial."""
_HEADER_SHOWN_MAX = 200
_KEPT_BACK = {"set-cookie", "authorization", "www-authenticate", "proxy-authenticate"}
"""Headers of an answer that may hold a secret of the server."""


@dataclass(frozen=True, slots=True)
class SentTrial:
    """A trial that was sent, and what came back."""

    sent: TrialNotification
    called: CalledServer

    @property
    def answer_headers(self) -> Mapping[str, str]:
        """Return the headers of the answer for people, without what may be a secret."""
        return {
            name: "(kept back)" if name.lower() in _KEPT_BACK else masked(value)[:_HEADER_SHOWN_MAX]
            for name, value in self.called.headers.items()
        }


async def send(
    db: Database, merchant: Merchant, event: str, who: Who, now: datetime, *, allow_private: bool
) -> SentTrial:
    """Send a trial to the merchant's notification address, and return what came back.

    now: of the trail; the signature has the world's time. allow_private: whether the address may be
    a private one. Raises Refused (FIELD_INVALID, TOO_MANY_REQUESTS).
    """
    if event not in EVENTS:
        raise wrong_setting("event", event, " ".join(EVENTS))
    place, url = merchant.merchant_id, merchant.settings.notification_url
    minute_ago = now - timedelta(minutes=1)
    recent = await entries.select_page(db, place, act=ACT, since=minute_ago, limit=TRIALS_A_MINUTE)
    if len(recent) >= TRIALS_A_MINUTE:
        allowed = f"{TRIALS_A_MINUTE} trials a minute"
        raise refuse(RefusalCode.TOO_MANY_REQUESTS, allowed=allowed)
    # Written before the call, so that trials under way count, and none is without its entry.
    host = urlsplit(url).hostname or ""
    await trail.record(db, place, who, ACT, place, now, event=event, host=host)
    sent = notification(merchant, event, world_now())
    async with client_for_others(allow_private=allow_private) as http:
        called = await actions.call(
            http,
            url,
            sent.body,
            sent.headers,
            redirect_delivers=merchant.settings.redirect_delivers,
        )
    return SentTrial(sent, called)
