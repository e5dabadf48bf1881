"""Labelled pairs, as CSV.

Cells are separated by commas, semicolons or tabs, whichever occurs first in the first line. The first two columns are
record ids; of the others only ``label`` and ``kind`` are read. A first line with record ids is a pair, not a header:
then the third cell is the label and the fourth the kind.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bibld.catalog import Catalog
from bibld.errors import ConfigError
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId

_LABELS = {"1": True, "duplicate": True, "true": True, "0": False, "not_duplicate": False, "false": False}
_HEADER = ["left", "right", "label", "kind"]
_QUOTED = re.compile(r'"[^"]*"')
_BETWEEN = re.compile(r"[,;\t]")
_MOST_FAULTS = 20
_LONGEST = 60

Line = tuple[int, list[str]]


class LabelledPair(msgspec.Struct, frozen=True):
    """A pair that a person labelled."""

    pair: Pair
    is_duplicate: bool
    kind: str


def read_pairs(path: Path, catalog: Catalog) -> list[LabelledPair]:
    """Read a file of labelled pairs; a repeated pair counts once, in either order.

    Raises ``ConfigError`` with one message for each line that cannot be used, also for pairs with two labels.
    """
    lines = _lines(path)
    if not lines:
        raise ConfigError([f"{path.name}: is empty; it needs a header, such as left,right,label, and a pair a line"])
    header = [cell.strip().lower() for cell in lines[0][1]]
    if len(header) < 2:
        raise ConfigError([f"{path.name}: needs a header and at least two columns of record ids"])
    if "label" in header[:2]:
        raise ConfigError([f"{path.name}: the first two columns must be record ids, not {header[0]} and {header[1]}"])
    names = _Names(catalog)
    if names.are_ids([cell.strip() for cell in lines[0][1][:2]]):
        header = _HEADER[: len(header)]
    else:
        lines = lines[1:]
    if not lines:
        raise ConfigError([f"{path.name}: has a header, but no pairs"])
    if "label" not in header:
        _refuse_other_labels(path.name, header, lines)
    return _Labelled(path.name, names, header).read(lines)


class _Labelled:
    """The pairs read so far, each with its first line."""

    def __init__(self, name: str, names: _Names, header: list[str]) -> None:
        self._name = name
        self._names = names
        self._header = header
        self._found: dict[Pair, tuple[int, LabelledPair]] = {}

    def read(self, lines: Sequence[Line]) -> list[LabelledPair]:
        faults = []
        for number, cells in lines:
            try:
                self._take(number, cells)
            except ValueError as error:
                faults.append(f"{self._name} line {number}: {error}")
        if len(faults) > _MOST_FAULTS:
            faults[_MOST_FAULTS:] = [f"{self._name}: {len(faults) - _MOST_FAULTS} more lines cannot be used"]
        if faults:
            raise ConfigError(faults)
        return [labelled for _, labelled in self._found.values()]

    def _take(self, number: int, cells: list[str]) -> None:
        try:
            pair = Pair.from_records(*(self._names.record(cell.strip()) for cell in (*cells, "")[:2]))
        except ValueError as error:
            is_longer = len(cells) > len(self._header)
            hint = " (the line has more cells than the first one; an id with a comma needs quotes)"
            raise ValueError(f"{error}{hint if is_longer else ''}") from error
        labelled = LabelledPair(pair, self._is_duplicate(cells), self._cell(cells, "kind"))
        first, before = self._found.setdefault(pair, (number, labelled))
        if before.is_duplicate != labelled.is_duplicate:
            raise ValueError(f"{pair.left} and {pair.right} have the other label in line {first}")

    def _is_duplicate(self, cells: list[str]) -> bool:
        if "label" not in self._header:
            return True
        label = self._cell(cells, "label").lower()
        if label not in _LABELS:
            given = f"the label {_shown(label)} is not" if label else "there is no label; it must be"
            raise ValueError(f"{given} one of {', '.join(_LABELS)}")
        return _LABELS[label]

    def _cell(self, cells: list[str], name: str) -> str:
        place = self._header.index(name) if name in self._header else len(cells)
        return cells[place].strip() if place < len(cells) else ""


def _lines(path: Path) -> list[Line]:
    """Read the lines that are not blank, each with its number in the file."""
    lines: list[Line] = []
    number = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = _QUOTED.sub("", next((line for line in file if line.strip()), ""))
            between = _BETWEEN.search(first)
            file.seek(0)
            rows = csv.reader(file, delimiter=between[0] if between else ",", strict=True)
            for cells in rows:
                if any(cell.strip() for cell in cells):
                    lines.append((number, cells))
                number = rows.line_num + 1
    except csv.Error as error:
        raise ConfigError([f"{path.name}: the row that begins in line {number} is no CSV: {error}"]) from error
    except FileNotFoundError:
        raise ConfigError([f"{path}: not found; name a CSV file of labelled pairs"]) from None
    except OSError as error:
        raise ConfigError([f"{path}: cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: is not UTF-8; save the file as UTF-8"]) from error
    return lines


def _refuse_other_labels(name: str, header: list[str], lines: Sequence[Line]) -> None:
    """Raise ``ConfigError`` if a column of another name has labels: without labels all pairs would count as true."""
    for place in range(2, len(header)):
        values = {cells[place].strip().lower() if place < len(cells) else "" for _, cells in lines}
        if values <= _LABELS.keys() and not all(_LABELS[label] for label in values):
            raise ConfigError(
                [f'{name}: there is no column "label"; is it the one called "{header[place]}"? Rename it']
            )


class _Names:
    """Finds live records by record id or control number; each source has an index of its control numbers."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._sources = sorted(catalog.records.count_by_source())

    def are_ids(self, names: Sequence[str]) -> bool:
        """Return whether these are record ids: at least one is in the catalog, or all have the form of one."""
        return any(self.named(name) for name in names) or None not in [_parsed(name) for name in names]

    def record(self, name: str) -> RecordId:
        """Return the record that a cell names; raises ``ValueError``."""
        if not name:
            raise ValueError("needs two record ids")
        found = self.named(name)
        if not found:
            raise ValueError(f"record {_shown(name)} not found in the catalog; was it loaded?")
        if len(found) > 1:
            ids = ", ".join(map(str, found))
            raise ValueError(f"{_shown(name)} is the control number of {len(found)} records; write one of {ids}")
        return found[0]

    def named(self, name: str) -> list[RecordId]:
        """Return the records with this id, or else with this control number."""
        full = _parsed(name)
        if full is not None and self._is_live(full):
            return [full]
        return [
            record for source in self._sources if self._is_live(record := RecordId.from_control_number(source, name))
        ]

    def _is_live(self, record: RecordId) -> bool:
        ordinal = self._catalog.register.ordinal(record)
        return ordinal is not None and self._catalog.records.is_live(ordinal)


def _parsed(name: str) -> RecordId | None:
    try:
        return RecordId.parse(name)
    except ValueError:
        return None


def _shown(text: str) -> str:
    """Return a text in quotes, unchanged unless some of it cannot be printed."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f'"{short}"' if short.isprintable() else repr(short)
