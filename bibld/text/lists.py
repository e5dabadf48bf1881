"""Lists that people fill in with a spreadsheet or an editor: their text and their rows, however they were saved.

Excel in Russia saves CSV in windows-1251 (for MS-DOS in cp866) with semicolons, and "Unicode text" in UTF-16 with tabs;
other programs write UTF-8, with or without a byte order mark.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from bibld.errors import ConfigError
from bibld.text.cyrillic import SURE, best, score
from bibld.text.translations import SOURCE_LANGUAGE, Sentences

Line = tuple[int, list[str]]
"""The number of the first line of a row, and its cells."""

_QUOTED = re.compile(r'"[^"]*"')
_SEPARATOR = re.compile(r"[,;\t]")
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?\r?\n', re.IGNORECASE)
_MAX_FILE_BYTES = 256 * 1024 * 1024
_MAX_LETTERS_OF_A_WORD = 8
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_USUAL = "cp1251"
_WITHOUT_SIGNS = str.maketrans("", "", "«»–—№“”„…")


def charset_of_list(head: bytes) -> str:
    """Return the charset of a list by its beginning; UTF-8, which it cannot be decoded with, if that is uncertain.

    >>> charset_of_list("Анна;Каренина".encode("cp866")), charset_of_list("Müller".encode("cp1252"))
    ('cp866', 'utf-8-sig')
    """
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # it may end within a character
    except UnicodeDecodeError:
        return _cyrillic_charset(head) or "utf-8-sig"
    return "utf-8-sig"


def _cyrillic_charset(data: bytes) -> str:
    """Return the charset of Russian text; that of Windows if it is short; empty for a letter or for other text."""
    letters = sum(byte >= 0x80 for byte in data)
    name, similarity = best(data, _USUAL)
    if letters <= _MAX_LETTERS_OF_A_WORD:
        name, similarity = _USUAL, score(data.decode(_USUAL, "replace").translate(_WITHOUT_SIGNS))
    return name if letters > 1 and similarity >= SURE else ""


def read_list(path: Path, content: str) -> str:
    """Return the text of a list; ``content`` is what the file should be, for the messages: a list of verdicts.

    Raises ``ConfigError`` for a file that cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError([f"{path}: not found; name {content}"]) from None
    except OSError as error:
        raise ConfigError([f"{path}: cannot be read: {error.strerror}; name {content}"]) from error
    if len(data) > _MAX_FILE_BYTES:
        raise ConfigError([f"{path}: is larger than {_MAX_FILE_BYTES >> 20} MiB; name {content}"])
    try:
        return data.decode(charset_of_list(data))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError([f"{path.name} line {line}: is not UTF-8; save the file as UTF-8"]) from error


def read_rows(path: Path, content: str) -> Iterator[Line]:
    """Yield the rows of a table (CSV) that are not blank, their cells trimmed.

    Cells are separated by commas, semicolons or tabs, whichever occurs first in the first line, or by what a line
    ``sep=;`` before it names. Raises ``ConfigError`` for a file that cannot be read, and in the middle of it for a row
    that is not CSV.
    """
    text = read_list(path, content)
    named = _SEPARATOR_LINE.match(text)
    number = 2 if named else 1
    text = text[named.end() :] if named else text
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=named[1] if named else separator_of(text), strict=True)
    skipped = number - 1
    try:
        for cells in rows:
            trimmed = [cell.strip() for cell in cells]
            if any(trimmed):
                yield number, trimmed
            number = rows.line_num + 1 + skipped
    except csv.Error as error:
        raise ConfigError(
            [f"{path.name} line {number}: the row is not CSV: {error}; what follows was not read"]
        ) from error


def table_lines(context: str, names: Sequence[str], rows: Iterable[Sequence[str]], words: Sentences) -> Iterator[str]:
    """Yield the lines of a table that people fill in and give back, in their language, as their spreadsheet opens it.

    The names of columns are translated in a ``context``, in which ``source_word`` of :mod:`bibld.text.translations`
    reads them back. A cell that a spreadsheet would take for a formula gets an apostrophe.
    """
    line = io.StringIO(newline="")
    writer = csv.writer(line, delimiter=words.separator)
    header = names if words.tag == SOURCE_LANGUAGE else [words.word(context, name) for name in names]
    yield "\ufeff"
    for cells in chain([header], rows):
        writer.writerow(map(harmless, cells))
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: titles come from records of anybody."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def separator_of(text: str) -> str:
    """Return what separates the cells of a table: the first separator in its first line, outside quotation marks."""
    found = _SEPARATOR.search(_QUOTED.sub("", text.lstrip().partition("\n")[0]))
    return found[0] if found else ","
