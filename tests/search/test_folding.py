"""Works in searches: a reader who types a title sees one result, with its editions, volumes and translations."""

import random
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tantivy import Query

from bibld.documents import open_published
from bibld.model.rdf import literal, term
from bibld.search import (
    SORTS,
    EntryKind,
    Relation,
    SearchRequest,
    SearchView,
    _folding,
    _searching,
    open_search,
    results_of,
    write_search,
)
from bibld.search._index import IndexReader, open_index
from tests.search.test_searching import BASE, book, line, own, thing, write

LANGUAGES = "http://id.loc.gov/vocabulary/iso639-2/"
TOLSTOY, PROKOFIEV, MAUDE = "agent/tolstoy", "agent/prokofiev", "agent/maude"
WAR, SET, SECOND, OPERA, ENGLISH, ENGLISH_SECOND, FRENCH, ARTICLE, JOURNAL, LOST = (
    f"work/rsl/{name}"
    for name in (
        "war", "set", "second", "opera", "english", "english-second", "french", "article", "journal", "lost",
    )
)  # fmt: skip


def work(path: str, *titles: str, by: str = "", **above: str) -> list[str]:
    """Return the lines of a work; ``whole`` and ``original`` are the works above it."""
    lines = [line(path, "rdf:type", term("bf:Work"))]
    lines += [line(path, "rdfs:label", literal(title, "ru" if at == 0 else "en")) for at, title in enumerate(titles)]
    if by:
        lines += [line(path, "bf:contribution", own(f"{path}#{by}"))]
        lines += [line(f"{path}#{by}", "bf:agent", own(by))]
        lines += [line(f"{path}#{by}", "rdf:type", term("bf:PrimaryContribution"))]
    predicates = {"whole": "bf:partOf", "original": "bf:translationOf"}
    return lines + [line(path, predicates[name], own(other)) for name, other in above.items()]


def edition(number: int, title: str, of: str, *, code: str = "rus", **values: str) -> list[str]:
    lines = book(number, title, **values)
    path = f"resource/rsl/{number}"
    return [
        *lines,
        line(path, "bf:instanceOf", own(of)),
        line(path, "dcterms:language", f"<{LANGUAGES}{code}>"),
    ]


PRINTINGS = [
    each
    for number in range(1, 9)
    for each in edition(number, "Война и мир", WAR, author=TOLSTOY, year=str(1950 + 10 * number),
                        libraries="rsl nlr" if number == 5 else "rsl")
]  # fmt: skip
LINES = [
    *thing(TOLSTOY, "Толстой, Лев Николаевич", kind="foaf:Person", born="1828"),
    *thing(PROKOFIEV, "Прокофьев, Сергей Сергеевич", kind="foaf:Person", born="1891"),
    *thing(MAUDE, "Maude, Aylmer", kind="foaf:Person"),
    *work(WAR, "Война и мир", by=TOLSTOY),
    *PRINTINGS,
    *work(SECOND, "Война и мир. Т. 2", by=TOLSTOY, whole=WAR),
    *edition(9, "Война и мир. Т. 2", SECOND, author=TOLSTOY, year="1979"),
    *work(ENGLISH, "War and peace", by=TOLSTOY, original=WAR),
    *edition(10, "War and peace", ENGLISH, code="eng", language="en", libraries="hse", year="1933", author=TOLSTOY,
             translator=MAUDE),
    *work(ENGLISH_SECOND, "War and peace. Volume 2", whole=ENGLISH),
    *edition(11, "War and peace. Volume 2", ENGLISH_SECOND, code="eng", language="en", libraries="hse", year="1934"),
    *work(FRENCH, "La guerre et la paix", original=WAR),
    *edition(12, "La guerre et la paix", FRENCH, code="fre", language="fr", libraries="hse", year="1955"),
    *work(OPERA, "Война и мир", by=PROKOFIEV),
    *edition(13, "Война и мир", OPERA, libraries="rsl nlr hse", author=PROKOFIEV, year="1958"),
    *work(JOURNAL, "Вопросы литературы"),
    *edition(14, "Вопросы литературы", JOURNAL, kind="", year="1957"),
    *work(ARTICLE, "О войне и мире Толстого", whole=JOURNAL),
    *edition(15, "О войне и мире Толстого", ARTICLE, year="1978"),
    line("resource/rsl/15", "rdf:type", term("bibo:Article")),
    *book(16, "Каталог"),
    *work(LOST, "Утраченная повесть", by=TOLSTOY),
]  # fmt: skip


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    folder = tmp_path_factory.mktemp("works")
    write(folder, LINES)
    with closing(open_search(folder / "1")) as opened:
        yield opened


