"""Exact: records of which all chosen fields are equal are candidates, however many they are."""

import msgspec
import pytest

from bibld.dedup.block import exact
from bibld.model.features import FeatureColumns, Features, Statistics

NONE = Statistics.empty()
BOOK = Features(main_title="war and peace", remainder="a novel", names="tolstoi l", part="1", year=1869)


def are_equal(one, other, **chosen):
    keys, rows = exact.keys(FeatureColumns.from_features(enumerate([one, other])), exact.Settings(**chosen), NONE)
    return rows.tolist() == [0, 1] and keys[0] == keys[1]


def with_changes(**changes):
    return msgspec.structs.replace(BOOK, **changes)


@pytest.mark.parametrize(
    "change, equal",
    [
        ({}, True),
        ({"main_title": "war andpeace"}, True),
        ({"pages": 300, "publisher": "x"}, True),
        ({"main_title": "war and pease"}, False),
        ({"remainder": ""}, False),
        ({"year": 1870}, False),
        ({"year": 0}, False),
        ({"names": ""}, False),
        ({"part": "2"}, False),
    ],
)
def test_all_chosen_fields_must_be_equal(change, equal):
    assert are_equal(BOOK, with_changes(**change)) == equal


def test_a_field_that_both_lack_is_equal_but_not_the_first():
    assert are_equal(Features(main_title="poems"), Features(main_title="poems"))
    assert not are_equal(Features(names="x"), Features(names="x"))
    assert are_equal(Features(text="a b"), Features(text="a b", main_title="x"), fields=("text",))


def test_values_of_two_fields_are_not_confused():
    assert not are_equal(Features(main_title="a", remainder="b"), Features(main_title="a", names="b"))
    assert not are_equal(
        Features(title="a", year=1, pages=2), Features(title="a", year=2, pages=1), fields=("title", "year", "pages")
    )


def test_an_unknown_field_is_refused():
    with pytest.raises(msgspec.ValidationError, match="fields"):
        msgspec.convert({"fields": ["titel"]}, exact.Settings)
    with pytest.raises(msgspec.ValidationError, match="fields"):
        msgspec.convert({"fields": []}, exact.Settings)
    assert exact.chosen_columns(exact.Settings(fields=("text",))) == ("text",)
