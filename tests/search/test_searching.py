"""Searches of publications: what readers type, and what they should see first."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.documents import ReleaseState, fill, open_published, update
from bibld.model.rdf import literal, quad, term
from bibld.search import (
    EXCLUDABLE,
    EntryKind,
    FacetValue,
    SearchRequest,
    SearchResult,
    _searching,
    open_search,
    write_search,
)
from bibld.search._matching import parse, values_of_field

BASE = "https://data.example.org/"


def line(path: str, predicate: str, value: str) -> str:
    return quad(f"<{BASE}{path}>", term(predicate), value)


def own(path: str) -> str:
    return f"<{BASE}{path}>"


def thing(path: str, *names: str, kind: str = "", born: str = "") -> list[str]:
    lines = [
        line(path, "rdfs:label" if place == 0 else "skos:altLabel", literal(name)) for place, name in enumerate(names)
    ]
    if kind:
        lines.append(line(path, "rdf:type", term(kind)))
    return lines + ([line(path, "schema:birthDate", literal(born))] if born else [])


def book(number: int, title: str, *, language: str = "ru", libraries: str = "rsl", **values: str) -> list[str]:
    path = f"resource/rsl/{number}"
    lines = [line(path, "rdfs:label", literal(title, language))]
    lines += [line(path, "prov:wasDerivedFrom", own(f"record/{library}/{number}")) for library in libraries.split()]
    for name, value in values.items():
        predicate = PREDICATES[name]
        lines += [line(path, predicate, own(each) if "/" in each else literal(each)) for each in value.split("|")]
    return lines


PREDICATES = {
    "author": "dcterms:creator",
    "translator": "relators:trl",
    "subject": "dcterms:subject",
    "publisher": "dcterms:publisher",
    "series": "dcterms:isPartOf",
    "year": "dcterms:issued",
    "isbn": "bibo:isbn13",
    "issn": "bibo:issn",
    "kind": "rdf:type",
    "code": "dcterms:language",
    "edition": "bf:editionStatement",
    "variant": "dcterms:alternative",
}
TOLSTOY, NAMESAKE, DOSTOEVSKY = "agent/tolstoy", "agent/alexey", "agent/dostoevsky"
RUSSIAN = "resource/x"
LINES = [
    *thing(TOLSTOY, "Толстой, Лев Николаевич", "Tolstoy, Leo", kind="foaf:Person", born="1828"),
    *thing(NAMESAKE, "Толстой, Алексей Николаевич", kind="foaf:Person", born="1883"),
    *thing(DOSTOEVSKY, "Достоевский, Федор Михайлович", kind="foaf:Person", born="1821"),
    *thing("agent/gal", "Галь, Нора", kind="foaf:Person"),
    *thing("agent/sabha", "हिन्दी साहित्य सभा", kind="foaf:Organization"),
    *thing("concept/a/novel", "Русская литература"),
    *thing("publisher/nauka", "Наука"),
    *thing("series/monuments", "Литературные памятники"),
    *book(1, "Война и мир", libraries="rsl nlr hse", author=TOLSTOY, year="1978", isbn="9785280005136",
          publisher="publisher/nauka"),
    *book(2, "Война и мир. Т. 2", author=TOLSTOY, year="1979", edition="Т. 2"),
    *book(3, "Война и мир в критике", author="agent/gal", year="1989", subject="concept/a/novel"),
    *book(4, "Сборник о войне и о мире", libraries="nlr", year="2001"),
    *book(5, "Анна Каренина", author=TOLSTOY, year="1970", series="series/monuments", subject="concept/a/novel"),
    *book(6, "Петр Первый", libraries="rsl nlr", author=NAMESAKE, year="1945"),
    *book(7, "Преступление и наказание", author=DOSTOEVSKY, year="1970", publisher="publisher/nauka"),
    *book(8, "Voĭna i mir", language="ru-latn", libraries="hse", author=TOLSTOY),
    *book(9, "Kuchyňa v období Anthropozän-Küche", language="de", libraries="hse", year="2010"),
    *book(10, "Историю России читают люди", libraries="nlr", year="1999"),
    *book(11, "Россия в XIX веке", libraries="nlr", year="1999"),
    *book(12, "Что делать?", libraries="nlr"),
    *book(13, "Mörk Borg", language="sv", libraries="hse"),
    *book(14, "Ёлка", libraries="nlr", issn="1406-4243"),
    *book(15, "The children of history", language="en", libraries="hse", author="agent/gal"),
]  # fmt: skip


def write(folder: Path, lines: list[str], number: int = 1, before: list[str] | None = None) -> None:
    release = ReleaseState(number, f"2026-01-{number:02}T00:00:00Z", number * 10)
    if before is None:
        fill(folder, BASE, release, ["".join(lines).encode()])
    else:
        wanted = set(lines)
        changed = sorted((one.rstrip("\n").encode(), one in wanted) for one in wanted.symmetric_difference(before))
        update(folder, BASE, release, changed)
    previous = None if before is None else folder / str(number - 1)
    with open_published(folder, number) as view:
        write_search(folder / str(number), BASE, view, previous)


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search")
    write(folder, LINES)
    opened = open_search(folder / "1", libraries={"ленинка": "rsl"}, languages={"русский": "rus"})
    yield opened
    opened.close()


def numbers(found: SearchResult) -> list[int]:
    return [int(hit.path.rpartition("/")[2]) for hit in found.hits]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("война и мир", 1),  # the exact title, then what more libraries have
        ("ВОЙНА И МИР", 1),
        ("война и мир т. 2", 2),
        ("толстой война и мир", 1),
        ("критика войны и мира", 3),
        ("mork borg", 13),
        ("елка", 14),
        ("ёлка", 14),
        ("ё\u0301лка", 14),
        ("история России", 10),
        ("о человеке в истории России", 10),
        ("kuche", 9),
        ("kueche", 9),
        ("küche", 9),
        ("anthropozanküche", 9),
        ("19 век", 11),
        ("XIX век", 11),
        ("что делать", 12),
        ("что", 12),
        ("child", 15),
    ],
)
def test_the_publication_that_readers_want_comes_first(view, text, first):
    assert numbers(view.search(SearchRequest(text)))[:1] == [first]


@pytest.mark.parametrize(
    "text",
    ["Vojna i mir", "Voyna i mir", "Voĭna i mir", "Wojna i mir", "Voina i mir", "война и миръ"],
)
def test_romanised_queries_find_titles_in_cyrillic_and_the_reverse(view, text):
    assert {1, 8} <= set(numbers(view.search(SearchRequest(text))))


@pytest.mark.parametrize("text", ["Prestuplenie i nakazanie", "Dostoevskij", "Dostoyevsky", "Dostojewski"])
def test_names_and_titles_are_found_in_any_romanisation(view, text):
    assert numbers(view.search(SearchRequest(text))) == [7]


@pytest.mark.parametrize(
    "text",
    [
        "978-5-280-00513-6", "978‐5‐280‐00513‐6", "9785280005136", "5-280-00513-4", "ISBN 5 280 00513 4",
        "isbn:5280005134",
        "ISBN: 978-5-280-00513-6", "rsl:1", "nlr1",
    ],
)  # fmt: skip
def test_identifiers_are_found_in_any_form(view, text):
    assert numbers(view.search(SearchRequest(text)))[:1] == [1]


def test_an_isbn_with_a_wrong_check_digit_is_found_and_that_is_stated(view):
    found = view.search(SearchRequest("978-5-280-00513-7"))
    assert (numbers(found), found.wrong_check_digit) == ([1], True)
    assert not view.search(SearchRequest("978-5-280-00513-6")).wrong_check_digit
    assert numbers(view.search(SearchRequest("1406-4243"))) == [14]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("автор:толстой год:1970", [5]),
        ("author:tolstoy year:1970-1978", [1, 5]),
        ("АВТОР:достоевский", [7]),
        ("год:-1950", [6]),
        ("год:2000-", [4, 9]),
        ('"война и мир" автор:толстой', [1, 2]),
        ('"мир и война"', []),
        ("издательство:наука", [1, 7]),
        ("серия:памятники", [5]),
        ("тема:литература", [3, 5]),
        ("title:anna", [5]),
        ("библиотека:ленинка год:1945", [6]),
        ("library:hse year:2010", [9]),
    ],
)
def test_fields_and_phrases_limit_what_is_found(view, text, found):
    answer = view.search(SearchRequest(text))
    if answer.correction is None or answer.correction.kind == "script":
        assert sorted(numbers(answer)) == found
    else:
        assert found == []


@pytest.mark.parametrize(
    ("text", "kind", "other"),
    [
        ("djqyf", "keyboard", "война"),
        ("ljcnjtdcrbq", "keyboard", "достоевский"),
        ("karenina", "script", "karenina"),
        ("война тролль", "without", "война"),
        ("тема:наказание", "anywhere", "наказание"),
    ],
)
def test_what_finds_nothing_is_corrected_and_that_is_stated(view, text, kind, other):
    found = view.search(SearchRequest(text))
    assert found.correction is not None and found.hits
    assert (found.correction.kind, found.correction.text) == (kind, other)
    literal_search = view.search(SearchRequest(text, literal=True))
    assert (literal_search.hits, literal_search.correction) == ((), None)


def test_misspelt_words_are_corrected_by_words_of_the_publications(view):
    for text in ("воина", "вйона", "войан", "войнаа"):
        found = view.search(SearchRequest(text))
        assert found.hits, text
    assert view.search(SearchRequest("толтсой")).correction.text == "толстой"
    # "каренина" is in one title; the word for "кренина" that agrees with the others is chosen
    assert view.search(SearchRequest("Анна Кареинна")).correction.text == "анна каренина"
    assert numbers(view.search(SearchRequest("престплуение"))) == [7]


@given(st.text(max_size=80))
@settings(max_examples=150, deadline=None)
def test_no_text_makes_an_error(view, text):
    for sort in ("relevance", "year"):
        found = view.search(SearchRequest(text, sort=sort))
        assert found.total >= len(found.hits) >= 0
    for is_prefix in (False, True):
        view.find(text, is_prefix=is_prefix)
    view.suggest(text)


@pytest.mark.parametrize(
    "text",
    ['"', "«", "title:", "author:\"", "AND OR NOT", "NEAR(a b)", "*", "^война", "{title}:x", "-", "год:", "год:abc",
     "a:b:c", "'; DROP TABLE words; --", "\x00\x01", "📚", "\u202eмир\u202c", "война " * 3000, "(((", "isbn:"],
)  # fmt: skip
def test_texts_that_look_like_syntax_are_only_words(view, text):
    found = view.search(SearchRequest(text))
    assert found.total >= 0
    view.suggest(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("война и мир", "title"),
        ("лев толстой", "author"),
        ("толстой каренина", "author"),
        ("русская литература", "subject"),
        ("памятники", "elsewhere"),
        ("9785280005136", "identifier"),
        ("", ""),
    ],
)
def test_each_result_states_where_the_words_are(view, text, why):
    assert view.search(SearchRequest(text)).hits[0].why == why


def test_a_long_query_is_cut_and_that_is_stated(view):
    assert view.search(SearchRequest("война " * 3000)).is_cut
    assert not view.search(SearchRequest("война")).is_cut


def test_facets_count_what_is_found_and_values_of_one_facet_are_alternatives(view):
    found = view.search(SearchRequest("война"))
    counts = {value.value: value.count for value in found.facets["library"]}
    assert counts == {library: len([hit for hit in found.hits if library in hit.libraries]) for library in counts}
    assert sum(value.count for value in found.facets["year"]) == len([hit for hit in found.hits if hit.year])
    some = view.search(SearchRequest("война", {"library": ("hse",)}))
    both = view.search(SearchRequest("война", {"library": ("hse", "nlr")}))
    assert set(numbers(some)) < set(numbers(both))
    assert {value.value: value.count for value in some.facets["library"]} == counts
    assert {value.label for value in found.facets["author"]} >= {"Толстой, Лев Николаевич"}


def test_filters_find_what_the_facets_count(view):
    every = view.search(SearchRequest())
    assert every.total == 15
    for name, values in every.facets.items():
        for value in values:
            assert view.search(SearchRequest("", {name: (value.value,)})).total == value.count, (name, value)
    assert numbers(view.search(SearchRequest("", {"held_by": ("nlr,rsl",)}))) == [6]
    by_year = view.search(SearchRequest("", {"year": ("1970-1978",)}, sort="year"))
    assert (set(numbers(by_year)[:2]), numbers(by_year)[2:]) == ({5, 7}, [1])
    assert view.search(SearchRequest("", {"library": ("no such",)})).total == 0
    assert view.search(SearchRequest("", {"author": ("agent/nobody",)})).total == 0


def test_excluded_values_are_in_no_result_and_their_facet_still_counts_them(view):
    every = view.search(SearchRequest())
    for name in EXCLUDABLE:
        for value in every.facets[name]:
            found = view.search(SearchRequest(excluded={name: (value.value,)}))
            assert found.total == every.total - value.count, (name, value)
            assert value in found.facets[name]
    assert numbers(view.search(SearchRequest("война", {"library": ("nlr",)}, excluded={"author": (TOLSTOY,)}))) == [4]
    assert numbers(view.search(SearchRequest("", {"author": (TOLSTOY,)}, excluded={"library": ("rsl",)}))) == [8]
    assert view.search(SearchRequest(excluded={"library": ("rsl", "nlr", "hse")})).total == 0
    assert view.search(SearchRequest(excluded={"author": ("agent/nobody",), "type": ("no such",)})).total == every.total


def test_a_chosen_value_is_counted_however_rare_it_is(view, monkeypatch):
    monkeypatch.setattr(_searching, "_size", lambda name, limit: 1)
    for author, count in ((TOLSTOY, 4), (DOSTOEVSKY, 1)):
        found = view.search(SearchRequest("", {"author": (author,)}))
        assert {value.value: value.count for value in found.facets["author"]} == {TOLSTOY: 4, author: count}


def test_a_chosen_value_keeps_its_name_where_nothing_is_counted(view):
    found = view.search(SearchRequest("анна каренина", excluded={"author": (DOSTOEVSKY,)}))
    assert FacetValue(DOSTOEVSKY, "Достоевский, Федор Михайлович", 0) in found.facets["author"]


def test_results_can_be_sorted_and_pages_are_parts_of_one_order(view):
    years = [hit.year for hit in view.search(SearchRequest("", sort="-year")).hits]
    known = [year for year in years if year]
    assert known == sorted(known, reverse=True) and years[: len(known)] == known
    titles = [hit.title for hit in view.search(SearchRequest("", sort="title")).hits]
    assert titles == sorted(titles, key=str.casefold) or len(titles) == 15
    assert numbers(view.search(SearchRequest("", sort="libraries")))[0] == 1
    pages = [numbers(view.search(SearchRequest("война", page=page, per_page=2))) for page in (1, 2, 3)]
    assert [number for page in pages for number in page] == numbers(view.search(SearchRequest("война")))


def test_a_thing_has_works_roles_years_and_related_things(view):
    works, total = view.works(TOLSTOY)
    assert (total, [work.year for work in works]) == (4, ["1970", "1978", "1979", ""])
    assert works[0].agents[0].path == TOLSTOY
    assert [work.path for work in view.works(TOLSTOY, sort="-year", limit=1, offset=1)[0]] == ["resource/rsl/1"]
    assert view.roles(TOLSTOY) == [("creator", 4)]
    assert view.roles("concept/a/novel") == [("subject", 2)]
    assert view.years(TOLSTOY) == [(1970, 1), (1978, 1), (1979, 1)]
    assert view.years(SearchRequest("автор:достоевский")) == [(1970, 1)]
    related = view.related(TOLSTOY)
    assert [(each.path, each.count) for each in related] == [
        ("publisher/nauka", 1), ("concept/a/novel", 1), ("series/monuments", 1)
    ] or {each.path for each in related} == {"publisher/nauka", "concept/a/novel", "series/monuments"}  # fmt: skip
    assert [each.path for each in view.related("concept/a/novel", EntryKind.PERSON)] in (
        [TOLSTOY, "agent/gal"], ["agent/gal", TOLSTOY]
    )  # fmt: skip
    assert view.works("agent/nobody") == ([], 0)
    assert (view.roles("agent/nobody"), view.years("agent/nobody"), view.related("agent/nobody")) == ([], [], [])


def test_suggestions_are_names_and_titles_that_are_most_used_first(view):
    found = view.suggest("толст")
    assert [each.path for each in found if each.kind == EntryKind.PERSON] == [TOLSTOY, NAMESAKE]
    assert found[0].uses == 4
    assert view.suggest("tolst")[0].path == TOLSTOY
    assert [each.kind for each in view.suggest("анна кар")] == [EntryKind.PUBLICATION]
    assert view.suggest("") == view.suggest("т") == []


@pytest.mark.parametrize("text", ["हिन्दी", "साहित्य हिन्दी सभा", "हिन्दी सा"])
def test_words_with_signs_that_sqlite_takes_for_separators_are_found_too(view, text):
    assert [each.path for each in view.suggest(text)] == ["agent/sabha"]
    assert [each.path for each in view.find(text, (EntryKind.ORGANISATION,), is_prefix=True)] == ["agent/sabha"]


@pytest.mark.parametrize(
    ("text", "kinds", "is_prefix", "found"),
    [
        ("лев толстой", (), False, TOLSTOY),
        ("ТОЛСТО\u0301Й, Лев", (EntryKind.PERSON,), False, TOLSTOY),
        ("tolstoy leo", (), False, TOLSTOY),
        ("толст", (EntryKind.PERSON,), True, TOLSTOY),
        ("Что ДЕЛАТЬ", (EntryKind.PUBLICATION,), False, "resource/rsl/12"),
        ("9785280005136", (), False, "resource/rsl/1"),
        ("достоевский преступление", (), False, DOSTOEVSKY),  # nothing has both: the rarest words decide
        ("достоевский", (EntryKind.PUBLICATION,), False, None),
        ("", (), False, None),
        ("...", (), True, None),
        ("(*.+", (), True, None),
    ],
)
def test_things_are_found_by_any_of_their_names(view, text, kinds, is_prefix, found):
    assert next((each.path for each in view.find(text, kinds, is_prefix)), None) == found


def test_a_thing_has_kind_names_and_values(view):
    person, publication = view.named(TOLSTOY), view.named("resource/rsl/1")
    assert (person.kind, person.data, person.uses) == (EntryKind.PERSON, {"birth": ("1828",)}, 4)
    assert person.forms == ("Толстой, Лев Николаевич", "Tolstoy, Leo")
    assert (publication.kind, publication.uses, publication.data) == (
        EntryKind.PUBLICATION,
        3,
        {"isbn": ("9785280005136",), "author": (TOLSTOY,), "publisher": ("publisher/nauka",), "year": ("1978",)},
    )
    assert view.named("agent/nobody") is None


def test_a_query_has_few_fields_values_and_phrases_and_words_of_64_letters():
    query = parse("".join(f"title:a{number} " for number in range(20)) + "год:1970 " + "x" * 500)
    assert len(query.fields) == 8 and query.years == (1970, 1970)
    assert "a19" in query.words and "x" * 64 in query.words
    assert max(map(len, query.words)) == max(map(len, query.all_words)) == 64
    assert len(values_of_field(parse("title:" + "|".join("abcdefghijkl")).fields[0])) == 8
    query = parse(" ".join(f'"a {letter}"' for letter in "bcdefghijklm"))
    assert len(query.phrases) == 8 and "m" in query.words


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    lines = thing(TOLSTOY, "Толстой, Лев Николаевич", kind="foaf:Person")
    for number in range(6000):
        libraries = "rsl nlr" if number % 10 == 0 else "nlr" if number % 3 else "rsl"
        title = "Мир" if number == 5555 else f"Мир и труд {number}" if number == 4444 else f"О том, где мир {number}"
        lines += book(number, title, libraries=libraries, year=str(1900 + number % 100), author=TOLSTOY)
    write(folder, lines)
    opened = open_search(folder / "1")
    yield opened
    opened.close()


def test_of_very_many_results_those_with_the_title_are_first_too(large):
    found = large.search(SearchRequest("мир", per_page=100))
    assert numbers(found)[:2] == [5555, 4444]
    assert all(len(hit.records) == 2 for hit in found.hits[2:])
    pages = [number for page in range(1, 6) for number in numbers(large.search(SearchRequest("мир", page=page)))]
    assert pages == numbers(found) and len(set(pages)) == 100


def test_counts_of_very_many_results_are_exact(large):
    found = large.search(SearchRequest("мир"))
    assert found.total == 6000
    assert {value.value: value.count for value in found.facets["library"]} == {"nlr": 4200, "rsl": 2400}
    assert found.facets["author"][0].count == 6000
    without = large.search(SearchRequest("мир", excluded={"library": ("rsl",)}))
    assert without.total == 3600
    assert not [hit for hit in without.hits if "rsl" in hit.libraries]
    assert large.works(TOLSTOY)[1] == 6000


def shape(folder: Path, release: int, texts: list[str]) -> list[object]:
    view = open_search(folder / str(release))
    try:
        answers: list[object] = []
        for text in texts:
            found = view.search(SearchRequest(text))
            answers += [
                sorted(hit.path for hit in found.hits),
                found.total,
                sorted((value.value, value.count) for value in found.facets["author"]),
                found.correction,
            ]
        answers += [sorted(work.path for work in view.works(path)[0]) for path in (TOLSTOY, "concept/a/novel")]
        answers += [[(each.path, each.uses) for each in view.suggest("толст")]]
        return answers
    finally:
        view.close()


@pytest.mark.parametrize("seed", range(6))
def test_differences_end_in_the_same_as_a_complete_fill(tmp_path, seed):
    chance = random.Random(seed)
    texts = [
        "война",
        "толстой",
        "tolstoy",
        "критике",
        "литература",
        "1970",
        "автор:толстой",
        "лев",
        "каренина",
        "графа",
    ]
    before = LINES
    write(tmp_path, before)
    for number in range(2, 5):
        after = [each for each in before if chance.random() > 0.04]
        after += chance.sample(LINES, 3)
        after += thing(TOLSTOY, "Толстой, Лев Николаевич", "граф") if number == 3 else []
        after = sorted(set(after))
        write(tmp_path, after, number, before)
        other = tmp_path / f"other{number}"
        other.mkdir()
        write(other, after, number)
        assert shape(tmp_path, number, texts) == shape(other, number, texts)
        before = after
