"""Merging element by element.

The default is the rule of Kosolapov, Serebryakov, Teymurazov and Shorin: compound properties are united; a simple one
is filled from any record that has it, and if more than one has it the oldest record wins.

What a record has and the result does not show is added to the sources: values that were not chosen, other forms of a
value that is shown, and, if records state a publication differently, the statement of each, the preferred one first,
since merging separates places from their publishers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from operator import is_, itemgetter
from typing import Any

import msgspec

from bibld.config import Config, MergeConfig
from bibld.merge._names import Creators, is_another_name
from bibld.merge._similarity import Similarity, similarity_of_child, similarity_of_element, text_key
from bibld.merge._values import (
    PublicationScript,
    SourceList,
    Value,
    fullness,
    is_in_one_script,
    letters_and_digits,
    put_originals_first,
    unite,
    values_of,
    wording_of,
)
from bibld.model.linkage import ValueSource
from bibld.model.mods import (
    AlternativeName,
    Element,
    Genre,
    Mods,
    Name,
    OriginInfo,
    PhysicalDescription,
    RelatedItem,
    Subject,
)
from bibld.model.mods_plan import publication_statement, words_of
from bibld.model.origin import RecordId
from bibld.protocols import Holder, Statement, adapters
from bibld.text.scripts import has_latin


class Policy:
    """A policy with its settings; ``single`` is the policy for what a publication has once."""

    def __init__(self, name: str, settings: Any, single: Policy | None = None) -> None:  # noqa: ANN401
        self._adapter = adapters.load_adapter("merge", name)
        self._settings = settings
        self.single = single or self

    def choose(self, statements: Sequence[Statement]) -> Sequence[Statement]:
        """Return the statements of the records whose values are shown, in the order in which they are."""
        if len(statements) < 2:
            return statements
        return [statements[number] for number in self._adapter.choose(statements, self._settings)]


class Policies:
    """The policies of all elements of MODS, and the trust in each source (1 unless stated)."""

    def __init__(
        self,
        names: MergeConfig,
        trust: Mapping[str, int] | None = None,
        settings: Mapping[tuple[str, str], Any] | None = None,
    ) -> None:
        self._names = names
        self._trust = dict(trust or {})
        self._settings = settings or {}
        self._policies: dict[str, Policy] = {}
        self.of_element = {element: self._policy(name) for element, name in msgspec.structs.asdict(names).items()}

    def __reduce__(self) -> tuple[type[Policies], tuple[object, ...]]:
        """Send the settings to another process, which finds the adapters itself."""
        return Policies, (self._names, self._trust, self._settings)

    @classmethod
    def from_config(cls, config: Config) -> Policies:
        """Return the policies of a configuration."""
        trust = {source.id: source.config.trust for source in config.sources if source.config.trust != 1}
        settings = {key: value for key, value in config.adapter_settings.items() if key[0] == "merge"}
        return cls(config.merge, trust, settings)

    def trust(self, source: str) -> int:
        """Return the trust in a source."""
        return self._trust.get(source, 1)

    def inputs(self) -> list[object]:
        """Return all settings that the result of merging depends on, for a hash of them."""
        settings = [(name, self._settings_of(name)) for name in sorted(self._policies)]
        return [self._names, settings, sorted(self._trust.items())]

    def _policy(self, name: str) -> Policy:
        if name not in self._policies:
            single = getattr(adapters.load_adapter("merge", name), "SINGLE", None)
            other = self._policy(single) if single not in (None, name) else None
            self._policies[name] = Policy(name, self._settings_of(name), other)
        return self._policies[name]

    def _settings_of(self, name: str) -> Any:  # noqa: ANN401
        found = self._settings.get(("merge", name))
        return adapters.settings_type("merge", name)() if found is None else found


@cache
def default_policies() -> Policies:
    """Return the paper's rule: what repeats is united, what is simple is filled."""
    return Policies(MergeConfig())


