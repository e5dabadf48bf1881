"""Merging by the paper's rule: compound values are united, simple ones filled, else the older record wins."""

from itertools import permutations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.merge import merge_records
from bibld.model.linkage import Cluster
from bibld.model.mods import (
    Abstract,
    Date,
    Identifier,
    Mods,
    Name,
    NamePart,
    Note,
    OriginInfo,
    Place,
    PlaceTerm,
    Publisher,
    RecordInfo,
    RelatedItem,
    Role,
    RoleTerm,
    Subject,
    TitleInfo,
    Topic,
    TypeOfResource,
)
from bibld.model.origin import RecordId
from tests.strategies import mods

RSL, NLR = RecordId("rsl", "1"), RecordId("nlr", "2")


def made(day: str, encoding: str = "w3cdtf") -> tuple[RecordInfo, ...]:
    return (RecordInfo(record_creation_date=(Date(day, encoding=encoding),)),)


def origin(place: str, publisher: str, **dates: tuple[Date, ...]) -> tuple[OriginInfo, ...]:
    return (OriginInfo(place=(Place((PlaceTerm(place, type="text"),)),), publisher=(Publisher(publisher),), **dates),)


def merge(*records: tuple[RecordId, Mods]):
    members = tuple(record for record, _ in records)
    return merge_records(Cluster(members[0], members), records)


def sources(result) -> dict[str, set[RecordId]]:
    return {source.path: set(source.records) for source in result.sources}


def test_compound_values_are_united_and_each_knows_its_records():
    old = Mods(
        title_info=(TitleInfo("Война и мир"),), subject=(Subject((Topic("Война"),)),), record_info=made("1998-01-01")
    )
    new = Mods(
        title_info=(TitleInfo("Война и мир."), TitleInfo("War and peace", type="alternative")),
        subject=(Subject((Topic("война"),)), Subject((Topic("Мир"),))),
        record_info=made("2004-01-01"),
    )
    result = merge((RSL, new), (NLR, old))
    assert [info.title for info in result.mods.title_info] == ["Война и мир", "War and peace"]
    assert len(result.mods.subject) == 2
    found = sources(result)
    assert found["title_info/0"] == {RSL, NLR}
    assert found["title_info/1"] == {RSL}
    assert found["subject/0"] == {RSL, NLR}
    assert len(result.mods.record_info) == 2


def test_a_simple_value_is_filled_from_whoever_has_it():
    result = merge(
        (RSL, Mods(record_info=made("1990-01-01"))),
        (NLR, Mods(abstract=(Abstract("О войне"),), record_info=made("2001-01-01"))),
    )
    assert result.mods.abstract == (Abstract("О войне"),)
    assert sources(result)["abstract/0"] == {NLR}


def test_where_both_have_a_simple_value_the_older_record_wins():
    old = Mods(
        abstract=(Abstract("old"),), type_of_resource=(TypeOfResource("text"),), record_info=made("971231", "marc")
    )
    new = Mods(abstract=(Abstract("new"),), type_of_resource=(TypeOfResource("text"),), record_info=made("1998-01-01"))
    result = merge((NLR, new), (RSL, old))
    assert result.mods.abstract == (Abstract("old"),)
    assert sources(result)["abstract/0"] == {RSL}
    assert sources(result)["type_of_resource/0"] == {RSL, NLR}


def test_inside_publication_places_and_publishers_are_united_and_dates_filled():
    old = Mods(origin_info=origin("М.", "Худож. лит.", date_issued=(Date("1978"),)), record_info=made("1990-01-01"))
    new = Mods(
        origin_info=origin("Москва", "Худож. лит.", date_issued=(Date("1979"),), copyright_date=(Date("1977"),)),
        record_info=made("2000-01-01"),
    )
    (info,) = merge((RSL, old), (NLR, new)).mods.origin_info
    assert [place.place_term[0].value for place in info.place] == ["Москва"]
    assert [publisher.value for publisher in info.publisher] == ["Худож. лит."]
    assert [date.value for date in info.date_issued] == ["1978"]
    assert [date.value for date in info.copyright_date] == ["1977"]
    found = sources(merge((RSL, old), (NLR, new)))
    assert found["origin_info/0/publisher/0"] == {RSL, NLR}
    assert found["origin_info/0/place/0"] == {RSL, NLR}
    assert found["origin_info/0/date_issued/0"] == {RSL}


