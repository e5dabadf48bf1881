"""Related resources: series (225, 410, 411), links (4XX) and the rules for hierarchical levels (46X).

RUSMARC describes a volume, an article or a part in a separate record, which contains the host, the set or the series in
fields 461 to 464. Their meaning depends on the level of the record (leader 07 and 08) and on their content.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._parts import has_content, is_generic_title, is_pages, parse_part, split_issue_designation
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.codes import LINKS
from bibld.crosswalk._unimarc.form import pages_in_host
from bibld.crosswalk._unimarc.identification import issn_identifier
from bibld.crosswalk._unimarc.titles import split_titles
from bibld.crosswalk._unimarc.view import UnimarcView, fields_of_link, fold_words, plain_values
from bibld.model.marc import ControlField, DataField, Field, Subfield
from bibld.model.mods import Date, Detail, Mods, Note, Part, PartExtent, PartText, RelatedItem, TitleInfo
from bibld.text.folding import remove_non_sorting_marks
from bibld.text.languages import language_code

LINK_CODES = "abcdefghilmnopstuvxyz035"
"""The subfields of the standard technique."""


class UnimarcLink(msgspec.Struct, frozen=True):
    """The content of a link field: a description of the other resource, and the place of the record in it.

    ``fields`` describe the other resource, without the values that are in ``part``; ``title`` is its title proper
    (empty if there is none, or only the designation of an issue), ``volume`` the designation in 200$v or ``$v``,
    ``number`` its control number, ``label`` the copy that the link describes (``$5``).
    """

    tag: str
    fields: tuple[ControlField | DataField, ...]
    part: Part
    title: str
    volume: str
    number: str
    label: str | None = None

    @property
    def is_named(self) -> bool:
        """Whether the other resource is identified by a title, a control or standard number, a name or a subject."""
        return bool(self.title or self.number) or any(
            field.tag[:1] in "67" or field.tag in ("010", "011", "035", "500") for field in self.fields
        )


def parse_link(field: DataField, *, issue_titles: bool = False) -> UnimarcLink:
    """Parse a link field; with ``issue_titles``, a title that only designates an issue becomes a part of the place."""
    fields: list[ControlField | DataField] = []
    texts: list[str] = []
    names: list[str] = []
    title, volume, number, date = "", "", "", ""
    for inner in _with_title(fields_of_link(field)):
        if isinstance(inner, ControlField):
            number = number or (inner.value if inner.tag == "001" else "")
            fields.append(inner)
        elif inner.tag == "200":
            proper = inner.first("a") or ""
            designation, name = split_issue_designation(proper) if issue_titles else ("", "")
            if issue_titles and (designation or not proper):
                names += [name, *inner.values("e", "i")] if name else inner.values("e", "i")
                texts += [designation] if designation else []
                texts += [item.value for item in inner.subfields if item.code not in "aei"]
                continue
            title = title or proper
            volume = volume or (inner.first("v") or "")
            texts += inner.values("v")
            inner = _without(inner, "v")
            if inner.subfields:
                fields.append(inner)
        elif inner.tag == "215" and any(is_pages(text) for text in inner.values("a")):
            texts += [text for text in inner.values("a") if is_pages(text)]
            others = tuple(item for item in inner.subfields if item.code != "a" or not is_pages(item.value))
            if others:
                fields.append(replace(inner, subfields=others))
        else:
            if inner.tag == "210":
                date = date or (inner.first("d") or "")
            fields.append(inner)
    part = _with_names(parse_part(texts), names)
    if issue_titles and part.detail and date and Date(value=date) not in part.date:
        part = replace(part, date=(*part.date, Date(value=date)))
    return UnimarcLink(field.tag, tuple(fields), part, title, volume, number, "; ".join(field.values("5")) or None)


def _with_title(fields: list[Field]) -> list[Field]:
    """Return the fields with the uniform title (500) as the title of a resource that has no other."""
    tags = [field.tag for field in fields]
    if "200" in tags or "500" not in tags:
        return fields
    position = tags.index("500")
    uniform = fields[position]
    if not isinstance(uniform, DataField) or not {item.code for item in uniform.subfields} <= set("ahiv"):
        return fields
    return [*fields[:position], replace(uniform, tag="200"), *fields[position + 1 :]]


def is_abbreviation(short: str, full: str) -> bool:
    """Return whether each word of one title abbreviates that of the other: ``Шк. классики``, ``Школа классики``."""
    left = [fold_words(word) for word in short.split()]
    right = [fold_words(word) for word in full.split()]
    left, right = [words for words in left if words], [words for words in right if words]
    return bool(left) and len(left) == len(right) and all(map(_abbreviates, left, right))


def _abbreviates(short: list[str], full: list[str]) -> bool:
    word = "".join(full)
    if len(short) == 1:
        return word.startswith(short[0])
    # A contraction such as б-ка has the beginning and the end of the word.
    return word.startswith(short[0]) and word.endswith(short[-1])


def _with_names(part: Part, names: list[str]) -> Part:
    """Return a part whose last detail has the names of the issue; without a detail they are a text."""
    if not names:
        return part
    if not part.detail:
        return replace(part, text=(*part.text, *(PartText(value=name) for name in names)))
    return replace(part, detail=(*part.detail[:-1], replace(part.detail[-1], title=tuple(names))))


def _without(field: DataField, code: str) -> DataField:
    return replace(field, subfields=tuple(item for item in field.subfields if item.code != code))


BOOK = RuleBook()


@BOOK.field(
    " ".join(LINKS),
    LINK_CODES,
    "relatedItem with the type and otherType of the tag; part for pages and issues, $5 @displayLabel",
)
def link(field: DataField, view: UnimarcView) -> Elements:
    """Links whose meaning does not depend on the level."""
    type_, other_type = LINKS[field.tag]
    yield from _item(parse_link(field), type_, other_type, view)


def _item(
    link_: UnimarcLink,
    type_: str | None,
    other_type: str | None,
    view: UnimarcView,
    level: str = " ",
    *inner: RelatedItem,
) -> Iterator[RelatedItem | Note]:
    if not link_.is_named:
        yield from _unnamed(link_, view)
        return
    mods = view.describe(link_.fields, level)
    yield _related(mods, link_, type_, other_type, inner)


def _related(
    mods: Mods, link_: UnimarcLink, type_: str | None, other_type: str | None, inner: tuple[RelatedItem, ...] = ()
) -> RelatedItem:
    if has_content(link_.part):
        mods = replace(mods, part=(*mods.part, link_.part))
    if inner:
        mods = replace(mods, related_item=(*mods.related_item, *inner))
    return RelatedItem(type=type_, other_type=other_type, display_label=link_.label, mods=mods)


def _unnamed(link_: UnimarcLink, view: UnimarcView) -> Iterator[Note]:
    """Keep the text of a link that names nothing, and is no relation, as a note."""
    texts = [item.value for field in link_.fields if isinstance(field, DataField) for item in field.subfields]
    texts += [text for detail in link_.part.detail for text in (*detail.caption, *detail.number)]
    texts += [text.value for text in link_.part.text]
    texts += [date.value for date in link_.part.date]
    for extent in link_.part.extent:
        texts += [text for text in (extent.list, extent.start, extent.end) if text]
    texts += [link_.label] if link_.label else []
    view.warn(f"{link_.tag} names no title, number or name; its text becomes a note")
    if texts:
        yield Note(value=remove_non_sorting_marks(" ".join(texts)))


@BOOK.record(
    "relatedItem[@type=host] with part for articles; relatedItem[@type=host][@otherType=set] for volumes; "
    "relatedItem[@type=constituent] for parts; relatedItem[@type=series]; part for pages without a host (215); "
    "note[@type='section of the periodical'] (225 of articles)",
    tLDR="", t200="ahi", t215="a", t225="adefhivxz", t410=LINK_CODES, t411=LINK_CODES, t461=LINK_CODES, t462=LINK_CODES,
    t463=LINK_CODES, t464=LINK_CODES,
)  # fmt: skip
def levels(view: UnimarcView) -> Elements:
    """Hosts, sets, parts and series; of an article, 225 without a number is the section of the periodical."""
    is_article = view.leader.bibliographic_level == "a"
    established = [parse_link(field) for field in view.fields("410", "411")]
    hosts: list[UnimarcLink] = []
    for set_ in (parse_link(field) for field in view.fields("461")):
        (established if not is_article and _is_series(set_, view) else hosts).append(set_)
    stated = [series for series in map(_stated_series, view.fields("225")) if series is not None]
    if is_article:
        sections = [one.mods for one in stated if not (one.mods.part or one.mods.identifier)]
        for title in (section.title_info[0] for section in sections):
            yield Note(value=" : ".join((title.title, *title.sub_title)), type="section of the periodical")
        stated = [one for one in stated if one.mods not in sections]
    for link_ in established:
        statement = _take_statement(stated, link_)
        for item in _item(_as_volume(link_, ""), "series", None, view):
            yield _with_statement(item, statement)
    statement_of_host = {} if is_article else {set_.title: _take_statement(stated, set_) for set_ in hosts}
    yield from stated
    found = _hosts_of_article(hosts, view) if is_article else _hosts_of_volume(hosts, statement_of_host, view)
    yield from _with_pages(found, pages_in_host(view))
    for field in view.fields("464"):
        yield from _item(parse_link(field), "constituent", None, view)


def _with_pages(
    items: Iterator[RelatedItem | Note], extent: tuple[PartExtent, ...]
) -> Iterator[RelatedItem | Note | Part]:
    """Yield related items, the first host with the pages of the part in it; pages without a host for themselves."""
    for item in items:
        if extent and isinstance(item, RelatedItem) and item.type == "host":
            first, *others = item.mods.part or (Part(),)
            if not any(part.extent for part in item.mods.part):
                parts = (replace(first, extent=extent), *others)
                item = replace(item, mods=replace(item.mods, part=parts))
            extent = ()
        yield item
    if extent:
        yield Part(extent=extent)


def _is_series(set_: UnimarcLink, view: UnimarcView) -> bool:
    """Whether field 461 of a record that is not part of a set names a series (level rule 3)."""
    if view.is_nested or view.leader.bibliographic_level not in "mc " or not set_.title:
        return False
    if set_.number or set_.volume or view.leader.hierarchical_level == "2":
        return False
    if is_generic_title(remove_non_sorting_marks(view.first("200", "a") or "")):
        return False
    series = [remove_non_sorting_marks(value) for value in view.texts("225", "a")]
    if any(is_abbreviation(text, remove_non_sorting_marks(set_.title)) for text in series):
        return True
    # a monograph outside any hierarchy has no set above it
    return view.leader.hierarchical_level == "0"


# --- articles


def _hosts_of_article(sets: list[UnimarcLink], view: UnimarcView) -> Iterator[RelatedItem | Note]:
    units = [parse_link(field, issue_titles=True) for field in view.fields("463")]
    subsets = [parse_link(field) for field in view.fields("462")]
    if not units:
        for set_ in (*sets, *subsets):
            yield from _item(set_, "host", None, view, _level_of(set_.part))
        return
    issues = [unit for unit in units if not unit.title]
    if sets and issues:
        yield from _journals(sets, subsets, issues, view)
    above = [] if sets and issues else [*sets, *subsets]
    for unit in units:
        if unit.title:
            inner = [item for set_ in above for item in _item(set_, "host", None, view)]
            items = tuple(item for item in inner if isinstance(item, RelatedItem))
            yield from _item(unit, "host", None, view, " ", *items)
        elif not sets:
            yield from _issue_alone(unit, view)


def _journals(
    sets: list[UnimarcLink], subsets: list[UnimarcLink], issues: list[UnimarcLink], view: UnimarcView
) -> Iterator[RelatedItem]:
    """Make one host of a journal (461) and its issues (463): the title of the one, the place in the other."""
    for position, set_ in enumerate(sets):
        own = issues if len(sets) == 1 else issues[position : position + 1]
        fields = list(_with_subset(set_, subsets))
        for issue in own[:1]:
            fields += [field for field in issue.fields if not (isinstance(field, DataField) and field.tag == "200")]
        parts = [_joined(set_.part, issue.part) for issue in own] or [set_.part]
        level = "s" if any(_level_of(part) == "s" for part in parts) else " "
        mods = view.describe(tuple(fields), level)
        stated = tuple(part for part in parts if has_content(part))
        label = next((linked_.label for linked_ in (set_, *own) if linked_.label), None)
        yield RelatedItem(type="host", display_label=label, mods=replace(mods, part=stated))


def _with_subset(set_: UnimarcLink, subsets: list[UnimarcLink]) -> Iterator[ControlField | DataField]:
    names = tuple(Subfield("i", subset.title) for subset in subsets if subset.title)
    for field in set_.fields:
        if isinstance(field, DataField) and field.tag == "200":
            field = replace(field, subfields=(*field.subfields, *names))
        yield field


def _joined(first: Part, second: Part) -> Part:
    return Part(
        detail=(*first.detail, *(detail for detail in second.detail if detail not in first.detail)),
        extent=(*first.extent, *second.extent),
        text=(*first.text, *second.text),
        date=(*first.date, *(date for date in second.date if date not in first.date)),
    )


def _level_of(part: Part) -> str:
    return "s" if any(detail.type == "issue" for detail in part.detail) else " "


def _issue_alone(unit: UnimarcLink, view: UnimarcView) -> Iterator[RelatedItem | Note]:
    if unit.is_named or has_content(unit.part):
        yield _related(view.describe(unit.fields, _level_of(unit.part)), unit, "host", None)
    else:
        yield from _unnamed(unit, view)


# --- volumes, sets, serials


def _hosts_of_volume(
    sets: list[UnimarcLink], stated: dict[str, RelatedItem | None], view: UnimarcView
) -> Iterator[RelatedItem | Note]:
    is_top = view.leader.hierarchical_level == "1"
    subsets = [parse_link(field) for field in view.fields("462")]
    units = [parse_link(field) for field in view.fields("463")]
    if is_top:
        for below in (*subsets, *units):
            yield from _item(_as_volume(below, ""), "constituent", "volume", view)
        subsets, units = [], []
    own = view.first("200", "a") or ""
    number = (
        remove_non_sorting_marks(own) if not view.is_nested and is_generic_title(remove_non_sorting_marks(own)) else ""
    )
    is_serial = view.leader.bibliographic_level in "si"
    other_type = None if is_serial else "set"
    outer = [
        _with_statement(item, stated.get(set_.title))
        for set_ in sets
        for item in _item(_as_volume(set_, "" if subsets else number), "host", other_type, view)
    ]
    if subsets:
        inner = tuple(item for item in outer if isinstance(item, RelatedItem))
        yield from (item for item in outer if not isinstance(item, RelatedItem))
        for position, subset in enumerate(subsets):
            nested = inner if position == 0 else ()
            yield from _item(_as_volume(subset, number), "host", None if is_serial else "subset", view, " ", *nested)
    else:
        yield from outer
    for unit in units:
        yield from _item(unit, "host", None, view)


def _as_volume(link_: UnimarcLink, number: str) -> UnimarcLink:
    """Return a link whose place in the set is the designation of the volume, unchanged."""
    text = link_.volume or number
    if not text:
        return link_
    return replace(link_, part=parse_part([remove_non_sorting_marks(text)], volume_type="volume"))


# --- series


def _take_statement(stated: list[RelatedItem], link_: UnimarcLink) -> RelatedItem | None:
    """Take the statement (225) of the series or set that a link names out of the list."""
    title = remove_non_sorting_marks(link_.title)
    for series in stated:
        if title and is_abbreviation(series.mods.title_info[0].title, title):
            stated.remove(series)
            return series
    return None


def _stated_series(field: DataField) -> RelatedItem | None:
    found = split_titles(field)
    main = found[0]
    numbers = plain_values(field, "v")
    main.numbers = plain_values(field, "h")
    title = main.title_info()
    if title is None:
        if not numbers:
            return None
        title = TitleInfo(title=numbers.pop(0))
    languages = [language_code(value) for value in field.values("z")]
    parallel = [
        entry.title_info(type="translated", display_label="parallel title", lang=language)
        for entry, language in zip_longest(found[1:], languages[: len(found) - 1])
    ]
    mods = Mods(
        title_info=(title, *(info for info in parallel if info is not None)),
        note=(Note(value=main.responsibility, type="statement of responsibility"),) if main.responsibility else (),
        identifier=tuple(map(issn_identifier, field.values("x"))),
        part=tuple(Part(detail=(Detail(type="volume", number=(number,)),)) for number in numbers),
    )
    return RelatedItem(type="series", mods=mods)


def _with_statement(item: RelatedItem | Note, stated: RelatedItem | None) -> RelatedItem | Note:
    """Add to an established title what the resource states: other title, number, ISSN, responsibility."""
    if stated is None or not isinstance(item, RelatedItem):
        return item
    own, other = item.mods, stated.mods
    titles = own.title_info
    for position, title in enumerate(other.title_info):
        if all(_words(title) != _words(known) for known in titles):
            titles += (replace(title, type="alternative" if position == 0 else title.type),)
    mods = replace(
        own,
        title_info=titles,
        note=own.note + tuple(note for note in other.note if note not in own.note),
        identifier=own.identifier + tuple(number for number in other.identifier if number not in own.identifier),
        part=own.part or other.part,
    )
    return replace(item, mods=mods)


def _words(title: TitleInfo) -> list[str]:
    return fold_words(" ".join([title.title, *title.sub_title, *title.part_number, *title.part_name]))
