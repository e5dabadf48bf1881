"""Pairs that people judged, as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bibld.catalog import Catalog
from bibld.errors import ConfigError
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId

_LABELS = {"1": True, "duplicate": True, "true": True, "0": False, "not_duplicate": False, "false": False}


class LabelledPair(msgspec.Struct, frozen=True):
    """A pair that someone judged."""

    pair: Pair
    is_duplicate: bool
    kind: str


def read_pairs(path: Path, catalog: Catalog) -> list[LabelledPair]:
    """Read a pairs file; raises ``ConfigError`` with one message for each line that cannot be used."""
    faults: list[str] = []
    found: list[LabelledPair] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            left, right = _id_columns(rows.fieldnames, path)
            for row in rows:
                try:
                    pair = Pair.of(_record(row[left], catalog), _record(row[right], catalog))
                    is_duplicate = _LABELS[(row.get("label") or "1").strip().lower()]
                except (ValueError, KeyError) as error:
                    faults.append(f"{path.name} line {rows.line_num}: {error}")
                    continue
                found.append(LabelledPair(pair, is_duplicate, row.get("kind") or ""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError([f"{path}: cannot be read as CSV in UTF-8: {error}"]) from error
    if faults:
        raise ConfigError(faults)
    return found


def _id_columns(names: Sequence[str] | None, path: Path) -> tuple[str, str]:
    if not names or len(names) < 2:
        raise ConfigError([f"{path.name}: needs a header and at least two columns of record ids"])
    return names[0], names[1]


def _record(text: str | None, catalog: Catalog) -> RecordId:
    """The living record that a cell names; raises ``ValueError``."""
    name = (text or "").strip()
    try:
        found = [RecordId.parse(name)]
    except ValueError:
        found = []
    if not found or catalog.register.ordinal(found[0]) is None:
        found = catalog.register.named(name)
    if len(found) > 1:
        raise ValueError(f"{name!r} is the control number of several records; write source:control number")
    ordinal = catalog.register.ordinal(found[0]) if found else None
    if ordinal is None or not catalog.records.is_living(ordinal):
        raise ValueError(f"there is no record {name!r} in the catalog; was it loaded?")
    return found[0]
