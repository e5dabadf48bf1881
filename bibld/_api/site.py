"""What a server gets from a workspace: the current release, and what waits for people and their verdicts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

import msgspec

from bibld import pipeline
from bibld._api.configured import ConfiguredWorkspace, remote_store, run_time
from bibld._api.enriching import ReturnedRecords
from bibld._api.entities import MAX_WAITING, entity_question, entity_side, waiting_entities
from bibld._api.links import Links
from bibld._api.review import EntityDecision, PersonDecision, Review, VerdictRow
from bibld._api.table_files import table_format, write_table
from bibld.catalog import Catalog, DatabaseWatch, StoredLink, Verdicts
from bibld.config import Config
from bibld.crosswalk import to_marc
from bibld.dedup import review as reviewing
from bibld.dedup.deciding_facts import deciding_facts
from bibld.dedup.features import features_of
from bibld.documents import open_published, published_releases
from bibld.ingest import public_original_of
from bibld.model.enrichment import EnrichmentReport, ReturnedFiles
from bibld.model.iris import Iris
from bibld.model.review import (
    EntityPair,
    EntityQuestion,
    Item,
    ItemKind,
    LinkCandidate,
    LinkQuestion,
)
from bibld.protocols import SourceRecord
from bibld.publish import Releases
from bibld.publish.match import FOLDER
from bibld.search import has_search, open_search
from bibld.serve import Settings
from bibld.serve.site import ReleaseLookup, Site, StaticSite, serve, write_static
from bibld.text.libraries import country_of_library
from bibld.text.translations import sentences_in
from bibld.worklist import WorklistCount, WorklistLine, stored_worklist, worklist_counts


def serve_site(workspace: ConfiguredWorkspace, stated: Mapping[str, Any]) -> None:
    """Serve the current release until the process is interrupted; ``stated`` replaces settings of ``[serve]``."""
    config = workspace.config
    settings = msgspec.structs.replace(config.serve, **stated)
    pipeline.current_release(config)  # reports at once that there is none
    releases = ReleaseLookup(Releases(config.workspace).current, lambda: open_site(workspace, settings))
    serve(settings, config.dataset.base, releases)


def write_site(workspace: ConfiguredWorkspace, folder: Path) -> StaticSite:
    """Write the current release as files into a folder."""
    return write_static(open_site(workspace, workspace.config.serve), folder, workspace.progress)


def open_site(workspace: ConfiguredWorkspace, settings: Settings) -> Site:
    """Open the current release, which stays on disk until it is closed, and a catalog for it alone.

    Raises ``StageError`` before the first release, and ``ConfigError`` if the store of the settings is unknown.
    """
    config = workspace.config
    remote = remote_store(config, settings.store) if settings.store else None
    with ExitStack() as opening:
        lock = None
        while lock is None:  # None: it was removed between two lines, and another one is current
            release, manifest = pipeline.current_release(config)
            lock = Releases.hold(release)
        opening.callback(lock.close)
        catalog = opening.enter_context(Catalog(config.workspace, read_only=True, config_file=config.file))
        original = partial(public_original_of, catalog=catalog)
        store_settings = config.settings("store", manifest.backend)
        published = None
        if manifest.number in published_releases(config.workspace):
            published = partial(open_published, config.workspace, manifest.number)
        search = None
        if has_search(release):
            search = partial(open_search, release)
        close = opening.pop_all().close
        return Site(
            manifest,
            release,
            catalog,
            original,
            settings,
            close,
            store_settings,
            remote,
            published,
            search,
            ReviewDesk(workspace),
            lambda record: catalog.records.subfields_beside_mods(record.ordinal),
            match_command(config.file) if (release / FOLDER).is_dir() else (),
            StoredWorklists(config.workspace),
            partial(to_marc, punctuation=True, country=country_of_libraries(config)),
            ReturnedRecords(config, catalog).get if config.dataset.base.isascii() else None,
        )


def country_of_libraries(config: Config) -> str | None:
    """Return the country (ISO 3166) of the ``isil`` of the dataset, else that of all its sources; None if unknown."""
    codes = [config.dataset.isil] if config.dataset.isil else [source.config.isil for source in config.sources]
    countries = {country_of_library(code, is_marc_code=True) for code in codes}
    return countries.pop() if len(countries) == 1 else None


def match_command(config: Path) -> tuple[str, ...]:
    """Return the command that starts the process that matches a file with the current release."""
    return sys.executable, "-P", "-m", "bibld._api.match_process", str(config.absolute())


class StoredWorklists:
    """Reads the last worklists of a workspace, for ``bibld.serve``."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    def counts(self, source: str) -> Sequence[WorklistCount]:
        """Return the counts of all worklists of a source, the last run at the end."""
        return worklist_counts(self._workspace, source)

    def lines(self, source: str, kind: str, limit: int, offset: int) -> Sequence[WorklistLine]:
        """Return some lines of the last worklist, of one kind or, without one, of all."""
        return list(stored_worklist(self._workspace, source, kind, limit, offset))

    def returned(self, source: str) -> Sequence[EnrichmentReport]:
        """Return what the files contain that were written last for the library."""
        return ReturnedFiles.read(self._workspace).sources.get(source, ())

    def write_table(self, source: str, file: Path, language: str) -> None:
        """Write the last worklist as a table in a language, in the format of the suffix of the file."""
        lines = stored_worklist(self._workspace, source)
        write_table(lines, WorklistLine.__struct_fields__, file, table_format(file, None), sentences_in(language))


# -- review ------------------------------------------------------------------------------------------------------------

_DECISIONS_ABOUT_LINKS = {"same": "accepted", "different": "rejected"}


