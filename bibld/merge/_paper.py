"""The merging of Kosolapov, Serebryakov, Teymurazov and Shorin: compound properties are united; a simple one is filled
from whoever has it, and where several have it the older record wins."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import msgspec

from bibld.merge._keys import FILLED, UNITED, UNITED_CHILDREN, Key, text
from bibld.model.mods import Element, Mods, Name, OriginInfo, PhysicalDescription, RelatedItem
from bibld.model.origin import RecordId

Holders = list[RecordId]


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
    def holders(self) -> Holders:
        """The records that hold it, each once."""
        return list(dict.fromkeys(record for record, _ in self.entries))


Sources = list[tuple[str, Holders]]


def united_mods(records: Sequence[tuple[RecordId, Mods]]) -> tuple[Mods, Sources]:
    """Merge descriptions, the oldest first; gives the result and for each value its path and who holds it."""
    merged: dict[str, tuple[Any, ...]] = {}
    sources: Sources = []
    for field in Mods.elements:
        held = [(record, getattr(mods, field)) for record, mods in records]
        if field in UNITED:
            found = list(_grouped(held, UNITED[field]))
        else:
            found = _filled(held, FILLED[field])
        values: list[Any] = []
        for index, group in enumerate(found):
            path = f"{field}/{index}"
            values.append(_joined(group, path, sources))
        merged[field] = tuple(values)
    return Mods(**merged), sources


def _grouped(held: Iterable[tuple[RecordId, Iterable[Any]]], key: Key) -> Iterable[Found]:
    groups: dict[Hashable, Found] = {}
    for record, values in held:
        for value in values:
            groups.setdefault(key(value), Found()).entries.append((record, value))
    return groups.values()


def _filled(held: Sequence[tuple[RecordId, tuple[Any, ...]]], key: Key) -> list[Found]:
    """The values of the oldest record that has any; whoever has the same value holds it too."""
    winner = next(((record, values) for record, values in held if values), None)
    if winner is None:
        return []
    kept = {key(value) for value in winner[1]}
    same = [(record, tuple(value for value in values if key(value) in kept)) for record, values in held]
    return list(_grouped([(winner[0], winner[1]), *same], key))


def _joined(group: Found, path: str, sources: Sources) -> Element:
    """One element out of those that are the same."""
    sources.append((path, group.holders))
    oldest = group.values[0]
    if isinstance(oldest, Name):
        return _with_all_roles(group.values)
    if isinstance(oldest, OriginInfo | PhysicalDescription):
        return _with_children(group, path, sources)
    if isinstance(oldest, RelatedItem):
        nested, _ = united_mods([(holder, value.mods) for holder, value in group.entries])
        return msgspec.structs.replace(oldest, mods=nested)
    result: Element = oldest
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


def _with_children(group: Found, path: str, sources: Sources) -> Element:
    """An element whose children are united or filled one by one; attributes are the oldest record's."""
    oldest = group.values[0]
    children: dict[str, Any] = {}
    for field in oldest.__struct_fields__:
        held = [(holder, getattr(value, field)) for holder, value in group.entries]
        if not isinstance(held[0][1], tuple):
            continue
        gather: Callable[..., Iterable[Found]] = _grouped if field in UNITED_CHILDREN else _filled
        found = list(gather(held, UNITED_CHILDREN.get(field, _text_or_whole)))
        children[field] = tuple(child.values[0] for child in found)
        sources.extend((f"{path}/{field}/{index}", child.holders) for index, child in enumerate(found))
    result: Element = msgspec.structs.replace(oldest, **children)
    return result


def _text_or_whole(value: Any) -> Hashable:  # noqa: ANN401
    return text(value) if isinstance(getattr(value, "value", value), str) else value
