"""From files to records, and from records to MODS; no configuration and no workspace are needed."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeGuard

import msgspec

from bibld import crosswalk
from bibld._api.configured import PathName
from bibld._api.tables import Table
from bibld.catalog import Reject
from bibld.crosswalk import SubfieldCoverage
from bibld.errors import ConfigError, CrosswalkError, DamagedFileError, HarvestError, ReadError, RecordError
from bibld.ingest import Conversion, ConversionPool, Job
from bibld.model.brief import brief
from bibld.model.marc import DataField, MarcRecord
from bibld.model.marc_writers import to_mrk
from bibld.model.mods import Mods
from bibld.model.origin import Origin
from bibld.progress import Progress, Silent, with_number
from bibld.protocols import HarvestedFile, Raw, Row, adapters
from bibld.read import AUTO, Examined, archive_of, examine, unpack
from bibld.read import read as read_pieces
from bibld.text.charsets import charset_name
from bibld.worklist import InspectionRules

_SOURCE = "file"
_STD = "std"
_STYLESHEETS = (".xsl", ".xslt")
_MODS = msgspec.json.Decoder(Mods)
_RECORDS_AT_ONCE = 500


class RejectWarning(UserWarning):
    """Records could not be used and were left out; the text states how many, and file, position and reason of one."""


class Record(msgspec.Struct, frozen=True):
    """A record as it was read from a file.

    ``content`` is a ``MarcRecord``, for MODS files ``Mods``, for tables a ``Row``; ``original`` are the bytes it was
    read from, ``origin`` is the file and the position in it, ``warnings`` name what had to be repaired. ``reader`` and
    ``charset`` are those that the file was read with.
    """

    origin: Origin
    content: MarcRecord | Mods | Row
    original: bytes
    warnings: tuple[str, ...]
    reader: str
    charset: str

    __repr__ = brief

    @property
    def control_number(self) -> str | None:
        """The identifier of the record: field 001 of MARC, the first record identifier of MODS, else None."""
        if isinstance(self.content, MarcRecord):
            return self.content.control_number
        return self.content.record_identifier if isinstance(self.content, Mods) else None

    def fields(self, *tags: str) -> list[DataField]:
        """Return the MARC data fields with one of these tags, all without tags; empty if the record is not MARC.

        >>> record = next(bibld.read("rsl.mrc"))
        >>> [field.tag for field in record.fields("100", "245")]
        ['100', '245']
        """
        return list(self.content.fields(*tags)) if isinstance(self.content, MarcRecord) else []

    def values(self, tag: str, *codes: str) -> list[str]:
        """Return the texts of MARC subfields: ``record.values("245", "a", "b")``. A control field needs no code.

        >>> next(bibld.read("nlr.iso")).values("200", "a")
        ['Анна Каренина']
        """
        if not isinstance(self.content, MarcRecord):
            return []
        if not codes:
            return self.content.controls(tag) or [sub.value for field in self.fields(tag) for sub in field.subfields]
        return [value for field in self.fields(tag) for value in field.values(*codes)]

    def __str__(self) -> str:
        """Return MARC as text (MARCMaker), other records as JSON."""
        if isinstance(self.content, MarcRecord):
            return to_mrk(self.content)
        return msgspec.json.encode(self.content).decode()


Rejects = list[Reject] | Callable[[Reject], object]
ConvertFunction = Callable[[Any], Mods]
"""Returns the MODS of the content of a record."""


# -- read ------------------------------------------------------------------------------------------------------------


def read(
    files: PathName | Iterable[PathName | HarvestedFile], *, reader: str = AUTO, charset: str = AUTO
) -> Iterator[Record | Reject]:
    """Read the records of a file, or of several files one after the other.

    Yields a ``Record`` for each record, and a ``Reject`` for each piece that is none, for a file that ends too early
    and for a file of an unknown format; nothing that a file contains raises an exception. ``reader`` names the format
    and ``charset`` the character set (see ``bibld adapters``); both are detected otherwise.

    Raises ``ConfigError`` at once for a file that does not exist, an unknown reader and an unknown charset.

    >>> record = next(bibld.read("rsl.mrc"))
    >>> record.control_number, record.charset
    ('01004039769', 'utf-8')
    """
    found = _harvested(files)
    _check_names(reader, charset)
    return _read(found, reader, charset)


def _read(files: list[HarvestedFile], reader: str, charset: str) -> Iterator[Record | Reject]:
    for found in _examined(files, reader, charset):
        if isinstance(found, Reject):
            yield found
            continue
        file, examined = found
        for piece in read_pieces(file, examined):
            if isinstance(piece, RecordError):
                yield _rejected(piece)
                continue
            try:
                parsed = examined.carrier.parse(piece)
            except RecordError as error:
                yield _rejected(error, piece)
            except Exception as error:  # noqa: BLE001 - a reader may belong to another distribution
                failure = f"the reader {examined.reader} failed: {type(error).__name__}: {error}"
                yield _rejected(ReadError(piece.origin, failure), piece)
            else:
                yield Record(
                    piece.origin,
                    parsed.record,
                    piece.data,
                    parsed.warnings,
                    examined.reader,
                    examined.carrier.charset,
                )


def _harvested(files: PathName | Iterable[PathName | HarvestedFile]) -> list[HarvestedFile]:
    """Name the files to be read; raises ``ConfigError`` for each that is not there."""
    named = [files] if isinstance(files, str | os.PathLike) else list(files)
    for one in named:
        if not isinstance(one, str | os.PathLike | HarvestedFile):
            raise TypeError(f"expected the path of a file, got {type(one).__name__}; write bytes into a file first")
    found = [
        one if isinstance(one, HarvestedFile) else HarvestedFile(_SOURCE, Path(one).as_posix(), Path(one))
        for one in named
    ]
    if missing := [file.path for file in found if not file.path.is_file()]:
        raise ConfigError(
            [
                f"{path}: {'is a folder, not a file' if path.is_dir() else 'not found; check the name of the file'}"
                for path in missing
            ]
        )
    return found


def _examined(
    files: list[HarvestedFile], reader: str, charset: str
) -> Iterator[tuple[HarvestedFile, Examined] | Reject]:
    """Yield files with what they are in, in place of archives their members; a reject for one that cannot be used."""
    for file in files:
        with tempfile.TemporaryDirectory(prefix="bibld-") as folder:
            members = [file]
            if archive_of(file.path) is not None:
                try:
                    unpacked = unpack(file.path, Path(folder)).members
                except HarvestError as error:
                    yield _unreadable(file, HarvestError(f"{file.name}: {error}"))
                    continue
                members = [HarvestedFile(file.source, f"{file.name}/{one.name}", one.path) for one in unpacked]
            for member in members:
                try:
                    yield member, examine(member, reader, charset)
                except HarvestError as error:
                    yield _unreadable(member, error)


def _check_names(reader: str, charset: str) -> None:
    names = adapters.adapter_names("read")
    faults = []
    if reader not in (AUTO, *names):
        faults.append(adapters.unknown_name_message(reader, [*names, AUTO], "reader"))
    try:
        if charset != AUTO:
            charset_name(charset)
    except ConfigError as error:
        faults += error.faults
    if faults:
        raise ConfigError(faults)


def _rejected(error: RecordError, piece: Raw | None = None) -> Reject:
    original = error.original or (piece.data if piece else b"")
    return Reject(error.origin, error.control_number, type(error).__name__, error.reason, original)


def _unreadable(file: HarvestedFile, error: HarvestError) -> Reject:
    reason = str(error).removeprefix(file.name).lstrip(": ")  # the place of the reject names the file
    return _rejected(DamagedFileError(Origin(file.source, file.name, 1, 0), reason))


# -- convert ---------------------------------------------------------------------------------------------------------


class Converter(AbstractContextManager["Converter"]):
    """Converts files to MODS, with several processes for large ones, and counts what becomes of each subfield.

    ``flavour`` names the crosswalk (detected for each record otherwise), ``profile`` the mapping of
    MARC records: ``std``, or the file of an XSLT stylesheet (``*.xsl``). ``reader`` and ``charset`` are those of
    :func:`read`. ``inspects``: conversions have the findings of the definitions of their formats. ``workers`` is the
    number of processes, 0 for one for each core. Close it, or use it in a ``with``
    statement.

    Raises ``ConfigError`` for an unknown name.

    >>> with bibld.Converter(counts_fields=True) as converter:
    ...     records = list(converter.convert("rsl.mrc"))
    >>> len(records), converter.coverage()[0].name
    (123, '001')
    """

    def __init__(
        self,
        *,
        profile: str | None = None,
        flavour: str = AUTO,
        reader: str = AUTO,
        charset: str = AUTO,
        workers: int = 1,
        counts_fields: bool = False,
        inspects: bool = False,
    ) -> None:
        _check_names(reader, charset)
        self._flavour, self._settings = _choose_crosswalk(flavour, profile or _STD)
        self._reader, self._charset = reader, charset
        self._counts_fields = counts_fields
        self._inspects = inspects
        self._tally = crosswalk.Tally()
        self._pool = ConversionPool(workers)

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that convert.

        >>> converter = bibld.Converter()
        >>> converter.close()
        """
        self._pool.close()

    def convert(
        self,
        files: PathName | Iterable[PathName | HarvestedFile],
        *,
        form: str = "json",
        progress: Progress | None = None,
    ) -> Iterator[Conversion | Reject]:
        """Convert the records of files, in their order: a ``Conversion`` each, or a ``Reject`` with the reason.

        The ``content`` of a conversion is its MODS in the ``form`` json, xml, csv (a row of a table of catalogue cards)
        or dc (Dublin Core), the record itself with marcxml, or MARC made of the MODS with marc21, unimarc or rusmarc,
        in MARCXML with marc21xml …, with the marks of ISBD with marc21+isbd …. Raises ``ConfigError`` at once for a
        file that does not exist.

        >>> with bibld.Converter() as converter:
        ...     next(converter.convert("rsl.mrc", form="csv")).content[:12]
        b'01004039769,'
        """
        return self._convert(_harvested(files), form, progress or Silent())

    def _convert(self, files: list[HarvestedFile], form: str, progress: Progress) -> Iterator[Conversion | Reject]:
        progress.stage("crosswalk", "records")
        count = 0
        for found in _examined(files, self._reader, self._charset):
            if isinstance(found, Reject):
                yield found
                continue
            file, examined = found
            progress.report(f"{file.name}: {examined.reader}, {examined.carrier.charset}")
            job = Job(
                *(file.source, examined.carrier, self._flavour, self._settings, form, self._counts_fields),
                inspection=InspectionRules() if self._inspects else None,
            )
            for outcome in self._pool.convert(job, read_pieces(file, examined)):
                count += 1
                if count % _RECORDS_AT_ONCE == 0:
                    progress.advance(_RECORDS_AT_ONCE)
                if isinstance(outcome, RecordError):
                    yield _rejected(outcome)
                    continue
                if self._counts_fields:
                    self._tally.add(outcome.flavour, outcome.seen, outcome.private, outcome.unmapped)
                yield outcome

    def convert_record(self, record: Record) -> Mods | Reject:
        """Convert one record that :func:`read` yielded.

        >>> with bibld.Converter() as converter:
        ...     converter.convert_record(next(bibld.read("rsl.mrc"))).record_identifier
        '01004039769'
        """
        try:
            return crosswalk.convert(record.content, self._flavour, self._settings.__getitem__)[1].mods
        except RecordError as error:
            reject = _rejected(error)
        except Exception as error:  # noqa: BLE001 - a crosswalk may belong to another distribution
            reject = _rejected(CrosswalkError(record.origin, f"the crosswalk failed: {type(error).__name__}: {error}"))
        return msgspec.structs.replace(reject, original=record.original, control_number=record.control_number)

    def coverage(self) -> Table[SubfieldCoverage]:
        """Return what became of every tag and subfield so far; empty unless ``counts_fields`` is true.

        >>> with bibld.Converter(counts_fields=True) as converter:
        ...     converter.convert("rsl.mrc").close()
        ...     converter.coverage()
        flavour  name  seen  mapped  private  unmapped  writes  reason
        [0 rows]
        """
        return Table(SubfieldCoverage, crosswalk.coverage(self._tally))


