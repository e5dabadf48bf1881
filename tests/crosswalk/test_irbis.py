"""Records of IRBIS64 become MODS by the rules of RUSMARC; what has no place is counted under its name in IRBIS."""

import pytest

from bibld import crosswalk
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin


def record(*lines: str) -> MarcRecord:
    """Make a record of lines such as ``200 ^AЗаглавие^EРоман``."""
    fields = []
    for line in lines:
        tag, content = line.split(" ", 1)
        before, *parts = content.split("^")
        subfields = tuple(Subfield(part[0].lower(), part[1:]) for part in parts)
        fields.append(DataField(tag, subfields=subfields) if subfields else ControlField(tag, before))
    return MarcRecord(Origin("s", "f.txt", 1, 0), Leader("00000     2200000   450 "), tuple(fields))


BOOK = record(
    "001 84(2)/Т53-1",
    "920 PAZK",
    "903 84(2)/Т53-1",
    "200 ^AАнна Каренина^EРоман^FЛ. Н. Толстой",
    "700 ^AТолстой^BЛ. Н.^GЛев Николаевич^F1828-1910",
    "210 ^AМ.^CНаука^D1970",
    "215 ^A911",
    "010 ^A5-02-011720-3^D1.20",
    "101 rus",
    "606 ^AЛитература^BРоманы",
    "610 роман",
    "621 84(2)",
    "910 ^A0^B123",
)


def test_a_book_has_title_author_imprint_and_subjects():
    flavour, converted = crosswalk.convert(BOOK)
    mods = converted.mods
    assert flavour == "irbis"
    assert (mods.title_info[0].title, mods.title_info[0].sub_title) == ("Анна Каренина", ("Роман",))
    assert [part.value for part in mods.name[0].name_part] == ["Толстой, Лев Николаевич", "1828-1910"]
    assert mods.name[0].role[0].role_term[0].value == "aut"
    assert mods.origin_info[0].publisher[0].value == "Наука"
    assert mods.origin_info[0].date_issued[0].value == "1970"
    assert mods.physical_description[0].extent[0].value == "911 с."
    assert mods.identifier[0].value == "5020117203"
    assert mods.language[0].language_term[0].value == "rus"
    assert {(mark.authority, mark.value) for mark in mods.classification} == {("rubbk", "84(2)")}
    assert {part.value for subject in mods.subject for part in subject.parts} == {"Литература", "Романы", "роман"}
    assert mods.record_identifier == "84(2)/Т53-1"


def test_subfields_without_a_place_are_counted_under_their_own_names():
    assert crosswalk.convert(BOOK)[1].unmapped == ("910$a", "910$b")


def test_an_article_has_its_journal_with_issue_and_pages():
    article = record("920 ASP", "200 ^AО книге", "463 ^CБиблиотека^J2001^H5^SС. 10-12^Q?")
    converted = crosswalk.convert(article)[1]
    (host,) = converted.mods.related_item
    assert (host.type, host.mods.title_info[0].title) == ("host", "Библиотека")
    assert host.mods.part[0].detail[0].number == ("5",)
    assert (host.mods.part[0].extent[0].start, host.mods.part[0].extent[0].end) == ("10", "12")
    assert converted.unmapped == ("463$q",)


def test_a_volume_has_the_set_it_belongs_to():
    volume = record("920 SPEC", "200 ^VТ. 2^AПовести", "461 ^CСобрание сочинений^EВ 6 томах^FИ. С. Тургенев")
    mods = crosswalk.convert(volume)[1].mods
    assert any(item.mods.title_info[0].title == "Собрание сочинений" for item in mods.related_item)


@pytest.mark.parametrize("line", ["200 ^AЗаглавие", "245 ^ATitle"])
def test_a_record_without_work_sheet_and_shelf_code_is_of_another_flavour(line):
    assert crosswalk.sniff(record(line)) != "irbis"
