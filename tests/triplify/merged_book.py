"""A merged book of two libraries, and a reader of the quads about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pyoxigraph as ox
import rdflib

from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Edge, Feature, Merged, Pair, Score, ValueSource, Verdict
from bibld.model.mods import (
    Classification,
    Date,
    Extent,
    Form,
    Genre,
    Geographic,
    Identifier,
    Language,
    LanguageTerm,
    Location,
    Mods,
    Name,
    NameIdentifier,
    NamePart,
    Note,
    OriginInfo,
    PhysicalDescription,
    PhysicalLocation,
    Place,
    PlaceTerm,
    Publisher,
    RecordIdentifier,
    RecordInfo,
    RelatedItem,
    Role,
    RoleTerm,
    Subject,
    TitleInfo,
    Topic,
    TypeOfResource,
    Url,
)
from bibld.model.origin import RecordId
from bibld.triplify import cluster_statements, entity_statements

BASE = "https://data.example.org/"
IRIS = Iris(BASE)
NLR = RecordId("nlr", "RU\\NLR\\bibl\\538692")
LOC = RecordId("loc", "ocm00035782")
RESOURCE = IRIS.resource(NLR)
WORK = IRIS.work_of(NLR)

PREFIXES = {**rdf.PREFIXES, "bibld": f"{BASE}ontology#"}


def code(value: str) -> tuple[Role, ...]:
    return (Role(role_term=(RoleTerm(value, type="code", authority="marcrelator"),)),)


def person(heading: str, dates: str | None = None, **more) -> Name:
    parts = [NamePart(heading)] + ([NamePart(dates, type="date")] if dates else [])
    return Name(name_part=tuple(parts), type="personal", **more)


TOLSTOY = person(
    "Толстой, Лев Николаевич",
    "1828-1910",
    usage="primary",
    role=code("aut"),
    alt_rep_group="01",
    name_identifier=(NameIdentifier("RU\\NLR\\auth\\77626676", type="local"),),
)
TOLSTOY_ROMANISED = person(
    "Tolstoĭ, Lev Nikolaevich,",
    "1828-1910.",
    usage="primary",
    script="Latn",
    alt_rep_group="01",
    value_uri="http://id.loc.gov/authorities/names/n79068416",
)

MODS = Mods(
    title_info=(
        TitleInfo("Анна Каренина", sub_title=("роман",)),
        TitleInfo("Anna Karenina", sub_title=("roman",), script="Latn", alt_rep_group="02"),
        TitleInfo("Каренина", type="alternative"),
    ),
    name=(TOLSTOY, TOLSTOY_ROMANISED, person("Жданов, В. А.", "1898-1971", role=code("edt"))),
    type_of_resource=(TypeOfResource("text"),),
    origin_info=(
        OriginInfo(
            place=(
                Place((PlaceTerm("М.", type="text"),)),
                Place((PlaceTerm("ru", type="code", authority="marccountry"),)),
            ),
            publisher=(Publisher("Наука"),),
            date_issued=(Date("1970", encoding="marc"), Date("1970")),
            issuance=("monographic",),
        ),
    ),
    language=(Language((LanguageTerm("rus", type="code", authority="iso639-2b"),)),),
    physical_description=(
        PhysicalDescription(extent=(Extent("911 с. ; 22 см"),), form=(Form("print", authority="marcform"),)),
    ),
    note=(Note("Л.Н. Толстой", type="statement of responsibility"), Note("Includes index.", type="bibliography")),
    subject=(
        Subject((Topic("Adultery"), Genre("Fiction")), authority="lcsh"),
        Subject((Geographic("Russia"),), authority="lcsh"),
        Subject((person("Толстой, Лев Николаевич", "1828-1910"),)),
    ),
    classification=(Classification("Ш5(2=Р)1", authority="rubbk"), Classification("PG3365.A6", authority="lcc")),
    location=(
        Location(
            physical_location=(PhysicalLocation("NLR"),),
            shelf_locator=("70-4/7287",),
            url=(Url("https://example.org/anna"), Url("javascript:alert(1)")),
        ),
    ),
    related_item=(
        RelatedItem(type="series", mods=Mods(title_info=(TitleInfo("Литературные памятники", part_number=("т. 5",)),))),
        RelatedItem(
            type="host",
            other_type="set",
            mods=Mods(
                title_info=(TitleInfo("Собрание сочинений"),),
                record_info=(RecordInfo(record_identifier=(RecordIdentifier("RU\\NLR\\bibl\\1"),)),),
            ),
        ),
        RelatedItem(type="original", mods=Mods(title_info=(TitleInfo("Anna"),))),
    ),
    identifier=(
        Identifier("5-7107-6512-0", type="isbn"),
        Identifier("5-7107-6512-1", type="isbn"),
        Identifier("35782", type="oclc"),
    ),
    record_info=(
        RecordInfo(
            record_identifier=(RecordIdentifier(NLR.control_number),),
            record_creation_date=(Date("19981104"),),
            record_change_date=(Date("19981104172914.0"),),
        ),
        RecordInfo(
            record_identifier=(RecordIdentifier(LOC.control_number),),
            record_creation_date=(Date("821015", encoding="marc"),),
        ),
    ),
)

MERGED = Merged(
    Cluster(NLR, (NLR, LOC)),
    MODS,
    (
        ValueSource("title_info/0", (LOC, NLR)),
        ValueSource("title_info/1", (LOC,)),
        ValueSource("name/0", (LOC, NLR)),
        ValueSource("name/1", (LOC,)),
        ValueSource("origin_info/0/date_issued#1", (LOC,), "1969"),
        ValueSource("related_item/1", (NLR,)),
        ValueSource("record_info/0", (NLR,)),
        ValueSource("record_info/1", (LOC,)),
    ),
)

EDGE = Edge(
    Pair.from_records(NLR, LOC),
    Score(0.97, (Feature("title", 1.0), Feature("author", 0.94)), ("isbn13",), "model 1f3a9c04"),
    Verdict("same", "model", ("The titles are the same.",)),
    "made by a test",
)


def alone(mods: Mods, record: RecordId = NLR) -> Merged:
    """The description of a cluster of one record."""
    return Merged(Cluster(record, (record,)), mods, ())


def describe(description: Mods | Merged, edges: Sequence[Edge] = (), **more) -> Quads:
    """The quads about a publication, its work, and all other entities that it names; ``more`` are further options."""
    merged = alone(description) if isinstance(description, Mods) else description
    made = cluster_statements(merged, edges, IRIS, **more)
    lines = list(made.quads)
    for entity in sorted({claim.entity for claim in made.claims}):
        lines += entity_statements(entity, made.claims, IRIS)
    return Quads(lines)


def expand(term: str) -> ox.NamedNode:
    prefix, _, local = term.partition(":")
    return ox.NamedNode(PREFIXES[prefix] + local if prefix in PREFIXES else term)


class Quads:
    """Lines of N-Quads, and the values of their subjects."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        self.quads = list(ox.parse("".join(self.lines), ox.RdfFormat.N_QUADS))

    def values(self, predicate: str, subject: str = RESOURCE) -> list[str]:
        """The texts or IRIs that a predicate leads to, with language or datatype where they have one.

        ``:`` is short for the base, in IRIs that are returned and at the beginning of ``subject``.
        """
        of_subject = ox.NamedNode(re.sub("^:", BASE, subject))
        found = [
            quad.object for quad in self.quads if quad.subject == of_subject and quad.predicate == expand(predicate)
        ]
        return sorted(_written(value) for value in found)

    def subjects(self) -> set[str]:
        return {quad.subject.value for quad in self.quads}

    def contributions(self) -> list[str]:
        """The IRIs of the contributions to the work, then of those to the publication."""
        return [*self.values("bf:contribution", WORK), *self.values("bf:contribution")]

    def creators(self, work: str) -> list[str]:
        """The IRIs of the agents who contributed to a work."""
        nodes = self.values("bf:contribution", work)
        return sorted(agent for node in nodes for agent in self.values("bf:agent", node))

    def agents(self) -> list[str]:
        """The IRIs of the agents that are described."""
        return sorted(one for one in self.subjects() if one.startswith(f"{BASE}agent/") and "#" not in one)

    def graphs(self, predicate: str) -> set[str]:
        return {str(quad.graph_name) for quad in self.quads if quad.predicate == expand(predicate)}


