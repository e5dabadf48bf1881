"""Works as their pages, and those of persons, show them: editions, volumes, translations, other works."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest

from bibld.serve._graph import Label
from bibld.serve._language import language_named
from bibld.serve._pages import structured, summaries
from bibld.serve._pages.work_pages import WorkPages
from bibld.serve._pages.works import WorkLine, by_person
from tests.serve.works_release import ALIAS, BASE, ENGLISH, NOVEL, open_release


@pytest.fixture(scope="module", params=[True, False], ids=["with documents and a search", "from the store alone"])
def any_pages(request, tmp_path_factory) -> WorkPages:
    release, names = open_release(tmp_path_factory.mktemp("works"), is_prepared=request.param)
    return WorkPages(release, names, language_named("en"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> WorkPages:
    release, names = open_release(tmp_path_factory.mktemp("works"), is_prepared=True)
    return WorkPages(release, names, language_named("en"))


def shelf(pages: WorkPages, path: str, page: int = 1, size: int = 100) -> dict[str, list[tuple[str, list[str]]]]:
    """The works that a page lists: heading of the section → heading of the group and titles."""
    found = pages.shelf(pages.lists.work(BASE + path), page, size)
    return {
        section.heading: [(group.heading, titles(group.lines)) for group in section.groups]
        for section in found.sections
    }


def titles(lines: Iterable[WorkLine]) -> list[str]:
    return [line.title for line in lines]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            NOVEL,
            {
                "Volumes": [("", ["Война и мир. Т. 2", "Война и мир. Т. 10"])],
                "Translations": [
                    ("English", ["War & peace", "War and peace"]),
                    ("German", ["Krieg und Frieden"]),
                ],
                "In collections": [("", ["Романы"])],
                "Adaptations and other works based on it": [("", ["Война и мир : фильм"])],
                "Works about it": [("", ["О романе"])],
            },
        ),
        (
            ENGLISH,
            {"Other translations": [("English", ["War & peace"]), ("German", ["Krieg und Frieden"])]},
        ),
        ("work/rsl/novels", {"Contains": [("", ["Война и мир", "Воскресение"])]}),
        ("work/resurrection", {"In collections": [("", ["Романы"])]}),
    ],
    ids=["novel", "translation", "collection", "only named"],
)
def test_a_work_has_its_volumes_translations_by_language_and_related_works(any_pages, path, expected):
    assert shelf(any_pages, path) == expected


def test_editions_are_listed_by_year_with_imprint_and_libraries(pages):
    found = pages.shelf(pages.lists.work(BASE + NOVEL), 1, 100)
    assert [(each.year, each.title, each.imprint, each.libraries) for each in found.editions] == [
        ("1936", "Война и мир : роман", "Москва : Наука", ("rsl",)),
        ("1978", "Война и мир", "Москва : Наука", ("nlr", "rsl")),
    ]
    assert [(holder.source, holder.editions) for holder in found.holders] == [("rsl", 2), ("nlr", 1)]
    assert (found.count, found.pages) == (2, 1)


def test_libraries_of_a_work_lead_into_their_catalogues(tmp_path):
    release, names = open_release(tmp_path, is_prepared=True)
    rsl, nlr = release.manifest.figures.sources
    nlr = msgspec.structs.replace(nlr, catalogue_url="https://opac.example.org/{id}")
    release.manifest.figures = msgspec.structs.replace(release.manifest.figures, sources=(rsl, nlr))
    pages = WorkPages(release, names, language_named("en"))
    found = {holder.source: holder.href for holder in pages.shelf(pages.lists.work(BASE + NOVEL), 1, 100).holders}
    assert found["nlr"].startswith("https://opac.example.org/")
    assert found["rsl"] == ""


def test_a_translation_has_its_translators_and_its_publications(pages):
    (section,) = (
        each for each in pages.shelf(pages.lists.work(BASE + NOVEL), 1, 100).sections if each.name == "translations"
    )
    line = next(each for each in section.lines if each.title == "War and peace")
    assert (line.href, line.agents, line.years, line.count) == (f"/{ENGLISH}", "Maude, Aylmer", "1942–2001", 2)
    assert [each.href for each in line.publications] == ["/resource/rsl/en1", "/resource/rsl/en2"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            NOVEL,
            {
                "Author": ["Толстой, Лев Николаевич, 1828-1910"],
                "Language": ["Russian"],
                "Subjects": ["Отечественная война--1812"],
                "Audience": ["adults"],
            },
        ),
        (
            ENGLISH,
            {
                "Author": ["Толстой, Лев Николаевич, 1828-1910"],
                "Translator": ["Maude, Aylmer"],
                "Translation of": ["Война и мир"],
                "Language": ["English"],
            },
        ),
        (
            "work/rsl/v10",
            {"Author": ["Толстой, Лев Николаевич, 1828-1910"], "Part of": ["Война и мир"], "Language": ["Russian"]},
        ),
    ],
    ids=["novel", "translation", "volume"],
)
def test_facts_of_a_work_name_each_person_once_and_the_work_that_answers(any_pages, path, expected):
    found = any_pages.facts(any_pages.lists.work(BASE + path))
    assert {fact.label: [value.text for value in fact.values] for fact in found} == expected
    assert all(not value.href.startswith(f"/{ALIAS}") for fact in found for value in fact.values)


def test_long_lists_are_on_more_than_one_page(any_pages):
    def listed(page: int) -> list[str]:
        groups = (group for found in shelf(any_pages, "work/rsl/journal", page).values() for group in found)
        return [title for _, lines in groups for title in lines]

    first, second, third = map(listed, (1, 2, 3))
    assert (len(first), len({*first, *second}), third) == (100, 130, [])
    assert any_pages.shelf(any_pages.lists.work(f"{BASE}work/rsl/journal"), 1, 100).pages == 2


def test_issues_are_in_the_order_of_their_years_and_numbers(pages):
    ((_, lines),) = shelf(pages, "work/rsl/journal")["Issues"]
    assert lines[:2] == ["Октябрь. № 2", "Октябрь. № 4"]
    assert lines[65] == "Октябрь. № 1"


def test_too_many_parts_to_be_read_are_in_the_order_of_their_numbers(pages, monkeypatch):
    monkeypatch.setattr("bibld.serve._pages.work_pages._MAX_SORTED", 20)
    ((_, lines),) = shelf(pages, "work/rsl/journal", 2, 20)["Issues"]
    assert lines == [f"Октябрь. № {number}" for number in range(21, 41)]


def test_a_work_that_is_only_named_has_no_editions_and_what_names_it(any_pages):
    work = any_pages.lists.work(f"{BASE}work/nothing")
    found = any_pages.shelf(work, 1, 100)
    assert (found.count, found.editions, found.sections) == (0, (), ())
    assert [(link.text, link.href) for link in found.named_by] == [("О романе", "/resource/rsl/book")]


@pytest.mark.parametrize("path", ["work/nobody", "agent/tolstoy", "resource/rsl/1"])
def test_what_is_no_work_is_not_read(any_pages, path):
    assert any_pages.lists.work(BASE + path) is None


def test_a_person_has_works_with_their_translations_and_volumes_instead_of_publications(any_pages):
    found = any_pages.of_agent(f"{BASE}agent/tolstoy", "person", 1, 100)
    (section,) = found.sections
    assert (section.heading, section.total) == ("As author", 3)
    assert [(line.title, line.count) for line in section.lines] == [
        ("Война и мир", 8),
        ("Романы", 1),
        ("Воскресение", 0),
    ]
    assert section.lines[0].languages == ("rus", "ger", "eng")
    assert len(found.publications["aut"]) == 9
    (translated,) = any_pages.of_agent(f"{BASE}agent/maude", "person", 1, 100).sections
    assert (translated.heading, [line.agents for line in translated.lines]) == (
        "As translator",
        ["Толстой, Лев Николаевич, 1828-1910"],
    )


def test_a_person_without_works_has_no_list_of_them(any_pages):
    found = any_pages.of_agent(f"{BASE}agent/nobody", "person", 1, 100)
    assert (found.sections, found.publications, found.pages) == ([], {}, 0)


def test_beside_a_publication_are_the_original_and_the_translations_of_its_work(pages):
    def beside(path: str, *, has_volumes: bool = False) -> dict[str, list[str]]:
        work = pages.lists.work_of_publication(BASE + path)
        return {section.heading: titles(section.lines) for section in pages.beside(work, has_volumes=has_volumes)}

    assert beside("resource/rsl/en1") == {
        "Original": ["Война и мир"],
        "Other translations": ["War & peace", "Krieg und Frieden"],
    }
    assert beside("resource/rsl/v2") == {"Other volumes": ["Война и мир. Т. 10"]}
    assert beside("resource/rsl/1", has_volumes=True) == {
        "Translations": ["War & peace", "War and peace", "Krieg und Frieden"]
    }


def test_spellings_of_a_name_are_one_person_and_brothers_are_two():
    names = {
        "a": "Стругацкий, Аркадий Натанович, 1925-1991",
        "b": "Стругацкий, Борис Натанович, 1933-2012",
        "c": "Strugat͡skiĭ, A. N.",
        "d": "Стругацкий, А.",
    }
    assert by_person(names) == [["a", "c", "d"], ["b"]]


def test_structured_data_of_a_work_have_its_editions_and_translations(pages):
    work = pages.lists.work(BASE + NOVEL)
    shown = summaries.entity_summary(work.iri, NOVEL, [], BASE, {}, language_named("en"))
    schema = pages.schema(work, pages.shelf(work, 1, 100), [Label("Voĭna i mir", "ru-Latn")], shown)
    found = structured.work(schema)
    assert (found["@id"], found["@type"], found["name"]) == (BASE + NOVEL, "CreativeWork", "Война и мир")
    assert found["alternateName"] == ["Voĭna i mir"]
    assert found["inLanguage"] == ["ru"]
    assert found["author"] == [{"@id": f"{BASE}agent/tolstoy", "name": "Толстой, Лев Николаевич, 1828-1910"}]
    assert [(each["@id"], each["datePublished"]) for each in found["workExample"]] == [
        (f"{BASE}resource/rsl/1", "1936"),
        (f"{BASE}resource/rsl/3", "1978"),
    ]
    assert {each["name"] for each in found["workTranslation"]} == {"War & peace", "War and peace", "Krieg und Frieden"}
    assert {each["name"] for each in found["hasPart"]} == {"Война и мир. Т. 2", "Война и мир. Т. 10"}
    english = pages.lists.work(BASE + ENGLISH)
    found = structured.work(pages.schema(english, pages.shelf(english, 1, 100), [], shown))
    assert [each["name"] for each in found["translator"]] == ["Maude, Aylmer"]
    assert found["translationOfWork"] == [{"@type": "CreativeWork", "@id": BASE + NOVEL, "name": "Война и мир"}]
