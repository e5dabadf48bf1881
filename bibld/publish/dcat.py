"""The description of the release in DCAT 3, with what DCAT-AP 3 requires (https://semiceu.github.io/DCAT-AP/releases/3.0.0/).

A catalogue of the dataset, its series of versions (releases), their distributions (dumps and patches) and its services.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, quad, term, typed_literal
from bibld.model.release import Manifest, ReleaseFile
from bibld.protocols import ReleaseDraft
from bibld.publish._files import DESCRIPTIONS, write_turtle

DESCRIBES_FILES = True
"""This part is written when all files of the others are, and known by size and checksum."""

FILE = "dcat.ttl"

_SPDX = "http://spdx.org/rdf/terms#"
_VCARD = "http://www.w3.org/2006/vcard/ns#"
_MEDIA_TYPE = "https://www.iana.org/assignments/media-types/"
_LANGUAGE = "http://publications.europa.eu/resource/authority/language/"
_THEME = "http://publications.europa.eu/resource/authority/data-theme/EDUC"
_PREFIXES = {
    **{prefix: rdf.PREFIXES[prefix] for prefix in ("dcat", "dcterms", "foaf", "rdfs", "xsd")},
    "spdx": _SPDX,
    "vcard": _VCARD,
}
_COMPRESSIONS = {".gz": "application/gzip", ".zst": "application/zstd"}
_LANGUAGES = {
    "be": "BEL", "bg": "BUL", "cs": "CES", "da": "DAN", "de": "DEU", "el": "ELL", "en": "ENG", "es": "SPA", "et": "EST",
    "fi": "FIN", "fr": "FRA", "hu": "HUN", "it": "ITA", "kk": "KAZ", "lt": "LIT", "lv": "LAV", "nl": "NLD", "no": "NOR",
    "pl": "POL", "pt": "POR", "ro": "RON", "ru": "RUS", "sk": "SLK", "sl": "SLV", "sr": "SRP", "sv": "SWE", "uk": "UKR",
}  # fmt: skip
"""The codes of the language list of the European Union, by subtags of BCP 47."""

_Statement = tuple[str, str, str]


class Settings(msgspec.Struct, frozen=True):
    """The table ``[publish.dcat]``.

    ``contact`` is an e-mail address, or the web address of a page, for questions about the dataset; DCAT-AP recommends
    to name one.
    """

    contact: str = ""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Write ``dcat.ttl``."""
    lines = {quad(*statement) for statement in _Description(draft.manifest, settings).statements()}
    write_turtle(lines, _PREFIXES, draft.folder / FILE)
    return draft


def _dcat(name: str) -> str:
    return iri(f"{rdf.PREFIXES['dcat']}{name}")


