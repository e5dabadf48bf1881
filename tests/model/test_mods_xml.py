"""MODS as XML: what is written can be read again, is valid, and nothing is left out silently."""

from __future__ import annotations

import io
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from lxml import etree

from bibld.model import mods as model
from bibld.model.mods import (
    Extension,
    HoldingSimple,
    Mods,
    Name,
    Note,
    RelatedItem,
    Subject,
    TitleInfo,
    Topic,
)
from bibld.model.mods_plan import MODS, plan_of, xml_name
from bibld.model.mods_xml import from_element, from_xml, read_element, to_element, to_xml, write_collection
from tests.model.valid_mods import valid_mods
from tests.strategies import any_texts, mods

DATA = os.environ.get("BIBLD_TEST_DATA")
with_data = pytest.mark.skipif(not DATA, reason="BIBLD_TEST_DATA is not set")
RELAXED = settings(max_examples=40)


def read(inside: str) -> tuple[Mods, tuple[str, ...]]:
    return read_element(
        etree.fromstring(f'<mods xmlns="{MODS}" xmlns:xlink="http://www.w3.org/1999/xlink">{inside}</mods>')
    )


# --- writing


def test_a_title_is_written_in_the_elements_of_the_standard() -> None:
    mods = Mods(title_info=(TitleInfo(non_sort="The ", title="Idiot", sub_title=("a novel",), xml_lang="en"),))
    assert etree.tostring(to_element(mods), method="c14n", exclusive=True).decode() == (
        '<mods:mods xmlns:mods="http://www.loc.gov/mods/v3" version="3.8"><mods:titleInfo xml:lang="en">'
        '<mods:nonSort xml:space="preserve">The </mods:nonSort><mods:title>Idiot</mods:title>'
        "<mods:subTitle>a novel</mods:subTitle></mods:titleInfo></mods:mods>"
    )


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("title_info", "titleInfo"),
        ("authority_uri", "authorityURI"),
        ("value_uri", "valueURI"),
        ("type_uri", "typeURI"),
        ("event_type_uri", "eventTypeURI"),
        ("other_type_auth", "otherTypeAuth"),
        ("other_type_auth_uri", "otherTypeAuthURI"),
        ("other_type_uri", "otherTypeURI"),
        ("id", "ID"),
        ("url", "url"),
        ("date_last_accessed", "dateLastAccessed"),
        ("extraterrestrial_area", "extraTerrestrialArea"),
        ("xlink_href", "{http://www.w3.org/1999/xlink}href"),
        ("xml_lang", "{http://www.w3.org/XML/1998/namespace}lang"),
    ],
)
def test_names_are_those_of_the_standard(field: str, name: str) -> None:
    assert xml_name(field) == name


def test_the_parts_of_a_subject_are_its_children_in_their_order() -> None:
    subject = Subject(parts=(Topic(value="History"), TitleInfo(title="Bible"), Topic(value="Criticism")))
    element = to_element(Mods(subject=(subject,)))[0]
    assert [etree.QName(part).localname for part in element] == ["topic", "titleInfo", "topic"]


def test_an_empty_et_al_has_a_meaning_and_comes_before_the_role() -> None:
    mods, left_out = read("<name><etal/><affiliation>MGU</affiliation></name>")
    assert mods.name == (Name(etal="", affiliation=("MGU",)),)
    assert left_out == ()
    assert [etree.QName(part).localname for part in to_element(mods)[0]] == ["etal", "affiliation"]


@given(any_texts())
def test_characters_that_xml_cannot_hold_never_reach_the_output(text: str) -> None:
    noted = Mods(note=(Note(value=f"a{text}b", type=f"c{text}d"),), extension=(Extension(content=(f"<x>{1}</x>",)),))
    (note,) = from_xml(to_xml(noted)).note
    kept = [c for c in text if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c >= "\U00010000"]
    assert note.value == f"a{''.join(kept)}b"
    assert note.type == f"c{''.join(kept)}d"


