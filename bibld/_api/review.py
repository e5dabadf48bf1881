"""What people decide about pairs of records: questions, verdicts, splits and joins."""

from __future__ import annotations

import getpass
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal, cast, get_args

import msgspec

from bibld._api.configured import ConfiguredWorkspace, PathName, check_choice, check_source, run_time
from bibld._api.explaining import resolve_record
from bibld._api.tables import Table
from bibld.catalog import RELATIONS, Catalog, Verdicts
from bibld.dedup import pair_files
from bibld.dedup import review as reviewing
from bibld.dedup.review import Question
from bibld.errors import ConfigError
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId
from bibld.model.review import INVERSE_RELATION, EntityPair, ItemKind, PersonVerdict

PersonDecision = Literal["same", "different", "related"]
EntityDecision = Literal["same", "different", "translation_of", "has_translation", "part_of", "has_part"]
"""What people decide about two entities; the relations are those of two works."""


class VerdictRow(msgspec.Struct, frozen=True):
    """A verdict of a person about two records or entities (their IRIs), and when it was given (ISO 8601)."""

    left: str
    right: str
    decision: str
    relation: str
    person: str
    reason: str
    given: str

    @classmethod
    def from_verdict(cls, verdict: PersonVerdict, base: str = "") -> VerdictRow:
        """Return the row of a verdict; ``base`` begins the IRIs of entities."""
        left, right = (str(one) for one in msgspec.structs.astuple(verdict.item))
        if not isinstance(verdict.item, Pair):
            left = base + left
            right = base + right if isinstance(verdict.item, EntityPair) else right
        relation, person = verdict.relation, verdict.person
        return cls(left, right, verdict.decision, relation, person, verdict.reason, verdict.given_at)

    def __str__(self) -> str:
        relation = f" ({self.relation})" if self.relation else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.left} {self.right}: {self.decision}{relation}, by {self.person}{reason}"


class Imported(msgspec.Struct, frozen=True):
    """What a table of verdicts changed: the new verdicts, how many were known before, and the lines of dormant ones.

    A verdict is dormant while one of its records is deleted.
    """

    new: Table[VerdictRow]
    known: int
    dormant: tuple[str, ...]


