"""Conditions of programs: what each finds, and lists of words in their order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.documents import ReleaseState, fill, open_published
from bibld.model.rdf import literal, quad, term
from bibld.search import (
    SCANNED,
    AnyPublication,
    BooleanCondition,
    BooleanOperator,
    NumberCondition,
    SearchView,
    TextCondition,
    WordComparison,
    YearCondition,
    open_search,
    write_search,
)
from bibld.search import _conditions as conditions

BASE = "https://data.example.org/"
RUSSIAN, ENGLISH = (f"<http://id.loc.gov/vocabulary/iso639-2/{code}>" for code in ("rus", "eng"))
ALL, ANY, PHRASE, COMPLETE, BEGINNING = WordComparison
AND, OR, NOT = BooleanOperator


def line(path: str, predicate: str, value: str) -> str:
    return quad(f"<{BASE}{path}>", term(predicate), value if value[0] in '"<' else f"<{BASE}{value}>")


def book(number: str, title: str, year: str, isbn: str, **values: str) -> list[str]:
    path = f"resource/rsl/{number}"
    lines = [line(path, "rdfs:label", literal(title, "ru")), line(path, "dcterms:issued", literal(year))]
    lines.append(line(path, "prov:wasDerivedFrom", f"record/rsl/{number}"))
    lines += [line(path, "bibo:isbn13", literal(isbn))] if isbn else []
    return lines + [line(path, f"dcterms:{name}", value) for name, value in values.items()]


def name(path: str, *forms: str, kind: str = "foaf:Person") -> list[str]:
    labels = ["rdfs:label", *["skos:altLabel"] * (len(forms) - 1)]
    lines = [line(path, label, literal(form)) for label, form in zip(labels, forms, strict=True)]
    return [*lines, line(path, "rdf:type", term(kind))]


LINES = [
    *book("1", "Война и мир", "1978", "9785280010000", creator="agent/t", language=RUSSIAN, publisher="publisher/n"),
    *book("2", "Война планет", "1983", "9785170001002", creator="agent/w", language=RUSSIAN),
    *book("3", "War and peace", "1922", "", creator="agent/t", language=ENGLISH),
    *book("4", "Мир : журнал", "1990", "", subject="concept/x/peace", language=RUSSIAN),
    *name("agent/t", "Толстой, Лев Николаевич", "Tolstoy, Leo"),
    *name("agent/w", "Уэллс, Герберт Джордж", "Wells, Herbert George"),
    *name("concept/x/peace", "Peace--History", kind="skos:Concept"),
    *name("publisher/n", "Наука", kind="foaf:Organization"),
]


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchView]:
    folder: Path = tmp_path_factory.mktemp("conditions")
    fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 10), ["".join(sorted(LINES)).encode()], False)
    with open_published(folder, 1) as documents:
        write_search(folder, BASE, documents)
    with closing(open_search(folder)) as opened:
        yield opened


def numbers(view: SearchView, condition: conditions.SearchCondition, **options: object) -> str:
    found, total = view.retrieve(condition, **options)  # type: ignore[arg-type]
    assert len(found) == total or options
    return " ".join(each.path.rpartition("/")[2] for each in found)


@pytest.mark.parametrize(
    ("field", "comparison", "text", "found"),
    [
        ("title", ALL, "война и мир", "1"),
        ("title", ALL, "войну миры", "1"),  # any form of the words
        ("title", ALL, "voina i mir", "1"),  # any script
        ("title", ANY, "война журнал", "1 2 4"),
        ("title", ANY, "война и", "1 2"),  # a stop word need not be found
        ("title", PHRASE, "война и мир", "1"),
        ("title", PHRASE, "мир и война", ""),
        ("title", COMPLETE, "Война и мир", "1"),
        ("title", COMPLETE, "Война", ""),
        ("title", BEGINNING, "Война", "1 2"),
        ("title", BEGINNING, "мир", "4"),
        ("title", ALL, "вой*", "1 2"),
        ("title", ALL, "мир*", "1 4"),
        ("title", ALL, "во*на", "1 2"),
        ("any", ALL, "толстой war", "3"),
        ("author", ALL, "Tolstoy", "1 3"),
        ("author", COMPLETE, "Tolstoy, Leo", "1 3"),
        ("author", COMPLETE, "Tolstoy", ""),
        ("subject", ALL, "peace history", "4"),
        ("subject", COMPLETE, "Peace--History", "4"),
        ("publisher", ALL, "наука", "1"),
        ("publisher", ALL, "наука искусство", ""),
        ("publisher", ANY, "искусство наука", "1"),
        ("publisher", COMPLETE, "Наука", "1"),
        ("language", COMPLETE, "eng", "3"),
        ("library", COMPLETE, "rsl", "1 2 3 4"),
        ("title", ALL, "...", ""),
        ("author", COMPLETE, "", ""),
        ("title", PHRASE, "-", ""),
    ],
)
def test_texts_are_found(view, field, comparison, text, found):
    listed = numbers(view, TextCondition(field, comparison, text))
    assert sorted(listed.split()) == found.split()


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (AnyPublication(), "1 2 3 4"),
        (YearCondition(1978, 1983), "1 2"),
        (YearCondition(1990, 1978), ""),
        (NumberCondition("978-5-280-01000-0"), "1"),
        (NumberCondition("5280010005"), "1"),  # ten digits, with another check digit
        (NumberCondition("97851700", is_beginning=True), "2"),
        (NumberCondition("51700", is_beginning=True), "2"),
        (NumberCondition("9785280010000", is_beginning=True), "1"),
        (NumberCondition("3"), "3"),  # the control number of a record
        (NumberCondition("rsl:3"), "3"),
        (BooleanCondition(AND, YearCondition(1900, 1980), TextCondition("author", ALL, "толстой")), "1 3"),
        (BooleanCondition(OR, NumberCondition("3"), YearCondition(1990, 1990)), "3 4"),
        (BooleanCondition(NOT, AnyPublication(), TextCondition("title", ALL, "война")), "3 4"),
    ],
)
def test_conditions_are_combined(view, condition, found):
    assert sorted(numbers(view, condition).split()) == found.split()


@pytest.mark.parametrize(
    ("sort", "found"), [("year", "3 1 2 4"), ("-year", "4 2 1 3"), ("title", "3 1 2 4"), ("-title", "4 2 1 3")]
)
def test_results_are_sorted_and_paged(view, sort, found):
    assert numbers(view, AnyPublication(), sort=sort) == found
    pages = [numbers(view, AnyPublication(), sort=sort, limit=1, offset=offset) for offset in range(4)]
    assert " ".join(pages) == found


def test_the_title_that_is_looked_for_comes_first_on_all_pages(view):
    condition = TextCondition("title", ALL, "война и мир")
    all_of_them = BooleanCondition(OR, AnyPublication(), condition)
    pages = [numbers(view, all_of_them, limit=1, offset=offset) for offset in range(5)]
    assert pages[0] == "1"
    assert sorted(pages[:4]) == ["1", "2", "3", "4"]
    assert pages[4] == ""


def test_an_unknown_field_is_an_error(view):
    with pytest.raises(ValueError, match="is not a field of conditions"):
        view.retrieve(TextCondition("colour", ALL, "red"))


class WordsOfIndex:
    """An index that has some words."""

    def __init__(self, words: dict[str, int]) -> None:
        self._words = words

    def tokens(self, field: str, beginning: str, limit: int) -> list[tuple[str, int]]:
        return [pair for pair in self._words.items() if pair[0].startswith(beginning)][:limit]

    def frequency(self, fields: list[str], token: str) -> int:
        return self._words.get(token, 0)


@given(
    words=st.dictionaries(st.text("0azбя", min_size=1, max_size=4), st.integers(1, 9)),
    start=st.text("0azбя", max_size=4),
    before=st.integers(0, 30),
    count=st.integers(1, 30),
    limit=st.integers(1, 5),
)
def test_words_are_listed_in_their_order(words, start, before, count, limit):
    """However few words can be read at once, the list is that of all words, sorted."""
    ordered = sorted(words.items())
    first = next((at for at, (word, _) in enumerate(ordered) if word >= start), len(ordered))
    begin = max(0, first - before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conditions, "_MAX_READ", limit)
        found = conditions.words_around(WordsOfIndex(words), "title", start, before, count)  # type: ignore[arg-type]
    assert found == ordered[begin:first][:count] + ordered[first : first + max(0, count - (first - begin))]


@pytest.mark.parametrize("field", SCANNED)
def test_words_of_an_index_are_listed_without_other_forms(view, field):
    found = view.words_around(field, "", 0, 100)
    assert found
    assert all(word.isalnum() and count > 0 for word, count in found)
