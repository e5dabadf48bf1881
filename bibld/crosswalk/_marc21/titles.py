"""Titles: 130, 210, 222, 240, 242, 245, 246, 247, 740 → titleInfo (MODS guidelines, titleInfo)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from bibld.crosswalk._marc21.conventions import Marc21View, leader_code
from bibld.crosswalk._marc21.names import AuthorityLinks, heading_links, work_of_heading
from bibld.crosswalk._parts import is_generic_title, split_designation
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, chop_name, join
from bibld.model.marc import DataField
from bibld.model.mods import Note, TitleInfo

TITLES = RuleBook()

_MARKS = re.compile("[\x98\x9c]")
_AFTER_ABBREVIATION = " ,:;/="
_FOLDED_AWAY = str.maketrans("", "", " .,:;/=-–—'\"()[]!?")


def title_parts(field: DataField, qualifiers: str = "fgkdlmor") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return part numbers and part names of a title; qualifiers (``$f $l`` …) are added to the part before them."""
    numbers: list[str] = []
    names: list[str] = []
    current: list[str] | None = None
    for subfield in field.subfields:
        if subfield.code == "n":
            current = numbers
            numbers.append(subfield.value)
        elif subfield.code == "p":
            current = names
            names.append(subfield.value)
        elif current is not None and subfield.code in qualifiers:
            current[-1] = f"{current[-1]} {subfield.value}"
    return _chopped(numbers), _chopped(names)


def title_info(title: str, skipped: str = " ", **attributes: Any) -> TitleInfo:  # noqa: ANN401
    """Return a title with its non-sorting part in ``nonSort``.

    ``skipped`` is an indicator that counts the characters that sorting skips. One that ends within a word is an
    error of the record and is not followed, unless it misses the beginning of a word by one. The control characters
    of ISO 6630 win.
    """
    if "\x98" in title or "\x9c" in title:
        before, opened, rest = title.partition("\x98")
        non_sort, closed, rest = rest.partition("\x9c")
        if opened and closed and not before.strip() and non_sort.strip() and rest.strip():
            blank = " " if non_sort.endswith(" ") or rest.startswith(" ") else ""
            return TitleInfo(title=_MARKS.sub("", rest).strip(), non_sort=non_sort.strip() + blank, **attributes)
        title = _MARKS.sub("", title)
    count = _boundary(title, int(skipped)) if "1" <= skipped <= "9" and len(skipped) == 1 else 0
    if count:
        return TitleInfo(title=title[count:], non_sort=title[:count], **attributes)
    return TitleInfo(title=title, **attributes)


def _boundary(title: str, count: int) -> int:
    if len(title) <= count:
        return 0
    if title[count] == " ":
        count += 1
    elif title[count - 1].isalnum() and title[count - 2] == " ":
        count -= 1
    return count if 0 < count < len(title) and not title[count - 1].isalnum() else 0


def title_before_parts(field: DataField, codes: str) -> str:
    """Join the subfields with these codes that come before a part (``$n $p``); all of them where there is no part.

    Medium and key (``$m $r``) follow a comma, also where the record has none.
    """
    chosen: list[str] = []
    for subfield in field.subfields:
        if subfield.code in "np":
            break
        if subfield.code in codes:
            if subfield.code in "mr" and chosen and chosen[-1][-1:].isalnum():
                chosen[-1] += ","
            chosen.append(subfield.value)
    return chop(" ".join(chosen)) if chosen else chop(join(field, codes))


def _chopped(texts: list[str]) -> tuple[str, ...]:
    return tuple(text for text in map(chop, texts) if text)


def fold_title(text: str) -> str:
    """Return a title without case, blanks and punctuation, to compare it."""
    return text.casefold().translate(_FOLDED_AWAY)


