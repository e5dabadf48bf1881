"""A pseudonym and the real name that some record states are one name for all records."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from bibld.dedup.memory import find_duplicates
from bibld.dedup.other_names import NameCollector, OtherNames, with_other_names
from bibld.model.features import FeatureColumns, Features
from bibld.model.mods import (
    Date,
    Extent,
    Language,
    LanguageTerm,
    Mods,
    Name,
    NamePart,
    Note,
    OriginInfo,
    PhysicalDescription,
    Publisher,
    TitleInfo,
)
from bibld.model.origin import RecordId

REAL_NAME = "псевд.; наст. имя Бучинская, Надежда Александровна; 1872-1952"


def columns_of(*names: str) -> FeatureColumns:
    return FeatureColumns.from_features(enumerate(Features(title="a", names=one) for one in names))


def names_among(stated: str, *names: str) -> list[str]:
    """Return the names of records when one states the names ``stated``."""
    collector = NameCollector()
    collector.add(columns_of("ivanov ivan", stated, ""))
    column = OtherNames(collector.to_bytes()).add_to(columns_of(*names)).texts["names"]
    return [column.text(row) for row in range(len(column))]


@pytest.mark.parametrize(
    ("stated", "name", "expected"),
    [
        ("tefi|buchinska nadezhda =", "tefi", "tefi|buchinska nadezhda ="),
        ("tefi|buchinska nadezhda =", "buchinska n a", "buchinska n a|tefi ="),
        ("tefi|buchinska nadezhda =", "buchinskaa n", "buchinskaa n"),
        ("tefi|buchinska nadezhda =", "buchinska v", "buchinska v"),
        ("tefi|buchinska nadezhda =|petrov a", "petrov a", "petrov a"),
        ("tefi|buchinska nadezhda =", "petrov a|buchinska n a|sidorov b", "petrov a|buchinska n a|tefi =|sidorov b"),
        ("tefi|buchinska nadezhda =", "tefi|buchinska nadezhda =", "tefi|buchinska nadezhda ="),
        # Forms of one name are compared as they are, and single words may be anybody's.
        ("tolstoi l n|tolstoi lev =", "tolstoi l", "tolstoi l"),
        ("petrov|bosakov =", "petrov", "petrov"),
    ],
)
def test_a_name_has_the_other_names_that_a_record_states(stated, name, expected):
    assert names_among(stated, "", name, "sidorov k") == ["", expected, "sidorov k"]


def test_a_name_that_five_others_are_stated_for_has_no_other_names():
    many = "|".join(["ivanov i", *(f"{letter}etrov a =" for letter in "bcdfg")])
    assert names_among(many, "ivanov i") == ["ivanov i"]


def test_rows_without_other_names_are_the_rows_themselves():
    columns = columns_of("tolstoi l n|tolstoi lev =")
    collector = NameCollector()
    collector.add(columns)
    assert with_other_names(columns, collector.to_bytes()) is columns
    assert with_other_names(columns, b"") is columns


def test_names_collected_in_parts_are_those_collected_at_once():
    both, first, second = NameCollector(), NameCollector(), NameCollector()
    one, other = columns_of("tefi|buchinska n ="), columns_of("chernyi sasha|glikberg a =")
    for collector, parts in ((both, (one, other)), (first, (one,)), (second, (other,))):
        for part in parts:
            collector.add(part)
    first.merge(second.to_bytes())
    assert first.to_bytes() == both.to_bytes() != b""


PERSONS = (
    ["Twain, Mark, 1835-1910", "Clemens, Samuel Langhorne", "Твен, Марк"],
    ["Тэффи", "Бучинская, Надежда Александровна", "Лохвицкая, Н. А."],
    [""],
)


def test_of_persons_in_authority_files_names_are_known_that_records_have():
    collector = NameCollector(PERSONS)
    for part in ("tefi|petrov a", "buchinska n a", "tven mark"):
        collector.add(columns_of(part))
    assert msgspec.msgpack.decode(collector.to_bytes()) == [
        ["buchinska nadezhda aleksandrovna", "tefi"],
        ["tefi", "buchinska nadezhda aleksandrovna"],
    ]
    assert collector.fitted() == collector.fitted()


def test_authority_files_are_not_needed():
    assert NameCollector().fitted() == NameCollector([]).fitted() == {}


def test_long_texts_and_other_columns_are_as_they_were():
    columns = columns_of("tefi", "x")
    collector = NameCollector()
    collector.add(columns_of("tefi|buchinska n ="))
    rows = with_other_names(columns, collector.to_bytes())
    assert len(rows) == 2
    changed = rows.rows(np.array([1, 0, 0]))
    assert [changed.texts["names"].text(row) for row in range(3)] == ["x", *["tefi|buchinska n ="] * 2]
    assert changed.texts["title"].text(2) == "a"
    assert "names" not in rows.chunk(0, 2, ("title",)).texts
    assert rows.long_text_sizes(np.array([0, 1])).tolist() == columns.long_text_sizes(np.array([0, 1])).tolist()


def book(title: str, heading: str, year: str, stated: str = "") -> Mods:
    return Mods(
        title_info=(TitleInfo(title),),
        name=(Name((NamePart(heading),), type="personal", description=(stated,) if stated else ()),),
        origin_info=(
            OriginInfo(publisher=(Publisher("Шиповник"),), date_issued=(Date(year),), issuance=("monographic",)),
        ),
        physical_description=(PhysicalDescription(extent=(Extent("235 с."),)),),
        language=(Language((LanguageTerm("rus", type="code", authority="iso639-2b"),)),),
        note=(Note(heading.partition(",")[0], type="statement of responsibility"),),
    )


def test_a_book_by_the_pseudonym_is_the_one_by_the_real_name_if_any_record_states_both():
    pseudonym, real, third = RecordId("a", "1"), RecordId("b", "1"), RecordId("c", "1")
    books = {
        pseudonym: book("Юмористические рассказы", "Тэффи", "1911"),
        real: book("Юмористические рассказы", "Бучинская, Н. А.", "1911"),
    }
    (alone,) = find_duplicates(books).pairs
    assert alone.verdict.decision == "review"
    found = find_duplicates(books | {third: book("Ведьма", "Тэффи", "1936", REAL_NAME)})
    assert [cluster.members for cluster in found.clusters] == [(pseudonym, real)]
    other_title = {real: book("Рассказы о животных", "Бучинская, Н. А.", "1911")}
    assert not find_duplicates(books | other_title | {third: book("Ведьма", "Тэффи", "1936", REAL_NAME)}).clusters
    assert msgspec.structs.asdict(found.pairs[0])["verdict"].decision == "same"
