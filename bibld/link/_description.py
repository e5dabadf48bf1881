"""The descriptions of link sets (VoID, in the graph of their links) and of single links (in that of provenance)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bibld.catalog import RegisteredFile
from bibld.link._values import Match
from bibld.model.iris import Iris, dataset_of_authority
from bibld.model.rdf import decimal_literal, iri, literal, quad, term, typed_literal

METHOD = (
    "Candidates share a romanised name, a family name with initial or year of life, a heading, a class mark or the"
    " number of another authority file; the confidence of each comes from names, years, titles of works and the rarity"
    " of the name."
)


def describe_link(link_set: str, entity: str, match: Match, iris: Iris) -> Iterator[str]:
    """Yield the lines that state how probable a link from an entity (its IRI) is, and why.

    The link has a hash IRI of the entity, which has one link at most to each authority.
    """
    node, graph = iri(f"{entity}#link-{link_set}"), iri(iris.graph("provenance"))
    yield quad(iri(entity), iri(iris.term("link")), node, graph)
    yield quad(node, term("rdf:type"), iri(iris.term("Link")), graph)
    yield quad(node, iri(iris.term("target")), iri(match.record.iri), graph)
    yield quad(node, iri(iris.term("confidence")), decimal_literal(match.confidence), graph)
    for reason in match.evidence:
        yield quad(node, iri(iris.term("reason")), literal(reason), graph)


def describe_link_sets(
    counts: Iterable[tuple[str, str, str, int]], files: Mapping[str, Sequence[RegisteredFile]], iris: Iris
) -> dict[str, str]:
    """Return the lines that describe the link sets, by name; a link set has a part for each of its predicates.

    Only links that linking found are counted: the graph also contains those that records state. ``counts`` are the
    numbers of links (link set, predicate, status, number), ``files`` the authority files of each link set.
    """
    accepted: dict[str, dict[str, int]] = {}
    for name, predicate, status, number in counts:
        if status == "accepted":
            accepted.setdefault(name, {})[predicate] = number
    return {name: _describe(name, numbers, files.get(name, ()), iris) for name, numbers in sorted(accepted.items())}


def _describe(name: str, numbers: dict[str, int], files: Sequence[RegisteredFile], iris: Iris) -> str:
    dataset, graph = iri(iris.dataset), iri(iris.graph(f"links-{name}"))
    target = iri(dataset_of_authority(name, iris))
    method = [METHOD]
    method += [f"Links found in {file.name} have a confidence of at least {file.threshold:g}." for file in files]
    lines = []
    for predicate, number in sorted(numbers.items()):
        subject = iri(f"{iris.dataset}#links-{name}-found-{predicate.partition(':')[2]}")
        statements = [
            ("rdf:type", term("void:Linkset")),
            ("dcterms:title", literal(f"Links to {name} that were found by comparing names, years and works", "en")),
            ("void:linkPredicate", term(predicate)),
            ("void:subjectsTarget", dataset),
            ("void:objectsTarget", target),
            ("void:triples", typed_literal(str(number), "integer")),
            ("dcterms:description", literal(" ".join(method), "en")),
        ]
        for file in files:
            text = f"{file.path.rpartition('/')[2]}, {file.records} records, linked at {file.linked_at}"
            statements.append(("dcterms:source", literal(text)))
        if files:
            created = max(file.linked_at for file in files)
            statements.append(("dcterms:created", typed_literal(created, "dateTime")))
        lines.append(quad(dataset, term("void:subset"), subject, graph))
        lines += [quad(subject, term(property_), value, graph) for property_, value in statements]
    return "".join(sorted(lines))
