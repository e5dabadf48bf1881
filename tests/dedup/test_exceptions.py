"""Exceptions: two records that look the same, and why they may not be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.dedup.exceptions import Effect, Exceptions, explain, find_exceptions, in_force
from bibld.model.features import FeatureColumns, Features
from tests.dedup import twins

ALL = ("edition", "year", "carrier", "language")


def findings(left, right, configured):
    """The rules of the exceptions that hold for two records, with their sentences."""
    columns = FeatureColumns.from_features(enumerate((left, right)))
    (bits,) = find_exceptions(columns, np.array([0], np.uint32), np.array([1], np.uint32)).tolist()
    return list(explain(bits & in_force(configured), left, right))


def book(**changes):
    base = {"main_title": "voina i mir", "level": "m", "carrier": "print", "language": "rus"}
    base |= {"year": 1970, "last_year": 1970, "edition": 2, "pages": 512}
    return Features(**(base | changes))


@pytest.mark.parametrize(
    ("left", "right", "name", "relation", "is_hard"),
    [
        ({"designation": "1"}, {"designation": "v2"}, "part_numbers", "same_set", True),
        ({"designation": "v1 b1"}, {"designation": "v1 b2"}, "part_numbers", "same_set", True),
        ({"designation": "v1"}, {"designation": "v1 b2"}, "nested_parts", "part_of", False),
        ({"level": "s"}, {"level": "i"}, "level", "part_of", True),
        ({"level": "a"}, {"level": "s"}, "level", "part_of", True),
        ({"level": "a"}, {"level": "m"}, "article", "part_of", False),
        ({"level": "c"}, {"level": "v", "part": "3"}, "set_and_volume", "part_of", True),
        ({"volumes": 6}, {"part": "3"}, "set_and_volume", "part_of", True),
        ({"edition": 1, "year": 1969, "last_year": 1969}, {}, "edition", "other_edition", False),
        ({"year": 1960, "last_year": 1960, "pages": 500}, {}, "year", "other_edition", False),
        ({"year": 1967, "last_year": 1967, "pages": 500}, {}, "year", "other_edition", False),
        ({"year": 1960, "last_year": 1967, "pages": 500}, {}, "year", "other_edition", False),
        ({"carrier": "microform"}, {}, "carrier", "other_format", False),
        ({"language": "eng", "main_title": "war and peace"}, {}, "language", "translation", False),
        ({"language": "eng", "main_title": "faust"}, {"main_title": "faust"}, "language", "translation", False),
        ({"identifiers": "doi:10.1/1815"}, {"identifiers": "doi:10.1/1816"}, "numbers", "", False),
        ({"identifiers": "report:nasatm1"}, {"identifiers": "report:nasatm2"}, "numbers", "", False),
        ({"identifiers": "music:8127"}, {"identifiers": "music:8128"}, "numbers", "", False),
        (
            {"series": "fauna sssr", "series_number": "58"},
            {"series": "fauna sssr", "series_number": "59"},
            "numbers",
            "",
            False,
        ),
        ({"identifiers": "issue:500694950"}, {"identifiers": "issue:500694960"}, "numbers", "", False),
        (
            {"level": "a", "names": "petrov i", "host": "unost zhurnal|p3"},
            {"level": "a", "names": "petrov i", "host": "novi mir|p3"},
            "numbers",
            "",
            False,
        ),
        (
            {"names": "temerin e s", "responsibility": "hudozh e temerin"},
            {"names": "maslakov o", "responsibility": "hudozh o maslakov"},
            "authors",
            "",
            False,
        ),
        ({"designation": "jgv"}, {"designation": "jbv"}, "part_numbers", "same_set", True),
        ({"designation": "fk"}, {"designation": "ff"}, "part_numbers", "same_set", True),
        ({"level": "a", "host": "nauka|v3"}, {"level": "a"}, "unplaced", "", False),
        ({"level": "a", "names": "petrov i"}, {"level": "a", "host": "nauka"}, "unplaced", "", False),
    ],
)
def test_an_exception_is_found_both_ways_with_its_relation(left, right, name, relation, is_hard):
    for one, other in ((left, right), (right, left)):
        ((rule, sentence),) = findings(book(**one), book(**other), ALL)
        assert (rule.name, rule.relation, rule.effect == Effect.RELATED) == (name, relation, is_hard)
        assert len(sentence) > 20


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({}, {}),
        ({"designation": "v1"}, {}),
        ({"edition": 1}, {}),
        ({"edition": 0, "year": 1969, "last_year": 1969}, {}),
        ({"year": 1968, "last_year": 1968}, {}),
        ({"year": 1968, "last_year": 1968, "pages": 500}, {}),
        ({"year": 1960, "last_year": 1968, "pages": 500}, {}),
        ({"year": 1960, "last_year": 1960}, {}),
        ({"year": 1960, "last_year": 1970}, {}),
        ({"year": 0, "last_year": 0}, {}),
        ({"carrier": ""}, {}),
        ({"carrier": "score"}, {}),
        ({"language": ""}, {}),
        ({"language": "eng", "main_title": "kapitan grant"}, {"main_title": "kapitan grant"}),
        ({"identifiers": "doi:10.1/1815"}, {}),
        ({"identifiers": "doi:10.1/1815|isbn:9785280000001"}, {"identifiers": "doi:10.1/1816|isbn:9785280000001"}),
        ({"identifiers": "oclc:1142633208"}, {"identifiers": "oclc:1149390631"}),
        ({"identifiers": "issn:00279633"}, {"identifiers": "issn:23057416"}),
        ({"series": "fauna sssr", "series_number": "58"}, {"series": "nauka", "series_number": "59"}),
        ({"series": "fauna sssr", "series_number": "6-4"}, {"series": "fauna sssr", "series_number": "4"}),
        ({"series": "fauna sssr|nauka", "series_number": "58"}, {"series": "fauna sssr|nauka", "series_number": "59"}),
        ({"level": "a", "host": "nauka|v3|p4"}, {"level": "a", "host": "nauka"}),
        ({"level": "a", "names": "petrov i"}, {"level": "a", "names": "petrov i"}),
        ({"level": "a", "host": "pacific historical review"}, {"level": "a", "host": "pac hist rev"}),
        ({"level": "a", "host": "zhurnal eksperimentalnoi fiziki"}, {"level": "a", "host": "zhetf"}),
        ({"names": "temerin e s", "responsibility": "e temerin"}, {"names": "", "responsibility": "o maslakov"}),
        ({"designation": "jbv"}, {"designation": "jabv"}),
        ({"designation": "ff"}, {"designation": "ffp"}),
        ({"designation": "jbv"}, {}),
        ({"language": "eng|rus", "main_title": "war and peace"}, {}),
        ({"level": "m"}, {"level": "v"}),
        ({"level": "a"}, {"level": "v"}),
        ({"level": "c"}, {"level": "m"}),
    ],
)
def test_missing_or_agreeing_fields_are_no_exception(left, right):
    assert findings(book(**left), book(**right), ALL) == []


def test_only_those_asked_for_send_to_review_but_hard_ones_hold_always():
    one, other = book(carrier="microform", designation="1"), book(designation="2")
    assert [rule.name for rule, _ in findings(one, other, ("carrier",))] == ["part_numbers", "carrier"]
    assert [rule.name for rule, _ in findings(one, other, ())] == ["part_numbers"]


@pytest.mark.parametrize(
    ("part", "other", "expected"),
    [
        ("", "1", []),
        ("1", "1", []),
        ("1", "v1", []),
        ("v1", "b1", []),
        ("1", "2", ["part_numbers"]),
        ("1", "10", ["part_numbers"]),
        ("v2", "h2", ["nested_parts"]),
        ("1", "1 2", ["nested_parts"]),
        ("2", "1 2", ["nested_parts"]),
        ("3", "1 2", ["part_numbers"]),
        ("h2", "v1 h2", []),
        ("h1", "v1 h2", ["part_numbers"]),
        ("v2", "v1 p2", ["part_numbers"]),
        ("v1-2", "v2", ["nested_parts"]),
        ("v1-2", "v2-3", ["nested_parts"]),
        ("v1-2", "v3", ["part_numbers"]),
        ("la-k", "ll-ia", ["part_numbers"]),
        ("la-k", "la-karta", []),
        ("labak-karta", "la-k", []),
        ("la-k", "la-b", ["nested_parts"]),
        ("la", "la-k", ["nested_parts"]),
        ("la", "lb", ["part_numbers"]),
        ("la-k", "v1", []),
        ("v1 la-k", "v1", []),
        ("g5", "g6", ["part_numbers"]),
        ("g5", "g5-6", []),
        ("g5", "p1", []),
        ("g5 p1", "p1", []),
        ("g5 p1", "g6 p1", ["part_numbers"]),
        ("y2005-2006", "y2006-2007", ["part_numbers"]),
        ("y2005-2006", "y2006", []),
        ("q1 y2005", "q2 y2005", ["part_numbers"]),
    ],
)
def test_parts_conflict_where_neither_is_missing_or_inside_the_other(part, other, expected):
    for one, two in ((part, other), (other, part)):
        pair = Features(designation=one), Features(designation=two)
        assert [rule.name for rule, _ in findings(*pair, ())] == expected


def of(*values):
    return st.sampled_from(values)


def joined(*values):
    return st.lists(of(*values), max_size=3).map("|".join)


RECORDS = st.builds(
    Features,
    main_title=of("", "voina", "voina i mir", "voina i mir roman v", "voina i mir roman n"),
    remainder=of("", "mir", "i mir", "roman"),
    part=of("", "1"),
    designation=st.lists(
        of(
            *(
                "1",
                "2",
                "10",
                "1-2",
                "2-3",
                "v1",
                "v1-3",
                "v2",
                "p1",
                "p2",
                "h2",
                "na",
                "nb",
                "la-k",
                "la-b",
                "labak-ba",
                "la",
                "lb",
                "a",
            ),
            *("y1998", "y1999-2000", "y2000", "g5", "q1", "q2", "m6", "k1", "kbasic", "oa", "x6.3", "wger.rus"),
        ),
        max_size=4,
    ).map(" ".join),
    level=of("", *"mvcsia"),
    carrier=of("", "print", "map", "score", "microform"),
    language=joined("rus", "eng", "und", "mul", "zxx", "ru"),
    identifiers=joined(
        "isbn:1",
        "isbn:2",
        "issn:1",
        "setisbn:2",
        "isbn:12",
        "doi:1",
        "doi:2",
        "report:1",
        "music:1",
        "norm:1",
        "norm:2",
    ),
    series=of("", "a", "b", "a|b"),
    subseries=of("", "s3", "lesov"),
    translator=joined("losk", "sokol"),
    series_number=of("", "1", "2", "1 2", "3-1", "1|2"),
    host=of("", "zhurnal", "nauka|v1|p2", "nauka|v1|n2", "nauka|n3|n4"),
    names=of("", "tolstoi"),
    year=of(0, 1970, 1971, 1980),
    last_year=of(0, 1971, 1975),
    edition=of(0, 1, 2),
    pages=of(0, 500, 512),
    volumes=of(0, 1, 6),
)


@given(st.lists(RECORDS, min_size=2, max_size=6))
def test_exceptions_of_all_pairs_are_those_of_each(records):
    left, right = (side.astype(np.uint32) for side in np.triu_indices(len(records), 1))
    found = find_exceptions(FeatureColumns.from_features(enumerate(records)), left, right)
    for one, other, bits in zip(left.tolist(), right.tolist(), found.tolist(), strict=True):
        names = {flag.name.lower() for flag in Exceptions if flag & bits}
        assert names == twins.exceptions(records[one], records[other])
