"""Explain a record, an IRI of the dataset, or why two records, or entities, are, or are not, the same."""

from __future__ import annotations

import re
from urllib.parse import unquote

import msgspec

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.deciding_facts import deciding_facts
from bibld.dedup.features import features_of
from bibld.dedup.review import names_in_sentences
from bibld.dedup.side_by_side import ComparedValue, compare_features
from bibld.errors import ConfigError
from bibld.model.brief import brief
from bibld.model.iris import SUFFIXES, Iris, pair_of_match, record_of_path
from bibld.model.linkage import Cluster, Edge, Feature, Pair, Verdict
from bibld.model.origin import RecordId
from bibld.progress import Silent

ENTITIES = ("agent", "concept", "place", "publisher", "series", "work")
"""The kinds of entities about which clusters make assertions, as in their IRIs."""

_KINDS = ("resource", "record", "match", "doc", "dataset", "graph", "ontology", *ENTITIES)
_FORMS = re.compile(rf"\.(?:{'|'.join(map(re.escape, (*SUFFIXES, 'marcxml', 'mrk')))})\Z")
_SHOWN = 20


class RecordReport(msgspec.Struct, frozen=True):
    """One record: its origin, the features by which it is compared, its cluster, its IRIs.

    ``resource`` is the IRI of an authority record itself. ``state`` is a sentence about its present state;
    ``suppressed`` lists what of it must not be published, and why; ``verdicts`` are the verdicts of people about it;
    ``history`` lists its events.
    """

    record: str
    ordinal: int
    origin: str
    flavour: str
    deleted: bool
    warnings: tuple[str, ...]
    title: str
    author: str
    part: str
    cluster: tuple[str, ...]
    edges: tuple[str, ...]
    verdicts: tuple[str, ...]
    resource: str
    answers: str
    state: str
    suppressed: tuple[str, ...]
    history: tuple[str, ...]

    __repr__ = brief


class PairReport(msgspec.Struct, frozen=True):
    """Two records side by side: their features, the keys that they share, score, exceptions, decision, cluster.

    ``features`` are the similarities that the scorer computed, and what each adds to the score.
    ``shared_blocking_keys`` name the keys that both have; a pair without any is never compared in a run, and only then
    ``left_keys`` and ``right_keys`` name the kinds of keys that each has. ``would_decide`` state what would have to be
    known to decide about a pair that the scorer leaves undecided.
    """

    left: str
    right: str
    compared: tuple[ComparedValue, ...]
    is_candidate: bool
    shared_blocking_keys: tuple[str, ...]
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    score: float
    features: tuple[Feature, ...]
    exceptions: tuple[str, ...]
    decision: str
    by: str
    relation: str
    reasons: tuple[str, ...]
    would_decide: tuple[str, ...]
    in_one_cluster: bool
    cluster: str

    __repr__ = brief


class IriReport(msgspec.Struct, frozen=True):
    """What an IRI of the dataset is, what a request for it gets, and what happened to its record.

    ``records`` are the records that it is made of: its record, the two records of a match, or the founders of the
    clusters that make assertions about an agent, concept, place, publisher or series (the first of them;
    ``claimed_by`` is their number). ``links`` are the links of an entity to authority files that `bibld link` found,
    with confidence and evidence. ``pair`` explains a match of two live records.
    """

    iri: str
    what: str
    answers: str
    state: str
    records: tuple[str, ...] = ()
    claimed_by: int | None = None
    history: tuple[str, ...] = ()
    links: tuple[str, ...] | None = None
    pair: PairReport | None = None

    __repr__ = brief


# -- names ----------------------------------------------------------------------------------------------------------


def resolve_path(config: Config, text: str) -> str | None:
    """Return the path, within the dataset, that a text names: an IRI, the IRI of a document, or a path.

    Return None for the id of a record. Raises ``ConfigError`` for an IRI that is not of this dataset.
    """
    name = text.strip()
    base = config.dataset.base
    bare = name.lstrip("/")
    if name.startswith(base):
        bare = name[len(base) :]
    elif re.match(r"https?://", name):
        raise ConfigError([f"{name} is not an IRI of this dataset; its IRIs begin with {base}"])
    elif "/" not in bare or bare.partition("/")[0] not in _KINDS:
        return None
    if not bare.isprintable():
        raise ConfigError([f"{name!a} is not an IRI: it contains characters that are not allowed"])
    path = unquote(re.split(r"[#?]", bare, maxsplit=1)[0]).strip("/").removeprefix("doc/")
    return _FORMS.sub("", path)


def resolve_record_id(catalog: Catalog, text: str) -> RecordId:
    """Return the record that an id names: ``source:control number``, or a control number that is unique.

    Raises ``ConfigError``.
    """
    try:
        return catalog.register.resolve_record(text)
    except ValueError as error:
        raise ConfigError([str(error)]) from error