def _choose_crosswalk(flavour: str, profile: str) -> tuple[str, dict[str, Any]]:
    """Return the flavour and the settings of every crosswalk by name; raises ``ConfigError`` for unknown names."""
    names = adapters.adapter_names("crosswalk")
    if flavour not in (AUTO, *names):
        raise ConfigError([adapters.unknown_name_message(flavour, [*names, AUTO], "flavour")])
    settings = {name: adapters.settings_type("crosswalk", name)() for name in names}
    if profile == _STD:
        return flavour, settings
    if not profile.endswith(_STYLESHEETS):
        raise ConfigError([f'unknown profile "{profile}" (allowed: std, and the file of an XSLT stylesheet, *.xsl)'])
    chosen = msgspec.structs.replace(settings["xslt"], stylesheet=str(Path(profile).absolute()))
    crosswalk.identity("xslt", chosen)
    return "xslt" if flavour == AUTO else flavour, settings | {"xslt": chosen}


def to_mods(
    source: PathName | Iterable[PathName] | Iterable[Record | Reject],
    *,
    profile: str | None = None,
    flavour: str | ConvertFunction = AUTO,
    reader: str = AUTO,
    charset: str = AUTO,
    workers: int = 1,
    rejects: Rejects | None = None,
) -> Iterator[Mods]:
    """Convert a file, several files, or what :func:`read` yields, to MODS, in order.

    A record that cannot be converted is left out, and never silently: a Python warning at the end (``RejectWarning``)
    counts them and names the first; if ``rejects`` is given, each is a ``Reject`` appended to that list or passed to
    that function. The other arguments are those of :class:`Converter`; ``flavour`` may be a function, too, which
    returns the MODS of the content of a :class:`Record`, in this process.

    Raises ``ConfigError`` at once for a file that does not exist and for an unknown name.

    >>> next(bibld.to_mods("rsl.mrc")).title_info[0].title
    'Анна Каренина'
    """
    function = None if isinstance(flavour, str) else flavour
    name = flavour if isinstance(flavour, str) else AUTO
    converter = Converter(profile=profile, flavour=name, reader=reader, charset=charset, workers=workers)
    items: Iterable[object] = [source] if isinstance(source, str | os.PathLike) else source
    if isinstance(items, list | tuple):
        _harvested([item for item in items if isinstance(item, str | os.PathLike)])
    if function is not None:
        named = (read(item, reader=reader, charset=charset) if _is_path(item) else (item,) for item in items)
        items = (_converted_by(function, item) for part in named for item in part)
    if rejects is None:
        return _to_mods_with_warning(items, converter)
    return _to_mods(items, converter, rejects.append if isinstance(rejects, list) else rejects)


