"""The files that pages need: the style sheet and the script, put together from their parts, and those of ``static``.

Each is answered at its name, and at a name with a hash of its content, which pages use: what has that name never
changes, so browsers need not ask for it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePath

import msgspec

_TYPES = {".css": "text/css", ".svg": "image/svg+xml", ".js": "text/javascript", ".json": "application/json"}
_PARTS = {"site.css": ("styles", "page.css"), "site.js": ("scripts", "page.js")}
"""File → the folder of its parts, and the part that comes first; the others follow in the order of their names."""

EDITOR = "editor.js"
"""The bundle of the editor of queries, which is built from npm packages: it may be absent."""

SCRIPTS_WITH_EDITOR = "query.js"
"""The script of all pages with the editor, in one file; absent without the editor."""

_TAG_BYTES = 6


class Asset(msgspec.Struct, frozen=True):
    """A file that pages need; ``lasting`` is its name with a hash of its content: ``site-0a1b2c.css``."""

    name: str
    lasting: str
    body: bytes
    media_type: str


@lru_cache(maxsize=1)
def assets() -> Mapping[str, Asset]:
    """Return all files that pages need, by their plain names."""
    package = resources.files("bibld.serve")
    found = {name: _joined(package.joinpath(folder), first) for name, (folder, first) in _PARTS.items()}
    for file in package.joinpath("static").iterdir():
        if PurePath(file.name).suffix in _TYPES:
            found[file.name] = file.read_bytes()
    if EDITOR in found:
        found[SCRIPTS_WITH_EDITOR] = b"\n".join((found["site.js"], found[EDITOR]))
    result = {}
    for name, body in sorted(found.items()):
        path = PurePath(name)
        tag = hashlib.blake2b(body, digest_size=_TAG_BYTES).hexdigest()
        result[name] = Asset(name, f"{path.stem}-{tag}{path.suffix}", body, _TYPES[path.suffix])
    return result


def lasting_name(name: str) -> str:
    """Return the name with a hash of a file, for pages; raises ``KeyError`` if there is no such file."""
    return assets()[name].lasting


def _joined(folder: Traversable, first: str) -> bytes:
    suffix = PurePath(first).suffix
    files = sorted((each for each in folder.iterdir() if each.name.endswith(suffix)), key=lambda each: each.name)
    files.sort(key=lambda each: each.name != first)
    return b"\n".join(each.read_bytes() for each in files)
