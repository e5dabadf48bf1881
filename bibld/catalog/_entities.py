"""Agents, concepts, places, publishers and series: what clusters assert about each, and the quads made of that."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count

import msgspec

from bibld.catalog._quads import QuadTable, to_moved
from bibld.model.iris import entity_identity
from bibld.parallel import batches

_PARAMETERS = 500
"""IRIs in one query; SQLite takes 32,766 at most."""

AssertionChange = tuple[int, str, bytes, int | None, int | None]
"""What a cluster asserts otherwise: founder, IRI of the entity, body, votes before and after (None: not asserted)."""

EntityRow = tuple[bytes | None, str | None, int]
"""Compressed quads of an entity, where what they point to has moved (:func:`to_moved`), and its number."""


class AssertionKeys(msgspec.Struct, frozen=True):
    """What an assertion refers to.

    Entities with an equal text among their ``ties`` (or that is the identity of one of them) may be the same; ``parts``
    are the IRIs of entities that the description of this one points to.
    """

    ties: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


class StoredEntity(msgspec.Struct, frozen=True):
    """An entity: its number and IRI, and the body and votes of each assertion about it, in no order."""

    entity: int
    iri: str
    assertions: list[tuple[bytes, int]]


class Entities(QuadTable):
    """The tables of entities, assertions and asserting clusters. Nothing is committed here; the catalog does that.

    An entity has a number in the catalog, which is given up with it; nothing published depends on the number. Entities
    that are the same form a cluster; the number of its founder, which has the quads, is stored with the others.
    """

    table = owner = kind = "entity"
    order = "iri"

    def asserted_by(self, founder: int) -> dict[tuple[str, bytes], int]:
        """Return the votes for each assertion of a cluster, by IRI of the entity and body."""
        rows = self._connection.execute(
            "SELECT iri, body, asserting_cluster.votes FROM asserting_cluster JOIN assertion USING (assertion)"
            " JOIN entity USING (entity) WHERE asserting_cluster.founder = ?",
            (founder,),
        )
        return {(iri, body): votes for iri, body, votes in rows}

    def change_assertions(
        self, changes: Sequence[AssertionChange], keys_of: Callable[[bytes], AssertionKeys]
    ) -> list[int]:
        """Store what clusters assert otherwise than before.

        A vote is a record that prefers a form of the name; it counts once among all assertions with that form.
        ``keys_of`` reads the body of an assertion. Returns the entities to be described again, ascending: those that
        the changes are about, and those that were tied to one of them until now.
        """
        if not changes:
            return []
        numbers = self._numbers(iri for _, iri, _, _, _ in changes)
        sums: dict[tuple[int, bytes], list[int]] = {}
        for _, iri, body, before, after in changes:
            total = sums.setdefault((numbers[iri], body), [0, 0])
            total[0] += (after is not None) - (before is not None)
            total[1] += (after or 0) - (before or 0)
        assertions: dict[tuple[int, bytes], int] = {}
        keys: Counter[tuple[str, int, int]] = Counter()
        for (entity, body), (clusters, votes) in sorted(sums.items()):
            assertions[entity, body], now = self._add_to_assertion(entity, body, clusters, votes)
            if clusters > 0 and now == clusters:
                keys.update(_rows_of_keys(entity, keys_of(body)))
            elif now == 0:
                keys.subtract(_rows_of_keys(entity, keys_of(body)))
        rows = [
            (founder, assertions[numbers[iri], body], before, after) for founder, iri, body, before, after in changes
        ]
        self._connection.executemany(
            "DELETE FROM asserting_cluster WHERE founder = ? AND assertion = ?",
            [(founder, assertion) for founder, assertion, before, _ in rows if before is not None],
        )
        self._connection.executemany(
            "INSERT INTO asserting_cluster VALUES (?, ?, ?)",
            [(founder, assertion, after) for founder, assertion, _, after in rows if after is not None],
        )
        self._connection.executemany(
            "DELETE FROM assertion WHERE assertion = ? AND clusters = 0",
            [(assertions[key],) for key, (clusters, _) in sums.items() if clusters < 0],
        )
        return sorted({entity for entity, _ in sums} | self._add_keys(keys))

    def _numbers(self, iris: Iterable[str]) -> dict[str, int]:
        """Return the numbers of entities by IRI; new ones get the next numbers, in the order of their IRIs."""
        wanted = sorted(set(iris))
        known: dict[str, int] = {}
        for some in batches(wanted, _PARAMETERS):
            query = f"SELECT iri, entity FROM entity WHERE iri IN ({','.join('?' * len(some))})"
            known.update(self._connection.execute(query, some))
        last = self._connection.execute("SELECT coalesce(max(entity), 0) FROM entity").fetchone()[0]
        new = dict(zip((iri for iri in wanted if iri not in known), count(last + 1)))
        self._connection.executemany("INSERT INTO entity (iri, entity) VALUES (?, ?)", new.items())
        self._connection.executemany(
            "INSERT INTO entity_tie VALUES (?, ?, 1)",
            ((hash_key(entity_identity(iri)), entity) for iri, entity in new.items()),
        )
        return known | new

    def _add_to_assertion(self, entity: int, body: bytes, clusters: int, votes: int) -> tuple[int, int]:
        """Add to the numbers of clusters and votes of an assertion, which may be new.

        Returns its number, and how many clusters make it now.
        """
        row = self._connection.execute(
            "INSERT INTO assertion (entity, digest, body, clusters, votes) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (entity, digest)"
            " DO UPDATE SET clusters = clusters + excluded.clusters, votes = votes + excluded.votes"
            " RETURNING assertion, clusters",
            (entity, _hash(body), body, clusters, votes),
        ).fetchone()
        return int(row[0]), int(row[1])

    def _add_keys(self, changes: Mapping[tuple[str, int, int], int]) -> set[int]:
        """Change how often entities have keys (table, key, entity); return the others with a key that one has lost."""
        untied: list[int] = []
        for table in ("entity_tie", "entity_part"):
            rows = [
                (key, entity, number) for (name, key, entity), number in changes.items() if name == table and number
            ]
            self._connection.executemany(
                f"INSERT INTO {table} VALUES (?, ?, ?)"
                " ON CONFLICT (key, entity) DO UPDATE SET uses = uses + excluded.uses",
                sorted(rows),
            )
            for key, entity, number in rows:
                if number < 0:
                    deleted = self._connection.execute(
                        f"DELETE FROM {table} WHERE key = ? AND entity = ? AND uses <= 0 RETURNING key", (key, entity)
                    ).fetchall()
                    if deleted and table == "entity_tie":
                        untied.append(key)
        return self._with_keys("entity_tie", untied)

    def _with_keys(self, table: str, keys: Iterable[int]) -> set[int]:
        rows = self._connection.execute(
            f"SELECT DISTINCT entity FROM {table} WHERE key IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(keys)),),
        )
        return {entity for (entity,) in rows}

    def assertions(self, entity: int) -> list[tuple[bytes, int]]:
        """Return the body and the votes of each assertion about an entity, in no order."""
        return self._connection.execute("SELECT body, votes FROM assertion WHERE entity = ?", (entity,)).fetchall()

    def assertions_with(self, text: str) -> Iterator[tuple[bytes, int]]:
        """Yield the body of each assertion that contains a text, with the founder of each cluster that makes it."""
        yield from self._connection.execute(
            "SELECT body, founder FROM assertion JOIN asserting_cluster USING (assertion) WHERE instr(body, ?)",
            (text.encode(),),
        )

    def asserting_clusters(self, iri: str) -> list[int]:
        """Return the founders of the clusters that name an entity, by its IRI or another of the same one, ascending."""
        founder = self.founder_of_iri(iri)
        return [] if founder is None else self.clusters_asserting(self.members(founder))

    def clusters_asserting(self, entities: Iterable[int]) -> list[int]:
        """Return the founders of the clusters that assert something about any of the entities, ascending."""
        rows = self._connection.execute(
            "SELECT DISTINCT founder FROM asserting_cluster JOIN assertion USING (assertion)"
            " WHERE entity IN (SELECT value FROM json_each(?)) ORDER BY founder",
            (json.dumps(sorted(entities)),),
        )
        return [founder for (founder,) in rows]

    # -- entities that are the same ----------------------------------------------------------------------------------

    def number(self, iri: str) -> int | None:
        """Return the number of the entity with an IRI; None if no cluster asserts anything about it."""
        row = self._connection.execute("SELECT entity FROM entity WHERE iri = ?", (iri,)).fetchone()
        return row[0] if row else None

    def founder_of_iri(self, iri: str) -> int | None:
        """Return the founder of the entity with an IRI, which may be only an alias or spelled as it was formerly.

        None if there is no such entity, or more than one.
        """
        entity = self.number(iri)
        if entity is not None:
            return self.founder(entity)
        founders = {self.founder(entity) for entity in self.with_identity(entity_identity(iri))}
        return founders.pop() if len(founders) == 1 else None

    def with_identity(self, identity: str) -> set[int]:
        """Return the entities that have an identity (:func:`bibld.model.iris.entity_identity`), or an alias with it."""
        return self._with_keys("entity_tie", [hash_key(identity)])

    def tied(self, entities: Iterable[int]) -> list[int]:
        """Return the entities that are connected with some by ties, these included, ascending."""
        rows = self._connection.execute(
            "WITH RECURSIVE found (entity) AS (SELECT value FROM json_each(?) UNION SELECT other.entity FROM found"
            " JOIN entity_tie AS own ON own.entity = found.entity JOIN entity_tie AS other ON other.key = own.key)"
            " SELECT entity FROM found ORDER BY entity",
            (json.dumps(sorted(entities)),),
        )
        return [entity for (entity,) in rows]

    def founders_with_common_keys(self, limit: int, most: int) -> list[tuple[int, ...]]:
        """Return the founders of different clusters that share a key, for each such key: who may be the same.

        At most ``limit`` keys, none of more than ``most`` clusters; in no order that means anything, but the same one
        each time.
        """
        rows = self._connection.execute(
            "SELECT json_group_array(DISTINCT coalesce(founder, entity.entity)) FROM entity_tie JOIN entity"
            " USING (entity) GROUP BY key HAVING count(DISTINCT coalesce(founder, entity.entity)) BETWEEN 2 AND ?"
            " LIMIT ?",
            (most, limit),
        )
        return [tuple(sorted(json.loads(listed))) for (listed,) in rows]

    def load(self, entities: Iterable[int]) -> list[StoredEntity]:
        """Return the entities with these numbers about which clusters assert something, in the order of their IRIs."""
        wanted = json.dumps(sorted(entities))
        assertions: dict[int, list[tuple[bytes, int]]] = defaultdict(list)
        for entity, body, votes in self._connection.execute(
            "SELECT entity, body, votes FROM assertion WHERE entity IN (SELECT value FROM json_each(?))", (wanted,)
        ):
            assertions[entity].append((body, votes))
        rows = self._connection.execute(
            "SELECT entity, iri FROM entity WHERE entity IN (SELECT value FROM json_each(?)) ORDER BY iri", (wanted,)
        )
        return [StoredEntity(entity, iri, assertions[entity]) for entity, iri in rows if entity in assertions]

    def founder(self, entity: int) -> int:
        """Return the founder of the cluster of an entity; itself if it is the only member or not clustered yet."""
        row = self._connection.execute("SELECT founder FROM entity WHERE entity = ?", (entity,)).fetchone()
        return entity if row is None or row[0] is None else int(row[0])

    def members(self, founder: int) -> list[int]:
        """Return the entities of the cluster of a founder, itself included, ascending."""
        rows = self._connection.execute(
            "SELECT entity FROM entity WHERE founder = ?1 OR entity = ?1 ORDER BY entity", (founder,)
        )
        return [entity for (entity,) in rows]

    def set_founder(self, entity: int, founder: int) -> bool:
        """Store the founder of the cluster of an entity; return whether it was another one."""
        if self.founder(entity) == founder:
            return False
        self._connection.execute(
            "UPDATE entity SET founder = ? WHERE entity = ?", (None if founder == entity else founder, entity)
        )
        return True

    def founders_of_iris(self, iris: Iterable[str]) -> dict[str, str]:
        """Return the IRIs of the founders of those of some entities (their IRIs) that are not founders themselves."""
        rows = self._connection.execute(
            "SELECT member.iri, founder.iri FROM entity AS member JOIN entity AS founder"
            " ON founder.entity = member.founder WHERE member.iri IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(iris)),),
        )
        return dict(rows.fetchall())

    def founders_by_cluster(self, clusters: Iterable[int]) -> dict[int, dict[str, str]]:
        """Return the same for the entities about which each of some clusters (their founders) asserts something.

        Clusters whose entities are all founders are left out.
        """
        found: dict[int, dict[str, str]] = defaultdict(dict)
        rows = self._connection.execute(
            "SELECT DISTINCT asserting_cluster.founder, member.iri, founder.iri FROM asserting_cluster"
            " JOIN assertion USING (assertion) JOIN entity AS member USING (entity)"
            " JOIN entity AS founder ON founder.entity = member.founder"
            " WHERE asserting_cluster.founder IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(clusters)),),
        )
        for cluster, iri, founder in rows:
            found[cluster][iri] = founder
        return found

    def pointing_to(self, entities: Iterable[int]) -> list[int]:
        """Return the founders of the entities whose assertions point to any of some entities, ascending."""
        keys = [hash_key(iri) for iri in map(self.iri, entities) if iri is not None]
        return sorted({self.founder(entity) for entity in self._with_keys("entity_part", keys)})

    def verdict_change(self) -> int:
        """Return the last change of verdicts about entities that the clusters respect; 0 before the first."""
        row = self._connection.execute("SELECT verdict_change FROM entity_matching").fetchone()
        return int(row[0]) if row else 0

    def set_verdict_change(self, change: int) -> None:
        """Store the last change of verdicts that the clusters respect, when the entities it names are queued."""
        self._connection.execute("DELETE FROM entity_matching")
        self._connection.execute("INSERT INTO entity_matching VALUES (?)", (change,))

    # -- descriptions ------------------------------------------------------------------------------------------------

    def iri(self, entity: int) -> str | None:
        """Return the IRI of an entity; None if it does not exist any more."""
        row = self._connection.execute("SELECT iri FROM entity WHERE entity = ?", (entity,)).fetchone()
        return row[0] if row else None

    def row(self, entity: int, quads: bytes, moved: Mapping[str, str]) -> EntityRow:
        """Return the row to store of the quads of an entity; they are empty if it is not a founder."""
        return self._blobs.compress("entity", quads) if quads else None, to_moved(moved), entity

    def put(self, rows: Iterable[EntityRow]) -> None:
        """Store the quads of entities."""
        self._connection.executemany("UPDATE entity SET quads = ?, moved = ? WHERE entity = ?", rows)

    def drop(self, entities: Sequence[int]) -> None:
        """Delete entities about which no cluster asserts anything."""
        for table in ("entity", "entity_tie"):
            self._connection.executemany(f"DELETE FROM {table} WHERE entity = ?", ((entity,) for entity in entities))

    def count(self) -> int:
        """Return the number of entities that have a description."""
        return int(self._connection.execute("SELECT count(*) FROM entity WHERE quads IS NOT NULL").fetchone()[0])


def _rows_of_keys(entity: int, keys: AssertionKeys) -> Iterator[tuple[str, int, int]]:
    """Yield the rows (table, key, entity) of an assertion."""
    yield from (("entity_tie", hash_key(text), entity) for text in keys.ties)
    yield from (("entity_part", hash_key(text), entity) for text in keys.parts)


def hash_key(text: str) -> int:
    """Return 64 bits of a hash of a tie or an IRI, as SQLite stores an integer."""
    return _hash(text.encode())


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big", signed=True)
