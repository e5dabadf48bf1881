"""What is said of an agent, concept, place, publisher or series, from all claims about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from bibld.model.iris import Iris
from bibld.model.rdf import XSD, iri, literal, term
from bibld.triplify._claims import Claim, EntityClaim, Form, Kind, Voice, voices
from bibld.triplify._codes import EXTERNAL_SCHEMES
from bibld.triplify._draft import Quad, in_order
from bibld.triplify._life import life
from bibld.triplify._links import identity

_CLASSES_OF_NAME = {
    "personal": ("foaf:Person", "bf:Person", "schema:Person"),
    "corporate": ("foaf:Organization", "bf:Organization", "schema:Organization"),
    "conference": ("foaf:Agent", "bf:Meeting", "schema:Event"),
    "family": ("foaf:Group", "bf:Family"),
}
_CLASSES: dict[Kind, tuple[str, ...]] = {
    "agent": ("foaf:Agent", "bf:Agent"),
    "concept": ("skos:Concept",),
    "place": ("bf:Place", "schema:Place"),
    "publisher": ("foaf:Organization", "bf:Organization", "schema:Organization"),
    "series": ("bf:Series", "bibo:Series", "schema:CreativeWorkSeries"),
}
_NAME_PROPERTIES: dict[Kind, tuple[str, ...]] = {
    "agent": ("foaf:name", "schema:name"),
    "concept": (),
    "place": ("schema:name",),
    "publisher": ("foaf:name", "schema:name"),
    "series": ("dcterms:title", "schema:name"),
}


def entity_statements(entity: str, claims: Iterable[Claim], iris: Iris) -> tuple[str, ...]:
    """The lines that describe one entity, a function of the set of claims: neither their order nor their number counts
    beyond the choice of the preferred label.

    ``entity`` is its IRI; without a claim about it there is nothing to say.
    """
    own = voices(claim for claim in claims if claim.entity == entity)
    return described(entity, [(voice, votes) for (_, voice), votes in own.items()], iris)


def described(entity: str, claimed: Iterable[tuple[Voice, int]], iris: Iris) -> tuple[str, ...]:
    """The lines that describe one entity, from all that is claimed about it and the votes for each.

    For each language the form that most records prefer is the preferred one (then the longest, then the first in the
    order of code points); the others are alternative ones.
    """
    own: dict[EntityClaim, int] = defaultdict(int)
    kinds: set[Kind] = set()
    for voice, votes in claimed:
        own[voice.value] += votes
        kinds.add(voice.kind)
    if not own:
        return ()
    subject = iri(entity)
    quads: list[Quad] = []

    def say(predicate: str, value: str, graph: str = "") -> None:
        quads.append((iri(iris.graph(graph)) if graph else "", subject, term(predicate), value))

    kind = min(kinds)
    for curie in _classes(kind, own):
        say("rdf:type", term(curie))
    preferred, others = labels(own)
    for form in preferred:
        for predicate in ("skos:prefLabel", "rdfs:label", *_NAME_PROPERTIES[kind]):
            say(predicate, literal(form.text, form.language or None))
    for form in others:
        say("skos:altLabel", literal(form.text, form.language or None))
    for value in own:
        _details(value, iris, quads, subject)
    for target in sorted({link for value in own for link in value.links}):
        say("skos:exactMatch" if kind == "concept" else "owl:sameAs", iri(target), _graph(target, iris))
    return in_order(quads, subject)


def _classes(kind: Kind, values: Iterable[EntityClaim]) -> list[str]:
    types = {value.type for value in values}
    if kind == "agent":
        found = [curie for type_ in sorted(types) for curie in _CLASSES_OF_NAME.get(type_, ())]
        return ["bf:Agent", "foaf:Agent", *found]
    return list(_CLASSES[kind])


def labels(claimed: Mapping[EntityClaim, int]) -> tuple[list[Form], list[Form]]:
    """The preferred forms, one for each language, and the others, from what is claimed and the votes for it."""
    votes: dict[Form, int] = defaultdict(int)
    mentioned: set[Form] = set()
    for value, number in claimed.items():
        votes[value.label] += number
        mentioned.update(value.others)
    by_language: dict[str, list[Form]] = defaultdict(list)
    for form in votes:
        by_language[form.language].append(form)
    preferred = [
        min(forms, key=lambda form: (-votes[form], -len(form.text), form.text)) for forms in by_language.values()
    ]
    others = (mentioned | set(votes)) - set(preferred)
    return sorted(preferred), sorted(others)


def _details(claim: EntityClaim, iris: Iris, quads: list[Quad], subject: str) -> None:
    def say(predicate: str, value: str) -> None:
        quads.append(("", subject, predicate if predicate.startswith("<") else term(predicate), value))

    if claim.dates:
        say("bf:date", literal(claim.dates))
        birth, death = life(claim.dates)
        if claim.type == "personal" and birth:
            say("schema:birthDate", literal(birth, datatype=XSD + "gYear"))
        if claim.type == "personal" and death:
            say("schema:deathDate", literal(death, datatype=XSD + "gYear"))
    if claim.scheme:
        say(iri(iris.term("scheme")), literal(claim.scheme))
        if claim.scheme in EXTERNAL_SCHEMES:
            say("skos:inScheme", iri(EXTERNAL_SCHEMES[claim.scheme]))
    if claim.notation:
        say("skos:notation", literal(claim.notation))
    for part in claim.parts:
        say("dcterms:hasPart", iri(part))
    if claim.issn:
        say("bibo:issn", literal(claim.issn))
        say("schema:issn", literal(claim.issn))


def _graph(target: str, iris: Iris) -> str:
    """The link set that a link belongs to."""
    if target.startswith(iris.base):
        return "links-agents"
    found = identity(target, None, "")
    return f"links-{found.authority if found is not None else 'other'}"