def folded(view: SearchView, text: str, **options):
    return view.search(SearchRequest(text, is_folded=True, **options))


def numbers(publications) -> list[int]:
    return [int(each.path.rpartition("/")[2]) for each in publications]


def test_eight_printings_volumes_and_translations_are_one_result(view):
    found = folded(view, "война и мир", filters={"author": (TOLSTOY,)})
    assert (found.works, found.total, len(found.hits)) == (1, 10, 1)
    found = folded(view, "война и мир толстой")
    novel = found.groups[0]
    assert (novel.path, novel.title) == (WAR, "Война и мир")
    assert [agent.name for agent in novel.creators] == ["Толстой, Лев Николаевич"]
    assert (novel.total, novel.years) == (12, (1933, 2030))
    assert (novel.languages, novel.libraries) == (("rus", "eng", "fre"), ("rsl", "hse", "nlr"))
    relations = {
        number: each.relation for number, each in zip(numbers(novel.publications), novel.publications, strict=True)
    }
    assert {relations[number] for number in range(1, 9)} == {Relation.EDITION}
    assert relations[9] == Relation.PART
    assert relations[10] == relations[11] == relations[12] == Relation.TRANSLATION
    years = [each.year for each in novel.publications]
    assert years == sorted(years)


def test_without_folding_each_publication_is_a_result(view):
    found = view.search(SearchRequest("война и мир"))
    assert (found.total, len(found.hits), found.works, found.groups) == (14, 14, None, ())


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("война и мир", WAR),  # the novel has more records than the opera, though each printing has fewer
        ("война и мир прокофьев", OPERA),
        ("war and peace", WAR),
        ("la guerre et la paix", WAR),
        ("вопросы литературы", JOURNAL),
        ("о войне и мире толстого", ARTICLE),  # readers do not expect an article under its journal
    ],
)
def test_the_best_work_comes_first(view, text, first):
    assert folded(view, text).hits[0].top_work == first


def test_translations_are_found_by_the_title_of_the_original(view):
    found = view.search(SearchRequest("война и мир", {"language": ("eng", "fre")}))
    assert sorted(numbers(found.hits)) == [10, 11, 12]
    assert view.search(SearchRequest("война и мир", {"language": ("fre",)})).hits[0].work_titles == ("Война и мир",)


def test_a_work_of_one_publication_is_that_publication(view):
    found = folded(view, "каталог")
    assert (numbers(found.hits), found.groups, found.works) == ([16], (None,), 1)
    assert folded(view, "прокофьев").groups == (None,)


def test_filters_choose_among_the_publications_of_a_work(view):
    (group,) = folded(view, "война и мир", filters={"library": ("nlr",), "author": (TOLSTOY,)}).groups
    assert group is None  # one printing: it looks as if there were no other
    (group,) = folded(view, "война и мир", filters={"library": ("hse",), "language": ("eng",)}).groups
    assert (numbers(group.publications), group.total, group.years) == ([10, 11], 2, (1933, 1934))
    (group,) = folded(view, "война и мир", excluded={"language": ("rus",)}).groups
    assert numbers(group.publications) == [10, 11, 12]


def test_facets_count_publications(view):
    found = folded(view, "война и мир")
    assert {each.value: each.count for each in found.facets["language"]} == {"rus": 11, "eng": 2, "fre": 1}
    assert found.facets == view.search(SearchRequest("война и мир")).facets


def test_all_publications_of_a_work_are_a_filter_and_a_list(view):
    found = view.search(SearchRequest(filters={"work": (WAR,)}, sort="year"))
    assert (found.total, numbers(found.hits)[:3]) == (12, [10, 11, 12])
    assert view.works(WAR, "work")[1] == 12
    assert view.works(ENGLISH, "work")[1] == 2
    assert view.works(LOST, "work")[1] == 0


