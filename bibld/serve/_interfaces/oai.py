"""OAI-PMH 2.0: the publications of a release for harvesters, and the records of libraries with what they get back.

The items are the publications, merged ones included. A publication that was absorbed by another one, or deleted, stays
in the lists as deleted. In the format ``returned`` the items are the records of libraries, each once, with the date of
their publication, on which their additions depend; a record stays when its publication is absorbed. The lists are in
the order of the paths, and a resumption token contains the position where the next part begins, so that the server
remembers nothing: a token is valid for ever, in later releases too.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec
from lxml import etree

from bibld.documents import Document, PublishedView
from bibld.model import dublin_core
from bibld.model.iris import Iris
from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_marcxml
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_element, without_illegal_characters
from bibld.model.rdf import term
from bibld.model.release import Manifest
from bibld.model.works import add_work

_OAI = "http://www.openarchives.org/OAI/2.0/"
_IDENTIFIER = "http://www.openarchives.org/OAI/2.0/oai-identifier"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_NAMES: Any = {None: _IDENTIFIER}
_OAI_NAMES: Any = {None: _OAI, "xsi": _XSI}  # lxml-stubs forget the default namespace
FOLDER = "resource/"
_RECORD_FOLDER = "record/"
_RETURNED = "returned"
_RECORDS, _HEADERS = 50, 500
"""Items of one part of a list."""
_SCANNED = 20_000
"""Documents that are looked at for one part, if a set leaves out most."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SECOND = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_FIRST_SECOND, _LAST_SECOND = "T00:00:00Z", "T23:59:59Z"
_MAX_TOKEN_LENGTH = 2000
MERGED = "merged"
SOURCE = "source"


class MetadataFormat(msgspec.Struct, frozen=True):
    """A form in which descriptions are harvested (OAI-PMH 2.0, 3.4)."""

    prefix: str
    schema: str
    namespace: str


FORMATS = {
    each.prefix: each
    for each in (
        MetadataFormat("oai_dc", dublin_core.SCHEMA, dublin_core.NAMESPACE),
        MetadataFormat("mods", "http://www.loc.gov/standards/mods/v3/mods-3-8.xsd", "http://www.loc.gov/mods/v3"),
        MetadataFormat(
            "marcxml",
            "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd",
            "http://www.loc.gov/MARC21/slim",
        ),
        MetadataFormat(
            _RETURNED,
            "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd",
            "http://www.loc.gov/MARC21/slim",
        ),
    )
}
_RECORDS_OF_LIBRARIES = ("marcxml", _RETURNED)
"""Forms that not all items have."""