def resolve_record(catalog: Catalog, config: Config, text: str) -> RecordId:
    """Return the record that a text names by its id, or by the IRI of its resource, its document or itself.

    Raises ``ConfigError``.
    """
    path = resolve_path(config, text)
    if path is None:
        return resolve_record_id(catalog, text)
    kind, _, rest = path.partition("/")
    try:
        if kind in ("resource", "record"):
            return _known(catalog, record_of_path(rest))
    except ValueError as error:
        raise ConfigError([f"{text}: {error}"]) from error
    raise ConfigError([f"{text} is not the IRI of a record, but of the kind {kind}"])


def _known(catalog: Catalog, record: RecordId) -> RecordId:
    if catalog.register.ordinal(record) is None:
        raise ValueError(f"record {record} was never seen in this workspace")
    return record


# -- one record, one IRI ---------------------------------------------------------------------------------------------


def explain_record(catalog: Catalog, config: Config, record: RecordId) -> RecordReport:
    """Explain one record; raises ``ConfigError`` for one that is not in the catalog."""
    stored = catalog.record(record)
    if stored is None:
        raise ConfigError([f"{record} has an ordinal but is not in the catalog; run `bibld run` again"])
    iris = Iris(config.dataset.base)
    features = features_of(stored.mods)
    cluster = catalog.cluster_of(record)
    members = cluster.members if cluster else ()
    answering = cluster.founder if cluster else catalog.redirect_target(record)
    resource = iris.resource(record) if stored.authority is None else iris.record(record)
    answers = iris.document(iris.resource(answering)) if answering else "410 Gone"
    return RecordReport(
        record=str(record),
        ordinal=stored.ordinal,
        origin=str(stored.origin),
        flavour=stored.flavour,
        deleted=stored.deleted,
        warnings=tuple(catalog.records.warnings(stored.ordinal)),
        title=features.title,
        author=features.author,
        part=features.part,
        cluster=tuple(map(str, members)),
        edges=tuple(_sentence(edge) for edge in catalog.edges_of(members)),
        verdicts=_verdicts(catalog, record),
        resource=resource,
        answers=answers if stored.authority is None or stored.deleted else iris.document(resource),
        state=_state(catalog, record),
        suppressed=tuple(map(str, catalog.suppressions.of_record(stored.ordinal))),
        history=tuple(map(str, catalog.history.events(stored.ordinal))),
    )


def explain_iri(catalog: Catalog, config: Config, path: str) -> IriReport:
    """Explain the IRI that has this path (``resolve_path``).

    Raises ``ConfigError`` for an unknown path.
    """
    kind, _, rest = path.partition("/")
    iri = config.dataset.base + path
    try:
        if kind in ("resource", "record"):
            return _record_iri(catalog, Iris(config.dataset.base), kind, _known(catalog, record_of_path(rest)))
        if kind == "match":
            return _match_iri(catalog, config, iri, pair_of_match(rest))
    except ValueError as error:
        raise ConfigError([f"{iri}: {error}"]) from error
    if kind in ENTITIES and rest:
        return _entity_iri(catalog, iri, kind)
    what = {"dataset": "the dataset, or the part of it that comes from one source", "graph": "a named graph"}
    what |= {"ontology": "the ontology of this dataset"}
    if kind not in what:
        raise ConfigError([f"{iri}: unknown kind of IRI; the paths of this dataset begin with {', '.join(_KINDS)}"])
    return IriReport(iri, what[kind], "200", "no single record describes it; no history is stored")


def _record_iri(catalog: Catalog, iris: Iris, kind: str, record: RecordId) -> IriReport:
    ordinal = catalog.register.ordinal(record)
    stored = catalog.record(record)
    answering = catalog.redirect_target(record)
    cluster = catalog.cluster_of(record)
    if kind == "record":
        iri, what = iris.record(record), f"the source record {record}"
        answers = "410 Gone" if stored is None or stored.deleted else "200"
    else:
        iri, what = iris.resource(record), f"a publication, as described by the record {record}"
        survivor = cluster.founder if cluster else answering
        answers = f"303 to {iris.document(iris.resource(survivor))}" if survivor else "410 Gone"
    history = catalog.history.events(ordinal) if ordinal is not None else []
    return IriReport(iri, what, answers, _state(catalog, record), (str(record),), history=tuple(map(str, history)))


def _match_iri(catalog: Catalog, config: Config, iri: str, pair: Pair) -> IriReport:
    for record in (pair.left, pair.right):
        _known(catalog, record)
    edge = catalog.edge(pair)
    state = (
        "the pair is not stored: the two records are neither the same nor related" if edge is None else _sentence(edge)
    )
    cluster = catalog.cluster_of(pair.left)
    are_live = cluster is not None and catalog.cluster_of(pair.right) is not None
    return IriReport(
        iri=iri,
        what=f"the match of the records {pair.left} and {pair.right}",
        answers="404" if edge is None else "200",
        state=state,
        records=(str(pair.left), str(pair.right)),
        pair=explain_pair(catalog, config, pair.left, pair.right) if are_live else None,
    )


