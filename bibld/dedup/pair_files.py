"""CSV files of pairs: those that people labelled, and those for review, to be filled in with verdicts in a spreadsheet.

In both the first two columns are record ids: ``source:control number``, or the bare control number where it is unique,
or where the column is named like the source. Cells are separated by commas, semicolons or tabs, whichever occurs first
in the first line.

Of labelled pairs only the columns ``label`` (one of ``LABELS``), ``kind``, which groups the results, and ``weight``,
which training gives the pair (a number above 0, by default 1), are read as well. Without a column ``label`` every row
is a true pair. A first line with record ids is a pair, not a header: then the third cell is the label and the fourth
the kind. In a file of verdicts ``label`` is the verdict.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from bibld.catalog import RELATIONS, Catalog, PersonVerdict
from bibld.errors import ConfigError
from bibld.model.card import LINES
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId
from bibld.text.lists import Line, read_rows, table_lines
from bibld.text.translations import Sentences, source_word

if TYPE_CHECKING:
    from bibld.dedup.review import Question
    from bibld.dedup.side_by_side import ComparedValue

LABELS: dict[str, Literal["same", "different", "related"]] = {
    "1": "same",
    "duplicate": "same",
    "true": "same",
    "same": "same",
    "0": "different",
    "not_duplicate": "different",
    "false": "different",
    "different": "different",
    "related": "related",
}
"""The labels that are read, and the decision that each stands for."""

_HEADER = ["left", "right", "label", "kind"]
_WEIGHT = re.compile(r"\d{1,4}(?:\.\d{1,4})?")
_MAX_FAULTS = 20
_MAX_SHOWN_CHARACTERS = 60

Find = Callable[[str], list[RecordId]]
"""Finds the records that a text may name."""


class LabelledPair(msgspec.Struct, frozen=True):
    """A pair that a person labelled; training counts it ``weight`` times."""

    pair: Pair
    is_duplicate: bool
    kind: str
    weight: float = 1.0


class _UnknownRecordError(ValueError):
    """A record is not in the catalog, or was deleted."""


def read_pairs(path: Path, catalog: Catalog, skipped: list[str] | None = None) -> list[LabelledPair]:
    """Read a file of labelled pairs; a repeated pair counts once, in either order.

    ``skipped`` takes a message for each pair with a record that is unknown or deleted. Raises ``ConfigError`` with one
    message for each other line that cannot be used, also for pairs with two labels, and if all pairs are skipped.
    """
    sources = sorted(catalog.records.count_by_source())
    find = partial(_find_records, catalog, sources)
    unknown: list[str] = []
    lines = list(read_rows(path, "a list of labelled pairs"))
    header = _header(path.name, lines, find)
    finds = [partial(_find_records, catalog, [name]) if name in sources else find for name in header[:2]]
    found: dict[Pair, tuple[int, LabelledPair]] = {}
    faults = []
    for number, cells in lines:
        try:
            labelled = _labelled_pair(cells, header, finds)
            first, before = found.setdefault(labelled.pair, (number, labelled))
            if before.is_duplicate != labelled.is_duplicate:
                raise ValueError(f"{before.pair.left} and {before.pair.right} have the other label in line {first}")
        except _UnknownRecordError as error:
            unknown.append(f"{path.name} line {number}: {error}")
        except ValueError as error:
            faults.append(f"{path.name} line {number}: {error}")
    if skipped is None or not found:
        faults = [*unknown, *faults]
    else:
        skipped += unknown
    if len(faults) > _MAX_FAULTS:
        faults[_MAX_FAULTS:] = [f"{path.name}: {len(faults) - _MAX_FAULTS} more lines cannot be used"]
    if faults:
        raise ConfigError(faults)
    return [labelled for _, labelled in found.values()]


def add_verdicts(
    labelled: Sequence[LabelledPair], catalog: Catalog, file: str, config_file: Path
) -> list[LabelledPair]:
    """Return labelled pairs of a ``file`` and then the verdicts of people as such; a pair of both counts once.

    ``config_file`` is named in messages. Verdicts about deleted records are left out. Raises ``ConfigError`` with one
    message for each pair that the file labels otherwise than people decided.
    """
    known, faults = {item.pair: item for item in labelled}, []
    for pair, verdict in catalog.register.verdicts().items():
        decided = LabelledPair(pair, verdict.decision == "same", verdict.relation)
        if None in map(catalog.cluster_of, (pair.left, pair.right)):
            continue
        if known.setdefault(pair, decided).is_duplicate != decided.is_duplicate:
            faults.append(
                f"{file}: {pair.left} and {pair.right} have another label, but {verdict.by} decided"
                f' "{verdict.decision}"; correct the label, or withdraw the verdict: bibld review'
                f" {shlex.join((str(config_file), '--withdraw', str(pair.left), str(pair.right)))}"
            )
    if faults:
        raise ConfigError(faults)
    return list(known.values())


def _header(name: str, lines: list[Line], find: Find) -> list[str]:
    """Return the names of the columns, and take the header off the lines if it is one; raises ``ConfigError``."""
    if not lines:
        raise ConfigError([f"{name}: is empty; it needs a header, such as left,right,label, and a pair a line"])
    header = _column_names(lines[0][1])
    if len(header) < 2:
        raise ConfigError([f"{name}: needs a header and at least two columns of record ids"])
    if "label" in header[:2]:
        raise ConfigError([f"{name}: the first two columns must be record ids, not {header[0]} and {header[1]}"])
    ids = lines[0][1][:2]
    if any(map(find, ids)) or all(map(_parsed, ids)):  # no header: at least one record is known, or both look like ids
        return _HEADER[: len(header)]
    del lines[0]
    if not lines:
        raise ConfigError([f"{name}: has a header, but no pairs"])
    if "label" not in header:
        for position in range(2, len(header)):  # without labels all pairs would count as true
            values = {cells[position].lower() if position < len(cells) else "" for _, cells in lines}
            if values <= LABELS.keys() and {LABELS[label] for label in values} != {"same"}:
                raise ConfigError(
                    [f'{name}: there is no column "label"; is it the one called "{header[position]}"? Rename it']
                )
    return header


def _column_names(cells: Sequence[str]) -> list[str]:
    return [source_word(REVIEW_LIST, cell).lower() for cell in cells]


def _labelled_pair(cells: list[str], header: list[str], finds: Sequence[Find]) -> LabelledPair:
    """Return the pair of a line, whose records the ``finds`` of the two columns find; raises ``ValueError``."""
    try:
        pair = Pair.from_records(*map(_find_record, finds, (*cells, "")[:2]))
    except ValueError as error:
        is_longer = len(cells) > len(header)
        hint = " (the line has more cells than the first one; an id with a comma needs quotes)"
        raise type(error)(f"{error}{hint if is_longer else ''}") from error
    by_name = dict(zip(reversed(header), reversed([*cells, *[""] * len(header)][: len(header)]), strict=True))
    label = source_word(LABEL, by_name.get("label", "1")).lower()
    if label not in LABELS:
        known = ", ".join(LABELS)
        raise ValueError(
            f"the label {_shown(label)} is not one of {known}"
            if label
            else f"there is no label; it must be one of {known}"
        )
    return LabelledPair(pair, LABELS[label] == "same", by_name.get("kind", ""), _weight(by_name.get("weight") or "1"))


def _weight(text: str) -> float:
    if not _WEIGHT.fullmatch(text) or float(text) <= 0:
        raise ValueError(f"the weight {_shown(text)} is not a number above 0")
    return float(text)


def _find_records(catalog: Catalog, sources: Sequence[str], name: str) -> list[RecordId]:
    """Return the live records with this id, or else with this control number in one of the sources."""

    def is_live(record: RecordId) -> bool:
        ordinal = catalog.register.ordinal(record)
        return ordinal is not None and catalog.records.is_live(ordinal)

    full = _parsed(name)
    if full is not None and is_live(full):
        return [full]
    return [record for source in sources if is_live(record := RecordId.from_control_number(source, name))]


def _find_record(find: Find, name: str) -> RecordId:
    """Return the record that a cell names; raises ``ValueError``."""
    if not name:
        raise ValueError("needs two record ids")
    found = find(name)
    if not found:
        raise _UnknownRecordError(f"record {_shown(name)} not found in the catalog; was it loaded?")
    if len(found) > 1:
        ids = ", ".join(map(str, found))
        raise ValueError(f"{_shown(name)} is the control number of {len(found)} records; write one of {ids}")
    return found[0]


def _parsed(name: str) -> RecordId | None:
    try:
        return RecordId.parse(name)
    except ValueError:
        return None


def _shown(text: str) -> str:
    """Return a text in quotes, unchanged unless some of it cannot be printed."""
    short = text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}…"
    return f'"{short}"' if short.isprintable() else repr(short)


MAX_NAME_CHARACTERS, MAX_REASON_CHARACTERS = 100, 2_000
"""The most characters of a person's name and of a reason."""

