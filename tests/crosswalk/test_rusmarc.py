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


ARTICLE = "     naa2 22     i 450 "
VOLUME = "     nam2 22     i 450 "
SET = "     nam1 22     i 450 "


# --- what looks like a designation


@pytest.mark.parametrize(
    "title",
    ["Т. 1", "т.2", "Том первый", "Ч. 2, кн. 1", "Вып. 12", "[Вып.] 3", "Кн. 7", "Vol. 3", "T. II", "Bd. 4", "№ 5", "1",
     "IV", "Часть вторая", "Сер. А", "Т. 1-2"],
)  # fmt: skip
def test_a_volume_whose_title_is_a_designation_has_the_title_of_the_set(title):
    (info,) = mods(f"200 1#$a{title}", "461 #0$12001#$aСочинения", leader=VOLUME).title_info
    assert (info.title, info.part_number) == ("Сочинения", (title,))


@pytest.mark.parametrize(
    "title",
    ["Часть речи", "Книга джунглей", "1984", "Та", "Я", "Томление", "Номер 44, таинственный незнакомец", "Чук и Гек",
     "Выпускной вечер", "Volume and mass"],
)  # fmt: skip
def test_a_volume_with_another_title_keeps_it(title):
    assert mods(f"200 1#$a{title}", "461 #0$12001#$aСочинения", leader=VOLUME).title_info[0].title == title


@pytest.mark.parametrize(
    ("title", "number"), [("2005, № 2", "2"), ("N 3.", "3"), ("Златая цепь", None)]
)  # fmt: skip
def test_an_issue_may_be_named_with_its_year(title, number):
    fields = ("200 1#$aСтатья", "461 #0$12001#$aЖурнал", f"463 #0$12001#$a{title}")
    hosts = mods(*fields, leader=ARTICLE).related_item
    assert [item.mods.title_info[0].title for item in hosts] == ["Журнал" if number else title]
    assert [detail.number for part in hosts[0].mods.part for detail in part.detail] == ([(number,)] if number else [])


@pytest.mark.parametrize(
    ("short", "full", "same"),
    [
        ("Шк. классики", "Школа классики", True),
        ("Б-ка поэта", "Библиотека поэта", True),
        ("Школа классики", "Школа классики", True),
        ("Классики", "Школа классики", False),
        ("Шк. физики", "Школа классики", False),
    ],
)
def test_abbreviated_series_titles_are_recognised(short, full, same):
    series = mods("200 1#$aКнига", f"225 1#$a{short}", f"410 #0$12001#$a{full}").related_item
    assert [item.type for item in series] == (["series"] if same else ["series", "series"])


def place_in_host(text):
    fields = ("200 1#$aСтатья", f"463 #0$12001#$aСборник$v{text}")
    (host,) = mods(*fields, leader=ARTICLE).related_item
    (part,) = host.mods.part
    return part


def test_place_in_a_host_is_understood():
    part = place_in_host("Т. 5, № 3. - С. 237 - 448")
    assert [(d.type, d.number, d.caption) for d in part.detail] == [
        ("volume", ("5",), ("Т",)),
        ("issue", ("3",), ("№",)),
    ]
    assert (part.extent[0].start, part.extent[0].end) == ("237", "448")


def test_page_ranges_are_kept_as_a_list():
    assert place_in_host("С. 1-3, 7, 12").extent[0].list == "С. 1-3, 7, 12"


def test_what_is_not_understood_is_kept_as_text():
    assert place_in_host("Осенний номер").text[0].value == "Осенний номер"


# --- levels


def test_article_in_a_journal_has_one_host_with_the_place_in_the_issue():
    found = mods("200 1#$aСтатья", "461 #0$12001#$aЖурнал", "463 #0$1200##$a№ 7$vС. 4", leader=ARTICLE)
    (host,) = found.related_item
    assert (host.type, host.mods.title_info[0].title) == ("host", "Журнал")
    assert host.mods.part[0].detail[0].number == ("7",)
    assert host.mods.part[0].extent[0].start == "4"


def test_article_in_a_collection_of_a_series_has_nested_hosts():
    found = mods("200 1#$aСтатья", "461 #0$12001#$aТруды", "463 #0$12001#$aСборник$vС. 4-5", leader=ARTICLE)
    (host,) = found.related_item
    assert host.mods.title_info[0].title == "Сборник"
    assert [inner.mods.title_info[0].title for inner in host.mods.related_item] == ["Труды"]


