"""Results of a search as JSON, CSV, RDF, and the SPARQL query that finds them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from bibld.model.rdf import iri, literal, quad, term
from bibld.search import (
    EXCLUDABLE,
    FacetValue,
    SearchRequest,
    SearchResult,
    StoredPublication,
    record_id,
    results_of,
)
from bibld.serve._search.addresses import Address
from bibld.serve._statements import HYDRA

_NOT_SPELLINGS = ("without", "beginning")
"""Kinds of corrections whose text is not another spelling."""

Label = Callable[[str, FacetValue], str]
_XSD = "http://www.w3.org/2001/XMLSchema#"
_FORMULA = re.compile(r"""(?:^|(?<=[;\t\r\n]))(?=[\s"]{0,9}[=+\-@])|^(?=[\t\r])""")
"""Where a spreadsheet may see the beginning of a formula: some begin a cell at a semicolon or tab, even in quotes."""

COLUMNS = (
    "iri",
    "title",
    "statement",
    "imprint",
    "year",
    "type",
    "language",
    "agents",
    "records",
    "libraries",
    "isbn",
    "work",
    "top_work",
)


def to_json(address: Address, found: SearchResult, base: str, sparql: str, label: Label) -> bytes:
    """Return results and facets; addresses of further searches are paths of the server."""
    request = address.request
    corrected = found.correction
    document = {
        "query": request.text,
        "understood": found.understood,
        "total": found.total,
        "works": found.works,
        "about": found.is_estimate,
        "page": request.page,
        "per_page": request.per_page,
        "results": results_of(found, base),
        "facets": {
            name: [
                {
                    "value": value.value,
                    "label": label(name, value),
                    "count": value.count,
                    "url": address.with_filter(name, value.value),
                    "exclude": address.with_excluded(name, value.value) if name in EXCLUDABLE else None,
                }
                for value in values
            ]
            for name, values in found.facets.items()
        },
        "did_you_mean": corrected.text if corrected is not None and corrected.kind not in _NOT_SPELLINGS else None,
        "correction": msgspec.to_builtins(corrected),
        "too_broad": False,
        "cut": found.is_cut,
        "wrong_check_digit": found.wrong_check_digit,
        "missing_number": found.missing_number or None,
        "sparql": sparql,
        "next": address.with_page(request.page + 1) if found.has_next else None,
        "previous": address.with_page(request.page - 1) if request.page > 1 else None,
    }
    return msgspec.json.encode(document)


def to_csv(hits: Iterable[StoredPublication], base: str, columns: Iterable[str] = COLUMNS) -> bytes:
    """Return results as a table with one line of headings; lists are separated by semicolons."""
    chosen = [column for column in dict.fromkeys(columns) if column in COLUMNS] or list(COLUMNS)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(chosen)
    for hit in hits:
        row = {
            "iri": base + hit.path,
            "title": hit.title,
            "statement": hit.statement,
            "imprint": hit.imprint,
            "year": hit.year,
            "type": hit.type,
            "language": "; ".join(hit.languages),
            "agents": "; ".join(agent.name for agent in hit.agents),
            "records": "; ".join(map(record_id, hit.records)),
            "libraries": "; ".join(hit.libraries),
            "isbn": "; ".join(hit.isbns),
            "work": base + hit.work if hit.work else "",
            "top_work": base + hit.top_work if hit.top_work else "",
        }
        writer.writerow([_cell(row[column]) for column in chosen])
    return file.getvalue().encode()


def _cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return _FORMULA.sub("'", text)


def to_lines(hits: Sequence[StoredPublication], total: int, here: str, base: str) -> bytes:
    """Return results as lines of N-Quads: a collection of Hydra with what a list shows of each.

    ``here`` is the IRI of the search. Statements with one subject and predicate follow each other.
    """
    own = iri(here)
    lines = [
        quad(own, term("rdf:type"), iri(f"{HYDRA}Collection")),
        quad(own, iri(f"{HYDRA}totalItems"), literal(str(total), datatype=f"{_XSD}integer")),
    ]
    lines += [quad(own, iri(f"{HYDRA}member"), iri(base + hit.path)) for hit in hits]
    for hit in hits:
        member = iri(base + hit.path)
        lines.append(quad(member, term("rdfs:label"), literal(hit.title)))
        if hit.year.isdecimal():
            lines.append(quad(member, term("dcterms:issued"), literal(hit.year, datatype=f"{_XSD}gYear")))
        if hit.work:
            lines.append(quad(member, term("bf:instanceOf"), iri(base + hit.work)))
        lines += [quad(member, term("dcterms:contributor"), iri(base + agent.path)) for agent in hit.agents]
        lines += [quad(member, term("prov:wasDerivedFrom"), iri(f"{base}record/{record}")) for record in hit.records]
    names = {agent.path: agent.name for hit in hits for agent in hit.agents}
    lines += [quad(iri(base + path), term("rdfs:label"), literal(name)) for path, name in names.items()]
    return "".join(dict.fromkeys(lines)).encode()


MAX_STATED = 100
"""Publications that a query states by their IRIs."""

_PREFIXES = {
    "bf": "http://id.loc.gov/ontologies/bibframe/",
    "bibo": "http://purl.org/ontology/bibo/",
    "dcterms": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "void": "http://rdfs.org/ns/void#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_PATHS = {
    "author": "dcterms:creator|dcterms:contributor",
    "subject": "dcterms:subject|dcterms:spatial",
    "publisher": "dcterms:publisher|(bf:provisionActivity/bf:agent)",
    "series": "dcterms:isPartOf",
    "place": "bf:provisionActivity/bf:place",
    "work": "bf:instanceOf/(bf:translationOf|bf:partOf)*",
}
_CLASSES = {
    "book": "bibo:Book",
    "multivolume": "bibo:MultiVolumeBook",
    "periodical": "bibo:Periodical bibo:Series",
    "article": "bibo:Article",
    "thesis": "bibo:Thesis",
    "music": "schema:SheetMusic",
    "audio": "bibo:AudioDocument",
    "video": "bibo:AudioVisualDocument",
    "map": "bibo:Map",
    "image": "bibo:Image",
    "manuscript": "bibo:Manuscript",
    "collection": "bibo:Collection",
}
_IF = {"true": "EXISTS", "false": "NOT EXISTS"}
_LANGUAGES = "http://id.loc.gov/vocabulary/iso639-2/"


def to_sparql(request: SearchRequest, found: SearchResult, base: str) -> str:
    """Return a query for the publications of a search.

    What SPARQL cannot express (word forms, scripts) is replaced by a list of the publications, if these are all; else
    by words that the title has to contain, which a comment in the query states.
    """
    lines = ["?publication a bf:Instance ; rdfs:label ?label ."]
    if request.text.strip():
        lines = [*_of_text(request, found, base), *lines]
    for name, values in request.filters.items():
        lines += _of_filter(name, values, base)
    for name, values in request.excluded.items():
        patterns = _of_filter(name, values, base, "Excluded")
        is_known = not all(line.startswith("#") for line in patterns)
        lines += ["FILTER NOT EXISTS {", *(f"  {line}" for line in patterns), "}"] if is_known else patterns
    text = "\n".join(f"  {line}" for line in lines)
    used = "".join(f"PREFIX {name}: <{position}>\n" for name, position in _PREFIXES.items() if f"{name}:" in text)
    return (
        f"{used}SELECT ?publication (SAMPLE(?label) AS ?title) WHERE {{\n{text}\n}}\nGROUP BY ?publication\nLIMIT 1000"
    )


def _of_text(request: SearchRequest, found: SearchResult, base: str) -> list[str]:
    shown = " ".join(request.text.split())[:200]
    if found.total <= min(MAX_STATED, len(found.paths)):
        listed = " ".join(iri(base + path) for path in found.paths)
        return [
            f"# The publications that the search for {literal(shown)} found; SPARQL has no word forms.",
            f"VALUES ?publication {{ {listed} }}",
        ]
    words = found.understood.get("words")
    words = [str(word) for word in words] if isinstance(words, list) else []
    filters = [f"FILTER(CONTAINS(LCASE(STR(?label)), {literal(word)}))" for word in words]
    return [
        f"# The search for {literal(shown)} also finds word forms, other scripts, names and subjects.",
        "# This query finds only titles that contain the words as they are.",
        *filters,
    ]


def _of_filter(name: str, values: Sequence[str], base: str, ending: str = "") -> list[str]:
    """Return the patterns for some values of a facet; ``ending`` is that of the names of their variables."""
    if name in _PATHS:
        return [
            f"VALUES ?{name}{ending} {{ {' '.join(iri(base + value) for value in values)} }}",
            f"?publication {_PATHS[name]} ?{name}{ending} .",
        ]
    if name == "id":
        return [f"VALUES ?publication {{ {' '.join(iri(f'{base}resource/{value}') for value in values)} }}"]
    if name == "online" and len(values) == 1 and values[0] in _IF:
        return [f"FILTER({_IF[values[0]]} {{ ?publication bf:electronicLocator ?address }})"]
    if name == "library":
        libraries = " ".join(iri(f"{base}dataset/{value}") for value in values)
        return [
            f"VALUES ?library{ending} {{ {libraries} }}",
            f"?publication prov:wasDerivedFrom ?record{ending} . ?record{ending} void:inDataset ?library{ending} .",
        ]
    if name == "language":
        languages = " ".join(iri(_LANGUAGES + value) for value in values)
        return [
            f"VALUES ?language{ending} {{ {languages} }}",
            f"?publication dcterms:language ?language{ending} .",
        ]
    if name == "type":
        return _of_types(values, ending)
    if name == "year":
        return _of_years(values)
    if name == "merged" and len(values) == 1 and values[0] in _IF:
        return [f"FILTER({_IF[values[0]]} {{ ?publication a {iri(base + 'ontology#MergedResource')} }})"]
    return [f"# The filter {name} has no pattern in SPARQL: the query finds more than the search."]


def _of_types(values: Sequence[str], ending: str) -> list[str]:
    classes = [_CLASSES[value] for value in values if value in _CLASSES]
    if not classes:
        return ["# Publications of no listed class have no pattern in SPARQL: the query finds more than the search."]
    lines = [f"VALUES ?class{ending} {{ {' '.join(classes)} }}", f"?publication a ?class{ending} ."]
    if "book" in values and "multivolume" not in values:
        lines.append("FILTER NOT EXISTS { ?publication a bibo:MultiVolumeBook }")
    return lines


def _of_years(values: Sequence[str]) -> list[str]:
    ranges = []
    for value in values:
        first, dash, last = value.partition("-")
        year = 'xsd:integer(SUBSTR(REPLACE(REPLACE(STR(?issued), "X", "0"), "^[^0-9]*", ""), 1, 4))'
        bounds = [f"{year} >= {int(first)}"] if first.strip().isdecimal() else []
        end = last if dash else first
        bounds += [f"{year} <= {int(end)}"] if end.strip().isdecimal() else []
        if bounds:
            ranges.append(" && ".join(bounds))
    if not ranges:
        return []
    return ["?publication dcterms:issued ?issued .", f"FILTER({' || '.join(f'({each})' for each in ranges)})"]
