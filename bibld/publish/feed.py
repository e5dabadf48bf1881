"""The change feed: what each release created, updated, merged, separated or deleted.

``changes.tsv`` has the changes of this release. The feed, a Linked Data Event Stream (``feed.ttl``,
https://w3id.org/ldes/specification), has those of earlier ones too, in pages that never change once they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import msgspec

from bibld import documents as published
from bibld.documents import Change, ChangeKind
from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.model.rdf import iri, term, typed_literal
from bibld.model.release import link_or_copy
from bibld.parallel import batches
from bibld.protocols import ReleaseDraft

NEEDS: tuple[str, ...] = ("documents",)
IN_OWN_PROCESS = True

TABLE = "changes.tsv"
STREAM = "feed.ttl"

_PUBLISHED = re.compile(r'as:published "([^"]+)"')
_PAGE = re.compile(r"feed-(\d+)-(\d+)\.ttl")
_ACTIVITIES = "https://www.w3.org/ns/activitystreams"
_LDES = "https://w3id.org/ldes#"
_TREE = "https://w3id.org/tree#"
_TYPES = {
    ChangeKind.CREATED: "Create",
    ChangeKind.UPDATED: "Update",
    ChangeKind.MERGED: "Move",
    ChangeKind.SPLIT: "Move",
    ChangeKind.DELETED: "Delete",
}
"""The types of changes, in the vocabulary of ActivityStreams.

A merge moves the description to another IRI, a split moves it back from there.
"""


class Settings(msgspec.Struct, frozen=True):
    """The table ``[publish.feed]``.

    ``folders`` are the first parts of the paths of the IRIs whose changes are listed. ``page`` is the number of changes
    on a page of the feed. ``releases``: the feed has the pages of this number of releases.
    """

    folders: tuple[str, ...] = ("resource", "agent", "concept", "place", "publisher", "series", "work")
    page: Annotated[int, msgspec.Meta(ge=1)] = 500
    releases: Annotated[int, msgspec.Meta(ge=1)] = 60


class _Page(msgspec.Struct, frozen=True, order=True):
    """A page of the feed: the release that made it, its number there, and the time of its changes."""

    release: int
    number: int
    time: str

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"feed-{self.release}-{self.number}.ttl"


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write the changes of the release and the feed; the part ``documents`` must have been written before.

    A release before which no documents are known has no changes: whoever reads the feed begins with its dumps.
    """
    with published.open_published(draft.workspace, draft.manifest.number) as view:
        write_changes(draft, settings, None if view.is_first else view.changes())
    return draft


def write_changes(draft: ReleaseDraft, settings: Settings, changed: Iterable[Change] | None) -> None:
    """Write the changes of the release, in the order of their paths, and the feed; None: they are not known."""
    number, created = draft.manifest.number, draft.manifest.created
    feed = _Feed(draft, settings)
    changes = [each for each in changed or () if each.path.partition("/")[0] in settings.folders]
    pages = [] if changed is None or draft.withdraws else feed.link_pages()
    with (draft.folder / TABLE).open("w", encoding="utf-8", newline="\n") as table:
        table.write("iri\tchange\tother\ttime\n")
        for each in changes:
            table.write(f"{feed.iri(each.path)}\t{each.kind}\t{feed.other(each)}\t{created}\n")
    for page_number, batch in enumerate(batches(changes, settings.page), 1):
        page = _Page(number, page_number, created)
        feed.write_page(page, batch)
        pages.append(page)
    feed.write_root(pages)


