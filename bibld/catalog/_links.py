"""Links from entities to authority files: the files, the links with their evidence, and the quads that they own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from bibld.catalog._queues import Queue
from bibld.parallel import batches

_LINKS_OF_BLOCK = 200


class RegisteredFile(msgspec.Struct, frozen=True):
    """An authority file that entities are linked to.

    ``name`` is unique; a file that is registered under a known name replaces that one. ``path`` is where the file was,
    ``digest`` a hash of its content, ``template`` makes IRIs of its ids, ``linked_at`` is the time of its first linking
    (ISO 8601). Links of ``threshold`` confidence are published; those of ``review`` or more wait for a person.
    """

    name: str
    path: str
    digest: str
    template: str
    linked_at: str
    records: int
    threshold: float
    review: float


class StoredLink(msgspec.Struct, frozen=True):
    """A link from an entity (its IRI) to a record of an authority file (``target``), or a candidate for one.

    ``link_set`` is the short name of the authority, ``heading`` the authority's preferred label, ``evidence`` the
    reasons in words. ``status`` is accepted (published), review (waits for a person), or disagreement: the entity has
    another number of this authority. ``quads`` are the published lines with their line ends, none unless accepted.
    """

    entity: str
    link_set: str
    target: str
    predicate: str
    confidence: float
    evidence: tuple[str, ...]
    status: str
    label: str
    heading: str
    file: str
    quads: str


class LinkTables:
    """The tables of authority files, links and link sets. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    # -- authority files ---------------------------------------------------------------------------------------------

    def files(self) -> list[RegisteredFile]:
        """Return the registered files by name."""
        rows = self._connection.execute("SELECT * FROM authority_file ORDER BY name")
        return [RegisteredFile(*row) for row in rows]

    def register(self, file: RegisteredFile) -> None:
        """Register a file in place of one with the same name."""
        self._connection.execute(
            "INSERT OR REPLACE INTO authority_file VALUES (?, ?, ?, ?, ?, ?, ?, ?)", msgspec.structs.astuple(file)
        )

    def unregister(self, name: str) -> None:
        """Remove a file; its links are removed when the entities are linked again."""
        self._connection.execute("DELETE FROM authority_file WHERE name = ?", (name,))

    def queue_all_entities(self) -> None:
        """Queue all entities, and none that does not exist any more."""
        self._connection.execute("DELETE FROM dirty_queue WHERE queue = ?", (Queue.UNLINKED_ENTITIES,))
        self._connection.execute("INSERT INTO dirty_queue SELECT ?, entity FROM entity", (Queue.UNLINKED_ENTITIES,))

    def queue_entities(self, iris: Iterable[str]) -> None:
        """Queue the entities with these IRIs, as far as they exist."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO dirty_queue SELECT ?, entity FROM entity WHERE iri = ?",
            ((Queue.UNLINKED_ENTITIES, iri) for iri in iris),
        )

    # -- links -------------------------------------------------------------------------------------------------------

    def replace(self, entity: str, links: Sequence[StoredLink]) -> list[str]:
        """Store the links of an entity in place of its former ones; return the quads of those, without line ends."""
        before = self.quads_of(entity)
        self._connection.execute("DELETE FROM link WHERE entity = ?", (entity,))
        self._connection.executemany(
            "INSERT INTO link VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                msgspec.structs.astuple(
                    msgspec.structs.replace(link, evidence=msgspec.json.encode(link.evidence).decode())
                )
                for link in links
            ),
        )
        return before

    def quads_of(self, entity: str) -> list[str]:
        """Return the quads of the links of an entity, without line ends."""
        rows = self._connection.execute("SELECT quad FROM link WHERE entity = ? AND quad <> ''", (entity,))
        return [line for (quads,) in rows for line in quads.splitlines()]

    def orphans(self) -> list[str]:
        """Return the IRIs with links that are not those of an entity any more."""
        rows = self._connection.execute(
            "SELECT DISTINCT link.entity FROM link LEFT JOIN entity ON entity.iri = link.entity"
            " WHERE entity.iri IS NULL ORDER BY link.entity"
        )
        return [iri for (iri,) in rows]

    def of_entity(self, entity: str) -> list[StoredLink]:
        """Return the links and candidates of an entity, the most probable first."""
        return list(self._links("WHERE entity = ? ORDER BY confidence DESC, target", (entity,)))

    def with_status(self, status: str) -> Iterator[StoredLink]:
        """Yield the links of a status, the most probable first."""
        return self._links("WHERE status = ? ORDER BY confidence DESC, entity, target", (status,))

    def _links(self, condition: str, parameters: tuple[str, ...]) -> Iterator[StoredLink]:
        for row in self._connection.execute(f"SELECT * FROM link {condition}", parameters):
            cells = dict(zip(StoredLink.__struct_fields__, row, strict=True))
            yield msgspec.convert(cells | {"evidence": json.loads(cells["evidence"])}, StoredLink)

    def counts(self) -> list[tuple[str, str, str, int]]:
        """Return how many links there are: link set, predicate, status, number."""
        return self._connection.execute(
            "SELECT link_set, predicate, status, count(*) FROM link GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        ).fetchall()

    def files_of_link_sets(self) -> dict[str, list[RegisteredFile]]:
        """Return the files in which the accepted links of each link set were found, by name."""
        files = {file.name: file for file in self.files()}
        rows = self._connection.execute(
            "SELECT DISTINCT link_set, file FROM link WHERE status = 'accepted' ORDER BY link_set, file"
        )
        found: dict[str, list[RegisteredFile]] = {}
        for link_set, name in rows:
            if name in files:
                found.setdefault(link_set, []).append(files[name])
        return found

    def all_quads(self) -> Iterator[bytes]:
        """Yield the lines of all links by entity, then of the descriptions of link sets, in blocks of lines."""
        rows = self._connection.execute("SELECT quad FROM link WHERE quad <> '' ORDER BY entity, link_set, target")
        for batch in batches((quads for (quads,) in rows), _LINKS_OF_BLOCK):
            yield "".join(batch).encode()
        for (quads,) in self._connection.execute("SELECT quads FROM link_set ORDER BY name"):
            yield quads.encode()

    # -- link sets ---------------------------------------------------------------------------------------------------

    def descriptions(self) -> dict[str, str]:
        """Return the lines that describe each link set, by its name."""
        return dict(self._connection.execute("SELECT name, quads FROM link_set").fetchall())

    def put_descriptions(self, descriptions: dict[str, str]) -> None:
        """Store the descriptions of all link sets in place of the former ones."""
        self._connection.execute("DELETE FROM link_set")
        self._connection.executemany("INSERT INTO link_set VALUES (?, ?)", sorted(descriptions.items()))

    def last_seen_verdict(self) -> int:
        """Return the number of the last verdict about a link that the stored links respect."""
        return int(self._connection.execute("SELECT coalesce(max(verdict), 0) FROM seen_link_verdict").fetchone()[0])

    def mark_verdicts_seen(self, verdict: int) -> None:
        """Note that the stored links respect the verdicts up to this number."""
        self._connection.execute("DELETE FROM seen_link_verdict")
        self._connection.execute("INSERT INTO seen_link_verdict VALUES (?)", (verdict,))
