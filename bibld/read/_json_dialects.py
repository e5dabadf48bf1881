"""The ways in which MARC records are written as JSON, each brought to a leader and fields.

* MARC-in-JSON (https://rossfsinger.com/blog/2010/09/a-proposal-to-serialize-marc-in-json/): an object for each field;
* MARC-JSON of OCLC: lists ``controlfield`` and ``datafield``, often written as JavaScript, with keys unquoted;
* a list of fields that have their tag inside (``{"tag": "245", "ind1": …}``);
* an object of lists by tag (``{"v": 3, "f": {"245": [{"i1": …, "s": […]}]}}``);
* a list of lists (``["245", "1", "0", "a", "Title"]``), as Catmandu writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from bibld.model.marc import ControlField, DataField, Subfield
from bibld.read._carrier import Field, drop_illegal
from bibld.text.titles import unify_non_sorting_marks

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