_OWN = ("label", "relation", "reason", "person")
_PAGES = ("left page", "right page")
REVIEW_COLUMNS = (
    *("left", "right", *_OWN[:3], "score", "because", "would decide", "suggested relation"),
    *LINES,
    *_PAGES,
)
"""The columns of the table of questions; people fill in those from the third to the fifth."""

REVIEW_LIST, LABEL, RELATION = "review list", "review label", "list relation"
"""The contexts in which names of columns, labels and relations are translated; they are read in every language."""


class CsvVerdict(msgspec.Struct, frozen=True):
    """A verdict of a file, with its line; ``sleeps``: one of the records is deleted, so it has no effect yet."""

    verdict: PersonVerdict
    location: str
    sleeps: bool


# -- out -------------------------------------------------------------------------------------------------------------


def questions_csv(questions: Iterable[Question], words: Sentences) -> Iterator[str]:
    """Yield questions as lines of CSV: labels are empty, different values are marked with ``≠``."""
    return table_lines(REVIEW_LIST, REVIEW_COLUMNS, (_row(one, words) for one in questions), words)


def _row(question: Question, words: Sentences) -> list[str]:
    cells = {compared.name: _cell(compared, words) for compared in question.compared}
    cells |= dict(zip(_PAGES, question.pages, strict=False))
    sentences = (words.text("; ".join(question.reasons)), ". ".join(map(words.text, question.would_decide)))
    values = (question.left, question.right, "", "", "", words.number(question.score, ".6f"), *sentences)
    relation = words.word(RELATION, question.relation) if question.relation else ""
    return [*values, relation, *(cells.get(name, "") for name in (*LINES, *_PAGES))]


