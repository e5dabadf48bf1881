"""A description as the lines of a catalogue card, in the words of the library that wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bibld.model.mods import Mods, Name, OriginInfo, RelatedItem, TitleInfo
from bibld.model.mods_plan import years_of_issue

_FORMS = (None, "gmd", "marcform")
"""The lists of forms that cataloguers choose from; other forms state the same in more detail."""

_PARALLEL, _NEXT = " = ", " ; "


def card(mods: Mods) -> dict[str, str]:
    """Return the lines of a card by name, those without text left out; the names are in the order of ``LINES``."""
    return {name: text for name, write in LINES.items() if (text := write(mods))}


def title_text(info: TitleInfo) -> str:
    """Write a title as one line: ``The title : subtitle. Part number, part name``."""
    text = (info.non_sort or "") + info.title
    if info.sub_title:
        text = " : ".join((text, *info.sub_title))
    part = ", ".join((*info.part_number, *info.part_name))
    if not (part and text):
        return text or part
    return f"{text} {part}" if text.endswith(".") else f"{text}. {part}"


def name_text(name: Name) -> str:
    """Write a name as one line, dates last."""
    parts = [part.value for part in name.name_part if part.type != "date" and part.value]
    dates = [part.value for part in name.name_part if part.type == "date" and part.value]
    return ", ".join((*parts, *dates)) or "; ".join(name.display_form)


def _join(texts: Iterable[str], between: str = _NEXT) -> str:
    """Join the texts that are not empty, each once."""
    return between.join(dict.fromkeys(text for one in texts if (text := " ".join(one.split()))))


def _titles(mods: Mods) -> str:
    plain = [one for one in mods.title_info if one.type is None]
    return _join(map(title_text, plain or mods.title_info), _PARALLEL)


def _other_titles(mods: Mods) -> str:
    return _join(map(title_text, (one for one in mods.title_info if one.type is not None)))


def _responsibility(mods: Mods) -> str:
    return _join((note.value for note in mods.note if note.type == "statement of responsibility"), _PARALLEL)


def _names(mods: Mods) -> str:
    return _join(map(name_text, mods.name))


def _edition(mods: Mods) -> str:
    return _join((edition.value for info in mods.origin_info for edition in info.edition), _PARALLEL)


def _imprint(mods: Mods) -> str:
    """Return ``Place : Publisher, date`` of each publication statement; coded dates only where nothing is stated."""
    statements = {info: _place_and_publisher(info) for info in mods.origin_info}
    stated = [info for info, text in statements.items() if text] or mods.origin_info
    return _join((_join((statements[info], _dates(info)), ", ") for info in stated), _PARALLEL)


def _place_and_publisher(info: OriginInfo) -> str:
    terms = (term for place in info.place for term in place.place_term)
    places = _join(term.value for term in terms if term.type != "code")
    return _join((places, *(publisher.value for publisher in info.publisher)), " : ")


def _dates(info: OriginInfo) -> str:
    written = info.display_date or [date.value for date in info.date_issued if date.encoding is None]
    return _join(written, "–") or years_of_issue(info) or _join(date.value for date in info.copyright_date)


def _extent(mods: Mods) -> str:
    return _join(extent.value for one in mods.physical_description for extent in one.extent)


def _related(mods: Mods, kind: str) -> str:
    return _join(_related_item(item) for item in mods.related_item if item.type == kind)


def _related_item(item: RelatedItem) -> str:
    parts = [
        number for part in item.mods.part for detail in part.detail for number in (*detail.caption, *detail.number)
    ]
    extents = (extent for part in item.mods.part for extent in part.extent)
    pages = ["–".join(filter(None, (extent.start, extent.end))) or extent.list or "" for extent in extents]
    return _join((_titles(item.mods), " ".join(parts), *pages), ", ")


def _languages(mods: Mods) -> str:
    return _join((term.value for language in mods.language for term in language.language_term), ", ")


def _kind(mods: Mods) -> str:
    issuance = (text for info in mods.origin_info for text in info.issuance)
    forms = (form.value for one in mods.physical_description for form in one.form if form.authority in _FORMS)
    return _join((*(kind.value for kind in mods.type_of_resource), *issuance, *forms), ", ")


def _identifiers(mods: Mods) -> str:
    shown = []
    for identifier in mods.identifier:
        kind = (identifier.type or "").upper() if len(identifier.type or "") <= 5 else identifier.type
        wrong = " (wrong)" if identifier.invalid == "yes" else ""
        shown.append(f"{kind} {identifier.value}{wrong}" if identifier.value else "")
    return _join(shown)


def _summary(mods: Mods) -> str:
    return _join((*(one.value for one in mods.abstract), *(one.value for one in mods.table_of_contents)))


LINES: dict[str, Callable[[Mods], str]] = {
    "title": _titles,
    "other titles": _other_titles,
    "responsibility": _responsibility,
    "names": _names,
    "edition": _edition,
    "imprint": _imprint,
    "extent": _extent,
    "part of": lambda mods: _related(mods, "host"),
    "series": lambda mods: _related(mods, "series"),
    "language": _languages,
    "kind": _kind,
    "identifiers": _identifiers,
    "contents": _summary,
}
"""The lines of a card, and what writes each."""
