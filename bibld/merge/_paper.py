"""The merging of Kosolapov, Serebryakov, Teymurazov and Shorin: compound properties are united; a simple one is filled
from whoever has it, and where several have it the older record wins.

What a record has and the result does not show is noted among the sources: the values of a younger record that were not
taken, other forms of a value that is shown, and, where records state a publication differently, each one's statement,
since uniting tears places from their publishers. Differences in punctuation, case and blanks alone are not noted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import msgspec

from bibld.merge._keys import FILLED, UNITED, UNITED_CHILDREN, Key, date, is_abbreviated, text
from bibld.model.linkage import ValueSource
from bibld.model.literals import folded
from bibld.model.mods import Date, Element, Mods, Name, OriginInfo, PhysicalDescription, RelatedItem
from bibld.model.mods_words import publication_statement, words_of
from bibld.model.origin import RecordId

Said = tuple[RecordId, str]
"""A record and words of it."""


class Found:
    """One value while records are gone through: in which forms, and who holds it."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: list[tuple[RecordId, Any]] = []

    @property
    def values(self) -> list[Any]:
        """The forms of the value, the oldest record's first."""
        return [value for _, value in self.entries]

    @property
    def shown(self) -> Any:  # noqa: ANN401
        """The oldest form; of a place the oldest that is not abbreviated, if there is one."""
        return next((value for _, value in self.entries if not is_abbreviated(value)), self.entries[0][1])

    @property
    def said(self) -> list[Said]:
        """The words of each form."""
        return [(record, words_of(value)) for record, value in self.entries]


class _Sources:
    """What is noted about who holds what."""

    def __init__(self) -> None:
        self.noted: list[ValueSource] = []

    def holds(self, path: str, records: Iterable[RecordId], words: str = "") -> None:
        self.noted.append(ValueSource(path, tuple(sorted(set(records))), words))

    def not_shown(self, path: str, said: Iterable[Said], shown: Iterable[str]) -> None:
        """Note, of what records say at a path, all that is not shown."""
        known = {_bare(words) for words in shown} | {""}
        others: dict[str, tuple[str, list[RecordId]]] = {}
        for record, words in said:
            if _bare(words) not in known:
                others.setdefault(_bare(words), (words, []))[1].append(record)
        for number, (words, records) in enumerate(others.values(), 1):
            self.holds(f"{path}#{number}", records, words)


def _bare(words: str) -> str:
    return folded(words).replace(" ", "")


def united_mods(records: Sequence[tuple[RecordId, Mods]]) -> tuple[Mods, list[ValueSource]]:
    """Merge descriptions, the oldest first; gives the result, and who holds each value, shown or not."""
    merged: dict[str, tuple[Any, ...]] = {}
    sources = _Sources()
    for field in Mods.elements:
        held = [(record, getattr(mods, field)) for record, mods in records]
        if field in UNITED:
            found = list(_grouped(held, UNITED[field]))
        else:
            found = _filled(held, FILLED[field], field, sources)
        merged[field] = tuple(_joined(group, f"{field}/{index}", sources) for index, group in enumerate(found))
    return Mods(**merged), sources.noted


def _grouped(held: Iterable[tuple[RecordId, Iterable[Any]]], key: Key) -> Iterable[Found]:
    groups: dict[Hashable, Found] = {}
    for record, values in held:
        for value in values:
            groups.setdefault(key(value), Found()).entries.append((record, value))
    return groups.values()


def _filled(held: Sequence[tuple[RecordId, tuple[Any, ...]]], key: Key, path: str, sources: _Sources) -> list[Found]:
    """The values of the oldest record that has any; whoever has the same value holds it too."""
    winner = next((values for _, values in held if values), None)
    if winner is None:
        return []
    kept = {key(value) for value in winner}
    same = [(record, tuple(value for value in values if key(value) in kept)) for record, values in held]
    sources.not_shown(
        path, ((record, words_of(value)) for record, values in held for value in values), map(words_of, winner)
    )
    return list(_grouped(same, key))


def _joined(group: Found, path: str, sources: _Sources) -> Element:
    """One element out of those that are the same."""
    sources.holds(path, (record for record, _ in group.entries))
    oldest = group.values[0]
    if isinstance(oldest, Name):
        return _with_all_roles(group.values)
    if isinstance(oldest, OriginInfo | PhysicalDescription):
        return _with_children(group, path, sources)
    if isinstance(oldest, RelatedItem):
        nested, inner = united_mods([(holder, value.mods) for holder, value in group.entries])
        for source in inner:
            if not source.is_shown:
                sources.holds(f"{path}/mods/{source.path}", source.records, source.value)
        return msgspec.structs.replace(oldest, mods=nested)
    result: Element = group.shown
    sources.not_shown(path, group.said, (words_of(result),))
    return result


def _with_all_roles(names: Sequence[Name]) -> Name:
    roles: dict[Hashable, Any] = {}
    identifiers: dict[Hashable, Any] = {}
    for name in names:
        for role in name.role:
            roles.setdefault(tuple(text(term) for term in role.role_term), role)
        for identifier in name.name_identifier:
            identifiers.setdefault((identifier.type, identifier.value), identifier)
    return msgspec.structs.replace(names[0], role=tuple(roles.values()), name_identifier=tuple(identifiers.values()))


def _with_children(group: Found, path: str, sources: _Sources) -> Element:
    """An element whose children are united or filled one by one; attributes are the oldest record's."""
    oldest = group.values[0]
    children: dict[str, Any] = {}
    for field in oldest.__struct_fields__:
        held = [(holder, getattr(value, field)) for holder, value in group.entries]
        if not isinstance(held[0][1], tuple):
            continue
        here = f"{path}/{field}"
        if field in UNITED_CHILDREN:
            found = list(_grouped(held, UNITED_CHILDREN[field]))
        else:
            found = _filled(held, _key_of_child, here, sources)
        children[field] = tuple(child.shown for child in found)
        for index, child in enumerate(found):
            sources.holds(f"{here}/{index}", (record for record, _ in child.entries))
            if field in UNITED_CHILDREN:
                sources.not_shown(f"{here}/{index}", child.said, (words_of(child.shown),))
    result: Element = msgspec.structs.replace(oldest, **children)
    if isinstance(result, OriginInfo):
        _note_statements(group, result, path, sources)
    return result


def _note_statements(group: Found, united: OriginInfo, path: str, sources: _Sources) -> None:
    """Note how each record states the publication, unless all state it as it is shown."""
    said = [(record, publication_statement(info)) for record, info in group.entries]
    if {_bare(words) for _, words in said} - {""} != {_bare(publication_statement(united))}:
        sources.not_shown(path, said, ())


def _key_of_child(value: Any) -> Hashable:  # noqa: ANN401
    if isinstance(value, Date):
        return date(value)
    return text(value) if isinstance(getattr(value, "value", value), str) else value
