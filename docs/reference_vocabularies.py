"""The parts of the documentation about the ontology and the triples of MODS; see ``generate.py``."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyoxigraph
from lxml import etree
from reference_tables import table

from bibld import triplify
from bibld.config import load as load_config
from bibld.model.iris import Iris
from bibld.model.mods import Mods
from bibld.model.mods_plan import xml_name
from bibld.model.mods_xml import read_element
from bibld.model.rdf import expand
from bibld.serve.ontology import Ontology, OntologyTerm, best_text, ontology_text

DOCS = Path(__file__).parent
_BASE = "https://data.example.org/"
_LONGEST_EXAMPLE = 220

_ATTRIBUTES_TRIED = {
    "lang": "fre",
    "xml_lang": "fr",
    "script": "Latn",
    "transliteration": "ala-lc",
    "alt_rep_group": "1",
    "display_label": "label",
    "usage": "primary",
    "authority": "lcsh",
    "authority_uri": "http://id.loc.gov/authorities/subjects",
    "value_uri": "http://id.loc.gov/authorities/subjects/sh85000001",
}


@cache
def specimens() -> tuple[Mods, ...]:
    """Return descriptions that have every element of MODS."""
    root = etree.parse(DOCS / "specimens.xml").getroot()
    return tuple(read_element(element)[0] for element in root if isinstance(element.tag, str))


@cache
def triples_of_mods() -> tuple[triplify.ElementCoverage, ...]:
    """Return what each element and attribute of the specimens makes."""
    return tuple(triplify.mods_coverage(specimens()))


def triples_coverage() -> str:
    """Return how many elements and attributes of each top-level element make triples."""
    rows = []
    for top in (*map(xml_name, Mods.elements), "all"):
        below = [row for row in triples_of_mods() if top in ("all", re.split("[/@]", row.name)[0])]
        counts = []
        for wants_attribute in (False, True):
            names = [row for row in below if ("@" in row.name) == wants_attribute]
            counts.append(f"{sum(1 for row in names if row.published)} of {len(names)}")
        rows.append((top, *counts))
    return table(("element", "elements that make triples", "attributes"), rows)


def triples() -> str:
    """Return the triples of each element and attribute that makes some."""
    rows = [(f"`{row.name}`", _triples(row.triples)) for row in triples_of_mods() if row.published]
    return table(("MODS", "triples"), rows)


def _triples(patterns: Sequence[str]) -> str:
    """Return patterns of triples, those of one entity together."""
    groups: dict[str, list[str]] = {}
    for pattern in patterns:
        about, _, own = pattern.rpartition(": ")
        groups.setdefault(about, []).append(own if own == triplify.LANGUAGE_TAGS else f"`{own}`")
    return "; ".join(f"{about + ': ' if about else ''}{', '.join(own)}" for about, own in groups.items())


def triples_attributes() -> str:
    """Return for each general attribute the elements on which it makes a difference."""
    found = triplify.effective_attributes(specimens(), _ATTRIBUTES_TRIED)
    stated = {row.name for row in triples_of_mods() if row.published}
    rows = []
    for field, names in found.items():
        name = {"xml_lang": "xml:lang"}.get(field) or xml_name(field)
        elements = sorted({*names, *(each.rpartition("/@")[0] for each in stated if each.endswith(f"/@{name}"))})
        rows.append((f"`@{name}`", ", ".join(f"`{each}`" for each in elements) or "none"))
    return table(("attribute", "elements"), rows)


def triples_none() -> str:
    """Return the elements and attributes that make no triple, by reason."""
    by_reason: dict[str, list[str]] = {}
    for row in triples_of_mods():
        if not row.published:
            by_reason.setdefault(row.reason, []).append(f"`{row.name}`")
    return table(("why", "MODS"), [(reason, ", ".join(names)) for reason, names in by_reason.items()])


_EXAMPLES = DOCS / "examples.nt"
_REFERENCE_WORDS = {
    "en": {
        "class": "class",
        "object property": "property with IRIs",
        "datatype property": "property with literals",
        "annotation property": "property of names",
        "domain": "domain",
        "range": "range",
        "above": "kind of",
        "below": "includes",
        "equivalent": "equivalent to",
        "inverse": "inverse of",
        "disjoint": "disjoint with",
        "close": "close to",
        "example": "example",
        "header": "term kind label related example",
        "shape": "severity property condition",
        "Violation": "always",
        "Warning": "where records allow it",
        "Info": "for information",
    },
    "ru": {
        "class": "класс",
        "object property": "свойство, значение имеет IRI",
        "datatype property": "свойство, значение литерал",
        "annotation property": "свойство-наименование",
        "domain": "область определения",
        "range": "область значений",
        "above": "вид чего",
        "below": "включает",
        "equivalent": "равнозначно",
        "inverse": "обратное к",
        "disjoint": "не пересекается с",
        "close": "близко к",
        "example": "пример",
        "header": "термин вид наименование связи пример",
        "shape": "строгость свойство условие",
        "Violation": "всегда",
        "Warning": "где позволяют записи",
        "Info": "для сведения",
    },
}


@cache
def ontologies() -> Ontology:
    """Return all ontologies under the base of the documentation."""
    names = ("bibld.ttl", "terms.ttl", "alignment.ttl")
    return Ontology.from_turtle(*(ontology_text(name, Iris(_BASE)) for name in names))


@cache
def examples() -> dict[str, str]:
    """Return for each term a statement of the sample, in compact form."""
    found: dict[str, str] = {}
    for quad in pyoxigraph.parse(_EXAMPLES.read_bytes(), format=pyoxigraph.RdfFormat.N_TRIPLES):
        is_class = quad.predicate.value == expand("rdf:type")
        term = quad.object.value if is_class else quad.predicate.value
        found[term] = " ".join(map(_short, (quad.subject, quad.predicate, quad.object)))
    return found


def _short(node: Any) -> str:  # noqa: ANN401
    if isinstance(node, pyoxigraph.NamedNode):
        compact = ontologies().compact(node.value)
        return compact if compact != node.value else f"<{node.value.removeprefix(_BASE)}>"
    return str(node)


def _is_own(iri: str) -> bool:
    return iri.startswith(f"{Iris(_BASE).ontology}#")


def _relations(term: OntologyTerm, words: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the word of each relation, and the terms that it leads to."""
    for name, values in term.relations.items():
        yield words[name], ", ".join(f"`{ontologies().compact(value)}`" for value in values)


