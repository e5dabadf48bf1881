"""The UNIMARC family: level rules, dates, coverage, and what must hold for any record."""

from __future__ import annotations

import re

import pytest

from bibld.crosswalk import rusmarc, unimarc
from bibld.errors import CrosswalkError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods_xml import to_element
from bibld.model.origin import Origin


def record(*fields, leader="     nam0 22     i 450 "):
    """A record from texts such as ``200 1#$aTitle`` or ``001 number``."""
    made = []
    for text in fields:
        tag, rest = text[:3], text[4:]
        if tag < "010":
            made.append(ControlField(tag, rest))
            continue
        indicators, *subfields = rest.split("$")
        indicators = indicators.replace("#", " ").ljust(2)
        made.append(
            DataField(tag, indicators[0], indicators[1], tuple(Subfield(item[0], item[1:]) for item in subfields))
        )
    return MarcRecord(Origin("x", "x.mrk", 1, 0), Leader(leader), tuple(made))


def converted(*fields, leader="     nam0 22     i 450 ", adapter=rusmarc, **options):
    return adapter.convert(record(*fields, leader=leader), adapter.Settings(**options))


def mods(*fields, **options):
    return converted(*fields, **options).mods


VOLUME = "     nam2 22     i 450 "


# --- levels


def test_set_statement_of_the_resource_is_not_written_twice():
    found = mods("200 1#$aTome", "225 1#$aHarry Potter$v7", "461 #0$012$tHarry Potter$v7", adapter=unimarc)
    assert [(item.type, item.other_type) for item in found.related_item] == [("host", "set")]


LINK_TAGS = [
    tag for rule in rusmarc.RULES.rules if "type and otherType of the tag" in rule.writes for tag, _ in rule.reads
]


@pytest.mark.parametrize("tag", LINK_TAGS)
def test_both_techniques_give_the_same_mods(tag):
    embedded = mods("200 1#$aКнига", f"{tag} #0$12001#$aДругая$1210##$aМосква$d1990$1011##$a0378-5955")
    standard = mods("200 1#$aКнига", f"{tag} #0$tДругая$cМосква$d1990$x0378-5955")
    assert embedded == standard
    assert embedded.related_item[0].mods.title_info[0].title == "Другая"


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        (("215 ##$a200 с.",), "text"),
        (("215 ##$a1 партитура (20 с.)",), "notated music"),
        (("125 ##$ab#",), "notated music"),
        (("610 0#$aПесни",), "notated music"),
    ],
)
def test_music_is_what_some_field_calls_music_not_the_leader_alone(fields, kind):
    result = converted("200 1#$aФилософия", *fields, leader="     ncm0 22     i 450 ")
    assert [resource.value for resource in result.mods.type_of_resource] == [kind]
    assert bool(result.warnings) == (kind == "text")


@pytest.mark.parametrize("damaged", ["", "2001", "||||||||d", "20011399d2003", "########d####    "])
def test_damaged_coded_data_gives_no_dates(damaged):
    found = mods("200 1#$aКнига", f"100 ##$a{damaged}")
    assert found.record_info == () or found.record_info[0].record_creation_date == ()


# --- single conventions


@pytest.mark.parametrize("marks", ["\x98{}\x9c", "\x88{}\x89"])
def test_what_sorting_skips_is_separate(marks):
    found = mods("200 1#$a" + marks.format("Le ") + "grand Meaulnes").title_info[0]
    assert (found.non_sort, found.title) == ("Le ", "grand Meaulnes")


def test_angle_brackets_are_marks_only_where_the_settings_state_it():
    field = "200 1#$a<<The >>whale"
    assert mods(field).title_info[0].title == "<<The >>whale"
    assert mods(field, angle_brackets=True).title_info[0].non_sort == "The "


def test_elided_articles_keep_their_apostrophe_without_a_blank():
    assert mods("200 1#$a\x98L'\x9cétranger").title_info[0].non_sort == "L'"


def test_most_unimarc_relators_have_a_marc_code():
    terms = [
        mods("200 1#$aК", f"702 #1$aИванов$4{number:03}").name[0].role[0].role_term[0] for number in range(5, 800, 5)
    ]
    marc = [term.value for term in terms if term.authority == "marcrelator"]
    assert len(marc) > 90
    assert all(re.fullmatch("[a-z]{3}", code) for code in marc)


def test_author_is_assumed_only_where_the_settings_state_it():
    fields = ("200 1#$aК", "700 #1$aИванов$bИ.")
    assert mods(*fields).name[0].role == ()
    assert mods(*fields, authors_without_role=True).name[0].role[0].role_term[0].value == "aut"