def _cell(compared: ComparedValue, words: Sentences) -> str:
    left, right = (words.card_value(compared.name, text) or "–" for text in (compared.left, compared.right))
    return left if compared.sign == "=" else f"{compared.sign} {left} | {right}"


# -- in --------------------------------------------------------------------------------------------------------------


def read_verdicts(path: Path, catalog: Catalog, person: str) -> list[CsvVerdict]:
    """Read the verdicts of a CSV file; rows without a label are skipped, ``person`` decided where a row names nobody.

    Raises ``ConfigError`` with one message for each line that cannot be used.
    """
    found: list[CsvVerdict] = []
    faults: list[str] = []
    header: list[str] = []
    try:
        for number, cells in read_rows(path, "a list of verdicts"):
            location = f"{path.name} line {number}"
            if not header:
                header = _checked_header(_column_names(cells), location)
            elif any(cells[len(header) :]):
                faults.append(f"{location}: has more cells than the header; put text with commas in quotes")
            else:
                named = {name: cells[header.index(name)] for name in _OWN if name in header[: len(cells)]}
                try:
                    verdict = _verdict((*cells, "")[:2], named, location, catalog, person)
                except ValueError as error:
                    faults.append(f"{location}: {error}")
                else:
                    found += [verdict] if verdict is not None else []
    except ConfigError as error:
        faults += error.faults
    if not header and not faults:
        faults.append(f"{path.name}: is empty; needs a header, such as left,right,label")
    faults += _disagreements(found)
    if faults:
        raise ConfigError(faults)
    return found


