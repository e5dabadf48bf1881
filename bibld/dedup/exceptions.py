"""Exceptions: reasons why two records with a high score are, or may be, different publications.

``RULES`` is the list of all rules, each with its effect, the relation it means and its sentence for a cataloguer. What
decides about a pair is found from the features of the two records: :func:`find_exceptions`.

The rules that decide are seldom wrong. The others also hold for a few percent of real duplicates (a year misread, a
microform described as the book), so they only send the pair to review; the scorer compares their fields anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum, IntFlag, auto
from functools import lru_cache
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.model.features import VALUE_SEPARATOR, FeatureColumns, Features, TextColumn
from bibld.text.designations import describe
from bibld.text.keys import spelling_key

Rows = npt.NDArray[np.uint32]
"""Row numbers, one for each pair."""

Offsets = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]


class Exceptions(IntFlag):
    """The exceptions that hold for a pair; those that decide come first."""

    PART_NUMBERS = auto()
    LEVEL = auto()
    SET_AND_VOLUME = auto()
    CONTAINED = auto()
    NESTED_PARTS = auto()
    ARTICLE = auto()
    EDITION = auto()
    YEAR = auto()
    CARRIER = auto()
    LANGUAGE = auto()
    NUMBERS = auto()
    UNPLACED = auto()
    TRANSLATORS = auto()
    AUTHORS = auto()
    PART_NAMES = auto()
    IDENTIFIERS = auto()


class Effect(Enum):
    """What an exception does to a pair with a score of at least ``review``."""

    RELATED = "the records are related, not the same"
    REVIEW = "a person is asked"
    OPTIONAL_REVIEW = "a person is asked if the configuration names the exception"
    SEPARATE = "no cluster contains both records; the decision about the pair is not changed"


class ExceptionRule(NamedTuple):
    """An exception with its effect, the relation that it means (empty for none), and a sentence (with the names of
    :func:`_words`)."""

    exception: Exceptions
    effect: Effect
    relation: str
    sentence: str

    @property
    def name(self) -> str:
        """Return the name in configurations and verdicts."""
        return str(self.exception.name).lower()


RULES = (
    # Both name a part, and not the same.
    ExceptionRule(Exceptions.PART_NUMBERS, Effect.RELATED, "same_set", "they are different parts: {parts}"),
    # Serial, issue and article differ from each other.
    ExceptionRule(Exceptions.LEVEL, Effect.RELATED, "part_of", "one describes {left_level}, the other {right_level}"),
    # One describes a set as a whole, the other a volume of it.
    ExceptionRule(
        Exceptions.SET_AND_VOLUME,
        Effect.RELATED,
        "part_of",
        "one describes a set as a whole, the other its part {part}",
    ),
    # The scorer finds the one text in the other, whatever the score (`part_of` in `bibld.protocols.Scorer`).
    ExceptionRule(
        Exceptions.CONTAINED, Effect.RELATED, "part_of", "the text of one record is part of the text of the other"
    ),
    # One names a part of the part that the other names.
    ExceptionRule(Exceptions.NESTED_PARTS, Effect.REVIEW, "part_of", "one part contains the other: {parts}"),
    # A library that does not link articles to their hosts may describe one as a book. Not against a volume, since
    # libraries that link volumes to their set as they link articles to a journal make the two look the same.
    ExceptionRule(Exceptions.ARTICLE, Effect.REVIEW, "part_of", "one describes {left_level}, the other {right_level}"),
    # Both state an edition, and neither editions nor years agree. Where the years agree the score decides, unless both
    # records are of one source: other libraries count impressions and editions differently.
    ExceptionRule(Exceptions.EDITION, Effect.OPTIONAL_REVIEW, "other_edition", "different editions: {editions}"),
    # More than two years lie between, unless equal edition and pages show that one of the years is a slip.
    ExceptionRule(Exceptions.YEAR, Effect.OPTIONAL_REVIEW, "other_edition", "published {gap} years apart: {years}"),
    # Print, microform, electronic and so on; maps and scores are printed. Not of articles, whose libraries describe
    # what they have at hand.
    ExceptionRule(Exceptions.CARRIER, Effect.OPTIONAL_REVIEW, "other_format", "different carriers: {carriers}"),
    # No language in common, and titles and variants that begin differently: under one title the code is more likely a
    # slip, unless it is as short as a name that is written in the same way in many languages.
    ExceptionRule(Exceptions.LANGUAGE, Effect.OPTIONAL_REVIEW, "translation", "different languages: {languages}"),
    # Both state a DOI, ISMN, report number, number of music, or a number in the same and only series, and not the
    # same one; and no number is the same. Or both state another subseries, or other volumes or issues of a host, or
    # another host.
    ExceptionRule(Exceptions.NUMBERS, Effect.REVIEW, "", "they have other numbers or hosts: {numbers}"),
    # Parts of a host that not both state, as names: "Foreword", «Хроника».
    ExceptionRule(Exceptions.UNPLACED, Effect.REVIEW, "", "neither an author nor a host distinguishes these parts"),
    # Both name translators, and none in common.
    ExceptionRule(Exceptions.TRANSLATORS, Effect.REVIEW, "", "translated by others: no name in common"),
    # Both state names and responsibility, and nothing of the one is in the other.
    ExceptionRule(Exceptions.AUTHORS, Effect.REVIEW, "", "by others: no name in common"),
    # Both name a part, with no word in common, and no number shows that it is the same.
    ExceptionRule(Exceptions.PART_NAMES, Effect.REVIEW, "same_set", "the names of the parts have no word in common"),
    # Both have ISBNs (that of a set does not count), and none in common.
    ExceptionRule(Exceptions.IDENTIFIERS, Effect.SEPARATE, "", "they have no ISBN in common"),
)

_NAMES_OF_NUMBERS = {
    "doi:": "DOI", "ismn:": "ISMN", "report:": "report", "music:": "music", "issue:": "recording", "norm:": "standard",
}  # fmt: skip
_LEVELS = {
    "s": "a serial",
    "i": "an issue",
    "a": "an article or other part",
    "m": "a monograph",
    "v": "a volume of a set",
    "c": "a set as a whole",
}


def _words(left: Features, right: Features) -> dict[str, object]:
    """Return what sentences state about two records."""

    def both(describe: Callable[[Features], object]) -> str:
        return f"{describe(left)} and {describe(right)}"

    return {
        "left_level": _LEVELS.get(left.level),
        "right_level": _LEVELS.get(right.level),
        "part": describe(left.designation if left.part else right.designation),
        "parts": both(lambda one: describe(one.designation)),
        "editions": both(lambda one: one.edition),
        "gap": max(left.year - right.last_year, right.year - left.last_year),
        "years": both(lambda one: one.year if one.year == one.last_year else f"{one.year}–{one.last_year}"),
        "carriers": both(lambda one: one.carrier),
        "numbers": ", ".join(_numbers_that_differ(left, right)),
        "languages": both(lambda one: ", ".join(sorted(one.language.split(VALUE_SEPARATOR)))),
    }


COLUMNS = (
    *("part", "designation", "part_name", "main_title", "remainder", "variant_titles", "names", "translator"),
    *("responsibility", "language"),
    *("identifiers", "level", "carrier", "series", "series_number", "subseries", "host"),
    *("year", "last_year", "edition", "pages", "volumes"),
)
"""The columns that :func:`find_exceptions` reads."""


def with_effect(*effects: Effect) -> Exceptions:
    """Return the exceptions that have one of some effects."""
    found = Exceptions(0)
    for rule in RULES:
        if rule.effect in effects:
            found |= rule.exception
    return found


def with_relation() -> Exceptions:
    """Return the exceptions that mean a relation."""
    found = Exceptions(0)
    for rule in RULES:
        if rule.relation:
            found |= rule.exception
    return found


def in_force(configured: Iterable[str]) -> Exceptions:
    """Return the exceptions to look for: the optional ones only if the configuration names them."""
    found = ~with_effect(Effect.OPTIONAL_REVIEW)
    for name in configured:
        found |= Exceptions[name.upper()]
    return found


def explain(exceptions: int, left: Features, right: Features) -> Iterator[tuple[ExceptionRule, str]]:
    """Yield the rules of the exceptions that concern the pair itself, in their order, with sentences."""
    for rule in RULES:
        if rule.exception & exceptions and rule.effect != Effect.SEPARATE:
            yield rule, rule.sentence.format_map(_words(left, right))


# -- finding them ------------------------------------------------------------------------------------------------------


def _levels(*conflicts: str) -> npt.NDArray[np.bool_]:
    """Return a table of the conflicts of two levels, by the codes of their letters."""
    table = np.zeros((128, 128), dtype=np.bool_)
    for pair in conflicts:
        one, other = tuple(pair)
        table[ord(one), ord(other)] = table[ord(other), ord(one)] = True
    return table


_CONFLICTING_LEVELS, _ARTICLE_AND_BOOK = _levels("ai", "as", "is"), _levels("am", "ac")
_PRINTED = ("map", "score", "print")
_UNDETERMINED = ("und", "mul", "zxx")
_ISBN = "isbn"
_PUBLISHERS_NUMBERS = ("doi:", "ismn", "repo", "musi", "issu", "norm")
"""Kinds of identifiers, by their first characters, that a publication has one of as long as it is the same."""
_KIND_LETTERS = 4
_NUMBERS_OF_HOSTS = ("v", "n", "d")
_SERIES_LETTERS = 8
_HOST_LETTERS = 3
"""What abbreviated words of the title of a host have in common."""
_MAX_ACRONYM = 6
_WORD_LETTERS = 5
_BLANK = ord(" ")
_BETWEEN_NUMBERS = np.frombuffer(" -".encode("utf-32-le"), dtype=np.uint32)
_ROLE_WORDS = """автор авт составил сост ред редактор редакция редкол под общ науч отв пер перевод перевел с со англ нем
    фр и в др художник худож рис ил фото муз музыка текст слова стихи вступ статья предисл послесл коммент примеч обраб
    разраб подгот ун-т ин-т акад наук ссср рсфср by edited ed editor editors compiled translated trans from the and of
    with introduction illustrated ill author hrsg hg herausgegeben von bearb und mit par trad traduit et de publié a
    cura di oprac przeł pod red i z prof доц канд д-р"""
"""Words of statements of responsibility that name nobody, nor do initials."""
_MAX_GAP_YEARS = 2
_TITLE_LETTERS = 12


def find_exceptions(
    columns: FeatureColumns, left: Rows, right: Rows, are_of_one_source: npt.NDArray[np.bool_] | bool = False
) -> npt.NDArray[np.uint16]:
    """Return the :class:`Exceptions` that hold for pairs of rows, shape (pairs,); all but ``CONTAINED``."""
    # Imported here, since these compile their kernels when they are imported, unless the warm-up has done so.
    from bibld.dedup import hashes
    from bibld.dedup._exception_kernels import CONFLICT, NESTED, compare_parts, hash_starts, have_no_common_value

    found = np.zeros(len(left), dtype=np.uint16)

    def add(exception: Exceptions, holds: npt.NDArray[np.bool_]) -> None:
        found[holds] |= np.uint16(exception)

    def differ(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        one, other = values[left], values[right]
        result: npt.NDArray[np.bool_] = (one != 0) & (other != 0) & (one != other)
        return result

    designation = columns.texts["designation"]
    parts = compare_parts(designation.offsets, designation.codes, left, right)
    add(Exceptions.PART_NUMBERS, parts == CONFLICT)
    add(Exceptions.NESTED_PARTS, parts == NESTED)

    texts, numbers = columns.texts, columns.numbers
    level, has_part = _first_letters(texts["level"]), np.diff(columns.part.offsets) > 0
    add(Exceptions.LEVEL, _CONFLICTING_LEVELS[level[left], level[right]])
    add(Exceptions.ARTICLE, _ARTICLE_AND_BOOK[level[left], level[right]])
    is_set = ~has_part & ((level == ord("c")) | (numbers["volumes"] > 1))
    is_volume = has_part & ((level == ord("v")) | (level == ord("m")))
    add(Exceptions.SET_AND_VOLUME, (is_set[left] & is_volume[right]) | (is_volume[left] & is_set[right]))

    year, last_year, edition, pages = (numbers[name] for name in ("year", "last_year", "edition", "pages"))
    gap = np.maximum(year[left] - last_year[right], year[right] - last_year[left])
    gap[(year[left] == 0) | (year[right] == 0)] = 0
    add(Exceptions.EDITION, ((gap > 0) | are_of_one_source) & differ(edition))
    is_slip = (edition[left] != 0) & (edition[left] == edition[right])
    is_slip &= (pages[left] != 0) & (pages[left] == pages[right])
    add(Exceptions.YEAR, (gap > _MAX_GAP_YEARS) & ~is_slip)

    carrier = _hash(texts["carrier"])
    carrier[np.isin(carrier, [_hash_of(name) for name in _PRINTED])] = _hash_of("print")
    is_part = level == ord("a")
    add(Exceptions.CARRIER, differ(carrier) & ~(is_part[left] & is_part[right]))

    title, is_long = hash_starts(*hashes.title(columns), _TITLE_LETTERS), _lengths(texts) >= _TITLE_LETTERS
    is_slip = (title[left] == title[right]) & is_long[left]
    titles = [_values(texts[name], _TITLE_LETTERS) for name in ("main_title", "variant_titles")]
    for one, other in ((left, right + len(columns)), (left + len(columns), right)):
        is_slip |= is_long[left] & is_long[right] & _have_common_value(*_stacked(*titles), one, other)
    add(Exceptions.LANGUAGE, have_no_common_value(*_languages(texts["language"]), left, right) & ~is_slip)

    has_host, has_name = _is_stated(texts["host"]), _is_stated(texts["names"])
    are_stated = (has_host[left] & has_host[right]) | (has_name[left] & has_name[right])
    add(Exceptions.UNPLACED, is_part[left] & is_part[right] & ~are_stated)

    offsets, values = _values(texts["identifiers"])
    kinds = _values(texts["identifiers"], _KIND_LETTERS)[1]
    series, last, first, stated = _series_numbers(texts["series"], texts["series_number"])
    is_divided = first != last
    differs = (last[left] != last[right]) & (last[left] != first[right]) & (first[left] != last[right])
    differs = (series[left] == series[right]) & differ(stated) & (differs | (is_divided[left] & is_divided[right]))
    agrees = np.zeros(len(left), dtype=np.bool_)
    for kind in (*_PUBLISHERS_NUMBERS, _ISBN):
        of_kind = _select(offsets, values, kinds == _hash_of(kind))
        is_other = have_no_common_value(*of_kind, left, right)
        agrees |= _have_common_value(*of_kind, left, right)
        if kind == _ISBN:
            add(Exceptions.IDENTIFIERS, is_other)
        else:
            differs |= is_other
    differs &= ~agrees
    offsets, values = _values(texts["host"])
    kinds = _values(texts["host"], 1)[1]
    kinds[offsets[:-1][np.diff(offsets) > 0]] = 0  # the title
    for kind in _NUMBERS_OF_HOSTS:
        differs |= have_no_common_value(*_select(offsets, values, kinds == _hash_of(kind)), left, right)
    hosts = _titles_of_hosts(texts["host"])
    is_in_other = have_no_common_value(*_beginnings(hosts, _HOST_LETTERS), left, right)
    can_be_acronym = np.diff(hosts.offsets) <= _MAX_ACRONYM
    differs |= is_in_other & is_part[left] & is_part[right] & ~can_be_acronym[left] & ~can_be_acronym[right]
    subseries, beginning = _hash(texts["subseries"]), hash_starts(*_twice(texts["series"]), _SERIES_LETTERS)
    differs |= differ(subseries) & (beginning[left] == beginning[right])
    add(Exceptions.NUMBERS, differs)
    add(Exceptions.TRANSLATORS, have_no_common_value(*_values(texts["translator"]), left, right))

    offsets, words = _beginnings(texts["responsibility"])
    stated_names = _select(offsets, words, ~np.isin(words, _role_words()))
    makers = _stacked(_beginnings(texts["names"]), stated_names)
    are_stated = has_name & _is_stated(texts["responsibility"])
    are_others = are_stated[left] & are_stated[right]
    for one in (left, left + len(columns)):
        for other in (right, right + len(columns)):
            are_others &= have_no_common_value(*makers, one, other)
    add(Exceptions.AUTHORS, are_others)
    is_one_number = _is_stated(designation)[left] & _is_stated(designation)[right] & (parts == 0)
    add(Exceptions.PART_NAMES, have_no_common_value(*_beginnings(texts["part_name"]), left, right) & ~is_one_number)
    return found


def _have_common_value(offsets: Offsets, values: Hashes, left: Rows, right: Rows) -> npt.NDArray[np.bool_]:
    from bibld.dedup._exception_kernels import have_no_common_value

    has_any = np.diff(offsets) > 0
    result: npt.NDArray[np.bool_] = has_any[left] & has_any[right] & ~have_no_common_value(offsets, values, left, right)
    return result


def _stacked(one: tuple[Offsets, Hashes], other: tuple[Offsets, Hashes]) -> tuple[Offsets, Hashes]:
    """Return the values of the rows of one column, and behind them those of another."""
    return np.concatenate((one[0], one[0][-1] + other[0][1:])), np.concatenate((one[1], other[1]))


def _twice(column: TextColumn) -> tuple[Offsets, Rows, Offsets, Rows]:
    """Return the texts of a column and empty ones, for :func:`~bibld.dedup._exception_kernels.hash_starts`."""
    return column.offsets, column.codes, np.zeros_like(column.offsets), column.codes[:0]


def _is_stated(column: TextColumn) -> npt.NDArray[np.bool_]:
    result: npt.NDArray[np.bool_] = np.diff(column.offsets) > 0
    return result


def _lengths(texts: dict[str, TextColumn]) -> Offsets:
    """Return the characters of main title and remainder of each row."""
    lengths: Offsets = np.diff(texts["main_title"].offsets) + np.diff(texts["remainder"].offsets)
    return lengths


def _series_numbers(series: TextColumn, numbers: TextColumn) -> npt.NDArray[np.uint64]:
    """Return hashes of the beginning of the series of each row that states one series and one number in it, of the last
    and the first number of which that consists (``6-4`` of two), and of all of it; 0 for other rows; shape (4, rows).
    """
    names, stated = _values(series, _SERIES_LETTERS), _values(numbers)
    is_alone = (np.diff(names[0]) == 1) & (np.diff(stated[0]) == 1)
    codes = np.where(np.isin(numbers.codes, _BETWEEN_NUMBERS), np.uint32(ord(VALUE_SEPARATOR)), numbers.codes)
    offsets, values = _values(TextColumn(numbers.offsets, codes))
    result = np.zeros((4, len(series)), dtype=np.uint64)
    result[0, is_alone] = names[1][names[0][:-1][is_alone]]
    result[1, is_alone], result[2, is_alone] = values[offsets[1:][is_alone] - 1], values[offsets[:-1][is_alone]]
    result[3, is_alone] = stated[1][stated[0][:-1][is_alone]]
    return result


def _numbers_that_differ(left: Features, right: Features) -> Iterator[str]:
    """Yield the kinds of numbers that both records state differently, with the numbers."""
    for prefix, name in _NAMES_OF_NUMBERS.items():
        ones, others = (
            [value.partition(":")[2] for value in one.identifiers.split(VALUE_SEPARATOR) if value.startswith(prefix)]
            for one in (left, right)
        )
        if ones and others and not set(ones) & set(others):
            yield f"{name} {', '.join(ones)} and {', '.join(others)}"
    if left.series and left.series == right.series and left.series_number != right.series_number:
        yield f"the series {left.series_number} and {right.series_number}"
    if left.subseries and right.subseries and left.subseries != right.subseries:
        yield f"the subseries {left.subseries} and {right.subseries}"
    hosts = [one.host.partition(VALUE_SEPARATOR)[0] for one in (left, right)]
    words = [{word[:_HOST_LETTERS] for word in host.split()} for host in hosts]
    if all(len(host) > _MAX_ACRONYM for host in hosts) and words[0].isdisjoint(words[1]):
        yield f"the hosts “{hosts[0]}” and “{hosts[1]}”"
    for kind, name in (("v", "volumes"), ("n", "issues"), ("d", "days")):
        stated = [
            {value[1:] for value in one.host.split(VALUE_SEPARATOR)[1:] if value.startswith(kind)}
            for one in (left, right)
        ]
        if all(stated) and not set.intersection(*stated):
            yield f"the {name} {' and '.join(', '.join(sorted(values)) for values in stated)} of their host"


def _first_letters(column: TextColumn) -> Rows:
    """Return the code of the (ASCII) letter that each text begins with; 0 for an empty one."""
    found = np.zeros(len(column), dtype=np.uint32)
    has_letter = np.diff(column.offsets) > 0
    found[has_letter] = column.codes[column.offsets[:-1][has_letter]] & np.uint32(127)
    return found


def _hash(column: TextColumn) -> Hashes:
    """Return a hash of each text; 0 for an empty one."""
    from bibld.dedup.hashes import ALL_LETTERS, prefixes

    return prefixes(column.offsets, column.codes, ALL_LETTERS)


@lru_cache(maxsize=32)
def _hash_of(text: str) -> np.uint64:
    return np.uint64(_hash(TextColumn.from_texts([text]))[0])


@lru_cache(maxsize=1)
def _role_words() -> Hashes:
    words = spelling_key(_ROLE_WORDS).split()
    return _beginnings(TextColumn.from_texts([" ".join((*words, *ascii_lowercase))]))[1]


def _languages(column: TextColumn) -> tuple[Offsets, Hashes]:
    """Return the hashes of the languages of each row, those of row i at ``offsets[i]:offsets[i + 1]``."""
    offsets, values = _values(column)
    return _select(offsets, values, ~np.isin(values, [_hash_of(code) for code in _UNDETERMINED]))


def _values(column: TextColumn, letters: int | None = None) -> tuple[Offsets, Hashes]:
    from bibld.dedup import hashes

    letters = hashes.FULL_VALUE if letters is None else letters
    return hashes.values(column.offsets, column.codes, letters, hashes.ALL_LETTERS, np.empty(0, np.uint32))


def _titles_of_hosts(column: TextColumn) -> TextColumn:
    """Return the titles of hosts, without the numbers behind them."""
    starts, ends = column.offsets[:-1], column.offsets[1:]
    separators = np.append(np.flatnonzero(column.codes == ord(VALUE_SEPARATOR)), len(column.codes))
    lengths = np.minimum(separators[np.searchsorted(separators, starts)], ends) - starts
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return TextColumn(offsets, column.codes[np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])])


def _beginnings(column: TextColumn, letters: int = _WORD_LETTERS) -> tuple[Offsets, Hashes]:
    """Return the hashes of the beginnings of the words of each row."""
    codes = np.where(column.codes == _BLANK, np.uint32(ord(VALUE_SEPARATOR)), column.codes)
    return _values(TextColumn(column.offsets, codes), letters)


def _select(offsets: Offsets, values: Hashes, chosen: npt.NDArray[np.bool_]) -> tuple[Offsets, Hashes]:
    return np.concatenate(([0], np.cumsum(chosen)))[offsets], values[chosen]
