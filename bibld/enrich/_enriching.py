"""Enrich the records of a file one by one, and copy every byte between them."""

from __future__ import annotations

import codecs
import io
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, cast

import msgspec

from bibld import crosswalk
from bibld.catalog import Catalog
from bibld.config import Config, Source
from bibld.enrich._additions import AdditionFinder, Located
from bibld.enrich._editing import (
    Addition,
    add_to_record,
    charset_for_additions,
    form_of,
    withdraw_additions,
)
from bibld.enrich._fields import Fields
from bibld.enrich._marc21 import MARC21
from bibld.enrich._slices import CarrierForm, NotEditableError
from bibld.enrich._unimarc import UNIMARC
from bibld.errors import ConfigError, HarvestError, ReadError, RecordError
from bibld.model.enrichment import (
    MARC21_MARKS,
    UNIMARC_MARKS,
    EnrichmentReport,
    ReturnElement,
    without_additions,
)
from bibld.model.iris import Iris
from bibld.model.marc import MarcRecord, Subfield
from bibld.model.mods import Mods
from bibld.model.origin import Origin, RecordId
from bibld.protocols import HarvestedFile, Raw
from bibld.read import Examined, Recoded, examine, open_decompressed, read
from bibld.text.folding import fold

_FIELDS: dict[str, Fields] = {"marc21": MARC21, "unimarc": UNIMARC, "rusmarc": UNIMARC}
_TITLE_TAGS = ("200", "245")
_COPY_BYTES = 1 << 20
_WITH_MARK, _UNCHANGED = "utf-16", "surrogatepass"

_COUNTS = ("records", "unknown", "unchangeable", "enriched", "changed", "omitted", "withdrawn")

Locate = Callable[[Raw, MarcRecord, RecordId | None], Located | None]
"""Finds the publication of a record of a file from its bytes and its content; None if there is none.

The id is that of the record in its source, None without a control number: such an id is a hash of the bytes, which
additions change. May raise ``NotEditableError``.
"""


class RecordAddition(msgspec.Struct, frozen=True):
    """An addition to a record; with a ``fault`` (the reason) it was left out."""

    origin: Origin
    record: RecordId | None
    element: ReturnElement
    tag: str
    text: str
    source: str
    agency: str = ""
    confidence: float | None = None
    fault: str = ""

    @classmethod
    def from_addition(
        cls, origin: Origin, record: RecordId | None, addition: Addition, fault: str = ""
    ) -> RecordAddition:
        """Describe an addition that was made, or left out because of a fault."""
        given = addition.source
        return cls(
            origin, record, given.element, addition.tag, addition.text, given.iri, given.agency, given.confidence, fault
        )

    def __str__(self) -> str:
        confidence = "" if self.confidence is None else f", {self.confidence:.2f}"
        agency = f"{self.agency}, " if self.agency else ""
        line = f"{self.record or self.origin}  {self.tag} {self.text}  ({agency}{self.source}{confidence})"
        return f"{self.origin}: {line} left out: {self.fault}" if self.fault else line


