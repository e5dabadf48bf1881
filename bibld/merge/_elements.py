"""Merging element by element.

The default is the rule of Kosolapov, Serebryakov, Teymurazov and Shorin: compound properties are united; a simple one
is filled from whoever has it, and where several have it the older record wins.

What a record has and the result does not show is noted among the sources: the values that were not chosen, other forms
of a value that is shown, and, where records state a publication differently, each one's statement, since merging tears
places from their publishers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import is_, itemgetter
from typing import Any

import msgspec

from bibld.merge._keys import text
from bibld.merge._likeness import LIKENESS, LIKENESS_OF_CHILDREN, OTHER_CHILD, SIMPLE, Likeness
from bibld.merge._policies import Policies, Policy
from bibld.merge._script import Script
from bibld.merge._sources import Said, Sources, bare
from bibld.merge._values import Value, fullness, values_of, with_originals_first, words_said
from bibld.model.linkage import ValueSource
from bibld.model.mods import Element, Mods, Name, OriginInfo, PhysicalDescription, RelatedItem
from bibld.model.mods_words import publication_statement, words_of
from bibld.model.origin import RecordId
from bibld.protocols import Holder, Statement

_IN_PARTS = frozenset(("origin_info", "physical_description"))
"""Elements that are there once (for each event, in each script): what is chosen is each of their children."""

_REPEATED_CHILDREN = frozenset(("place", "publisher", "form", "internet_media_type"))
"""Children of which a publication has several; of the others it has one."""

_BESIDE_NAME: tuple[tuple[str, Callable[[Any], Hashable]], ...] = (
    ("role", lambda role: tuple(map(text, role.role_term))),
    ("name_identifier", lambda one: (one.type, one.value)),
    ("alternative_name", words_of),
    ("display_form", text),
    ("affiliation", text),
    ("description", text),
)
"""What a name says beside its heading, and when two of it are the same."""


class Merging:
    """What the merging of one cluster goes by: the policies, and the script of the publication."""

    def __init__(self, policies: Policies, said: Sequence[tuple[Holder, Mods]]) -> None:
        self.policies = policies
        self.script = Script(())
        languages = [Statement(holder, mods.language) for holder, mods in said if mods.language]
        likeness, policy = LIKENESS["language"], policies.of_element["language"]
        chosen = self._chosen(languages, likeness, policy, "language", Sources())
        self.script = Script.of(language.shown for language in chosen)

    def mods(self, said: Sequence[tuple[Holder, Mods]], is_nested: bool = False) -> tuple[Mods, list[ValueSource]]:
        """Merge descriptions, the oldest first; gives the result, and who holds each value, shown or not.

        ``is_nested``: they are those of a related item, of which the first title names it and stays the first.
        """
        merged: dict[str, tuple[Any, ...]] = {}
        sources = Sources()
        for field in Mods.elements:
            statements = [Statement(holder, values) for holder, mods in said if (values := getattr(mods, field))]
            if not statements:
                continue
            likeness, policy = LIKENESS.get(field, SIMPLE), self.policies.of_element[field]
            if field in _IN_PARTS:
                values = values_of(statements, likeness)
                values = with_originals_first(values, values, likeness, self.script)
            else:
                values = self._chosen(statements, likeness, policy, field, sources, keeps_order=is_nested)
            joined = [self._joined(value, policy, f"{field}/{index}", sources) for index, value in enumerate(values)]
            merged[field] = tuple(_paired(joined, values, statements) if field == "name" else joined)
        return Mods(**merged), sources.noted

    def _chosen(
        self,
        statements: Sequence[Statement],
        likeness: Likeness,
        policy: Policy,
        path: str,
        sources: Sources,
        keeps_order: bool = False,
    ) -> list[Value]:
        """The values that are shown, in their order; the others are noted."""
        values = values_of(statements, likeness)
        by_policy = policy.chosen(statements)
        chosen = _of_records(values, statements, by_policy)
        if not keeps_order:
            if path == "title_info":
                chosen = self._main_title_first(chosen, {statement.holder.record for statement in by_policy})
            chosen = with_originals_first(values, chosen, likeness, self.script)
        if len(chosen) < len(values):
            shown = {number for value in chosen for number, _, _ in value.entries}
            others = (value for value in values if value.entries[0][0] not in shown)
            sources.not_shown(path, (said for value in others for said in _said(value)))
        return chosen

    def _main_title_first(self, titles: list[Value], records: set[RecordId]) -> list[Value]:
        """The titles, before all others the best of the first main titles of these records: that in the script of the
        publication, then the fullest."""
        mains = [title for title in titles if title.shown.type is None]
        if len(mains) < 2:
            return titles
        original = {
            id(title): self.script.is_sure and self.script.is_original(words_said(title.shown)) for title in mains
        }
        first: dict[RecordId, Value] = {}
        held = [(number, holder.record, title) for title in mains for number, holder, _ in title.entries]
        for _, record, found in sorted(held, key=itemgetter(0)):
            if record in records and (record not in first or (original[id(found)] and not original[id(first[record])])):
                first[record] = found
        best = max(first.values(), key=lambda title: (bool(original[id(title)]), fullness(title.shown)))
        return [best, *(title for title in titles if title is not best)]

    def _joined(self, value: Value, policy: Policy, path: str, sources: Sources) -> Element:
        """One element out of those that are forms of one value."""
        shown: Element = value.shown
        if isinstance(shown, OriginInfo | PhysicalDescription):
            sources.holds(path, value.records)
            return self._with_children(value, policy, path, sources)
        if isinstance(shown, RelatedItem):
            sources.holds(path, value.records)
            nested, inner = self.mods([(holder, item.mods) for _, holder, item in value.entries], is_nested=True)
            for source in inner:
                if not source.is_shown:
                    sources.noted.append(msgspec.structs.replace(source, path=f"{path}/mods/{source.path}"))
            return msgspec.structs.replace(shown, mods=nested)
        _note_forms(value, path, sources)
        return _with_all_that_is_said(shown, value.forms) if isinstance(shown, Name) else shown

    def _with_children(self, value: Value, policy: Policy, path: str, sources: Sources) -> Element:
        """An element with the children that the policy chooses one by one; attributes are the oldest record's."""
        oldest = value.forms[0]
        children: dict[str, Any] = {}
        for field in oldest.__struct_fields__:
            if not isinstance(getattr(oldest, field), tuple):
                continue
            statements = [
                Statement(holder, held) for _, holder, form in value.entries if (held := getattr(form, field))
            ]
            if not statements:
                continue
            here, likeness = f"{path}/{field}", LIKENESS_OF_CHILDREN.get(field, OTHER_CHILD)
            chosen = self._chosen(
                statements, likeness, policy if field in _REPEATED_CHILDREN else policy.single, here, sources
            )
            children[field] = tuple(child.shown for child in chosen)
            for index, child in enumerate(chosen):
                _note_forms(child, f"{here}/{index}", sources)
        result: Element = msgspec.structs.replace(oldest, **children)
        if isinstance(result, OriginInfo):
            _note_statements(value, result, path, sources)
        return result


