"""Exceptions: two records that look the same, and why they may not be."""

import pytest

from bibld.dedup._judge.exceptions import findings
from bibld.model.features import Features

ALL = ("edition", "year", "carrier", "language")


def book(**changes):
    base = {"main_title": "voina i mir", "level": "m", "carrier": "print", "language": "rus"}
    base |= {"year": 1970, "last_year": 1970, "edition": 2, "pages": 512}
    return Features(**(base | changes))


@pytest.mark.parametrize(
    ("left", "right", "name", "relation", "is_hard"),
    [
        ({"part": "1"}, {"part": "2"}, "part_numbers", "same_set", True),
        ({"part": "1 1"}, {"part": "1 2"}, "part_numbers", "same_set", True),
        ({"part": "1"}, {"part": "1 2"}, "nested_parts", "part_of", False),
        ({"level": "s"}, {"level": "i"}, "level", "part_of", True),
        ({"level": "a"}, {"level": "s"}, "level", "part_of", True),
        ({"level": "a"}, {"level": "m"}, "level", "part_of", True),
        ({"level": "c"}, {"level": "v", "part": "3"}, "set_and_volume", "part_of", True),
        ({"volumes": 6}, {"part": "3"}, "set_and_volume", "part_of", True),
        ({"edition": 1, "year": 1969, "last_year": 1969}, {}, "edition", "other_edition", False),
        ({"year": 1960, "last_year": 1960, "pages": 500}, {}, "year", "other_edition", False),
        ({"year": 1967, "last_year": 1967, "pages": 500}, {}, "year", "other_edition", False),
        ({"year": 1960, "last_year": 1967, "pages": 500}, {}, "year", "other_edition", False),
        ({"carrier": "microform"}, {}, "carrier", "other_format", False),
        ({"language": "eng", "main_title": "war and peace"}, {}, "language", "translation", False),
    ],
)
def test_an_exception_is_found_both_ways_with_its_relation(left, right, name, relation, is_hard):
    for one, other in ((left, right), (right, left)):
        (found,) = findings(book(**one), book(**other), ALL)
        assert (found.name, found.relation, found.is_hard) == (name, relation, is_hard)
        assert len(found.reason) > 20


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({}, {}),
        ({"part": "1"}, {}),
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
        ({"language": "eng"}, {}),
        ({"language": "eng|rus", "main_title": "war and peace"}, {}),
        ({"level": "m"}, {"level": "v"}),
        ({"level": "a"}, {"level": "v"}),
        ({"level": "c"}, {"level": "m"}),
    ],
)
def test_missing_or_agreeing_fields_are_no_exception(left, right):
    assert findings(book(**left), book(**right), ALL) == []


def test_only_those_asked_for_send_to_review_but_hard_ones_hold_always():
    one, other = book(carrier="microform", part="1"), book(part="2")
    assert [found.name for found in findings(one, other, ("carrier",))] == ["part_numbers", "carrier"]
    assert [found.name for found in findings(one, other, ())] == ["part_numbers"]


@pytest.mark.parametrize(
    ("part", "other", "expected"),
    [
        ("", "1", []),
        ("1", "1", []),
        ("1", "2", ["part_numbers"]),
        ("1", "10", ["part_numbers"]),
        ("1", "1 2", ["nested_parts"]),
        ("2", "1 2", ["part_numbers"]),
    ],
)
def test_parts_conflict_where_neither_is_missing_or_inside_the_other(part, other, expected):
    for one, two in ((part, other), (other, part)):
        assert [found.name for found in findings(Features(part=one), Features(part=two), ())] == expected
