"""A link needs evidence beyond a common name; what contradicts a link prevents it."""

import pytest

from bibld.link._entities import Entity
from bibld.link._linking import THRESHOLD
from bibld.link._score import rank_matches
from bibld.link._values import AuthorityLabel, AuthorityRecord, Profile, Work


class Names:
    """How often names occur in a file of a million persons; Smith and John are common."""

    persons = 1_000_000

    def bearers(self, text: str) -> int:
        return {"f:smith": 1000, "g:ohn": 20_000}.get(text, 1)


def record(iri, heading, *variants, kind="person", **more):
    labels = (AuthorityLabel(heading, more.pop("language", ""), True), *map(AuthorityLabel, variants))
    return AuthorityRecord(f"http://example.org/{iri}", kind, labels, **more)


def entity(heading, dates="", kind="agent", type_="personal", works=(), **more):
    language = more.pop("language", "")
    profile = Profile("https://d/agent/x", kind, type_, ((heading, language),), (dates,) if dates else (), **more)
    return Entity(profile, lambda: works)


def confidence(one, *records):
    found = rank_matches(one, records, Names())
    return found[0].confidence if found else 0.0


TOM = record(1, "Twain, Mark", "Clemens, Samuel L.", born=1835, died=1910)


@pytest.mark.parametrize(
    ("heading", "dates"),
    [
        ("Twain, Mark", "1835-1910"),
        ("Твен, Марк", "1835-1910"),
        ("Mark Twain", "1835-1910"),
        ("Twain, M.", "1835-1910"),
        ("Twain, Mark", "1835-"),
        ("Clemens, Samuel", "1835-1910"),
    ],
)
def test_name_and_years_make_a_link(heading, dates):
    variant = record(1, "Twain, Mark", "Clemens, Samuel L.", "Твен, Марк", born=1835, died=1910)
    assert confidence(entity(heading, dates), variant) >= THRESHOLD


def test_other_years_prevent_a_link():
    assert confidence(entity("Twain, Mark", "1836-1910"), TOM) == 0
    assert confidence(entity("Twain, Mark", "1835-1911"), TOM) == 0
    assert confidence(entity("Twain, Mark", "1950-"), TOM) == 0


def test_a_bare_common_name_waits_for_a_person():
    smith = record(1, "Smith, John")
    assert 0 < confidence(entity("Smith, John"), smith) < THRESHOLD
    assert confidence(entity("Smith, J."), smith) < THRESHOLD
    assert confidence(entity("Smith"), record(1, "Smith")) < THRESHOLD


def test_a_rare_full_name_is_evidence():
    assert (
        confidence(entity("Abarbanellsson, Theophrastus Emmerich"), record(1, "Abarbanellsson, Theophrastus Emmerich"))
        >= THRESHOLD
    )


def test_a_small_file_does_not_show_that_a_name_is_rare():
    few = Names()
    few.persons = 500
    rare = record(1, "Abarbanellsson, Theophrastus Emmerich")
    (found,) = rank_matches(entity("Abarbanellsson, Theophrastus Emmerich"), [rare], few)
    assert found.confidence < THRESHOLD
    assert found.evidence[-1] == "the file is too small to show how rare the name is"


def test_a_title_of_a_work_is_evidence():
    smith = record(1, "Smith, John", works=("Plumbing for everybody. - 1950",))
    works = (Work("Plumbing for everybody", 1950, is_creator=True),)
    found = rank_matches(entity("Smith, John", works=works), [smith], Names())[0]
    assert found.confidence >= THRESHOLD
    assert "title of a work in both: Plumbing for everybody" in found.evidence


def test_nobody_writes_before_birth():
    works = (Work("A book", 1950, is_creator=True),)
    assert confidence(entity("Rare, Name Different", works=works), record(1, "Rare, Name Different", born=1949)) == 0


def test_two_records_that_fit_equally_well_share_the_probability():
    twins = [record(number, "Twain, Mark", born=1835, died=1910) for number in (1, 2)]
    assert confidence(entity("Twain, Mark", "1835-1910"), *twins) < 0.5
    old = record(2, "Twain, Mark", born=1835, died=1910, numbers=("http://example.org/1",))
    assert confidence(entity("Twain, Mark", "1835-1910"), twins[0], old) >= THRESHOLD


def test_a_record_for_more_than_one_person_is_never_linked():
    shared = record(1, "Twain, Mark", born=1835, died=1910, is_undifferentiated=True)
    assert confidence(entity("Twain, Mark", "1835-1910"), shared) < 0.5


def test_records_that_state_different_years_of_one_entity_wait_for_a_person():
    profile = Profile("https://d/agent/x", "agent", "personal", (("Twain, Mark", ""),), ("1835-1910", "1950-"))
    assert confidence(Entity(profile, list), TOM) == 0.5


def test_a_shared_number_of_a_third_authority_is_enough():
    numbered = record(1, "Twain, Mark", numbers=("http://viaf.org/viaf/50566653",))
    one = entity("Tvèn, M.", numbers=("https://viaf.org/viaf/50566653/",))
    assert confidence(one, numbered) >= 0.99


def test_a_person_is_never_an_organisation():
    assert confidence(entity("Twain, Mark", "1835-1910"), record(1, "Twain, Mark", kind="organisation")) == 0
    assert confidence(entity("Twain Society", type_="corporate"), record(1, "Twain Society")) == 0


def test_organisations():
    full = record(1, "Argonne National Laboratory", kind="organisation")
    assert confidence(entity("Argonne national laboratory.", type_="corporate"), full) >= THRESHOLD
    generic = record(1, "National Library", kind="organisation")
    assert confidence(entity("National Library", type_="corporate"), generic) < THRESHOLD
    qualified = record(1, "Environmental Center (Las Vegas, Nev.)", kind="organisation")
    assert confidence(entity("Environmental Center", type_="corporate"), qualified) < THRESHOLD
    assert confidence(entity("Environmental Center (Paris)", type_="corporate"), qualified) == 0
    unknown = record(1, "Argonne National Laboratory", kind="")
    assert confidence(entity("Argonne National Laboratory", type_="corporate"), unknown) < THRESHOLD


def test_places():
    france, paris = (record(number, text, kind="place") for number, text in ((1, "France"), (2, "France--Paris")))
    assert confidence(entity("France", kind="place", type_=""), france, paris) >= THRESHOLD
    assert confidence(entity("Paris", kind="place", type_=""), france, paris) < THRESHOLD
    assert confidence(entity("Reading", kind="place", type_=""), record(1, "Reading", kind="topic")) == 0


def test_concepts():
    gift = AuthorityRecord("https://d-nb.info/gnd/4020904-0", "topic", (AuthorityLabel("Gift", "", True),))

    def concept(scheme, language=""):
        return entity("Gift", kind="concept", type_="", scheme=scheme, language=language)

    assert confidence(concept("gnd"), gift) >= 0.99
    assert confidence(concept("lcsh", "en"), gift) < 0.5
    assert THRESHOLD <= confidence(concept("rameau", "de"), gift) < 0.99


def test_a_class_mark_of_the_same_classification():
    udc = AuthorityRecord(
        "http://udcdata.info/078887", labels=(AuthorityLabel("X", "en", True),), notations=("821.161.1",)
    )
    mark = entity("821.161.1", kind="concept", type_="", scheme="udc", notations=("821.161.1",))
    other = entity("821.161.1", kind="concept", type_="", scheme="bbk", notations=("821.161.1",))
    assert confidence(mark, udc) >= THRESHOLD
    assert confidence(other, udc) == 0