class _RefusalError(Exception):
    """An error of the protocol; it is answered with status 200."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class _Item(msgspec.Struct, frozen=True):
    """A publication, or a record of a library; ``work`` is the path of its work, empty if it has none."""

    path: str
    modified: str
    is_deleted: bool
    sets: tuple[str, ...]
    work: str = ""


class _Selection(msgspec.Struct, frozen=True, array_like=True):
    """A resumption token: the selection, the path after which to go on, and the number of items before."""

    prefix: str
    begin: str
    end: str
    set: str
    after: str
    cursor: int


_ARGUMENTS = {
    "Identify": ((), ()),
    "ListMetadataFormats": ((), ("identifier",)),
    "ListSets": ((), ("resumptionToken",)),
    "GetRecord": (("identifier", "metadataPrefix"), ()),
    "ListIdentifiers": (("metadataPrefix",), ("from", "until", "set")),
    "ListRecords": (("metadataPrefix",), ("from", "until", "set")),
}
"""Required and optional arguments of the verbs; the lists also take a resumption token alone."""

_LISTS = ("ListIdentifiers", "ListRecords")


class Forms(msgspec.Struct, frozen=True):
    """What gives the descriptions of a publication by its path.

    ``mods``: the merged description; ``marc``: the MARC record of its founder; ``members``: the records that describe
    it, by what follows ``record/`` in their paths, a deleted record alone; ``publication``: the path of the publication
    of such a record; ``returned``: the record with what its library gets back.
    """

    mods: Callable[[str], Mods | None]
    marc: Callable[[str], MarcRecord | None]
    members: Callable[[str], Sequence[str]]
    publication: Callable[[str], str | None]
    returned: Callable[[str], MarcRecord | None]


class Provider:
    """Answers requests; to be used in one thread at a time.

    ``contact`` is the mail address of those who run the site; if empty, webmaster at its host.
    """

    def __init__(
        self,
        manifest: Manifest,
        view: PublishedView,
        forms: Forms,
        contact: str = "",
    ) -> None:
        self._dataset = manifest.dataset
        self._sources = {each.source: each.label for each in manifest.figures.sources}
        self._iris = Iris(manifest.dataset.base)
        self._view = view
        self._forms = forms
        self._url = f"{self._iris.base}oai"
        self._host = urlsplit(self._iris.base).hostname or "localhost"
        self._contact = contact or f"webmaster@{self._host if '.' in self._host else f'{self._host}.invalid'}"
        records = re.escape(f"{self._iris.base}record/")
        self._derived = re.compile(rf"prov#wasDerivedFrom> <{records}([^/>]+)/".encode())
        self._instance = re.compile(f"{term('bf:instanceOf')} <{re.escape(self._iris.base)}([^>]+)>".encode())

    def answer(self, pairs: Sequence[tuple[str, str]]) -> bytes:
        """Return the XML that answers a request with these arguments."""
        root = etree.Element(f"{{{_OAI}}}OAI-PMH", nsmap=_OAI_NAMES)
        root.set(f"{{{_XSI}}}schemaLocation", f"{_OAI} {_OAI}OAI-PMH.xsd")
        _add(root, "responseDate", datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
        request = _add(root, "request", self._url)
        try:
            arguments = _arguments(pairs)
            answered = self._answered(arguments)
            for name, value in arguments.items():
                request.set(name, without_illegal_characters(value))
            root.append(answered)
        except _RefusalError as refusal:
            if refusal.code not in ("badVerb", "badArgument"):
                for name, value in pairs:
                    request.set(name, without_illegal_characters(value))
            _add(root, "error", refusal.text).set("code", refusal.code)
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8")

    def _answered(self, arguments: dict[str, str]) -> etree._Element:
        verb = arguments["verb"]
        root = etree.Element(f"{{{_OAI}}}{verb}")
        if verb == "Identify":
            self._identify(root)
        elif verb == "ListMetadataFormats":
            self._list_formats(root, arguments.get("identifier"))
        elif verb == "ListSets":
            self._list_sets(root, arguments)
        elif verb == "GetRecord":
            item = self._identified(arguments["identifier"])
            root.append(self._record(item, _format(arguments["metadataPrefix"])))
        else:
            self._list(root, verb, arguments)
        return root

    # -- about the repository

    def _identify(self, root: etree._Element) -> None:
        titles = self._dataset.title
        _add(root, "repositoryName", titles.get("en") or next(iter(titles.values()), self._host))
        _add(root, "baseURL", self._url)
        _add(root, "protocolVersion", "2.0")
        _add(root, "adminEmail", self._contact)
        _add(root, "earliestDatestamp", min(self._view.created_times.values()))
        _add(root, "deletedRecord", "persistent")
        _add(root, "granularity", "YYYY-MM-DDThh:mm:ssZ")
        described = etree.SubElement(_add(root, "description"), f"{{{_IDENTIFIER}}}oai-identifier", nsmap=_NAMES)
        described.set(f"{{{_XSI}}}schemaLocation", f"{_IDENTIFIER} {_IDENTIFIER}.xsd")
        for name, value in (
            ("scheme", "oai"),
            ("repositoryIdentifier", self._host),
            ("delimiter", ":"),
            ("sampleIdentifier", f"oai:{self._host}:{FOLDER}{next(iter(self._sources), 'source')}/1"),
        ):
            etree.SubElement(described, f"{{{_IDENTIFIER}}}{name}").text = value

    def _list_formats(self, root: etree._Element, identifier: str | None) -> None:
        item = self._identified(identifier) if identifier is not None else None
        for each in FORMATS.values():
            if item is not None and not item.is_deleted and self._metadata(item, each) is None:
                continue
            described = _add(root, "metadataFormat")
            _add(described, "metadataPrefix", each.prefix)
            _add(described, "schema", each.schema)
            _add(described, "metadataNamespace", each.namespace)

    def _list_sets(self, root: etree._Element, arguments: dict[str, str]) -> None:
        if "resumptionToken" in arguments:
            raise _RefusalError("badResumptionToken", "The list of sets has one part; there are no tokens for it.")
        names = [(MERGED, "Publications that records of more than one entry describe"), (SOURCE, "All publications")]
        names += [(f"{SOURCE}:{name}", label.get("en") or name) for name, label in sorted(self._sources.items())]
        for spec, name in names:
            described = _add(root, "set")
            _add(described, "setSpec", spec)
            _add(described, "setName", name)

    # -- items

    def _identified(self, identifier: str) -> _Item:
        prefix = f"oai:{self._host}:"
        path = identifier.removeprefix(prefix) if identifier.startswith(prefix) else ""
        record = path.removeprefix(_RECORD_FOLDER) if path.startswith(_RECORD_FOLDER) else ""
        publication = self._forms.publication(record) if record else path
        document = self._view.document(publication) if publication and publication.startswith(FOLDER) else None
        if document is None:
            raise _RefusalError("idDoesNotExist", f"No item has the identifier {identifier}.")
        item = self._item(document)
        return _item_of_record(item, record) if record else item

    def _item(self, document: Document) -> _Item:
        if document.status != 200:
            sources = {document.path.split("/")[1]}
        else:
            sources = {each.decode() for each in self._derived.findall(document.quads)}
        sets = [f"{SOURCE}:{each}" for each in sorted(sources)]
        if document.status == 200 and sources:
            thing = re.escape(f"<{self._iris.base}{document.path}> ".encode())
            record = rb"(?m)^" + thing + rb"<[^>]*prov#wasDerivedFrom> (<[^>]*/record/[^>]*>)"
            if len(set(re.findall(record, document.quads))) > 1:
                sets.insert(0, MERGED)
        work = self._instance.search(document.quads)
        path = work[1].decode() if work is not None else ""
        return _Item(document.path, document.modified, document.status != 200, tuple(sets), path)

    def _list(self, root: etree._Element, verb: str, arguments: dict[str, str]) -> None:
        selection = self._selection(arguments)
        form = _format(selection.prefix, is_token="resumptionToken" in arguments)
        found: list[etree._Element] = []
        after, is_complete, scanned = selection.after, True, 0
        most = _RECORDS if verb == "ListRecords" else _HEADERS
        for scanned, document in enumerate(self._documents(selection), 1):
            if len(found) >= most or (found and scanned > _SCANNED):
                is_complete = False
                break
            after = document.path
            item = self._item(document)
            if not selection.set or any(f"{each}:".startswith(f"{selection.set}:") for each in item.sets):
                found += self._listed(item, verb, form, selection.set.partition(":")[2])
        if not found and not selection.cursor:
            raise _RefusalError("noRecordsMatch", "No record is selected by these arguments.")
        root.extend(found)
        if not is_complete:
            rest = msgspec.structs.replace(selection, after=after, cursor=selection.cursor + len(found))
            token = base64.urlsafe_b64encode(msgspec.json.encode(rest)).decode().rstrip("=")
            _add(root, "resumptionToken", token).set("cursor", str(selection.cursor))
        elif selection.cursor:
            _add(root, "resumptionToken").set("cursor", str(selection.cursor))

    def _listed(self, item: _Item, verb: str, form: MetadataFormat, source: str) -> Iterator[etree._Element]:
        items = [item]
        if form.prefix == _RETURNED:
            members = self._forms.members(item.path)
            items = [_item_of_record(item, one) for one in members if source in ("", one.partition("/")[0])]
        for one in items:
            if verb == "ListIdentifiers" and (one.is_deleted or form.prefix not in _RECORDS_OF_LIBRARIES):
                yield self._header(one)
                continue
            try:
                record = self._record(one, form)
            except _RefusalError:  # the item has no metadata in this format
                continue
            yield record if verb == "ListRecords" else self._header(one)

    def _documents(self, selection: _Selection) -> Iterator[Document]:
        times = self._view.created_times
        first, last = selection.begin, selection.end
        numbers = [number for number, result in times.items() if (first or result) <= result <= (last or result)]
        return self._view.documents(FOLDER, selection.after, (min(numbers), max(numbers))) if numbers else iter(())

    def _selection(self, arguments: dict[str, str]) -> _Selection:
        if "resumptionToken" in arguments:
            return _from_token(arguments["resumptionToken"])
        begin, end = arguments.get("from", ""), arguments.get("until", "")
        for date in filter(None, (begin, end)):
            if not _DAY.fullmatch(date) and not _SECOND.fullmatch(date):
                raise _RefusalError("badArgument", "Dates are written as 2026-01-31 or 2026-01-31T12:30:00Z.")
            try:
                datetime.fromisoformat(date)
            except ValueError as error:
                raise _RefusalError("badArgument", f"{date} is no date.") from error
        if begin and end and len(begin) != len(end):
            raise _RefusalError("badArgument", "from and until have different granularities.")
        begin = begin + _FIRST_SECOND if _DAY.fullmatch(begin) else begin
        end = end + _LAST_SECOND if _DAY.fullmatch(end) else end
        if begin and end and begin > end:
            raise _RefusalError("badArgument", "from is later than until.")
        chosen = arguments.get("set", "")
        if chosen and chosen not in (MERGED, SOURCE, *(f"{SOURCE}:{name}" for name in self._sources)):
            raise _RefusalError("noRecordsMatch", "There is no such set; see ListSets.")
        return _Selection(arguments["metadataPrefix"], begin, end, chosen, "", 0)

    def _header(self, item: _Item) -> etree._Element:
        root = etree.Element(f"{{{_OAI}}}header")
        if item.is_deleted:
            root.set("status", "deleted")
        _add(root, "identifier", f"oai:{self._host}:{item.path}")
        _add(root, "datestamp", item.modified)
        for each in item.sets:
            _add(root, "setSpec", each)
        return root

    def _record(self, item: _Item, form: MetadataFormat) -> etree._Element:
        root = etree.Element(f"{{{_OAI}}}record")
        root.append(self._header(item))
        if item.is_deleted:
            return root
        metadata = self._metadata(item, form)
        if metadata is None:
            raise _RefusalError("cannotDisseminateFormat", f"The item is not available as {form.prefix}.")
        _add(root, "metadata").append(metadata)
        return root

    def _metadata(self, item: _Item, form: MetadataFormat) -> etree._Element | None:
        if item.path.startswith(_RECORD_FOLDER) != (form.prefix == _RETURNED):
            return None
        if form.prefix in _RECORDS_OF_LIBRARIES:
            is_returned = form.prefix == _RETURNED
            read = self._forms.returned if is_returned else self._forms.marc
            record = read(item.path.removeprefix(_RECORD_FOLDER))
            return etree.fromstring(to_marcxml(record)) if record is not None else None
        description = self._forms.mods(item.path)
        if description is None:
            return None
        if item.work:
            title = self._view.titles([item.work]).get(item.work, "")
            description = add_work(description, self._iris.base + item.work, title)
        if form.prefix == "mods":
            return to_element(description)
        return dublin_core.to_dublin_core(description, self._iris.base + item.path)


def _item_of_record(item: _Item, record: str) -> _Item:
    """Return the item of a record of a library from that of its publication."""
    sets = tuple(each for each in item.sets if each in (MERGED, f"{SOURCE}:{record.partition('/')[0]}"))
    return msgspec.structs.replace(item, path=f"{_RECORD_FOLDER}{record}", sets=sets)


def _arguments(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the arguments by name; raises the refusal ``badVerb`` or ``badArgument``."""
    arguments = dict(pairs)
    verbs = [value for name, value in pairs if name == "verb"]
    if len(verbs) != 1 or verbs[0] not in _ARGUMENTS:
        raise _RefusalError("badVerb", f"verb is one of {', '.join(_ARGUMENTS)}, and is sent once.")
    if len(arguments) != len(pairs):
        raise _RefusalError("badArgument", "An argument is sent more than once.")
    required, optional = _ARGUMENTS[verbs[0]]
    names = arguments.keys() - {"verb"}
    if "resumptionToken" in names and verbs[0] in _LISTS:
        if names != {"resumptionToken"}:
            raise _RefusalError("badArgument", "A resumptionToken is sent without other arguments.")
        return arguments
    unknown = names - {*required, *optional}
    missing = set(required) - names
    if unknown or missing:
        wrong = [f"unknown: {name}" for name in sorted(unknown)] + [f"missing: {name}" for name in sorted(missing)]
        raise _RefusalError("badArgument", f"Arguments of {verbs[0]}: {', '.join(wrong)}.")
    return arguments


def _format(prefix: str, is_token: bool = False) -> MetadataFormat:
    if prefix not in FORMATS:
        code = "badResumptionToken" if is_token else "cannotDisseminateFormat"
        raise _RefusalError(code, f"metadataPrefix is one of {', '.join(FORMATS)}.")
    return FORMATS[prefix]


def _from_token(token: str) -> _Selection:
    try:
        if len(token) > _MAX_TOKEN_LENGTH:
            raise ValueError(token)
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        selection = msgspec.json.decode(data, type=_Selection)
    except (ValueError, msgspec.DecodeError) as error:
        raise _RefusalError("badResumptionToken", "The resumptionToken is not one of this server.") from error
    if not selection.after.startswith(FOLDER) or selection.cursor < 0:
        raise _RefusalError("badResumptionToken", "The resumptionToken is not one of this server.")
    return selection


def _add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    child = etree.SubElement(parent, f"{{{_OAI}}}{name}")
    if text is not None:
        child.text = without_illegal_characters(text)
    return child