class Enricher:
    """Enriches the files of one source: earlier additions of the dataset are withdrawn, then made again.

    Without a ``finder`` they are only withdrawn. ``locate`` finds the publication of a record; ``observe`` receives
    each addition, ``warn`` a message about each reason for which records stay as they are, ``advance`` 1 a record.
    """

    def __init__(
        self,
        config: Config,
        source: Source,
        finder: AdditionFinder | None,
        locate: Locate,
        observe: Callable[[RecordAddition], object],
        warn: Callable[[str], object],
        advance: Callable[[int], object] = lambda _: None,
    ) -> None:
        self._base = checked_base(config)
        self._source = source
        self._finder = finder
        agency = config.dataset.isil
        self._marc21_marks = msgspec.structs.replace(MARC21_MARKS, agency=agency)
        self._unimarc_marks = msgspec.structs.replace(UNIMARC_MARKS, agency=agency, tag=source.return_policy.mark)
        self._locate = locate
        self._observe = observe
        self._warn = warn
        self._advance = advance
        self._counts: Counter[str] = Counter()
        self._elements: Counter[str] = Counter()
        self._faults: dict[str, list[Origin]] = {}

    def enrich_file(self, file: HarvestedFile, out: BinaryIO) -> EnrichmentReport:
        """Write a file with the additions to its records; raises ``HarvestError`` for a damaged one, ``ConfigError``.

        What is compressed is written uncompressed. Only one record is in memory at a time.
        """
        config = self._source.config
        examined = examine(file, config.read, config.charset, self._source.read)
        form = form_of(examined.reader, examined.carrier)
        if form is None:
            raise ConfigError([unsupported_message(file.name, examined)])
        self._counts.clear()
        self._elements.clear()
        self._faults.clear()
        rewrite_file(file, examined, out, lambda raw: self._edit(raw, form, examined.carrier), self._refuse)
        for reason, origins in self._faults.items():
            others = f" (and {len(origins) - 1:,} further)" if len(origins) > 1 else ""
            self._warn(f"{origins[0]}{others}: {reason}; it is returned as it is")
        return _report(file.name, self._counts, self._elements)

    def enrich_record(self, raw: Raw, reader: str, carrier: Any) -> bytes:  # noqa: ANN401
        """Return the bytes of one record with its additions; unchanged if they cannot be changed safely."""
        form = form_of(reader, carrier)
        data = raw.data if form is None else self._edit(raw, form, carrier)
        self._faults.clear()  # they are reported for files only
        return data

    def _refuse(self, raw: Raw) -> None:
        self._counts.update(("records", "unchangeable"))
        self._faults.setdefault("there are blank lines within the record", []).append(raw.origin)

    def _edit(self, raw: Raw, form: CarrierForm, carrier: Any) -> bytes:  # noqa: ANN401
        self._counts["records"] += 1
        self._advance(1)
        data = raw.data
        try:
            record = carrier.parse(raw).record
            data = withdraw_additions(form, raw.data, self._base)
            self._counts["withdrawn"] += data != raw.data
            if self._finder is not None:
                bare = without_additions(record, self._base) if data != raw.data else record
                data = self._add(Raw(raw.origin, data), bare, form, carrier, self._finder)
        except NotEditableError as error:
            self._counts["unchangeable"] += 1
            self._faults.setdefault(str(error), []).append(raw.origin)
        except RecordError:  # what is no record is returned as it is; reading the source reports it
            self._counts["unchangeable"] += 1
        self._counts["changed"] += data != raw.data
        return data

    def _add(self, raw: Raw, record: MarcRecord, form: CarrierForm, carrier: Any, finder: AdditionFinder) -> bytes:  # noqa: ANN401
        """Return the bytes of a record with additions; raises ``NotEditableError``."""
        number = record.control_number
        name = RecordId.from_control_number(self._source.id, number) if number else None
        located = self._locate(raw, record, name)
        if located is None:
            self._counts["unknown"] += 1
            return raw.data
        flavour = self._source.config.crosswalk
        flavour = flavour if flavour in _FIELDS else crosswalk.sniff(record)
        if flavour not in _FIELDS:
            raise NotEditableError(f'no fields are known for records of the flavour "{flavour}"')
        is_unimarc = _FIELDS[flavour] is UNIMARC
        sliced = form.slice(raw.data)
        additions = finder.find(located, record, sliced, _FIELDS[flavour])
        charset = charset_for_additions(form, raw.data, carrier, is_unimarc)
        marks = self._unimarc_marks if is_unimarc else self._marc21_marks
        enriched = add_to_record(form, sliced, additions, charset, marks)
        for omitted in enriched.omitted:
            self._counts["omitted"] += 1
            self._observe(RecordAddition.from_addition(raw.origin, name, omitted.addition, omitted.reason))
        if not enriched.added:
            return raw.data
        self._check(Raw(raw.origin, enriched.data), record, carrier, enriched.added)
        for addition in enriched.added:
            self._elements[addition.source.element] += 1
            self._observe(RecordAddition.from_addition(raw.origin, name, addition))
        self._counts["enriched"] += 1
        return enriched.data

    def _check(self, raw: Raw, record: MarcRecord, carrier: Any, added: Sequence[Addition]) -> None:  # noqa: ANN401
        """Check that a reader finds the own fields unchanged and all additions; raises ``NotEditableError`` if not."""
        try:
            after = carrier.parse(raw).record
        except ReadError as error:
            raise NotEditableError(f"with the additions it cannot be read ({error.reason})") from error
        if without_additions(after, self._base).all_fields != record.all_fields:
            raise NotEditableError("with the additions its own fields would be read otherwise, in another charset")
        stated: dict[str, set[Subfield]] = {}
        for field in after.fields():
            stated.setdefault(field.tag, set()).update(field.subfields)
        for addition in added:
            if not stated.get(addition.tag, set()).issuperset(addition.subfields):
                raise NotEditableError(f"the addition {addition.tag} {addition.text} would be read otherwise")


def rewrite_file(
    file: HarvestedFile,
    examined: Examined,
    out: BinaryIO,
    edit: Callable[[Raw], bytes],
    refuse: Callable[[Raw], object] = lambda _: None,
) -> None:
    """Write a file with the edited bytes of its records; all bytes between records are copied.

    ``refuse`` is called with a record whose bytes the reader changes, such as one with blank lines; it is copied.
    Raises ``HarvestError`` for a damaged compressed file: what follows the damage would be lost.
    """
    with open_decompressed(file.path, may_have_holes=True) as stored:
        original, out = _in_utf8(stored, out, getattr(examined.carrier, "recoded", ""))
        at = 0
        for piece in read(file, examined):
            if not isinstance(piece, Raw) or piece.origin.offset < at:
                continue
            _copy(original, out, piece.origin.offset - at)
            found = original.read(len(piece.data))
            if found == piece.data:
                out.write(edit(piece))
            else:
                refuse(piece)
                out.write(found)
            at = piece.origin.offset + len(found)
        try:
            _copy(original, out, None)
        except UnicodeDecodeError as error:
            raise HarvestError(f"{file.name}: its last character is incomplete; fetch it again") from error


