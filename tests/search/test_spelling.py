"""Words that a misspelt one may stand for, by what the full-text index has."""

import pytest
from tantivy import Document

from bibld.search._index import SCHEMA, IndexReader, open_index
from bibld.search._searching import corrections, edit_distance

PUBLICATIONS = {
    "достоевский": 40,
    "достоевскйи": 1,  # a misprint that a record has
    "каренина": 1,
    "картина": 2,
    "программирование": 3,
    "history": 30,
    "гисторий": 1,
    "война": 1,
    "войны": 1,
    "дом": 5,
}


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    opened = open_index(tmp_path_factory.mktemp("index"), is_new=True)
    writer = opened.writer(15_000_000, 1)
    for word, count in PUBLICATIONS.items():
        for _ in range(count):
            writer.add_document(Document.from_dict({"title_words": word}, SCHEMA))
    writer.commit()
    opened.reload()
    return IndexReader(opened)


@pytest.mark.parametrize(
    ("misspelt", "expected"),
    [
        ("кареинна", ["каренина"]),  # one letter swapped; the more frequent word is two away
        ("достоевски", ["достоевский"]),  # the misprint of the index, as near, is no target beside a frequent word
        ("достоевкийй", ["достоевский"]),
        ("дастоевскый", ["достоевский"]),  # two misprints, one in the beginning
        ("програмированние", ["программирование"]),
        ("histroy", ["history"]),
        ("войн", ["война", "войны"]),
        ("дон", []),  # words of three letters are no targets
        ("1978", []),
        ("صصصصص", []),
        ("абвгдежзиклмн", []),
    ],
)
def test_likely_words_come_first_and_rare_ones_only_where_no_frequent_one_is_near(index, misspelt, expected):
    assert corrections(index, misspelt)[: len(expected) or None] == expected
    if len(expected) == 1 and PUBLICATIONS[expected[0]] > 20:
        assert "достоевскйи" not in corrections(index, misspelt)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("мир", "мир", 0),
        ("мир", "мри", 1),
        ("мир", "миры", 1),
        ("мир", "пир", 1),
        ("война", "вонйы", 2),
        ("а", "abcd", 3),
    ],
)
def test_edits_are_letters_added_removed_replaced_or_swapped(one, other, distance):
    assert edit_distance(one, other, 2) == distance