class _Description:
    """The description of one release; statements are subject, predicate and object as terms."""

    def __init__(self, manifest: Manifest, settings: Settings) -> None:
        self._manifest = manifest
        self._settings = settings
        self._iris = Iris(manifest.dataset.base)
        self._dataset = iri(self._iris.dataset)
        self._publisher = self._node("publisher")
        self._created = typed_literal(manifest.created, "dateTime")

    def _node(self, name: str) -> str:
        return iri(f"{self._iris.dataset}#{name}")

    def _version(self, release: int) -> str:
        return self._node(f"release-{release}")

    def statements(self) -> Iterator[_Statement]:
        """Yield all statements; some more than once."""
        catalog, series, service = self._node("catalog"), self._node("series"), self._node("sparql")
        current = self._version(self._manifest.number)
        yield catalog, term("rdf:type"), _dcat("Catalog")
        yield from self._described(catalog, "", "")
        yield catalog, term("foaf:homepage"), iri(self._iris.base)
        yield catalog, term("dcterms:modified"), self._created
        yield catalog, _dcat("dataset"), self._dataset
        yield catalog, _dcat("dataset"), series
        yield catalog, _dcat("service"), service
        yield catalog, _dcat("themeTaxonomy"), iri(_THEME.rpartition("/")[0])
        yield self._publisher, term("rdf:type"), term("foaf:Agent")
        yield self._publisher, term("rdf:type"), term("foaf:Organization")
        yield self._publisher, term("foaf:name"), literal(self._manifest.dataset.publisher)
        yield from self._contact()

        yield self._dataset, term("rdf:type"), _dcat("Dataset")
        yield from self._described(self._dataset, "", "")
        yield self._dataset, term("dcterms:modified"), self._created
        yield self._dataset, _dcat("theme"), iri(_THEME)
        yield self._dataset, _dcat("landingPage"), iri(self._iris.base)
        yield self._dataset, _dcat("version"), literal(str(self._manifest.number))
        yield self._dataset, _dcat("hasCurrentVersion"), current

        yield series, term("rdf:type"), _dcat("DatasetSeries")
        yield from self._described(series, "releases", "выпуски")
        yield series, term("dcterms:modified"), self._created
        yield series, _dcat("last"), current

        for release, created in self._releases().items():
            yield from self._release(catalog, series, release, created)
        yield from self._distributions(current)
        yield from self._service(service)

    def _described(self, subject: str, english: str, russian: str) -> Iterator[_Statement]:
        """Yield title, description, languages, licence, publisher and contact; the addition is in brackets."""
        dataset = self._manifest.dataset
        for name, texts in (("title", dataset.title), ("description", dataset.description or dataset.title)):
            for tag, text in texts.items():
                addition = russian if tag.partition("-")[0] == "ru" else english
                shown = f"{text} ({addition})" if addition and name == "title" else text
                yield subject, term(f"dcterms:{name}"), literal(shown, tag)
        for tag in dataset.title:
            subtag = tag.partition("-")[0].lower()
            code = _LANGUAGES.get(subtag)
            language = f"{_LANGUAGE}{code}" if code else f"http://id.loc.gov/vocabulary/iso639-1/{subtag}"
            yield subject, term("dcterms:language"), iri(language)
        yield subject, term("dcterms:license"), iri(dataset.license)
        yield subject, term("dcterms:publisher"), self._publisher
        if self._settings.contact and subject != self._node("catalog"):
            yield subject, _dcat("contactPoint"), self._node("contact")

    def _contact(self) -> Iterator[_Statement]:
        contact = self._settings.contact
        if contact:
            node = self._node("contact")
            is_page = contact.startswith(("http://", "https://"))
            yield node, term("rdf:type"), iri(f"{_VCARD}Organization")
            yield node, iri(f"{_VCARD}fn"), literal(self._manifest.dataset.publisher)
            address = contact if is_page else f"mailto:{contact.removeprefix('mailto:')}"
            yield node, iri(f"{_VCARD}{'hasURL' if is_page else 'hasEmail'}"), iri(address)

    def _releases(self) -> dict[int, str]:
        """Return the releases that this one is made from, and itself, with their times (empty: not known)."""
        manifest = self._manifest
        found = {} if manifest.full is None else {manifest.full.release: manifest.full.created}
        for patch in manifest.patches:
            found.setdefault(patch.since, "")
            found[patch.release] = patch.created or found.get(patch.release, "")
        for file in manifest.files:
            if merged := DESCRIPTIONS.fullmatch(file.name):
                found.setdefault(int(merged[1]), "")
        return dict(sorted({**found, manifest.number: manifest.created}.items()))

    def _release(self, catalog: str, series: str, release: int, created: str) -> Iterator[_Statement]:
        version = self._version(release)
        yield version, term("rdf:type"), _dcat("Dataset")
        yield from self._described(version, f"release {release}", f"выпуск {release}")
        yield version, _dcat("version"), literal(str(release))
        yield version, _dcat("isVersionOf"), self._dataset
        yield self._dataset, _dcat("hasVersion"), version
        yield version, _dcat("inSeries"), series
        yield series, _dcat("seriesMember"), version
        yield catalog, _dcat("dataset"), version
        yield version, _dcat("theme"), iri(_THEME)
        if created:
            yield version, term("dcterms:issued"), typed_literal(created, "dateTime")
            yield version, term("dcterms:modified"), typed_literal(created, "dateTime")
        since = next((patch.since for patch in self._manifest.patches if patch.release == release), None)
        if since is not None:
            yield version, _dcat("previousVersion"), self._version(since)
            yield version, _dcat("prev"), self._version(since)

    def _distributions(self, current: str) -> Iterator[_Statement]:
        """Yield each file with data as a distribution of the release that it was made for."""
        manifest = self._manifest
        owners: dict[str, str] = {}
        if manifest.full is not None:
            owners = {name: self._version(manifest.full.release) for name in manifest.full.files}
        for patch in manifest.patches:
            owners[patch.added] = owners[patch.removed] = self._version(patch.release)
        for file in manifest.files:
            found = DESCRIPTIONS.fullmatch(file.name)
            owner = owners.get(file.name) if found is None else self._version(int(found[1]))
            if owner is not None:
                node = self._node(f"distribution-{file.name}")
                yield owner, _dcat("distribution"), node
                yield from self._distribution(node, file)
                if owner == current:
                    yield self._dataset, _dcat("distribution"), node

    def _distribution(self, node: str, file: ReleaseFile) -> Iterator[_Statement]:
        address = iri(f"{self._iris.base}dumps/{file.name}")
        yield node, term("rdf:type"), _dcat("Distribution")
        yield node, term("dcterms:title"), literal(file.name)
        yield node, _dcat("accessURL"), address
        yield node, _dcat("downloadURL"), address
        yield node, _dcat("mediaType"), iri(f"{_MEDIA_TYPE}{file.media_type}")
        yield node, _dcat("byteSize"), typed_literal(str(file.bytes), "nonNegativeInteger")
        yield node, term("dcterms:license"), iri(self._manifest.dataset.license)
        compression = _COMPRESSIONS.get(f".{file.name.rpartition('.')[2]}")
        if compression:
            yield node, _dcat("compressFormat"), iri(f"{_MEDIA_TYPE}{compression}")
        checksum = f"{node[:-1]}-checksum>"
        yield node, iri(f"{_SPDX}checksum"), checksum
        yield checksum, term("rdf:type"), iri(f"{_SPDX}Checksum")
        yield checksum, iri(f"{_SPDX}algorithm"), iri(f"{_SPDX}checksumAlgorithm_sha256")
        yield checksum, iri(f"{_SPDX}checksumValue"), typed_literal(file.sha256, "hexBinary")

    def _service(self, node: str) -> Iterator[_Statement]:
        endpoint = iri(f"{self._iris.base}sparql")
        yield node, term("rdf:type"), _dcat("DataService")
        yield node, term("dcterms:title"), literal("SPARQL endpoint", "en")
        yield node, term("dcterms:title"), literal("Точка доступа SPARQL", "ru")
        yield node, term("dcterms:license"), iri(self._manifest.dataset.license)
        yield node, term("dcterms:publisher"), self._publisher
        yield node, iri(f"{rdf.PREFIXES['dcterms']}conformsTo"), iri("https://www.w3.org/TR/sparql11-protocol/")
        yield node, _dcat("endpointURL"), endpoint
        yield node, _dcat("endpointDescription"), endpoint
        yield node, _dcat("servesDataset"), self._dataset
        if self._settings.contact:
            yield node, _dcat("contactPoint"), self._node("contact")