def test_bare_authority_number_is_private_unless_its_base_is_known():
    fields = ("200 1#$aК", "606 0#$aКниги$30001710")
    result = converted(*fields)
    assert result.mods.subject[0].value_uri is None
    assert result.private == ("606$3",)
    assert (
        mods(*fields, authority_base="https://example.org/a/").subject[0].value_uri == "https://example.org/a/0001710"
    )


def test_class_mark_without_a_scheme_is_russian_only_in_rusmarc():
    fields = ("200 1#$aК", "686 ##$a84(2)6")
    assert mods(*fields).classification[0].authority == "rubbk"
    assert mods(*fields, adapter=unimarc).classification[0].authority is None


def test_prices_are_private_unless_they_are_wanted():
    fields = ("200 1#$aК", "010 ##$a5-7390-0346-6$d120 р.")
    assert converted(*fields).private == ("010$d",)
    assert [note.value for note in mods(*fields, keep_terms=True).note] == ["120 р."]


def test_pictures_and_contents_of_a_resource_are_no_other_resources_in_rusmarc():
    fields = ("200 1#$aК", "856 41$uhttps://example.org/a.jpg", "856 42$uhttps://example.org/b")
    russian, french = mods(*fields), mods(*fields, adapter=unimarc)
    assert [location.url[0].access for location in russian.location] == ["preview", "preview"]
    assert [location.url[0].access for location in french.location] == [None]
    assert [item.mods.location[0].url[0].value for item in french.related_item] == ["https://example.org/b"]


def test_field_left_in_marc21_is_converted_by_the_rules_of_marc21():
    result = converted("200 1#$aК", "886 2#$2usmarc$a650$b#0$aPoetry$xHistory", "886 2#$2ukmarc$a690$b00$z11030")
    (subject,) = result.mods.subject
    assert (subject.authority, [part.value for part in subject.parts]) == ("lcsh", ["Poetry", "History"])
    assert result.unmapped == ("886$2", "886$a", "886$b", "886$z")


# --- flavours


def test_flavours_are_distinguished():
    russian = record("200 1#$aКнига", "801 #0$aRU$bEX")
    french = record("200 1#$aLivre", "801 #0$aFR$bEX")
    american = record("245 10$aBook", "200 1#$aBook")
    assert (rusmarc.sniffs(russian), unimarc.sniffs(russian)) == (True, False)
    assert (rusmarc.sniffs(french), unimarc.sniffs(french)) == (False, True)
    assert (rusmarc.sniffs(american), unimarc.sniffs(american)) == (False, False)


def test_each_flavour_has_its_holdings():
    fields = ("200 1#$aК", "899 ##$aEX$jА-1", "995 ##$aBM$kR CAM")
    russian, french = mods(*fields), mods(*fields, adapter=unimarc)
    assert [location.shelf_locator for location in russian.location] == [("А-1",)]
    assert [location.shelf_locator for location in french.location] == [("R CAM",)]


# --- coverage


def test_unread_subfields_are_counted_also_in_embedded_fields():
    result = converted("200 1#$aК$qx", "461 #0$12001#$aСочинения$q1", "461 #0$tДругие$q2", "998 ##$aлокальное")
    assert result.unmapped == ("200$q", "461/200$q", "461$q")
    assert result.private == ("998$a",)


READ_AS_TEXT = sorted(
    {
        (tag, code)
        for rule in rusmarc.RULES.rules
        for tag, codes in rule.reads
        if tag.isdecimal() and tag[0] != "1" and tag >= "010" and tag not in ("604", "886")
        for code in codes
    }
)
READ_AS_LANGUAGE = {(tag, "z") for tag, _ in READ_AS_TEXT if tag[0] == "5" or tag in ("200", "225")} - {("500", "z")}


@pytest.mark.parametrize("tag", sorted({tag for tag, _ in READ_AS_TEXT}))
def test_what_a_rule_states_to_read_is_in_the_mods(tag):
    for code in (code for known, code in READ_AS_TEXT if known == tag and (tag, code) not in READ_AS_LANGUAGE):
        first = "" if code == "a" else "$aМосква"
        result = converted("200 1#$aКнига", f"{tag} ##{first}${code}Жюльверн 978", leader=VOLUME)
        element = to_element(result.mods)
        text = " ".join(element.itertext()) + " ".join(str(v) for e in element.iter() for v in e.attrib.values())
        assert "жюльверн" in text.casefold() or f"{tag}${code}" in result.private, code


def test_a_record_without_content_is_refused():
    with pytest.raises(CrosswalkError, match="UNIMARC"):
        converted("001 ", leader="")
