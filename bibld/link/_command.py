"""Add authority files to a catalog and link its entities to them; tables of links for people to decide about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import zip_longest
from pathlib import Path

import msgspec

from bibld.catalog import Catalog, PersonVerdict, Queue, RegisteredFile, StoredLink
from bibld.config import Config
from bibld.errors import ConfigError, StageError
from bibld.link._files import open_authority
from bibld.link._index import AuthorityIndex, index_path, make_index, remove_other_indexes
from bibld.link._linking import REVIEW, THRESHOLD, LinkTally, index_digest, preview_links, update_links
from bibld.model.brief import brief
from bibld.model.iris import Iris, web_iri
from bibld.model.review import LinkCandidate, VerdictDecision
from bibld.progress import Progress
from bibld.text.lists import read_rows, table_lines
from bibld.text.translations import Sentences, source_word

_NOT_IN_NAME = re.compile(r"[^a-z0-9]+")
_SUFFIXES = re.compile(r"(?:\.(?:nt|ttl|csv|tsv|mrc|xml|marc|iso|gz|zst|n3|txt|marcxml))+$", re.IGNORECASE)


class LinkOptions(msgspec.Struct, frozen=True):
    """How to link.

    ``files``: authority files to add. ``template`` makes IRIs of their ids, ``name`` names the only file (its file name
    otherwise). Links of ``threshold`` confidence are published, those of ``review`` or more wait for a person.
    ``limit``: link this many entities at most. ``dry_run``: store nothing but the index.
    """

    files: tuple[Path, ...] = ()
    template: str = ""
    name: str = ""
    threshold: float = THRESHOLD
    review: float = REVIEW
    limit: int | None = None
    dry_run: bool = False


class LinkCount(msgspec.Struct, frozen=True):
    """How many links of one link set have a predicate and a status."""

    link_set: str
    predicate: str
    status: str
    links: int


class LinkReport(msgspec.Struct, frozen=True):
    """What linking did: the files, how many entities were compared, and the counts of all links.

    ``unusable`` counts pieces of the added files that could not be read. ``numbered`` entities already state a number
    of the authority that has candidates for them, and are not linked again; linking would have found the same record
    for ``confirmed`` of them. ``waiting`` entities are queued still, because of a limit.
    """

    files: tuple[RegisteredFile, ...]
    unusable: int
    entities: int
    counts: tuple[LinkCount, ...]
    numbered: int
    confirmed: int
    waiting: int
    is_stored: bool

    __repr__ = brief


def add_and_link(
    catalog: Catalog, config: Config, options: LinkOptions, run_time: datetime, progress: Progress
) -> LinkReport:
    """Add files and link the entities of a catalog; without files, link those that changed since.

    Raises ``ConfigError`` for files that cannot be used, ``HarvestError`` for damaged ones.
    """
    _check(options)
    added: list[RegisteredFile] = []
    unusable = 0
    for path in options.files:
        file = open_authority(path, options.template)
        digest = index_digest(file.digest, file.template)
        place = index_path(config.workspace, digest)
        make_index(place, file, progress)
        with AuthorityIndex(place) as index:
            counts = index.counts
        if not counts.records:
            place.unlink()
            raise ConfigError([f"{path}: contains no record with a label; check that it is an authority file"])
        unusable += counts.unusable
        name = name_of_file(options.name or _SUFFIXES.sub("", path.name))
        known = next((one for one in catalog.links.files() if (one.name, one.digest) == (name, file.digest)), None)
        added.append(
            RegisteredFile(
                name=name,
                path=str(path.absolute()),
                digest=file.digest,
                template=options.template,
                linked_at=known.linked_at if known else run_time.isoformat(),
                records=counts.records,
                threshold=options.threshold,
                review=options.review,
            )
        )
    if options.dry_run:
        names = {file.name for file in added}
        files = [*(file for file in catalog.links.files() if file.name not in names), *added]
        tally = preview_links(catalog, config, files, progress, options.limit)
        preview = [LinkCount(*key, number) for key, number in sorted(tally.links.items())]
        return _report(files, unusable, tally, preview, 0, is_stored=False)
    with catalog.commit():
        for one in added:
            catalog.links.register(one)
    _sweep(catalog, config)
    found = update_links(catalog, config, progress, options.limit)
    if found is None:
        raise StageError(
            "links were not brought up to date, because the index of a file is missing; see the message above"
        )
    waiting = len(catalog.dirty[Queue.UNLINKED_ENTITIES])
    counts_of_all = [LinkCount(*row) for row in catalog.links.counts()]
    return _report(catalog.links.files(), unusable, found, counts_of_all, waiting, is_stored=True)


def remove_file(catalog: Catalog, config: Config, name: str, progress: Progress) -> LinkReport:
    """Remove an authority file and the links to it; raises ``ConfigError`` for an unknown name."""
    known = [file.name for file in catalog.links.files()]
    if name not in known:
        raise ConfigError([f"--remove {name}: no such authority file; registered are: {', '.join(known) or 'none'}"])
    with catalog.commit():
        catalog.links.unregister(name)
    _sweep(catalog, config)
    tally = update_links(catalog, config, progress) or LinkTally()
    return _report(
        catalog.links.files(), 0, tally, [LinkCount(*row) for row in catalog.links.counts()], 0, is_stored=True
    )


def _sweep(catalog: Catalog, config: Config) -> None:
    """Remove the indexes of files that are not registered any more."""
    remove_other_indexes(config.workspace, (index_digest(one.digest, one.template) for one in catalog.links.files()))


def name_of_file(text: str) -> str:
    """Return the name of an authority file as a part of an IRI: small letters, digits and hyphens."""
    return _NOT_IN_NAME.sub("-", text.lower()).strip("-") or "authority"


def _check(options: LinkOptions) -> None:
    faults = []
    if options.name and len(options.files) != 1:
        faults.append("--name: names one file; link the files one after the other")
    if not 0 < options.review <= options.threshold <= 1:
        faults.append(
            "--threshold and --review are probabilities above 0 up to 1, and --review is not above --threshold"
        )
    if faults:
        raise ConfigError(faults)


def _report(
    files: Sequence[RegisteredFile],
    unusable: int,
    tally: LinkTally,
    counts: Sequence[LinkCount],
    waiting: int,
    is_stored: bool,
) -> LinkReport:
    return LinkReport(
        files=tuple(files),
        unusable=unusable,
        entities=tally.entities,
        counts=tuple(counts),
        numbered=tally.numbered,
        confirmed=tally.confirmed,
        waiting=waiting,
        is_stored=is_stored,
    )


COLUMNS = ("entity", "label", "target", "heading", "confidence", "evidence", "status", "decision", "reason")
"""The columns of the table for people; ``decision`` is to be filled in: accepted or rejected."""

LINK_LIST, DECISION = "link list", "link decision"
"""The contexts in which names of columns and decisions are translated; they are read in every language."""


def write_links(path: Path, links: Iterable[StoredLink], words: Sentences) -> int:
    """Write links into a new CSV file with an empty column ``decision``, to be filled in; return their number."""
    rows = list(links)
    lines = table_lines(LINK_LIST, COLUMNS, (_cells(link, words) for link in rows), words)
    try:
        with path.open("x", encoding="utf-8", newline="") as out:
            out.writelines(lines)
    except FileExistsError as error:
        raise ConfigError([f"{path}: exists, perhaps with decisions; name another file"]) from error
    except OSError as error:
        raise StageError(f"{path}: cannot be written: {error.strerror or error}") from error
    return len(rows)


def _cells(link: StoredLink, words: Sentences) -> list[str]:
    evidence = "; ".join(map(words.text, link.evidence))
    confidence, status = words.number(link.confidence, ""), words.cell("status", link.status)
    return [link.entity, link.label, link.target, link.heading, confidence, evidence, status, "", ""]


_DECISIONS: dict[str, VerdictDecision] = {
    "accepted": "accepted",
    "accept": "accepted",
    "yes": "accepted",
    "1": "accepted",
    "rejected": "rejected",
    "reject": "rejected",
    "no": "rejected",
    "0": "rejected",
    "withdrawn": "withdrawn",
}
_NEEDED = ("entity", "target", "decision")


def link_verdict(entity: str, target: str, decision: str, person: str, reason: str, iris: Iris) -> PersonVerdict:
    """Return a verdict; raises ``ValueError`` with a message for an entity, target or decision that is none."""
    path = iris.path(entity.strip()) if "://" in entity else entity.strip()
    if not path:
        raise ValueError(f"{entity!r} is not the IRI of an entity of this dataset, which begins with {iris.base}")
    wanted = web_iri(target)
    if wanted is None:
        raise ValueError(f"{target!r} is not the IRI of an authority record")
    found = _DECISIONS.get(source_word(DECISION, decision).strip().lower())
    if found is None:
        raise ValueError(f"{decision!r} is no decision; write accepted, rejected or withdrawn")
    return PersonVerdict(LinkCandidate(path, wanted), found, person, reason)


def read_link_verdicts(path: Path, iris: Iris, person: str) -> list[PersonVerdict]:
    """Read a table of verdicts: entity, target, decision, and perhaps reason and person.

    Rows with an empty decision are passed over. Raises ``ConfigError`` with a message for each row that is wrong.
    """
    lines = read_rows(path, "a list of verdicts")
    header = [source_word(LINK_LIST, cell).lower() for cell in next(lines, (1, []))[1]]
    if missing := [name for name in _NEEDED if name not in header]:
        raise ConfigError([f"{path}: has no column {', '.join(missing)}" if header else f"{path}: has no rows"])
    verdicts, faults = [], []
    for number, cells in lines:
        row = dict(zip_longest(header, cells[: len(header)], fillvalue=""))
        if any(cells[len(header) :]):
            faults.append(f"{path}:{number}: has more cells than the header; put text with commas in quotes")
        if not row["decision"]:
            continue
        by, reason = row.get("person") or person, row.get("reason", "")
        try:
            verdicts.append(link_verdict(row["entity"], row["target"], row["decision"], by, reason, iris))
        except ValueError as error:
            faults.append(f"{path}:{number}: {error}")
    if faults:
        raise ConfigError(faults)
    return verdicts
