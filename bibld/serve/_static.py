"""Writes a site as files, for servers and object stores that only send files.

The application of a release is found, in this process, for every form of every document, so that the files are what a
server would answer, but for links between pages in other languages (``?lang=ru``) and further pages of one thing
(``?page=2``): a server of files ignores what follows the question mark, so each has its own file
(``x.page2.ru.html``), and so has each letter of a list of names, and each class of a tree. The folder is the root of
the host: the base ``https://example.org/data/`` has its files in ``data/``.
"""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.types import ASGIApp, Message, Scope

from bibld.documents import PublishedView
from bibld.errors import StageError
from bibld.model.origin import to_slug
from bibld.model.release import Manifest, link_or_copy
from bibld.progress import Progress
from bibld.serve._addresses import Addresses
from bibld.serve._forms import MEDIA_TYPES, PAGE_FORMS, forms_of, kind_of
from bibld.serve._language import PARAMETER
from bibld.serve.ontology import CONTEXT, LANGUAGES, ONTOLOGIES

GONE = "gone"
"""The suffix of the empty file that marks a document whose status is 410."""

_MARK = ".bibld-static.json"
_ABOUT = "about"
_LISTS = "browse"
_ONTOLOGY = "ontology"
_BESIDE_THE_FIRST_PAGE = ("sitemap", "dcat.ttl")
"""What the names of files begin with that the server sends under the base, too."""

_PICTURE = re.compile(rb'"[^"?]*/(picture/[^"?]+\.svg)')
_VARIANT = re.compile(rb'(href=")([^"?#]*)\?((?:(?:&amp;)?(?:page=[0-9]{1,6}|lang=[a-z]{2}))+)(?=["#])')
"""A link to a page in another language, or to a further page."""

_LIST_LINK = re.compile(rb'(href=")[^"?#]*/browse/([a-z]+)(?:\?([^"#]*))?(?=["#])')
"""A link to a page of a list from A to Z, or of a tree of classes."""

