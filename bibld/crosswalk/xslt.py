"""MARC records to MODS by an XSLT stylesheet, such as that of the Library of Congress.

The stylesheet gets each record as MARCXML (MARC 21 slim) and must write MODS 3: one ``mods``, or a ``modsCollection``
of one. It is XSLT 1.0 with the extensions of libxslt. It may import and include files beside it; an address on
the web that ends in the name of such a file stands for that file. It reaches nothing else: no network, no other file.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from lxml import etree

from bibld.config import File
from bibld.errors import ConfigError, CrosswalkError
from bibld.model.foreign_xml import parse_xml
from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_marcxml
from bibld.model.mods import Mods
from bibld.model.mods_plan import MODS
from bibld.model.mods_xml import read_element
from bibld.protocols import Converted

_KEY = "crosswalk.xslt.stylesheet"

MAX_STYLESHEET_BYTES = 8 << 20
MAX_NESTED_TEMPLATES = 1_000
"""Deeper calls are taken for an endless recursion."""

MAX_RESULT_ELEMENTS = 100_000


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``stylesheet``: the file of the stylesheet, relative to the configuration."""

    stylesheet: File = File("")


def sniffs(record: MarcRecord) -> bool:
    """Return False: a stylesheet is chosen, not detected."""
    return False


def identity(settings: Settings) -> str:
    """Return a hash of the stylesheets in the folder; raises ``ConfigError`` for a stylesheet that cannot be used."""
    _compiled(settings.stylesheet)
    state = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(settings.stylesheet).parent.glob("*.xsl*")):
        state.update(path.name.encode(errors="surrogateescape") + b"\0" + hashlib.blake2b(_content(path)).digest())
    return state.hexdigest()


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one record; elements that MODS 3.8 has no place for are named in warnings.

    Raises ``CrosswalkError`` for a record on which the stylesheet fails or of which it makes no MODS, and
    ``ConfigError`` for a stylesheet that cannot be used.
    """
    if not isinstance(record, MarcRecord):
        raise CrosswalkError(record.origin, 'not a MARC record; remove crosswalk = "xslt" from the source')
    transform = _compiled(settings.stylesheet)
    name = Path(settings.stylesheet).name
    try:
        result = transform(parse_xml(to_marcxml(record), is_huge=True)).getroot()
    except (etree.LxmlError, ValueError) as error:
        raise _error(record, f"the stylesheet {name} failed: {error}") from error
    if result is not None and result.tag == f"{{{MODS}}}modsCollection" and len(result) == 1:
        result = result[0]
    if result is None or result.tag != f"{{{MODS}}}mods":
        found = "nothing" if result is None else f"<{result.tag}>"
        raise _error(record, f"the stylesheet {name} writes {found}, not one <mods> of the namespace {MODS}")
    if sum(1 for _ in result.iter()) > MAX_RESULT_ELEMENTS:
        raise _error(record, f"the stylesheet {name} writes more than {MAX_RESULT_ELEMENTS:,} elements")
    mods, left_out = read_element(result)
    if mods == Mods():
        raise _error(record, f"the stylesheet {name} writes an empty <mods>")
    return Converted(mods, warnings=tuple(f"{path}: MODS 3.8 has no place for it; left out" for path in left_out))


def _error(record: MarcRecord, reason: str) -> CrosswalkError:
    return CrosswalkError(record.origin, reason, control_number=record.control_number)


class _OwnFolder(etree.Resolver):
    """Resolves what a stylesheet imports or includes to files of its folder; refuses anything else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def resolve(self, url: str, public_id: str | None, context: Any) -> Any:  # type: ignore[override]  # noqa: ANN401
        # libxml2 resolves a relative name against the address of the stylesheet, which is its bare file name.
        path = self._folder / Path(unquote(urlsplit(url).path)).name
        if not path.is_file():
            raise ConfigError([f"{_KEY}: the stylesheet needs {url}; put {path.name} into the folder {self._folder}"])
        return self.resolve_string(_content(path), context, base_url=path.name)


@cache
def _compiled(stylesheet: str) -> etree.XSLT:
    """Compile a stylesheet, once in each process; raises ``ConfigError``."""
    if not stylesheet:
        raise ConfigError([f'{_KEY}: missing; name the stylesheet: stylesheet = "MARC21slim2MODS3-7.xsl"'])
    path = Path(stylesheet)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    parser.resolvers.add(_OwnFolder(path.parent))
    access = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]
    etree.XSLT.set_global_max_depth(MAX_NESTED_TEMPLATES)  # type: ignore[attr-defined]
    try:
        document = etree.fromstring(_content(path), parser, base_url=path.name)
        return etree.XSLT(document, access_control=access)
    except etree.LxmlError as error:
        raise ConfigError([f"{_KEY}: {path.name} is not a stylesheet of XSLT 1.0: {error}"]) from error


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_STYLESHEET_BYTES + 1)
    except OSError as error:
        raise ConfigError([f"{_KEY}: {path} cannot be read: {error.strerror}"]) from error
    if len(data) > MAX_STYLESHEET_BYTES:
        raise ConfigError([f"{_KEY}: {path} has more than {MAX_STYLESHEET_BYTES >> 20} MB"])
    return data