class Review:
    """The pairs that matching left undecided, and the verdicts of people about any pair (``workspace.review``).

    Verdicts may be given while a run is in progress; the next run uses them. ``person`` is the login name by default,
    and is not published. Every method raises ``ConfigError`` for an unknown record.
    """

    def __init__(self, workspace: ConfiguredWorkspace) -> None:
        self._workspace = workspace

    # -- questions ---------------------------------------------------------------------------------------------------

    def questions(self, source: str | None = None, limit: int | None = None) -> Table[Question]:
        """Return the pairs that wait for a person, of all records or those of a source.

        Those from whose decision most is learned are first: uncertain pairs of kinds that are frequent and that people
        have seldom decided.

        >>> len(workspace.review.questions(limit=1))
        1
        """
        with self._workspace.catalog() as catalog:
            found = (
                reviewing.load_question(catalog, self._workspace.config, pair)
                for pair in self._waiting(catalog, source)
            )
            return Table(Question, islice((one for one in found if one is not None), limit))

    def export_csv(self, out: PathName, source: str | None = None, limit: int | None = None) -> None:
        """Write the waiting pairs as CSV, to be filled in and given to :meth:`import_csv`; never overwrites a file.

        >>> workspace.review.export_csv("questions.csv")
        """
        self._write_new(Path(out), pair_files.questions_csv(self.questions(source, limit), self._workspace.words))

    def _write_new(self, file: Path, texts: Iterable[str]) -> None:
        try:
            with file.open("x", encoding="utf-8", newline="") as stream:
                stream.writelines(texts)
        except FileExistsError as error:
            raise ConfigError([f"{file}: exists, perhaps with labels; name another file"]) from error
        except OSError as error:
            raise ConfigError([f"{file}: cannot be written: {error.strerror}"]) from error

    def session(self, source: str | None = None, limit: int | None = None, person: str | None = None) -> ReviewSession:
        """Begin to answer the waiting pairs one after the other.

        >>> workspace.review.session(person="anna").total
        1
        """
        who = person_name(person)
        with self._workspace.catalog() as catalog:
            pairs = list(islice(self._waiting(catalog, source), limit))
        return ReviewSession(self._workspace, pairs, who)

    def _waiting(self, catalog: Catalog, source: str | None) -> Iterator[Pair]:
        check_source(self._workspace.config, source)
        return reviewing.undecided_pairs(catalog, self._workspace.config, source)

    # -- verdicts ----------------------------------------------------------------------------------------------------

    def verdicts(self) -> Table[VerdictRow]:
        """Return the verdicts in force.

        >>> len(workspace.review.verdicts())
        0
        """
        with self._opened() as (_, verdicts):
            return Table(VerdictRow, map(self._row, verdicts.current()))

    def decide(
        self,
        left: str,
        right: str,
        decision: PersonDecision,
        *,
        relation: str = "",
        reason: str = "",
        person: str | None = None,
    ) -> VerdictRow | None:
        """Store a verdict about two records; None if the same one is in force already.

        ``relation`` goes with *related*: same_set, part_of, other_edition, other_format or translation. Raises
        ``ConfigError`` for an unknown decision or relation, and for a verdict that contradicts others.

        >>> question = workspace.review.questions()[0]
        >>> workspace.review.decide(question.left, question.right, "different", person="anna").decision
        'different'
        """
        check_choice(decision, "decision", list(get_args(PersonDecision)))
        if relation and (decision != "related" or relation not in RELATIONS):
            raise ConfigError(
                [f'unknown relation "{relation}" of {decision} records (allowed: {", ".join(RELATIONS)})']
            )
        who, why = person_name(person), checked_reason(reason)
        with self._opened() as (catalog, verdicts):
            verdict = PersonVerdict(self._pair(catalog, left, right), decision, who, why, relation)
            given = reviewing.store_verdicts(verdicts, [verdict], run_time().isoformat())
        return self._row(given[0]) if given else None

    def join(self, left: str, right: str, *, reason: str = "", person: str | None = None) -> VerdictRow | None:
        """State that two live records are the same; None if that is in force already.

        >>> left, right = (row.record for row in workspace.records("rsl", limit=2))
        >>> workspace.review.join(left, right, person="anna").decision
        'same'
        """
        with self._workspace.catalog() as catalog:
            pair = self._pair(catalog, left, right)
            deleted = [record for record in (pair.left, pair.right) if catalog.cluster_of(record) is None]
        if deleted:
            raise ConfigError([f"{record} is deleted: it is in no cluster" for record in deleted])
        return self.decide(left, right, "same", reason=reason, person=person)

    def split(self, records: Sequence[str], *, reason: str = "", person: str | None = None) -> Table[VerdictRow]:
        """State that records do not belong to the others of their clusters, and return the new verdicts.

        Records that are named together stay together.

        >>> record = workspace.clusters()[0].records[0]
        >>> workspace.review.split([record], person="anna")[0].decision
        'different'
        """
        who, why = person_name(person), checked_reason(reason)
        with self._opened() as (catalog, verdicts):
            wanted = reviewing.split_verdicts(catalog, self._records(catalog, records), who, why)
            given = reviewing.store_verdicts(verdicts, wanted, run_time().isoformat())
        return Table(VerdictRow, map(self._row, given))

    def withdraw_split(self, records: Sequence[str]) -> Table[VerdictRow]:
        """Withdraw the verdicts by which :meth:`split` took these records out of their clusters.

        >>> record = workspace.clusters()[0].records[0]
        >>> given = workspace.review.split([record], person="anna")
        >>> len(workspace.review.withdraw_split([record])) == len(given)
        True
        """
        with self._opened() as (catalog, verdicts):
            taken = reviewing.withdraw_split_verdicts(verdicts, self._records(catalog, records))
        return Table(VerdictRow, map(self._row, taken))

    def withdraw(self, left: str, right: str) -> tuple[VerdictRow, VerdictRow | None]:
        """Withdraw the last verdict about two records; return it and the earlier one that is in force again.

        >>> left, right = workspace.clusters()[0].records[:2]
        >>> given = workspace.review.join(left, right, person="anna")
        >>> workspace.review.withdraw(left, right)[0] == given
        True
        """
        with self._opened() as (catalog, verdicts):
            pair = self._pair(catalog, left, right)
            taken = reviewing.withdraw_verdict(verdicts, pair)
            earlier = verdicts.get(pair)
        return self._row(taken), None if earlier is None else self._row(earlier)

    # -- entities ----------------------------------------------------------------------------------------------------

    def entity_verdicts(self) -> Table[VerdictRow]:
        """Return the verdicts about agents, concepts, places, publishers, series and works that are in force.

        >>> len(workspace.review.entity_verdicts())
        0
        """
        with self._opened() as (_, verdicts):
            return Table(VerdictRow, map(self._row, verdicts.current(ItemKind.ENTITIES)))

    def decide_entities(
        self, left: str, right: str, decision: EntityDecision, *, reason: str = "", person: str | None = None
    ) -> VerdictRow | None:
        """State that two entities (their IRIs) are the same, or are not; None if that is in force already.

        The next run follows: *same* gives them one description, even if records contradict; *different* keeps them
        apart, whatever ties them. Of works the others also keep them apart, and relate them: the left one is a
        translation or a part of the right one, or has it as such. Raises ``ConfigError`` for an IRI that is not that of
        an entity, and for such a relation of other entities than works.

        >>> workspace.review.decide_entities("agent/viaf-1", "agent/viaf-2", "same")  # doctest: +SKIP
        """
        check_choice(decision, "decision", list(get_args(EntityDecision)))
        who, why = person_name(person), checked_reason(reason)
        with self._opened() as (catalog, verdicts):
            one, other = self._entities(catalog, left, right)
            if decision in INVERSE_RELATION and not (one.startswith("work/") and other.startswith("work/")):
                raise ConfigError(
                    [f"{left} and {right}: only works are related by {decision}; allowed are same, different"]
                )
            if one > other:
                one, other, decision = other, one, cast("EntityDecision", INVERSE_RELATION.get(decision, decision))
            verdict = PersonVerdict(EntityPair(one, other), decision, who, why)
            with verdicts.transaction():
                given = verdicts.add([verdict], run_time().isoformat())
        return self._row(given[0]) if given else None

    def withdraw_entities(self, left: str, right: str) -> VerdictRow:
        """Withdraw the last verdict about two entities and return it; raises ``ConfigError`` if there is none.

        >>> workspace.review.withdraw_entities("agent/viaf-1", "agent/viaf-2")  # doctest: +SKIP
        """
        base = self._workspace.config.dataset.base
        pair = EntityPair(*sorted(_path_of_entity(base, name) for name in (left, right)))
        with self._opened() as (_, verdicts), verdicts.transaction():
            taken = verdicts.get(pair)
            if taken is None:
                both = f"{base}{pair.left} and {base}{pair.right}"
                raise ConfigError([f"{both}: no verdict about these two; `--verdicts` lists them"])
            verdicts.withdraw(taken)
        return self._row(taken)

    def _entities(self, catalog: Catalog, left: str, right: str) -> list[str]:
        """Return the paths of two entities by their IRIs; for an IRI that is only an alias, that of its founder."""
        base = self._workspace.config.dataset.base
        paths = []
        for name in (left, right):
            path = _path_of_entity(base, name)
            if catalog.entities.number(base + path) is None:
                founder = catalog.entities.founder_of_iri(base + path)
                known = catalog.entities.iri(founder) if founder is not None else None
                if known is None:
                    raise ConfigError(
                        [f"{base}{path}: entity not found; name the IRI of an agent, concept or the like"]
                    )
                path = known[len(base) :]
            paths.append(path)
        if paths[0] == paths[1]:
            raise ConfigError([f"{base}{paths[0]}: both IRIs name the same entity, about which one record decides"])
        return paths

    # -- tables ------------------------------------------------------------------------------------------------------

    def import_csv(self, table: PathName, person: str | None = None) -> Imported:
        """Store the verdicts of a CSV file, all or none; ``person`` gives those of rows that name nobody.

        Raises ``ConfigError`` with one message for each line that cannot be used.

        >>> workspace.review.import_csv("gold_pairs.csv", person="anna").known
        0
        """
        who = person_name(person)
        with self._opened() as (catalog, verdicts):
            read = pair_files.read_verdicts(Path(table), catalog, who)
            lines = {one.verdict.pair: one.location for one in read}
            new = reviewing.store_verdicts(verdicts, [one.verdict for one in read], run_time().isoformat(), lines)
        dormant = tuple(one.location for one in read if one.sleeps)
        return Imported(Table(VerdictRow, map(self._row, new)), len(read) - len(new), dormant)

    def expected_clusters(self, records: Iterable[str]) -> list[tuple[str, ...]]:
        """Return the clusters that records will be in after the next run, as far as the stored pairs show.

        >>> len(workspace.review.expected_clusters([workspace.clusters()[0].records[0]]))
        1
        """
        with self._workspace.catalog() as catalog:
            named = self._records(catalog, records)
            found = reviewing.preview_clusters(catalog, self._workspace.config, named)
        return [tuple(map(str, members)) for members in found]

    def _row(self, verdict: PersonVerdict) -> VerdictRow:
        return VerdictRow.from_verdict(verdict, self._workspace.config.dataset.base)

    @contextmanager
    def _opened(self) -> Iterator[tuple[Catalog, Verdicts]]:
        workspace = self._workspace
        with (
            workspace.catalog() as catalog,
            Verdicts(workspace.config.workspace, config_file=workspace.path) as verdicts,
        ):
            yield catalog, verdicts

    def _records(self, catalog: Catalog, names: Iterable[str]) -> list[RecordId]:
        return list(dict.fromkeys(resolve_record(catalog, self._workspace.config, name) for name in names))

    def _pair(self, catalog: Catalog, left: str, right: str) -> Pair:
        try:
            return Pair.from_records(*(resolve_record(catalog, self._workspace.config, name) for name in (left, right)))
        except ValueError as error:
            raise ConfigError([str(error)]) from error


