"""Providers of payouts, played by stand-ins beside a running gateway."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hundi.acquirers.cashfree_payouts.rules import cashfree_id
from tests.acquirers.cashfree_payouts import standin as cashfree
from tests.acquirers.razorpayx import standin as razorpayx
from tests.acquirers.stage import Document, Webhook
from tests.system.acquirer_accounts import acquirer, alongside
from tests.system.running import RunningGateway

WEALTH = 10_000_000_000
SMALL_PAISE, LARGE_PAISE = 60_000, 149_950
"""Orders whose shares go to the first and to the second provider."""
PLAN = """
[[rules]]
name = "small"
use = [{ acquirer = "south" }]
when = { up_to_paise = 100000 }

[[rules]]
name = "large"
use = [{ acquirer = "west" }]
"""


@dataclass
class PayoutProvider:
    """A provider's stand-in, and how its bank is played.

    name: of its account at the gateway. paise: of an order whose share it gets. key: makes our
    reference its name of a payout. call: the end of an inquiry. closed: the reason with which a
    payout fails.
    """

    name: str
    paise: int
    stage: Any
    loop: asyncio.AbstractEventLoop
    key: Callable[[str], str]
    call: str
    closed: str
    fee: list[str]
    """What is posted of its fee, when a payout is paid and comes back."""

    @property
    def played(self) -> Any:
        """Return what moves its payouts."""
        return self.stage.payouts if self.name == "south" else self.stage.transfers

    def settle(self, reference: str, utr: str | None = None) -> Webhook:
        """Credit a payout, and return the webhook that tells it."""
        self.played.settle(self.key(reference), utr)
        return self.newest()

    def reverse(self, reference: str) -> Webhook:
        """Send a payout back, and return the webhook that tells it."""
        self.played.reverse(self.key(reference))
        return self.newest()

    def fail(self, reference: str, reason: str) -> Webhook:
        """Let a payout fail, and return the webhook that tells it."""
        self.played.fail(self.key(reference), reason)
        return self.newest()

    def newest(self) -> Webhook:
        """Return the newest webhook about a payout."""
        return [
            each
            for each in self.stage.events()
            if "payout" in each.name.lower() or "transfer" in each.name.lower()
        ][-1]

    def utr(self, reference: str, utr: str) -> None:
        """Let the provider name another UTR of a payout."""
        self.payout(reference).utr = utr

    def payout(self, reference: str) -> Any:
        """Return its record of a payout."""
        if self.name == "south":
            return self.stage.payouts.payout(reference)
        return self.stage.transfers.one(self.key(reference))

    def times(self, reference: str) -> int:
        """Return how many payouts it made of a reference."""
        if self.name == "south":
            return len(self.stage.books.of_reference(reference))
        return int(self.key(reference) in self.stage.books.transfers)

    def says(self, change: Callable[[Document], Document]) -> None:
        """Say something else at the next inquiry."""
        self.stage.change(self.call, change)

    def about(self, webhook: Webhook, before: str, reference: str) -> Webhook:
        """Return a webhook with a right signature about another payout."""
        body = webhook.body.replace(self.key(before).encode(), self.key(reference).encode())
        assert body != webhook.body
        return self.stage.signed(webhook.name, body)

    def forged(self, webhook: Webhook) -> list[Webhook]:
        """Return webhooks that only look like one of the provider's."""
        return [
            webhook.unsigned(),
            webhook.reserialised(),
            webhook.saying(created_at=1, event_time="2026-11-01T00:00:00"),
            self.stage.signed(webhook.name, webhook.body, secret="another secret of 16"),
        ]

    def tell(self, gateway: RunningGateway, webhook: Webhook) -> int:
        """Send a webhook to the gateway, and return the status of its answer."""
        sending = self.stage.send(webhook, f"{gateway.base_url}/callbacks/{self.name}")
        return asyncio.run_coroutine_threadsafe(sending, self.loop).result(20)


@contextmanager
def south(gateway: RunningGateway, *arguments: str) -> Iterator[PayoutProvider]:
    """Run RazorpayX's stand-in, and add an account there to a gateway.

    arguments: more of the command that adds it.
    """
    with alongside(razorpayx.RazorpayX.running()) as (stage, loop):
        stage.new_account(paise=WEALTH)
        fields = {
            "mode": "test",
            "key_id": razorpayx.KEY_ID,
            "key_secret": razorpayx.KEY_SECRET,
            "account_number": razorpayx.ACCOUNT_NUMBER,
            "webhook_secret": razorpayx.WEBHOOK_SECRET,
            "url": stage.base,
        }
        acquirer(gateway, "add", "south", "razorpayx", *arguments, fields=fields)
        yield PayoutProvider(
            name="south",
            paise=SMALL_PAISE,
            stage=stage,
            loop=loop,
            key=str,
            call="",
            closed="bank_account_closed",
            fee=["payout_fee", "payout_fee_back"],
        )


@contextmanager
def west(gateway: RunningGateway) -> Iterator[PayoutProvider]:
    """Run the stand-in of Cashfree Payouts, and add an account there to a gateway."""
    with alongside(cashfree.CashfreePayouts.running(paise=WEALTH)) as (stage, loop):
        fields = {
            "environment": "sandbox",
            "client_id": cashfree.CLIENT_ID,
            "client_secret": cashfree.CLIENT_SECRET,
            "url": stage.url,
            "balance_url": stage.url,
        }
        arguments = ("west", "cashfree_payouts")
        acquirer(gateway, "add", *arguments, fields=fields)
        yield PayoutProvider(
            name="west",
            paise=LARGE_PAISE,
            stage=stage,
            loop=loop,
            key=cashfree_id,
            call="GET /payout/transfers",
            closed="INVALID_ACCOUNT_FAIL",
            fee=["payout_fee"],
        )
