"""The table of the status page's JSON names every field, and its lists of words are the code's."""

from hundi.api.status import document
from hundi.status.rules import OWN, ComponentState
from tests.docs.examples import ROOT

PAGE = (ROOT / "docs" / "status.md").read_text("utf-8")
FACTS = (
    document.StatusDocument,
    document.PageFacts,
    document.StatusFacts,
    document.ComponentFacts,
    document.AnnouncementFacts,
    document.ImpactFacts,
)


def test_every_field_is_named() -> None:
    names = {name for each in FACTS for name in each.__struct_fields__}
    assert {name for name in names if f"`{name}`" not in PAGE} == set()


def test_every_state_and_component_is_named() -> None:
    assert [each for each in ComponentState if f"`{each}`" not in PAGE] == []
    assert [each.name for each in OWN if f"| {each.name} |" not in PAGE] == []
