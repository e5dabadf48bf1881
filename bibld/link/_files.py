"""Open a file of an authority, find out its format, and yield its records; those of tables are read here."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import BinaryIO, Literal, TextIO, cast, get_args

import msgspec

from bibld.errors import ConfigError, HarvestError
from bibld.link._marc import read_marc
from bibld.link._names import Life, life_of, year_of
from bibld.link._rdf import read_rdf
from bibld.link._values import AuthorityKind, AuthorityLabel, AuthorityRecord, iri_of
from bibld.model.iris import web_iri
from bibld.protocols import adapters
from bibld.read import open_decompressed
from bibld.text.languages import language_code
from bibld.text.lists import charset_of_list, separator_of

Format = Literal["n-triples", "turtle", "marc", "csv"]

_HEAD = 64 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_TURTLE = re.compile(
    rb"\s*(?:#[^\n]*\n\s*)*(?:@prefix|@base|prefix\s|base\s|[A-Za-z][\w.-]*:[^\s]+\s|<[^>\s]+>\s|_:\w)", re.IGNORECASE
)
_STATEMENT = re.compile(
    rb"\s*(?:#[^\n]*\n\s*)*(?:<[^>\s]+>|_:\S+)\s+<[^>\s]+>\s+(?:<[^>\s]+>|_:\S+|\".*\"\S*)\s*\.\s*$", re.MULTILINE
)
_XML = re.compile(rb"\s*(?:<\?xml|<\w+:?(?:collection|record|RDF)\b)")


class AuthorityFile(msgspec.Struct, frozen=True):
    """A file of an authority: path, format, the template that makes IRIs of its ids, and a hash of its content."""

    path: Path
    format: Format
    template: str
    digest: str

    @property
    def name(self) -> str:
        """The name of the file, for messages."""
        return self.path.name


def open_authority(path: Path, template: str = "") -> AuthorityFile:
    """Check a file and find out its format.

    Raises ``ConfigError`` for a file that does not exist, is empty, or is of no format that linking reads.
    """
    if not path.is_file():
        raise ConfigError(
            [f"{path}: {'is a folder, not a file' if path.is_dir() else 'not found; check the name of the file'}"]
        )
    if template and "{}" not in template:
        raise ConfigError([f"--iri {template}: has no {{}} for the id; write it as https://example.org/{{}}"])
    try:
        with _decompressed(path) as stream:
            head = stream.read(_HEAD)
    except HarvestError as error:
        raise ConfigError([str(error)]) from error
    return AuthorityFile(path, _format_of(path, head), template, _digest(path))


def read_authority(file: AuthorityFile) -> Iterator[AuthorityRecord | None]:
    """Yield the records of a file in its order, and None for each that cannot be used; needs little memory.

    Raises ``HarvestError`` for a file that is damaged, cut off, or not of its format.
    """
    if file.format == "marc":
        yield from read_marc(file.path, file.name, file.template)
        return
    with _decompressed(file.path) as stream:
        if file.format == "csv":
            yield from read_csv(stream, file.name, file.template)
        else:
            yield from read_rdf(stream, file.name, file.format == "n-triples")


def _format_of(path: Path, head: bytes) -> Format:
    head = head.removeprefix(_BYTE_ORDER_MARK)
    if not head.strip(b"\0 \r\n\t"):
        raise ConfigError([f"{path}: is empty; fetch the file again"])
    if _HTML.match(head):
        raise ConfigError([f"{path}: is an HTML page, not data; the address of the download may have changed"])
    if _XML.match(head) and b"RDF" in head[:2000]:
        raise ConfigError([f"{path}: is RDF/XML, which is not read; fetch the same data as N-Triples or Turtle"])
    lines = head.splitlines()
    if lines and _STATEMENT.match(
        next((line for line in lines if line.strip() and not line.lstrip().startswith(b"#")), b"")
    ):
        return "n-triples"
    if _TURTLE.match(head):
        return "turtle"
    reader = adapters.detect_adapter("read", head)
    if reader is not None and reader != "csv":
        return "marc"
    text = head.decode(charset_of_list(head), "ignore")
    if "\0" not in text and any(separator in text.partition("\n")[0] for separator in ",;\t"):
        return "csv"
    raise ConfigError(
        [
            f"{path}: is of no known format; supported are N-Triples, Turtle, MARC authority records, and CSV with a"
            " header"
        ]
    )


@contextmanager
def _decompressed(path: Path) -> Iterator[BinaryIO]:
    """Open a file, decompressed; its damage is raised rather than what a parser found wrong because of it."""
    fault: HarvestError | None = None
    with open_decompressed(path, may_have_holes=True) as stream:
        try:
            yield stream
        except HarvestError as error:
            fault = error
    if fault is not None:
        raise fault


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``table.toml`` states: the names that a header may have for each column, and words for kinds."""

    columns: dict[str, tuple[str, ...]]
    kinds: dict[str, AuthorityKind]