def _is_path(item: object) -> TypeGuard[PathName]:
    return isinstance(item, str | os.PathLike)


def _converted_by(function: ConvertFunction, item: object) -> object:
    """Return what a function makes of a record, a ``Reject`` if it fails; anything else as it is."""
    if not isinstance(item, Record):
        return item
    try:
        return function(item.content)
    except Exception as error:  # noqa: BLE001 - the function is that of the user
        reject = _rejected(CrosswalkError(item.origin, f"{function.__name__}: {type(error).__name__}: {error}"))
        return msgspec.structs.replace(reject, original=item.original, control_number=item.control_number)


def _to_mods_with_warning(items: Iterable[object], converter: Converter) -> Iterator[Mods]:
    """Yield the MODS; in the end, warn of the rejects."""
    count = 0
    first: list[Reject] = []

    def report(reject: Reject) -> None:
        nonlocal count
        count += 1
        first[:] = first or [reject]

    try:
        yield from _to_mods(items, converter, report)
    finally:
        if first:
            left_out = with_number(count, "record was", "records were")
            text = f"{left_out} left out, such as {first[0]}; rejects=[] collects them"
            warnings.warn(text, RejectWarning, stacklevel=2)


def _to_mods(items: Iterable[object], converter: Converter, report: Callable[[Reject], object]) -> Iterator[Mods]:
    with converter:
        for item in items:
            outcomes: Iterable[Mods | Conversion | Reject]
            if _is_path(item):
                outcomes = converter.convert(item)
            elif isinstance(item, Record):
                outcomes = [converter.convert_record(item)]
            elif isinstance(item, Mods | Reject):
                outcomes = [item]
            else:
                raise TypeError(f"to_mods takes paths, or what bibld.read yields, not {type(item).__name__}")
            for outcome in outcomes:
                if isinstance(outcome, Reject):
                    report(outcome)
                else:
                    yield outcome if isinstance(outcome, Mods) else _MODS.decode(outcome.content)
