"""What is withheld is in no form of a description any more, and nothing else is touched."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.model import mods as m
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods_xml import to_element, to_xml
from bibld.model.origin import Origin
from bibld.model.withheld import WithheldValue, without_texts, without_values
from bibld.text.folding import tidy
from tests.strategies import mods as descriptions

TOLSTOY = m.Name(
    name_part=(m.NamePart(value="Tolstoy, Leo"), m.NamePart(value="1828-1910", type="date")),
    name_identifier=(m.NameIdentifier(value="96987389", type="viaf"),),
    value_uri="http://viaf.org/viaf/96987389",
)
BOOK = m.Mods(
    title_info=(m.TitleInfo(title="War and  peace", sub_title=("a novel",)),),
    name=(TOLSTOY,),
    physical_description=(m.PhysicalDescription(extent=(m.Extent(value="3 p."),)),),
    note=(m.Note(value="History"), m.Note(value="x = y"), m.Note(value="\u0041\u030angstrom")),
    subject=(m.Subject(parts=(m.Topic(value="History"), m.Temporal(value="19th century")), value_uri="http://id/1"),),
    related_item=(m.RelatedItem(type="host", mods=m.Mods(title_info=(m.TitleInfo(title="History"),))),),
    extension=(m.Extension(content=('<a xmlns="http://e" b="attribute"><b>secret</b></a>',)),),
)


def taken(*values: str) -> m.Mods:
    return without_values(BOOK, [WithheldValue.parse(value) for value in values])


def changed(*values: str) -> set[str]:
    found = taken(*values)
    return {name for name in m.Mods.elements if getattr(found, name) != getattr(BOOK, name)}


@pytest.mark.parametrize(
    ("value", "elements"),
    [
        ("History", {"note", "subject", "related_item"}),
        ("note=History", {"note"}),
        ("subject/topic = History", {"subject"}),
        ("relatedItem/titleInfo/title=History", {"related_item"}),
        ("x = y", {"note"}),
        ("\u00c5ngstrom ", {"note"}),
        ("secret", {"extension"}),
        ("attribute", {"extension"}),
        ("http://id/1", {"subject"}),
        ("history", set()),
        ("Hist", set()),
        ("title=War and peace", set()),
        ("note=", set()),
        ("extension= ", set()),
    ],
)
def test_a_value_is_the_complete_text_of_any_element_or_of_those_with_its_path(value, elements):
    assert changed(value) == elements


def test_a_name_is_removed_with_its_heading_but_not_with_its_dates():
    assert taken("Tolstoy, Leo").name == ()
    (name,) = taken("1828-1910").name
    assert name == msgspec.structs.replace(TOLSTOY, name_part=TOLSTOY.name_part[:1])


def test_a_title_is_removed_with_its_title_proper_but_not_with_its_subtitle():
    assert taken("War and peace").title_info == ()
    assert taken("a novel").title_info == (m.TitleInfo(title="War and  peace"),)


def test_a_heading_that_loses_a_part_loses_its_address():
    assert taken("subject/topic=History").subject == (m.Subject(parts=(m.Temporal(value="19th century"),)),)
    assert taken("History", "19th century").subject == ()


def test_an_element_that_holds_nothing_any_more_goes():
    assert taken("3 p.").physical_description == ()


@settings(max_examples=60)
@given(descriptions(), st.data())
def test_no_text_that_is_withheld_is_in_the_xml_any_more(mods, data):
    texts = sorted({tidy(text) for text in to_element(mods).itertext() if tidy(text)})
    if not texts:
        return
    text = data.draw(st.sampled_from(texts))
    rest = without_values(mods, [WithheldValue("", text)])
    assert text not in {tidy(one) for one in to_element(rest).itertext()}
    assert without_values(rest, [WithheldValue("", text)]) == rest
    assert without_values(mods, [WithheldValue("", text + " and nothing like it")]) is mods
    assert to_xml(rest)


def marc(*fields: tuple[str, str]) -> MarcRecord:
    made = [
        ControlField(tag, text)
        if tag < "010"
        else DataField(tag, " ", " ", tuple(Subfield(part[0], part[1:]) for part in text.split("$")[1:]))
        for tag, text in fields
    ]
    return MarcRecord(Origin("lib", "x", 1, 0), Leader("00000nam a2200000 i 4500"), tuple(made))


RECORD = marc(
    ("001", "1869"),
    ("008", "900101s1869    ru            000 0 eng d"),
    ("020", "$a978-0-14-044793-4 (pbk.)"),
    ("100", "$aTolstoy, Leo,$d1828-1910."),
    ("245", "$aWar and peace /$cby Leo Tolstoy."),
    ("260", "$c1869."),
    ("461", "$1001nlr-7$12001 $aSecret series"),
)


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("Tolstoy, Leo", {"100", "245"}),
        ("War and peace", {"245"}),
        ("titleInfo/title=War and Peace", {"245"}),
        ("1828-1910", {"100"}),
        ("1869", {"008", "260"}),
        ("9780140447934", {"020"}),
        ("Secret series", {"461"}),
        ("Warp and pea", set()),
    ],
)
def test_the_fields_of_the_original_that_hold_a_value_are_left_out_but_the_control_number(value, tags):
    rest = without_texts(RECORD, [WithheldValue.parse(value)])
    assert {field.tag for field in RECORD.all_fields} - {field.tag for field in rest.all_fields} == tags


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("***", {"500"}),
        ("* * *", set()),
        ("leo TOLSTOY", {"100", "245"}),
        ("978-014044", {"020"}),
        ("9780", {"020"}),
        ("978", {"020"}),
        ("97", set()),
        ("793", set()),
        ("abcd", set()),
    ],
)
def test_which_fields_contain_a_text_of_signs_of_words_or_of_digits(value, tags):
    record = marc(
        ("001", "9780140447934"),
        ("020", "$a978 0-14-044793-4 (pbk.)"),
        ("100", "$aTolstoy, Leo"),
        ("245", "$aWar$cby Leo$dTolstoy"),
        ("500", "$a ***"),
        ("501", "$axabcdx"),
    )
    rest = without_texts(record, [WithheldValue.parse(value)])
    assert {field.tag for field in record.all_fields} - {field.tag for field in rest.all_fields} == tags
    assert (rest.origin, rest.leader) == (record.origin, record.leader)


def test_a_description_that_loses_all_its_elements_is_empty():
    assert without_values(m.Mods(note=(m.Note(value="x"),)), [WithheldValue("", "x")]) == m.Mods()
    assert without_values(m.Mods(), [WithheldValue("", "x")]) == m.Mods()


def test_attributes_with_an_address_or_a_label_are_removed_and_their_element_remains():
    note = m.Note(value="x", display_label="label", xlink_href="http://h", type="ownership")
    mods = m.Mods(note=(note,))
    for text, attribute in (("label", "display_label"), ("http://h", "xlink_href")):
        (found,) = without_values(mods, [WithheldValue("", text)]).note
        assert found == msgspec.structs.replace(note, **{attribute: None})
    assert without_values(mods, [WithheldValue("", "ownership")]) is mods
    assert (
        without_values(mods, [WithheldValue.parse("note=x"), WithheldValue("note/@displayLabel", "label")]).note == ()
    )
    (found,) = without_values(mods, [WithheldValue("note/@displayLabel", "label")]).note
    assert found.display_label is None


def test_a_name_keeps_its_heading_without_terms_of_address_and_goes_without_a_part_of_the_heading():
    parts = (
        m.NamePart(value="Leo", type="given"),
        m.NamePart(value="Tolstoy", type="family"),
        m.NamePart(value="graf", type="termsOfAddress"),
    )
    mods = m.Mods(name=(m.Name(name_part=parts),))
    assert without_values(mods, [WithheldValue("", "graf")]).name == (m.Name(name_part=parts[:2]),)
    assert without_values(mods, [WithheldValue("", "Leo")]).name == ()
