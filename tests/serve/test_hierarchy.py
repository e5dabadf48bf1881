"""What is broader and narrower than a heading or a class mark."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from bibld.model.iris import Iris
from bibld.model.origin import to_slug
from bibld.serve._addresses import Addresses
from bibld.serve._graph import Label
from bibld.serve._language import language_named
from bibld.serve._pages.relatives import Hierarchies
from bibld.serve._pages.summaries import NamesInLanguage
from bibld.text.keys import beginning_of_keys, entity_key

HEADINGS = (
    "Физика",
    "Физика--Механика",
    "Физика--Механика--Задачи",
    "Физика--Механика--Задачи--Сборники",
    "Физика--Механикам в помощь",
    "Физика--Учебники",
    "Химия--Опыты--Сборники",
    "Химия",
)
MARKS = ("Ш", "Ш5", "Ш5(2=Р)", "Ш5(2=Р)1", "Ш6", "Ш5(2=Р)1-4")


class Documents:
    """Titles by path, as the documents of a release have them."""

    def __init__(self, titles: dict[str, str]) -> None:
        self._titles = titles

    def titles(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: self._titles[path] for path in paths if path in self._titles}

    def titles_of_beginning(self, beginning: str, limit: int) -> dict[str, str]:
        found = sorted(path for path in self._titles if path.startswith(beginning))
        return {path: self._titles[path] for path in found[:limit]}


class Labels:
    """Names of everything: in English and Russian, as documents state them."""

    def labels(self, thing: str) -> list[Label]:
        return [Label("English name", "en"), Label("Русское имя", "ru")]

    def titles(self, things: Iterable[str]) -> dict[str, str]:
        return dict.fromkeys(things, "English name")


@pytest.mark.parametrize(
    ("path", "title", "best_label"),
    [
        ("concept/udc/5", "5 Математика. Естественные науки", "Русское имя"),
        ("concept/rubbk/~D0~A8", "Ш Филологические науки. Художественная литература", "Русское имя"),
        ("concept/udc", "Русское имя", "Русское имя"),
        ("agent/library-RuMoRGB", "Русское имя", "Русское имя"),
        ("agent/isil-RU-10010001", "Русское имя", "Русское имя"),
        ("concept/udc/519~2E21", "English name", "English name"),
        ("agent/tolstoi", "English name", "English name"),
    ],
)
def test_classes_lists_and_libraries_are_named_in_the_language_of_the_page(path, title, best_label):
    iris = Iris("https://data.example.org/")
    names = NamesInLanguage(Labels(), iris, language_named("ru"))
    assert names.titles([iris.base + path]) == {iris.base + path: title}
    assert names.labels(iris.base + path)[0].text == best_label


def path_of(heading: str) -> str:
    return f"concept/nlr-sh/{entity_key(heading)}"


def hierarchies(headings: Iterable[str] = HEADINGS, has_search: bool = True) -> Hierarchies:
    titles = {path_of(heading): heading for heading in headings}
    titles |= {f"concept/rubbk/{to_slug(mark)}": mark for mark in MARKS}
    titles |= {"concept/rubbk": "ББК"}
    addresses = Addresses(Iris("https://data.example.org/"))
    return Hierarchies(Documents(titles), None, addresses, lambda _, title: title, has_search)


def texts(headings: Iterable[object]) -> list[str]:
    return [heading.text for heading in headings]


def test_broader_headings_are_the_beginnings_that_exist_the_nearest_first():
    heading = "Физика--Механика--Задачи"
    found = hierarchies().of_concept(path_of(heading), heading)
    assert texts(found.broader) == ["Физика--Механика", "Физика"]
    assert [each.href for each in found.broader] == [f"/{path_of('Физика--Механика')}", f"/{path_of('Физика')}"]
    heading = "Химия--Опыты--Сборники"
    assert texts(hierarchies().of_concept(path_of(heading), heading).broader) == ["Химия"]
    assert hierarchies().of_concept("concept/other/x", heading).broader == ()


def test_narrower_headings_have_the_same_parts_and_more():
    found = hierarchies().of_concept(path_of("Физика--Механика"), "Физика--Механика")
    assert texts(found.narrower) == ["Физика--Механика--Задачи", "Физика--Механика--Задачи--Сборники"]
    assert (found.total, found.is_all) == (2, True)
    assert found.all_href.startswith("/search?q=subject%3A%22")
    found = hierarchies().of_concept(path_of("Физика"), "Физика")
    assert texts(found.narrower)[-1] == "Физика--Механика--Задачи--Сборники"
    assert hierarchies(has_search=False).of_concept(path_of("Физика"), "Физика").all_href == ""


def test_very_many_narrower_headings_are_bounded():
    headings = [*(f"Физика--Часть {number}" for number in range(2500))]
    found = hierarchies(headings).of_concept(path_of("Физика"), "Физика")
    assert (len(found.narrower), found.total, found.is_all) == (50, 2000, False)


def test_marks_that_begin_a_mark_are_broader():
    found = hierarchies().of_concept("concept/rubbk/x", "Ш5(2=Р)1")
    assert texts(found.broader) == ["Ш5(2=Р)", "Ш5", "Ш"]
    assert texts(found.narrower) == ["Ш5(2=Р)1-4"]
    assert texts(hierarchies().of_concept("concept/rubbk/x", "Ш").narrower)[:2] == ["Ш5", "Ш6"]


def test_a_list_has_its_headings_those_without_subdivisions_first():
    found = hierarchies().of_scheme("concept/nlr-sh")
    assert texts(found.narrower)[:3] == ["Физика", "Химия", "Физика--Механика"]
    assert found.total == len(HEADINGS)


def test_a_heading_in_a_script_that_keys_do_not_show_has_nothing_narrower():
    assert beginning_of_keys(entity_key("物理学")) == ""
    found = hierarchies(["物理学", "物理学--力学"]).of_concept(path_of("物理学"), "物理学")
    assert found.narrower == ()
    found = hierarchies(["物理学", "物理学--力学"]).of_concept(path_of("物理学--力学"), "物理学--力学")
    assert texts(found.broader) == ["物理学"]
