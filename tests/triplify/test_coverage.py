"""Which elements of MODS make which triples."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from bibld.model.mods import Controlled, Identifier, Language, LanguageTerm, Mods, RecordInfo, TitleInfo
from bibld.model.mods_plan import plan_of
from bibld.model.mods_xml import read_element
from bibld.triplify import LANGUAGE_TAGS, effective_attributes, mods_coverage
from bibld.triplify._coverage import REASONS, attribute_name, reason_of

SPECIMENS = Path(__file__).parents[2] / "docs" / "specimens.xml"
SAME_CLASS = (
    (r"(originInfo/agent|subject/name)/", "name/"),
    (r"(originInfo|recordInfo)/(\w*[dD]ate\w*)/@", "originInfo/dateIssued/@"),
    (r"alternativeName/(namePart|nameIdentifier)/@", r"\1/@"),
)
"""Elements that are of one class in the model: the attributes of one are enough to show."""


def specimens() -> list[Mods]:
    root = etree.parse(SPECIMENS).getroot()
    found = [read_element(element) for element in root if isinstance(element.tag, str)]
    assert all(left_out == () for _, left_out in found)
    return [mods for mods, _ in found]


def shown(name: str) -> str:
    for pattern, replacement in SAME_CLASS:
        name = re.sub(pattern, replacement, name)
    return name


def declared_names(kind: type = Mods, name: str = "") -> Iterator[str]:
    """Yield the names of all elements of the model that contain text or foreign XML, and their attributes.

    The attributes that nearly every element may have, and the contents of ``relatedItem``, are left out.
    """
    plan = plan_of(kind)
    general = dict(plan_of(Controlled).attributes)
    for field, _ in plan.attributes:
        if field not in general:
            yield f"{name}/@{attribute_name(kind, field)}"
    if plan.has_text:
        yield name
    if plan.raw is not None:
        yield f"{name}/XML"
    for child in plan.children:
        inner = f"{name}/{child.tag.rpartition('}')[2]}".removeprefix("/")
        if child.kind is None:
            yield inner
        else:
            yield from declared_names(child.kind, inner)
    for tag, member in plan.inline_kinds.items():
        if not tag.startswith("{"):
            yield from declared_names(member, f"{name}/{tag}")


@pytest.fixture(scope="module")
def coverage():
    return mods_coverage(specimens())


def test_the_specimens_have_every_element_and_attribute_of_the_model(coverage):
    assert {shown(name) for name in declared_names()} - {shown(row.name) for row in coverage} == set()


def test_what_makes_no_triple_has_a_reason(coverage):
    silent = [row.name for row in coverage if not row.published]
    assert len(silent) > 50
    assert [name for name in silent if not reason_of(name)] == []


def test_every_reason_is_written_once():
    assert len({pattern for pattern, _ in REASONS}) == len(REASONS)


def test_a_title_makes_labels_and_a_node():
    (title,) = [row for row in mods_coverage([Mods(title_info=(TitleInfo("Anna"),))]) if row.name == "titleInfo/title"]
    assert (title.seen, title.published) == (1, 1)
    assert {"dcterms:title", "rdfs:label", "bf:title / bf:mainTitle"} <= set(title.triples)


def test_one_of_two_equal_nodes_is_counted_without_looking_at_its_number():
    mods = Mods(title_info=(TitleInfo("Anna"), TitleInfo("Pavel", type="translated")))
    rows = {row.name: row for row in mods_coverage([mods])}
    assert rows["titleInfo/title"].seen == 2
    assert "dcterms:alternative" in rows["titleInfo/title"].triples
    assert "bf:title / bf:mainTitle" in rows["titleInfo/@type"].triples


def test_a_language_changes_the_tags_of_texts():
    mods = Mods(
        title_info=(TitleInfo("Анна"),),
        language=(Language(language_term=(LanguageTerm("rus", type="code"),)),),
    )
    (term,) = [row for row in mods_coverage([mods]) if row.name == "language/languageTerm"]
    assert {"dcterms:language", LANGUAGE_TAGS} <= set(term.triples)


def test_what_is_seen_and_not_published_has_its_reason():
    mods = Mods(title_info=(TitleInfo("Anna"),), record_info=(RecordInfo(record_origin=("by hand",)),))
    (row,) = [row for row in mods_coverage([mods]) if row.name == "recordInfo/recordOrigin"]
    assert (row.seen, row.published, row.triples) == (1, 0, ())
    assert "about the record" in row.reason


def test_an_attribute_that_is_not_there_is_tried():
    mods = Mods(title_info=(TitleInfo("Anna"),), identifier=(Identifier("1", type="local"),))
    assert effective_attributes([mods], {"lang": "fre", "id": "x"}) == {"lang": ["titleInfo"], "id": []}


def test_no_description_gives_no_rows():
    assert mods_coverage([]) == []
    assert mods_coverage([Mods()]) == []