Descriptions = Sequence[tuple[Holder, Mods]]
"""The descriptions of the records of a cluster, the oldest first."""

_MERGED_BY_CHILDREN = frozenset(("origin_info", "physical_description"))
"""Elements that occur once (for each event, in each script): the policy chooses each of their children."""

_REPEATED_CHILDREN = frozenset(("place", "publisher", "form", "internet_media_type"))
"""Children that a publication can have more than once; of the others it has one."""

_UNITED_PARTS_OF_NAME: tuple[tuple[str, Callable[[Any], Hashable]], ...] = (
    ("role", lambda role: tuple(map(text_key, role.role_term))),
    ("name_identifier", lambda identifier: (identifier.type, identifier.value)),
    ("alternative_name", words_of),
    ("display_form", text_key),
    ("affiliation", text_key),
    ("description", text_key),
)
"""What a name has beside its heading, and the key by which two of it are the same."""


_RESPONSIBILITY = "statement of responsibility"


class Merger:
    """Merges the descriptions of one cluster, by the policies and the script of the publication."""

    def __init__(self, policies: Policies, descriptions: Descriptions) -> None:
        self._policies = policies
        self._script = PublicationScript(())
        languages = [Statement(holder, mods.language) for holder, mods in descriptions if mods.language]
        self._creators = Creators((holder.record, mods) for holder, mods in descriptions)
        self._creators = Creators((holder.record, mods) for holder, mods in descriptions)
        similarity, policy = similarity_of_element("language"), policies.of_element["language"]
        chosen = self._choose_values(languages, similarity, policy, "language", SourceList())
        self._script = PublicationScript(language.shown for language in chosen)

    def merge(self, descriptions: Descriptions, is_nested: bool = False) -> tuple[Mods, list[ValueSource]]:
        """Merge descriptions; return the result, and which records have each value, shown or not.

        ``is_nested``: they are those of a related item, whose first title identifies it and stays the first.
        """
        merged: dict[str, tuple[Any, ...]] = {}
        sources = SourceList()
        for field in Mods.elements:
            statements = [
                Statement(holder, values) for holder, mods in descriptions if (values := getattr(mods, field))
            ]
            if not statements:
                continue
            similarity, policy = similarity_of_element(field), self._policies.of_element[field]
            if field in _MERGED_BY_CHILDREN:
                values = values_of(statements, similarity)
                values = put_originals_first(values, values, similarity, self._script)
            else:
                values = self._choose_values(statements, similarity, policy, field, sources, keeps_order=is_nested)
            elements = [
                self._merge_forms(value, policy, f"{field}/{index}", sources) for index, value in enumerate(values)
            ]
            merged[field] = tuple(_link_romanisations(elements, values, statements) if field == "name" else elements)
        return Mods(**merged), sources.sources

    def _choose_values(
        self,
        statements: Sequence[Statement],
        similarity: Similarity,
        policy: Policy,
        path: str,
        sources: SourceList,
        keeps_order: bool = False,
    ) -> list[Value]:
        """Return the values that are shown, in their order; add the others to the sources."""
        values = values_of(statements, similarity)
        if similarity.can_be_one is not None:
            values = unite(values, self._are_one_creator)
            for value in values:
                value.prefer_originals(self._script)
        by_policy = policy.choose(statements)
        chosen = _values_of_records(values, statements, by_policy)
        if not keeps_order:
            records = {statement.holder.record for statement in by_policy}
            if path == "title_info":
                chosen = self._put_main_title_first(chosen, records)
            chosen = put_originals_first(values, chosen, similarity, self._script)
            if path == "title_info" and self._script.is_sure:
                # A romanisation may just have been replaced by a title in the script of the publication.
                chosen = self._put_main_title_first(chosen, records)
        if path == "note":
            chosen = self._choose_responsibility(chosen)
        if len(chosen) < len(values):
            shown = {number for value in chosen for number, _, _ in value.entries}
            others = (value for value in values if value.entries[0][0] not in shown)
            sources.add_not_shown(path, (wording for value in others for wording in value.wordings))
        return chosen

    def _are_one_creator(self, one: Value, other: Value) -> bool:
        forms, other_forms = ([(holder.record, form) for _, holder, form in value.entries] for value in (one, other))
        return self._creators.are_one(one.shown, forms, other.shown, other_forms)

    def _put_main_title_first(self, titles: list[Value], records: set[RecordId]) -> list[Value]:
        """Move the best main title to the front: one in the script of the publication, then the fullest.

        The candidates are the first main titles of these records.
        """
        mains = [title for title in titles if title.shown.type is None]
        if len(mains) < 2:
            return titles
        is_original = {
            id(title): self._script.is_sure and bool(self._script.is_original(wording_of(title.shown)))
            for title in mains
        }
        first: dict[RecordId, Value] = {}
        entries = [(number, holder.record, title) for title in mains for number, holder, _ in title.entries]
        for _, record, title in sorted(entries, key=itemgetter(0)):
            if record in records and (
                record not in first or (is_original[id(title)] and not is_original[id(first[record])])
            ):
                first[record] = title
        best = max(first.values(), key=lambda title: (is_original[id(title)], fullness(title.shown)))
        return [best, *(title for title in titles if title is not best)]

    def _choose_responsibility(self, notes: list[Value]) -> list[Value]:
        """Return notes with the statements of responsibility of one record: the longest in the publication's script.

        Those of other records become other forms of the first one.
        """
        statements = [note for note in notes if note.shown.type == _RESPONSIBILITY]
        if len(statements) < 2:
            return notes
        letters: dict[RecordId, list[int]] = {}
        for value in statements:
            is_original = self._script.is_original(value.shown.value) is not False
            for record in value.records:
                found = letters.setdefault(record, [0, 0])
                found[is_original] += len(value.shown.value)
        preferred = min(letters, key=lambda record: (-letters[record][True], -letters[record][False], record))
        others = [statement for statement in statements if preferred not in statement.records]
        next(statement for statement in statements if preferred in statement.records).absorb(others)
        return [note for note in notes if note not in others]

    def _merge_forms(self, value: Value, policy: Policy, path: str, sources: SourceList) -> Element:
        """Return one element for the forms of one value."""
        shown: Element = value.shown
        if isinstance(shown, OriginInfo | PhysicalDescription):
            sources.add(path, value.records)
            return self._merge_children(value, policy, path, sources)
        if isinstance(shown, RelatedItem):
            sources.add(path, value.records)
            nested, inner = self.merge([(holder, item.mods) for _, holder, item in value.entries], is_nested=True)
            sources.sources += (
                msgspec.structs.replace(source, path=f"{path}/mods/{source.path}")
                for source in inner
                if not source.is_shown
            )
            return msgspec.structs.replace(shown, mods=nested)
        _add_forms(value, path, sources)
        if isinstance(shown, Subject | Genre) and shown.value_uri is None:
            numbers = {form.value_uri for form in value.forms if form.value_uri}
            return msgspec.structs.replace(shown, value_uri=numbers.pop()) if len(numbers) == 1 else shown
        if not isinstance(shown, Name):
            return shown
        united = {
            field: _unite((one for name in value.forms for one in getattr(name, field)), key)
            for field, key in _UNITED_PARTS_OF_NAME
            if field != "display_form" or shown.name_part
        }
        united["alternative_name"] = _unite((*united["alternative_name"], *_other_names(value)), words_of)
        usage = shown.usage or next((name.usage for name in value.forms if name.usage), None)
        return msgspec.structs.replace(shown, usage=usage, **united)

    def _merge_children(self, value: Value, policy: Policy, path: str, sources: SourceList) -> Element:
        """Return an element with the children that the policy chooses and the oldest record's attributes."""
        oldest = value.forms[0]
        children: dict[str, Any] = {}
        for field in oldest.__struct_fields__:
            if not isinstance(getattr(oldest, field), tuple):
                continue
            statements = [
                Statement(holder, found) for _, holder, form in value.entries if (found := getattr(form, field))
            ]
            if not statements:
                continue
            here = f"{path}/{field}"
            chooses = policy if field in _REPEATED_CHILDREN else policy.single
            chosen = self._choose_values(statements, similarity_of_child(field), chooses, here, sources)
            children[field] = tuple(child.shown for child in chosen)
            for index, child in enumerate(chosen):
                _add_forms(child, f"{here}/{index}", sources)
        result: Element = msgspec.structs.replace(oldest, **children)
        if isinstance(result, OriginInfo):
            statements_of_records = [(holder.record, publication_statement(info)) for _, holder, info in value.entries]
            stated = {letters_and_digits(words) for _, words in statements_of_records} - {""}
            if stated != {letters_and_digits(publication_statement(result))}:
                year = next((date.value[:4] for date in result.date_issued), "")
                statements_of_records.sort(key=lambda stated: self._preference(stated[1], year), reverse=True)
                sources.add_not_shown(path, statements_of_records)
        return result

    def _preference(self, statement: str, year: str) -> tuple[bool, ...]:
        """Return the rank of a statement: in the script of the publication, with its year, and with a place."""
        is_original = self._script.is_original(statement) is not False
        return is_in_one_script(statement), is_original, year in statement, " : " in statement


