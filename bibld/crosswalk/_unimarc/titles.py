"""Titles: field 200 with its parallel titles and further works, and the related titles of block 5."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from bibld.crosswalk._parts import is_generic_title, split_designation
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.codes import RELATED_TITLES
from bibld.crosswalk._unimarc.view import UnimarcView, fields_of_link, fold_words, plain_values, punctuate, title_info
from bibld.model.marc import DataField
from bibld.model.mods import Identifier, Mods, Note, RelatedItem, TitleInfo
from bibld.text.folding import remove_non_sorting_marks
from bibld.text.languages import language_code
from bibld.text.scripts import has_cyrillic

BOOK = RuleBook()

_UNIFORM_TITLE = dict.fromkeys("abcdefgjklmnqrsuvwxyz", ". ")
_UNIFORM_CODES = "abcdefghijklmnopqrsuvwxyz23"
_DEPENDENT_TITLE = re.compile(r"\.\.\.|…|\d{4}\s*[-–—]\s*\d{2,4}$")
"""A title that continues that of the set (``... в 1994 году``), or is only a period."""

_LIKE_UNIFORM_TITLE = ("501", "503", "506", "507", "509")


class _Entry:
    """One title of field 200 with its other elements: other title information, parts, responsibility."""

    __slots__ = ("has_own_part", "kind", "names", "numbers", "responsibility", "subtitles", "titles")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.titles: list[str] = []
        self.subtitles: list[str] = []
        self.numbers: list[str] = []
        self.names: list[str] = []
        self.responsibility = ""
        self.has_own_part = False

    def add_other_information(self, text: str, divides: bool) -> None:
        """Add other title information; with ``divides``, the designation of a part at its end is a part number."""
        if divides and not self.numbers:
            text, designation = split_designation(text)
            if designation:
                self.numbers.append(designation)
        if text:
            self.subtitles.append(text)

    def add_part_name(self, text: str) -> None:
        """Add the name of a part; the designation of a part (``[Ч.] 1-2``) is a number, that of a series a name."""
        name, _ = split_designation(text.strip("[]"))
        (self.names if name or text.casefold().startswith("сер") else self.numbers).append(text)

    def add_responsibility(self, text: str, mark: str) -> None:
        """Add a statement of responsibility."""
        self.responsibility = f"{self.responsibility}{mark}{text}" if self.responsibility else text

    def title_info(self, **others: str | None) -> TitleInfo | None:
        """Return the entry as MODS; without a title proper the name or number of the part takes its place."""
        titles, names, numbers = self.titles, list(self.names), list(self.numbers)
        if not titles and (names or numbers or self.subtitles):
            source = names or numbers or self.subtitles
            titles = [source[0]]
            if source is names:
                names = names[1:]
            elif source is numbers:
                numbers = numbers[1:]
            else:
                self.subtitles = self.subtitles[1:]
        if not titles:
            return None
        parts = {
            "sub_title": (" : ".join(self.subtitles),) if self.subtitles else (),
            "part_number": (". ".join(dict.fromkeys(numbers)),) if numbers else (),
            "part_name": tuple(names),
        }
        return title_info(". ".join(titles), **parts, **others)


def split_titles(field: DataField) -> list[_Entry]:
    """Divide a field 200 or 225 into its title proper (first), parallel titles and titles of other authors' works."""
    main = _Entry("main")
    found, current = [main], main
    for subfield in field.subfields:
        code, value = subfield.code, subfield.value
        if code == "a":
            if current.kind == "parallel":
                current = main
            current.titles.append(value)
        elif code in "cd":
            main.has_own_part = main.has_own_part or (len(found) == 1 and bool(main.numbers or main.names))
            current = _Entry("parallel" if code == "d" else "with")
            current.titles.append(value)
            found.append(current)
        elif code == "e":
            _owner_of_other_information(main, current, value).add_other_information(
                remove_non_sorting_marks(value), field.tag == "200"
            )
        elif code == "h" or (code == "v" and field.tag != "225"):
            for owner in _owners_of_part(found, current, value):
                owner.numbers.append(remove_non_sorting_marks(value))
        elif code == "i":
            for owner in _owners_of_part(found, current, value):
                owner.add_part_name(remove_non_sorting_marks(value))
        elif code in "fg":
            owner = current if current.kind == "with" else main
            owner.add_responsibility(
                remove_non_sorting_marks(value), " = " if code == "f" and current.kind == "parallel" else " ; "
            )
    if not main.numbers and not main.names and current.kind == "parallel":
        main.numbers, main.names = list(current.numbers), list(current.names)
    return found