def test_of_a_work_with_many_publications_the_first_are_shown(view, monkeypatch):
    monkeypatch.setattr(_folding, "_MAX_SHOWN", 3)
    group = folded(view, "война и мир толстой").groups[0]
    assert (numbers(group.publications), group.total, group.years) == ([10, 11, 12], 12, (1933, 2030))
    assert (group.languages, group.libraries) == (("rus", "eng", "fre"), ("rsl", "hse", "nlr"))


def test_results_for_programs_have_the_iris_of_works(view):
    novel, opera, article = results_of(folded(view, "война и мир"), BASE)
    assert novel.group.iri == novel.top_work == novel.work == f"{BASE}{WAR}"
    english = next(each for each in novel.group.publications if each.iri.endswith("/11"))
    assert (english.work, english.top_work) == (f"{BASE}{ENGLISH_SECOND}", f"{BASE}{WAR}")
    assert (opera.work, opera.group) == (f"{BASE}{OPERA}", None)
    assert article.top_work == article.work
    (catalogue,) = results_of(folded(view, "каталог"), BASE)
    assert (catalogue.work, catalogue.top_work) == (None, None)


def test_a_work_is_suggested_once_with_its_years(view):
    first, second, *others = view.suggest("война и мир")
    assert (first.path, first.kind, first.uses, first.data["year"]) == (WAR, EntryKind.WORK, 12, ("1933", "2030"))
    assert second.path == "resource/rsl/13"  # the opera, which has one publication
    assert WAR not in [each.path for each in others]
    assert [each.path for each in view.suggest("утрач")] == [LOST]  # nothing but its name is known


# -- what is above a work


@pytest.mark.parametrize(
    ("above", "top"),
    [
        ({SECOND: SECOND}, SECOND),
        ({SECOND: WAR, WAR: SECOND}, SECOND),  # each is above the other: one of them is the top of both
        ({SECOND: WAR, WAR: SET, SET: WAR}, SET),
        ({SECOND: "work/rsl/nameless"}, SECOND),
        ({SECOND: WAR, WAR: SET}, SET),
    ],
)
def test_works_that_are_above_each_other_have_one_top(tmp_path, above, top):
    lines = edition(1, "Том второй", SECOND)
    for path in (SECOND, WAR, SET):
        lines += work(path, path, **({"whole": above[path]} if path in above else {}))
        lines += edition(int(path == WAR) + 2, path, path)
    write(tmp_path, sorted(set(lines)))
    with closing(open_search(tmp_path / "1")) as view:
        assert view.search(SearchRequest("том второй")).hits[0].top_work == top
        assert len({hit.top_work for hit in view.search(SearchRequest(filters={"work": (top,)})).hits}) == 1


# -- pages and counts


@st.composite
def catalogues(draw):
    """Return titles of publications with the number of the work of each; works have translations and volumes."""
    count = draw(st.integers(1, 30))
    of = draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
    above = draw(
        st.dictionaries(st.integers(0, 9), st.tuples(st.sampled_from(["whole", "original"]), st.integers(0, 9)))
    )
    lines = []
    for number in range(10):
        kind, other = above.get(number, ("", 0))
        lines += work(f"work/rsl/{number}", f"Заглавие {number % 4}", **({kind: f"work/rsl/{other}"} if kind else {}))
    for number, own_work in enumerate(of):
        words = draw(st.sampled_from(["Заглавие", "Другое заглавие", "Заглавие и ещё"]))
        libraries = draw(st.sampled_from(["rsl", "rsl nlr"]))
        lines += edition(number, words, f"work/rsl/{own_work}", year=str(1900 + number % 7), libraries=libraries)
    return sorted(set(lines))


@given(catalogues(), st.integers(1, 4), st.sampled_from(SORTS), st.sampled_from([1, 2, 200]))
@settings(max_examples=25, deadline=None)
def test_pages_have_each_work_once_and_their_number_is_exact(tmp_path_factory, lines, per_page, sort, ranked):
    folder = tmp_path_factory.mktemp("pages")
    write(folder, lines)
    with pytest.MonkeyPatch.context() as patch, closing(open_search(folder / "1")) as view:
        patch.setattr(_searching, "_RANKED", ranked)
        every = view.search(SearchRequest("заглавие", sort=sort, per_page=100))
        expected = list(dict.fromkeys(hit.top for hit in every.hits))
        seen, total, page = [], None, 1
        while True:
            found = folded(view, "заглавие", sort=sort, page=page, per_page=per_page)
            assert total in (None, (found.works, found.total))
            total = (found.works, found.total)
            for hit, group in zip(found.hits, found.groups, strict=True):
                below = [each.path for each in every.hits if each.top == hit.top]
                if group is None:
                    assert below == [hit.path]
                else:
                    shown = [each.path for each in group.publications]
                    assert group.total == len(below) and set(shown) <= set(below)
            seen += [hit.top for hit in found.hits]
            if not found.has_next:
                break
            page += 1
        assert total == (len(expected), every.total)
        assert len(seen) == len(set(seen))
        assert set(seen) == set(expected)
        if sort != "relevance":
            assert seen == expected


