"""The statements of one cluster while they are collected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from bibld.model.iris import Iris
from bibld.model.linkage import Merged, ValueSource
from bibld.model.mods import Element, Mods
from bibld.model.origin import RecordId
from bibld.model.rdf import iri, literal, quad, term
from bibld.text.folding import tidy
from bibld.text.languages import language_tag, usual_script
from bibld.text.scripts import CYRILLIC, LATIN, script_of
from bibld.triplify._claims import Claim, EntityClaim, Kind, NameForm
from bibld.triplify._codes import scheme_iri
from bibld.triplify._identity import RomanisedName

_SCRIPT_CODE = re.compile(r"[A-Z][a-z]{3}")
_RUSSIAN = re.compile("(?:[а-яёіѣѳѵ]|[^\u0400-\u052f])*")


class Languages(msgspec.Struct, frozen=True):
    """The languages of one resource, as tags, in the order of the record."""

    tags: tuple[str, ...]

    @classmethod
    def from_mods(cls, mods: Mods, object_part: str | None = None) -> Languages:
        """Return the languages of the resource, or those of one kind of its parts.

        Kinds are a summary, or the text that it was translated from (``translation``).
        """
        codes = (
            term.value
            for language in mods.language
            if language.object_part == object_part
            for term in language.language_term
            if term.type == "code"
        )
        return cls(tuple(dict.fromkeys(tag for tag in map(language_tag, codes) if tag is not None)))

    @property
    def is_slavic(self) -> bool:
        """Whether Latin text transcribed from the resource is a romanisation, since all its languages use Cyrillic."""
        return bool(self.tags) and all(usual_script(tag) == CYRILLIC for tag in self.tags)

    def tag_own(self, text: str, element: Element) -> str | None:
        """Return the tag of a text in the language of the resource, such as its title.

        The language that the element states is taken first. Otherwise a text in the script of one of the languages is
        in that language. A text that the record pairs with one in another script (``@script`` and ``@altRepGroup``) is
        a romanisation, and so is Latin text if no language uses that script.
        """
        script = script_of(text)
        stated = _stated_tag(element)
        if stated is not None:
            return _with_script(stated, script)
        if script is None:
            return self.tags[0] if len(self.tags) == 1 and not any(map(str.isalpha, text)) else None
        if script == LATIN and element.script == LATIN and element.alt_rep_group:
            romanised = self._first(lambda own: own != LATIN)
            if romanised is not None:
                return f"{romanised}-Latn"
        native = self._first(lambda own: own == script)
        if native is not None:
            return native
        return _with_script(self.tags[0], script) if self.tags and script == LATIN else _undetermined(script)

    def tag_other(self, text: str, element: Element) -> str | None:
        """Return the tag of a text that need not be in the language of the resource, such as a name or a subject.

        It is known only if the element states it, if the text is in the non-Latin script of one of the languages, or if
        it is marked as a romanisation.
        """
        script = script_of(text)
        stated = _stated_tag(element)
        if stated is not None:
            return _with_script(stated, script)
        if script is None:
            return None
        if script == LATIN:
            romanised = self._first(lambda own: own != LATIN) if element.script == LATIN else None
            return f"{romanised}-Latn" if romanised and element.alt_rep_group else None
        return self._first(lambda own: own == script) or _undetermined(script)

    def tag_related(self, text: str, *elements: Element) -> str | None:
        """Return the tag of a title of another resource, such as a series, which may be in another language.

        It is known if one of the elements states it or marks the text as a romanisation. Cyrillic text is in the first
        language of this resource that uses Cyrillic, else Russian if it has Russian letters only.
        """
        script = script_of(text)
        for element in elements:
            stated = _stated_tag(element)
            if stated is not None:
                return _with_script(stated, script)
        if script == CYRILLIC:
            cyrillic = self._first(lambda own: own == script)
            return cyrillic or ("ru" if _RUSSIAN.fullmatch(text.lower()) else _undetermined(script))
        tags = (self.tag_other(text, element) for element in elements)
        return next((tag for tag in tags if tag is not None), None)

    def _first(self, accepts: Callable[[str], bool]) -> str | None:
        return next((tag for tag in self.tags if accepts(usual_script(tag))), None)


def _stated_tag(element: Element) -> str | None:
    tags = (language_tag(attribute) for attribute in (element.xml_lang, element.lang) if attribute)
    return next((tag for tag in tags if tag is not None), None)


def _with_script(tag: str, script: str | None) -> str:
    if "-" in tag or script is None or script == usual_script(tag) or not _SCRIPT_CODE.fullmatch(script):
        return tag
    return f"{tag}-{script}"


def _undetermined(script: str) -> str | None:
    return f"und-{script}" if _SCRIPT_CODE.fullmatch(script) and script != LATIN else None


_TYPE = term("rdf:type")

Quad = tuple[str, str, str, str]


class Mention(msgspec.Struct, frozen=True):
    """An agent that the publication names, with what decides whether another one that it names is the same.

    ``organisations`` are the compared names of an organisation, ``life`` the years in which a person may have been born
    and died. ``is_identified``: by a number or by name and dates. ``records`` are those that name the agent so.
    """

    agent: str
    names: tuple[RomanisedName, ...]
    organisations: frozenset[str]
    life: tuple[tuple[int, int] | None, tuple[int, int] | None]
    is_identified: bool
    roles: frozenset[str]
    records: frozenset[RecordId]


class EntityForm(msgspec.Struct, frozen=True):
    """A form in which records name an entity; see ``Draft.add_form``."""

    entity: str
    kind: Kind
    text: str
    records: frozenset[RecordId]


def sort_quads(quads: Iterable[Quad], first: str) -> tuple[str, ...]:
    """Return quads (graph, subject, predicate, value) as lines, each once.

    The default graph comes first, in it the subject ``first``; of each subject its types come first.
    """
    keys = [
        (graph, subject != first, subject, predicate != _TYPE, predicate, value)
        for graph, subject, predicate, value in set(quads)
    ]
    keys.sort()
    return tuple([quad(subject, predicate, value, graph or None) for graph, _, subject, _, predicate, value in keys])


class Draft:
    """Collects quads and claims; ``subject`` is the term of the merged resource."""

    def __init__(self, merged: Merged, iris: Iris, exists: Callable[[RecordId], bool]) -> None:
        self.merged = merged
        self.mods = merged.mods
        self.iris = iris
        self.languages = Languages.from_mods(merged.mods)
        self.quads: list[Quad] = []
        self.claims: list[Claim] = []
        self.mentions: list[Mention] = []
        self.forms: list[EntityForm] = []
        self.existence_dependencies: list[RecordId] = []
        self.subject = iri(iris.resource(merged.cluster.founder))
        self._exists = exists
        self._records_by_path = {source.path: frozenset(source.records) for source in merged.sources}
        self._hidden: dict[str, list[ValueSource]] = {}
        for source in merged.sources:
            if not source.is_shown:
                self._hidden.setdefault(source.place, []).append(source)
        self._count: dict[str, int] = {}
        self._graphs: dict[str, str] = {}
        self._own_terms: dict[str, str] = {}
        self._record_terms: dict[RecordId, str] = {}

    # -- statements --------------------------------------------------------------------------------------------------

    def add(self, predicate: str, value: str, subject: str | None = None, graph: str = "") -> None:
        """Add a statement; ``predicate`` is a compact IRI or a term, the others are terms, ``graph`` a graph's name."""
        if graph and graph not in self._graphs:
            self._graphs[graph] = iri(self.iris.graph(graph))
        property_ = predicate if predicate[0] == "<" else term(predicate)
        self.quads.append((self._graphs[graph] if graph else "", subject or self.subject, property_, value))

    def add_class(self, class_: str, subject: str | None = None, graph: str = "") -> None:
        """Add the class (a compact IRI or a term) that the subject belongs to."""
        self.add("rdf:type", class_ if class_.startswith("<") else term(class_), subject, graph)

    def add_text(self, predicate: str, text: str, subject: str | None = None, language: str | None = None) -> None:
        """Add a statement with a plain or language-tagged literal, unless the text is empty."""
        tidied = tidy(text)
        if tidied:
            self.add(predicate, literal(tidied, language), subject)

    def add_node(self, predicate: str, class_: str, kind: str, subject: str | None = None) -> str:
        """Add a statement whose value is a new node of a class, and return the node."""
        node = self.new_node(kind)
        self.add(predicate, node, subject)
        self.add_class(class_, node)
        return node

    def add_labelled_node(
        self, predicate: str, class_: str, kind: str, label: str, subject: str | None = None
    ) -> str | None:
        """Add a statement whose value is a new node of a class with a label; return the node.

        Return None, and add nothing, if the label is empty.
        """
        tidied = tidy(label)
        if not tidied:
            return None
        node = self.add_node(predicate, class_, kind, subject)
        self.add("rdfs:label", literal(tidied), node)
        return node

    def add_claim(self, entity: str, kind: Kind, value: EntityClaim, path: str) -> None:
        """Add a claim about an entity for each record that has the value at a path; of a concept also its scheme."""
        self.claims.extend(Claim(entity, kind, value, record) for record in self.records_at(path))
        if kind == "concept" and value.scheme:
            self.claim_scheme(value.scheme, path)

    def add_form(self, entity: str, kind: Kind, text: str, path: str) -> None:
        """Note in which form the records that have the value at a path name a publisher or series.

        Publications of one record need none of it.
        """
        if len(self.merged.cluster.members) > 1:
            self.forms.append(EntityForm(entity, kind, text, frozenset(self.records_at(path))))

    def claim_scheme(self, code: str, path: str) -> str:
        """Claim the scheme with a code, and return its IRI."""
        scheme = scheme_iri(code, self.iris)
        self.add_claim(scheme, "scheme", EntityClaim(label=NameForm(code), notation=code), path)
        return scheme

    # -- terms -------------------------------------------------------------------------------------------------------

    def own_term(self, name: str) -> str:
        """Return a term of bibld's ontology."""
        if name not in self._own_terms:
            self._own_terms[name] = iri(self.iris.term(name))
        return self._own_terms[name]

    def record_term(self, record: RecordId) -> str:
        """Return the term of a source record."""
        if record not in self._record_terms:
            self._record_terms[record] = iri(self.iris.record(record))
        return self._record_terms[record]

    def new_node(self, kind: str) -> str:
        """Return the next hash IRI of a kind, such as ``…#title1``."""
        self._count[kind] = self._count.get(kind, 0) + 1
        return self.hash_iri(f"{kind}{self._count[kind]}")

    def hash_iri(self, fragment: str) -> str:
        """Return the hash IRI of the resource with this fragment, which has no characters that no IRI may contain."""
        return f"{self.subject[:-1]}#{fragment}>"

    @staticmethod
    def name_form(text: str, language: str | None) -> NameForm:
        """Return a form of a name as it is published."""
        return NameForm(tidy(text), (language or "").lower())

    # -- records -----------------------------------------------------------------------------------------------------

    def records_at(self, path: str) -> tuple[RecordId, ...]:
        """Return the records that have the value at a path of the merged description."""
        members = self.merged.cluster.members
        while path and len(members) > 1:
            if path in self._records_by_path:
                return tuple(record for record in members if record in self._records_by_path[path]) or members
            path = path.rpartition("/")[0]
        return members

    def source_at(self, path: str) -> str:
        """Return the source of the first record that has the value at a path."""
        return self.records_at(path)[0].source

    def hidden_values(self, path: str) -> list[ValueSource]:
        """Return the values of records that the merged description does not show, which has another one at a path."""
        return self._hidden.get(path, [])

    def is_in_catalog(self, record: RecordId) -> bool:
        """Whether a record is in the catalog; the answer becomes an existence dependency of the statements."""
        self.existence_dependencies.append(record)
        return self._exists(record)