def test_foreign_xml_that_is_none_is_an_error_that_shows_it() -> None:
    with pytest.raises(ValueError, match=r"foreign XML that is not well-formed: .*'<open>'"):
        to_element(Mods(extension=(Extension(content=("<open>",)),)))


def test_a_collection_holds_every_description() -> None:
    out = io.BytesIO()
    items = [Mods(note=(Note(value=str(number)),)) for number in range(3)]
    assert write_collection(iter(items), out) == 3
    root = etree.fromstring(out.getvalue())
    assert root.tag == f"{{{MODS}}}modsCollection"
    assert [from_element(element) for element in root] == items


# --- reading


def test_what_has_no_place_is_named_by_its_path() -> None:
    mods, left_out = read(
        '<titleInfo><title lang="rus">A</title><title>B</title></titleInfo><invented/>'
        "<name>stray<namePart>C <i>D</i></namePart></name>"
        "<location><holdingSimple/><holdingSimple><copyInformation><subLocation>x</subLocation></copyInformation>"
        "</holdingSimple></location>"
    )
    assert mods.title_info[0].title == "A ; B"
    assert mods.name[0].name_part[0].value == "C D"
    assert mods.location[0].holding_simple != HoldingSimple()
    assert left_out == ("titleInfo/title/@lang", "invented", "name/namePart/i", "name/text()")


def test_a_second_holding_is_named() -> None:
    items = "<holdingSimple><copyInformation><subLocation>x</subLocation></copyInformation></holdingSimple>"
    assert read(f"<location>{items}{items}</location>")[1] == ("location/holdingSimple",)


def test_empty_elements_are_ignored() -> None:
    mods, left_out = read("<note/><titleInfo><title>A</title><subTitle> </subTitle></titleInfo><genre authority=''/>")
    assert mods == Mods(title_info=(TitleInfo(title="A"),))
    assert left_out == ()


def test_mods_without_a_namespace_are_read_too() -> None:
    assert from_xml(b"<mods><titleInfo><title> A\n</title></titleInfo></mods>").title_info[0].title == "A"


def test_comments_and_instructions_do_not_cut_texts() -> None:
    element = etree.fromstring(f'<mods xmlns="{MODS}"><note>a<!-- b -->c<?d e?>f</note></mods>')
    assert read_element(element) == (Mods(note=(Note(value="acf"),)), ())


