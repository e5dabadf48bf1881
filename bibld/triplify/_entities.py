"""The description of an entity (agent, concept, place, publisher, series, work, scheme), from all claims about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

import msgspec

from bibld.config import Dialect
from bibld.model.iris import Iris, entity_identity
from bibld.model.rdf import iri, literal, term, typed_literal
from bibld.model.review import INVERSE_RELATION
from bibld.text.classes import captions
from bibld.text.places import is_former_name
from bibld.text.publishers import is_abbreviation
from bibld.text.romanisation import romanise, unify_transcriptions
from bibld.text.scripts import has_cyrillic
from bibld.triplify._claims import (
    Assertion,
    Claim,
    Contribution,
    EntityClaim,
    Kind,
    NameForm,
    count_assertions,
)
from bibld.triplify._codes import loc, scheme_iri, scheme_names
from bibld.triplify._dates import life_years
from bibld.triplify._draft import PROVENANCE, Quad, sort_quads
from bibld.triplify._entity_clusters import (
    Contradiction,
    EntityCluster,
    EntityProfile,
    Verdicts,
    cluster_component,
    components,
)
from bibld.triplify._identity import local_number, parse_identity

_MAX_FORMS_COMPARED = 50

_CLASSES_OF_NAME = {
    "personal": ("foaf:Person", "bf:Person"),
    "corporate": ("foaf:Organization", "bf:Organization"),
    "conference": ("foaf:Agent", "bf:Meeting"),
    "family": ("foaf:Group", "bf:Family"),
}
_CLASSES: dict[Kind, tuple[str, ...]] = {
    "agent": ("foaf:Agent", "bf:Agent"),
    "concept": ("skos:Concept",),
    "place": ("bf:Place",),
    "publisher": ("foaf:Organization", "bf:Organization"),
    "scheme": ("skos:ConceptScheme", "bf:Source"),
    "work": ("bf:Work",),
    "series": ("bf:Series", "bibo:Series"),
}
_NAME_IN_DIALECT: dict[Dialect, str] = {"bnf": "foaf:name", "schema": "schema:name"}
"""Dialect → a further property for the names of agents and publishers."""


def entity_statements(
    entity: str, claims: Iterable[Claim], iris: Iris, dialects: Iterable[Dialect] = ()
) -> tuple[str, ...]:
    """Return the lines that describe one entity (its IRI), in a stable order; none without a claim about it.

    Neither the order nor the number of the claims matters, except that the number decides the preferred label.
    """
    votes = count_assertions(claim for claim in claims if claim.entity == entity)
    return describe_entity(entity, [(assertion, number) for (_, assertion), number in votes.items()], iris, dialects)


def describe_entity(
    entity: str,
    assertions: Iterable[tuple[Assertion, int]],
    iris: Iris,
    dialects: Iterable[Dialect],
    related: Iterable[tuple[str, str]] = (),
) -> tuple[str, ...]:
    """Return the lines that describe one entity, from all assertions about it and the votes for each.

    ``related`` are statements about other entities, each as a compact property and an IRI. Those without a property
    are other IRIs of the entity, to which it is linked; the assertions about these are among those given.
    For each language the form that most records prefer is the preferred one (then the longest, then the first in the
    order of code points); the others are alternative ones. A library or scheme of which only the code is known has no
    name.
    """
    votes: dict[EntityClaim, int] = defaultdict(int)
    kinds: set[Kind] = set()
    found = list(assertions)
    for assertion, number in found:
        if assertion.value.label.text:
            votes[assertion.value] += number
            kinds.add(assertion.kind)
    if not votes:
        return ()
    triples: list[tuple[str, str]] = []
    classes = [class_ for kind in kinds if kind != "agent" for class_ in _CLASSES[kind]]
    if "agent" in kinds:
        types = {claim.type for claim in votes}
        classes += [class_ for type_ in types for class_ in _CLASSES_OF_NAME.get(type_, ())] or _CLASSES["agent"]
    triples += [("rdf:type", term(class_)) for class_ in classes]
    preferred, others = choose_labels(votes)
    named = [NameForm(*name) for claim in votes for name in captions(claim.scheme, claim.notation)]
    if named:
        preferred, others = named, []
    if "scheme" in kinds:
        preferred = [NameForm(*name) for claim in votes for name in scheme_names(claim.notation)]
    name_properties = set() if kinds == {"work"} else {"skos:prefLabel"}
    if kinds != {"concept"}:
        name_properties.add("rdfs:label")
    if kinds & {"agent", "publisher"}:
        name_properties |= {_NAME_IN_DIALECT[dialect] for dialect in dialects if dialect in _NAME_IN_DIALECT}
    for form in preferred:
        triples += [(predicate, literal(form.text, form.language or None)) for predicate in name_properties]
    triples += [("skos:altLabel", literal(form.text, form.language or None)) for form in others]
    for claim in votes:
        triples += _properties(claim)
    triples += [(predicate, iri(other)) for assertion, _ in found for predicate, other in assertion.value.entities]
    triples += [value for assertion, _ in found for value in assertion.value.values]
    link = "skos:exactMatch" if "concept" in kinds else "owl:sameAs"
    triples += [(predicate or link, iri(other)) for predicate, other in related]
    subject = iri(entity)
    provenance = iri(iris.graph(PROVENANCE))
    quads: list[Quad] = [
        (provenance if predicate.startswith("prov:") else "", subject, term(predicate), value)
        for predicate, value in triples
    ]
    quads += _local_numbers(entity, votes, iris)
    quads += _contributions(entity, (assertion.value for assertion, _ in found), iris)
    quads += [
        ("", subject, term("skos:inScheme"), iri(scheme_iri(claim.scheme, iris))) for claim in votes if claim.scheme
    ]
    links = {(link, target) for claim in votes for target in claim.links}
    links |= {("skos:broadMatch", target) for claim in votes for target in claim.broad_links}
    links |= {link for claim in votes for link in claim.related_links}
    for predicate, target in sorted(links):
        quads.append((iri(iris.graph(_link_set(target))), subject, term(predicate), iri(target)))
    return sort_quads(quads, subject)


def _properties(claim: EntityClaim) -> Iterator[tuple[str, str]]:
    if claim.dates:
        yield "bf:date", literal(claim.dates)
        if claim.type == "personal":
            birth, death = life_years(claim.dates)
            if birth:
                yield "schema:birthDate", typed_literal(birth, "gYear")
            if death:
                yield "schema:deathDate", typed_literal(death, "gYear")
    if claim.notation:
        yield "skos:notation", literal(claim.notation)
        if claim.type == "corporate":
            yield "dcterms:identifier", literal(claim.notation)
    if claim.issn:
        yield "bibo:issn", literal(claim.issn)


def _local_numbers(entity: str, claims: Iterable[EntityClaim], iris: Iris) -> Iterator[Quad]:
    """Yield a node for each number that a library gave the entity; numbers of authority files with IRIs are links.

    A number that does not name its organisation is one of the source of the records.
    """
    numbers = {local_number(entry) for claim in claims for entry in claim.numbers}
    for position, (number, source) in enumerate(sorted(pair for pair in numbers if pair[0]), 1):
        node = iri(f"{entity}#identifier{position}")
        yield "", iri(entity), term("bf:identifiedBy"), node
        yield "", node, term("rdf:type"), term("bf:Local")
        yield "", node, term("rdf:value"), literal(number)
        if source:
            yield "", node, term("dcterms:source"), iri(iris.source(source))


def _contributions(entity: str, claims: Iterable[EntityClaim], iris: Iris) -> Iterator[Quad]:
    """Yield a node for each agent that contributed to a work, with all roles that the claims state."""
    by_agent: dict[str, list[Contribution]] = defaultdict(list)
    for claim in claims:
        for contribution in claim.contributions:
            by_agent[contribution.agent].append(contribution)
    for agent, stated in by_agent.items():
        node = iris.node_of(entity, agent)
        class_ = "bf:PrimaryContribution" if any(one.is_primary for one in stated) else "bf:Contribution"
        yield "", iri(entity), term("bf:contribution"), iri(node)
        yield "", iri(node), term("rdf:type"), term(class_)
        yield "", iri(node), term("bf:agent"), iri(agent)
        for code in dict.fromkeys(role for one in stated for role in one.roles):
            yield "", iri(node), term("bf:role"), loc("relators", code)
        for at, text in enumerate(sorted({text for one in stated for text in one.terms}), 1):
            role = iri(iris.node_of(entity, agent, f"role{at}"))
            yield "", iri(node), term("bf:role"), role
            yield "", role, term("rdf:type"), term("bf:Role")
            yield "", role, term("rdfs:label"), literal(text)


_ROMANISED = "und-latn"
"""The tag of a name that its record pairs with one in another script."""


def choose_labels(votes: Mapping[EntityClaim, int]) -> tuple[list[NameForm], list[NameForm]]:
    """Return the preferred forms, one for each language, and the others, from the claims and the votes for them.

    A form that an authority file prefers comes first, and takes the place of those without a language. An abbreviation
    is not preferred to what it is short for, a romanisation not to the original, nor a former name of a town to
    today's. The code of a library is no name. Of titles of a work the shortest is preferred, which is that of today's
    orthography.
    """
    sign = -1 if any(claim.work is not None for claim in votes) else 1
    votes_by_form: dict[NameForm, int] = defaultdict(int)
    mentioned: set[NameForm] = set()
    for claim, number in votes.items():
        if claim.type != "corporate" or claim.label.text != claim.notation:
            votes_by_form[claim.label] += number
        mentioned.update(claim.others)
    by_language: dict[str, list[NameForm]] = defaultdict(list)
    for form in votes_by_form:
        by_language[form.language].append(form)
    established = {claim.label for claim in votes if claim.is_established}
    certain = {form.language for form in established}

    def place(form: NameForm, forms: Sequence[NameForm]) -> tuple[object, ...]:
        is_lesser = form not in established
        return is_lesser, is_lesser and _gives_way(form, forms), -votes_by_form[form], -sign * len(form.text), form.text

    preferred = [
        min(forms, key=lambda form: place(form, forms))
        for language, forms in by_language.items()
        if language in certain or not ((language == "" and certain) or (language == _ROMANISED and "" in by_language))
    ]
    others = (mentioned | set(votes_by_form)) - set(preferred)
    if certain:
        others -= {NameForm(form.text) for form in preferred}
    return sorted(preferred), sorted(others)


def _gives_way(form: NameForm, forms: Sequence[NameForm]) -> bool:
    """Whether a form is an abbreviation or a romanisation of another one, or a former name."""
    if not 1 < len(forms) <= _MAX_FORMS_COMPARED:
        return False
    if is_former_name(form.text) or any(is_abbreviation(form.text, other.text) for other in forms):
        return True
    if has_cyrillic(form.text) or not any(has_cyrillic(other.text) for other in forms):
        return False
    first = unify_transcriptions(romanise(form.text)).partition(" ")[0]
    return any(unify_transcriptions(romanise(one.text)).startswith(first) for one in forms if has_cyrillic(one.text))


def _link_set(target: str) -> str:
    """Return the name of the graph that a link belongs to."""
    identity = parse_identity(target, None, "")
    return f"links-{identity.authority if identity is not None else 'other'}"


class EntityDescription(msgspec.Struct, frozen=True):
    """Entities that are the same, by their IRIs, the founder first, and the quads that describe them.

    ``parts`` are the IRIs of other entities that the quads point to, sorted.
    """

    members: tuple[str, ...]
    quads: bytes
    parts: tuple[str, ...]


def describe_entity_clusters(
    iris: Iris,
    verdicts: Verdicts,
    assertions: Mapping[str, Sequence[tuple[Assertion, int]]],
    dialects: Collection[Dialect],
) -> Iterator[EntityDescription]:
    """Cluster entities, and yield the description of each cluster.

    ``assertions`` are all those about some entities, with their votes, by IRI; entities that are connected by ties or
    verdicts must be among them together. ``dialects`` are those of the configuration. The quads point to entities as
    the assertions do.
    """
    profiles = [EntityProfile.from_assertions(iri, (one for one, _ in result)) for iri, result in assertions.items()]
    for component in components(profiles, verdicts):
        clusters = cluster_component(component, verdicts)
        related = _relations_by_verdict(clusters, verdicts)
        for cluster in clusters:
            united = [assertion for member in cluster.members for assertion in assertions[member]]
            same = [("", other) for other in (*cluster.members[1:], *cluster.aliases)]
            lines = describe_entity(
                cluster.founder, united, iris, dialects, (*same, *sorted(related.get(cluster.founder, ())))
            )
            parts = sorted({part for one, _ in united for part in one.value.named_entities})
            yield EntityDescription(cluster.members, "".join(lines).encode(), tuple(parts))


_PROPERTY_OF_RELATION = {"translation_of": "bf:translationOf", "part_of": "bf:partOf", "has_part": "bf:hasPart"}


def _relations_by_verdict(
    clusters: Iterable[EntityCluster], verdicts: Verdicts
) -> Mapping[str, Collection[tuple[str, str]]]:
    """Return how people related works of a component to each other: property and IRI, by the IRI of the founder."""
    if not any(decision in INVERSE_RELATION for decision in verdicts.values()):
        return {}
    founders = {entity_identity(member): cluster.founder for cluster in clusters for member in cluster.members}
    related: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for (one, other), decision in verdicts.items():
        if decision in INVERSE_RELATION and one in founders and other in founders:
            for left, right, relation in ((one, other, decision), (other, one, INVERSE_RELATION[decision])):
                if relation in _PROPERTY_OF_RELATION:
                    related[founders[left]].add((_PROPERTY_OF_RELATION[relation], founders[right]))
    return related


class EntityComparison(msgspec.Struct, frozen=True):
    """What two entities have in common, and in what they contradict each other.

    ``common`` are the kinds of keys that both have, in lower case, the strongest first: ``number`` (of an authority
    file), ``name`` (with a year of life), ``publication`` (that names both) and so on, see ``Strength``.
    """

    common: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]


def compare_entities(
    one: Mapping[str, Iterable[Assertion]], other: Mapping[str, Iterable[Assertion]]
) -> EntityComparison:
    """Compare two clusters of entities by all assertions about each of their members (by IRI)."""
    these, those = ([EntityProfile.from_assertions(*member) for member in side.items()] for side in (one, other))
    pairs = list(product(these, those))
    common = {strength for left, right in pairs for key, strength in left.keys.items() if key in right.keys}
    contradictions = dict.fromkeys(found for left, right in pairs for found in left.contradictions(right))
    return EntityComparison(tuple(strength.name.lower() for strength in sorted(common)), tuple(contradictions))
