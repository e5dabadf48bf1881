"""Merging by the paper's rule: compound values are united, simple ones filled, else the older record wins."""

from itertools import permutations

from bibld.merge import merged
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
    Role,
    RoleTerm,
    Subject,
    TitleInfo,
    Topic,
    TypeOfResource,
)
from bibld.model.origin import RecordId

RSL, NLR = RecordId("rsl", "1"), RecordId("nlr", "2")


def made(day: str, encoding: str = "w3cdtf") -> tuple[RecordInfo, ...]:
    return (RecordInfo(record_creation_date=(Date(day, encoding=encoding),)),)


def origin(place: str, publisher: str, **dates: tuple[Date, ...]) -> tuple[OriginInfo, ...]:
    return (OriginInfo(place=(Place((PlaceTerm(place, type="text"),)),), publisher=(Publisher(publisher),), **dates),)


def merge(*records: tuple[RecordId, Mods]):
    members = tuple(record for record, _ in records)
    return merged(Cluster(members[0], members), records)


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
    assert [place.place_term[0].value for place in info.place] == ["М.", "Москва"]
    assert [publisher.value for publisher in info.publisher] == ["Худож. лит."]
    assert [date.value for date in info.date_issued] == ["1978"]
    assert [date.value for date in info.copyright_date] == ["1977"]
    found = sources(merge((RSL, old), (NLR, new)))
    assert found["origin_info/0/publisher/0"] == {RSL, NLR}
    assert found["origin_info/0/place/1"] == {NLR}
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
    results = {repr((merge(*order).mods, sorted(map(str, merge(*order).sources)))) for order in permutations(records)}
    assert len(results) == 1


def test_merging_a_record_with_itself_invents_nothing():
    record = Mods(
        title_info=(TitleInfo("A"),),
        note=(Note("n"),),
        origin_info=origin("М.", "Наука"),
        record_info=made("2000-01-01"),
    )
    assert merge((RSL, record), (NLR, record)).mods == record
