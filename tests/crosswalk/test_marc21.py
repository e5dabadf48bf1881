"""What the crosswalk of MARC 21 promises, promise by promise."""

from __future__ import annotations

import pytest

from bibld.crosswalk import convert, is_deleted, marc21
from bibld.errors import ConfigError, CrosswalkError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods import Mods
from bibld.model.origin import Origin

ORIGIN = Origin("demo", "demo.mrc", 7, 1024)
BOOK = "00000nam a2200000 a 4500"


def field(tag: str, indicators: str, text: str) -> DataField:
    """``$aText$bMore`` as a field; indicators written with ``#`` for blank."""
    subfields = tuple(Subfield(part[0], part[1:]) for part in text.split("$")[1:])
    return DataField(tag, indicators[0].replace("#", " "), indicators[1].replace("#", " "), subfields)


def record(*fields, leader: str = BOOK) -> MarcRecord:
    return MarcRecord(ORIGIN, Leader(leader), (ControlField("001", "demo1"), *fields))


def converted(*fields, leader: str = BOOK):
    return marc21.convert(record(*fields, leader=leader), marc21.Settings())


def mods(*fields, leader: str = BOOK) -> Mods:
    return converted(*fields, leader=leader).mods


TITLE = field("245", "00", "$aTitle")


# --- which records


@pytest.mark.parametrize(
    ("code", "kind"),
    [("z", "authority"), ("u", "holdings"), ("x", "holdings"), ("w", "classification"), ("q", "community")],
)
def test_records_that_describe_no_publication_are_refused_by_name(code, kind):
    leader = BOOK[:6] + code + BOOK[7:]
    with pytest.raises(CrosswalkError, match=rf"demo\.mrc record 7 .*001 demo1: {kind}.* record \(leader/06 {code}\)"):
        convert(record(field("100", "1#", "$aName"), leader=leader))


def test_an_authority_record_of_unimarc_is_refused():
    leader = "00000nx  a2200000   450 "
    with pytest.raises(CrosswalkError, match="authority record"):
        convert(record(field("200", "#1", "$aПушкин$bА. С."), leader=leader))


def test_a_record_without_a_title_is_converted_with_a_warning():
    result = converted(field("100", "1#", "$aName"))
    assert result.mods.name
    assert "the record has no title (245$a)" in result.warnings


def test_mods_passes_as_it_is():
    given = mods(TITLE)
    flavour, result = convert(given)
    assert (flavour, result.mods) == ("mods", given)


def test_an_unknown_flavour_is_an_error_that_names_the_known_ones():
    with pytest.raises(ConfigError, match='unknown crosswalk adapter "marc12"; did you mean "marc21"'):
        convert(record(TITLE), "marc12")


def test_settings_reach_the_adapter():
    asked = []

    def settings_of(name):
        asked.append(name)
        return marc21.Settings()

    convert(record(TITLE), settings_of=settings_of)
    assert asked == ["marc21"]


@pytest.mark.parametrize(("leader", "deleted"), [("00000dam a2200000 a 4500", True), (BOOK, False), ("", False)])
def test_leader_05_means_deleted(leader, deleted):
    assert is_deleted(record(TITLE, leader=leader)) == deleted


# --- titles


@pytest.mark.parametrize(
    ("indicator", "text", "non_sort", "title"),
    [
        ("4", "The cat", "The ", "cat"),
        ("2", "L'été", "L'", "été"),
        ("0", "The cat", None, "The cat"),
        ("3", "The cat", "The ", "cat"),  # one too few
        ("5", "The cat", "The ", "cat"),  # one too many
        ("4", "Theory", None, "Theory"),  # within a word
        ("9", "Cat", None, "Cat"),  # beyond the end
        (" ", "The cat", None, "The cat"),
        ("0", "\x98Die\x9c Welt", "Die ", "Welt"),
        ("0", "\x98L'\x9cété", "L'", "été"),
        ("0", "Die\x9c Welt", None, "Die Welt"),
    ],
)
def test_the_part_that_sorting_skips_is_separate_where_the_record_states_it(indicator, text, non_sort, title):
    info = mods(field("245", "0" + indicator, "$a" + text)).title_info[0]
    assert (info.non_sort, info.title) == (non_sort, title)


# --- numbers, links, privacy


def test_private_and_local_fields_are_counted_and_not_published():
    result = converted(
        TITLE, field("541", "0#", "$apurchase"), field("999", "##", "$ashelf"), field("583", "1#", "$adone$xcost")
    )
    assert set(result.private) == {"541$a", "999$a", "583$x"}
    assert [note.value for note in result.mods.note] == ["done"]
    assert result.unmapped == ()


def test_unmapped_subfields_are_named():
    assert converted(TITLE, field("245", "00", "$aT$zodd"), field("387", "##", "$a1")).unmapped == ("245$z", "387$a")


def test_a_field_in_another_script_is_read_by_the_rules_of_its_tag():
    result = converted(TITLE, field("880", "1#", "$6700-01/(N$aЛевин, И.$zodd"))
    name = result.mods.name[0]
    assert (name.name_part[0].value, name.script, name.alt_rep_group) == ("Левин, И.", "Cyrl", "01")
    assert result.unmapped == ("880$z",)


@pytest.mark.parametrize("six", ["", "880-01", "abc-01/(N", "001-01"])
def test_an_880_that_names_no_tag_is_unmapped(six):
    assert converted(TITLE, field("880", "10", f"$6{six}$aX")).unmapped[-1] == "880$a"


@pytest.mark.parametrize(
    ("code", "text", "script"),
    [("(N", "Лев", "Cyrl"), ("(3/r", "كتاب", "Arab"), ("(2/r", "ספר", "Hebr"), ("Grek", "x", "Grek"),
     ("$1", "日本", "Hani"), ("$1", "ひらがな", "Jpan"), ("$1", "한국", "Kore"),
     ("", "Лев", "Cyrl"), ("", "Lev", "Latn")],
)  # fmt: skip
def test_scripts_are_named_by_iso_15924(code, text, script):
    marked = DataField("880", "1", "0", (Subfield("6", f"245-01/{code}" if code else "245-01"), Subfield("a", text)))
    assert mods(TITLE, marked).title_info[1].script == script


def test_the_library_of_a_copy_within_the_text_of_a_role_is_not_part_of_it():
    owner = DataField("700", "1", " ", (Subfield("a", "X"), Subfield("e", "former owner.$5DLC")))
    ((text, code),) = (role.role_term for role in mods(owner).name[0].role)
    assert (text.value, code.value) == ("former owner", "fmo")