def test_the_roles_of_one_name_are_united():
    def name(role: str) -> tuple[Name, ...]:
        return (Name((NamePart("Толстой, Л. Н."),), role=(Role((RoleTerm(role, type="code"),)),), type="personal"),)

    result = merge((RSL, Mods(name=name("aut"), record_info=made("1990-01-01"))), (NLR, Mods(name=name("edt"))))
    (found,) = result.mods.name
    assert [role.role_term[0].value for role in found.role] == ["aut", "edt"]


def test_identifiers_and_notes_are_the_same_whatever_their_hyphens_and_points():
    one = Mods(identifier=(Identifier("5-280-00710-3", type="isbn"),), note=(Note("Библиогр.: с. 5"),))
    other = Mods(identifier=(Identifier("5280007103", type="isbn"),), note=(Note("Библиогр. : с. 5."),))
    result = merge((RSL, one), (NLR, other))
    assert len(result.mods.identifier) == 1
    assert len(result.mods.note) == 1


def test_the_order_of_records_changes_nothing():
    records = [
        (RecordId("rsl", "1"), Mods(title_info=(TitleInfo("A"),), abstract=(Abstract("x"),))),
        (
            RecordId("nlr", "2"),
            Mods(title_info=(TitleInfo("B"),), abstract=(Abstract("y"),), record_info=made("2000-01-01")),
        ),
        (RecordId("slavica", "3"), Mods(title_info=(TitleInfo("a"),), record_info=made("2000-01-01"))),
    ]
    results = {
        msgspec.json.encode((merge(*order).mods, sorted(map(str, merge(*order).sources))))
        for order in permutations(records)
    }
    assert len(results) == 1


def test_merging_a_record_with_itself_invents_nothing():
    record = Mods(
        title_info=(TitleInfo("A"),),
        note=(Note("n"),),
        origin_info=origin("М.", "Наука"),
        record_info=made("2000-01-01"),
    )
    assert merge((RSL, record), (NLR, record)).mods == record


def not_shown(result) -> dict[str, tuple[str, set[RecordId]]]:
    return {source.path: (source.value, set(source.records)) for source in result.sources if not source.is_shown}


def test_values_not_chosen_and_the_statements_of_both_records_are_among_the_sources():
    old = Mods(
        origin_info=origin("М.", "Дрофа", date_issued=(Date("1978"),)),
        abstract=(Abstract("О войне"),),
        record_info=made("1990-01-01"),
    )
    new = Mods(
        origin_info=origin("Москва", "Наука", date_issued=(Date("1979"),)),
        abstract=(Abstract("О мире"),),
        record_info=made("2000-01-01"),
    )
    assert not_shown(merge((RSL, old), (NLR, new))) == {
        "abstract#1": ("О мире", {NLR}),
        "origin_info/0/place/0#1": ("М.", {RSL}),
        "origin_info/0/date_issued#1": ("1979", {NLR}),
        "origin_info/0#1": ("М. : Дрофа, 1978", {RSL}),
        "origin_info/0#2": ("Москва : Наука, 1979", {NLR}),
    }


def responsibility(*texts: str) -> tuple[Note, ...]:
    return tuple(Note(text, type="statement of responsibility") for text in texts)


def test_the_statements_of_responsibility_are_those_of_one_record_and_the_others_are_among_the_sources():
    short = Mods(note=(*responsibility("S. Iegan"), Note("Biography")), record_info=made("1990-01-01"))
    full = Mods(note=(*responsibility("prepared by S. Legan", "edited by J. Doe"), Note("Index")))
    result = merge((RSL, short), (NLR, full))
    shown = sorted(note.value for note in result.mods.note)
    assert shown == ["Biography", "Index", "edited by J. Doe", "prepared by S. Legan"]
    ((place, other),) = not_shown(result).items()
    assert result.mods.note[int(place.removeprefix("note/").removesuffix("#1"))].type == "statement of responsibility"
    assert other == ("S. Iegan", {RSL})


