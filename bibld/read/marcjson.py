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
    CharsetCarrier,
    CharsetSettings,
    Field,
    drop_illegal,
    illegal_warning,
    sample_charsets,
    to_parsed,
    to_raws,
)
from bibld.read._charset import ASCII, AUTO, LATIN1, Charsets, decode, settle_charsets
from bibld.read._json_cut import cut
from bibld.read._streams import Ends, Rejoined, recode, recode_head, recoded_charset
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