_REDIRECT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta http-equiv="refresh" content="0; url={page}">
<link rel="canonical" href="{page}">
{alternates}</head>
<body><p><a href="{page}">{title}</a></p></body>
</html>
"""


_FOLDERS = (
    *("resource", "record", "match", "agent", "concept", "place", "publisher", "series", "work"),
    *("dataset", "graph", "ontology"),
)
"""What the paths of IRIs begin with."""

_TYPES = {
    **{form: kind for form, kind in MEDIA_TYPES.items() if "." not in form},
    "nq": "application/n-quads",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/svg+xml",
    "txt": "text/plain",
    "xml": "application/xml",
    "gz": "application/gzip",
    "zst": "application/zstd",
}
"""Suffix → media type of all files of a site, but for ``.mods.xml``."""

_NEGOTIATED = ("ttl", "nt", "jsonld", "rdf")


class StaticSite(msgspec.Struct, frozen=True):
    """What was written: the folder, the release, and the number of documents, files and bytes."""

    folder: str
    release: int
    documents: int
    files: int
    bytes: int


class _Response(NamedTuple):
    status: int
    media_type: str
    body: bytes


class _PageVariant(NamedTuple):
    """Language and number of a page."""

    language: str = LANGUAGES[0]
    page: int = 1

    def of_link(self, query: bytes) -> _PageVariant:
        """Return the language and the number that a link on this page names; without a language, that of this page."""
        named = dict(part.split("=") for part in html.unescape(query.decode()).split("&") if part)
        return _PageVariant(named.get("lang", self.language), int(named.get("page", "1")))

    @property
    def query(self) -> str:
        return f"lang={self.language}" + (f"&page={self.page}" if self.page > 1 else "")

    @property
    def suffix(self) -> str:
        page = f".page{self.page}" if self.page > 1 else ""
        return page + (f".{self.language}.html" if self.language != LANGUAGES[0] else ".html")


class _ListPage(NamedTuple):
    """A page of a list: the name of the list, the first letters or the class, language and number."""

    name: str
    at: str = ""
    variant: _PageVariant = _PageVariant()

    def of_link(self, name: bytes, query: bytes) -> _ListPage:
        """Return the page that a link on this one names; without a language, in that of this page."""
        named = dict(parse_qsl(html.unescape(query.decode())))
        variant = _PageVariant(named.get("lang", self.variant.language), int(named.get("page", "1")))
        return _ListPage(name.decode(), named.get("at", ""), variant)

    @property
    def query(self) -> str:
        return f"{self.variant.query}&{urlencode({'at': self.at})}"

    @property
    def file(self) -> str:
        return f"{_LISTS}/{self.name}{'.' if self.at else ''}{to_slug(self.at)}{self.variant.suffix}"


class _Mark(msgspec.Struct, frozen=True):
    base: str
    release: int


class StaticWriter:
    """Writes the files of one release into a folder, which takes the place of an earlier one when it is complete."""

    def __init__(self, app: ASGIApp, addresses: Addresses, manifest: Manifest, release: Path) -> None:
        self._app = app
        self._addresses = addresses
        self._manifest = manifest
        self._release = release
        self._root = Path()
        self._files = self._bytes = self._documents = 0
        start, end = rf'href="{re.escape(addresses.mount)}', '((?:#[^"]*)?")'
        self._thing = re.compile(rf'({start})((?:{"|".join(_FOLDERS)})(?:/[^".?#]+)?){end}'.encode())
        self._statements = re.compile(rf'({start}doc/[^"?#]+\.statements)\.html(?=")'.encode())
        self._first = re.compile(rf"({start})({_ABOUT}|{_LISTS}/[a-z]+)?{end}".encode())

    async def write(self, view: PublishedView, static: Iterable[str], folder: Path, progress: Progress) -> StaticSite:
        """Write all files; ``static`` are the names of those of the site's pages.

        Raises ``StageError`` if the folder exists and is not a site that was written before.
        """
        is_site = not folder.exists() or (folder / _MARK).is_file()
        if not is_site and (not folder.is_dir() or any(folder.iterdir())):
            raise StageError(f"{folder}: exists and is not a site that bibld wrote; name a new folder")
        self._root = folder.with_name(f"{folder.name}.building")
        shutil.rmtree(self._root, ignore_errors=True)
        self._root.mkdir(parents=True)
        await self._write_site(static)
        progress.stage("publish", "documents", sum(1 for _ in view.entries()))
        moved = []
        for document in view.documents():
            if document.status == 303:
                moved.append((document.path, document.target))
            else:
                if document.status == 410:
                    self._put(self._file(f"doc/{document.path}.{GONE}"), b"")
                await self._write_forms(document.path, document.title or document.path, document.status)
            self._documents += 1
            progress.advance()
        for path, target in moved:
            self._write_moved(path, target)
        mark = _Mark(self._addresses.iris.base, self._manifest.number)
        (self._root / _MARK).write_bytes(msgspec.json.encode(mark))
        former = folder.with_name(f"{folder.name}.former")
        shutil.rmtree(former, ignore_errors=True)
        if folder.exists():
            folder.rename(former)
        self._root.rename(folder)
        shutil.rmtree(former, ignore_errors=True)
        return StaticSite(str(folder), self._manifest.number, self._documents, self._files, self._bytes)

    # -- what is written -----------------------------------------------------------------------------------------------

    async def _write_site(self, static: Iterable[str]) -> None:
        """Write the first page, what describes the dataset and its terms, the dumps, and the rules for servers."""
        await self._write_page("", await self._ask(self._addresses.route))
        await self._write_page(_ABOUT, await self._ask(self._addresses.route + _ABOUT))
        self._lead_to_page(_ABOUT)
        await self._write_lists()
        for name in static:
            await self._copy_response(f"static/{name}", f"static/{name}")
        for name in ("robots.txt", "favicon.ico", ".well-known/void"):
            response = await self._ask(f"/{name}")
            if response.status == 200:
                self._put(self._root / name, response.body)
        for name in ("", *ONTOLOGIES):
            path = f"{_ONTOLOGY}/{name}".rstrip("/")
            await self._write_forms(path, "ontology")
        await self._copy_response(f"{_ONTOLOGY}/{CONTEXT}", f"{_ONTOLOGY}/{CONTEXT}")
        for path in ("dataset", *(f"dataset/{each.source}" for each in self._manifest.figures.sources)):
            await self._write_forms(path, path)
        await self._write_reports()
        for form in forms_of("dataset"):
            await self._copy_response(f"dataset.{form}", f"dataset.{form}")
        described = (await self._ask(f"{self._addresses.route}doc/dataset.nt")).body.decode()
        for path in sorted(set(re.findall(f"<{re.escape(self._addresses.iris.base)}(graph/[^>#]+)>", described))):
            await self._write_forms(path, path)
        await self._copy_response("dumps/manifest.json", "dumps/manifest.json")
        for file in self._manifest.files:
            target = self._file(f"dumps/{file.name}")
            link_or_copy(self._release / file.name, target)
            self._files += 1
            self._bytes += file.bytes
            if file.name.startswith(_BESIDE_THE_FIRST_PAGE):
                link_or_copy(target, self._file(file.name))
        self._put(self._root / ".htaccess", _apache_rules().encode())
        self._put(self._root / "nginx.conf", _nginx_rules(self._addresses.mount).encode())

    def _lead_to_page(self, path: str) -> None:
        """Write at an address without ``.html`` a page that leads to the one with it."""
        page = html.escape(self._addresses.page(f"{path}.html"))
        leading = _REDIRECT.format(title=page, page=page, alternates="")
        self._put(self._file(f"{path}/index.html"), leading.encode())

    async def _write_lists(self) -> None:
        """Write the lists of names from A to Z, and the trees of classes: all pages to which the first one leads."""
        waiting = [_ListPage("people")]
        known = set(waiting)
        while waiting:
            shown = waiting.pop()
            response = await self._ask(f"{self._addresses.route}{_LISTS}/{shown.name}", "text/html", shown.query)
            if response.status != 200:  # the release has no names to search
                continue

            def with_file(link: re.Match[bytes], shown: _ListPage = shown) -> bytes:
                other = shown.of_link(link[2], link[3] or b"")
                if other not in known:
                    known.add(other)
                    waiting.append(other)
                return link[1] + self._addresses.page(other.file).encode()

            body = _LIST_LINK.sub(with_file, response.body)
            self._put(self._file(shown.file), self._in_language(body, shown.variant.language))
            if shown == _ListPage(shown.name):
                self._lead_to_page(f"{_LISTS}/{shown.name}")

    async def _write_reports(self) -> None:
        """Write the reports of the release, and the pictures that they and the pages about the sources name."""
        bodies = []
        for path in ("report/matching.html", "report/quality.html"):
            response = await self._ask(self._addresses.route + path)
            if response.status == 200:
                await self._write_page(path, response)
                bodies.append(response.body)
        for path in ("dataset", *(f"dataset/{each.source}" for each in self._manifest.figures.sources)):
            bodies.append((await self._ask(f"{self._addresses.route}doc/{path}.html")).body)
        for name in sorted({name.decode() for name in _PICTURE.findall(b"".join(bodies))}):
            await self._copy_response(name, name)

    async def _write_forms(self, path: str, title: str, status: int = 200) -> None:
        """Write each form that a document has, and at its IRI a page that leads to them."""
        written = []
        for form in forms_of(kind_of(path) or "dataset"):
            response = await self._ask(f"{self._addresses.route}doc/{path}.{form}", MEDIA_TYPES[form])
            if response.status == status and response.media_type == MEDIA_TYPES[form]:
                if form in PAGE_FORMS:
                    await self._write_page(f"doc/{path}.{form}", response)
                else:
                    self._put(self._file(f"doc/{path}.{form}"), response.body)
                written.append(form)
        self._put(self._file(f"{path}/index.html"), self._leading_page(path, title, written))

    async def _write_page(self, path: str, response: _Response) -> None:
        """Write a page, the same in other languages, and further pages of it, with links between these files."""
        address = self._addresses.page(path)
        start = address.removesuffix(".html") if path else f"{address}index"
        waiting = [(_PageVariant(), response.body)]
        known = {_PageVariant()}
        while waiting:
            variant, body = waiting.pop()

            def with_file(link: re.Match[bytes], variant: _PageVariant = variant) -> bytes:
                if link[2].decode() not in ("", address):
                    return link[0]
                return link[1] + f"{start}{variant.of_link(link[3]).suffix}".encode()

            variants = {
                variant.of_link(query) for _, href, query in _VARIANT.findall(body) if href.decode() in ("", address)
            }
            for other in sorted(variants - known):
                known.add(other)
                found = await self._ask(f"{self._addresses.route}{path}", "text/html", other.query)
                if found.status == response.status:
                    waiting.append((other, found.body))
            file = f"{path.removesuffix('.html') or 'index'}{variant.suffix}"
            self._put(self._file(file), self._in_language(_VARIANT.sub(with_file, body), variant.language))

    def _in_language(self, body: bytes, language: str) -> bytes:
        """Let the links of a page lead to the pages of other things in its language."""
        if language == LANGUAGES[0]:
            return body
        suffix = f".{language}.html".encode()
        body = self._thing.sub(rb"\1doc/\2" + suffix + rb"\3", body)
        body = self._statements.sub(rb"\1" + suffix, body)
        return self._first.sub(lambda link: link[1] + (link[2] or b"index") + suffix + link[3], body)

    def _write_moved(self, path: str, target: str) -> None:
        """Write for an IRI that another one answers for the same files, and a page that leads to the page of that."""
        forms = forms_of(kind_of(target) or "dataset")
        ends = [form.removesuffix("html") for form in forms if form in PAGE_FORMS]
        written = []
        for form in (*forms, *(f"{end}{language}.html" for end in ends for language in LANGUAGES[1:])):
            there = self._file(f"doc/{target}.{form}")
            if there.is_file():
                link_or_copy(there, self._file(f"doc/{path}.{form}"))
                self._files += 1
                written += [form] if form in forms else []
        self._put(self._file(f"{path}/index.html"), self._leading_page(target, target, written))

    def _leading_page(self, path: str, title: str, forms: Iterable[str]) -> bytes:
        page = html.escape(self._addresses.page(f"doc/{path}.html"))
        alternates = "".join(
            f'<link rel="alternate" type="{MEDIA_TYPES[form]}"'
            f' href="{html.escape(self._addresses.page(f"doc/{path}.{form}"))}">\n'
            for form in forms
        )
        return _REDIRECT.format(title=html.escape(title), page=page, alternates=alternates).encode()

    # -- files and answers ---------------------------------------------------------------------------------------------

    async def _copy_response(self, path: str, name: str) -> None:
        response = await self._ask(self._addresses.route + path)
        if response.status == 200:
            self._put(self._file(name), response.body)

    async def _ask(self, path: str, accept: str = "*/*", query: str = "") -> _Response:
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(b"host", b"localhost"), (b"accept", accept.encode())],
            "client": ("127.0.0.1", 0),
            "server": ("localhost", 80),
        }
        status, media_type = 500, ""
        body: list[bytes] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(event: Message) -> None:
            nonlocal status, media_type
            if event["type"] == "http.response.start":
                status = event["status"]
                headers = {name.lower(): value for name, value in event["headers"]}
                media_type = headers.get(b"content-type", b"").decode().partition(";")[0]
            elif event["type"] == "http.response.body":
                body.append(event.get("body", b""))

        await self._app(scope, receive, send)
        if status >= 500:
            raise StageError(f"the server answers {path} with {status}; its log contains the cause")
        return _Response(status, media_type, b"".join(body))

    def _file(self, path: str) -> Path:
        """Return the file for what follows the base; no path leads out of the folder."""
        steps = [step for step in f"{self._addresses.route}{path}".split("/") if step]
        if any(step in (".", "..") for step in steps):
            raise StageError(f"{path}: cannot be the name of a file; report this as a fault of bibld")
        return self._root.joinpath(*steps)

    def _put(self, file: Path, data: bytes) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self._files += 1
        self._bytes += len(data)


def _nginx_rules(mount: str) -> str:
    """Return the rules for nginx, to be included in a ``server`` whose ``root`` is the folder."""
    types = "\n".join(f"    {kind} {suffix};" for suffix, kind in sorted(_TYPES.items(), key=lambda pair: pair[1]))
    choices = "\n".join(
        f'    if ($http_accept ~ "{re.escape(MEDIA_TYPES[form])}") {{ return 303 {mount}doc/$thing.{form}; }}'
        for form in _NEGOTIATED
    )
    languages = "\n".join(
        f'    if ($http_accept_language ~* "^{tag}") {{ set $in ".{tag}"; }}\n'
        f'    if ($cookie_{PARAMETER} = "{tag}") {{ set $in ".{tag}"; }}'
        for tag in LANGUAGES[1:]
    )
    languages += f'\n    if ($cookie_{PARAMETER} = "{LANGUAGES[0]}") {{ set $in ""; }}'
    at = re.escape(mount)
    return f"""# nginx: server {{ root /path/of/this/folder; include /path/of/this/folder/nginx.conf; }}
