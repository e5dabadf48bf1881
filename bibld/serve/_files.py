"""Files: those that the manifest of the release names, and those of the site."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache, partial
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath

import msgspec
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from bibld.model.release import Manifest, ReleaseFile
from bibld.serve._addresses import Addresses
from bibld.serve._graph import read_turtle, write
from bibld.serve._http import ProblemError, Representation, accept_of, is_known, redirect, respond, with_charset
from bibld.serve._negotiation import choose
from bibld.serve.ontology import Vocabulary

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


_DESCRIPTIONS = ("text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json", "text/html")
_ICON = "icon.svg"
_SITEMAP = "sitemap.xml"
_FOR_EVER = "public, max-age=31536000, immutable"

_PAGE_OF_FEED = re.compile(r"feed-\d+-\d+\.")
"""Names of files that never change."""

_COMPRESSED = {".gz": "application/gzip", ".zst": "application/zstd"}
"""Media types of compressed files (RFC 6713, RFC 8878), by the end of their names."""


class Files:
    """Answers requests for files. A request chooses a name in a table; it never becomes a path."""

    def __init__(self, release: Path, manifest: Manifest, addresses: Addresses, vocabulary: Vocabulary) -> None:
        self._release = release
        self._addresses = addresses
        self._write = partial(write, prefixes=vocabulary.prefixes, context=vocabulary.context)
        self._files: Mapping[str, ReleaseFile] = {file.name: file for file in manifest.files}
        self._manifest = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        self._static = {}
        for each in assets().values():
            self._static[each.name] = Representation(each.body, each.media_type)
            lasting = (("Cache-Control", _FOR_EVER),)
            self._static[each.lasting] = Representation(each.body, each.media_type, lasting)
        closed = ("sparql", "neighbourhood/", "list")
        rules = ["User-agent: *", *(f"Disallow: {addresses.page(path)}" for path in closed)]
        if _SITEMAP in self._files:
            rules.append(f"Sitemap: {addresses.iris.base}{_SITEMAP}")
        self._robots = "".join(f"{rule}\n" for rule in rules).encode()

    async def dump(self, request: Request) -> Response:
        return self._of_release(request, request.path_params["name"])

    async def dcat(self, request: Request) -> Response:
        return self._of_release(request, "dcat.ttl")

    async def sitemap(self, request: Request) -> Response:
        """Answer with the index of the sitemaps or one of them, beside the documents that they list."""
        return self._of_release(request, f"sitemap{request.path_params['rest']}")

    def _of_release(self, request: Request, name: str) -> Response:
        if name == "manifest.json":
            return respond(request, Representation(self._manifest, "application/json"))
        file = self._files.get(name)
        path = self._release / file.name if file is not None else None
        if file is None or path is None or not path.is_file():
            raise ProblemError(404, "Not found", "The release has no file with this name.")
        tag = f'"{file.sha256}"'
        media_type = _COMPRESSED.get(path.suffix, file.media_type)
        age = _FOR_EVER if _PAGE_OF_FEED.match(name) else "public, max-age=300"
        headers = {"ETag": tag, "Cache-Control": age}
        if is_known(request, tag):
            return Response(status_code=304, headers=headers)
        return FileResponse(path, headers={**headers, "Content-Type": with_charset(media_type)})

    async def static(self, request: Request) -> Response:
        return self._own(request, request.path_params["name"])

    async def icon(self, request: Request) -> Response:
        return self._own(request, _ICON)

    async def robots(self, request: Request) -> Response:
        """Answer with the rules for crawlers (RFC 9309)."""
        return respond(request, Representation(self._robots, "text/plain"))

    async def void(self, request: Request) -> Response:
        """Answer with the description of the dataset (VoID, 7.2): in RDF, or for people with the way to its page."""
        path = self._release / "void.ttl"
        if not path.is_file():
            raise ProblemError(404, "Not found", "The release has no description in VoID.")
        media_type = choose(accept_of(request), _DESCRIPTIONS)
        if media_type is None:
            raise ProblemError(406, "Not acceptable", f"The description comes as {', '.join(_DESCRIPTIONS)}.")
        if media_type == "text/html":
            return redirect(self._addresses.page("dataset"))
        body = path.read_bytes()
        if media_type != "text/turtle":
            body = self._write(read_turtle(body, self._addresses.iris.dataset), media_type)
        return respond(request, Representation(body, media_type))

    def _own(self, request: Request, name: str) -> Response:
        file = self._static.get(name)
        if file is None:
            raise ProblemError(404, "Not found", "The site has no file with this name.")
        return respond(request, file)


def static_names() -> list[str]:
    """Return the names of the files that pages need, as pages write them."""
    return sorted({each.lasting for each in assets().values()} | {_ICON})
