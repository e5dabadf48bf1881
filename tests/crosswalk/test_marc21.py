"""What the crosswalk of MARC 21 promises, promise by promise."""

from __future__ import annotations

import pytest

from bibld.crosswalk import convert, is_deleted, marc21, sniff
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


@pytest.mark.parametrize(
    ("fields", "leader", "is_marc21"),
    [
        ([field("245", "00", "$aTitle")], BOOK, True),
        ([field("200", "1#", "$aЗаглавие")], "00000nam0 2200000 i 450 ", False),
        ([field("245", "00", "$aTitle"), field("200", "1#", "$aTitle")], BOOK, True),
        ([field("100", "##", "$a19980708d1997    u||y0rusy0102    ca")], "00000nam0 2200000 i 450 ", False),
        ([field("100", "1#", "$aName")], BOOK, True),
        ([], "00000nam0 2200000 i 450 ", False),
        ([], "", True),
    ],
)
def test_the_flavour_is_seen_in_the_fields(fields, leader, is_marc21):
    assert marc21.sniffs(record(*fields, leader=leader)) == is_marc21
    assert (sniff(record(*fields, leader=leader)) == "marc21") == is_marc21


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


@pytest.mark.parametrize(
    ("stated", "title"),
    [("Title /", "Title"), ("Title.", "Title"), ("Jones & Co.", "Jones & Co."), ("The U.S.", "The U.S."),
     ("Wait ...", "Wait ..."), ("Maps, etc. :", "Maps, etc."), ("Что делать?", "Что делать?"), ("العنوان،", "العنوان")],
)  # fmt: skip
def test_isbd_marks_go_and_full_stops_of_abbreviations_stay(stated, title):
    assert mods(field("245", "00", "$a" + stated)).title_info[0].title == title


def test_a_title_only_in_a_part_is_still_a_title():
    info = mods(field("245", "00", "$nPart 2$pThe towers")).title_info[0]
    assert (info.title, info.part_name) == ("Part 2", ("The towers",))


# --- names


@pytest.mark.parametrize(
    ("text", "heading"),
    [("$aTwain, Mark,$d1835-1910.", "Twain, Mark"), ("$aKemble, E. W.", "Kemble, E. W."),
     ("$aПушкин, А. С.", "Пушкин, А. С."), ("$aSmith, John.", "Smith, John"), ("$aKing, M. L.,$cJr.", "King, M. L.")],
)  # fmt: skip
def test_a_heading_ends_without_punctuation_but_with_its_initials(text, heading):
    assert mods(TITLE, field("100", "1#", text)).name[0].name_part[0].value == heading


def test_an_unknown_first_indicator_does_not_lose_the_name():
    assert [name.type for name in mods(TITLE, field("100", "##", "$aX"), field("700", "3#", "$aY")).name] == [
        "personal",
        "family",
    ]


def roles_of(text: str) -> list[list[tuple[str, str | None]]]:
    name = mods(TITLE, field("700", "1#", "$aName" + text)).name[0]
    return [[(term.value, term.authority) for term in role.role_term] for role in name.role]


def test_roles_are_paired():
    author = [("author", "marcrelator"), ("aut", "marcrelator")]
    assert roles_of("$eauthor.$4aut") == [author]
    assert roles_of("$eauthor") == [author]
    assert roles_of("$4http://id.loc.gov/vocabulary/relators/aut") == [[("aut", "marcrelator")]]
    assert roles_of("$eHerausgeber$4edt") == [[("Herausgeber", None), ("edt", "marcrelator")]]
    assert roles_of("$eauthor,$eillustrator$4ill") == [
        author,
        [("illustrator", "marcrelator"), ("ill", "marcrelator")],
    ]
    assert roles_of("$4zzz") == [[("zzz", None)]]
    assert roles_of("") == []


def test_authority_links_become_uris_and_numbers():
    text = "$aGoethe$0(DE-588)118540238$0(XxOrg)77$1https://example.org/goethe$1https://example.org/goethe2$0plain"
    name = mods(TITLE, field("100", "1#", text)).name[0]
    assert name.value_uri == "https://example.org/goethe"
    assert [(found.type, found.value) for found in name.name_identifier] == [
        ("gnd", "118540238"),
        ("XxOrg", "77"),
        ("local", "plain"),
        ("uri", "https://example.org/goethe2"),
    ]


def test_a_known_authority_number_gives_its_uri():
    assert mods(TITLE, field("100", "1#", "$aGoethe$0(DE-588)118540238")).name[0].value_uri == (
        "https://d-nb.info/gnd/118540238"
    )