def test_a_word_in_letters_of_two_scripts_is_never_preferred():
    wrong, right = ("Тёмныe аллеи", "Тёмные аллеи")  # the former with a Latin e
    for first, second in ((wrong, right), (right, wrong)):
        result = merge((RSL, Mods(title_info=(TitleInfo(first),))), (NLR, Mods(title_info=(TitleInfo(second),))))
        assert result.mods.title_info[0].title == right


def test_the_preferred_statement_of_publication_is_of_the_preferred_year():
    old = Mods(origin_info=origin("М.", "", date_issued=(Date("1978"),)), record_info=made("1990-01-01"))
    new = Mods(origin_info=origin("Москва", "Наука", date_issued=(Date("1979"),)), record_info=made("2000-01-01"))
    assert not_shown(merge((RSL, old), (NLR, new)))["origin_info/0#1"] == ("М., 1978", {RSL})


def test_differences_in_punctuation_and_case_are_none():
    one = Mods(abstract=(Abstract("О войне."),), identifier=(Identifier("5-280-00710-3", type="isbn"),))
    other = Mods(abstract=(Abstract("о войне"),), identifier=(Identifier("5280007103", type="isbn"),))
    assert not_shown(merge((RSL, one), (NLR, other))) == {}


def test_a_coded_date_does_not_replace_a_printed_one():
    record = Mods(origin_info=origin("М.", "Наука", date_issued=(Date("1970", encoding="marc"), Date("1970"))))
    assert merge((RSL, record), (NLR, record)).mods == record


def test_different_values_of_related_items_are_among_the_sources_under_their_path():
    def host(text: str) -> tuple[RelatedItem, ...]:
        return (RelatedItem(type="host", mods=Mods(title_info=(TitleInfo("Наука"),), abstract=(Abstract(text),))),)

    result = merge(
        (RSL, Mods(related_item=host("один"), record_info=made("1990-01-01"))), (NLR, Mods(related_item=host("два")))
    )
    assert not_shown(result) == {"related_item/0/mods/abstract#1": ("два", {NLR})}


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("isbn", "5-7107-6512-0", "978-5-7107-6512-8"),
        ("issue number", "33Д-4451 Мелодия", "Мелодия 33Д-4451"),
        ("music plate", "11875 Музыка", "Музыка 11875"),
    ],
)
def test_two_forms_of_a_number_are_one_identifier(kind, one, other):
    result = merge(
        (RSL, Mods(identifier=(Identifier(one, type=kind),))), (NLR, Mods(identifier=(Identifier(other, type=kind),)))
    )
    assert [found.value for found in result.mods.identifier] in ([one], [other])
    assert sources(result)["identifier/0"] == {RSL, NLR}


def test_a_wrong_isbn_is_not_taken_for_the_right_one():
    right, wrong = Identifier("5-280-00710-3", type="isbn"), Identifier("5-280-00710-3", type="isbn", invalid="yes")
    assert len(merge((RSL, Mods(identifier=(right,))), (NLR, Mods(identifier=(wrong,)))).mods.identifier) == 2


THREE = (RSL, NLR, RecordId("slavica", "3"))


@settings(max_examples=30)
@given(st.lists(mods(), min_size=1, max_size=3))
def test_any_descriptions_merge_equally_in_any_order_and_no_two_sources_have_one_path(descriptions):
    records = list(zip(THREE, descriptions, strict=False))
    result = merge(*records)
    backwards = merge(*reversed(records))
    assert (result.mods, result.sources) == (backwards.mods, backwards.sources)
    paths = [source.path for source in result.sources]
    assert len(set(paths)) == len(paths)
    for source in result.sources:
        assert source.records
        assert set(source.records) <= {record for record, _ in records}
        assert source.is_shown == (source.value == "")