@TITLES.field("245", "abfgknps", "titleInfo: title, subTitle, partNumber, partName; parallel titles as translated")
def title_proper(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Title statement. What follows ``=`` is a parallel title, unless a 246 with second indicator 1 has it.

    A volume whose title is only its number, or depends on that of its set (773), has the title of the set.
    """
    title, remainder, opens_parallel = _title_and_remainder(field)
    if not title:
        title, remainder = remainder, ""
    parallel: list[str] = []
    if remainder and (opens_parallel or " = " in remainder):
        first, *parallel = remainder.split(" = ")
        if opens_parallel:
            first, parallel = "", [first, *parallel]
        remainder = first
    part_number, part_name = title_parts(field, qualifiers="" if field.first("a") else "fgk")
    title, sub_title = chop(title), chop(remainder)
    if not title:
        title, sub_title = sub_title, ""
    if not title and (part_number or part_name):
        title, part_number, part_name = (*part_number, *part_name)[0], part_number[1:], part_name[not part_number :]
    if not title:
        return
    sub_titles = (sub_title,) if sub_title else ()
    own = title_info(title, field.indicator2, sub_title=sub_titles, part_number=part_number, part_name=part_name)
    yield title_in_set(field, with_designation(own), view)
    if parallel:
        yield from parallel_titles(parallel, view)


def _title_and_remainder(field: DataField) -> tuple[str, str, bool]:
    """Return the title of 245, the rest of it, and whether that begins with a parallel title.

    Form and dates (``$k $f $g``) are the title only where there is no other; what follows `` ;`` is the title of a
    second work.
    """
    main: list[str] = []
    rest: list[str] = []
    opens_parallel = False
    before = ""
    main_codes = "as" if field.first("a") else "askfg"
    for subfield in field.subfields:
        value = subfield.value
        if subfield.code == "b" and not _states_responsibility(value, field):
            opens_parallel = opens_parallel or (not rest and (before.endswith("=") or value.startswith("= ")))
            if before.endswith(" ;") and not rest:
                second, _, value = value.partition(" : ")
                main.append(second)
            rest += [value] if value else []
        elif subfield.code in "np" and not field.first("a"):
            main_codes = "as"
        elif subfield.code in main_codes:
            (rest if rest else main).append(value)
        before = subfield.value
    return " ".join(main), " ".join(rest), opens_parallel


_RESPONSIBILITY = re.compile(
    r"(?i:\[(?:by|ed\.? by|edited by|par|von|di|por)\] )|(?P<plain>(?i:edited |compiled |translated )?[Bb]y [A-Z])"
)
"""How a statement of responsibility begins that old records have in ``$b``."""


def _states_responsibility(text: str, field: DataField) -> bool:
    """Whether a ``$b`` of 245 is a statement of responsibility; without brackets only where there is no ``$c``."""
    found = _RESPONSIBILITY.match(text)
    return found is not None and (found["plain"] is None or field.first("c") is None)


@TITLES.field("245", "bfgk", "note[statement of responsibility], note[form and dates] where there is a title in $a")
def beside_title(field: DataField, view: Marc21View) -> Iterator[Note]:
    """Form and dates of archival materials; a statement of responsibility (``[by] A. Smith``) where ``$b`` has it."""
    if not field.first("a"):
        return
    for text in field.values("b"):
        if _states_responsibility(text, field):
            yield Note(value=chop_name(text), type="statement of responsibility")
    dates = chop(join(field, "kfg"))
    if dates:
        yield Note(value=dates, type="form and dates")


def parallel_titles(texts: list[str], view: Marc21View) -> Iterator[TitleInfo]:
    """Yield titles in other languages, except those that a 246 has."""
    known = {fold_title(field.first("a") or "") for field in view.fields("246") if field.indicator2 == "1"}
    for text in texts:
        title, _, rest = text.partition(" : ")
        title, rest = chop(title), chop(rest)
        if title and not _is_known(fold_title(title), known):
            yield title_info(title, type="translated", sub_title=(rest,) if rest else ())


def _is_known(title: str, known: set[str]) -> bool:
    # A 246 leaves the article out.
    return any(title.endswith(other) and len(title) - len(other) <= 4 for other in known if other)


@TITLES.field("210", "ab", "titleInfo[abbreviated]")
def abbreviated_title(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Abbreviated key title with its qualifier; the full stop at its end is that of an abbreviation."""
    title = join(field, "ab").rstrip(_AFTER_ABBREVIATION)
    if title:
        yield title_info(title, type="abbreviated")


@TITLES.field("222", "ab", "titleInfo[alternative, key title]")
def key_title(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Key title with its qualifier."""
    title = chop(join(field, "ab"))
    if title:
        yield title_info(title, field.indicator2, type="alternative", display_label="key title")


@TITLES.field("246", "abfinp", "titleInfo[alternative] (second indicator 1: translated), displayLabel from $i")
def varying_title(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Varying form of title."""
    if previous_entry(field) is not None:
        return
    label = field.first("i")
    display_label = (chop(label) or None) if label else LABEL_OF_VARYING_TITLE.get(field.indicator2)
    display_label = _dated(display_label, field, "varying title")
    kind = "translated" if field.indicator2 == "1" else _kind_of_variant(display_label)
    yield from _with_sub_title(field, "a", " ", type=kind, display_label=display_label)


def _kind_of_variant(label: str | None) -> str:
    """Return the type of a variant: its label may state that it is a parallel title (``Parallelsacht.``)."""
    return "translated" if label is not None and "parallel" in label.casefold() else "alternative"


PREVIOUS_ENTRY = "[previous entry:]"
"""How RISM begins the title of the print that the catalogue describes before a piece in it, or before a reprint."""


def previous_entry(field: DataField) -> str | None:
    """Return the title of another resource, which a 246 has after a remark of RISM, or None."""
    text = field.first("a") or ""
    is_other = text[: len(PREVIOUS_ENTRY)].casefold() == PREVIOUS_ENTRY
    return chop(text[len(PREVIOUS_ENTRY) :].strip()) if is_other else None


def _dated(label: str | None, field: DataField, usual: str) -> str | None:
    """Return a label with the dates of the variant (``$f``), which are no part of it."""
    dates = chop(join(field, "f")).strip("<>")
    return f"{label or usual}, {dates}" if dates else label


LABEL_OF_VARYING_TITLE = {
    "2": "distinctive title", "4": "cover title", "5": "added title page", "6": "caption title",
    "7": "running title", "8": "spine title",
}  # fmt: skip


@TITLES.field("247", "abfnp", "titleInfo[alternative, former title]")
def former_title(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Former title."""
    label = _dated("former title", field, "")
    yield from _with_sub_title(field, "a", " ", type=_kind_of_variant(label), display_label=label)


@TITLES.field("240", "adfklmnoprs01", "titleInfo[uniform], nameTitleGroup with 100/110/111")
def uniform_title(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Uniform title under a name."""
    group = "1" if view.has("100", "110", "111") else None
    yield from _uniform(field, view, field.indicator2, name_title_group=group)


@TITLES.field("100 110 111", "tfklmnoprs", "titleInfo[uniform] (with $t), nameTitleGroup")
def title_of_heading(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Uniform title in the main entry (until 1993), unless 240 states it."""
    work = work_of_heading(field)
    if work.subfields and not view.has("240"):
        title = title_before_parts(work, "tfklmors")
        numbers, names = title_parts(work)
        yield title_info(title, type="uniform", part_number=numbers, part_name=names, name_title_group="1")


@TITLES.field("740", "ahnp", "titleInfo[alternative] (with second indicator 2: a related item)")
def uncontrolled_title(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Uncontrolled related title."""
    if field.indicator2 == "2":
        return
    part_number, part_name = title_parts(field)
    title = chop(join(field, "a"))
    if title:
        yield title_info(title, field.indicator1, type="alternative", part_number=part_number, part_name=part_name)


@TITLES.field("130", "adfklmnoprs01", "titleInfo[uniform]")
def uniform_title_heading(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Uniform title as main entry."""
    yield from _uniform(field, view, field.indicator1)


@TITLES.field("242", "abnpy", "titleInfo[translated], lang from $y")
def translated_title(field: DataField, view: Marc21View) -> Iterator[TitleInfo]:
    """Title translated by the cataloguing agency."""
    language = (field.first("y") or "").strip(" .").casefold()
    lang = language if len(language) == 3 and language.isascii() and language.isalpha() else None
    yield from _with_sub_title(field, "a", field.indicator2, type="translated", lang=lang)


def _with_sub_title(
    field: DataField,
    codes: str,
    skipped: str,
    **attributes: Any,  # noqa: ANN401
) -> Iterator[TitleInfo]:
    title, rest = chop(join(field, codes)), chop(field.first("b") or "")
    part_number, part_name = title_parts(field, qualifiers="")
    if not title:
        title, rest = rest, ""
    if title:
        sub_title = (rest,) if rest else ()
        yield title_info(
            title, skipped, sub_title=sub_title, part_number=part_number, part_name=part_name, **attributes
        )


def _uniform(
    field: DataField,
    view: Marc21View,
    skipped: str,
    **attributes: Any,  # noqa: ANN401
) -> Iterator[TitleInfo]:
    title = title_before_parts(field, "adfklmors")
    if not title:
        return
    part_number, part_name = title_parts(field)
    info = title_info(title, skipped, type="uniform", part_number=part_number, part_name=part_name, **attributes)
    links = heading_links(field)
    if links.value_uri is None:
        view.unmapped += [f"{field.tag}${item.code}" for item in field.subfields if item.code in "01"]
    yield identified_title(info, links)


def identified_title(title: TitleInfo, links: AuthorityLinks) -> TitleInfo:
    """Add the links of a heading to its title: ``valueURI``, and ``xlink:href`` for a further one."""
    if links.value_uri is None:
        return title
    further = next((one.value for one in links.identifiers if one.type == "uri"), None)
    return replace(title, authority_uri=links.authority_uri, value_uri=links.value_uri, xlink_href=further)


_MONOGRAPH = "m"
_INDEPENDENT_TITLE, _DEPENDENT_TITLE = "b", "c"
"""Leader/19."""

_CONTINUED = ("...", "…")


class StatedTitle(NamedTuple):
    """The title of a linked resource as one text gives it: ``Title : subtitle / responsibility``."""

    title: str
    sub_title: str
    responsibility: str


def stated_title(text: str) -> StatedTitle:
    """Divide a title at the marks of ISBD.

    >>> stated_title("Обзор происшествий : [в 3 ч.] / соч. А. Вейдемейера")
    StatedTitle(title='Обзор происшествий', sub_title='[в 3 ч.]', responsibility='соч. А. Вейдемейера')
    """
    titles, _, responsibility = text.partition(" / ")
    title, _, sub_title = titles.partition(" : ")
    if title.count("(") > title.count(")"):  # a qualifier: "Title (Town, Country : 1882)"
        title, sub_title = titles, ""
    return StatedTitle(chop(title), chop(sub_title), chop_name(responsibility))


def is_volume(view: Marc21View) -> bool:
    """Whether the record describes a volume of the set in 773: its leader or its title states that."""
    if leader_code(view, 7) != _MONOGRAPH or not view.has("773"):
        return False
    in_leader = leader_code(view, 19) in (_INDEPENDENT_TITLE, _DEPENDENT_TITLE)
    return in_leader or any(is_generic_title(chop(field.first("a") or "")) for field in view.fields("245"))


def with_designation(title: TitleInfo) -> TitleInfo:
    """Return a title whose part number is the designation at the end of its remainder, where it has no part."""
    if not title.sub_title or title.part_number or title.part_name:
        return title
    sub_title, designation = split_designation(title.sub_title[0])
    if not designation:
        return title
    return replace(title, sub_title=(sub_title,) if sub_title else (), part_number=(designation,))


def title_in_set(field: DataField, own: TitleInfo, view: Marc21View) -> TitleInfo:
    """Return the title of a volume: that of the set with the title in 245 as its part, where that one is dependent."""
    stated = stated_title(next((text for link in view.fields("773") for text in link.values("t")), ""))
    if not stated.title or not is_volume(view) or view.is_alternate(field) or own.part_number or own.part_name:
        return own
    is_number = is_generic_title(own.title)
    is_dependent = leader_code(view, 19) == _DEPENDENT_TITLE or own.title.startswith(_CONTINUED)
    if not (is_number or is_dependent) or own.title.casefold().startswith(stated.title.casefold()):
        return own
    part = f"{own.non_sort or ''}{own.title}"
    return TitleInfo(
        title=stated.title,
        sub_title=(stated.sub_title,) if stated.sub_title else (),
        part_number=(part,) if is_number else (),
        part_name=own.sub_title if is_number else (part, *own.sub_title),
    )
