"""Files of lines: cutting them into the blocks that are records, and the text of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import BinaryIO

from bibld.read._characters import dropped, legal
from bibld.read._charset import Charsets, decoded, is_beyond_ascii, settled
from bibld.read._pieces import Piece

BOM = b"\xef\xbb\xbf"

_SAMPLES = 200
_KEPT_OF_OVERSIZE = 64 * 1024


def blocks(
    stream: BinaryIO, maximum: int, begins: Callable[[bytes, bytes], bool], *, at_blanks: bool
) -> Iterator[Piece]:
    """Cut a file before each line of which ``begins`` says so, given it and the first line of the block it would join.

    ``at_blanks``: a blank line ends a block too; else blank lines within one are dropped. A block of more than
    ``maximum`` bytes is given with a fault.
    """
    held: list[bytes] = []
    begin = offset = size = 0
    for line in iter(lambda: stream.readline(maximum), b""):
        start, offset = offset, offset + len(line)
        if start == 0:
            line = line.removeprefix(BOM)
            start = offset - len(line)
        is_blank = not line.strip()
        if held and ((is_blank and at_blanks) or (not is_blank and begins(line, held[0]))):
            yield _block(begin, held, size, maximum)
            held, size = [], 0
        if is_blank:
            continue
        if not held:
            begin = start
        size += len(line)
        if size <= maximum or not held:
            held.append(line)
    if held:
        yield _block(begin, held, size, maximum)


def charsets_of(charset: str, found: Iterable[Piece], legacy: str) -> Charsets:
    """Settle the charset of a file from its first 200 blocks."""
    samples = [data for _, data, fault in islice(found, _SAMPLES) if not fault and is_beyond_ascii(data)]
    return settled(charset, None, legacy, samples)


def text_of(data: bytes, charsets: Charsets) -> tuple[str, list[str]]:
    """The text of a block without characters that XML cannot hold, and what had to be done for it."""
    found = decoded(data, charsets)
    warnings = list(found.warnings)
    text, illegal = legal(found.text)
    if illegal:
        warnings.append(dropped(illegal))
    return text, warnings


def _block(begin: int, lines: list[bytes], size: int, maximum: int) -> Piece:
    data = b"".join(lines)
    if size <= maximum:
        return begin, data, ""
    fault = f"a record of {size} bytes, more than {maximum} (the first {_KEPT_OF_OVERSIZE} are kept)"
    return begin, data[:_KEPT_OF_OVERSIZE], fault
