"""Pages of the mailbox, and the same for scripts."""

from dataclasses import asdict

from litestar import Request, get
from litestar.types import ASGIApp

from hundi_testbed.bank import replies
from hundi_testbed.bank.bank import bank_of
from hundi_testbed.bank.pages import page


@get("/mailbox")
async def show_mailbox(request: Request) -> ASGIApp:
    """Show the mails that arrived lately, for one address or all."""
    recipient = request.query_params.get("to", "").strip()
    mails = bank_of(request).mailbox.mails(recipient)
    return page("mailbox.html", mails=mails, recipient=recipient)


@get("/mailbox/mails")
async def list_mails(request: Request) -> ASGIApp:
    """List the same for scripts."""
    mails = bank_of(request).mailbox.mails(request.query_params.get("to", "").strip())
    return replies.json([asdict(each) for each in mails])


@get("/mailbox/{number:int}")
async def show_mail(request: Request, number: int) -> ASGIApp:
    """Show one mail: its text as sent, and its HTML beside."""
    mail = bank_of(request).mailbox.one(number)
    if mail is None:
        message = "This mail is not kept any more."
        return page("message.html", status=404, title="No such mail", message=message)
    return page("mail.html", mail=mail)


@get("/mailbox/{number:int}/html")
async def show_html(request: Request, number: int) -> ASGIApp:
    """Show a mail as a mail program does: nothing in it is loaded, and no script runs."""
    mail = bank_of(request).mailbox.one(number)
    if mail is None:
        return page("message.html", status=404, title="No such mail", message="It is gone.")
    return replies.mail(mail.html)


ROUTES = (show_mailbox, list_mails, show_mail, show_html)