def test_volume_without_a_title_of_its_own_takes_that_of_the_set():
    found = mods("200 1#$aТ. 3", "461 #0$1001RU/EX/1$12001#$aСочинения$vТ. 3", leader=VOLUME)
    assert found.title_info[0].title == "Сочинения"
    assert found.title_info[0].part_number == ("Т. 3",)
    assert found.related_item[0].other_type == "set"
    assert found.related_item[0].mods.record_identifier == "RU/EX/1"


def test_volume_with_a_title_of_its_own_keeps_it():
    found = mods("200 1#$aИдиот", "461 #0$1001RU/EX/1$12001#$aСочинения$vТ. 6", leader=VOLUME)
    assert found.title_info[0].title == "Идиот"
    assert found.related_item[0].mods.part[0].detail[0].number == ("Т. 6",)


def test_generic_title_without_a_set_stays():
    assert mods("200 1#$aТ. 3").title_info[0].title == "Т. 3"


def test_set_field_of_an_independent_book_is_a_series():
    found = mods("200 1#$aКнига", "225 1#$aШк. классики", "461 #0$12001#$aШкола классики")
    (series,) = found.related_item
    assert series.type == "series"
    assert [(t.type, t.title) for t in series.mods.title_info] == [
        (None, "Школа классики"),
        ("alternative", "Шк. классики"),
    ]


def test_set_record_names_its_volumes_as_parts():
    found = mods("200 1#$aСочинения", "463 #0$12001#$aИдиот", leader=SET)
    assert [(item.type, item.mods.title_info[0].title) for item in found.related_item] == [("constituent", "Идиот")]
    assert found.origin_info[0].issuance == ("multipart monograph",)


def test_link_that_names_nothing_becomes_a_note_with_a_warning():
    result = converted("200 1#$aКнига", "463 #1$1200##$vПодарок")
    assert result.mods.related_item == ()
    assert [note.value for note in result.mods.note] == ["Подарок"]
    assert any("463" in warning for warning in result.warnings)


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


# --- dates


def coded(kind, first, second="    "):
    return f"100 ##$a20010203{kind}{first}{second}m  y0rusy50      ca"


@pytest.mark.parametrize(
    ("field", "imprint", "expected"),
    [
        (coded("d", "1997"), "1997", ["1997 w3cdtf key"]),
        (coded("d", "1997"), "[1997]", ["1997 w3cdtf inferred key"]),
        (coded("d", "1997"), "осень 1997", ["1997 w3cdtf key", "осень 1997"]),
        (coded("g", "1990", "1995"), "1990-1995", ["1990 w3cdtf start key", "1995 w3cdtf end"]),
        (
            coded("f", "1800", "1810"),
            "[180-]",
            ["1800 w3cdtf start questionable key", "1810 w3cdtf end questionable", "[180-]"],
        ),
        (coded("j", "1997", "0512"), "1997", ["1997-05-12 w3cdtf key", "1997"]),
        (coded("d", "19||"), "19--", ["19uu marc key", "19--"]),
        (coded("d", "2015"), "1995", ["1995 w3cdtf key"]),
        ("100 ##$a2001", "[1998?]", ["1998 w3cdtf questionable key", "[1998?]"]),
        ("100 ##$a2001", "1990-1995", ["1990 w3cdtf start key", "1995 w3cdtf end"]),
    ],
)
def test_dates_of_publication(field, imprint, expected):
    found = mods("200 1#$aКнига", field, f"210 ##$d{imprint}").origin_info[0].date_issued
    dates = [(d.value, d.encoding, d.point, d.qualifier, "key" if d.key_date else None) for d in found]
    assert [" ".join(word for word in words if word) for words in dates] == expected


def test_dates_that_are_not_of_publication():
    assert mods("200 1#$aК", coded("h", "1992", "1990")).origin_info[0].copyright_date[0].value == "1990"
    assert mods("200 1#$aК", coded("e", "2005", "1905")).origin_info[0].date_other[0].type == "original"


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


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("070", ("code", "marcrelator", "aut")), ("440", ("code", "marcrelator", "ill")),
        ("авт.", ("code", "marcrelator", "aut")), ("Сост.", ("code", "marcrelator", "com")),
        ("trl", ("code", "marcrelator", "trl")), ("998", ("code", "unimarc-relator", "998")),
        ("тапёр", ("text", None, "тапёр")),
    ],
)  # fmt: skip
def test_roles(role, expected):
    (term,) = mods("200 1#$aК", f"702 #1$aИванов$4{role}").name[0].role[0].role_term
    assert (term.type, term.authority, term.value) == expected


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


