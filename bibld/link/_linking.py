"""Link the entities of a catalog to the registered authority files, and store links, candidates and descriptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from bibld.catalog import Catalog, PersonVerdict, Queue, RegisteredFile, StoredLink, digest
from bibld.config import Config
from bibld.errors import BibldError
from bibld.link import _score
from bibld.link._entities import Entity, read_entity
from bibld.link._files import open_authority
from bibld.link._index import (
    MAX_LABEL_CHARACTERS,
    AuthorityIndex,
    index_path,
    is_complete,
    keys_of_numbers,
    keys_of_profile,
    make_index,
    number_key,
)
from bibld.link._index import VERSION as INDEX_VERSION
from bibld.link._score import authority_of, is_own_scheme, rank_matches
from bibld.link._values import AuthorityLabel, AuthorityRecord, Match, merge_records
from bibld.model.iris import Iris, dataset_of_authority
from bibld.model.rdf import decimal_literal, iri, literal, quad, term, typed_literal
from bibld.progress import Progress, count_items

STAGE = "link"
THRESHOLD, REVIEW = 0.95, 0.5
_ITEMS_PER_COMMIT = 500
_MAX_CANDIDATES = 3
_UNKNOWN_AUTHORITY = "other"
_NO_VERDICTS: Mapping[str, PersonVerdict] = {}


class OpenFile(msgspec.Struct, frozen=True):
    """A registered file and its index."""

    file: RegisteredFile
    index: AuthorityIndex


class LinkedEntity(msgspec.Struct, frozen=True):
    """What linking found for one entity: the links and candidates to store, and how its stated numbers compare.

    ``confirmed`` counts the stated numbers that linking finds, too; ``numbered`` those that it was compared with.
    """

    links: tuple[StoredLink, ...]
    numbered: int = 0
    confirmed: int = 0


class LinkTally:
    """Sums what linking found for entities: how many were compared, their numbers, and their links."""

    def __init__(self) -> None:
        self.entities = self.numbered = self.confirmed = 0
        self.links: Counter[tuple[str, str, str]] = Counter()
        """How many links have a link set, a predicate and a status."""

    def add(self, outcome: LinkedEntity) -> None:
        """Add what was found for one entity."""
        self.entities += 1
        self.numbered += outcome.numbered
        self.confirmed += outcome.confirmed
        self.links.update((link.link_set, link.predicate, link.status) for link in outcome.links)


def index_digest(file_digest: str, template: str) -> str:
    """Return the name of the index of a file."""
    return digest(INDEX_VERSION, file_digest, template)


@contextmanager
def open_indexes(
    files: Iterable[RegisteredFile], config: Config, progress: Progress
) -> Iterator[list[OpenFile] | None]:
    """Open the indexes of registered files; an index that is missing is made again if its file is still there.

    Yields None if one cannot be had: then the links stay as they are, and a message states what to do.
    """
    with ExitStack() as opening:
        opened: list[OpenFile] = []
        for file in files:
            path = index_path(config.workspace, index_digest(file.digest, file.template))
            if not is_complete(path) and not _make_again(file, path, progress):
                yield None
                return
            opened.append(OpenFile(file, opening.enter_context(AuthorityIndex(path))))
        yield opened


def names_of_persons(catalog: Catalog, config: Config) -> Iterator[list[str]]:
    """Yield the names of each person who has several, in registered authority files and in authority records.

    A registered file counts if its index is complete.
    """
    for file in catalog.links.files():
        path = index_path(config.workspace, index_digest(file.digest, file.template))
        if is_complete(path):
            with AuthorityIndex(path) as index:
                yield from index.names_of_persons()
    for ordinal in catalog.records.authorities():
        authority = catalog.records.authority(ordinal)
        if authority is not None and len(authority.names_of_person) > 1:
            yield list(authority.names_of_person)


def _make_again(file: RegisteredFile, path: Path, progress: Progress) -> bool:
    try:
        found = open_authority(Path(file.path), file.template)
        if found.digest == file.digest:
            make_index(path, found, progress)
            return True
        reason = f"{file.path}: is another file now"
    except BibldError as error:
        reason = str(error)
    progress.report(
        f"link: links to {file.name} stay as they are: its index is missing, and {reason}; run bibld link with the file"
        f" again, or with --remove {file.name}"
    )
    return False


def update_links(catalog: Catalog, config: Config, progress: Progress, limit: int | None = None) -> LinkTally | None:
    """Link the queued entities to all registered files, and store links and candidates.

    An entity is queued when its claims or the publications that name it change, when a person decides about one of its
    links, and all are when a file was added or the rules of linking changed. Returns what was found for the
    entities, up to ``limit`` of them; None if an index is missing, so that nothing was done.
    """
    files = catalog.links.files()
    if not files and not catalog.links.descriptions():
        return LinkTally()
    iris = Iris(config.dataset.base)
    states_confidence = config.triplify.provenance == "full"
    _queue_outdated(catalog, files, iris, states_confidence)
    queue = catalog.dirty[Queue.UNLINKED_ENTITIES]
    if queue.is_empty():
        return LinkTally()
    _remove_orphans(catalog)
    with open_indexes(files, config, progress) as opened:
        if opened is None:
            _describe(catalog, iris)
            return None
        tally = _link_queued(catalog, Linker(catalog, iris, opened, states_confidence), limit, progress)
    _describe(catalog, iris)
    return tally


def preview_links(
    catalog: Catalog, config: Config, files: list[RegisteredFile], progress: Progress, limit: int | None = None
) -> LinkTally:
    """Return what linking all entities, or the first ``limit``, to these files would find; nothing is stored."""
    founders = (number for number in catalog.entities.owners() if catalog.entities.founder(number) == number)
    numbers = list(islice(founders, limit))
    progress.stage("link", "entities", len(numbers))
    with open_indexes(files, config, progress) as opened:
        tally = LinkTally()
        if opened is not None:
            linker = Linker(catalog, Iris(config.dataset.base), opened)
            for number in count_items(numbers, progress):
                tally.add(linker.link(number))
        return tally


def _queue_outdated(catalog: Catalog, files: list[RegisteredFile], iris: Iris, states_confidence: bool) -> None:
    """Queue all entities if files, thresholds or rules changed; else those about whose links people decided."""
    settings = [(file.name, file.digest, file.template, file.threshold, file.review) for file in files]
    made_by = digest(_score.VERSION, MAX_LABEL_CHARACTERS, iris.base, settings, states_confidence)
    last, changed = catalog.verdicts.changed_entities(catalog.links.last_seen_verdict())
    with catalog.commit():
        if catalog.runs.made_by(STAGE) != made_by:
            catalog.links.queue_all_entities()
            catalog.runs.complete(STAGE, made_by, 0)
        catalog.links.queue_entities(f"{iris.base}{path}" for path in changed)
        catalog.links.mark_verdicts_seen(last)


def _link_queued(catalog: Catalog, linker: Linker, limit: int | None, progress: Progress) -> LinkTally:
    dirty = catalog.dirty[Queue.UNLINKED_ENTITIES]
    left = len(dirty) if limit is None else min(limit, len(dirty))
    progress.stage("link", "entities", left)
    tally = LinkTally()
    while left and (items := dirty.items(min(left, _ITEMS_PER_COMMIT))):
        founders = {catalog.entities.founder(number) for number in items}
        found = [(catalog.entities.iri(number), linker.link(number)) for number in sorted(founders | set(items))]
        with catalog.commit():
            owners: Counter[bytes] = Counter()
            for entity, outcome in found:
                if entity is not None:
                    tally.add(outcome)
                    owners.update(line.encode() for link in outcome.links for line in link.quads.splitlines())
                    owners.subtract(line.encode() for line in catalog.links.replace(entity, outcome.links))
            _add_patch(catalog, owners)
            dirty.remove(items)
        left -= len(items)
        progress.advance(len(items))
    return tally


def _remove_orphans(catalog: Catalog) -> None:
    """Remove the links of entities that do not exist any more."""
    orphans = catalog.links.orphans()
    if orphans:
        with catalog.commit():
            owners: Counter[bytes] = Counter()
            for entity in orphans:
                owners.subtract(line.encode() for line in catalog.links.replace(entity, ()))
            _add_patch(catalog, owners)


def _add_patch(catalog: Catalog, owners: Counter[bytes]) -> None:
    if catalog.patches.are_awaited():
        catalog.patches.add(owners)


def _describe(catalog: Catalog, iris: Iris) -> None:
    """Describe the link sets again if their counts or files changed."""
    before = catalog.links.descriptions()
    after = describe_link_sets(catalog.links.counts(), catalog.links.files_of_link_sets(), iris)
    if before == after:
        return
    with catalog.commit():
        owners: Counter[bytes] = Counter(line.encode() for text in after.values() for line in text.splitlines())
        owners.subtract(line.encode() for text in before.values() for line in text.splitlines())
        _add_patch(catalog, owners)
        catalog.links.put_descriptions(after)


class Candidates(msgspec.Struct, frozen=True):
    """The authority records of one link set that an entity is compared with, by IRI, and the file of each."""

    pieces: dict[str, list[AuthorityRecord]]
    files: dict[str, RegisteredFile]

    def records(self) -> list[AuthorityRecord]:
        """Return each record once, also if more than one file has it."""
        return [merge_records(records) for _, records in sorted(self.pieces.items())]

    def file(self, match: Match) -> RegisteredFile:
        """Return the file in which the record of a match was found."""
        return self.files[match.record.iri]


class Linker:
    """Links entities to the records of opened authority files.

    ``states_confidence``: the quads of a link state its confidence and evidence.
    """

    def __init__(self, catalog: Catalog, iris: Iris, files: list[OpenFile], states_confidence: bool = True) -> None:
        self._catalog = catalog
        self._iris = iris
        self._files = files
        self._states_confidence = states_confidence

    def link(self, number: int) -> LinkedEntity:
        """Return the links and candidates of a cluster of entities (the number of its founder); else none."""
        entity = read_entity(self._catalog, number)
        if entity is None:
            return LinkedEntity(())
        verdicts: dict[str, PersonVerdict] = {}
        for member in self._catalog.entities.members(number):
            path = self._iris.path(self._catalog.entities.iri(member) or "")
            verdicts |= self._catalog.verdicts.of_entity(path or "")
        return self.link_entity(entity, verdicts)

    def link_entity(self, entity: Entity, verdicts: Mapping[str, PersonVerdict] = _NO_VERDICTS) -> LinkedEntity:
        """Return the links and candidates of an entity; verdicts of people, by target, are respected."""
        links: list[StoredLink] = []
        numbered = confirmed = 0
        accepted = self._accepted(verdicts)
        for link_set, candidates in self._candidates(entity, verdicts).items():
            stated = _stated_numbers(entity, link_set, candidates)
            matches = self._rank(entity, candidates, verdicts)
            if stated:
                numbered += 1
                best = (
                    matches[0] if matches and matches[0].confidence >= candidates.file(matches[0]).threshold else None
                )
                known = {number_key(one) for one in (best.record.iri, *best.record.numbers)} if best else set()
                confirmed += bool(best and stated & known)
                if best and not stated & known:
                    text = f"the records state {', '.join(sorted(stated))}"
                    match = msgspec.structs.replace(best, evidence=(*best.evidence, text))
                    links.append(self._stored(entity, link_set, candidates.file(best), match, "disagreement"))
                accepted.pop(link_set, None)
            elif link_set in accepted:
                links.append(self._stored_by_person(entity, link_set, accepted.pop(link_set), candidates, matches))
            else:
                links += self._choose(entity, link_set, candidates, matches)
        for link_set, target in accepted.items():
            if not _stated_numbers(entity, link_set, Candidates({}, {})):
                links.append(self._stored_by_person(entity, link_set, target, Candidates({}, {}), []))
        return LinkedEntity(tuple(links), numbered, confirmed)

    def _accepted(self, verdicts: Mapping[str, PersonVerdict]) -> dict[str, str]:
        """Return the target that a person accepted for each link set; the last one, if there are more."""
        found: dict[str, str] = {}
        for target, verdict in verdicts.items():
            if verdict.decision == "accepted":
                holders = [opened.file.name for opened in self._files if opened.index.has_number(target)]
                authority = authority_of(target)
                unknown = holders[0] if holders else _UNKNOWN_AUTHORITY
                found[unknown if authority == _UNKNOWN_AUTHORITY else authority] = target
        return found

    def _candidates(self, entity: Entity, verdicts: Mapping[str, PersonVerdict]) -> dict[str, Candidates]:
        """Return the candidates by link set."""
        keys = keys_of_profile(entity.profile)
        keys |= {key for target in verdicts for key in keys_of_numbers((target,))}
        pieces: dict[str, Candidates] = {}
        for opened in self._files:
            for record in opened.index.find(keys):
                authority = authority_of(record.iri)
                link_set = opened.file.name if authority == _UNKNOWN_AUTHORITY else authority
                candidates = pieces.setdefault(link_set, Candidates({}, {}))
                candidates.pieces.setdefault(record.iri, []).append(record)
                candidates.files.setdefault(record.iri, opened.file)
        return dict(sorted(pieces.items()))

    def _rank(self, entity: Entity, candidates: Candidates, verdicts: Mapping[str, PersonVerdict]) -> list[Match]:
        rejected = {target for target, verdict in verdicts.items() if verdict.decision == "rejected"}
        wanted = [record for record in candidates.records() if record.iri not in rejected]
        index = max((opened.index for opened in self._files), key=lambda one: one.persons)
        return rank_matches(entity, wanted, index)

    def _choose(
        self, entity: Entity, link_set: str, candidates: Candidates, matches: list[Match]
    ) -> Iterator[StoredLink]:
        """Yield the link that is probable enough, else the candidates for review."""
        if not matches:
            return
        file = candidates.file(matches[0])
        if matches[0].confidence >= file.threshold:
            yield self._stored(entity, link_set, file, matches[0], "accepted")
            return
        for match in matches[:_MAX_CANDIDATES]:
            if match.confidence >= file.review or (match is matches[0] and _is_tie(matches, file.review)):
                yield self._stored(entity, link_set, candidates.file(match), match, "review")

    def _stored_by_person(
        self, entity: Entity, link_set: str, target: str, candidates: Candidates, matches: list[Match]
    ) -> StoredLink:
        """Return the link that a person accepted, whether linking would have found it or not."""
        evidence = next((match.evidence for match in matches if match.record.iri == target), ())
        record = next((record for record in candidates.records() if record.iri == target), None)
        found = record or AuthorityRecord(target, labels=(AuthorityLabel(target),))
        file = candidates.files.get(target, self._files[0].file)
        match = Match(found, 1.0, ("accepted by a person", *evidence))
        return self._stored(entity, link_set, file, match, "accepted")

    def _stored(self, entity: Entity, link_set: str, file: RegisteredFile, match: Match, status: str) -> StoredLink:
        profile, record = entity.profile, match.record
        predicate = "owl:sameAs"
        if profile.kind == "concept":
            is_same = match.is_certain or is_own_scheme(profile, record)
            predicate = "skos:exactMatch" if is_same else "skos:closeMatch"
        graph = iri(self._iris.graph(f"links-{link_set}"))
        lines = [quad(iri(profile.iri), term(predicate), iri(record.iri), graph)]
        if self._states_confidence:
            lines += describe_link(link_set, profile.iri, match, self._iris)
        return StoredLink(
            entity=profile.iri,
            link_set=link_set,
            target=record.iri,
            predicate=predicate,
            confidence=match.confidence,
            evidence=match.evidence,
            status=status,
            label=profile.heading,
            heading=record.heading,
            file=file.name,
            quads="".join(lines) if status == "accepted" else "",
        )


def _stated_numbers(entity: Entity, link_set: str, candidates: Candidates) -> set[str]:
    """Return the keys of the numbers of an authority that the records of an entity state."""
    own = {number_key(target) for target in candidates.pieces} if link_set not in _KNOWN else set()
    numbers = ((number_key(number), authority_of(number)) for number in entity.profile.numbers)
    return {key for key, authority in numbers if authority == link_set or key in own}


def _is_tie(matches: list[Match], review: float) -> bool:
    """Whether records that fit equally well share the probability among them."""
    return sum(match.confidence for match in matches) >= review


_KNOWN = frozenset(
    ("viaf", "gnd", "isni", "lcnaf", "lcsh", "lcgft", "wikidata", "orcid", "fast", "mesh", "bnf", "geonames")
)


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
    return {
        name: _describe_link_set(name, numbers, files.get(name, ()), iris) for name, numbers in sorted(accepted.items())
    }


def _describe_link_set(name: str, numbers: dict[str, int], files: Sequence[RegisteredFile], iris: Iris) -> str:
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
