"""What a publication is part of, its parts, its other volumes and editions, the same text in other formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import urlencode

import msgspec

from bibld.documents import PublishedView
from bibld.model.identifiers import isbn, isbn13
from bibld.model.iris import record_of_path
from bibld.model.linkage import Merged
from bibld.model.mods import RelatedItem
from bibld.model.origin import RecordId, from_slug, to_slug
from bibld.model.rdf import expand
from bibld.search import EntryKind, NamedThing, SearchView, StoredPublication
from bibld.serve._addresses import Addresses
from bibld.serve._citations.reference import Reference
from bibld.serve._graph import Names
from bibld.serve._language import PageLanguage, message
from bibld.serve._pages import fields
from bibld.serve._pages.facts import folded
from bibld.serve._pages.lists import PublicationLine, by_issue, by_number, line_of, main_title, numbers_of
from bibld.serve._pages.views import PageLink
from bibld.serve._pages.work_pages import WorkPages, WorkSection
from bibld.serve._pages.works import StatedWork
from bibld.serve._things import OpenRelease
from bibld.text.classes import captions, main_class
from bibld.text.keys import beginning_of_keys, entity_key, is_class_mark

_SUBDIVISION = "--"
_MAX_READ = 2000
"""Headings or parts that are read and sorted: a journal may have ten thousand."""

_MAX_SHOWN = 50
_MAX_MARK_LENGTH = 100
_NOT_SEARCHED = str.maketrans(dict.fromkeys('"«»“”„|', " "))
"""What has a meaning in a search."""


class Hierarchy(msgspec.Struct, frozen=True):
    """What is broader and narrower, the nearest first.

    ``narrower`` are some of ``total``, of which there may be more unless ``is_all``. ``all_href`` is the address of the
    search for the publications with any of them, or empty.
    """

    broader: tuple[PageLink, ...] = ()
    narrower: tuple[PageLink, ...] = ()
    total: int = 0
    is_all: bool = True
    all_href: str = ""


class Hierarchies:
    """Finds what is broader and narrower; ``search`` counts publications where there is one.

    ``name`` is called with the path and title of a thing, and returns its name for readers.
    """

    def __init__(
        self,
        titles: PublishedView,
        search: SearchView | None,
        addresses: Addresses,
        name: Callable[[str, str], str],
        has_search: bool,
    ) -> None:
        self._titles = titles
        self._name = name
        self._search = search
        self._addresses = addresses
        self._has_search = has_search

    def of_concept(self, path: str, title: str) -> Hierarchy:
        """Return what is broader and narrower than a heading or class (its path and title)."""
        _, scheme, slug = path.split("/", 2)
        if captions(scheme, from_slug(slug)):
            title = from_slug(slug)
        is_mark = is_class_mark(scheme, title)
        found = self._narrower_marks(scheme, title) if is_mark else self._narrower_headings(scheme, title)
        shown, is_all = found
        words = " ".join(title.replace(_SUBDIVISION, " ").translate(_NOT_SEARCHED).split())
        all_href = ""
        if shown and not is_mark and self._has_search:
            all_href = f"{self._addresses.mount}search?{urlencode({'q': f'subject:{chr(34)}{words}{chr(34)}'})}"
        broader = self._broader(scheme, title, is_mark)
        narrower = tuple(self._heading(*each) for each in shown[:_MAX_SHOWN])
        return Hierarchy(tuple(self._heading(*each) for each in broader), narrower, len(shown), is_all, all_href)

    def of_scheme(self, path: str) -> Hierarchy:
        """Return the headings or classes of a list (its path), those without subdivisions first."""
        titles = self._titles.titles_of_beginning(f"{path}/", _MAX_READ)
        found = {each: self._name(each, title) for each, title in titles.items()}
        ordered = sorted(found.items(), key=lambda pair: (pair[1].count(_SUBDIVISION), pair[1].casefold(), pair[0]))
        shown = tuple(self._heading(*each) for each in ordered[:_MAX_SHOWN])
        return Hierarchy(narrower=shown, total=len(found), is_all=len(found) < _MAX_READ)

    def _broader(self, scheme: str, title: str, is_mark: bool) -> list[tuple[str, str]]:
        """Return path and title of broader headings or classes that exist, the nearest first."""
        if is_mark:
            mark = title[:_MAX_MARK_LENGTH]
            keys = [to_slug(mark[:length]) for length in range(len(mark) - 1, 0, -1) if mark[length - 1] not in " .-"]
            main = main_class(scheme, title)
            keys += [to_slug(main)] if main not in (None, title) and to_slug(main) not in keys else []
        else:
            parts = title.split(_SUBDIVISION)
            keys = [entity_key(_SUBDIVISION.join(parts[:count])) for count in range(len(parts) - 1, 0, -1)]
        paths = [f"concept/{scheme}/{key}" for key in keys]
        titles = self._titles.titles(paths)
        return [(path, self._name(path, titles[path])) for path in paths if path in titles]

    def _narrower_headings(self, scheme: str, title: str) -> tuple[list[tuple[str, str]], bool]:
        beginning = beginning_of_keys(entity_key(title))
        if not beginning:
            return [], True
        found = self._titles.titles_of_beginning(f"concept/{scheme}/{beginning}-", _MAX_READ)
        start = f"{title}{_SUBDIVISION}".casefold()
        kept = [pair for pair in found.items() if pair[1].casefold().startswith(start)]
        kept.sort(key=lambda pair: (pair[1].count(_SUBDIVISION), pair[1].casefold(), pair[0]))
        return kept, len(found) < _MAX_READ

    def _narrower_marks(self, scheme: str, mark: str) -> tuple[list[tuple[str, str]], bool]:
        found = self._titles.titles_of_beginning(f"concept/{scheme}/{to_slug(mark)}", _MAX_READ)
        kept = [pair for pair in found.items() if pair[1] != mark and _is_below(scheme, pair[1], mark)]
        kept.sort(key=lambda pair: (len(pair[1]), pair[1], pair[0]))
        return kept, len(found) < _MAX_READ

    def _heading(self, path: str, title: str) -> PageLink:
        named = self._search.named(path) if self._search is not None else None
        uses = named.uses if named is not None else 0
        return PageLink(self._addresses.page(path), title, fields.language_of(title), uses)


def _is_below(scheme: str, mark: str, broader: str) -> bool:
    return mark.startswith(broader) and is_class_mark(scheme, mark)


_IS_PART_OF, _HAS_PART, _HAS_FORMAT = map(expand, ("dcterms:isPartOf", "dcterms:hasPart", "dcterms:hasFormat"))
_SHOWN = 100
_MAX_MEMBERS = 100
"""Records of a publication whose IRIs others may point to."""

_MAX_HOSTS = 10
_MAX_FORMATS = 20
_MAX_EDITIONS = 12
_MAX_VOLUMES = 60
_ARTICLE, _PERIODICAL = "article", "periodical"
"""Types of publications in the search."""

_QUERY = """\
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?part (SAMPLE(?label) AS ?title) (MIN(?date) AS ?issued) WHERE {
  VALUES ?of { HOSTS }
  ?part dcterms:isPartOf|^dcterms:hasPart ?of ; rdfs:label ?label .
  OPTIONAL { ?part dcterms:issued ?date }
}
GROUP BY ?part
ORDER BY ?issued ?title
"""


class PartGroup(msgspec.Struct, frozen=True):
    """Parts of one kind: those that are shown, how many there are, and the address of all of them or empty.

    ``is_all`` is false where counting was given up.
    """

    heading: str
    lines: tuple[PublicationLine, ...]
    total: int
    is_all: bool = True
    all_href: str = ""


class OtherFormat(msgspec.Struct, frozen=True):
    """The same text in another format: a link if it is in the dataset; ``remark`` is the relation in words."""

    text: str
    language: str
    href: str = ""
    year: str = ""
    remark: str = ""


class Relatives(msgspec.Struct, frozen=True):
    """What is related to a publication: its work, publications, and lists of other works.

    ``editions`` are some of the other publications of its work, ``volumes`` are those of the set that it is part of.
    """

    work: PageLink | None = None
    hosts: tuple[PublicationLine, ...] = ()
    parts: tuple[PartGroup, ...] = ()
    volumes: tuple[PublicationLine, ...] = ()
    editions: tuple[PublicationLine, ...] = ()
    works: Sequence[WorkSection] = ()
    formats: tuple[OtherFormat, ...] = ()


class RelativeLists:
    """Reads what is related to publications from the statements, the catalog and the search of a release."""

    def __init__(self, release: OpenRelease, names: Names, language: PageLanguage) -> None:
        self._graph = release.graph
        self._catalog = release.catalog
        self._addresses = release.addresses
        self._iris = release.addresses.iris
        self._search = release.search
        self._has_services = release.has_services
        self._names = names
        self._language = language
        self._works = WorkPages(release, names, language)

    def relatives(self, merged: Merged, reference: Reference, work: StatedWork | None) -> Relatives:
        """Return what is related to a publication; ``work`` is its work, if that is known."""
        founder, members = merged.cluster.founder, merged.cluster.members[:_MAX_MEMBERS]
        path = f"resource/{founder.path}"
        host_paths = self._hosts(members)
        part_paths, is_all = self._parts(members)
        part_paths = [each for each in part_paths if each not in host_paths]
        publications = self._works.lists.publications([*host_paths, *part_paths])
        hosts = [publications[each] for each in host_paths if each in publications]
        parts = [publications[each] for each in part_paths if each in publications]
        siblings = self._siblings(path, hosts)
        family = {path, *publications, *(each.path for each in siblings)}
        editions = self._works.lists.editions(work) if work is not None and len(work.instances) > 1 else []
        others = [each for each in editions if each.path not in family]
        return Relatives(
            self._works.link(work) if work is not None else None,
            tuple(map(self._line, hosts)),
            self._groups(members, parts, reference, is_all),
            tuple(sorted(map(self._line, siblings), key=by_number)[:_MAX_VOLUMES]),
            tuple(line_of(each, self._addresses, has_agents=False) for each in others[:_MAX_EDITIONS]),
            self._works.beside(work, has_volumes=bool(siblings or parts)) if work is not None else (),
            tuple(self._formats(path, merged)),
        )

    # -- parts

    def _hosts(self, members: Sequence[RecordId]) -> list[str]:
        """Return the paths of publications that these records are parts of."""
        found: set[str] = set()
        for iri in map(self._iris.resource, members):
            found.update(self._answering(self._graph.objects(iri, _IS_PART_OF)))
            found.update(self._graph.subjects(_HAS_PART, iri, _MAX_HOSTS))
        return self._publications(found, members)[:_MAX_HOSTS]

    def _parts(self, members: Sequence[RecordId]) -> tuple[list[str], bool]:
        """Return the paths of parts of what these records describe, and whether these are all."""
        found: set[str] = set()
        is_all = True
        for iri in map(self._iris.resource, members):
            room = _MAX_READ - len(found)
            if room <= 0:
                return self._publications(found, members), False
            pointing = self._graph.subjects(_IS_PART_OF, iri, room + 1)
            is_all = is_all and len(pointing) <= room
            found.update(pointing[:room])
            found.update(self._answering(self._graph.objects(iri, _HAS_PART)[:_MAX_READ]))
        return self._publications(found, members), is_all

    def _answering(self, iris: Iterable[str]) -> Iterator[str]:
        """Yield the IRIs that answer for publications that statements point to: they may have been merged into others.

        The subjects of statements always answer themselves.
        """
        for iri in iris:
            record = self._record(iri)
            cluster = self._catalog.cluster_of(record) if record is not None else None
            if cluster is not None:
                yield self._iris.resource(cluster.founder)

    def _record(self, iri: str) -> RecordId | None:
        """Return the record with the IRI of a publication; None for any other IRI."""
        path = self._iris.path(iri) if "#" not in iri else None
        if path is None or not path.startswith("resource/"):
            return None
        try:
            return record_of_path(path.removeprefix("resource/"))
        except ValueError:
            return None

    def _publications(self, iris: Iterable[str], members: Sequence[RecordId]) -> list[str]:
        """Return the paths of publications, sorted; none of the records' own."""
        records = {record for iri in iris if (record := self._record(iri)) is not None}
        return sorted(f"resource/{record.path}" for record in records.difference(members))

    def _siblings(self, path: str, hosts: Sequence[StoredPublication]) -> list[StoredPublication]:
        """Return the other volumes of the first set that a publication is part of; none of a journal."""
        for host in hosts:
            cluster = self._catalog.cluster_of(record_of_path(host.path.removeprefix("resource/")))
            if host.type != _PERIODICAL and cluster is not None:
                paths, _ = self._parts(cluster.members[:_MAX_MEMBERS])
                works = self._works.lists.publications([each for each in paths if each != path])
                return [work for work in works.values() if not _is_inside(work, host.title)]
        return []

    def _groups(
        self, members: Sequence[RecordId], parts: Sequence[StoredPublication], reference: Reference, is_all: bool
    ) -> tuple[PartGroup, ...]:
        is_serial = reference.kind == "serial"
        inside = [work for work in parts if _is_inside(work, reference.title)]
        others = [work for work in parts if not _is_inside(work, reference.title)]
        numbered = all(numbers_of(work.title) for work in others)
        heading = message("Issues") if is_serial else message("Volumes") if numbered else message("Parts")
        found = []
        for name, works in ((heading, others), (message("Articles and chapters"), inside)):
            if works:
                lines = sorted(map(self._line, works), key=by_issue if is_serial or works is inside else by_number)
                href = self._all_href(members) if len(lines) > _SHOWN or not is_all else ""
                found.append(PartGroup(self._language.text(name), tuple(lines[:_SHOWN]), len(lines), is_all, href))
        return tuple(found)

    def _all_href(self, members: Sequence[RecordId]) -> str:
        """Return the address of a table of all parts; empty where no server answers queries."""
        if not self._has_services:
            return ""
        hosts = " ".join(f"<{self._iris.resource(member)}>" for member in members)
        return f"{self._addresses.page('sparql')}?{urlencode({'query': _QUERY.replace('HOSTS', hosts)})}"

    def _line(self, publication: StoredPublication) -> PublicationLine:
        return line_of(publication, self._addresses)

    # -- other formats

    def _formats(self, path: str, merged: Merged) -> Iterator[OtherFormat]:
        """Yield the other formats that records state, or whose records state this one."""
        members = merged.cluster.members[:_MAX_MEMBERS]
        linked: set[str] = set()
        for iri in map(self._iris.resource, members):
            linked.update(self._answering(self._graph.objects(iri, _HAS_FORMAT)[:_MAX_FORMATS]))
            linked.update(self._graph.subjects(_HAS_FORMAT, iri, _MAX_FORMATS))
        remarks = {path: ""}
        texts = []
        for item in merged.mods.related_item:
            if item.type == "otherFormat":
                remark = item.display_label or ""
                found = self._by_number(item, members) or self._by_isbn(item)
                if found:
                    remarks[found] = remarks.get(found) or remark
                else:
                    texts.append((fields.title(item.mods), remark, item))
        works = self._works.lists.publications(list(dict.fromkeys((*remarks, *self._publications(linked, members)))))
        for work in sorted(works.values(), key=lambda work: (work.year, work.title, work.path))[:_MAX_FORMATS]:
            if work.path != path:
                line = self._line(work)
                yield OtherFormat(line.title, line.language, line.href, line.year, remarks.get(work.path, ""))
        for title, remark, item in texts[:_MAX_FORMATS]:
            numbers = "; ".join(
                f"{(each.type or '').upper()} {each.value}".strip()
                for each in item.mods.identifier
                if each.type != "local"
            )
            text = title or numbers
            if text:
                rest = (remark, numbers if title else "")
                yield OtherFormat(
                    text, fields.language_of(title), "", fields.year(item.mods), "; ".join(filter(None, rest))
                )

    def _by_number(self, item: RelatedItem, members: Sequence[RecordId]) -> str:
        """Return the path of the publication that a related item names by a record of the same library, or nothing."""
        numbers = [each.value for info in item.mods.record_info for each in info.record_identifier]
        numbers += [each.value for each in item.mods.identifier if each.type == "local"]
        for number in filter(str.strip, numbers):
            for source in dict.fromkeys(member.source for member in members):
                cluster = self._catalog.cluster_of(RecordId.from_control_number(source, number))
                if cluster is not None:
                    return f"resource/{cluster.founder.path}"
        return ""

    def _by_isbn(self, item: RelatedItem) -> str:
        """Return the path of the only publication with an ISBN of a related item, or nothing."""
        for identifier in item.mods.identifier:
            number = isbn(identifier.value) if identifier.type == "isbn" else None
            if self._search is not None and number is not None and number.is_valid:
                found = self._search.find(number.value, (EntryKind.PUBLICATION,))
                having = [each for each in found if _has_isbn(each, number.value)]
                if len(having) == 1:
                    return having[0].path
        return ""


def _is_inside(part: StoredPublication, title: str) -> bool:
    """Whether a part is an article or a chapter; a volume, with the title of the set, is none, whatever its type."""
    return part.type == _ARTICLE and not folded(title).startswith(folded(main_title(part.title)))


def _has_isbn(named: NamedThing, value: str) -> bool:
    """Whether a publication has an ISBN."""
    numbers = (isbn(text) for text in named.data.get("isbn", ()))
    return any(each is not None and each.is_valid and isbn13(each.value) == isbn13(value) for each in numbers)