def test_languages_are_cleaned():
    found = mods("200 1#$aК", "101 1#$aRUS$arusger$ascr$aанглийский$cde")
    terms = [(language.object_part, language.language_term[0].value) for language in found.language]
    assert terms == [(None, "rus"), (None, "ger"), (None, "hrv"), (None, "eng"), ("translation", "ger")]


def test_subdivisions_keep_their_order():
    (subject,) = mods("200 1#$aК", "606 0#$aКниги$yРоссия$xИстория$z20 в.$jКаталоги$2nlr-sh").subject
    assert [type(part).__name__ for part in subject.parts] == ["Topic", "Geographic", "Topic", "Temporal", "Genre"]
    assert subject.authority == "nlr-sh"


def test_authority_numbers():
    local = converted("200 1#$aК", "606 0#$aКниги$3RU\\EX\\auth\\1", "700 #1$aИванов$3RU\\EX\\auth\\2")
    assert local.mods.subject[0].value_uri == "RU\\EX\\auth\\1"
    assert local.mods.name[0].name_identifier[0].type == "local"
    web = mods("200 1#$aК", "606 0#$aКниги$3https://example.org/1", "700 #1$aИванов$3https://example.org/2")
    assert (web.subject[0].value_uri, web.name[0].value_uri) == ("https://example.org/1", "https://example.org/2")


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


def test_addresses_that_are_none_become_notes():
    found = mods("200 1#$aК", "856 4#$uc:/книги/1.pdf$zтекст")
    assert found.location == ()
    assert found.note[0].value == "c:/книги/1.pdf текст"


def test_isbns_in_one_subfield_are_divided():
    found = mods("200 1#$aК", "010 ##$a5-7390-0346-6 (т. 1); 0-306-40615-2 (т. 2)").identifier
    assert [(i.value, i.display_label) for i in found] == [("5739003466", "т. 1"), ("0306406152", "т. 2")]


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


def test_copy_numbers_of_headings_are_private_and_local_form_subdivisions_are_not():
    result = converted("200 1#$aК", "600 #1$aИванов$9125", "606 0#$aКниги$9Популярные издания")
    assert [type(part).__name__ for subject in result.mods.subject for part in subject.parts] == [
        "Name", "Topic", "Genre"
    ]  # fmt: skip
    assert result.private == ("600$9",)


@pytest.mark.parametrize(
    ("field", "numbers"),
    [
        ("029 10$cГОСТ Р$b50791-95", ["ГОСТ Р 50791-95"]),
        ("029 11$cОСТ 1$b13113-83$b13114-83", ["ОСТ 1 13113-83", "ОСТ 1 13114-83"]),
        ("029 10$aСССР$cА. с.$b1146641", ["СССР А. с. 1146641"]),
        ("029 10$cГОСТ$bГОСТ 7.1-2003", ["ГОСТ 7.1-2003"]),
    ],
)
def test_kind_of_a_document_comes_before_its_number(field, numbers):
    assert [identifier.value for identifier in mods("200 1#$aК", field).identifier] == numbers


def test_field_left_in_marc21_is_converted_by_the_rules_of_marc21():
    result = converted("200 1#$aК", "886 2#$2usmarc$a650$b#0$aPoetry$xHistory", "886 2#$2ukmarc$a690$b00$z11030")
    (subject,) = result.mods.subject
    assert (subject.authority, [part.value for part in subject.parts]) == ("lcsh", ["Poetry", "History"])
    assert result.unmapped == ("886$2", "886$a", "886$b", "886$z")


def test_date_and_place_are_added_to_their_body():
    body, conference = "710 01$aРоссия$bДума$d3$f1999-2003", "710 12$aЧтения$bСекция 2$d3$f1999$eКлин"
    assert [part.value for part in mods("200 1#$aК", body).name[0].name_part] == ["Россия", "Дума (3 : 1999-2003)"]
    assert [part.value for part in mods("200 1#$aК", conference).name[0].name_part] == [
        "Чтения (3 : 1999 : Клин)", "Секция 2"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "details"),
    [
        ("105 ##$aac  z   001yy", "illustrations, portraits, index"),
        ("126 ##$aabbxexxs     b ", "33 1/3 rpm, stereophonic, 30 cm, electric recording"),
        ("130 ##$adbf", "negative, 35 mm"),
        ("130 ##$aеbf", "negative, 35 mm"),
    ],
)
def test_coded_details_are_written_in_words(field, details):
    (description,) = mods("200 1#$aК", field).physical_description
    assert [note.value for note in description.note if note.type == "physical details"] == [details]


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


def test_every_rule_states_what_it_reads_and_writes():
    for rule in (*rusmarc.RULES.rules, *unimarc.RULES.rules):
        assert rule.writes
        assert rule.reads


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