class ReviewDesk:
    """What waits for people in a workspace, and their verdicts, for ``bibld.serve``."""

    def __init__(self, workspace: ConfiguredWorkspace) -> None:
        self._workspace = workspace
        self._iris = Iris(workspace.config.dataset.base)
        self._watch = DatabaseWatch(workspace.config.workspace.absolute())

    @property
    def leases_file(self) -> Path:
        """Where it is stored who is offered which pair."""
        return self._workspace.config.workspace / "review.db"

    def version(self) -> object:
        """Return a value that is equal only as long as nothing that :meth:`waiting` reads has changed."""
        return self._watch.version()

    def waiting(self, kind: ItemKind = ItemKind.RECORDS) -> Sequence[Item]:
        """Return the pairs of a kind that nobody has decided, those to be decided first at the beginning."""
        with self._workspace.catalog() as catalog:
            if kind == ItemKind.ENTITIES:
                return waiting_entities(catalog, self._iris)
            if kind == ItemKind.LINKS:
                return waiting_links(catalog, self._iris)
            return list(reviewing.undecided_pairs(catalog, self._workspace.config))

    def describe(self, item: EntityPair | LinkCandidate) -> EntityQuestion | LinkQuestion | None:
        """Return what a person needs to decide; None if this does not wait any more."""
        with self._workspace.catalog() as catalog:
            if isinstance(item, EntityPair):
                return entity_question(catalog, self._iris, item)
            return link_question(catalog, self._iris, item)

    def would_decide(self, left: SourceRecord, right: SourceRecord, names: tuple[str, str]) -> Sequence[str]:
        """Return sentences about what would have to be known to decide; ``names`` are what they call the records."""
        return deciding_facts(features_of(left.mods), features_of(right.mods), names, self._workspace.config)

    def decide(self, item: Item, decision: str, relation: str, reason: str, person: str) -> str:
        """Store a verdict; return it as JSON, empty if the same one is in force already.

        Raises ``ConfigError`` and ``CatalogError``.
        """
        if isinstance(item, LinkCandidate):
            chosen = _DECISIONS_ABOUT_LINKS[decision]
            is_new = Links(self._workspace).decide(item.entity, item.target, chosen, reason=reason, person=person)
            return msgspec.json.encode((chosen, person, reason)).decode() if is_new else ""
        review = Review(self._workspace)
        if isinstance(item, EntityPair):
            left, right = self._iris.base + item.left, self._iris.base + item.right
            chosen = cast("EntityDecision", relation or decision)
            given = review.decide_entities(left, right, chosen, reason=reason, person=person)
        else:
            given = review.decide(
                str(item.left),
                str(item.right),
                cast("PersonDecision", decision),
                relation=relation,
                reason=reason,
                person=person,
            )
        return msgspec.json.encode(given).decode() if given is not None else ""

    def withdraw(self, item: Item, verdict: str) -> bool:
        """Withdraw a verdict that :meth:`decide` returned; False if it is no longer the one in force.

        Raises ``CatalogError``.
        """
        if isinstance(item, LinkCandidate):
            return self._withdraw_link(item, verdict)
        given = msgspec.json.decode(verdict, type=VerdictRow)
        workspace = self._workspace
        with Verdicts(workspace.config.workspace, config_file=workspace.path) as verdicts, verdicts.transaction():
            stored = verdicts.get(item)
            if stored is None or VerdictRow.from_verdict(stored, self._iris.base) != given:
                return False
            return verdicts.withdraw(stored)

    def _withdraw_link(self, candidate: LinkCandidate, verdict: str) -> bool:
        workspace = self._workspace
        given = msgspec.json.decode(verdict, type=tuple[str, str, str])
        with Verdicts(workspace.config.workspace, config_file=workspace.path) as verdicts, verdicts.transaction():
            stored = verdicts.get(candidate)
            if stored is None or (stored.decision, stored.person, stored.reason) != given:
                return False
            withdrawn = msgspec.structs.replace(stored, decision="withdrawn")
            return bool(verdicts.add([withdrawn], run_time().isoformat()))


# -- links


def waiting_links(catalog: Catalog, iris: Iris) -> list[LinkCandidate]:
    """Return the candidates for links that nobody has decided, the most probable first.

    Where a person has accepted a candidate of an authority file, the others of that file do not wait any more.
    """
    return [
        LinkCandidate(iris.path(link.entity) or "", link.target)
        for link in islice(_open_links(catalog, iris), MAX_WAITING)
    ]


def _open_links(catalog: Catalog, iris: Iris) -> Iterator[StoredLink]:
    for link in catalog.links.with_status("review"):
        if _waits(catalog, iris, link):
            yield link


def _waits(catalog: Catalog, iris: Iris, link: StoredLink) -> bool:
    verdicts = catalog.verdicts.of_entity(iris.path(link.entity) or "")
    if link.target in verdicts:
        return False
    accepted = {target for target, verdict in verdicts.items() if verdict.decision == "accepted"}
    return not any(
        other.target in accepted and other.link_set == link.link_set for other in catalog.links.of_entity(link.entity)
    )


def link_question(catalog: Catalog, iris: Iris, candidate: LinkCandidate) -> LinkQuestion | None:
    """Return what a person needs to decide about a link; None if it does not wait any more."""
    links = catalog.links.of_entity(iris.base + candidate.entity)
    link = next((one for one in links if one.target == candidate.target and one.status == "review"), None)
    side = entity_side(catalog, iris, candidate.entity)
    if link is None or side is None or not _waits(catalog, iris, link):
        return None
    others = [(one.heading, one.target) for one in links if one.link_set == link.link_set and one is not link]
    return LinkQuestion(side, link.target, link.heading, link.link_set, link.confidence, link.evidence, tuple(others))
