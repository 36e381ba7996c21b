"""The open route that makes late successes happen."""

from litestar import Request, post
from litestar.types import ASGIApp

from hundi_testbed.bank import replies
from hundi_testbed.bank.bank import bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.late_successes import store
from hundi_testbed.bank.messages import MadeDue


@post("/control/late-success", status_code=200)
async def make_due(request: Request) -> ASGIApp:
    """Make every waiting late success happen now.

    With a long `late_success_s`, a test or an integrator chooses the time by this.
    """
    bank = bank_of(request)
    number = await store.make_due(bank.db, clock.now())
    bank.scheduler.wake_in(0)
    return replies.json(MadeDue(number))


ROUTES = (make_due,)