types {{
{types}
}}
charset utf-8;
charset_types text/html text/plain text/turtle text/css text/javascript;
index index.html;
add_header Access-Control-Allow-Origin * always;
add_header X-Content-Type-Options nosniff always;
location ~ ^{at}(?<thing>(?:{"|".join(_FOLDERS)})(?:/[^.]+?)?)/?$ {{
    add_header Vary "Accept, Accept-Language, Cookie" always;
    add_header Access-Control-Allow-Origin * always;
    error_page 410 @gone;
    if (-f $document_root{mount}doc/$thing.gone) {{ return 410; }}
    if (!-f $document_root{mount}doc/$thing.html) {{ return 404; }}
{choices}
    set $in "";
{languages}
    return 303 {mount}doc/$thing$in.html;
}}
location ~ ^{at}doc/.+\\.mods\\.xml$ {{ types {{ }} default_type application/mods+xml; }}
location ~ ^{at}doc/(?<thing>.+?)\\.(?:{"|".join(re.escape(form) for form in MEDIA_TYPES)})$ {{
    error_page 410 @gone_form;
    if (-f $document_root{mount}doc/$thing.gone) {{ return 410; }}
}}
location = /.well-known/void {{ types {{ }} default_type text/turtle; }}
location @gone {{ try_files {mount}doc/$thing.html =410; }}
location @gone_form {{ try_files $uri =410; }}
location ~ \\.(?:gone|htaccess|conf)$ {{ return 404; }}
"""


def _apache_rules() -> str:
    """Return the media types for Apache httpd (``.htaccess``); the pages at the IRIs lead to the forms."""
    types = "\n".join(f"AddType {kind} .{suffix}" for suffix, kind in sorted(_TYPES.items()))
    return f"""# Apache httpd: the folder is the DocumentRoot, with AllowOverride FileInfo Indexes
DirectoryIndex index.html
AddDefaultCharset utf-8
{types}
<FilesMatch "\\.mods\\.xml$">
ForceType application/mods+xml
</FilesMatch>
<Files "void">
ForceType text/turtle
</Files>
"""