class _Feed:
    """The feed of one release in the making."""

    def __init__(self, draft: ReleaseDraft, settings: Settings) -> None:
        self._draft = draft
        self._settings = settings
        self._iris = Iris(draft.manifest.dataset.base)

    def iri(self, path: str) -> str:
        """Return the IRI with a path."""
        return f"{self._iris.base}{path}"

    def other(self, change: Change) -> str:
        """Return the IRI that the change leads to, or comes from; empty if there is none."""
        path = change.target_before if change.kind is ChangeKind.SPLIT else change.target_after
        return self.iri(path) if path else ""

    def _address(self, name: str) -> str:
        return f"{self._iris.base}dumps/{name}"

    def link_pages(self) -> list[_Page]:
        """Take over the pages of the previous release, as far as they are not too old; return them in their order."""
        previous = self._draft.previous
        if previous is None:
            return []
        oldest = self._draft.manifest.number - self._settings.releases
        pages = []
        for file in previous.manifest.files:
            found = _PAGE.fullmatch(file.name)
            if found and int(found[1]) > oldest:
                link_or_copy(previous.folder / file.name, self._draft.folder / file.name)
                published_at = _PUBLISHED.search((previous.folder / file.name).read_text(encoding="utf-8"))
                assert published_at is not None  # a page has changes
                pages.append(_Page(int(found[1]), int(found[2]), published_at[1]))
        return sorted(pages)

    def write_page(self, page: _Page, changes: Sequence[Change]) -> None:
        """Write a page: a node of the stream."""
        lines = [*self._prefixes(), *self._stream(), f"{iri(self._address(page.name))} a tree:Node .\n"]
        for number, change in enumerate(changes, 1):
            lines.extend(self._member(page, number, change))
        (self._draft.folder / page.name).write_text("".join(lines), encoding="utf-8")

    def _member(self, page: _Page, number: int, change: Change) -> Iterator[str]:
        thing, other = iri(self.iri(change.path)), self.other(change)
        member, time = iri(f"{self._address(page.name)}#{number}"), typed_literal(page.time, "dateTime")
        yield f"{self._name} tree:member {member} .\n"
        yield f'{member} a as:{_TYPES[change.kind]} ; as:summary "{change.kind.value}" ; as:object {thing} ;\n'
        yield f"  {term('dcterms:isVersionOf')} {thing} ; as:published {time}"
        if change.kind is ChangeKind.SPLIT:
            yield f" ; as:origin {iri(other)} ; as:target {thing}"
        elif other:
            yield f" ; as:target {iri(other)}"
        yield " .\n"
        if change.kind is ChangeKind.DELETED:
            yield f"{thing} a as:Tombstone ; as:deleted {time} .\n"

    @property
    def _name(self) -> str:
        return iri(f"{self._address(STREAM)}#stream")

    def _prefixes(self) -> Iterator[str]:
        for prefix, namespace in (("as", f"{_ACTIVITIES}#"), ("ldes", _LDES), ("tree", _TREE), ("xsd", rdf.XSD)):
            yield f"@prefix {prefix}: <{namespace}> .\n"

    def _stream(self) -> Iterator[str]:
        yield f"{self._name} a ldes:EventStream ; tree:view {iri(self._address(STREAM))} ;\n"
        yield f"  ldes:timestampPath as:published ; ldes:versionOfPath {term('dcterms:isVersionOf')} .\n"

    def write_root(self, pages: Sequence[_Page]) -> None:
        """Write the first node of the stream, which leads to all pages."""
        root = iri(self._address(STREAM))
        lines = [*self._prefixes(), *self._stream()]
        lines.append(f"{root} a tree:Node ; {term('dcterms:modified')} ")
        lines.append(f"{typed_literal(self._draft.manifest.created, 'dateTime')} .\n")
        for page in pages:
            relation = iri(f"{self._address(STREAM)}#{page.name.removesuffix('.ttl')}")
            time, node = typed_literal(page.time, "dateTime"), iri(self._address(page.name))
            lines.append(f"{root} tree:relation {relation} .\n")
            lines.append(f"{relation} a tree:GreaterThanOrEqualToRelation ; tree:path as:published ;\n")
            lines.append(f"  tree:value {time} ; tree:node {node} .\n")
        (self._draft.folder / STREAM).write_text("".join(lines), encoding="utf-8")