def test_related_items_describe_with_all_elements() -> None:
    mods, left_out = read(
        '<relatedItem type="host" displayLabel="In"><titleInfo><title>A</title></titleInfo>'
        '<relatedItem type="series"><titleInfo><title>B</title></titleInfo></relatedItem></relatedItem>'
    )
    inner = RelatedItem(type="series", mods=Mods(title_info=(TitleInfo(title="B"),)))
    outer = Mods(title_info=(TitleInfo(title="A"),), related_item=(inner,))
    assert mods.related_item == (RelatedItem(type="host", display_label="In", mods=outer),)
    assert left_out == ()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"<mods>", "not well-formed XML"),
        (b"", "not well-formed XML"),
        (b"<html/>", "not <mods>"),
        (b'<mods xmlns="urn:other"/>', "not <mods>"),
        (b'<!DOCTYPE mods [<!ENTITY e "x">]><mods><note>&e;</note></mods>', "document type declaration"),
        (b'<!DOCTYPE mods SYSTEM "file:///etc/passwd"><mods/>', "document type declaration"),
    ],
)
def test_other_xml_is_an_error_with_its_cause(data: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        from_xml(data)


# --- laws


@RELAXED
@given(mods())
def test_what_is_written_can_be_read_again(mods: Mods) -> None:
    assert read_element(etree.fromstring(to_xml(mods))) == (mods, ())
    assert from_xml(to_xml(mods)) == mods


def classes(kind: type) -> set[type]:
    """Return a class of the model and all classes of its content."""
    seen, waiting = {kind}, [kind]
    while waiting:
        plan = plan_of(waiting.pop())
        for inner in (*(child.kind for child in plan.children), *plan.inline_kinds.values()):
            if inner is not None and inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return seen


def test_the_plans_cover_every_field_of_every_class_of_the_model() -> None:
    not_elements = {"Element", "Text", "Controlled", "ControlledValue", "Term"}
    declared = {
        kind
        for name, kind in vars(model).items()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and name not in not_elements
    }
    assert classes(Mods) >= declared
    for kind in classes(Mods):
        plan = plan_of(kind)
        fields = {name for name, _ in plan.attributes} | {child.field for child in plan.children}
        fields |= {name for name in (plan.raw, plan.inline) if name} | ({"value"} if plan.has_text else set())
        assert fields == set(kind.__struct_fields__)


def test_an_indented_document_has_the_same_content() -> None:
    described = Mods(title_info=(TitleInfo(non_sort="The ", title="A"),), note=(Note(value="b\n c"),))
    pretty = to_xml(described, pretty=True)
    assert pretty.count(b"\n  ") > 3
    assert from_xml(pretty) == described


# --- the schema, and real documents


def schema(version: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(Path(DATA or "") / "mods" / "schema" / f"mods-{version}.xsd"))


@with_data
@pytest.mark.parametrize("version", ["3-7", "3-8"])
def test_plain_descriptions_are_valid(version: str) -> None:
    checker = schema(version)

    @RELAXED
    @given(valid_mods())
    def check(mods: Mods) -> None:
        element = to_element(mods)
        element.set("version", version.replace("-", "."))
        checker.assertValid(element)

    check()


KNOWN_LEFT_OUT = {
    "@ID",  # of mods itself
    "location/holdingSimple/copyInformation/enumerationAndChronology",
    "physicalDescription/dimensions",  # not MODS
    "subject/geographic/placeTerm",  # not MODS
    "name/role/toleTerm",  # a slip of the pen in the source
}


@with_data
def test_real_documents_survive_but_for_what_is_named() -> None:
    checker, documents, count = schema("3-8"), sorted((Path(DATA or "") / "mods" / "real").glob("*.xml")), 0
    for document in documents:
        try:
            tree = etree.parse(document)
        except etree.XMLSyntaxError:
            continue
        for element in tree.iter(f"{{{MODS}}}mods"):
            mods, left_out = read_element(element)
            assert set(left_out) <= KNOWN_LEFT_OUT, document.name
            written = to_element(mods)
            assert from_xml(to_xml(mods)) == mods, document.name
            if not left_out:
                assert content_of(written) == content_of(element), document.name
            if checker.validate(element):
                assert checker.validate(written), (document.name, checker.error_log)
            count += 1
    assert count > 90


def content_of(root: etree._Element) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return the content of a document, without the order of elements, white space around texts, and empty elements."""
    rows = []
    for element in root.iter("*"):
        path = "/".join(
            etree.QName(step).localname for step in (*reversed(list(element.iterancestors("*"))), element)
        ).partition("mods/")[2]
        texts = (element.text or "", *(child.tail or "" for child in element))
        attributes = [
            (str(name), str(value))
            for name, value in sorted(element.attrib.items())
            if value and not str(name).startswith("{http://www.w3.org/2001/XMLSchema-instance}")
        ]
        attributes = [pair for pair in attributes if not pair[0].endswith("namespace}space") and path]
        text = "".join(texts).strip()
        if path and (text or attributes):
            rows.append((path, text, attributes))
    return sorted(rows)


@pytest.mark.parametrize("head", ["", "<?xml version='1.0' encoding='windows-1251'?>"])
def test_text_is_read_whatever_charset_it_declares(head):
    assert from_xml(f"{head}<mods xmlns='{MODS}'><titleInfo><title>Идиот</title></titleInfo></mods>") == Mods(
        title_info=(TitleInfo(title="Идиот"),)
    )


def test_only_mods_is_written():
    with pytest.raises(
        TypeError, match=r"expected MODS, got list; convert files and records with bibld\.to_mods first"
    ):
        to_xml([])
