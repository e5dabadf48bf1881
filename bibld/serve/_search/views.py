"""The results page: what its template shows, in the language of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

from bibld.search import (
    EXCLUDABLE,
    FIELD_NAMES,
    MAX_LISTED,
    SORTS,
    Correction,
    EntryKind,
    FacetValue,
    NamedThing,
    Relation,
    SearchResult,
    StoredPublication,
    WorkGroup,
    to_words,
)
from bibld.serve._addresses import Addresses, CatalogueLinks
from bibld.serve._language import PageLanguage, message, read_words
from bibld.serve._pages import codes
from bibld.serve._pictures.columns import Words, draw_years
from bibld.serve._pictures.drawing import Caption, Picture
from bibld.serve._search.addresses import FILTERS, Address, filter_pairs
from bibld.text.class_divisions import SCHEMES, caption

KIND_NAMES = {
    EntryKind.PUBLICATION: message("Publication"),
    EntryKind.PERSON: message("Person"),
    EntryKind.ORGANISATION: message("Organisation"),
    EntryKind.SUBJECT: message("Subject"),
    EntryKind.PLACE: message("Place"),
    EntryKind.PUBLISHER: message("Publisher"),
    EntryKind.SERIES: message("Series"),
    EntryKind.WORK: message("Work"),
}
GROUP_NAMES = {
    EntryKind.PUBLICATION: message("Publications"),
    EntryKind.PERSON: message("People"),
    EntryKind.ORGANISATION: message("Organisations"),
    EntryKind.SUBJECT: message("Subjects"),
    EntryKind.PLACE: message("Places"),
    EntryKind.PUBLISHER: message("Publishers"),
    EntryKind.SERIES: message("Book series"),
    EntryKind.WORK: message("Works"),
}
_FACET_NAMES = read_words()["search_facet"]
_FLAG_NAMES = {
    ("online", "true"): message("full text online"),
    ("online", "false"): message("not online"),
    ("merged", "true"): message("merged from several"),
    ("merged", "false"): message("from one record"),
    ("authority", "true"): message("linked"),
    ("authority", "false"): message("not linked"),
}
_SORT_NAMES = read_words()["search_sort"]
_WHY = read_words()["search_reason"]
NAMED_FILTERS = ("series", "work")
"""The filters whose values are paths of things, and that are no facets."""

_WITH_PAGES = ("author", "subject", "publisher", "place", *NAMED_FILTERS)
"""The filters whose values are paths of things that have pages."""

_MISSING = {
    "isbn": message("No publication here has the ISBN %(number)s."),
    "issn": message("No publication here has the ISSN %(number)s."),
    "doi": message("No publication here has the DOI %(number)s."),
    "number": message("No publication or record here has the number %(number)s."),
}
_PAGES_AROUND = 2
_MAX_LISTED = 6
"""Languages or libraries of a work."""

_SHOWN_OPEN = ("library", "language", "type", "online", "author")
FORMS = (
    (".json", "application/json", "JSON"),
    (".csv", "text/csv", "CSV"),
    (".ttl", "text/turtle", "Turtle"),
    (".jsonld", "application/ld+json", "JSON-LD"),
    (".rdf", "application/rdf+xml", "RDF/XML"),
    (".nt", "application/n-triples", "N-Triples"),
    (".bib", "application/x-bibtex", "BibTeX"),
    (".ris", "application/x-research-info-systems", "RIS"),
    (".csl.json", "application/vnd.citationstyles.csl+json", "CSL-JSON"),
)


class ViewMaker:
    """Makes what the template of the results shows, in one language; ``source_label`` gives the name of a library."""

    def __init__(
        self,
        language: PageLanguage,
        addresses: Addresses,
        source_label: Callable[[str], str],
        catalogues: CatalogueLinks,
    ) -> None:
        self._catalogues = catalogues
        self._language = language
        self._addresses = addresses
        self._source_label = source_label

    def label(self, facet: str, value: FacetValue) -> str:
        """Return the words for a value of a facet."""
        if value.label:
            return value.label
        if facet == "library":
            return self._source_label(value.value)
        if facet == "language":
            return self._language.name_of_language(value.value)
        if facet == "type":
            return self._language.text(codes.TYPE_NAMES.get(value.value, value.value))
        if facet == "class":
            scheme, _, mark = value.value.partition("/")
            return class_label(scheme, mark, self._language) if scheme in SCHEMES else value.value
        if facet == "year":
            return years_in_words(value.value, self._language)
        if facet == "id":
            return self._language.number(value.count)
        if facet == "held_by":
            return ", ".join(map(self._source_label, value.value.split(",")))
        flag = _FLAG_NAMES.get((facet, value.value))
        return self._language.text(flag) if flag is not None else value.value

    def results(
        self,
        address: Address,
        found: SearchResult,
        things: Sequence[NamedThing],
        sparql: str,
        names: Mapping[str, str],
    ) -> dict[str, object]:
        """Return what the template shows of the results; ``names`` are those of the things of ``NAMED_FILTERS``."""
        request = address.request
        language = self._language
        is_browsing = not request.text.strip() and not request.filters and not request.excluded
        heading = request.text.strip() or (language.text("Browse") if is_browsing else language.text("Search"))
        last = request.page * request.per_page
        years = (request.filters.get("year") or ("",))[0]
        first, dash, end = years.partition("-")
        return {
            "text": request.text,
            "heading": heading,
            "total": self._total(found),
            "folding": self._folding(address, found),
            "notices": self._notices(address, found),
            "results": [
                self._work(address, hit, group) if group is not None else self._result(hit)
                for hit, group in zip(found.hits, found.groups or (None,) * len(found.hits), strict=True)
            ],
            "is_open": len(found.hits) == 1 and request.page == 1,
            "things": [self._thing(thing) for thing in things],
            "facets": [self._facet(address, name, values) for name, values in found.facets.items() if name != "year"],
            "chosen": self._chosen(address, found, names),
            "sort": language.text(_SORT_NAMES[request.sort]),
            "sorts": [
                (language.text(_SORT_NAMES[sort]), address.with_sort(sort), sort == request.sort) for sort in SORTS
            ],
            "picture": self.timeline(address, found),
            "hidden": [pair for pair in _hidden(address) if pair[0] != "year"],
            "years": (first, end if dash else first),
            "forms": [(address.href(suffix=suffix), kind, name) for suffix, kind, name in FORMS],
            "sparql": f"{self._addresses.mount}sparql?{urlencode({'query': sparql})}",
            "first": last - request.per_page + 1,
            "previous": address.with_page(request.page - 1) if request.page > 1 else "",
            "following": address.with_page(request.page + 1) if found.has_next else "",
            "pages": page_links(request.page, self._last_page(address, found), address.with_page),
            "fields": [names[language.tag == "ru"] for names in FIELD_NAMES.values()],
            "is_browsing": is_browsing,
        }

    def _notices(self, address: Address, found: SearchResult) -> list[tuple[str, str, str]]:
        text = self._language.text
        notices = []
        if found.missing_number:
            literal = address.for_text(address.request.text, literal=True)
            words = text("Search for it as words")
            missing = _MISSING[found.missing_number].with_values({"number": address.request.text.strip()})
            notices.append((text(missing), literal, words))
            if found.wrong_check_digit:
                notices.append((text("Its last digit is wrong; compare it with the book."), "", ""))
            return notices
        if found.is_cut:
            notices.append((text("The query was too long: only its beginning was searched for."), "", ""))
        if found.wrong_check_digit:
            notices.append((text("The last digit of this ISBN is wrong; this is what it was meant to be."), "", ""))
        if found.correction is not None:
            literal = address.for_text(address.request.text, literal=True)
            words = text("Search for exactly “%(query)s”", query=address.request.text)
            notices.append((self._correction(address.request.text, found.correction), literal, words))
        return notices

    def _correction(self, request: str, correction: Correction) -> str:
        text = self._language.text
        if correction.kind == "script":
            return text("No results for “%(query)s” as it is written. Results in any script.", query=request)
        if correction.kind == "beginning":
            return text("Few results for “%(query)s” alone. Results with words that begin so are added.", query=request)
        if correction.kind == "anywhere":
            return text("No results for “%(query)s”. Results for these words anywhere.", query=request)
        if correction.kind == "without":
            removed = ", ".join(correction.removed)
            return text("No results for “%(query)s”. Results without: %(words)s", query=request, words=removed)
        return text("No results for “%(query)s”. Results for “%(other)s”.", query=request, other=correction.text)

    def _result(self, hit: StoredPublication) -> dict[str, object]:
        why = _WHY.get(hit.why)
        return {
            "href": self._addresses.page(hit.path),
            "page": self._addresses.page(hit.path),
            "hit": hit,
            "title": hit.title,
            "imprint": _imprint(hit),
            "shelf": (),
            "id": hit.path.partition("/")[2],
            "type": self._language.text(codes.TYPE_NAMES.get(hit.type, hit.type)),
            "languages": [self._language.name_of_language(code) for code in hit.languages],
            "libraries": self._libraries(hit),
            "agents": [(self._addresses.page(agent.path), agent.name) for agent in hit.agents],
            "why": self._language.text(why) if why is not None else "",
        }

    def _libraries(self, publication: StoredPublication) -> list[tuple[str, str]]:
        """Return the names of the libraries that have a publication, with its addresses in their catalogues."""
        isbn = next(iter(publication.isbns), "")
        found = self._catalogues.libraries(publication.records, isbn)
        return [(self._source_label(library), href) for library, href in found]

    def _work(self, address: Address, hit: StoredPublication, group: WorkGroup) -> dict[str, object]:
        """Return a work with its publications, of which ``hit`` is the best one."""
        number = self._language.number(group.total)
        return {
            **self._result(hit),
            "href": self._addresses.page(group.path),
            "best": (self._addresses.page(hit.path), _imprint(hit) if hit.imprint else hit.title)
            if hit.why not in ("", "author")
            else None,
            "title": group.title,
            "agents": [(self._addresses.page(agent.path), agent.name) for agent in group.creators or hit.agents],
            "years": "–".join(map(str, group.years)),
            "count": self._language.plural("%(num)s publication", "%(num)s publications", group.total),
            "languages": [self._language.name_of_language(code) for code in group.languages[:_MAX_LISTED]],
            "libraries": [(self._source_label(library), "") for library in group.libraries[:_MAX_LISTED]],
            "shelf": self._shelf(group),
            "rest": (address.of_work(group.path), self._language.text("All publications: %(number)s", number=number))
            if group.total > len(group.publications)
            else None,
        }

    def _shelf(self, group: WorkGroup) -> list[tuple[str, list[dict[str, object]]]]:
        """Return the publications of a work under headings: editions, parts, then translations by language."""
        text = self._language.text
        headings = {Relation.EDITION: text("Editions"), Relation.PART: text("Volumes and parts")}
        shelf: dict[str, list[dict[str, object]]] = {heading: [] for heading in headings.values()}
        own = to_words(group.title)
        for each in group.publications:
            heading = headings.get(each.relation, "")
            if not heading:
                languages = ", ".join(map(self._language.name_of_language, each.languages))
                heading = text("Translation: %(language)s", language=languages) if languages else text("Translations")
            is_named = not each.imprint or to_words(each.title) != own
            shelf.setdefault(heading, []).append(
                {
                    "href": self._addresses.page(each.path),
                    "name": each.title if is_named else _imprint(each),
                    "year": each.year,
                    "imprint": _imprint(each) if is_named and each.imprint else "",
                    "libraries": self._libraries(each),
                }
            )
        return [(heading, lines) for heading, lines in shelf.items() if lines]

    def _total(self, found: SearchResult) -> str:
        """Return how much was found: works and publications, where several publications are one result."""
        language = self._language
        publications = language.plural("%(num)s publication", "%(num)s publications", found.total)
        if found.works is None:
            return publications
        if found.works >= found.total:
            return language.text("Results: %(total)s", total=language.number(found.total))
        works = language.plural("%(num)s work", "%(num)s works", found.works)
        if found.is_estimate:
            works = language.text("About %(works)s", works=works)
        return f"{works}, {publications}"

    def _folding(self, address: Address, found: SearchResult) -> tuple[str, str] | None:
        """Return the link that folds the publications of works or shows each of them; None if it changes nothing."""
        if found.works is None:
            return address.with_folding(True), self._language.text("Group publications by work")
        if found.works < found.total:
            return address.with_folding(False), self._language.text("Show each publication")
        return None

    def _thing(self, thing: NamedThing) -> dict[str, object]:
        lives = [thing.data.get(name, ("",))[0] for name in ("birth", "death")]
        remark = f"{lives[0]}–{lives[1]}" if any(lives) else ""
        if thing.uses:
            count = self._language.plural("%(num)s publication", "%(num)s publications", thing.uses)
            remark = f"{remark}, {count}" if remark else count
        kind = self._language.text(KIND_NAMES[thing.kind])
        return {
            "href": self._addresses.page(thing.path),
            "name": thing.title,
            "kind": kind,
            "remark": remark,
        }

    def _facet(self, address: Address, name: str, values: Sequence[FacetValue]) -> dict[str, object]:
        chosen = address.request.filters.get(name, ())
        excluded = address.request.excluded.get(name, ())
        rows = []
        for value in values:
            is_used = value.value in chosen or value.value in excluded
            change = address.without_filter if is_used else address.with_filter
            rows.append(
                {
                    "label": self.label(name, value),
                    "number": value.count,
                    "href": change(name, value.value),
                    "exclude": address.with_excluded(name, value.value) if name in EXCLUDABLE and not is_used else "",
                    "is_chosen": value.value in chosen,
                    "is_excluded": value.value in excluded,
                }
            )
        is_open = name in _SHOWN_OPEN or bool(chosen or excluded)
        return {
            "name": name,
            "label": self._language.text(_FACET_NAMES[name]),
            "rows": rows,
            "is_open": is_open,
        }

    def _chosen(self, address: Address, found: SearchResult, names: Mapping[str, str]) -> list[dict[str, object]]:
        labels = {(name, value.value): value for name, values in found.facets.items() for value in values}
        labels |= {(name, path): FacetValue(path, title, 0) for name in NAMED_FILTERS for path, title in names.items()}
        request = address.request
        marked = request.filters.get("id", ())
        labels |= {("id", value): FacetValue(value, "", len(marked)) for value in marked}
        return [
            {
                "facet": self._language.text(_FACET_NAMES[name]),
                "label": self.label(name, labels.get((name, value), FacetValue(value, "", 0))),
                "href": address.without(name) if name == "id" else address.without_filter(name, value),
                "page": self._addresses.page(value) if (name, value) in labels and name in _WITH_PAGES else "",
                "is_excluded": is_excluded,
            }
            for is_excluded, filters in ((False, request.filters), (True, request.excluded))
            for name in FILTERS
            for value in filters.get(name, ())[: 1 if name == "id" else None]
        ]

    def _last_page(self, address: Address, found: SearchResult) -> int:
        """Return the number of the last page of the results, as far as it is known."""
        request = address.request
        if not found.has_next:
            return request.page
        results = min(found.total if found.works is None else found.works, MAX_LISTED)
        return max(request.page + 1, -(-results // request.per_page) if not found.is_estimate else 0)

    def timeline(self, address: Address, found: SearchResult) -> Picture | None:
        """Draw the publications that a search found by year; None if there are few years."""
        years = found.facets.get("year", ())
        if len(years) < 2:
            return None
        language = self._language

        def tip(name: str, count: int) -> str:
            publications = language.plural("%(num)s publication", "%(num)s publications", count)
            return f"{name}: {publications}"

        def href(first: int, last: int) -> str:
            return address.only("year", str(first) if first == last else f"{first}-{last}")

        caption = Caption(
            "years",
            language.text("Years of publication"),
            language.text("Publications that were found, by year"),
            (language.text("Year"), language.text("Publications")),
        )
        counts = [(int(value.value), (value.count,)) for value in years]
        return draw_years(caption, counts, Words(tip, href))


PageLinks = list[tuple[int, str]]
"""Numbers of pages with their addresses; 0 stands for those that are left out, the current one has no address."""


def page_links(page: int, last: int, href: Callable[[int], str]) -> PageLinks:
    """Return the first page, those around the current one and the last; nothing if there is one page."""
    around = range(max(1, page - _PAGES_AROUND), min(last, page + _PAGES_AROUND) + 1)
    shown = sorted({1, *around, last})
    links: PageLinks = []
    for before, number in zip([0, *shown], shown, strict=False):
        links += [(0, "")] if number > before + 1 else []
        links.append((number, "" if number == page else href(number)))
    return links if last > 1 else []


def class_label(scheme: str, mark: str, language: PageLanguage) -> str:
    """Return the name of a classification, a mark in it and its caption: ``UDC 82 Literature``."""
    words = (language.text(codes.SCHEMES[scheme]), mark, caption(scheme, mark, language.tag))
    return " ".join(filter(None, words))


def years_in_words(years: str, language: PageLanguage) -> str:
    """Return the words for a filter of years: ``1940-1949``, ``-1939``, ``2010-``; others are returned as they are."""
    first, dash, last = years.partition("-")
    if not (dash and f"{first}{last}".isdecimal()):
        return years
    if not first:
        return language.text("before %(year)s", year=int(last) + 1)
    return f"{first}–{last}" if last else language.text("from %(year)s on", year=first)


def _hidden(address: Address) -> list[tuple[str, str]]:
    """Return the filters as fields of a form."""
    request = address.request
    pairs = filter_pairs(request)
    pairs += [] if request.sort == SORTS[0] else [("sort", request.sort)]
    return pairs if request.is_folded else [*pairs, ("fold", "0")]


def _imprint(hit: StoredPublication) -> str:
    """Return place, publisher and year as they are printed, with the year if it is not among them."""
    if hit.year and hit.imprint and hit.year not in hit.imprint:
        return f"{hit.imprint}, {hit.year}"
    return hit.imprint or hit.year