def _written(value) -> str:
    if isinstance(value, ox.NamedNode):
        return re.sub(f"^{re.escape(BASE)}", ":", value.value)
    if value.language:
        return f"{value.value}@{value.language.lower()}"
    short = value.datatype.value.removeprefix(PREFIXES["xsd"])
    return value.value if short == "string" else f"{value.value}^{short}"


def rdflib_quads(lines: Iterable[str]) -> set[tuple[str, ...]]:
    """The quads as rdflib reads them, as N-Triples terms."""
    normalise, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
    try:
        dataset = rdflib.Dataset()
        dataset.parse(data="".join(lines), format="nquads")
        return {
            (*map(_folded, (subject, predicate, value)), str(graph or "").removeprefix("urn:x-rdflib:default"))
            for subject, predicate, value, graph in dataset.quads()
        }
    finally:
        rdflib.NORMALIZE_LITERALS = normalise


def oxigraph_quads(lines: Iterable[str]) -> set[tuple[str, ...]]:
    """The quads as Oxigraph reads them, written in the same way."""
    return {
        (
            *map(_folded, (quad.subject, quad.predicate, quad.object)),
            "" if isinstance(quad.graph_name, ox.DefaultGraph) else quad.graph_name.value,
        )
        for quad in ox.parse("".join(lines), ox.RdfFormat.N_QUADS)
    }


def _folded(term) -> tuple[str, ...]:
    """A term as kind, text, language and datatype; both parsers fold the case of language tags in their own way."""
    if isinstance(term, ox.NamedNode | rdflib.URIRef):
        return "iri", str(getattr(term, "value", term))
    if isinstance(term, ox.Literal):
        return "literal", term.value, (term.language or "").lower(), "" if term.language else term.datatype.value
    if isinstance(term, rdflib.Literal):
        datatype = "" if term.language else str(term.datatype or PREFIXES["xsd"] + "string")
        return "literal", str(term), (term.language or "").lower(), datatype
    raise AssertionError(f"{term!r} is neither IRI nor literal")
