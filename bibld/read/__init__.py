"""Read: cut files of one carrier (ISO 2709, MARC in XML …) into records, and parse each from its original bytes.

:func:`examine` finds out once which carrier a file is of and which charset it is in. Then :func:`read` cuts it into
records, and ``carrier.parse`` parses each alone. A carrier can be stored as JSON (:func:`to_json`,
:func:`carrier_of`), so that the stored bytes of a record can be parsed again at any time.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Callable, Iterator
from typing import Any, cast

import msgspec

from bibld.errors import CatalogError, ConfigError, DamagedFileError, HarvestError, ReadError
from bibld.model.origin import Origin
from bibld.protocols import Carrier, HarvestedFile, Raw, Reader, adapters
from bibld.read._archives import archive_of as archive_of
from bibld.read._archives import delete_others as delete_others
from bibld.read._archives import unpack as unpack
from bibld.read._archives import unpack_once as unpack_once
from bibld.read._charset import AUTO as AUTO
from bibld.read._charset import charset_check as charset_check
from bibld.read._charset import charset_of as charset_of
from bibld.read._charset import find_misreading as find_misreading
from bibld.read._encoding import encode_text as encode_text
from bibld.read._parts import FileFrame as FileFrame
from bibld.read._parts import FilePart as FilePart
from bibld.read._parts import PartPlan as PartPlan
from bibld.read._parts import file_frame as file_frame
from bibld.read._parts import read_part as read_part
from bibld.read._streams import MAXIMUM
from bibld.read._streams import Recoded as Recoded
from bibld.read._streams import open_decompressed as open_decompressed

VERSION = 1
_HEAD, _HEAD_OF_PAGE = 64 * 1024, 4 * 1024
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_MAX_TITLE_LETTERS = 80


class Examined(msgspec.Struct, frozen=True):
    """A file of a known carrier: the name of its reader, and what its records need."""

    reader: str
    carrier: Any


def examine(file: HarvestedFile, reader: str = AUTO, charset: str = AUTO, settings: Any = None) -> Examined:  # noqa: ANN401
    """Find out the carrier of a file (unless ``reader`` names it), its charset and what else its records need.

    ``settings`` is the reader's ``Settings`` struct (None: its defaults); a ``charset`` other than ``auto`` replaces
    that of the settings. Raises ``HarvestError`` for a file that cannot be opened or is of no known carrier,
    ``ConfigError`` for an unknown reader or charset. Damage further on does not matter here; :func:`read` reports it.
    """
    name = _detect_reader(file) if reader == AUTO else reader
    module = cast(Reader, adapters.load_adapter("read", name))
    chosen = module.Settings() if settings is None else settings
    if charset != AUTO and hasattr(chosen, "charset"):
        chosen = msgspec.structs.replace(chosen, charset=charset)
    try:
        with _Tolerant(file) as opened:
            carrier = module.examine(opened.stream, file.name, file.source, chosen)
        carrier_of(name, to_json(carrier))
    except (ConfigError, HarvestError, MemoryError):
        raise
    except Exception as error:
        raise HarvestError(f"{file.name}: {_failure(name, 'examine', error)}") from error
    return Examined(name, carrier)


def read(
    file: HarvestedFile,
    examined: Examined | None = None,
    *,
    reader: str = AUTO,
    charset: str = AUTO,
    settings: Any = None,  # noqa: ANN401
    max_bytes: int = MAXIMUM,
    consumed: Callable[[int], None] | None = None,
) -> Iterator[Raw | ReadError]:
    """Cut a file into records; a piece that is not a record, and damage of the file, is yielded as a ``ReadError``.

    Without ``examined`` the file is examined first, with the other arguments, which raises what :func:`examine`
    raises. ``max_bytes`` is the most that a compressed file may decompress to. ``consumed`` is called with the number
    of bytes each time that some were read from the disk.
    """
    examined = examined or examine(file, reader, charset, settings)
    carrier: Carrier = examined.carrier
    position = offset = 0
    failure = ""
    opened = _Tolerant(file, max_bytes, consumed)
    with opened:
        try:
            for piece in carrier.raws(opened.stream):
                position, offset = piece.origin.position, piece.origin.offset
                yield piece
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001
            failure = _failure(examined.reader, "raws", error)
    if failure or opened.damage:
        origin = Origin(file.source, file.name, position + 1, offset)
        yield DamagedFileError(origin, f"the file is damaged: {failure or opened.damage}")


def first_bytes(file: HarvestedFile, size: int) -> bytes:
    """Return the first bytes of a file, decompressed; raises ``HarvestError`` if it cannot be opened."""
    with _Tolerant(file) as opened:
        return opened.stream.read(size)


def web_page(file: HarvestedFile) -> str:
    """Return a description of a web page that was stored in place of data; empty for any other file."""
    head = first_bytes(file, _HEAD_OF_PAGE).removeprefix(codecs.BOM_UTF8)
    if not _HTML.match(head):
        return ""
    title = _TITLE.search(head)
    text = html.unescape(" ".join(title[1].decode(errors="replace").split())) if title else ""
    return f'is a web page ("{text[:_MAX_TITLE_LETTERS]}")' if text else "is a web page"


def to_json(carrier: Carrier) -> bytes:
    """Return a carrier as JSON."""
    return msgspec.json.encode(carrier)


def carrier_of(reader: str, json: bytes) -> Carrier:
    """Return the carrier that :func:`to_json` wrote.

    Raises ``ConfigError`` for an unknown reader, ``CatalogError`` for JSON that is not one of its carriers.
    """
    module = cast(Reader, adapters.load_adapter("read", reader))
    try:
        return cast(Carrier, msgspec.json.decode(json, type=module.CarrierType))
    except msgspec.MsgspecError as error:
        raise CatalogError(f"not a carrier of {reader}: {error}; read its files again") from error


def _failure(reader: str, function: str, error: Exception) -> str:
    """Return the message for an exception that a reader must not raise."""
    return f'reader "{reader}" failed in {function}() ({type(error).__name__}: {error}); report it to its author'


class _Tolerant:
    """An open file whose damage is remembered, so that everything before it is read."""

    def __init__(
        self, file: HarvestedFile, maximum: int = MAXIMUM, consumed: Callable[[int], None] | None = None
    ) -> None:
        self._opening = open_decompressed(file.path, maximum, consumed)
        self.damage = ""

    def __enter__(self) -> _Tolerant:
        self.stream = self._opening.__enter__()
        return self

    def __exit__(self, *failure: Any) -> bool | None:  # noqa: ANN401
        try:
            return self._opening.__exit__(*failure)
        except HarvestError as error:
            self.damage = str(error)
            return None


def _detect_reader(file: HarvestedFile) -> str:
    with _Tolerant(file) as opened:
        head = opened.stream.read(_HEAD)
    name = adapters.detect_adapter("read", head)
    if name is not None:
        return name
    if not head and not opened.damage:
        fault = "is empty; fetch it again"
    elif page := web_page(file):
        fault = f"{page}; fetch the catalogue again"
    else:
        known = ", ".join(adapters.adapter_names("read"))
        damage = f" ({opened.damage})" if opened.damage else ""
        fault = f'is of no known carrier{damage}; supported are {known}: name one by read = "…"'
    raise HarvestError(f"{file.name}: {fault}")
