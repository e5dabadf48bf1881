"""Suppress records and values that must not be published, as listed in a file.

The file is a table (CSV; commas, semicolons or tabs) with the columns ``record`` (an id or an IRI), ``value`` (empty:
the whole record) and ``reason``. A run applies the file after reading its sources; a suppression that is not in the
file any more is lifted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from operator import itemgetter
from pathlib import Path

import msgspec

from bibld.catalog import Catalog, Register
from bibld.config import Config
from bibld.errors import ConfigError
from bibld.ingest._load import original_of
from bibld.ingest._log import SourceLog
from bibld.model.iris import Iris, record_of_path
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_element
from bibld.model.withheld import WithheldValue, without_texts, without_values
from bibld.progress import Progress, with_number
from bibld.text.folding import tidy
from bibld.text.lists import read_rows
from bibld.text.translations import source_word

COLUMNS = ("record", "value", "reason")
SUPPRESSION_LIST = "suppression list"
"""The context in which the names of columns are translated; they are read in every language."""
_SIMILARITY = 0.8
"""How similar a text must be to be suggested instead of one that was not found, between 0 and 1."""


class SuppressionRequest(msgspec.Struct, frozen=True):
    """One line of the file: ``location`` is file and line, ``value`` is empty for the whole record."""

    location: str
    record: str
    value: str
    reason: str


# -- the file ----------------------------------------------------------------------------------------------------------


def read_suppressions(config: Config) -> tuple[SuppressionRequest, ...]:
    """Return the lines of the file that ``[publish] suppress`` names; none without one.

    Raises ``ConfigError`` with a message for each invalid line, because what it suppresses would be published.
    """
    if not config.publish.suppress:
        return ()
    file = Path(config.publish.suppress)
    faults: list[str] = []
    found: list[SuppressionRequest] = []
    try:
        found += _parse(file, faults)
    except ConfigError as error:
        faults += error.faults
    if faults:
        raise ConfigError(faults)
    return tuple(found)


def _parse(file: Path, faults: list[str]) -> Iterator[SuppressionRequest]:
    header: list[str] = []
    for line, row in read_rows(file, "the list of suppressions for publish.suppress"):
        location = f"{file.name} line {line}"
        if not header:
            header = [source_word(SUPPRESSION_LIST, cell).lower() for cell in row]
            if sorted(header) != sorted(COLUMNS):
                faults.append(f"{location}: the columns must be {','.join(COLUMNS)}, not {','.join(header)}")
                return
        elif len(row) != len(header):
            faults.append(f"{location}: has {len(row)} cells, not {len(header)}; put text with commas in quotes")
        else:
            cells = dict(zip(header, map(tidy, row), strict=True))
            if cells["record"]:
                yield SuppressionRequest(location, cells["record"], cells["value"], cells["reason"])
            else:
                faults.append(f"{location}: the cell record is empty; write an id or an IRI")
    if not header:
        faults.append(f"{file.name}: is empty; its first line must be {','.join(COLUMNS)}")


# -- the catalog -------------------------------------------------------------------------------------------------------


def apply_suppressions(
    catalog: Catalog, config: Config, requests: Iterable[SuppressionRequest], log: SourceLog
) -> None:
    """Apply exactly these suppressions; note those whose record or value was not found."""
    wanted = resolve_suppressions(requests, catalog.register, Iris(config.dataset.base), log)
    with catalog.commit():
        taken, lifted = catalog.suppressions.replace({key: one.reason for key, one in wanted.items()})
    report_suppressions(taken, lifted, len(wanted), log.progress)

    def original(ordinal: int) -> MarcRecord | None:
        record = catalog.records.get(ordinal)
        return original_of(record) if record is not None else None

    note_values_not_found(wanted, catalog.records.unredacted_mods, original, log)


def resolve_suppressions(
    requests: Iterable[SuppressionRequest], register: Register, iris: Iris, log: SourceLog
) -> dict[tuple[int, str], SuppressionRequest]:
    """Return the suppressions by ordinal and value; note those that name no record."""
    wanted: dict[tuple[int, str], SuppressionRequest] = {}
    for one in requests:
        try:
            wanted[suppressed_ordinal(register, iris, one.record), one.value] = one
        except ValueError as error:
            log.note_not_taken_down(f"{one.location}: nothing was taken down: {error}")
    return wanted


def report_suppressions(taken: int, lifted: int, in_force: int, progress: Progress) -> None:
    """Report how many suppressions are new, and how many were lifted, if any."""
    if taken or lifted:
        progress.report(f"read: {with_number(taken, 'new suppression')}, {lifted} lifted, {in_force} in force")


def suppressed_ordinal(register: Register, iris: Iris, name: str) -> int:
    """Return the ordinal of a record that is named by its id or by one of its IRIs; raises ``ValueError``."""
    path = iris.path(name)
    if path is None:
        record = register.resolve_record(name)
    else:
        bare = path.removeprefix("doc/").removesuffix(".html")
        kind, _, rest = bare.partition("/")
        if kind not in ("resource", "record"):
            raise ValueError(f"{name} is not the IRI of a record")
        record = record_of_path(rest)
    ordinal = register.ordinal(record)
    if ordinal is None:
        raise ValueError(f"record {record} was never seen")
    return ordinal


def note_values_not_found(
    wanted: Mapping[tuple[int, str], SuppressionRequest],
    mods_of: Callable[[int], Mods | None],
    original_of: Callable[[int], MarcRecord | None],
    log: SourceLog,
) -> None:
    """Warn of each value that is not in the MODS of its record, and note those that are not in its original either.

    ``mods_of`` returns the description of a record with its suppressed values, ``original_of`` its parsed original.
    """
    for (ordinal, value), one in sorted(wanted.items(), key=itemgetter(0)):
        withheld = WithheldValue.parse(value)
        mods = mods_of(ordinal) or Mods()
        if not value or without_values(mods, [withheld]) != mods:
            continue
        texts = sorted({tidy(str(text)) for text in to_element(mods).itertext()})
        suggestion = "".join(
            f"; did you mean {text!r}?" for text in get_close_matches(withheld.text, texts, 1, _SIMILARITY)
        )
        original = original_of(ordinal)
        is_there = original is not None and without_texts(original, [withheld]) != original
        message = f"{one.location}: {value!r} is not the text of an element in the MODS of {one.record}"
        if is_there:
            log.progress.warn(f"{message}; fields of its original that contain it are left out{suggestion}")
        else:
            log.note_not_taken_down(f"{message}: nothing was taken down{suggestion}")
