"""Writes tables of codes, settings, findings, alarms, fields and lists: `make tables`."""

import re
from pathlib import Path

import yaml

from hundi.acquirers.kinds import installed, kind_of
from hundi.api.replies import CODE_OF
from hundi.doctor.rules import OF_ANY_PROBE, FindingKind
from hundi.doctor.table import PROBES
from hundi.infra.settings_described import described, docstrings_of
from hundi.kernel.refusals import RefusalCode
from hundi.wire.codes import Code
from tools import field_tables
from tools.sdks import excerpts, sample_pages

_DOCS = Path(__file__).parents[1] / "docs"
_RULES = _DOCS.parent / "deploy" / "monitoring" / "rules.yml"
_CHOICE = re.compile(r"{{ if [^}]*}}.*?{{ else }}(.*?){{ end }}")
"""Words for an unusual value, and the usual words."""
_PLACEHOLDER = re.compile(r"{{[^}]*}}")
_RETRY = {
    "never": "no: the same request is always refused",
    "after_fix": "after a correction",
    "later": "yes, later",
}
_CODES = """# Codes

Every code that a reply's `response_code` (or `error_code`) can hold. This page is generated from
`hundi.wire.codes` and the gateway's table of refusals: change those, then run `make tables`.

The message of a reply begins with the words below; for bad input it goes on with the field, what
was received and what is allowed. Nothing else is said in a reply. The exact reason of a refusal,
with the canonical texts of a wrong checksum for example, is for the merchant's own eyes:
`hundi refusal list`.

| Code | Words | Can the same request succeed? | When |
| --- | --- | --- | --- |
{codes}

## Where they come from

One line for each refusal the gateway knows. Logs and metrics use the name.

| Name | Code | Retry | When |
| --- | --- | --- | --- |
{refusals}
"""


def generated() -> dict[Path, str]:
    """Return the right text of every page that is generated, whole or in part."""
    settings, doctor = _DOCS / "settings.md", _DOCS / "doctor.md"
    all_settings = _between(settings.read_text("utf-8"), "settings", _settings())
    monitoring = _DOCS / "monitoring.md"
    spec = [_DOCS / "spec" / f"{audience}-interfaces.md" for audience in ("payment", "partner")]
    return {
        **{page: field_tables.rewritten(page.read_text("utf-8")) for page in spec},
        _DOCS / "codes.md": _CODES.format(codes=_codes(), refusals=_refusals()),
        settings: _between(all_settings, "credentials", _credentials()),
        doctor: _between(doctor.read_text("utf-8"), "findings", _findings()),
        monitoring: _between(monitoring.read_text("utf-8"), "alarms", _alarms()),
        **_acquirers(),
        **_samples(),
    }


def _samples() -> dict[Path, str]:
    """Return the pages with samples in each language."""
    pages = {name: _DOCS / f"{name}.md" for name in sample_pages.pages()}
    called = {
        page: _between(page.read_text("utf-8"), "samples", sample_pages.shown_on(name))
        for name, page in pages.items()
    }
    texts = {page: called.get(page) or page.read_text("utf-8") for page in _DOCS.glob("*.md")}
    return called | {
        page: excerpts.rewritten(text) for page, text in texts.items() if excerpts.are_in(text)
    }


def _acquirers() -> dict[Path, str]:
    """Return the page of each kind of acquirer that says what to switch on there."""
    pages: dict[Path, str] = {}
    for name in installed():
        data = kind_of(name, {"kind": name}).sandbox
        items = list(data.switch_on)
        for capability, words in data.enabled_for.items():
            items[-1] = f"{items[-1].removesuffix('.')};"
            items.append(f"for `{capability}`: {words}.")
        page = _DOCS / f"{name.replace('_', '-')}.md"
        if items:
            listed = "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))
            pages[page] = _between(page.read_text("utf-8"), "switch on", listed)
    return pages


def _between(page: str, name: str, table: str) -> str:
    """Return a page with the part between its two markers replaced."""
    pattern = re.compile(rf"(<!-- {name}: generated -->\n).*?(<!-- {name}: end -->)", re.DOTALL)
    return pattern.sub(lambda found: f"{found[1]}\n{table}\n\n{found[2]}", page, count=1)


def _usual(summary: str) -> str:
    """Return what an alarm usually says, with a placeholder for each value."""
    return _PLACEHOLDER.sub("…", _CHOICE.sub(r"\1", summary))


def _alarms() -> str:
    """Return the table of the alarms of `deploy/monitoring/rules.yml`."""
    (group,) = yaml.safe_load(_RULES.read_text("utf-8"))["groups"]
    rows = [
        f"| [{rule['alert']}]({rule['annotations']['runbook'].removeprefix('docs/')}) |"
        f" {_usual(rule['annotations']['summary'])} |"
        f" {rule.get('for', 'at once')} | {rule['labels']['severity']} |"
        for rule in group["rules"]
    ]
    head = "| Alarm | Says | Fires after | Severity |\n| --- | --- | --- | --- |\n"
    return head + "\n".join(rows)


def _codes() -> str:
    meanings = docstrings_of(Code)
    return "\n".join(
        (
            f"| `{each.wire}` | {each.words} |"
            f" {'' if each is Code.SUCCESS else _RETRY[each.retry]} | {meanings[each.name]} |"
        )
        for each in Code
    )


def _refusals() -> str:
    meanings = docstrings_of(RefusalCode)
    return "\n".join(
        (
            f"| `{each.log_name}` | `{CODE_OF[each].wire}` | {_RETRY[each.retry.value]} |"
            f" {meanings[each.name]} |"
        )
        for each in RefusalCode
    )


def _settings() -> str:
    rows = [
        f"| `{each.variable}` | {_default(each.default)} | {each.allowed} | {each.meaning} |"
        for each in described()
    ]
    heads = ["| Variable | Default | Allowed | Meaning |", "| --- | --- | --- | --- |"]
    return "\n".join([*heads, *rows])


def _credentials() -> str:
    rows = [
        f"| `{each.credential}` | `{each.variable}` |" for each in described() if each.is_secret
    ]
    return "\n".join(["| Credential | In place of |", "| --- | --- |", *rows])


def _findings() -> str:
    tables = [f"### {probe.title}\n\n{probe.question}\n\n{_kinds(probe.kinds)}" for probe in PROBES]
    return "\n\n".join([*tables, f"### Any part\n\n{_kinds(OF_ANY_PROBE)}"])


def _kinds(kinds: tuple[FindingKind, ...]) -> str:
    rows = [
        f"| `{kind.code}` | {kind.level} | {kind.meaning} | {kind.remedy or 'nothing'} |"
        for kind in kinds
    ]
    return "\n".join(["| Code | Level | When | What to do |", "| --- | --- | --- | --- |", *rows])


def _default(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return f"`{','.join(value)}`"
    return ("on" if value else "off") if isinstance(value, bool) else f"`{value}`"


def main() -> None:
    """Write every generated page."""
    for page, text in generated().items():
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