# --- dates


def dates_of(coded: str, *fields, leader: str = BOOK):
    info = mods(TITLE, ControlField("008", f"990101{coded}ru "), *fields, leader=leader).origin_info[0]
    return [(date.value, date.encoding, date.point, date.key_date) for date in (*info.date_issued, *info.date_created)]


@pytest.mark.parametrize(
    ("coded", "expected"),
    [
        ("s1998    ", [("1998", "w3cdtf", None, "yes")]),
        ("s199u    ", [("199u", "marc", None, "yes")]),
        ("s19||    ", [("19uu", "marc", None, "yes")]),
        ("s000     ", []),
        ("m19981999", [("1998", "w3cdtf", "start", "yes"), ("1999", "w3cdtf", "end", None)]),
        ("c19989999", [("1998", "w3cdtf", "start", "yes")]),
        ("e19980523", [("1998-05-23", "w3cdtf", None, "yes")]),
        ("e19981345", [("1998", "w3cdtf", None, "yes")]),
        ("nuuuuuuuu", []),
        ("s||||||||", []),
        ("sabcd    ", []),
    ],
)
def test_coded_dates_are_w3cdtf_where_they_are_years(coded, expected):
    assert dates_of(coded) == expected


def test_a_stated_date_is_added_only_where_it_differs():
    assert dates_of("s1998    ", field("260", "##", "$c1998.")) == [("1998", "w3cdtf", None, "yes")]
    assert dates_of("s1998    ", field("260", "##", "$cc1997."))[1] == ("c1997", None, None, None)


def test_without_a_coded_date_the_year_is_read_from_the_statement():
    assert dates_of("nuuuuuuuu", field("260", "##", "$c[ca. 1890?]"))[0] == ("1890", "w3cdtf", None, "yes")


def test_what_is_written_by_hand_is_created_not_issued():
    info = mods(TITLE, ControlField("008", "990101s1850    ru "), leader="00000ntm a2200000 a 4500").origin_info[0]
    assert info.date_created
    assert not info.date_issued


@pytest.mark.parametrize(
    ("entered", "date"),
    [("990101", "1999-01-01"), ("660701", "1966-07-01"), ("210228", "2021-02-28"), ("210230", None)],
)
def test_the_century_of_the_date_of_entry_begins_with_marc(entered, date):
    dates = mods(TITLE, ControlField("008", entered)).record_info[0].record_creation_date
    assert [found.value for found in dates] == ([date] if date else [])


# --- numbers, links, privacy


def test_only_addresses_of_the_web_become_links():
    result = converted(TITLE, field("856", "40", "$ujavascript:alert(1)$uhttps://example.org/a[1]$uhttps://two words"))
    assert [url.value for location in result.mods.location for url in location.url] == ["https://example.org/a%5B1%5D"]
    assert len([warning for warning in result.warnings if warning.startswith("856$u")]) == 2


def test_a_bad_value_is_dropped_with_a_warning_and_its_neighbours_stay():
    result = converted(TITLE, field("020", "##", "$apaperback$a5-7390-0346-6"))
    assert [found.value for found in result.mods.identifier] == ["5739003466"]
    assert result.warnings[0].startswith("020$a 'paperback'")


def test_private_and_local_fields_are_counted_and_not_published():
    result = converted(
        TITLE, field("541", "0#", "$apurchase"), field("999", "##", "$ashelf"), field("583", "1#", "$adone$xcost")
    )
    assert set(result.private) == {"541$a", "999$a", "583$x"}
    assert [note.value for note in result.mods.note] == ["done"]
    assert result.unmapped == ()


def test_unmapped_subfields_are_named():
    assert converted(TITLE, field("245", "00", "$aT$zodd"), field("366", "##", "$a1")).unmapped == ("245$z", "366$a")


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


def test_a_traced_series_without_a_heading_is_not_lost():
    assert [item.type for item in mods(TITLE, field("490", "1#", "$aSeries")).related_item] == ["series"]
    both = mods(TITLE, field("490", "1#", "$aSeries ;$v1"), field("830", "#0", "$aThe series ;$v1"))
    assert [item.mods.title_info[0].title for item in both.related_item] == ["The series"]


def test_every_rule_states_what_it_reads_and_writes():
    for rule in marc21.RULES.rules:
        assert rule.reads
        assert rule.writes
        assert all(len(tag) == 3 for tag, _ in rule.reads)
        assert rule.build.__doc__
