"""What a description states of the work of a publication: its kind, titles, creators, translators and languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from bibld.model.mods import Mods, TitleInfo
from bibld.text.dates import years
from bibld.text.designations import is_designation, part_number
from bibld.text.folding import fold
from bibld.text.keys import spelling_key
from bibld.text.languages import NO_LANGUAGES, language_code
from bibld.text.places import is_unknown_imprint
from bibld.text.statements import read_statement, stem_of_family
from bibld.text.work_titles import (
    UniformTitle,
    alternative_in_subtitle,
    begins_with_function_word,
    parse_uniform_title,
    undated,
    work_title_key,
    work_words,
)
from bibld.triplify._headings import heading
from bibld.triplify._languages import ORIGINAL, PARTS_OF_TEXT, codes_of
from bibld.triplify._works.contents import entries_of_contents, stated_contents
from bibld.triplify._works.facts import Evidence, Titles, main_title, stated_title
from bibld.triplify._works.kinds import (
    TRANSLATION,
    conference_traits,
    form_of,
    texts_about_kind,
    traits_of,
    traits_of_note,
)
from bibld.triplify._works.music import is_arranged, scoring_of, without_opus
from bibld.triplify._works.people import Creator, People, find_people
from bibld.triplify._works.titles import (
    divide_content,
    numbers_of,
    title_in_subtitle,
    titles_of,
    with_name,
    with_part_names,
)

_MAX_NOTE = 160
_KEY_TITLE = "key title"
_MIN_CONTENTS = 2
_NOT_TITLES = ("...", "…", "[")
_NOT_OF_WORK = re.compile(r"head|running|caption|колонтит|надзаг|серии", re.IGNORECASE)
_LETTERS_OF_SERIES, _LETTERS_OF_PUBLISHER = 24, 5
_ORIGINAL_IN_NOTE = re.compile(
    r"\W*(?:originally published (?:in \w+ )?(?:as|under the title):? |"
    r"(?:translation of|translated from|original title|"
    r"пер(?:евод)?\. ?изд\.|перевод "
    r"изд\w*\.?|"
    r"ориг(?:инал)?\.?(?: (?:загл|назв)\w*\.?)?|загл\.? (?:ориг|подлин)\w*\.?|назв\.? ориг\w*\.?|"
    r"orig(?:inal)?(?:titel|sacht(?:itel)?)?\.?|"
    r"einheitssacht\.|titre original|traduction de|titolo originale|tytuł oryginału|tyt\. oryg\.|titulo original|"
    r"título original|původní název|eredeti cím|originalets titel|пер\. с изд\.|пер\. с \w+\.? изд\.|пер\. "
    r"кн\.)\s*:\s*)(.+)",
    re.IGNORECASE,
)
_OTHER_TITLE_IN_NOTE = re.compile(
    r"\W*(?:(?:др|друг|ранее|прежн|перв|предыд|также|изд\. также|выход)[^:]{0,50}(?:загл|назв|названием|"
    r"заглавием)[^:]{0,20}|"
    r"(?:previously|formerly|also|first|originally|earlier|later|subsequent)[^:]{0,40}(?:published|issued|"
    r"title)[^:]{0,30}(?:title|as|under)[^:]{0,12}|later editions have title|"
    r"загл\. (?:\d|др|пред|перв|посл)[^:]{0,20}изд\w*\.?|"
    r"парал\w*\.? загл\w*\.?|"
    r"(?:frühere?r?|auch u\.|vorher)[^:]{0,20}(?:titel|d\. t\.)[^:]{0,6})\s*:\s*(.+)",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\W*(?:the )?(?:annual|report|proceed|transact|acts?\b|laws?\b|journal|minutes|hearing|budget|statistic|"
    r"directory|year ?book|bulletin|register|"
    r"отч[её]т|годовой|труды|протокол|доклад|свод|сборник законов|обзор|календар|список|адрес|памятная|расписан|"
    r"тариф|бюллетен|смета|журнал|"
    r"jahres|bericht|rapport|annuaire|comptes?|almanac|catalog|каталог|calendar|справочник-кален)",
    re.IGNORECASE,
)
_OLD_TEXT = re.compile(
    r"(?:пов[ѣе]сть|слово|сказание|сказаніе|хож\w*|хождение|поучение|моление|послание) о |жит[иі][ея] |"
    r"(?:\w+ ){0,3}л[ѣе]топись",
    re.IGNORECASE,
)
_COLLECTION = re.compile(r"\W*(?i:сборник|сб\.)(?! [А-ЯЁ])")
_LAW = re.compile(
    r"кодекс|конституци|федеральн\w+ закон|закон\w* (?:о|об)\b|правила дорожн|\bcode of|constitution "
    r"of",
    re.IGNORECASE,
)
_REPRINT = re.compile(
    r"[^\d:]{0,20}?(?:репр\w*|переизд\w*|факс\w*|воспр\w*|facsim\w*|reprint\w*|"
    r"перепеч\w*)[^\d]{0,60}(1[5-9]\d\d|20\d\d)",
    re.IGNORECASE,
)
_FIRST_SERIES = re.compile(r"\b(first|second|third|fourth|перв\w+|втор\w+|третья) (?:series|серия)\b", re.IGNORECASE)
_NOT_ALPHANUMERIC = re.compile(r"\(online\)|[\W_]", re.IGNORECASE)
_SERIAL = frozenset(("serial", "continuing", "integrating resource"))
_VERSIONS = (
    ("sinodal", re.compile(r"синод", re.IGNORECASE)),
    ("autorized", re.compile(r"authorized|king james", re.IGNORECASE)),
    ("revised standard", re.compile(r"revised standard", re.IGNORECASE)),
    ("new international", re.compile(r"new international", re.IGNORECASE)),
)  # fmt: skip
_LANGUAGE_OF_WORK = {"orv": "rus", "chu": "rus", "hrv": "srp", "bos": "srp", "cnr": "srp"}
"""Languages whose texts may be stated as being in another one."""


class Description:
    """What one description states of the work of the publication and of others."""

    def __init__(self, mods: Mods) -> None:
        self.mods = mods
        self.count = ""
        self.part = ""
        self.is_volume = False
        self.in_title: list[str] = []
        self.written_by: tuple[Creator, ...] = ()
        self.form = form_of(mods)
        proper = [title for title in mods.title_info if title.type is None and title.title]
        self.uniform: list[TitleInfo] = [
            title for title in mods.title_info if title.type == "uniform" and title.display_label != _KEY_TITLE
        ]
        self.proper = proper or [title for title in mods.title_info if title.title][:1]
        self.parsed: list[UniformTitle] = [
            parse_uniform_title(stated_title(title)) for title in self.uniform if title.title
        ]
        self._divide_title()
        self.about = texts_about_kind(mods)
        self.notes = [
            note.value
            for note in mods.note
            if note.type in (None, "bibliography", "reproduction", "original version", "version identification")
        ]
        self.contents = stated_contents(mods, self.notes)
        self.languages, self.originals = self._languages()
        is_classic = any(one.language for one in self.parsed) and not any(
            title.name_title_group for title in self.uniform
        )
        self.people: People = find_people(mods, is_classic or TRANSLATION.search(self.about) is not None)
        if self.written_by and not self.people.creators:
            self.people = msgspec.structs.replace(self.people, creators=self.written_by)
        self.has_person = any(not creator.is_body for creator in self.people.creators)
        self.host = next((item for item in mods.related_item if item.type == "host"), None)
        self.original_titles = self._original_titles()
        self.is_translation = bool(
            self.people.is_translated or self.people.translators or self.originals or self.original_titles
            or any(one.language for one in self.parsed)
        ) and self.form != "music"  # fmt: skip

    def _divide_title(self) -> None:
        """Take the author before a title out of it, where a brief record has both together."""
        if self.mods.name or not self.proper:
            return
        written_by, title = divide_content(self.proper[0].title)
        if written_by:
            self.written_by = written_by
            self.proper = [msgspec.structs.replace(self.proper[0], title=title), *self.proper[1:]]

    def _numbers_in_series(self) -> Iterator[str]:
        """Yield the numbers in the series, of each series apart."""
        for item in self.mods.related_item:
            if item.type == "series" and item.mods.title_info:
                series = work_title_key(item.mods.title_info[0].title).text[:_LETTERS_OF_SERIES]
                numbers = [*item.mods.title_info[0].part_number, *numbers_of(item)]
                yield from (f"in {series}:{value}" for text in numbers if (value := part_number(text)))

    def _numbers_of_documents(self) -> Iterator[str]:
        """Yield the numbers that a government or another issuing body gives to each of its documents."""
        classes = (("sudoc", one.value) for one in self.mods.classification if one.authority == "sudocs")
        reports = (("report", one.value) for one in self.mods.identifier if one.type == "report number")
        yield from (f"{group}:{_NOT_ALPHANUMERIC.sub('', value).casefold()}" for group, value in (*classes, *reports))

    def _languages(self) -> tuple[str, tuple[str, ...]]:
        """Return the languages of the text, with blanks between, and those it was translated from."""
        own: dict[str, None] = {}
        original: dict[str, None] = {}
        for language in self.mods.language:
            codes = [language_code(term.value) or "" for term in codes_of(language)]
            if language.object_part in PARTS_OF_TEXT:
                own |= dict.fromkeys(
                    _LANGUAGE_OF_WORK.get(code, code) for code in codes if code and code not in NO_LANGUAGES
                )
            elif language.object_part == ORIGINAL:
                original |= dict.fromkeys(code for code in codes if code and code not in NO_LANGUAGES)
        if self.form in ("music", "film"):
            return "", ()
        others = [code for code in own if code not in original] or list(own)
        if len(others) == 1 and others[0] in original:
            original = {}
        return " ".join(sorted(others)), tuple(original)

    def _traits(self) -> list[str]:
        series = " | ".join(
            stated_title(title)
            for item in self.mods.related_item
            if item.type == "series"
            for title in item.mods.title_info
        )
        editions = " | ".join(edition.value for info in self.mods.origin_info for edition in info.edition)
        found = [trait for text in self.about.split(" | ") for trait in traits_of(text, self.form)]
        found += [
            trait
            for text in (series, editions)
            if text
            for trait in traits_of(text, self.form)
            if trait in ("!abridged", "!retold")
        ]
        if self.notes:
            found += [trait for note in self.notes if len(note) < _MAX_NOTE for trait in traits_of_note(note)]
            found += [
                trait
                for note in self.notes
                if len(note) < 12
                for trait in traits_of(note, self.form)
                if trait.startswith("genre")
            ]
        is_serial = any(value in _SERIAL for info in self.mods.origin_info for value in info.issuance)
        if (
            self.uniform
            and not self.people.creators
            and not is_serial
            and not any(title.name_title_group for title in self.uniform)
            and not any(one.qualifier and not one.language for one in self.parsed)
        ):
            found.append("?classic")
        if not self.people.creators and self.proper and _OLD_TEXT.match(self.proper[0].title):
            found.append("?classic")
        if not self.people.creators and _COLLECTION.match(self.about):
            found.append("!collection")
        if not self.people.creators:
            qualifiers = (parse_uniform_title(title.title).qualifier for title in self.proper[:1])
            found += [f"qualifier:{text}" for text in qualifiers if text]
        found += [f"qualifier:{one.qualifier}" for one in self.parsed[:1] if one.qualifier and not one.language]
        statement = " | ".join(note.value for note in self.mods.note if note.type == "statement of responsibility")[
            :400
        ]
        if self.form == "music":
            texts = f"{self.about} | {statement} | " + " | ".join(
                extent.value for one in self.mods.physical_description for extent in one.extent
            )
            found = list(traits_of(texts, self.form))
            found += scoring_of([text for title in self.proper for text in (title.title, *title.sub_title)])
            found += ["!arranged"] * (is_arranged(texts) and "score:vocal" not in found)
            found += [
                {"vocal": "score:vocal", "full": "score:full", "arranged": "!arranged"}.get(one.form, "")
                for one in self.parsed
            ]
        else:
            found += [trait for trait in traits_of(statement, "text") if trait in ("!abridged", "!dramatized")]
        if (
            self.form != "music"
            and self.people.is_retold
            and not self.people.is_translated
            and not self.people.translators
        ):
            found.append("!retold")
        found += ["!selection" for one in self.parsed[:1] if one.is_selection]
        found += conference_traits(
            " ".join(part.value for part in name.name_part) for name in self.mods.name if name.type == "conference"
        )
        if any(_LAW.search(title.title) for title in self.proper[:1]):
            found.append("kind:law")
            dates = (date.value for info in self.mods.origin_info for date in info.date_issued)
            found += [f"law of:{year}" for date in dates for year in years(date)[:1]][:1]
        if is_serial:
            found.append("!serial")
            found += [
                f"issn:{one.value}" for one in self.mods.identifier if one.type == "issn" and one.invalid != "yes"
            ]
        found += self._numbers_of_documents()
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
        titled = () if self.people.creators else map(with_name, (title.title for title in self.proper[:1]))
        named = (author.text for found in titled if found for author in read_statement(found[1]).authors)
        return (
            *self.people.others,
            *named,
            *(f"= {one}" for one in dict.fromkeys(publishers) if one and not is_unknown_imprint(one)),
            *counted,
        )

    def _titles(self, name_of_part: str, creators: Sequence[Creator]) -> Titles:
        """Return the titles that tie the work: proper ones, the uniform title without a language, variants."""
        if name_of_part:
            return titles_of([name_of_part], creators)
        own = [
            undated(with_part_names(title), self.has_person)
            for title in self.proper
            if not title.title.startswith(_NOT_TITLES)
        ]
        if self.in_title:
            own[:1] = [". ".join(self.in_title)]
        names = self._names_of_volume()
        if names and (title_of_set := self._title_of_set()):
            own = [title_of_set]
        own += [one.title for one in self.parsed if not one.language and not self._is_original(one)]
        found = titles_of(own, creators)
        others = [*names, *self._alternatives()]
        for title in self.proper:
            for text in title.sub_title:
                others.append(alternative_in_subtitle(text) or title_in_subtitle(text))
            if title.sub_title and begins_with_function_word(title.sub_title[0]):
                others.append(f"{main_title(title)} {title.sub_title[0]}")
        others += [match[1] for text in self._pieces_of_notes() if (match := _OTHER_TITLE_IN_NOTE.match(text))]
        more = titles_of(filter(None, others))
        if self.form == "music":  # "Kyrie, a 6" is not any Kyrie
            found = Titles(
                tuple(dict.fromkeys((*found.own, *map(without_opus, found.own)))),
                tuple(text for text in found.others if not any(one.startswith(text) for one in own)),
            )
        rest = dict.fromkeys((*found.others, *more.own, *more.others))
        return Titles(found.own, tuple(text for text in rest if text not in found.own), found.beginnings, found.named)

    def _alternatives(self) -> list[str]:
        """Return the variants of the title; none if several others are rather works that the publication contains."""
        titles = [
            title
            for title in self.mods.title_info
            if title.type in ("alternative", "translated") and not _NOT_OF_WORK.search(title.display_label or "")
        ]
        if not titles:
            return []
        own = {word for title in self.proper for word in work_words(title.title)}
        unlike = [title for title in titles if title.type == "alternative" and not own & work_words(title.title)]
        return [main_title(title) for title in titles if len(unlike) < _MIN_CONTENTS or title not in unlike]

    def _is_original(self, uniform: UniformTitle) -> bool:
        """Whether a uniform title without a language is that of the original."""
        return (
            bool(self.people.is_translated or self.people.translators or self.originals)
            and self.form != "music"
            and bool(self.people.creators)
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
            names = [name for title in self.proper for name in title.part_name]
            own += [f"part {part} of {count} {work_title_key(name).text}" for name in names[:1] if count]
        dated = (text for text in (*self.notes, self.about) if "1" in text or "2" in text)
        reprinted = [found[1] for text in dated if (found := _REPRINT.match(text))]
        own += [f"year {year}" for year in reprinted]
        dates = (date.value for info in self.mods.origin_info for date in info.date_issued)
        issued = [year for date in dates for year in years(date)][:1]
        others += [f"year {year}" for year in issued if str(year) not in reprinted]
        forms = [{*fold(heading(name)).split()} for creator in self.people.creators for name, _ in creator.names]
        is_name = any({*fold(title.title).split()} <= words for title in self.proper for words in forms)
        return Evidence(tuple(dict.fromkeys(own)), tuple(others), is_name=is_name)

    def _year_of_report(self) -> list[str]:
        """Return the year of issue as a trait of reports, laws and other publications that come again and again."""
        if any(title.part_number for title in self.proper) or not self.proper:
            return []
        statement = " ".join(note.value for note in self.mods.note if note.type == "statement of responsibility")
        found = [f"in statement:{year}" for year in years(statement)] if statement else []
        if _REPORT.match(self.proper[0].title):
            dates = (date.value for info in self.mods.origin_info for date in info.date_issued)
            found += [f"issued:{year}" for date in dates for year in years(date)[:1]][:1]
        return found

    def _publishers(self) -> list[str]:
        """Return the beginnings of the publishers, also those of the set."""
        origins = (*self.mods.origin_info, *(self.host.mods.origin_info if self.host is not None else ()))
        found = (spelling_key(one.value)[:_LETTERS_OF_PUBLISHER] for info in origins for one in info.publisher)
        return list(dict.fromkeys(filter(None, found)))[:2]

    def _contains_itself(self) -> bool:
        """Whether the table of contents names the title among others: it is that of one work of a collection."""
        if not self.proper or not self.contents:
            return False
        own = work_title_key(self.proper[0].title).text
        contents = [work_title_key(divide_content(text)[1]).text for text in entries_of_contents(self.contents)]
        return len(contents) > 1 and own in contents

    def _pieces_of_notes(self) -> Iterator[str]:
        """Yield what notes state: «Др. загл.: Мальтийский сокол; ориг.: The Maltese falcon»."""
        return (piece for note in self.notes for piece in note.split("; "))

    def _original_titles(self) -> list[str]:
        found = [one.title for one in self.parsed if one.language]
        found += [one.title for one in self.parsed if not one.language and self._is_original(one)]
        for item in self.mods.related_item:
            if (
                item.other_type == "translationOf"
                or item.type == "original"
                or (item.type == "otherVersion" and item.other_type is None and self.people.is_translated)
            ):
                found += [
                    parse_uniform_title(stated_title(title)).title for title in item.mods.title_info[:1] if title.title
                ]
        for text in self._pieces_of_notes():
            match = _ORIGINAL_IN_NOTE.match(text)
            if match:
                found.append(match[1].partition(" / ")[0].strip(' ."«»'))
        if not found:
            return []
        own = {work_title_key(title.title).text for title in self.proper}
        return [
            title
            for title in dict.fromkeys(found)
            if title and (work_title_key(title).text not in own or any(one.language for one in self.parsed))
        ]

    def _names_of_volume(self) -> list[str]:
        """Return the names of a volume that has a number, too."""
        if not self.part:
            return []
        names = [name for title in self.proper for name in title.part_name if not is_designation(name)]
        if not names and self.is_volume and self.proper and not is_designation(self.proper[0].title):
            names = [main_title(self.proper[0])]
        of_set = work_title_key(self._title_of_set()).text
        return [name for name in names if work_title_key(name).text != of_set]

    def _title_of_set(self) -> str:
        """Return the title of the set that a volume is a part of."""
        titles = (self.is_volume and self._host_titles()) or self.proper
        return main_title(titles[0]) if titles else ""

    def _host_titles(self) -> tuple[TitleInfo, ...]:
        return self.host.mods.title_info if self.host is not None else ()

    def _is_article(self) -> bool:
        """Whether the host is an issue of a serial or a book with pages of which the publication is a part."""
        return (
            self.host is not None
            and self.host.other_type != "set"
            and any(
                part.extent or any(detail.type in ("issue", "number") for detail in part.detail) or part.date
                for part in self.host.mods.part
            )
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