def _of_records(values: list[Value], statements: Sequence[Statement], by_policy: Sequence[Statement]) -> list[Value]:
    """The values that the records which a policy chose have, in its order."""
    if len(by_policy) == len(statements) and all(map(is_, by_policy, statements)):
        return values
    wanted = {statement.holder.record: number for number, statement in enumerate(by_policy)}
    ranked = []
    for value in values:
        held = [(wanted[holder.record], number) for number, holder, _ in value.entries if holder.record in wanted]
        if held:
            ranked.append((min(held), value))
    return [value for _, value in sorted(ranked, key=itemgetter(0))]


def _note_forms(value: Value, path: str, sources: Sources) -> None:
    """Note who holds a value that is shown, and its other forms."""
    shown = value.shown
    others = [(holder.record, words_said(form)) for _, holder, form in value.entries if form != shown]
    if others:
        sources.forms(path, value.records, others, words_said(shown))
    else:
        sources.holds(path, value.records)


def _said(value: Value) -> list[Said]:
    return [(holder.record, words_said(form)) for _, holder, form in value.entries]


def _with_all_that_is_said(shown: Name, names: Sequence[Name]) -> Name:
    """A name with all that its forms say beside the heading: roles, identifiers, other names …; primary if one is."""
    united: dict[str, Any] = {
        field: _united((one for name in names for one in getattr(name, field)), key)
        for field, key in _BESIDE_NAME
        if field != "display_form" or shown.name_part
    }
    return msgspec.structs.replace(
        shown, usage=shown.usage or next((name.usage for name in names if name.usage), None), **united
    )


def _paired(names: Sequence[Element], values: Sequence[Value], statements: Sequence[Statement]) -> Iterable[Element]:
    """The names, each with the pair (``@altRepGroup``) that any of its forms belongs to: by that it is known to be one
    with its romanisation. A pair is one of a record; where several records number one alike it is not passed on."""
    owners: dict[str, set[RecordId]] = {}
    for statement in statements:
        for name in statement.values:
            if name.alt_rep_group:
                owners.setdefault(name.alt_rep_group, set()).add(statement.holder.record)
    for shown, value in zip(names, values, strict=True):
        pairs = (name.alt_rep_group for name in value.forms if name.alt_rep_group)
        pair = next((pair for pair in pairs if len(owners[pair]) == 1), None) if owners else None
        yield msgspec.structs.replace(shown, alt_rep_group=pair) if pair and not shown.alt_rep_group else shown


def _united(values: Iterable[Any], key: Callable[[Any], Hashable]) -> tuple[Any, ...]:
    found: dict[Hashable, Any] = {}
    for value in values:
        found.setdefault(key(value), value)
    return tuple(found.values())


def _note_statements(value: Value, shown: OriginInfo, path: str, sources: Sources) -> None:
    """Note how each record states the publication, unless all state it as it is shown."""
    said = [(holder.record, publication_statement(info)) for _, holder, info in value.entries]
    if {bare(words) for _, words in said} - {""} != {bare(publication_statement(shown))}:
        sources.not_shown(path, said)
