"""A search as a SPARQL query over the same data."""

from __future__ import annotations

from collections.abc import Sequence

from bibld.model.rdf import iri, literal
from bibld.search import SearchRequest, SearchResult

_MOST_LISTED = 200
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
}
_CLASSES = {
    "book": "bibo:Book",
    "multivolume": "bibo:MultiVolumeBook",
    "periodical": "bibo:Periodical",
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
_LANGUAGES = "http://id.loc.gov/vocabulary/iso639-2/"


def to_sparql(asked: SearchRequest, found: SearchResult, base: str) -> str:
    """Return a query for the publications of a search.

    What SPARQL cannot express (word forms, scripts) is replaced by a list of the publications, if these are all; else
    by words that the title has to contain, which a comment in the query states.
    """
    lines = ["?publication a bf:Instance ; rdfs:label ?label ."]
    if asked.text.strip():
        lines = [*_of_text(asked, found, base), *lines]
    for name, values in asked.filters.items():
        lines += _of_filter(name, values, base)
    for name, values in asked.excluded.items():
        patterns = _of_filter(name, values, base, "Excluded")
        is_known = not all(line.startswith("#") for line in patterns)
        lines += ["FILTER NOT EXISTS {", *(f"  {line}" for line in patterns), "}"] if is_known else patterns
    text = "\n".join(f"  {line}" for line in lines)
    used = "".join(f"PREFIX {name}: <{place}>\n" for name, place in _PREFIXES.items() if f"{name}:" in text)
    return (
        f"{used}SELECT ?publication (SAMPLE(?label) AS ?title) WHERE {{\n{text}\n}}\nGROUP BY ?publication\nLIMIT 1000"
    )


def _of_text(asked: SearchRequest, found: SearchResult, base: str) -> list[str]:
    shown = " ".join(asked.text.split())[:200]
    if found.total <= min(_MOST_LISTED, len(found.hits)):
        listed = " ".join(iri(base + hit.path) for hit in found.hits)
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
    if name == "merged" and len(values) == 1:
        stated = "EXISTS" if values[0] == "true" else "NOT EXISTS"
        return [f"FILTER({stated} {{ ?publication a {iri(base + 'ontology#MergedResource')} }})"]
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
        year = "xsd:integer(SUBSTR(STR(?issued), 1, 4))"
        bounds = [f"{year} >= {int(first)}"] if first.strip().isdecimal() else []
        end = last if dash else first
        bounds += [f"{year} <= {int(end)}"] if end.strip().isdecimal() else []
        if bounds:
            ranges.append(" && ".join(bounds))
    if not ranges:
        return []
    return ["?publication dcterms:issued ?issued .", f"FILTER({' || '.join(f'({each})' for each in ranges)})"]