def _in_utf8(stored: BinaryIO, out: BinaryIO, charset: str) -> tuple[BinaryIO, BinaryIO]:
    """Return streams with the UTF-8 in which records are read, if a file is in UTF-16; otherwise the streams.

    Each pair of bytes becomes the same pair again. The byte order mark is written at once.
    """
    if not charset:
        return stored, out
    if charset == _WITH_MARK:
        mark = stored.read(len(codecs.BOM_UTF16_LE))
        out.write(mark)
        charset += "-le" if mark == codecs.BOM_UTF16_LE else "-be"
    return io.BufferedReader(Recoded(stored, charset, _UNCHANGED)), cast(BinaryIO, _Utf16Output(out, charset))


class _Utf16Output:
    """Writes UTF-8 in UTF-16."""

    def __init__(self, out: BinaryIO, charset: str) -> None:
        self._out = out
        self._charset = charset
        self._decoder = codecs.getincrementaldecoder("utf-8")(_UNCHANGED)

    def write(self, data: bytes) -> int:
        self._out.write(self._decoder.decode(data).encode(self._charset, _UNCHANGED))
        return len(data)


def _copy(original: BinaryIO, out: BinaryIO, size: int | None) -> None:
    """Copy ``size`` bytes, or all the rest (None)."""
    while size is None or size > 0:
        data = original.read(_COPY_BYTES if size is None else min(size, _COPY_BYTES))
        if not data:
            return
        out.write(data)
        size = None if size is None else size - len(data)


def locate_in_catalog(catalog: Catalog) -> Locate:
    """Return a function that finds records of the catalog by their control numbers.

    Another record of a source may have had the number: the titles must agree, unless the bytes do.
    """

    def locate(raw: Raw, record: MarcRecord, name: RecordId | None) -> Located | None:
        ordinal = catalog.register.ordinal(name) if name is not None else None
        if ordinal is None or not catalog.records.is_live(ordinal) or catalog.records.is_authority(ordinal):
            return None
        if not _is_titled(record, catalog.records.mods(ordinal)):
            stored = catalog.records.get(ordinal)
            if stored is None or stored.original != raw.data:
                raise NotEditableError(f"its control number is that of a record with another title, {name}")
        return Located(catalog.linkage.cluster(catalog.linkage.founder(ordinal)), name)

    return locate


def _is_titled(record: MarcRecord, mods: Mods) -> bool:
    """Whether most words of the title of a record are in the titles of a description."""
    stated = (text for field in record.fields(*_TITLE_TAGS) for text in field.values("a"))
    words = set(fold(" ".join(stated)).split())
    known: set[str] = set()
    for info in mods.title_info:
        texts = (info.non_sort or "", info.title, *info.sub_title, *info.part_number, *info.part_name)
        known.update(fold(" ".join(texts)).split())
    return 2 * len(words & known) > len(words)


def checked_base(config: Config) -> str:
    """Return the base of the dataset, which marks additions; raises ``ConfigError`` if it is not ASCII."""
    base = Iris(config.dataset.base).base
    if not base.isascii():
        raise ConfigError([f"dataset.base: {base} marks additions to records, so it must be ASCII; use xn--… and %XX"])
    return base


def unsupported_message(name: str, examined: Examined) -> str:
    """Return the message for a file whose records cannot be changed."""
    formats = "ISO 2709, MARC in XML, MARC-in-JSON, MARCMaker text, Aleph sequential or lines of yaz-marcdump"
    if examined.reader == "irbis":
        return f"{name} is a text file of IRBIS, whose fields are not those of MARC; export it as RUSMARC in {formats}"
    return f"{name} is {examined.reader}, in which records cannot be changed byte by byte; export it as {formats}"


def merge_reports(name: str, reports: Sequence[EnrichmentReport]) -> EnrichmentReport:
    """Return the sums of the reports of some files."""
    counts: Counter[str] = Counter({count: sum(getattr(one, count) for one in reports) for count in _COUNTS})
    elements: Counter[str] = Counter()
    for one in reports:
        elements.update(dict(one.elements))
    return _report(name, counts, elements)


def _report(name: str, counts: Counter[str], elements: Counter[str]) -> EnrichmentReport:
    values = {"file": name, **{count: counts[count] for count in _COUNTS}, "elements": sorted(elements.items())}
    return msgspec.convert(values, EnrichmentReport)