_TABLE = msgspec.toml.decode(
    resources.files("bibld.link").joinpath("table.toml").read_text(encoding="utf-8"), type=_Table
)
_KINDS = {str(kind): cast(AuthorityKind, kind) for kind in get_args(AuthorityKind)} | _TABLE.kinds
_MAX_CELL_CHARACTERS = 1 << 20


def read_csv(stream: BinaryIO, name: str, template: str) -> Iterator[AuthorityRecord]:
    """Yield a record for each row; several labels of a cell are separated by ``|`` (the first is preferred).

    ``template`` makes an IRI of an id that is none: ``https://example.org/{}``. Raises ``HarvestError`` for a table
    without the columns that are needed, and for ids that are not IRIs without a template.
    """
    csv.field_size_limit(_MAX_CELL_CHARACTERS)
    buffered = io.BufferedReader(cast(io.RawIOBase, stream), _HEAD)
    text = io.TextIOWrapper(buffered, encoding=charset_of_list(buffered.peek()), newline="")
    try:
        yield from _rows_of(text, name, template)
    except csv.Error as error:
        raise HarvestError(f"{name}: is not a valid table: {error}; write it again as CSV") from error
    except UnicodeDecodeError as error:
        raise HarvestError(f"{name}: is not in one charset: {error}; save it as UTF-8") from error


def _rows_of(text: TextIO, name: str, template: str) -> Iterator[AuthorityRecord]:
    head = text.readline()
    separator = separator_of(head)
    header = [cell.strip().lower() for cell in next(csv.reader([head], delimiter=separator), [])]
    columns = {
        column: header.index(found)
        for column, names in _TABLE.columns.items()
        if (found := next((one for one in names if one in header), None)) is not None
    }
    if missing := [column for column in ("id", "label") if column not in columns]:
        raise HarvestError(
            f"{name}: is a table without the column {' and '.join(missing)}; its header is {', '.join(header)[:200]!r};"
            f" the columns are {', '.join(_TABLE.columns)}"
        )
    for line, row in enumerate(csv.reader(text, delimiter=separator), 2):
        cells = {column: row[at].strip() for column, at in columns.items() if at < len(row)}
        if cells.get("id") and cells.get("label"):
            yield _record_of(cells, f"{name}: line {line}", template)


def _record_of(cells: Mapping[str, str], place: str, template: str) -> AuthorityRecord:
    iri = iri_of(cells["id"], template)
    if iri is None:
        raise HarvestError(
            f"{place}: the id {cells['id'][:80]!r} is not an IRI; name a template, such as --iri https://example.org/{{}}"
        )
    language = cells.get("language", "").lower()
    preferred, *others = _parts(cells["label"])
    labels = {AuthorityLabel(preferred, language, True)}
    labels |= {AuthorityLabel(text, language) for text in (*others, *_parts(cells.get("variants", "")))}
    kind = _KINDS.get(cells.get("kind", "").lower(), "")
    creators = tuple(_parts(cells.get("creators", "")))
    life = life_of(cells.get("dates", "")) if cells.get("dates") else Life()
    if life == Life() and kind in ("person", ""):
        life = life_of(preferred) if "," in preferred or kind == "person" else life
    return AuthorityRecord(
        iri=iri,
        kind=kind,
        labels=tuple(sorted(labels)),
        born=year_of(cells.get("born", "")) or life.born,
        died=year_of(cells.get("died", "")) or life.died,
        numbers=tuple(sorted(found for text in _parts(cells.get("numbers", "")) if (found := web_iri(text)))),
        works=tuple(_parts(cells.get("works", ""))),
        occupations=tuple(_parts(cells.get("occupations", ""))),
        titles=tuple(sorted(label.text for label in labels)) if kind == "work" or creators else (),
        creators=creators,
        work_language=language_code(cells.get("work_language", "")) or "",
    )


def _parts(cell: str) -> list[str]:
    return [part for part in (part.strip() for part in cell.split("|")) if part]