def _checked_header(header: list[str], location: str) -> list[str]:
    twice = [name for name in _OWN if header.count(name) > 1]
    if len(header) < 3 or "label" not in header[2:] or not {*header[:2]}.isdisjoint(_OWN) or twice:
        what = f"has {twice[0]} twice" if twice else "needs two columns of record ids, then one named label"
        raise ConfigError([f"{location}: the header {what}; such as left,right,label,relation,reason,person"])
    return header


def _verdict(
    records: Sequence[str], cells: dict[str, str], location: str, catalog: Catalog, person: str
) -> CsvVerdict | None:
    """Return the verdict of a row, None without a label; ``cells`` are those with a name; raises ``ValueError``."""
    label, relation, reason = (cells.get(name, "") for name in _OWN[:3])
    relation, label = source_word(RELATION, relation).lower(), source_word(LABEL, label)
    if not label:
        if relation or reason:
            raise ValueError("there is a relation or a reason, but no label")
        return None
    if label.lower() not in LABELS:
        raise ValueError(f"label {label!r} is none of {', '.join(LABELS)}")
    decision = LABELS[label.lower()]
    if relation and decision != "related":
        raise ValueError(f"a relation goes with the label related, not with {label.lower()}")
    if relation and relation not in RELATIONS:
        raise ValueError(f"relation {relation!r} is none of {', '.join(RELATIONS)}")
    pair = Pair.from_records(*map(catalog.register.resolve_record, records))
    if decision == "related" and not relation:
        edge = catalog.edge(pair)
        relation = edge.verdict.relation if edge is not None else ""
    verdict = PersonVerdict(
        pair, decision, checked_person(cells.get("person") or person), checked_reason(reason), relation
    )
    stored = (catalog.record(record) for record in (pair.left, pair.right))
    return CsvVerdict(verdict, location, sleeps=any(record is None or record.deleted for record in stored))


def checked_person(text: str) -> str:
    """Return a person's name with single blanks; raises ``ValueError`` if it cannot be one."""
    name = " ".join(text.split())
    if not name or len(name) > MAX_NAME_CHARACTERS or not _is_text(name):
        raise ValueError(f"a person's name has 1 to {MAX_NAME_CHARACTERS} characters, none of them control characters")
    return name


def checked_reason(text: str) -> str:
    """Return a reason in one line; raises ``ValueError`` if it is too long or has control characters."""
    reason = " ".join(text.split())
    if len(reason) > MAX_REASON_CHARACTERS or not _is_text(reason):
        raise ValueError(f"a reason has at most {MAX_REASON_CHARACTERS} characters, none of them control characters")
    return reason


def _is_text(words: str) -> bool:
    return not any(unicodedata.category(character) in ("Cc", "Cs") for character in words)


def _disagreements(found: Iterable[CsvVerdict]) -> Iterator[str]:
    """Yield a message for each pair that a file decides in two ways."""
    first: dict[Pair, CsvVerdict] = {}
    for row in found:
        before = first.setdefault(row.verdict.pair, row)
        one, other = before.verdict, row.verdict
        if (one.decision, one.relation) != (other.decision, other.relation):
            yield (
                f"{row.location}: {other.pair.left} and {other.pair.right} are"
                + f" {other.decision} {other.relation}".rstrip()
                + f", but {one.decision} {one.relation}".rstrip()
                + f" in {before.location}"
            )