def _entity_iri(catalog: Catalog, iri: str, kind: str) -> IriReport:
    founders = catalog.entities.asserting_clusters(iri)
    founder = catalog.entities.founder_of_iri(iri)
    answering = catalog.entities.iri(founder) if founder is not None else None
    what = f"an entity of the kind {kind}; its IRI is made from the key of its description"
    if not founders:
        return IriReport(iri, what, "404", "no cluster makes an assertion about it now")
    records = tuple(str(catalog.register.record(founder)) for founder in founders[:_SHOWN])
    answers = "303 to its document"
    if answering is not None and answering != iri:
        answers = f"303 to the document of {answering}, which is the same"
    links = tuple(
        f"{link.predicate} {link.target}, {link.status} with {link.confidence:g}: {'; '.join(link.evidence)}"
        for link in catalog.links.of_entity(answering or iri)
    )
    state = "described by the assertions of clusters"
    return IriReport(iri, what, answers, state, records, len(founders), links=links or None)


def _state(catalog: Catalog, record: RecordId) -> str:
    """Return a sentence about the present state of a record."""
    cluster = catalog.cluster_of(record)
    if cluster is None:
        ordinal = catalog.register.ordinal(record)
        if ordinal is not None and catalog.suppressions.is_suppressed(ordinal):
            return "suppressed; requests get 410 Gone"
        target = catalog.redirect_target(record)
        return f"deleted; requests are redirected to {target}" if target else "deleted; requests get 410 Gone"
    if cluster.founder != record:
        return f"live, merged into {cluster.founder}"
    others = [str(member) for member in cluster.members if member != record]
    return f"live, founder of a cluster with {', '.join(others)}" if others else "live, without duplicates"


def _verdicts(catalog: Catalog, record: RecordId) -> tuple[str, ...]:
    """Return a sentence about each verdict of a person about a record."""
    sentences = []
    for pair, verdict in catalog.register.verdicts().items():
        if record in (pair.left, pair.right):
            reasons = f" ({'; '.join(verdict.reasons)})" if verdict.reasons else ""
            sentences.append(f"{pair.left} and {pair.right}: verdict by {verdict.by}: {verdict.decision}{reasons}")
    return tuple(sentences)


# -- two records -----------------------------------------------------------------------------------------------------


def explain_pair(catalog: Catalog, config: Config, left: RecordId, right: RecordId) -> PairReport:
    """Explain why two records are, or are not, the same; raises ``ConfigError`` if they cannot be compared."""
    from bibld.dedup.memory import compare  # loads the compiler

    found = compare(catalog, config, left, right, Silent()) if left != right else None
    if found is None:
        raise ConfigError([f"{left} and {right} cannot be compared; name two different live records"])
    edge = found.edge
    is_candidate = bool(edge.score.shared_blocking_keys)
    person = catalog.register.verdicts().get(edge.pair)
    stored = catalog.edge(edge.pair)
    verdict = person or (stored.verdict if stored else edge.verdict)
    if not is_candidate and person is None:
        reason = "no shared blocking key, so a run never compares the pair"
        verdict = Verdict("different", "blocking", (*edge.verdict.reasons, reason))
    cluster = catalog.cluster_of(edge.pair.left)
    is_one = cluster is not None and edge.pair.right in cluster.members
    return PairReport(
        left=str(edge.pair.left),
        right=str(edge.pair.right),
        compared=compare_features(found.left, found.right),
        is_candidate=is_candidate,
        shared_blocking_keys=edge.score.shared_blocking_keys,
        left_keys=() if is_candidate else found.left_keys,
        right_keys=() if is_candidate else found.right_keys,
        score=edge.score.value,
        features=edge.score.features,
        exceptions=found.exceptions,
        decision=verdict.decision,
        by=verdict.by,
        relation=verdict.relation,
        reasons=verdict.reasons,
        would_decide=tuple(deciding_facts(found.left, found.right, names_in_sentences(edge.pair), config)),
        in_one_cluster=is_one,
        cluster=_about_cluster(catalog, edge.pair, verdict, cluster if is_one else None),
    )


def _about_cluster(catalog: Catalog, pair: Pair, verdict: Verdict, cluster: Cluster | None) -> str:
    """Return a sentence about why two records are, or are not, in one cluster."""
    if cluster is not None:
        if verdict.decision == "same":
            return f"both are in the cluster of {cluster.founder}"
        reasons = [_sentence(edge) for edge in catalog.edges_of(cluster.members)]
        return f"both are in the cluster of {cluster.founder} through other members: {'; '.join(reasons)}"
    if verdict.decision == "same":
        return "the pair is the same, but no run has merged it yet; run `bibld run`"
    return {
        "related": "not merged: they are related, not the same",
        "review": "not merged until a person has decided",
    }.get(verdict.decision, "not merged")


def _sentence(edge: Edge) -> str:
    return f"{edge.pair.left} and {edge.pair.right}: {edge.verdict.decision}, {'; '.join(edge.verdict.reasons)}"