class ReviewSession:
    """Answers the waiting pairs one after the other; every answer is stored at once and can be undone.

    ``question`` is the pair to answer, None at the end; ``place`` counts the pairs from 1 to ``total``.
    """

    def __init__(self, workspace: ConfiguredWorkspace, pairs: Sequence[Pair], person: str) -> None:
        self._workspace = workspace
        self._review = Review(workspace)
        self._pairs = pairs
        self._person = person
        self._here = 0
        self._answers: list[tuple[int, VerdictRow]] = []
        self.question: Question | None = None
        self._load()

    @property
    def total(self) -> int:
        """The number of pairs of the session."""
        return len(self._pairs)

    @property
    def place(self) -> int:
        """The number of the present pair."""
        return self._here + 1

    @property
    def answered(self) -> Counter[str]:
        """How often each decision was made and not undone."""
        return Counter(row.decision for _, row in self._answers)

    def answer(self, decision: PersonDecision, *, relation: str = "", reason: str = "") -> None:
        """Store a verdict about the present pair, and go on to the next.

        >>> session = workspace.review.session(person="anna")
        >>> session.answer("different", reason="another edition")
        >>> session.answered
        Counter({'different': 1})
        """
        if self.question is None:
            raise ConfigError(["no pair is left to answer"])
        given = self._review.decide(
            self.question.left, self.question.right, decision, relation=relation, reason=reason, person=self._person
        )
        if given is not None:
            self._answers.append((self._here, given))
        self.skip()

    def skip(self) -> None:
        """Go on to the next pair.

        >>> session = workspace.review.session(person="anna")
        >>> session.skip()
        >>> session.place
        2
        """
        self._here += 1
        self._load()

    def skip_all(self) -> None:
        """End the session; the pairs that are left wait for another one.

        >>> session = workspace.review.session(person="anna")
        >>> session.skip_all()
        >>> session.question is None
        True
        """
        self._here, self.question = len(self._pairs), None

    def undo(self) -> VerdictRow | None:
        """Withdraw the last answer of the session and ask again; None if there is nothing to undo.

        >>> session = workspace.review.session(person="anna")
        >>> session.answer("different")
        >>> session.undo().decision
        'different'
        """
        if not self._answers:
            return None
        position, row = self._answers[-1]
        self._review.withdraw(row.left, row.right)
        self._answers.pop()
        self._here = position
        self._load()
        return row

    def _load(self) -> None:
        """Find the question of the present pair; a pair that was decided in the meantime is passed over."""
        self.question = None
        with self._workspace.catalog() as catalog:
            while self._here < len(self._pairs):
                self.question = reviewing.load_question(catalog, self._workspace.config, self._pairs[self._here])
                if self.question is not None:
                    return
                self._here += 1


def _path_of_entity(base: str, name: str) -> str:
    """Return the path of the IRI of an entity; ``name`` is the IRI, the address of its page, or the path."""
    return name.strip().removeprefix(base).removeprefix("doc/").removesuffix(".html")


def person_name(person: str | None) -> str:
    """Return the name of who gives a verdict, the login name for None; raises ``ConfigError`` if there is none."""
    try:
        return pair_files.checked_person(getpass.getuser() if person is None else person)
    except (OSError, KeyError, ImportError) as error:
        raise ConfigError(["nobody is logged in by name here; name the person: --person NAME"]) from error
    except ValueError as error:
        raise ConfigError([f"--person: {error}"]) from error


def checked_reason(reason: str) -> str:
    """Return a reason as it is stored, on one line; raises ``ConfigError`` for one that is too long."""
    try:
        return pair_files.checked_reason(reason)
    except ValueError as error:
        raise ConfigError([f"--reason: {error}"]) from error
