"""What publications are part of, their parts, and their other formats, as their pages list them."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from bibld.documents import ReleaseState, fill, open_published
from bibld.model import mods as m
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Merged
from bibld.model.origin import RecordId, to_slug
from bibld.search import open_search, write_search
from bibld.serve._addresses import Addresses
from bibld.serve._citations.reference import Reference
from bibld.serve._graph import ReleaseGraph
from bibld.serve._language import language_named
from bibld.serve._pages import relatives
from bibld.serve._pages.relatives import RelativeLists
from bibld.serve._pages.works import WorkLists
from tests.serve.works_release import open_release

BASE = "https://data.example.org/"
ISSUES = 120
TERMS = {
    "label": "http://www.w3.org/2000/01/rdf-schema#label",
    "title": "http://purl.org/dc/terms/title",
    "issued": "http://purl.org/dc/terms/issued",
    "isPartOf": "http://purl.org/dc/terms/isPartOf",
    "hasPart": "http://purl.org/dc/terms/hasPart",
    "hasFormat": "http://purl.org/dc/terms/hasFormat",
    "isbn": "http://purl.org/ontology/bibo/isbn13",
    "creator": "http://purl.org/dc/terms/creator",
    "type": "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    "derived": "http://www.w3.org/ns/prov#wasDerivedFrom",
}
ARTICLE, PERIODICAL = "http://purl.org/ontology/bibo/Article", "http://purl.org/ontology/bibo/Periodical"
TOLSTOY = ("creator", "agent/tolstoy")


def publication(record: str, title: str, year: str, *links: tuple[str, str], kind: str = "") -> list[str]:
    subject = f"<{BASE}resource/{record}>"
    values = [("title", f'"{title}"'), ("label", f'"{title}"'), ("derived", f"<{BASE}record/{record}>")]
    values += [("issued", f'"{year}"^^<http://www.w3.org/2001/XMLSchema#gYear>')]
    values += [("type", f"<{kind}>")] if kind else []
    values += [(term, value if value.startswith('"') else f"<{BASE}{value}>") for term, value in links]
    return [f"{subject} <{TERMS[term]}> {value} .\n" for term, value in values]


QUADS = [
    f'<{BASE}agent/tolstoy> <{TERMS["label"]}> "Толстой, Лев" .\n',
    f"<{BASE}agent/tolstoy> <{TERMS['type']}> <http://xmlns.com/foaf/0.1/Person> .\n",
    *publication("rsl/set", "Война и мир : роман в 4 т.", "1978", TOLSTOY, ("hasPart", "resource/nlr/v3")),
    *publication("nlr/v10", "Война и мир. Т. 10", "1978", TOLSTOY, ("isPartOf", "resource/nlr/set"), kind=ARTICLE),
    *publication("nlr/v2", "Война и мир. Т. 2", "1980", TOLSTOY, ("isPartOf", "resource/rsl/set")),
    *publication("nlr/v3", "Война и мир. Т. 3", "1979", TOLSTOY),
    *publication("rsl/other", "Война и мир", "2003", TOLSTOY),
    *publication("rsl/journal", "Октябрь", "1924", kind=PERIODICAL),
    *publication("rsl/article", "Толстой", "1928", ("isPartOf", "resource/rsl/journal"), kind=ARTICLE),
    *publication(
        "rsl/print", "Книга", "1999", ("hasFormat", "resource/rsl/film"), ("hasFormat", "resource/rsl/print#o1")
    ),
    *publication("rsl/film", "Книга", "2001"),
    *publication("rsl/sound", "Книга", "2005", ("hasFormat", "resource/rsl/print")),
    *publication("rsl/ebook", "Книга онлайн", "2010", ("isbn", '"9785170878871"')),
    *(
        each
        for number in range(1, ISSUES + 1)
        for each in publication(
            f"nlr/i{number}", f"Октябрь. № {number}", str(1930 + number % 2), ("isPartOf", "resource/rsl/journal")
        )
    ),
]


class Quads:
    """A store of some lines of N-Quads."""

    def quads(
        self, subject: str | None = None, predicate: str | None = None, value: str | None = None
    ) -> Iterator[str]:
        for line in QUADS:
            parts = line.split(" ", 2)
            terms = (parts[0], parts[1], parts[2].removesuffix(" .\n"))
            if all(
                wanted is None or f"<{wanted}>" == term
                for wanted, term in zip((subject, predicate, value), terms, strict=True)
            ):
                yield line


class Catalog:
    """The set has two records; every other record is alone."""

    def cluster_of(self, record: RecordId) -> Cluster | None:
        if record in SET:
            return Cluster(SET[0], SET)
        path = f"<{BASE}resource/{record.path}> "
        return Cluster(record, (record,)) if any(line.startswith(path) for line in QUADS) else None


SET = (RecordId("rsl", "set"), RecordId("nlr", "set"))


def merged(*members: RecordId, items: tuple[m.RelatedItem, ...] = ()) -> Merged:
    return Merged(Cluster(members[0], members), m.Mods(related_item=items), ())


@pytest.fixture(scope="module")
def lists(tmp_path_factory) -> RelativeLists:
    folder = tmp_path_factory.mktemp("relatives")
    fill(folder, BASE, ReleaseState(1, "2026-01-01T00:00:00Z", 10), ["".join(sorted(QUADS)).encode()], False)
    with open_published(folder, 1) as view:
        write_search(folder, BASE, view)
    release = SimpleNamespace(
        manifest=SimpleNamespace(figures=SimpleNamespace(sources=())),
        graph=ReleaseGraph(Quads()),
        catalog=Catalog(),
        addresses=Addresses(Iris(BASE)),
        search=open_search(folder),
        published=None,
        has_services=True,
    )
    return RelativeLists(release, ReleaseGraph(Quads()), language_named("en"))


def titles(lines) -> list[str]:
    return [line.title for line in lines]


def test_a_set_lists_the_volumes_of_all_its_records_by_number_and_not_as_editions(lists):
    found = lists.relatives(merged(*SET), Reference("", title="Война и мир", subtitle="роман в 4 т."), None)
    assert [(group.heading, titles(group.lines), group.total) for group in found.parts] == [
        ("Volumes", ["Война и мир. Т. 2", "Война и мир. Т. 3", "Война и мир. Т. 10"], 3)
    ]
    assert found.parts[0].all_href == ""
    assert found.volumes == found.hosts == ()


@pytest.mark.parametrize("number", [2, 3, 10])
def test_a_volume_has_its_set_and_the_other_volumes(lists, number):
    reference = Reference("", title="Война и мир", part=f"Т. {number}", year="1978")
    found = lists.relatives(merged(RecordId("nlr", f"v{number}")), reference, None)
    assert [line.href for line in found.hosts] == ["/resource/rsl/set"]
    assert titles(found.volumes) == [f"Война и мир. Т. {each}" for each in (2, 3, 10) if each != number]
    assert found.parts == ()


def test_a_journal_lists_issues_by_year_and_articles_in_a_list_of_their_own(lists):
    found = lists.relatives(merged(RecordId("rsl", "journal")), Reference("", "serial", "Октябрь"), None)
    issues, articles = found.parts
    assert (issues.heading, issues.total, len(issues.lines)) == ("Issues", ISSUES, 100)
    assert titles(issues.lines)[:2] == ["Октябрь. № 2", "Октябрь. № 4"]
    assert titles(issues.lines)[60] == "Октябрь. № 1"
    assert issues.all_href.startswith("/sparql?query=")
    assert (articles.heading, titles(articles.lines), articles.all_href) == ("Articles and chapters", ["Толстой"], "")


def test_no_more_parts_are_read_than_a_page_can_sort(lists, monkeypatch):
    monkeypatch.setattr(relatives, "_MAX_READ", 10)
    found = lists.relatives(merged(RecordId("rsl", "journal")), Reference("", "serial", "Октябрь"), None)
    assert sum(group.total for group in found.parts) == 10
    assert not any(group.is_all for group in found.parts)
    assert all(group.all_href for group in found.parts)


def test_without_a_server_that_answers_queries_there_is_no_link_to_all_parts(lists, monkeypatch):
    monkeypatch.setattr(lists, "_has_services", False)
    found = lists.relatives(merged(RecordId("rsl", "journal")), Reference("", "serial", "Октябрь"), None)
    assert [group.all_href for group in found.parts] == ["", ""]


def test_an_issue_has_its_journal_but_not_all_other_issues(lists):
    found = lists.relatives(merged(RecordId("nlr", "i1")), Reference("", "serial", "Октябрь", part="№ 1"), None)
    assert titles(found.hosts) == ["Октябрь"]
    assert found.volumes == ()


@pytest.mark.parametrize(
    ("record", "editions", "works"),
    [
        (RecordId("rsl", "1"), ["Война и мир"], ["Volumes", "Translations"]),
        (RecordId("rsl", "en1"), ["War and peace"], ["Original", "Other translations"]),
        (RecordId("rsl", "v2"), [], ["Other volumes"]),
        (RecordId("rsl", "book"), [], []),
    ],
    ids=["edition", "translation", "volume", "alone"],
)
def test_a_publication_has_its_work_and_the_other_editions_of_it(tmp_path, record, editions, works):
    release, names = open_release(tmp_path, is_prepared=True)
    release.catalog = Catalog()
    found_in = RelativeLists(release, names, language_named("en"))
    work = WorkLists(release, names, language_named("en")).work_of_publication(Iris(BASE).resource(record))
    found = found_in.relatives(merged(record), Reference(""), work)
    assert found.work.text == work.title
    assert titles(found.editions) == editions
    assert [section.heading for section in found.works] == works


def test_other_formats_are_links_where_they_are_in_the_dataset_and_else_text(lists):
    def item(*identifiers: m.Identifier, title: str = "", label: str | None = None, number: str = "") -> m.RelatedItem:
        numbers = (m.RecordInfo(record_identifier=(m.RecordIdentifier(value=number),)),) if number else ()
        titles = (m.TitleInfo(title=title),) if title else ()
        mods = m.Mods(title_info=titles, identifier=identifiers, record_info=numbers)
        return m.RelatedItem(type="otherFormat", display_label=label, mods=mods)

    items = (
        item(title="Книга", number="film", label="Microfilm"),
        item(m.Identifier(value="978-5-17-087887-1", type="isbn"), title="Книга онлайн"),
        item(m.Identifier(value="5-7390-0346-6", type="isbn"), label="Audio"),
        item(title="Книга вслух", label="Audio"),
        m.RelatedItem(type="otherVersion", mods=m.Mods(title_info=(m.TitleInfo(title="Другая"),))),
    )
    found = lists.relatives(merged(RecordId("rsl", "print"), items=items), Reference("", title="Книга"), None)
    assert [(each.href, each.text, each.year, each.remark) for each in found.formats] == [
        ("/resource/rsl/film", "Книга", "2001", "Microfilm"),
        ("/resource/rsl/sound", "Книга", "2005", ""),
        ("/resource/rsl/ebook", "Книга онлайн", "2010", ""),
        ("", "ISBN 5-7390-0346-6", "", "Audio"),
        ("", "Книга вслух", "", "Audio"),
    ]
    back = lists.relatives(merged(RecordId("rsl", "film")), Reference("", title="Книга"), None)
    assert [each.href for each in back.formats] == ["/resource/rsl/print"]
    assert lists.relatives(merged(RecordId("rsl", "ebook")), Reference("", title="Книга онлайн"), None).formats == ()


class Titles:
    """Titles of concepts by their paths."""

    def __init__(self, *marks: str) -> None:
        self._titles = {f"concept/rubbk/{to_slug(mark)}": mark for mark in marks}
        self._titles[f"concept/rubbk/{to_slug('Ш')}"] = "Philology. Literature"

    def titles(self, paths):
        return {path: self._titles[path] for path in paths if path in self._titles}

    def titles_of_beginning(self, beginning, most):
        return {path: title for path, title in self._titles.items() if path.startswith(beginning)}


@pytest.mark.parametrize(
    ("mark", "broader", "narrower"),
    [
        ("84(2Рос)6", ["84", "Philology. Literature"], []),
        ("Ш5(2=Р)", ["Philology. Literature"], []),
        ("Ш", [], ["Ш5(2=Р)"]),
    ],
)
def test_a_class_has_its_main_class_as_the_broadest(mark, broader, narrower):
    titles = Titles("84(2Рос)6", "84", "Ш5(2=Р)")
    addresses = SimpleNamespace(page=str, mount="/")
    path = f"concept/rubbk/{to_slug(mark)}"
    hierarchies = relatives.Hierarchies(titles, None, addresses, lambda _, title: title, has_search=False)
    found = hierarchies.of_concept(path, titles.titles([path])[path])
    assert [link.text for link in found.broader] == broader
    assert [link.text for link in found.narrower] == narrower
