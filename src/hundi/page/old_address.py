"""The explanation at an address of the payment page before version 4, for people and programs."""

from http import HTTPStatus

import msgspec
from litestar import Response

from hundi.api import replies, strays
from hundi.api.addresses import PAGE, description
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.page import messages, render
from hundi.page.texts import language_at, speaker


def explained(
    path: str, accept: str, languages: str, wished: str, request_id: str, *, again: bool
) -> Response[bytes]:
    """Return what a shop has to change that posts payments to an old address.

    accept, languages: the headers of the request. wished: the language of its query. again: the
    page may be shown in another language.
    """
    prefix = path.removesuffix("/").removesuffix("/index.php").removesuffix("/pay")
    new = prefix + PAGE[0]
    if strays.wants_json(accept):
        kits = "a kit of version 3 or 2 where the operator has turned it on for the merchant"
        allowed = f"{new} with a message of version 4; {kits}"
        refusal = Refusal(RefusalCode.ENVELOPE_UNREADABLE, "address", path, allowed)
        headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
        body = msgspec.json.encode(replies.refused(refusal, request_id))
        return Response(
            body, media_type="application/json", headers=headers, status_code=HTTPStatus.GONE
        )
    language = language_at(path, languages, wished)
    screen = messages.moved(path, new, description([])[0], speaker(language))
    return render.page(
        "message.html", replace(screen, again=again), language, status_code=HTTPStatus.GONE
    )
