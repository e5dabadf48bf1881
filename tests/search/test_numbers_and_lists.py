"""Identifiers that are not there, exact titles among many, beginnings of words, filters, and lists of names."""

import pytest

from bibld.model.origin import to_slug
from bibld.model.rdf import iri, literal
from bibld.search import EntryKind, SearchRequest, open_search
from tests.search.test_searching import TOLSTOY, book, line, numbers, thing, write

MARKS = {"concept/udc/821": "821.161.1", "concept/udc/53": "53", f"concept/rubbk/{to_slug('84(2)6')}": "84(2)6",
         f"concept/lbc/{to_slug('Ш5(2)')}": "Ш5(2)"}  # fmt: skip
MANY = 250
LINES = [
    *thing(TOLSTOY, "Толстой, Лев Николаевич", kind="foaf:Person", born="1828"),
    *thing("agent/a", "Толстая, Софья Андреевна", kind="foaf:Person"),
    *thing("agent/b", "«Ёлкин», Пётр", kind="foaf:Person"),
    *thing("agent/c", "Tolkien, J. R. R.", kind="foaf:Person"),
    *thing("place/moscow", "Москва"),
    *[line for path, mark in MARKS.items() for line in thing(path, mark)],
    *thing("concept/a/novel", "Библиография"),
    *(each for number in range(MANY) for each in book(number, f"Война и мир: страница {number} из истории",
                                                      libraries="rsl nlr hse")),
    *book(900, "Война и мир : роман", author=TOLSTOY, subject="concept/udc/821"),
    *book(901, "Библиографический указатель", subject="concept/a/novel", isbn="9785020111110", issn="03701234"),
    *book(902, "Физика для 1000000 читателей", subject=f"concept/rubbk/{to_slug('84(2)6')}|concept/udc/53"),
    *book(903, "Стихи", subject=f"concept/lbc/{to_slug('Ш5(2)')}"),
    line("resource/rsl/902", "bf:electronicLocator", iri("https://example.org/physics.pdf")),
    line("resource/rsl/902", "bf:provisionActivity", "<https://data.example.org/resource/rsl/902#provision1>"),
    line("resource/rsl/902#provision1", "bf:place", "<https://data.example.org/place/moscow>"),
    line("resource/rsl/903", "bibo:doi", literal("10.1000/xyz123")),
]  # fmt: skip


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    write(folder, sorted(LINES))
    opened = open_search(folder / "1")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("978-5-02-011112-7", "isbn"),
        ("ISBN 5-02-011112-0", "isbn"),
        ("isbn:9785020111127", "isbn"),
        ("номер:9785020111127", "isbn"),
        ("978 5 02 011112 7", "isbn"),
        ("5020111128", "number"),  # no ISBN without its check digit
        ("0317-8471", "issn"),
        ("ISSN 0317-8471", "issn"),
        ("10.1000/absent(05)", "doi"),
        ("https://doi.org/10.1000/absent", "doi"),
        ("99887766", "number"),
        ("RU\\NLR\\bibl\\99887766", "number"),
        ("9785020111110", ""),
        ("10.1000/xyz123", ""),
        ("https://doi.org/10.1000/xyz123", ""),
        ("1000000", ""),  # a word of a title
        ("1941-1945", ""),  # two years
        ("1984", ""),
        ("война 1812", ""),
        ("isbn", ""),
    ],
)
def test_a_number_that_no_publication_has_is_answered_so(view, text, kind):
    found = view.search(SearchRequest(text))
    assert found.missing_number == kind
    if kind:
        assert (found.total, found.hits, found.correction) == (0, (), None)
        assert not view.search(SearchRequest(text, literal=True)).missing_number


def test_a_missing_isbn_with_a_wrong_check_digit_is_stated(view):
    assert view.search(SearchRequest("978-5-02-011112-8")).wrong_check_digit
    assert not view.search(SearchRequest("978-5-02-011112-7")).wrong_check_digit


@pytest.mark.parametrize(
    "text", ["война и мир", "толстой война и мир", "Война и мир Л. Н. Толстой", "voĭna i mir tolstoĭ"]
)
def test_the_exact_title_is_first_among_hundreds_that_more_libraries_have(view, text):
    assert numbers(view.search(SearchRequest(text)))[0] == 900


def test_the_beginning_of_a_word_is_completed_where_the_word_finds_little(view):
    found = view.search(SearchRequest("библиогр"))
    assert (numbers(found), found.correction.kind) == ([901], "beginning")
    assert not view.search(SearchRequest("библиогр", literal=True)).hits
    assert view.search(SearchRequest("война стран")).correction.kind == "beginning"
    assert view.search(SearchRequest("стихи")).correction is None
    assert "Библиография" in [each.title for each in view.suggest("библиогр")]


def test_results_are_narrowed_to_full_texts_places_classes_and_marked_publications(view):
    facets = view.search(SearchRequest("")).facets
    assert {each.value: each.count for each in facets["online"]} == {"false": MANY + 3, "true": 1}
    assert [(each.label, each.count) for each in facets["place"]] == [("Москва", 1)]
    for filters, found in (
        ({"online": ("true",)}, [902]),
        ({"place": ("place/moscow",)}, [902]),
        ({"class": ("udc/8",)}, [900]),
        ({"class": ("bbk/Ш",)}, [902, 903]),  # of both editions of the BBK
        ({"class": ("bbk/84",)}, [902]),
        ({"class": ("nothing/8", "udc/")}, []),
        ({"id": ("rsl/900", "rsl/903", "rsl/none")}, [900, 903]),
    ):
        assert sorted(numbers(view.search(SearchRequest("", filters)))) == found
    assert 902 not in numbers(view.search(SearchRequest("", sort="year", excluded={"place": ("place/moscow",)})))


def test_names_are_listed_by_their_first_letters(view):
    assert view.beginnings(EntryKind.PERSON) == [("t", 1), ("е", 1), ("т", 2)]
    assert view.beginnings(EntryKind.PERSON, "т") == [("то", 2)]
    names, total = view.names_with(EntryKind.PERSON, "т", 10)
    assert ([each.title for each in names], total) == (["Толстая, Софья Андреевна", "Толстой, Лев Николаевич"], 2)
    assert [each.title for each in view.names_with(EntryKind.PERSON, "т", 1, 1)[0]] == ["Толстой, Лев Николаевич"]
    assert view.beginnings(EntryKind.SUBJECT) == [("б", 1)]  # class marks have a tree


def test_class_marks_are_listed_in_their_tree(view):
    assert view.count_of_class("udc", "8") == view.count_of_class("udc", "82") == 1
    assert view.count_of_class("udc", "81") == 0
    assert [each.title for each in view.marks_of("bbk", "Ш", 10)[0]] == ["84(2)6", "Ш5(2)"]