def test_the_works_of_many_publications_are_estimated_and_that_is_stated(view, monkeypatch):
    monkeypatch.setattr(_folding, "_MAX_COUNTED", 3)
    found = folded(view, "война и мир")
    assert found.is_estimate
    assert found.works == pytest.approx(3, abs=1)


# -- from release to release


def rows(folder: Path) -> list[object]:
    """Return all that an index stores of each thing, and under which it is folded."""
    index = IndexReader(open_index(folder / "search"))
    hits = index.find(Query.all_query(), 10_000).hits
    return sorted(
        (stored.path, order, str(stored), top)
        for (order, _), stored, top in zip(hits, index.read(hits), index.tops(hits), strict=True)
    )


MOVES = {
    "a volume becomes part of another set": (
        work(SECOND, "Война и мир. Т. 2", by=TOLSTOY, whole=WAR),
        [*work(SECOND, "Война и мир. Т. 2", by=TOLSTOY, whole=SET), *work(SET, "Сочинения")],
    ),
    "a set has a whole now, so that its volumes have another top": (
        [],
        [*work(WAR, "Война и мир", by=TOLSTOY, whole=SET), *work(SET, "Сочинения")],
    ),
    "an original gets a name only now": ([], work("work/rsl/nameless", "Оригинал")),
    "a work is deleted": (work(ENGLISH, "War and peace", by=TOLSTOY, original=WAR), []),
    "the title of an original changes": (
        [line(WAR, "rdfs:label", literal("Война и мир", "ru"))],
        [line(WAR, "rdfs:label", literal("Мир и война", "ru"))],
    ),
    "an edition goes over to another work": (
        [line("resource/rsl/3", "bf:instanceOf", own(WAR))],
        [line("resource/rsl/3", "bf:instanceOf", own(OPERA))],
    ),
    "works are above each other": ([], [line(WAR, "bf:partOf", own(SECOND))]),
}


@pytest.mark.parametrize("move", MOVES)
def test_a_release_with_changed_works_is_as_if_it_was_written_at_once(tmp_path, move):
    removed, added = MOVES[move]
    before = sorted({*LINES, line(FRENCH, "bf:translationOf", own("work/rsl/nameless"))})
    write(tmp_path, before)
    after = sorted({*before, *added} - ({*removed} - {*added}))
    write(tmp_path, after, 2, before)
    write(tmp_path, before, 3, after)
    for number in (2, 3):
        with open_published(tmp_path, number) as documents:
            write_search(tmp_path / f"again{number}", BASE, documents)
        assert rows(tmp_path / str(number)) == rows(tmp_path / f"again{number}")
    assert rows(tmp_path / "3") == rows(tmp_path / "1")
    assert rows(tmp_path / "2") != rows(tmp_path / "1")


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_changes_is_as_if_it_was_written_at_once(tmp_path, seed):
    chance = random.Random(seed)
    paths = [WAR, SET, SECOND, OPERA, ENGLISH, FRENCH, ARTICLE, JOURNAL]
    before = sorted(set(LINES))
    write(tmp_path, before)
    for number in range(2, 6):
        links = [line(chance.choice(paths), chance.choice(("bf:partOf", "bf:translationOf")), own(chance.choice(paths)))
                 for _ in range(2)]  # fmt: skip
        after = sorted({each for each in before if chance.random() > 0.03} | {*links, *chance.sample(LINES, 2)})
        write(tmp_path, after, number, before)
        with open_published(tmp_path, number) as documents:
            write_search(tmp_path / "again", BASE, documents)
        assert rows(tmp_path / str(number)) == rows(tmp_path / "again")
        before = after