def own_terms(language: str) -> str:
    """Return the terms of bibld's ontology in a language."""
    words = _REFERENCE_WORDS[language]
    sections = []
    for term in ontologies().terms(_is_own):
        lines = [f"- {word}: {text}" for word, text in _relations(term, words)]
        if term.iri in examples():
            lines.append(f"- {words['example']}: `{examples()[term.iri]}`")
        head = f"**{best_text(term.labels, language)}** ({words[term.kind]}). {best_text(term.definitions, language)}"
        sections += [f"### {term.name}", head, "\n".join(lines)]
    return "\n\n".join(section for section in sections if section)


def other_terms(language: str) -> str:
    """Return the terms of other vocabularies in the data in a language, with their relations and an example."""
    words = _REFERENCE_WORDS[language]
    declared = Ontology.from_turtle(ontology_text("terms.ttl", Iris(_BASE)))
    used = {term.iri for term in declared.terms()}
    rows = []
    for term in ontologies().terms(lambda iri: iri in used and not _is_own(iri)):
        related = "; ".join(f"{word} {text}" for word, text in _relations(term, words))
        example = f"`{examples()[term.iri]}`" if term.iri in examples() else ""
        rows.append((f"`{term.name}`", words[term.kind], best_text(term.labels, language), related, example))
    return table(words["header"].split(), sorted(rows))


def shape_conditions(language: str) -> str:
    """Return the shapes and their conditions in a language."""
    words = _REFERENCE_WORDS[language]
    shapes = Ontology.from_turtle(ontology_text("shapes.ttl", Iris(_BASE)))
    sections = []
    for shape in shapes.shapes():
        targets = ", ".join(f"`{shapes.compact(target)}`" for target in shape.targets)
        rows = [
            (words[one.severity], f"`{one.path}`" if one.path else "", best_text(one.messages, language))
            for one in shape.conditions
        ]
        sections += [f"### {best_text(shape.labels, language)}", targets, table(words["shape"].split(), rows)]
    return "\n\n".join(sections)


def write_examples(dump: Path) -> None:
    """Write a statement of a dump of the sample for each term, the first in the order of the lines."""
    known = {term.iri for term in ontologies().terms()}
    base = load_config(DOCS.parent / "sample_data" / "bibld.toml").dataset.base
    found: dict[str, str] = {}
    for line in sorted(gzip.decompress(dump.read_bytes()).decode().replace(base, _BASE).splitlines()):
        (quad,) = pyoxigraph.parse(line.encode(), format=pyoxigraph.RdfFormat.N_QUADS)
        is_class = quad.predicate.value == expand("rdf:type")
        term = quad.object.value if is_class else quad.predicate.value
        if term in known and len(line) <= _LONGEST_EXAMPLE:
            found.setdefault(term, f"{quad.triple} .\n")
    _EXAMPLES.write_text("".join(found[term] for term in sorted(found)), encoding="utf-8")
    examples.cache_clear()
