"""A work is linked where title and creator agree and nothing contradicts; the rest waits for a person."""

import pytest

import bibld
from bibld.link._entities import Entity
from bibld.link._linking import REVIEW, THRESHOLD
from bibld.link._marc import authority_record
from bibld.link._score import rank_matches
from bibld.link._values import AuthorityLabel, AuthorityRecord, Creator, Profile
from tests.configuration import write_config
from tests.crosswalk.test_cases import record_of

TOLSTOY = Creator(("Толстой, Лев Николаевич", "Tolstoĭ, Lev Nikolaevich"), ("1828-1910",))


class NoFrequencies:
    persons = 0


def work(*titles, creators=(TOLSTOY,), languages=("rus",), **more):
    labels = tuple((title, "") for title in titles)
    return Entity(
        Profile("https://d/work/1", "work", "", labels, creators=creators, languages=languages, **more), lambda: ()
    )


def record(*titles, creators=("Толстой, Лев Николаевич, 1828-1910",), kind="work", language="", number=1):
    labels = tuple(AuthorityLabel(title, "", place == 0) for place, title in enumerate(titles))
    iri = f"http://example.org/{number}"
    return AuthorityRecord(iri, kind, labels, titles=titles, creators=creators, work_language=language)


def decision(one, *records):
    found = rank_matches(one, records, NoFrequencies())
    if not found or found[0].confidence < REVIEW:
        return "none"
    return "link" if found[0].confidence >= THRESHOLD else "review"


@pytest.mark.parametrize(
    ("stated", "known", "expected"),
    [
        (work("Война и мир"), record("Война и мир"), "link"),
        (work("Voĭna i mir"), record("Война и мир"), "link"),
        (work("Война и мир"), record("War and peace", "Война и миръ"), "link"),
        (work("Война и мир"), record("Война и мир", creators=("Tolstoĭ, L. N., 1828-1910",)), "link"),
        (work("Война и мир"), record("Война и мир", creators=("Толстой, Л. Н.",)), "review"),
        (work("Война и мир"), record("Война и мир", creators=()), "review"),
        (work("Война и мир", creators=()), record("Война и мир"), "review"),
        (work("Война и мир"), record("Война и мир", kind=""), "review"),
        (work("Война и мир"), record("Война и мир", creators=("Толстой, Лев Николаевич, 1950-",)), "none"),
        (work("Война и мир"), record("Война и мир", creators=("Прокофьев, Сергей Сергеевич, 1891-1953",)), "none"),
        (work("Война и мир"), record("Анна Каренина"), "none"),
        (work("Война и мир"), record("Война и мир", kind="person"), "none"),
    ],
)
def test_title_and_creator_decide(stated, known, expected):
    assert decision(stated, known) == expected


@pytest.mark.parametrize(
    ("stated", "known", "expected"),
    [
        (work("War and peace", languages=("eng",), is_version=True), record("Война и мир", "War and peace"), "none"),
        (
            work("War and peace", languages=("eng",), is_version=True),
            record("Война и мир", "War and peace", language="eng"),
            "link",
        ),
        (work("Война и мир"), record("Война и мир", language="eng"), "none"),
        (work("Война и мир", is_part=True), record("Война и мир"), "none"),
        (work("Война и мир", is_version=True), record("Война и мир"), "none"),
    ],
)
def test_a_translation_an_abridgement_and_a_volume_are_not_the_work_itself(stated, known, expected):
    assert decision(stated, known) == expected


def test_two_records_that_fit_wait_for_a_person():
    records = [record("Война и мир"), record("Война и мир", number=2)]
    one, other = rank_matches(work("Война и мир"), records, NoFrequencies())
    assert one.confidence == other.confidence < REVIEW <= one.confidence + other.confidence


@pytest.mark.parametrize(
    ("fields", "title", "creator", "language"),
    [
        (
            r"=100  1\$aTolstoy, Leo,$cgraf,$d1828-1910.$tVoĭna i mir",
            "Voĭna i mir",
            "Tolstoy, Leo, graf, 1828-1910.",
            "",
        ),
        (
            r"=100  1\$aTolstoy, Leo,$d1828-1910.$tVoĭna i mir.$lEnglish",
            "Voĭna i mir",
            "Tolstoy, Leo, 1828-1910.",
            "eng",
        ),
        (r"=130  \0$aBeowulf", "Beowulf", None, ""),
        (r"=110  1\$aUnited States.$tConstitution", "Constitution", "United States.", ""),
    ],
)
def test_the_heading_of_a_work_has_a_title_a_creator_and_a_language(tmp_path, fields, title, creator, language):
    file = tmp_path / "record.mrk"
    file.write_text(f"=LDR  00000nz  a2200000n  4500\n=001  n 1\n=010  \\\\$an  80045423\n{fields}\n", encoding="utf-8")
    found = authority_record(record_of(file), "")
    assert (found.kind, found.titles, found.work_language) == ("work", (title,), language)
    assert found.creators == ((creator,) if creator else ())


BOOKS = """\
=LDR  00000nam a2200000   4500
=001  1
=008  800101s1950    ru       b    000 1 rus d
=100  1\\$aТолстой, Лев Николаевич,$d1828-1910.
=245  10$aВойна и мир.

=LDR  00000nam a2200000   4500
=001  2
=008  800101s1950    ru       b    000 1 rus d
=100  1\\$aТолстой, Лев Николаевич,$d1828-1910.
=245  10$aВоскресение.

"""
WORKS = """\
id,label,variants,creator,kind
http://www.wikidata.org/entity/Q161531,War and peace,Война и мир,"Толстой, Лев Николаевич, 1828-1910|Tolstoy, L.",work
http://www.wikidata.org/entity/Q203390,Resurrection,Воскресение,,work
"""


def test_works_of_a_file_are_linked_in_the_graph_of_their_authority(tmp_path):
    (tmp_path / "books.mrk").write_text(BOOKS, encoding="utf-8")
    (tmp_path / "works.csv").write_text(WORKS, encoding="utf-8")
    workspace = bibld.Workspace(write_config(tmp_path, a="books.mrk"))
    workspace.run()
    workspace.links.update(tmp_path / "works.csv")
    workspace.run()
    rows = workspace.query(
        "SELECT ?work ?target WHERE { GRAPH ?links { ?work owl:sameAs ?target } ?work a bf:Work"
        ' FILTER(STRSTARTS(STR(?target), "http://www.wikidata.org/")) }'
    )
    found = [(row.work.rpartition("/")[2], row.target.rpartition("/")[2]) for row in rows]
    assert found == [("1", "Q161531")]
    (waiting,) = [link for link in workspace.links.table("review") if "/work/" in link.entity]
    assert (waiting.target.rpartition("/")[2], waiting.label) == ("Q203390", "Толстой, Лев Николаевич. Воскресение")