def _owners_of_part(found: list[_Entry], current: _Entry, text: str) -> list[_Entry]:
    """Return the titles that a part belongs to: after parallel titles, all those in its script.

    A part that follows the title proper itself, or a title after one, belongs to that title alone.
    """
    if current.kind != "parallel" or found[0].has_own_part:
        return [current]
    titles = [entry for entry in found if entry.kind != "with"]
    if not any(map(str.isalpha, text)):
        return titles
    return [entry for entry in titles if has_cyrillic("".join(entry.titles)) == has_cyrillic(text)] or [current]


def _owner_of_other_information(main: _Entry, current: _Entry, text: str) -> _Entry:
    """Return the main title for other title information in its script that follows a parallel title."""
    if current.kind != "parallel":
        return current
    own, other = has_cyrillic("".join(main.titles)), has_cyrillic("".join(current.titles))
    if own != other:
        return main if has_cyrillic(text) == own else current
    return current if main.subtitles else main


@BOOK.record(
    "titleInfo; titleInfo[@type=translated] for parallel titles; note[@type='statement of responsibility']; "
    "relatedItem[@type=constituent] for works of other authors without a collective title",
    t200="acdefghivz", t510="abehijnvz", t461="at", t462="at", tLDR="",
)  # fmt: skip
def title(view: UnimarcView) -> Elements:
    """Field 200; a volume whose title is only its number takes the title of the set (461)."""
    parallel: list[TitleInfo] = []
    for field in view.fields("200"):
        found = split_titles(field)
        languages = [language_code(value) for value in field.values("z")]
        main = _of_the_set(found[0], view) or found[0].title_info()
        if main is not None:
            yield view.mark(main, field)
        for entry in found[1:]:
            if entry.kind == "parallel":
                language = languages[len(parallel)] if len(parallel) < len(languages) else None
                element = entry.title_info(type="translated", display_label="parallel title", lang=language)
                if element is not None:
                    parallel.append(element)
            else:
                yield from _issued_with(entry)
        if found[0].responsibility:
            yield view.mark(Note(value=found[0].responsibility, type="statement of responsibility"), field)
    yield from parallel
    yield from _further_parallel_titles(view, parallel)


def _of_the_set(entry: _Entry, view: UnimarcView) -> TitleInfo | None:
    own = remove_non_sorting_marks(". ".join(entry.titles))
    is_dependent = _DEPENDENT_TITLE.match(own) is not None
    if view.is_nested or view.leader.bibliographic_level == "a" or not (is_dependent or is_generic_title(own)):
        return None
    for field in view.fields("461", "462"):
        for inner in fields_of_link(field):
            text = inner.first("a") if isinstance(inner, DataField) and inner.tag == "200" else None
            if text and is_dependent:
                volumes = entry.numbers or plain_values(inner, "v") if isinstance(inner, DataField) else []
                numbers = tuple(volume for volume in volumes if volume != own)
                return title_info(text, part_number=numbers, part_name=(own, *entry.subtitles, *entry.names))
            if text:
                number = ". ".join([own, *entry.numbers])
                return title_info(text, part_number=(number,), part_name=(*entry.subtitles, *entry.names))
    return None


def _issued_with(entry: _Entry) -> Iterator[RelatedItem]:
    title_of_work = entry.title_info()
    if title_of_work is not None:
        notes: tuple[Note, ...] = ()
        if entry.responsibility:
            notes = (Note(value=entry.responsibility, type="statement of responsibility"),)
        yield RelatedItem(
            type="constituent", other_type="issuedWith", mods=Mods(title_info=(title_of_work,), note=notes)
        )


def _further_parallel_titles(view: UnimarcView, known: list[TitleInfo]) -> Iterator[TitleInfo]:
    seen = {tuple(fold_words(info.title)) for info in known}
    for field in view.fields("510"):
        variant = _variant(field, "translated", "parallel title")
        key = tuple(fold_words(variant.title)) if variant is not None else ()
        if variant is not None and key not in seen:
            seen.add(key)
            yield variant


