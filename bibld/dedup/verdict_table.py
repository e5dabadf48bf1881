"""Pairs for review, and the verdicts of people about them, as CSV for a spreadsheet.

The first two columns are record ids, as in the pairs file of an evaluation; ``label`` is the verdict. A file that a
spreadsheet saved comes back with a byte order mark, with semicolons or tabs: all of these are read.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from bibld.catalog import RELATIONS, Catalog, PersonVerdict
from bibld.dedup.review import ComparedFeature, Question
from bibld.errors import ConfigError
from bibld.model.features import Features
from bibld.model.linkage import Pair

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

LONGEST_NAME, LONGEST_REASON = 100, 2_000
"""The most characters of a person's name and of a reason."""

_LARGEST_FILE = 64 * 1024 * 1024
_OWN = ("label", "relation", "reason", "person")
_FEATURES = tuple(name.replace("_", " ") for name in Features.__struct_fields__)
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
    yield _line(("left", "right", *_OWN[:3], "score", "because", "suggested relation", *_FEATURES))
    for one in questions:
        cells = {compared.name: _cell(compared) for compared in one.compared}
        values = (one.left, one.right, "", "", "", f"{one.score:.6f}", "; ".join(one.reasons), one.relation)
        yield _line([_harmless(cell) for cell in (*values, *(cells.get(name, "") for name in _FEATURES))])


def _cell(compared: ComparedFeature) -> str:
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
    rows = _Rows(path)
    found: list[CsvVerdict] = []
    faults = rows.faults
    for place, row in rows:
        try:
            verdict = _verdict(row, place, catalog, person)
        except ValueError as error:
            faults.append(f"{place}: {error}")
            continue
        if verdict is not None:
            found.append(verdict)
    faults += _disagreements(found)
    if faults:
        raise ConfigError(faults)
    return found


class _Rows:
    """The rows of a file, each with its place, as both ids and the columns that are read; collects the faults."""

    def __init__(self, path: Path) -> None:
        self.faults: list[str] = []
        self._name = path.name
        self._text = _text(path)

    def __iter__(self) -> Iterator[tuple[str, tuple[str, str, dict[str, str]]]]:
        lines = csv.reader(io.StringIO(self._text, newline=""), delimiter=_delimiter(self._text), strict=True)
        begins, header = 1, list[str]()
        try:
            for row in lines:
                place, begins = f"{self._name} line {begins}", lines.line_num + 1
                if not any(cell.strip() for cell in row):
                    continue
                if not header:
                    header = self._header(row, place)
                elif any(cell.strip() for cell in row[len(header) :]):
                    self.faults.append(f"{place}: has more cells than the header; put text with commas in quotes")
                else:
                    cells = [*(cell.strip() for cell in row), *[""] * (len(header) - len(row))]
                    own = {name: cells[header.index(name)] for name in _OWN if name in header}
                    yield place, (cells[0], cells[1], own)
        except csv.Error as error:
            self.faults.append(f"{self._name} line {begins}: {error}; what follows was not read")
        if not header:
            self.faults.append(f"{self._name}: is empty; needs a header, such as left,right,label")

    def _header(self, row: Sequence[str], place: str) -> list[str]:
        header = [cell.strip().lower() for cell in row]
        twice = [name for name in _OWN if header.count(name) > 1]
        if len(header) < 3 or "label" not in header[2:] or not {*header[:2]}.isdisjoint(_OWN) or twice:
            what = f"has {twice[0]} twice" if twice else "needs two columns of record ids, then one named label"
            raise ConfigError([f"{place}: the header {what}; such as left,right,label,relation,reason,person"])
        return header


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise ConfigError([f"{path}: cannot be read: {error.strerror}; name a CSV file of verdicts"]) from error
    if len(data) > _LARGEST_FILE:
        raise ConfigError([f"{path}: is larger than {_LARGEST_FILE >> 20} MiB; that is no table of verdicts"])
    charset = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(charset)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError([f"{path.name} line {line}: is not in UTF-8; save the file as CSV UTF-8"]) from error


def _delimiter(text: str) -> str:
    head = text.lstrip("\r\n").partition("\n")[0]
    return max(",;\t", key=head.count)


def _verdict(row: tuple[str, str, dict[str, str]], place: str, catalog: Catalog, person: str) -> CsvVerdict | None:
    """Return the verdict of a row, None without a label; raises ``ValueError``."""
    left, right, own = row
    label = own["label"].lower()
    relation = own.get("relation", "").lower()
    if not label:
        if relation or own.get("reason"):
            raise ValueError("there is a relation or a reason, but no label")
        return None
    if label not in LABELS:
        raise ValueError(f"label {own['label']!r} is none of {', '.join(LABELS)}")
    decision = LABELS[label]
    if relation and decision != "related":
        raise ValueError(f"a relation goes with the label related, not with {label}")
    if relation and relation not in RELATIONS:
        raise ValueError(f"relation {relation!r} is none of {', '.join(RELATIONS)}")
    pair = Pair.from_records(catalog.register.resolve_record(left), catalog.register.resolve_record(right))
    if decision == "related" and not relation:
        edge = catalog.edge(pair)
        relation = edge.verdict.relation if edge is not None else ""
    speaker = checked_person(own.get("person") or person)
    verdict = PersonVerdict(pair, decision, speaker, checked_reason(own.get("reason", "")), relation)
    records = (catalog.record(record) for record in (pair.left, pair.right))
    return CsvVerdict(verdict, place, sleeps=any(record is None or record.deleted for record in records))


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
