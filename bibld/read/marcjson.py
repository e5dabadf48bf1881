"""MARC as JSON: one record a line, arrays, records within other objects, in any of the usual dialects.

MARC-in-JSON is the one that most software writes. A file of any size is cut record by record; a malformed record is one
reject. UTF-16 is read as UTF-8; then offsets count the bytes of that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import (
    BOM,
    BROKEN_OFF,
    EXCERPT,
    CharsetCarrier,
    CharsetSettings,
    Field,
    Piece,
    drop_illegal,
    illegal_warning,
    sample_charsets,
    to_parsed,
    to_raws,
)
from bibld.read._charset import ASCII, AUTO, LATIN1, Charsets, decode, settle_charsets
from bibld.read._streams import Ends, Rejoined, Stream, recode, recode_head, recoded_charset
from bibld.text.charsets import UTF8
from bibld.text.folding import unify_non_sorting_marks

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+|"', re.DOTALL)
_VALUE = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")
_LINE_END = re.compile(r"[ \t]*+[\r\n]\s*")
_ENDS = ("}", "]")
_LEADER_TAGS = ("LDR", "LEADER", "000", "leader")
_TEXT_KEYS = ("data", "value", "content", "text")
_SUBFIELD_KEYS = ("subfields", "subfield", "s")
_FIRST_KEYS, _SECOND_KEYS = ("ind1", "i1", "indicator1"), ("ind2", "i2", "indicator2")


# --- cutting: the file is not parsed, so that a record that is cut off or malformed does not cost the next one

_CHUNK = 512 * 1024
_LOOKED_AHEAD = 4 * 1024
_MARKUP = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[{}\[\]]', re.DOTALL)
_FIRST_KEY = (
    rb'\s*(?:"?(?:leader|fields|controlfield)"?\s*:|"v"\s*:\s*[0-9]|"_id"\s*:\s*(?:"[^"]*"|[0-9]+)\s*,\s*"record"\s*:)'
)
_BEGIN = re.compile(_FIRST_KEY)
_BROKEN_STRING = re.compile(rb'(\{\s*)"\Z')
_WITHIN_BROKEN = re.compile(rb'\s*"(?:leader|fields|controlfield)"\s*:|"v"\s*:\s*[0-9]|"_id"\s*:')
_BETWEEN = b" \t\r\n\x0c,[]:\x1e" + BOM
_BEFORE_NEXT = re.compile(rb"\}(?=[\s,]*+\{" + _FIRST_KEY + rb")")
_BLANKS = re.compile(rb"[\s,]*+")
_MAX_LINE_BYTES = 64 * 1024
_SHORT = 64


def cut(stream: Stream, maximum: int) -> Iterator[Piece]:
    """Yield the record objects of a file in a charset that contains ASCII.

    An object that only contains records is passed over; one that contains none is yielded. A record that is not closed
    before the next one begins or the file ends is yielded with a fault, and so is one of more than ``maximum`` bytes,
    and what is not an object.
    """
    scan = _Scan(stream, maximum)
    while not scan.is_done:
        yield from scan.step()


class _Scan:
    """The state of a scan: ``buffer`` begins at the offset ``base`` of the file, and is processed up to ``position``.

    ``record`` is where a record that is open begins (-1: none) and ``record_depth`` how deep, ``outer`` the same for an
    outermost object that may or may not be one; ``outer_wraps`` once records were found in it. ``gap`` is where the
    last of them ended.
    """

    def __init__(self, stream: Stream, maximum: int) -> None:
        self._stream = stream
        self._maximum = maximum
        self._buffer = b""
        self._base = self._position = self._gap = self._depth = 0
        self._record = self._outer = -1
        self._record_depth = self._outer_depth = 0
        self._outer_wraps = False
        self._at_end = False
        self.is_done = False

    def step(self) -> Iterator[Piece]:
        """Process a token, or a line that is a record."""
        if self._record < 0 and (self._outer < 0 or self._outer_wraps) and (span := self._find_complete()) is not None:
            self._position = self._gap = span[1]
            yield self._piece(*span, "")
            return
        token = _MARKUP.search(self._buffer, self._position)
        if token is None:
            yield from self._more(len(self._buffer))
        elif token[1] is not None:
            yield from self._string(token)
        elif token[0] in b"{[":
            yield from self._opened(token.start(), token[0] == b"{")
        else:
            yield from self._closed(token.end())

    def _find_complete(self) -> tuple[int, int] | None:
        """Return begin and end of a record that is well-formed and fills a line, or is followed by another record."""
        if self._position - self._gap > _SHORT or self._buffer[self._gap : self._position].strip(_BETWEEN):
            return None
        blanks = _BLANKS.match(self._buffer, self._position)
        start = blanks.end() if blanks is not None else self._position
        if _BEGIN.match(self._buffer, start + 1) is None:
            return None
        end = self._buffer.find(b"\n", start, start + _MAX_LINE_BYTES)
        length = _length_of_object(self._buffer[start:end]) if end > 0 else 0
        if not length and (last := _BEFORE_NEXT.search(self._buffer, start, start + _MAX_LINE_BYTES)) is not None:
            length = _length_of_object(self._buffer[start : last.end()])
        return (start, start + length) if length else None

    def _string(self, token: re.Match[bytes]) -> Iterator[Piece]:
        is_cut = not token[1] or len(self._buffer) - token.end() < _LOOKED_AHEAD
        if is_cut and not self._at_end and len(self._buffer) - token.start() <= self._maximum:
            yield from self._more(token.start())
            return
        self._position = token.end()
        broken = _BROKEN_STRING.search(token[0]) if b"{" in token[0] else None
        if broken is None or not _WITHIN_BROKEN.match(self._buffer, token.start() + broken.end(1)):
            return
        at = token.start() + broken.start()
        yield from self._broken_off(at)
        self._position = at

    def _opened(self, start: int, is_object: bool) -> Iterator[Piece]:
        if is_object and not self._at_end and len(self._buffer) - start < _LOOKED_AHEAD:
            yield from self._more(start)
            return
        if is_object and _BEGIN.match(self._buffer, start + 1):
            if self._record >= 0:
                yield from self._broken_off(start)
            if self._outer >= 0 and not self._outer_wraps and self._is_value(start):
                self._outer_wraps = True
            elif self._outer >= 0 and not self._outer_wraps:
                yield from self._broken_off(start)
            elif self._outer < 0:
                yield from self._between(start)
            self._record, self._record_depth = start, self._depth
        elif is_object and self._record < 0 and self._outer < 0:
            yield from self._between(start)
            self._outer, self._outer_depth, self._outer_wraps = start, self._depth, False
        self._depth += 1
        self._position = start + 1

    def _is_value(self, start: int) -> bool:
        """Return whether a record may begin here within another object: as a value, or as the first of an array."""
        return self._buffer[max(start - _LOOKED_AHEAD, 0) : start].rstrip()[-1:] in (b"[", b":")

    def _closed(self, end: int) -> Iterator[Piece]:
        self._position = end
        self._depth = max(self._depth - 1, 0)
        if self._record >= 0 and self._depth <= self._record_depth:
            yield self._piece(self._record, end, "")
            self._record, self._gap = -1, end
        if self._outer >= 0 and self._depth <= self._outer_depth:
            if not self._outer_wraps:
                yield self._piece(self._outer, end, "")
            self._outer, self._gap = -1, end

    def _broken_off(self, at: int) -> Iterator[Piece]:
        """Yield what is open as a piece that ends before the next record."""
        start, depth = self._open()
        if start >= 0:
            yield self._piece(start, at, "the next record begins before this one is closed")
            self._depth = depth
            self._gap = at
            self._record = -1
            if self._outer >= 0 and not self._outer_wraps:
                self._outer = -1

    def _open(self) -> tuple[int, int]:
        """Return where and how deep the piece begins that would be yielded next; -1: none is open."""
        if self._record >= 0:
            return self._record, self._record_depth
        return (-1 if self._outer_wraps else self._outer), self._outer_depth

    def _between(self, end: int) -> Iterator[Piece]:
        gap = self._buffer[self._gap : end]
        if gap.strip(_BETWEEN):
            yield self._piece(self._gap, end, "not a JSON object; the records around it are read")
        self._gap = end

    def _more(self, position: int) -> Iterator[Piece]:
        """Read more, keeping what is still needed; at the end yield what is left."""
        if self._at_end:
            yield from self._ended()
            return
        start, depth = self._open()
        keep = start if start >= 0 else position if self._outer >= 0 else min(self._gap, position)
        if len(self._buffer) - keep > self._maximum:
            if start >= 0 or self._buffer[keep:position].strip(_BETWEEN):
                fault = f"a record of more than {self._maximum} bytes (the first {EXCERPT} are kept)"
                yield self._piece(keep, min(keep + EXCERPT, len(self._buffer)), fault)
            if start >= 0:
                self._outer, self._outer_depth, self._outer_wraps = start, depth, True
            self._record = -1
            keep = self._gap = position
        self._position = position - keep
        self._gap = max(self._gap - keep, 0)
        self._record = self._record - keep if self._record >= 0 else -1
        self._outer = max(self._outer - keep, 0) if self._outer >= 0 else -1
        self._base += keep
        chunk = self._stream.read(_CHUNK)
        self._at_end = not chunk
        self._buffer = self._buffer[keep:] + chunk

    def _ended(self) -> Iterator[Piece]:
        self.is_done = True
        start, _ = self._open()
        if start >= 0:
            yield self._piece(start, len(self._buffer), BROKEN_OFF)
        elif self._outer < 0:
            yield from self._between(len(self._buffer))

    def _piece(self, start: int, end: int, fault: str) -> Piece:
        return self._base + start, self._buffer[start:end], fault


def _length_of_object(line: bytes) -> int:
    """Return the length of the object that fills a line, apart from a comma or the end of an array; 0 if none does."""
    bare = line.rstrip(b" \t\r,")
    for candidate in (bare, bare.removesuffix(b"]").rstrip(b" \t")):
        if candidate.endswith(b"}"):
            try:
                msgspec.json.decode(candidate, type=msgspec.Raw)
            except (msgspec.DecodeError, RecursionError):
                continue
            return len(candidate)
    return 0


# --- one record


def decode_json(text: str) -> Any:  # noqa: ANN401
    """Return the value of a JSON text; unquoted keys, forgotten commas and line ends within strings are tolerated.

    Raises ``ValueError``.
    """
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        pass
    try:
        return json.loads(text, strict=False)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except ValueError as error:
        try:
            return json.loads(_repair_json(text), strict=False)
        except (ValueError, RecursionError):
            raise ValueError(f"not JSON: {error}") from error


class Reading:
    """One record while it is read: the leader (None: there is none), the fields so far, and what was odd."""

    def __init__(self) -> None:
        self.leader: str | None = None
        self.fields: list[Field] = []
        self.warnings: list[str] = []
        self.illegal = 0

    def take(self, record: dict[str, Any]) -> None:
        """Read the object of a record."""
        for key, value in record.items():
            if key in _LEADER_TAGS:
                self.leader = self._text(value)
            elif key in ("fields", "record", "f"):
                self._take_fields(value)
            elif key in ("controlfield", "datafield"):
                for field in _to_list(value):
                    self._take_tagged(field)
            elif key not in ("_id", "v"):
                self.warnings.append(f"the key {self._text(key)!r} beside leader and fields ignored")

    def _take_fields(self, value: Any) -> None:  # noqa: ANN401
        if isinstance(value, dict):
            for tag, fields in value.items():
                for field in _to_list(fields):
                    self._take_field(tag, field)
            return
        for field in _to_list(value):
            if isinstance(field, list):
                self._take_list(field)
            elif isinstance(field, dict) and "tag" in field:
                self._take_tagged(field)
            elif isinstance(field, dict):
                for tag, content in field.items():
                    self._take_field(tag, content)
            else:
                self._odd(field)

    def _take_tagged(self, field: Any) -> None:  # noqa: ANN401
        if not isinstance(field, dict) or "tag" not in field:
            self._odd(field)
            return
        for key in _TEXT_KEYS:
            if key in field:
                self._take_field(self._text(field["tag"]), field[key])
                return
        self._take_field(self._text(field["tag"]), field)

    def _take_list(self, parts: list[Any]) -> None:
        """``[tag, first, second, code, text, code, text …]``; ``_`` is the code of a text that has none."""
        if len(parts) < 5:
            self._odd(parts)
            return
        tag = self._text(parts[0])
        pairs = [(self._text(code), value) for code, value in zip(parts[3::2], parts[4::2], strict=False)]
        if len(parts) % 2 == 0:
            self._odd(parts[-1:])
        if tag in _LEADER_TAGS or tag.startswith("00"):
            self._take_field(tag, "".join(self._text(value) for _, value in pairs))
            return
        subfields = [self._subfield(tag, code, value) for code, value in pairs if code != "_" or self._text(value)]
        indicators = [self._text(part) or " " for part in parts[1:3]]
        self.fields.append(DataField(self._text(tag), indicators[0][0], indicators[1][0], tuple(subfields)))

    def _take_field(self, tag: str, content: Any) -> None:  # noqa: ANN401
        tag = self._text(tag)
        if not isinstance(content, dict):
            if tag in _LEADER_TAGS:
                self.leader = self._text(content)
            elif isinstance(content, list) and any(isinstance(part, dict | list) for part in content):
                self._odd(content)
            else:
                self.fields += [ControlField(tag, self._text(part)) for part in _to_list(content)]
            return
        both = self._text(content.get("ind")).ljust(2)
        first, second = both[0], both[1]
        first = next((self._text(content[key]) for key in _FIRST_KEYS if key in content), first)
        second = next((self._text(content[key]) for key in _SECOND_KEYS if key in content), second)
        subfields = tuple(self._subfields(tag, content))
        known = {*_SUBFIELD_KEYS, *_FIRST_KEYS, *_SECOND_KEYS, "ind", "tag"}
        for key in content:
            if key not in known:
                self.warnings.append(f"{tag}: the key {self._text(key)!r} ignored")
        self.fields.append(DataField(tag, (first or " ")[0], (second or " ")[0], subfields))

    def _subfields(self, tag: str, content: dict[str, Any]) -> Iterator[Subfield]:
        for key in _SUBFIELD_KEYS:
            for part in _to_list(content.get(key, [])):
                if not isinstance(part, dict):
                    self._odd(part)
                elif "code" in part:
                    value = next((part[name] for name in _TEXT_KEYS if name in part), "")
                    yield self._subfield(tag, self._text(part["code"]), value)
                else:
                    for code, value in part.items():
                        for one in _to_list(value):
                            yield self._subfield(tag, self._text(code), one)

    def _subfield(self, tag: str, code: str, value: Any) -> Subfield:  # noqa: ANN401
        if len(code) != 1:
            self.warnings.append(f"{tag}: a subfield with the code {code!r}")
        return Subfield((code or " ")[0], self._text(value))

    def _text(self, value: Any) -> str:  # noqa: ANN401
        if isinstance(value, str):
            text = value
        elif value is None:
            return ""
        else:
            text = json.dumps(value, ensure_ascii=False)
        if text.isprintable():
            return text
        text = _LINE_END.sub(" ", text).strip() if "\n" in text else text
        text, illegal = drop_illegal(unify_non_sorting_marks(text))
        self.illegal += illegal
        return text

    def _odd(self, value: Any) -> None:  # noqa: ANN401
        self.warnings.append(f"no field in {self._text(json.dumps(value, ensure_ascii=False))[:60]}")


def _to_list(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else [] if value is None else [value]


def _repair_json(text: str) -> str:
    """Quote keys, and insert forgotten commas."""
    tokens: list[str] = _TOKEN.findall(text)
    repaired: list[str] = []
    for number, token in enumerate(tokens):
        before = tokens[number - 1] if number else ""
        begins_value = token not in ("}", "]", ",", ":")
        if begins_value and (before in _ENDS or (before.endswith('"') and token not in ("{", "["))):
            repaired.append(",")
        if begins_value and token not in ("{", "[") and not token.startswith('"') and not _VALUE.fullmatch(token):
            token = json.dumps(token)
        repaired.append(token)
    return "".join(repaired)


_FIRST_CHARACTERS = b"{["
_FIELDS = re.compile(
    rb'[{,]\s*"?(?:leader|fields|controlfield|datafield)"?\s*:\s*["\[{]'
    rb'|"f"\s*:\s*\{\s*"[0-9A-Z]{3}"\s*:|"record"\s*:\s*\[\s*\[\s*"'
)


Settings = CharsetSettings


class MarcjsonCarrier(CharsetCarrier, frozen=True):
    """One file of MARC as JSON, which is UTF-8 (RFC 8259, 8.1) but for old and wrong software."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into the objects of its records; an array that is not closed is damage of the file."""
        ends = Ends(recode(stream, self.recoded))
        return to_raws(self.source, self.file, cut(ends, self.max_record_bytes), lambda: _missing_end(ends))

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` if it is not JSON, or has no field."""
        decoded = decode(raw.data, self.charsets)
        reading = Reading()
        try:
            value = decode_json(decoded.text)
            if isinstance(value, dict):
                reading.take(value)
        except ValueError as error:
            raise ReadError(raw.origin, str(error), raw.data) from error
        except RecursionError as error:
            raise ReadError(raw.origin, "nested too deeply", raw.data) from error
        if not reading.fields:
            raise ReadError(raw.origin, 'the object has no field of MARC, such as {"245": {"subfields": …}}', raw.data)
        warnings = [*decoded.warnings, *reading.warnings]
        if reading.illegal:
            warnings.append(illegal_warning(reading.illegal))
        return to_parsed(raw, reading.leader, reading.fields, warnings, may_be_short=False)


CarrierType = MarcjsonCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the file is JSON, or nearly, and contains fields of MARC."""
    text = recode_head(head, _FIRST_CHARACTERS).removeprefix(BOM).lstrip(b" \t\r\n\x1e")
    return text.startswith((b"{", b"[")) and _FIELDS.search(text) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> MarcjsonCarrier:
    """Find the charset by the first 200 records: UTF-8, as JSON must be, unless they are in another."""
    head = stream.read(2)
    recoded = recoded_charset(head, _FIRST_CHARACTERS)
    samples = sample_charsets(cut(recode(Rejoined(head, stream), recoded), settings.max_record_bytes))
    if recoded:
        charsets = Charsets(recoded, UTF8)
    elif settings.charset == AUTO and not samples:
        charsets = Charsets(None, ASCII)
    else:
        charsets = settle_charsets(settings.charset, None, LATIN1, samples)
    return MarcjsonCarrier(
        source=source, file=name, charsets=charsets, recoded=recoded, max_record_bytes=settings.max_record_bytes
    )


def _missing_end(ends: Ends) -> str:
    """Return the fault of a file that begins an array and does not close it; empty for every other file."""
    is_array = ends.head.removeprefix(BOM).lstrip().startswith(b"[")
    is_closed = ends.tail.rstrip(b" \t\r\n\0\x1a").endswith(b"]")
    return "the file ends before its array does, so it may be cut off; fetch it again" if is_array > is_closed else ""
