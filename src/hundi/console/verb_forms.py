"""Forms of the console made from verbs: each verb says what to read, check and do."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from litestar import Response
from litestar.datastructures import UploadFile

from hundi.acquirers.port.payments import Connector
from hundi.api.context import GatewayContext
from hundi.console.guard import ConsoleRoute, message
from hundi.console.visits import BODY_BYTES_MAX, ConsoleVisit
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.kernel.states import Actor
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import UploadedFile, VerbParameter
from hundi.verbs.verb import OperatorVerb

FormValues = Mapping[str, str | UploadedFile]
"""What a form gave, by the names of the parameters."""
Reading = Callable[[ConsoleVisit], Awaitable[Mapping[str, str]]]
Failing = Callable[[ConsoleVisit, Refused], Awaitable[Response[Any]]]
ACT_ID = "act_id"
"""The field with the number of a form: sent twice, it is one act."""
PLACE = {"merchant_id", "merchant"}
"""Parameters that a merchant's place fills in."""
_SURE = "sure"
_RECEIVED_MAX = 60


@dataclass(frozen=True, slots=True)
class VerbForm:
    """Does a verb with a form's values, and shows a page.

    after: the path of that page, with the form's holes, and facts of the result. reading: returns
    the values by the parameters' names, where the form has others. failing: shows a refusal on the
    form's own screen, or raises it.
    """

    verb: OperatorVerb[Any]
    after: str
    reading: Reading | None = None
    failing: Failing | None = None

    async def __call__(self, visit: ConsoleVisit) -> Response[Any]:
        """Answer a form. Raises Refused."""
        try:
            typed = await self.reading(visit) if self.reading else visit.form
            result = await do(visit, self.verb, typed)
        except VerbProblemError as problem:
            return refused(visit, problem)
        except Refused as refusal:
            if self.failing is None:
                raise
            return await self.failing(visit, refusal)
        facts = result if isinstance(result, Mapping) else {}
        return visit.see(self.after.format(**{**facts, **visit.params}), self.verb.notice[0])


def form_of(
    verb: OperatorVerb[Any],
    path: str,
    after: str,
    reading: Reading | None = None,
    failing: Failing | None = None,
) -> ConsoleRoute:
    """Return the route of a screen's form that does a verb.

    path: as of a route. after: the page to show then, with the same holes. reading, failing: as of
    `VerbForm`.
    """
    form = VerbForm(verb, after, reading, failing)
    return ConsoleRoute("POST", path, form, verb.needs, verb.fresh, verb.at, largest_body(verb))


def largest_body(verb: OperatorVerb[Any]) -> int:
    """Return how many bytes a verb's form has at most, its files and documents with it."""
    return BODY_BYTES_MAX + sum(each.body_bytes_max for each in verb.parameters)


def choice_of(
    field: str, verbs: Mapping[str, OperatorVerb[Any]], path: str, after: str
) -> ConsoleRoute:
    """Return the route of a form with a button for each of several verbs with one permission.

    field: the name of the buttons. path, after: as of one verb.
    """
    one = next(iter(verbs.values()))
    form = VerbChoice(field, verbs, after)
    return ConsoleRoute("POST", path, form, one.needs, fresh=one.fresh, at=one.at)


@dataclass(frozen=True, slots=True)
class VerbChoice:
    """Does the verb of the pressed button. field: the name of the buttons."""

    field: str
    verbs: Mapping[str, OperatorVerb[Any]]
    after: str

    async def __call__(self, visit: ConsoleVisit) -> Response[Any]:
        """Answer a form. Raises Refused."""
        pressed = visit.form.get(self.field, "")
        if pressed not in self.verbs:
            allowed = " ".join(self.verbs)
            received = pressed[:_RECEIVED_MAX]
            raise refuse(
                RefusalCode.FIELD_INVALID, field=self.field, received=received, allowed=allowed
            )
        return await VerbForm(self.verbs[pressed], self.after)(visit)


async def do(visit: ConsoleVisit, verb: OperatorVerb[Any], typed: Mapping[str, Any]) -> Any:  # noqa: ANN401 (a Result)
    """Do a verb for a screen that reads its form itself. Raises Refused, VerbProblemError.

    typed: texts, or a file, by the names of the parameters.
    """
    given = {**typed, **await files_of(visit, verb)}
    return await verb.act(verb_context(visit, verb), parameters_by(visit, verb, given))


async def files_of(visit: ConsoleVisit, verb: OperatorVerb[Any]) -> dict[str, UploadedFile]:
    """Return the files of a form by the names of the parameters."""
    files: dict[str, UploadedFile] = {}
    for parameter in verb.parameters:
        sent = (await visit.request.form()).get(parameter.name) if parameter.is_file else None
        if isinstance(sent, UploadFile) and sent.filename:
            files[parameter.name] = UploadedFile(sent.filename, await sent.read())
    return files


def refused(visit: ConsoleVisit, problem: VerbProblemError) -> Response[Any]:
    """Return the page with the reason why a verb was not done."""
    words = str(problem)
    return message(visit, "This was refused", f"{words[0].upper()}{words[1:]}.", 409)


def verb_context(visit: ConsoleVisit, verb: OperatorVerb[Any]) -> VerbContext:
    """Return the context of a verb for a person."""
    assert visit.place is not None
    gateway, settings = visit.gateway, visit.gateway.settings
    return VerbContext(
        settings=settings,
        db=visit.db,
        vault=gateway.vault,
        directory=gateway.directory,
        accounts=gateway.accounts,
        now=visit.now,
        who=visit.who,
        trail=verb.trail,
        across=visit.place.merchant is None,
        name=visit.person.email,
        told_as=visit.person.name,
        actor=Actor.OPERATOR if visit.is_operator else Actor.MERCHANT,
        payment_page_url=settings.payment_page_url,
        base_url=settings.base_url,
        reference=f"console-{visit.form.get(ACT_ID) or new_id(visit.now)}",
        allow_private=settings.allow_private_callbacks or settings.demo,
        acquirers=partial(acquirers_of, gateway),
    )


async def acquirers_of(gateway: GatewayContext, capability: type = object) -> list[Connector]:
    """Return all acquirers that have a capability."""
    return [each for each in gateway.connectors.all() if isinstance(each, capability)]


def parameters_by(visit: ConsoleVisit, verb: OperatorVerb[Any], typed: FormValues) -> Any:  # noqa: ANN401 (the verb's parameters)
    """Return a verb's parameters from a form. Raises Refused (FIELD_INVALID, NO_RECORDS)."""
    if verb.sure and typed.get(_SURE) != "yes":
        raise refuse(RefusalCode.FIELD_INVALID, field=_SURE, allowed=f"a tick: {verb.sure}")
    return verb.parameter_class(
        **{each.name: _value(visit, each, typed) for each in verb.parameters}
    )


def _value(visit: ConsoleVisit, parameter: VerbParameter, typed: FormValues) -> Any:  # noqa: ANN401 (of the parameter's kind)
    if parameter.hints.signs:
        return visit.person.email
    if parameter.hints.only_command:
        return parameter.default
    if parameter.name in PLACE and visit.merchant_id:
        return visit.merchant_id
    if parameter.name not in visit.params:
        given = typed.get(parameter.name, "")
        return given if isinstance(given, UploadedFile) else parameter.read(given)
    value = visit.params[parameter.name]
    value = str(value) if parameter.kind is str else value
    if not parameter.holds(value):
        received = str(value)[:_RECEIVED_MAX]
        raise refuse(RefusalCode.NO_RECORDS, field=parameter.name, received=received)
    return value
