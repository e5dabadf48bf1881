"""What hypothesis may make up: texts, records, descriptions. Shared by the tests of all stages.

``from tests.strategies import marc_records, mods, record_ids, texts``
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods import Mods
from bibld.model.mods_plan import Child, plan_of
from bibld.model.origin import Origin, RecordId

_XML_WHITE = " \t\r\n"
_FAVOURITES = "aeA абвёйЁЖ09.,:;/[](){}$\\<>&\"'|\u0301\u0306\u0361ʹ\n"

_legal = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")

_one_line = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="\ufffe\uffff")


def texts(max_size: int = 30) -> st.SearchStrategy[str]:
    """Trimmed, not empty, of characters that XML can hold; line breaks may occur inside."""
    characters = st.sampled_from(_FAVOURITES) | _legal
    return st.text(characters, min_size=1, max_size=max_size).map(lambda text: text.strip(_XML_WHITE)).filter(bool)


def any_texts(max_size: int = 30) -> st.SearchStrategy[str]:
    """Any text at all, with control characters and lone surrogates."""
    return st.text(st.characters(codec=None, exclude_categories=()), max_size=max_size)


def control_numbers() -> st.SearchStrategy[str]:
    """Control numbers as libraries write them, and worse."""
    return st.from_regex(r"[A-Za-z0-9\\/._ -]{1,20}", fullmatch=True).map(str.strip).filter(bool) | _line_values(12)


def source_ids() -> st.SearchStrategy[str]:
    """Ids of sources."""
    return st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True)


def record_ids() -> st.SearchStrategy[RecordId]:
    """Ids of records."""
    return st.builds(RecordId.from_control_number, source_ids(), control_numbers())


def origins() -> st.SearchStrategy[Origin]:
    """Places in files."""
    return st.builds(
        Origin,
        source=source_ids(),
        file=st.sampled_from(["rsl.mrc", "dump/часть 1.xml"]),
        position=st.integers(1, 10**6),
        offset=st.integers(0, 10**9),
    )


# --- MARC


def _line_values(max_size: int = 30) -> st.SearchStrategy[str]:
    """Trimmed texts on one line."""
    characters = st.sampled_from(_FAVOURITES.replace("\n", "")) | _one_line
    return st.text(characters, min_size=1, max_size=max_size).map(str.strip).filter(bool)


def leaders() -> st.SearchStrategy[Leader]:
    """Leaders as ISO 2709 wants them, with lengths of 0."""
    return st.builds(
        lambda status, kind, level, coding, encoding: Leader(
            f"00000{status}{kind}{level} {coding}2200000{encoding}  4500"
        ),
        st.sampled_from("ncd"),
        st.sampled_from("aceg"),
        st.sampled_from("amsi"),
        st.sampled_from(" a"),
        st.sampled_from(" 17"),
    )


def subfields(codes: str = "abcdefghx02") -> st.SearchStrategy[Subfield]:
    """Subfields; a code ``1`` would open an embedded field and is not among the codes unless it is asked for."""
    return st.builds(Subfield, st.sampled_from(codes), _line_values())


def control_fields() -> st.SearchStrategy[ControlField]:
    """Control fields other than 001 to 003; values without backslashes, which some carriers use for blanks."""
    values = _line_values(12).map(lambda text: text.replace("\\", "/"))
    return st.builds(ControlField, st.sampled_from(["005", "006", "007", "008", "009"]), values)


def data_fields(*, with_embedded: bool = False) -> st.SearchStrategy[DataField]:
    """Data fields; with ``with_embedded`` some are 4XX fields that carry others."""
    indicators = st.sampled_from(" 0123")
    plain = st.builds(
        DataField,
        st.integers(10, 999).map(lambda number: f"{number:03d}"),
        indicators,
        indicators,
        st.lists(subfields(), min_size=1, max_size=4).map(tuple),
    )
    if not with_embedded:
        return plain
    inner = st.lists(plain, min_size=1, max_size=3).map(tuple)
    carrying = st.builds(DataField, st.sampled_from(["410", "461", "463"]), indicators, indicators, st.just(()), inner)
    return plain | carrying


@st.composite
def marc_records(draw: st.DrawFn, *, with_embedded: bool = False) -> MarcRecord:
    """Records with an 001, control fields, then data fields."""
    fields: list[Any] = [ControlField("001", draw(control_numbers()))]
    fields += draw(st.lists(control_fields(), max_size=2))
    fields += draw(st.lists(data_fields(with_embedded=with_embedded), max_size=5))
    return MarcRecord(draw(origins()), draw(leaders()), tuple(fields))


# --- MODS


@st.composite
def _structs(draw: st.DrawFn, kind: type, depth: int) -> Any:
    """An instance with at least one value, of any class of the model; ``depth`` bounds related items within others."""
    plan = plan_of(kind)
    values: dict[str, Any] = {}
    for name, _ in _some(draw, plan.attributes, 2):
        values[name] = draw(texts(10))
    if plan.has_text:
        values["value"] = draw(texts())
    for child in _some(draw, [child for child in plan.children if depth > 0 or child.field != "related_item"], 3):
        values[child.field] = draw(_child_values(child, depth - 1 if child.field == "related_item" else depth))
    if plan.raw is not None and draw(st.booleans()):
        values[plan.raw] = tuple(draw(st.lists(_foreign_xml(), min_size=1, max_size=2)))
    if plan.is_inline_mods and plan.inline is not None:
        values[plan.inline] = draw(_structs(Mods, depth))
    elif plan.inline is not None:
        kinds = st.sampled_from(sorted(set(plan.inline_kinds.values()), key=lambda inner: inner.__name__))
        parts = kinds.flatmap(lambda inner: _telling(inner, depth))
        values[plan.inline] = tuple(draw(st.lists(parts, max_size=3)))
    return kind(**values)


def _some(draw: st.DrawFn, items: Any, most: int) -> list[Any]:
    return draw(st.lists(st.sampled_from(items), max_size=most, unique=True)) if items else []


def _telling(kind: type, depth: int) -> st.SearchStrategy[Any]:
    nothing = plan_of(kind).nothing
    return _structs(kind, depth).filter(lambda made: made != nothing)


def _child_values(child: Child, depth: int) -> st.SearchStrategy[Any]:
    one = texts() if child.kind is None else _telling(child.kind, depth)
    return st.lists(one, min_size=1, max_size=2).map(tuple) if child.is_many else one


def _foreign_xml() -> st.SearchStrategy[str]:
    return st.sampled_from(
        [
            '<x:note xmlns:x="urn:example:x">Текст &amp; знак</x:note>',
            '<plain kind="a"><b></b>tail</plain>',
            '<mods:title xmlns:mods="http://www.loc.gov/mods/v3">Inside</mods:title>',
            '<held xmlns="urn:example:held"><copy></copy></held>',
        ]
    )


def mods(depth: int = 1) -> st.SearchStrategy[Mods]:
    """Descriptions with any element and attribute of the model, in related items too down to ``depth``."""
    return _structs(Mods, depth)