def _values_of_records(
    values: list[Value], statements: Sequence[Statement], by_policy: Sequence[Statement]
) -> list[Value]:
    """Return the values that the records chosen by a policy have, in its order."""
    if len(by_policy) == len(statements) and all(map(is_, by_policy, statements)):
        return values
    rank = {statement.holder.record: number for number, statement in enumerate(by_policy)}
    ranked = []
    for value in values:
        ranks = [(rank[holder.record], number) for number, holder, _ in value.entries if holder.record in rank]
        if ranks:
            ranked.append((min(ranks), value))
    return [value for _, value in sorted(ranked, key=itemgetter(0))]


def _add_forms(value: Value, path: str, sources: SourceList) -> None:
    """Add the records that have a value that is shown, and its other forms."""
    shown = value.shown
    others = [(holder.record, wording_of(form)) for _, holder, form in value.entries if form != shown]
    if others:
        sources.add_forms(path, value.records, others, wording_of(shown))
    else:
        sources.add(path, value.records)


def _other_names(value: Value) -> Iterable[AlternativeName]:
    """Yield the forms of a person's name in other scripts than that of the form that is shown, and pseudonyms."""
    is_latin = has_latin(wording_of(value.shown))
    for form in value.forms:
        is_person = form.type == "personal" and form.name_part
        if is_person and (has_latin(wording_of(form)) != is_latin or is_another_name(form, value.shown)):
            yield AlternativeName(name_part=form.name_part)


def _link_romanisations(
    names: Sequence[Element], values: Sequence[Value], statements: Sequence[Statement]
) -> Iterable[Element]:
    """Yield the names, each with the number (``@altRepGroup``) that links any of its forms with its romanisation.

    The number is one within a record; if more than one record uses it, it is not taken over.
    """
    owners: dict[str, set[RecordId]] = {}
    for statement in statements:
        for name in statement.values:
            if name.alt_rep_group:
                owners.setdefault(name.alt_rep_group, set()).add(statement.holder.record)
    for shown, value in zip(names, values, strict=True):
        groups = (name.alt_rep_group for name in value.forms if name.alt_rep_group)
        group = next((group for group in groups if len(owners[group]) == 1), None) if owners else None
        yield msgspec.structs.replace(shown, alt_rep_group=group) if group and not shown.alt_rep_group else shown


def _unite(values: Iterable[Any], key: Callable[[Any], Hashable]) -> tuple[Any, ...]:
    found: dict[Hashable, Any] = {}
    for value in values:
        found.setdefault(key(value), value)
    return tuple(found.values())
