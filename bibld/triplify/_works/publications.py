"""The work of a publication and those that it is related to: its original, the set that it is a part of, its contents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from bibld.model.mods import Mods, Name, RelatedItem, TitleInfo
from bibld.text.dates import years
from bibld.text.designations import is_designation, part_number, read_designation
from bibld.text.folding import tidy
from bibld.text.keys import spelling_key, title_key
from bibld.text.languages import NO_LANGUAGES, language_code
from bibld.text.statements import name_word, stem_of_family
from bibld.text.places import is_unknown_imprint
from bibld.text.scripts import CYRILLIC, script_of
from bibld.text.work_titles import (
    UniformTitle,
    alternative_in_subtitle,
    beginning_of_title,
    book_of_title,
    parse_uniform_title,
    title_forms,
    undated,
    work_title_key,
    work_words,
)
from bibld.triplify._claims import WorkFacts
from bibld.triplify._describe.entities import heading
from bibld.triplify._languages import ORIGINAL, PARTS_OF_TEXT, codes_of
from bibld.triplify._works.facts import Evidence, Titles, main_title, make_facts, stated_title
from bibld.triplify._works.kinds import (
    conference_traits,
    count_of_volumes,
    designation_of,
    form_of,
    is_arranged,
    music_numbers,
    number_traits,
    remainder_of,
    scoring_of,
    steps_of_title,
    texts_about_kind,
    traits_of,
)
from bibld.triplify._works.people import Creator, People, creators_of_heading, find_people

_KEY_TITLE = "key title"
_MIN_CONTENTS = 2
_NOT_TITLES = ("...", "…", "[")
_NOT_OF_WORK = re.compile(r"head|running|caption|колонтит|надзаг|серии", re.IGNORECASE)
_MAX_CONTENTS, _LETTERS_OF_SERIES, _LETTERS_OF_PUBLISHER = 30, 24, 5
_MIN_WORDS_OF_SUBTITLE, _MAX_WORDS_IN_OMNIBUS = 4, 3
_ORIGINAL_IN_NOTE = re.compile(
    r"(?:translation of|originally published (?:in \w+ )?as|original title|пер(?:евод)?\. ?изд\.|перевод изд\w*\.?|"
    r"ориг(?:инал)?\.? (?:загл|назв)\w*\.?|загл\.? (?:ориг|подлин)\w*\.?|назв\.? ориг\w*\.?|orig(?:inal)?(?:titel|sacht(?:itel)?)?\.?|"
    r"einheitssacht\.|titre original|traduction de|titolo originale|tytuł oryginału|tyt\. oryg\.|titulo original|"
    r"título original|původní název|eredeti cím|originalets titel|пер\. с изд\.|пер\. с \w+\.? изд\.|пер\. кн\.)\s*:\s*(.+)",
    re.IGNORECASE,
)
_OTHER_TITLE_IN_NOTE = re.compile(
    r"(?:(?:др|друг|ранее|прежн|перв|предыд|также|изд\. также|выход)[^:]{0,50}(?:загл|назв|названием|заглавием)[^:]{0,20}|"
    r"(?:previously|formerly|also|first|originally|earlier)[^:]{0,40}(?:published|issued|title)[^:]{0,30}(?:title|as|under)[^:]{0,12}|"
    r"(?:frühere?r?|auch u\.|vorher)[^:]{0,20}(?:titel|d\. t\.)[^:]{0,6})\s*:\s*(.+)",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\W*(?:the )?(?:annual|report|proceed|transact|acts?\b|laws?\b|journal|minutes|hearing|budget|statistic|directory|year ?book|bulletin|register|"
    r"отч[её]т|годовой|труды|протокол|доклад|свод|сборник законов|обзор|календар|список|адрес|памятная|расписан|тариф|бюллетен|смета|журнал|"
    r"jahres|bericht|rapport|annuaire|comptes?|almanac|catalog|каталог|calendar|справочник-кален)",
    re.IGNORECASE,
)
_TRANSLATION = re.compile(r"\btranslation\b|\btransl\.|\bпер(?:\.|евод)|übersetz", re.IGNORECASE)
_FROM_WHOLE = re.compile(r"\b(?:из|from)\s+(?:кн\.|книги|романа|поэмы|повести|цикла|сборника|трилогии|the novel|the book)\s*:?\s*[\"«„“]?([^\"»“”]+)", re.IGNORECASE)
_REPRINT = re.compile(r"(?:репр\w*|переизд\w*|факс\w*|воспр\w*|facsim\w*|reprint\w*|перепеч\w*)[^\d]{0,60}(1[5-9]\d\d|20\d\d)", re.IGNORECASE)
_FIRST_SERIES = re.compile(r"\b(first|second|third|fourth|перв\w+|втор\w+|третья) (?:series|серия)\b", re.IGNORECASE)
_SERIAL = frozenset(("serial", "continuing", "integrating resource"))
_VERSIONS = (
    ("sinodal", re.compile(r"синод", re.IGNORECASE)), ("autorized", re.compile(r"authorized|king james", re.IGNORECASE)),
    ("revised standard", re.compile(r"revised standard", re.IGNORECASE)),
    ("new international", re.compile(r"new international", re.IGNORECASE)),
)  # fmt: skip
_BETWEEN_CONTENTS = re.compile(r"\s*(?:--|—|;)\s*|\.\s+[—–-]\s+|(?<=\w)\.?\s+(?=(?:Т|Vol|Bd|Кн)\.\s*\d+\s*[:.])")
_VOLUME_LABEL = re.compile(r"^\s*(?:Т|Vol|V|Bd|Кн|Ч)\.?\s*[\dIVX]+\s*[:.]\s*", re.IGNORECASE)
_STATEMENT_OF_CONTENT = re.compile(r"^((?:[А-ЯЁA-Z][\w'-]+ (?:[А-ЯЁA-Z]\. ?){1,2}))(?=[А-ЯЁA-Z])")
_AND_OTHERS = re.compile(r"\s*\[?(?:и др|i dr|etc|u\.a|et al)\.?\]?\s*$")
_CODES_OF_OLD = {"orv": "rus", "chu": "rus"}


class NamedWork(msgspec.Struct, frozen=True):
    """A work that a description names: the forms of its title, the preferred one first, its creators, its facts.

    ``names`` are the names of the creators with their paths in the description (``name/0``).
    """

    titles: tuple[TitleInfo, ...]
    names: tuple[tuple[Name, str], ...]
    facts: WorkFacts
    path: str


class PublicationWorks(msgspec.Struct, frozen=True):
    """The work of a publication, and what the publication states of its relations to other works.

    ``original`` is the work that it is a translation of, ``whole`` the set, serial or collection that it is a part of,
    ``bases`` are works that it is derived from (an adaptation, a libretto, an abridgement), ``contents`` those that it
    contains. An original of which no title is stated has the title of the translation.
    """

    own: NamedWork
    original: NamedWork | None = None
    whole: NamedWork | None = None
    bases: tuple[NamedWork, ...] = ()
    contents: tuple[NamedWork, ...] = ()


def find_works(mods: Mods) -> PublicationWorks:
    """Return the works that a description names, from all its elements but the headings of other works."""
    return _Reader(mods).works()


def facts_of_heading(
    titles: Sequence[TitleInfo], creators: Sequence[Name], form: str = "text", language: str = ""
) -> WorkFacts:
    """Return the facts of a work that a heading of a name and a title names (600, 700 with $t; 130, 240)."""
    found = creators_of_heading((name, "") for name in creators)
    texts = [stated_title(title) for title in titles]
    parsed = [parse_uniform_title(text) for text in texts if text]
    code = next((one.language for one in parsed if one.language), "") or language
    steps = [step for title in titles for step in steps_of_title(title)]
    part, covered = designation_of(steps)
    traits = [*covered, *("!selection" for one in parsed[:1] if one.is_selection)]
    facts = WorkFacts(form, tuple(traits), code, part=part, origin="translation" if code and parsed[0].language else "")
    return make_facts(facts, _titles_of([one.title for one in parsed], found), found, Evidence())


def _titles_of(texts: Iterable[str], creators: Sequence[Creator] = ()) -> Titles:
    """Return the forms of titles."""
    own: dict[str, None] = {}
    others: dict[str, None] = {}
    for text in texts:
        forms = title_forms(text)
        own |= dict.fromkeys(forms.main)
        others |= dict.fromkeys(forms.others)
        others |= dict.fromkeys(_without_name(form, creators) for form in forms.main)
    beginnings = tuple(filter(None, map(beginning_of_title, own)))
    named = [] if creators else [found for text in own if (found := _with_name(text))]
    return Titles(tuple(own), tuple(other for other in others if other and other not in own), beginnings, tuple(named))


def _with_name(title: str) -> tuple[str, str] | None:
    """Return the first word of a Cyrillic title of two or three words, and the name that follows: «Иліада Гомера»."""
    words = title.split()
    is_name = 1 < len(words) <= 3 and all(word[:1].isupper() for word in words) and script_of(title.replace(" ", "")) == CYRILLIC
    return (words[0], name_word(words[-1])) if is_name else None


def _without_name(title: str, creators: Sequence[Creator]) -> str:
    """Return a title without the family name of its author at its beginning or end: "The Iliad of Homer"."""
    families = {form.split()[0].lstrip("*~")[:4] for creator in creators for form in creator.forms if not creator.is_body}
    words = title.split()
    if len(words) < 2:
        return ""
    if not families:
        return ""
    first, last = (spelling_key(words[place]).replace("ch", "h")[:4] for place in (0, -1))
    if last in families:
        rest = words[:-1]
        while rest and (rest[-1].casefold() in ("of", "von", "de", "by") or rest[-1].endswith(".")):
            rest.pop()
        return " ".join(rest)
    return " ".join(words[1:]) if first in families else ""


class _Reader:
    """Reads the works of one description."""

    def __init__(self, mods: Mods) -> None:
        self.mods = mods
        self.form = form_of(mods)
        proper = [title for title in mods.title_info if title.type is None and title.title]
        self.uniform: list[TitleInfo] = [
            title for title in mods.title_info if title.type == "uniform" and title.display_label != _KEY_TITLE
        ]
        self.proper = proper or [title for title in mods.title_info if title.title][:1]
        self.parsed: list[UniformTitle] = [parse_uniform_title(stated_title(title)) for title in self.uniform if title.title]
        self.about = texts_about_kind(mods)
        self.notes = [note.value for note in mods.note if note.type in (None, "bibliography", "reproduction", "original version", "version identification")]
        self.languages, self.originals = self._languages()
        is_classic = any(one.language for one in self.parsed) and not any(title.name_title_group for title in self.uniform)
        self.people: People = find_people(mods, is_classic or _TRANSLATION.search(self.about) is not None)
        self.host = next((item for item in mods.related_item if item.type == "host"), None)
        self.original_titles = self._original_titles()
        self.is_translation = bool(
            self.people.is_translated or self.people.translators or self.originals or self.original_titles
            or any(one.language for one in self.parsed)
        ) and self.form != "music"  # fmt: skip

    # -- the work itself -----------------------------------------------------------------------------------------------

    def works(self) -> PublicationWorks:
        """Return the works."""
        steps = [step for title in self.proper for step in steps_of_title(title)]
        part, covered = designation_of(steps)
        if not part and self.host is not None:
            if self._is_article():
                covered = (*covered, "!article", *(f"in host:{number}" for number in _numbers_of(self.host)))
            else:
                part, _ = designation_of(step for number in _numbers_of(self.host) for step in read_designation(number))
        name_of_part = self._work_in_volume(part)
        traits = [*covered, *self._traits()]
        if name_of_part:
            part, traits = "", self._traits()
        count = self.count = count_of_volumes(
            [text for title in self.proper for text in (title.title, *title.sub_title)],
            [extent.value for one in self.mods.physical_description for extent in one.extent],
        )
        if part:
            count = self.count = count_of_volumes([text for title in self._host_titles() for text in title.sub_title], ())
            traits += [f"of:{count}"] * bool(count)
        elif count and self.proper and work_title_key(self.proper[0].title).is_generic:
            traits.append(f"of:{count}")
        if self._is_omnibus():
            traits.append("!omnibus")
        creators = self.people.creators
        if not any(not creator.is_body for creator in creators):
            traits += self._numbers_in_series()
            traits += self._year_of_report()
        if self.form == "music":
            part, more, ties_of_music = self._numbers_of_music(part)
            traits += more
        traits += number_traits(text for title in self.proper[:1] for text in title.sub_title)
        titles = self._titles(name_of_part, creators)
        evidence = self._evidence(count, part, covered)
        if self.form == "music":
            evidence = Evidence(ties_of_music, (), evidence.names)
        facts = WorkFacts(
            self.form,
            tuple(dict.fromkeys(traits)),
            self.languages,
            translators=self._translators(),
            others=self._others(),
            part=part,
            remainder=remainder_of(self.about),
            origin="translation" if self.is_translation else "",
        )
        names = tuple(entry for creator in creators for entry in creator.names)
        own = NamedWork(tuple(self.proper), names, make_facts(facts, titles, creators, evidence), "title_info/0")
        return PublicationWorks(
            own,
            self._original(titles, creators, names, part, covered) if self.is_translation else None,
            self._whole(name_of_part, part, covered, creators, names, facts),
            self._bases(facts, titles, creators, names),
            tuple(self._contents(facts, creators, names)),
        )

    def _numbers_in_series(self) -> Iterator[str]:
        """Yield the numbers in the series, of each series apart."""
        for item in self.mods.related_item:
            if item.type == "series" and item.mods.title_info:
                series = work_title_key(item.mods.title_info[0].title).text[:_LETTERS_OF_SERIES]
                numbers = [*item.mods.title_info[0].part_number, *_numbers_of(item)]
                yield from (f"in {series}:{value}" for text in numbers if (value := part_number(text)))

    def _languages(self) -> tuple[str, tuple[str, ...]]:
        """Return the languages of the text, with blanks between, and those it was translated from."""
        own: dict[str, None] = {}
        original: dict[str, None] = {}
        for language in self.mods.language:
            codes = [language_code(term.value) or "" for term in codes_of(language)]
            if language.object_part in PARTS_OF_TEXT:
                own |= dict.fromkeys(_CODES_OF_OLD.get(code, code) for code in codes if code and code not in NO_LANGUAGES)
            elif language.object_part == ORIGINAL:
                original |= dict.fromkeys(code for code in codes if code and code not in NO_LANGUAGES)
        if self.form == "music":
            return "", ()
        others = [code for code in own if code not in original] or list(own)
        if len(others) == 1 and others[0] in original:
            original = {}
        return " ".join(sorted(others)), tuple(original)

    def _traits(self) -> list[str]:
        series = " | ".join(stated_title(title) for item in self.mods.related_item if item.type == "series" for title in item.mods.title_info)
        editions = " | ".join(edition.value for info in self.mods.origin_info for edition in info.edition)
        found = list(traits_of(self.about, self.form))
        found += [trait for trait in traits_of(series + " | " + editions, self.form) if trait in ("!abridged", "!retold")]
        notes = " | ".join(self.notes)[:500]
        if notes:
            found += [trait for trait in traits_of(notes, self.form) if trait in ("!retold", "!commentary", "!sequel")]
            found += [trait for note in self.notes if len(note) < 12 for trait in traits_of(note, self.form) if trait.startswith("genre")]
        is_serial = any(value in _SERIAL for info in self.mods.origin_info for value in info.issuance)
        if self.uniform and not self.people.creators and not is_serial and not any(
            title.name_title_group for title in self.uniform
        ) and not any(one.qualifier and not one.language for one in self.parsed):
            found.append("?classic")
        found += [f"qualifier:{one.qualifier}" for one in self.parsed[:1] if one.qualifier and not one.language]
        statement = " | ".join(note.value for note in self.mods.note if note.type == "statement of responsibility")[:400]
        if self.form == "music":
            texts = f"{self.about} | {statement} | " + " | ".join(
                extent.value for one in self.mods.physical_description for extent in one.extent
            )
            found = list(traits_of(texts, self.form))
            found += scoring_of([text for title in self.proper for text in (title.title, *title.sub_title)])
            found += ["!arranged"] * (is_arranged(texts) and "score:vocal" not in found)
            found += [{"vocal": "score:vocal", "full": "score:full", "arranged": "!arranged"}.get(one.form, "") for one in self.parsed]
        elif self.people.is_retold and not self.people.is_translated and not self.people.translators:
            found.append("!retold")
        found += ["!selection" for one in self.parsed[:1] if one.is_selection]
        found += conference_traits(
            " ".join(part.value for part in name.name_part) for name in self.mods.name if name.type == "conference"
        )
        if is_serial:
            found.append("!serial")
            found += [f"issn:{one.value}" for one in self.mods.identifier if one.type == "issn" and one.invalid != "yes"]
        first = _FIRST_SERIES.search(f"{self.about} | {statement}")
        if first:
            found.append(f"series:{first[1].casefold()[:3]}")
        return [trait for trait in dict.fromkeys(found) if trait]

    def _translators(self) -> tuple[str, ...]:
        """Return who translated, or retold, the text; for an anonymous text the name of the version."""
        if self.form == "music":
            return ()
        found = [*self.people.translators, *self.people.retellers]
        if not self.people.creators:
            found += [version for one in self.parsed for version in one.versions]
            texts = " | ".join((self.about, *self.notes, *(stated_title(title) for title in self.uniform)))
            named = [version for version, words in _VERSIONS if words.search(texts)]
            found = named or found
        elif not found:
            found = [spelling_key(version) for one in self.parsed for version in one.versions]
        return tuple(dict.fromkeys(found))

    def _others(self) -> tuple[str, ...]:
        """Return others who took part, and the publishers."""
        publishers = (spelling_key(one.value) for info in self.mods.origin_info for one in info.publisher)
        counted = (f"= in {self.count}",) if len(self.count) == 1 and int(self.count) > 2 else ()
        return (*self.people.others, *(f"= {one}" for one in dict.fromkeys(publishers) if one and not is_unknown_imprint(one)), *counted)

    def _titles(self, name_of_part: str, creators: Sequence[Creator]) -> Titles:
        """Return the titles that tie the work: proper ones, the uniform title without a language, variants."""
        if name_of_part:
            return _titles_of([name_of_part], creators)
        own = [undated(_with_part_names(title)) for title in self.proper if not title.title.startswith(_NOT_TITLES)]
        own += [one.title for one in self.parsed if not one.language and not self._is_original(one)]
        found = _titles_of(own, creators)
        others = self._alternatives()
        for title in self.proper:
            for text in title.sub_title:
                others.append(alternative_in_subtitle(text) or _title_in_subtitle(text))
        others += [match[1] for note in self.notes if (match := _OTHER_TITLE_IN_NOTE.search(note))]
        more = _titles_of(filter(None, others))
        if self.form == "music":  # "Kyrie, a 6" is not any Kyrie
            found = Titles(found.own, tuple(text for text in found.others if not any(one.startswith(text) for one in own)))
        rest = dict.fromkeys((*found.others, *more.own, *more.others))
        return Titles(found.own, tuple(text for text in rest if text not in found.own), found.beginnings, found.named)

    def _alternatives(self) -> list[str]:
        """Return the variants of the title; none if several others are rather works that the publication contains."""
        titles = [
            title for title in self.mods.title_info
            if title.type in ("alternative", "translated") and not _NOT_OF_WORK.search(title.display_label or "")
        ]
        own = {word for title in self.proper for word in work_words(title.title)}
        apart = [title for title in titles if title.type == "alternative" and not own & work_words(title.title)]
        return [main_title(title) for title in titles if len(apart) < _MIN_CONTENTS or title not in apart]

    def _is_original(self, uniform: UniformTitle) -> bool:
        """Whether a uniform title without a language is that of the original."""
        return bool(self.people.is_translated or self.people.translators or self.originals) and self.form != "music" and bool(
            self.people.creators
        )

    def _evidence(self, count: str, part: str, covered: Sequence[str]) -> Evidence:
        """Return what ties a work with a generic title."""
        own = [f"by {stem_of_family(name.split()[0])}" for name in self.people.others]
        others: list[str] = []
        if count:
            own += [f"in {count} {publisher}" for publisher in self._publishers()]
        if part or covered:
            body = any(creator.is_body for creator in self.people.creators)
            own += [f"part {part} {' '.join(covered)}"] * body
        reprinted = [found[1] for text in (*self.notes, self.about) if (found := _REPRINT.search(text))]
        own += [f"year {year}" for year in reprinted]
        dates = (date.value for info in self.mods.origin_info for date in info.date_issued)
        issued = [year for date in dates for year in years(date)][:1]
        others += [f"year {year}" for year in issued if str(year) not in reprinted]
        names = {work_title_key(heading(name)).text for creator in self.people.creators for name, _ in creator.names}
        names |= {work_title_key(" ".join(reversed(heading(name).split(",")))).text for creator in self.people.creators for name, _ in creator.names}
        return Evidence(tuple(dict.fromkeys(own)), tuple(others), frozenset(names))

    def _year_of_report(self) -> list[str]:
        """Return the year of issue as a trait of reports, laws and other publications that come again and again."""
        if any(title.part_number for title in self.proper) or not self.proper:
            return []
        key = work_words(self.proper[0].title)
        statement = " ".join(note.value for note in self.mods.note if note.type == "statement of responsibility")
        found = [f"in statement:{year}" for year in years(statement)] if statement else []
        if key and _REPORT.match(self.proper[0].title):
            dates = (date.value for info in self.mods.origin_info for date in info.date_issued)
            found += [f"issued:{year}" for date in dates for year in years(date)[:1]][:1]
        return found

    def _numbers_of_music(self, part: str) -> tuple[str, list[str], tuple[str, ...]]:
        """Return the part of a set of music, traits, and what ties works by numbers."""
        texts = [stated_title(title) for title in (*self.proper, *self.uniform)]
        texts += [text for title in self.proper for text in title.sub_title]
        numbers, forms = music_numbers(texts)
        keys = {word for text in texts for word in title_key(text).split() if word.startswith("tone")}
        traits = [f"{name}:{number}" for name, number in numbers.items()]
        traits += [f"tonality:{key}" for key in keys] + [f"form of music:{form}" for form in forms]
        traits += [f"book:{book}" for text in texts if (book := book_of_title(text))][:1]
        form = " ".join(sorted(forms)[:1])
        ties = [f"{form} {name} {number}" for name, number in numbers.items() if name != "no"]
        if "no" in numbers and (form == "symphony" or keys):
            ties += [f"{form} no {numbers['no']}"]
        steps = [step for step in part.split() if not step[0].isdecimal()]
        return " ".join(steps), traits, tuple(ties)

    def _is_omnibus(self) -> bool:
        """Whether other title information is further titles: «История одного города : Господа Головлевы : Сказки»."""
        pieces = [piece.strip() for title in self.proper[:1] for text in title.sub_title for piece in text.split(" : ")]
        are_short = all(piece[:1].isupper() and len(piece.split()) <= _MAX_WORDS_IN_OMNIBUS for piece in pieces)
        traits = [traits_of(piece, "text") for piece in pieces]
        return are_short and ("genre:stories",) in traits and any(
            not found and not work_title_key(piece).is_generic for found, piece in zip(traits, pieces, strict=True)
        )

    def _publishers(self) -> list[str]:
        """Return the beginnings of the publishers, also those of the set."""
        origins = (*self.mods.origin_info, *(self.host.mods.origin_info if self.host is not None else ()))
        found = (spelling_key(one.value)[:_LETTERS_OF_PUBLISHER] for info in origins for one in info.publisher)
        return list(dict.fromkeys(filter(None, found)))[:2]

    # -- the original --------------------------------------------------------------------------------------------------

    def _original_titles(self) -> list[str]:
        found = [one.title for one in self.parsed if one.language]
        found += [one.title for one in self.parsed if not one.language and self._is_original(one)]
        for item in self.mods.related_item:
            if item.other_type == "translationOf" or item.type == "original" or (
                item.type == "otherVersion" and item.other_type is None and self.people.is_translated
            ):
                found += [parse_uniform_title(stated_title(title)).title for title in item.mods.title_info[:1] if title.title]
        for note in self.notes:
            match = _ORIGINAL_IN_NOTE.search(note)
            if match:
                found.append(match[1].partition(" / ")[0].strip(" .\"«»"))
        own = {work_title_key(title.title).text for title in self.proper}
        return [title for title in dict.fromkeys(found) if title and (work_title_key(title).text not in own or any(one.language for one in self.parsed))]

    def _original(
        self, own: Titles, creators: Sequence[Creator], names: tuple[tuple[Name, str], ...], part: str, covered: Sequence[str]
    ) -> NamedWork:
        """Return the work that the publication is a translation of; it ties with others by the translated title, too."""
        titles = _titles_of(self.original_titles, creators)
        traits = tuple(trait for trait in self._traits() if trait.startswith(("!", "genre"))) + tuple(covered)
        facts = WorkFacts(self.form, traits, " ".join(sorted(self.originals)), part=part, origin="original")
        named = make_facts(facts, titles, creators, Evidence())
        translated = make_facts(facts, own, creators, Evidence())
        ties = tuple(dict.fromkeys((*named.ties, *(f"translated {tie}" for tie in translated.ties))))
        variants = (*named.variants, *(f"translated {tie}" for tie in translated.variants))
        stated = tuple(TitleInfo(title=title) for title in self.original_titles) or tuple(self.proper[:1])
        return NamedWork(stated, names, msgspec.structs.replace(named, ties=ties, variants=variants), "title_info/0")

    # -- the whole and the contents ------------------------------------------------------------------------------------

    def _host_titles(self) -> tuple[TitleInfo, ...]:
        return self.host.mods.title_info if self.host is not None else ()

    def _is_article(self) -> bool:
        """Whether the host is an issue of a serial or a book with pages of which the publication is a part."""
        return self.host is not None and self.host.other_type != "set" and any(
            part.extent or any(detail.type in ("issue", "number") for detail in part.detail) or part.date
            for part in self.host.mods.part
        )

    def _work_in_volume(self, part: str) -> str:
        """Return the title of the only work in a volume of collected works; empty if it is not known."""
        names = [name for title in self.proper for name in title.part_name]
        if not part or len(names) != 1 or is_designation(names[0]):
            return ""
        set_title = self.proper[0].title
        key = work_title_key(names[0])
        is_one = not key.is_generic and not re.search(r"[;,]|\. ", names[0]) and not traits_of(names[0], self.form)
        return names[0] if is_one and work_title_key(set_title).is_generic else ""

    def _whole(
        self,
        name_of_part: str,
        part: str,
        covered: Sequence[str],
        creators: Sequence[Creator],
        names: tuple[tuple[Name, str], ...],
        facts: WorkFacts,
    ) -> NamedWork | None:
        """Return the set, serial or collection that the work is a part of."""
        title, path, of_volumes = "", "title_info/0", ""
        whole_creators: Sequence[Creator] = creators
        stated = [*self.notes, self.about]
        taken = next((found[1] for text in stated if (found := _FROM_WHOLE.search(text))), "")
        volume = self._series_of_volume()
        if taken:
            title = taken.strip(" .")
        elif self.host is not None and self._host_titles():
            index = self.mods.related_item.index(self.host)
            title, path = main_title(self._host_titles()[0]), f"related_item/{index}"
            of_volumes = count_of_volumes([text for one in self._host_titles() for text in one.sub_title], ())
            if self.host.mods.name:
                whole_creators = creators_of_heading(
                    (name, f"{path}/name/{number}") for number, name in enumerate(self.host.mods.name)
                )
            elif not self.host.other_type and not part:
                whole_creators = ()
        elif volume is not None:
            title = main_title(volume.mods.title_info[0])
            of_volumes = count_of_volumes(volume.mods.title_info[0].sub_title, ())
            path = f"related_item/{self.mods.related_item.index(volume)}"
            whole_creators = ()
        elif part or name_of_part or (covered and not any(not creator.is_body for creator in creators)):
            title = undated(main_title(self.proper[0])) if self.proper else ""
            of_volumes = count_of_volumes(self.proper[0].sub_title, ()) if self.proper else ""
        key = work_title_key(title)
        if not key.text or not title:
            return None
        traits = tuple(trait for trait in facts.traits if trait.startswith(("!", "genre", "kind"))) + ("?serial",)
        whole = msgspec.structs.replace(facts, part="", traits=traits)
        years_of_set = [date.value for info in (self.host.mods.origin_info if self.host else ()) for date in info.date_issued]
        evidence = Evidence(
            tuple(f"in {of_volumes} {publisher}" for publisher in self._publishers() if of_volumes)
            + tuple(f"by {stem_of_family(name.split()[0])}" for name in self.people.others),
            tuple(f"year {year}" for date in years_of_set for year in years(date)[:1]),
        )
        entries = tuple(entry for creator in whole_creators for entry in creator.names)
        found = make_facts(whole, _titles_of([title], whole_creators), whole_creators, evidence)
        return NamedWork((TitleInfo(title=title),), entries, found, path)

    def _series_of_volume(self) -> RelatedItem | None:
        """Return the set that a record states as a series: one that counts its volumes."""
        for item in self.mods.related_item:
            if item.type == "series" and item.mods.title_info and count_of_volumes(item.mods.title_info[0].sub_title, ()):
                return item
        return None

    def _bases(
        self, facts: WorkFacts, titles: Titles, creators: Sequence[Creator], names: tuple[tuple[Name, str], ...]
    ) -> tuple[NamedWork, ...]:
        """Return the work that a retelling, an abridgement or an arrangement has in its title."""
        strict = [trait for trait in facts.traits if trait in ("!abridged", "!retold", "!arranged", "!selection")]
        if not strict or not creators or facts.part:
            return ()
        base = msgspec.structs.replace(
            facts, traits=tuple(trait for trait in facts.traits if trait not in strict), translators=(), others=()
        )
        found = make_facts(base, titles, creators, Evidence())
        return (NamedWork(tuple(self.proper[:1]), names, found, "title_info/0"),) if found.ties else ()

    def _contents(
        self, facts: WorkFacts, creators: Sequence[Creator], names: tuple[tuple[Name, str], ...]
    ) -> Iterator[NamedWork]:
        """Yield the works that the title or the table of contents of a collection names."""
        for number, text in enumerate(self._titles_of_contents()):
            if number == _MAX_CONTENTS:
                return
            written_by, title = _divide_content(text)
            authors = written_by or creators
            key = work_title_key(title)
            if key.is_generic or not authors:
                continue
            content = WorkFacts(
                facts.form, (), facts.language, translators=facts.translators, origin=facts.origin
            )
            found = make_facts(content, _titles_of([title]), authors, Evidence())
            if found.ties:
                yield NamedWork((TitleInfo(title=title),), () if written_by else names, found, f"content/{number}")

    def _titles_of_contents(self) -> Iterator[str]:
        for title in self.proper[:1]:
            pieces = [piece.strip() for piece in title.title.split(" ; ")]
            if len(pieces) > 1:
                yield from pieces
            elif len(title.part_name) == 1 and re.search(r" ; |\. ", title.part_name[0]):
                yield from re.split(r" ; |\. ", title.part_name[0])
        is_collection = any(
            work_title_key(text).is_generic for title in self.proper[:1] for text in (title.title, *title.sub_title) if text
        )
        if is_collection or len(self.mods.table_of_contents) == 1:
            for contents in self.mods.table_of_contents:
                for piece in _BETWEEN_CONTENTS.split(contents.value)[:_MAX_CONTENTS]:
                    text = _AND_OTHERS.sub("", _VOLUME_LABEL.sub("", piece.partition(" / ")[0])).strip(" .")
                    if len(text) > 2:
                        yield text


def _numbers_of(item: RelatedItem) -> list[str]:
    """Return the designations of parts that a related item has, with their units."""
    return [
        " ".join((*detail.caption[:1], number)) for part in item.mods.part for detail in part.detail for number in detail.number
    ]


def _with_part_names(title: TitleInfo) -> str:
    """Return a title with the names of the part, without its numbers."""
    names = [name for name in map(tidy, title.part_name) if name and not is_designation(name)]
    return ". ".join((main_title(title), *names))


def _title_in_subtitle(text: str) -> str:
    """Return other title information that may be a title by itself: long, and not about editions or readers."""
    plain = text.strip(" ()[]")
    is_title = len(plain.split()) >= _MIN_WORDS_OF_SUBTITLE and not traits_of(plain, "text") and plain[:1].isalpha()
    return plain if is_title and not re.match(r"(?:в|in|for|для|с|пер|к|по|being)\b", plain, re.IGNORECASE) else ""


def _divide_content(text: str) -> tuple[tuple[Creator, ...], str]:
    """Divide an entry of a table of contents into its author and its title: «Петров С. Сад камней»."""
    found = _STATEMENT_OF_CONTENT.match(text)
    if found is None:
        return (), text
    family, *given = found[1].replace(".", " ").split()
    return (Creator((" ".join(map(name_word, (family, *given))),)),), text[found.end() :]
