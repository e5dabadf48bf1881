"""Pairs for review, and the verdicts of people about them, as CSV for a spreadsheet.

The first two columns are record ids, as in the pairs file of an evaluation (``labels``); ``label`` is the verdict.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from bibld.catalog import RELATIONS, Catalog, PersonVerdict
from bibld.dedup.labels import LABELS, read_rows
from bibld.dedup.review import Question
from bibld.dedup.side_by_side import ComparedValue
from bibld.errors import ConfigError
from bibld.model.card import LINES
from bibld.model.linkage import Pair

LONGEST_NAME, LONGEST_REASON = 100, 2_000
"""The most characters of a person's name and of a reason."""

_OWN = ("label", "relation", "reason", "person")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class CsvVerdict(msgspec.Struct, frozen=True):
    """A verdict of a file, with its line; ``sleeps``: one of the records is deleted, so it has no effect yet."""

    verdict: PersonVerdict
    place: str
    sleeps: bool


# -- out -------------------------------------------------------------------------------------------------------------


def questions_csv(questions: Iterable[Question]) -> Iterator[str]:
    """Yield questions as lines of CSV: labels are empty, different values are marked with ``≠``."""
    yield "\ufeff"
    pages = ("left page", "right page")
    yield _line(("left", "right", *_OWN[:3], "score", "because", "suggested relation", *LINES, *pages))
    for one in questions:
        cells = {compared.name: _cell(compared) for compared in one.compared}
        cells |= dict(zip(pages, one.pages, strict=False))
        values = (one.left, one.right, "", "", "", f"{one.score:.6f}", "; ".join(one.reasons), one.relation)
        yield _line([_harmless(cell) for cell in (*values, *(cells.get(name, "") for name in (*LINES, *pages)))])


def _cell(compared: ComparedValue) -> str:
    if compared.sign == "=":
        return compared.left
    return f"{compared.sign} {compared.left or '–'} | {compared.right or '–'}"


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue()


def _harmless(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


# -- in --------------------------------------------------------------------------------------------------------------


def read_verdicts(path: Path, catalog: Catalog, person: str) -> list[CsvVerdict]:
    """Read the verdicts of a CSV file; rows without a label are skipped, ``person`` decided where a row names nobody.

    Raises ``ConfigError`` with one message for each line that cannot be used.
    """
    found: list[CsvVerdict] = []
    faults: list[str] = []
    header: list[str] = []
    try:
        for number, cells in read_rows(path, "verdicts"):
            place = f"{path.name} line {number}"
            if not header:
                header = _checked_header([cell.lower() for cell in cells], place)
            elif any(cells[len(header) :]):
                faults.append(f"{place}: has more cells than the header; put text with commas in quotes")
            else:
                named = {name: cells[header.index(name)] for name in _OWN if name in header[: len(cells)]}
                try:
                    verdict = _verdict((*cells, "")[:2], named, place, catalog, person)
                except ValueError as error:
                    faults.append(f"{place}: {error}")
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


def _checked_header(header: list[str], place: str) -> list[str]:
    twice = [name for name in _OWN if header.count(name) > 1]
    if len(header) < 3 or "label" not in header[2:] or not {*header[:2]}.isdisjoint(_OWN) or twice:
        what = f"has {twice[0]} twice" if twice else "needs two columns of record ids, then one named label"
        raise ConfigError([f"{place}: the header {what}; such as left,right,label,relation,reason,person"])
    return header


def _verdict(
    records: Sequence[str], cells: dict[str, str], place: str, catalog: Catalog, person: str
) -> CsvVerdict | None:
    """Return the verdict of a row, None without a label; ``cells`` are those with a name; raises ``ValueError``."""
    label, relation, reason = (cells.get(name, "") for name in _OWN[:3])
    relation = relation.lower()
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
    return CsvVerdict(verdict, place, sleeps=any(record is None or record.deleted for record in stored))


def checked_person(text: str) -> str:
    """Return a person's name with single blanks; raises ``ValueError`` if it cannot be one."""
    name = " ".join(text.split())
    if not name or len(name) > LONGEST_NAME or not _is_text(name):
        raise ValueError(f"a person's name has 1 to {LONGEST_NAME} characters, none of them control characters")
    return name


def checked_reason(text: str) -> str:
    """Return a reason in one line; raises ``ValueError`` if it is too long or has control characters."""
    reason = " ".join(text.split())
    if len(reason) > LONGEST_REASON or not _is_text(reason):
        raise ValueError(f"a reason has at most {LONGEST_REASON} characters, none of them control characters")
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
                f"{row.place}: {other.pair.left} and {other.pair.right} are {other.decision} {other.relation}".rstrip()
                + f", but {one.decision} {one.relation}".rstrip()
                + f" in {before.place}"
            )
