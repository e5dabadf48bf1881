"""Rows of tables become MODS by a map of columns, and a map that does not fit is a fault of the configuration."""

import pytest

from bibld import crosswalk
from bibld.crosswalk import columns
from bibld.errors import ConfigError, CrosswalkError
from bibld.model.origin import Origin
from bibld.protocols import Row

ORIGIN = Origin("s", "f.csv", 1, 10)


def converted(settings=None, /, **cells):
    chosen = settings or columns.Settings()
    pairs = tuple((name.replace("_", " "), text) for name, text in cells.items())
    return crosswalk.convert(Row(ORIGIN, pairs), "auto", lambda name: chosen)[1]


def test_an_article_has_a_host_with_volume_and_pages():
    mods = converted(
        id="a1", title="On tables", authors="Ann Lee; Bo Ek", venue="Journal", volume="3", issue="4",
        pages="pp. 12--19.", year="1999", issn="0317-8471", doi="10.1/x",
    ).mods  # fmt: skip
    assert mods.title_info[0].title == "On tables"
    assert mods.title_info[0].part_number == ()
    assert [[part.value for part in name.name_part] for name in mods.name] == [["Lee", "Ann"], ["Ek", "Bo"]]
    assert mods.name[0].role[0].role_term[0].value == "aut"
    (host,) = mods.related_item
    assert (host.type, host.mods.title_info[0].title) == ("host", "Journal")
    assert [(one.type, one.number) for one in host.mods.part[0].detail] == [("volume", ("3",)), ("issue", ("4",))]
    assert (host.mods.part[0].extent[0].start, host.mods.part[0].extent[0].end) == ("12", "19")
    assert host.mods.identifier[0].value == "0317-8471"
    assert [(one.type, one.value) for one in mods.identifier] == [("doi", "10.1/x")]
    assert (mods.origin_info[0].date_issued[0].value, mods.origin_info[0].date_issued[0].encoding) == ("1999", "w3cdtf")
    assert mods.record_identifier == "a1"


def test_a_book_has_its_volume_extent_and_numbers_itself():
    mods = converted(
        title="Kniga", subtitle="rasskazy", volume="2", pages="300 s.", isbn="5-02-011720-3; 123", language="rus",
        subject="Cats; Dogs", publisher="Nauka", place="M.", year="ca. 1888?", series="", edition="2nd",
    ).mods  # fmt: skip
    assert mods.title_info[0].part_number == ("2",)
    assert mods.title_info[0].sub_title == ("rasskazy",)
    assert mods.physical_description[0].extent[0].value == "300 s."
    assert [one.invalid for one in mods.identifier][1:] == ["yes"]
    assert mods.language[0].language_term[0].authority == "iso639-2b"
    assert len(mods.subject) == 2
    assert mods.origin_info[0].date_issued[0].encoding is None
    assert mods.origin_info[0].place[0].place_term[0].value == "M."


def test_a_text_becomes_a_note_of_content():
    mods = converted(title="T", abstract="A", full_text="It was\n late.", note="N").mods
    assert [(note.value, note.type) for note in mods.note] == [("It was late.", "content"), ("N", None)]


def test_a_column_that_nobody_names_is_counted_as_unmapped():
    result = converted(title="T", shelf="12")
    assert (result.unmapped, result.private) == (("shelf",), ())


def test_the_map_names_the_columns_and_the_separator_divides_their_values():
    settings = columns.Settings(title="Titel", author=("Erster", "Zweiter"), separator="")
    mods = converted(settings, TITEL="T", Erster="A; B", Zweiter="C").mods
    assert mods.title_info[0].title == "T"
    assert [name.name_part[0].value for name in mods.name] == ["A; B", "C"]


def test_a_row_that_no_column_fits_is_refused_with_a_hint():
    with pytest.raises(CrosswalkError, match=r"\[source.columns\]"):
        converted(foo="x", bar="y")
    with pytest.raises(CrosswalkError, match="not a row of a table"):
        columns.convert(_record(), columns.Settings())


def _record():
    from bibld.model.marc import ControlField, Leader, MarcRecord

    return MarcRecord(ORIGIN, Leader(" " * 24), (ControlField("001", "1"),))


@pytest.fixture
def load(tmp_path, configured):
    (tmp_path / "books.csv").write_text("Titel,Jahr\nEins,1999\n")
    return lambda more: configured(f"[source.columns]\n{more}", set="books.csv")


def test_a_source_has_its_own_map(load):
    loaded = load('title = "Titel"\nyear = ["Jahr"]\n')
    (source,) = loaded.sources
    assert loaded.crosswalk_settings(source)["columns"].title == "Titel"
    assert "title" in loaded.settings("crosswalk", "columns").title


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('title = "Title"', 'source[1].columns.title: unknown column of the files "Title"; did you mean "Titel"?'),
        ('titel = "Titel"', 'unknown key "source[1].columns.titel"; did you mean "title"?'),
        ("title = 3", "source[1].columns"),
    ],
)
def test_a_map_that_does_not_fit_is_a_fault(load, line, expected):
    with pytest.raises(ConfigError) as caught:
        load(line)
    (fault,) = caught.value.faults
    assert expected in fault


def test_a_table_goes_through_the_pipeline(load):
    from datetime import UTC, datetime

    from bibld import pipeline, progress
    from bibld.catalog import Catalog

    loaded = load('title = "Titel"\nyear = "Jahr"\n')
    summary = pipeline.run(loaded, datetime(2026, 1, 1, tzinfo=UTC), progress.Silent(), until="read")
    assert summary.sources[0].converted == 1
    with Catalog(loaded.workspace, read_only=True) as catalog:
        assert [row[0] for row in catalog.records.coverage()] == []


def test_a_row_without_a_title_has_a_warning_and_one_with_a_title_has_none():
    assert converted(author="Lee, Ann").warnings == ("the row has no title",)
    assert converted(title="On tables").warnings == ()


def test_russian_headings_of_a_spreadsheet_need_no_map():
    cells = (
        ("Код записи", "17"), ("ЗАГЛАВИЕ:", "Рассказы"), ("Авторы", "Чехов, А. П.\nБунин, И. А."), ("Год", "1985"),
        ("Издательство", "Правда"), ("Место издания", "М."), ("Ключевые слова", "рассказы; проза"), ("Объём", "300 с."),
        ("ISBN", "9,78502E+12"), ("Инв. №", "4711"),
    )  # fmt: skip
    result = crosswalk.convert(Row(ORIGIN, cells))[1]
    mods = result.mods
    assert mods.record_identifier == "17"
    assert [name.name_part[0].value for name in mods.name] == ["Чехов, А. П.", "Бунин, И. А."]
    assert mods.origin_info[0].publisher[0].value == "Правда"
    assert [subject.parts[0].value for subject in mods.subject] == ["рассказы", "проза"]
    assert mods.physical_description[0].extent[0].value == "300 с."
    assert (mods.identifier, result.unmapped) == ((), ("Инв. №",))
    assert any("shortened by a spreadsheet" in warning for warning in result.warnings)