def _variant(field: DataField, type_: str, label: str | None) -> TitleInfo | None:
    text = ". ".join(dict.fromkeys(field.values("a"))) or (field.first("e") or "")
    if not text:
        return None
    others = plain_values(field, "e") if field.first("a") else []
    title_proper = title_info(
        text,
        type=type_,
        display_label=label,
        lang=language_code(field.first("z") or ""),
        sub_title=(" : ".join(others),) if others else (),
        part_number=tuple(plain_values(field, "h", "j", "v")),
        part_name=tuple(plain_values(field, "i")),
    )
    for qualifier in field.values("b", "n"):
        title_proper = replace(title_proper, title=f"{title_proper.title} ({remove_non_sorting_marks(qualifier)})")
    return title_proper


@BOOK.field(
    "500",
    _UNIFORM_CODES,
    "titleInfo[@type=uniform], @authority=$2; with a heading 700, 710 or 720 they share a nameTitleGroup; "
    "identifier[@type=iswc, isrc …] of $o, $p",
)
def uniform_title(field: DataField, view: UnimarcView) -> Elements:
    """Uniform titles (500); the first is grouped with the primary name."""
    yield from _identifiers_of_work(field)
    text = punctuate(field, _UNIFORM_TITLE)
    if not text:
        return
    is_first = next(iter(view.fields("500"))) is field
    yield _uniform(text, field, view, "1" if is_first and has_name_title_group(view) else None)


def _uniform(text: str, field: DataField, view: UnimarcView, name_title_group: str | None = None) -> TitleInfo:
    return title_info(
        text,
        type="uniform",
        part_number=tuple(plain_values(field, "h")),
        part_name=tuple(plain_values(field, "i")),
        name_title_group=name_title_group,
        value_uri=view.reference(field),
        authority=field.first("2"),
    )


def _identifiers_of_work(field: DataField) -> Iterator[Identifier]:
    """Yield international numbers of a work or expression (ISTC, ISWC …), with the name before them as type."""
    for value in field.values("o", "p"):
        name, _, number = value.partition(" ")
        is_named = name.isalpha() and name.isascii() and bool(number)
        yield Identifier(value=number if is_named else value, type=name.lower() if is_named else None)


def has_name_title_group(view: UnimarcView) -> bool:
    """Whether the first uniform title and the primary name of the record are one group."""
    return not view.is_nested and view.has("500") and view.has("700", "710", "720")


@BOOK.field(" ".join(_LIKE_UNIFORM_TITLE), _UNIFORM_CODES, "titleInfo[@type=uniform], @authority=$2")
def further_uniform_title(field: DataField, view: UnimarcView) -> Elements:
    """Uniform titles of collections, form headings, titles of works and expressions."""
    text = punctuate(field, _UNIFORM_TITLE | {"o": ". ", "p": ". "})
    if text:
        yield _uniform(text, field, view)


@BOOK.field(
    " ".join(RELATED_TITLES),
    "abehijnvz35",
    "titleInfo[@type=alternative, uniform, abbreviated or translated]; $5 @displayLabel",
)
def related_title(field: DataField, view: UnimarcView) -> Elements:
    """Variant titles of block 5."""
    type_, label = RELATED_TITLES[field.tag]
    found = _variant(field, type_, label)
    if found is None:
        return
    if field.tag in ("540", "560"):
        found = replace(found, supplied="yes")
    copies = "; ".join(field.values("5"))
    if copies:
        found = replace(found, display_label=f"{label}: {copies}" if label else copies)
    reference = view.reference(field)
    yield replace(found, value_uri=reference) if reference else found


@BOOK.field("520", "x", "relatedItem[@type=preceding]/identifier[@type=issn]")
def former_issn(field: DataField, view: UnimarcView) -> Elements:
    """ISSN under a former title."""
    for value in field.values("x"):
        former = title_info(field.first("a") or "")
        numbers = (Identifier(value=value, type="issn"),)
        titles = (former,) if former.title else ()
        yield RelatedItem(type="preceding", mods=Mods(title_info=titles, identifier=numbers))


@BOOK.field("740 741 742 794", "abcefilnt3", "titleInfo[@type=uniform]; 794 titleInfo[@type=alternative]")
def conventional_title(field: DataField, view: UnimarcView) -> Elements:
    """Conventional headings of laws and of religious texts, and (794) other forms of them."""
    text = punctuate(field, dict.fromkeys("abcefilnt", ". "))
    if text:
        type_ = "alternative" if field.tag == "794" else "uniform"
        yield title_info(text, type=type_, value_uri=view.reference(field))


@BOOK.field("200", "r", "note")
def information_after_the_title(field: DataField, view: UnimarcView) -> Elements:
    """Text on the title page of an old printed book after the title proper."""
    for value in field.values("r"):
        yield Note(value=value)
