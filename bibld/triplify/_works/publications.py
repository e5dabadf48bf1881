"""The work of a publication and those that it is related to: its original, its host, its contents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from bibld.model.mods import Mods, Name, RelatedItem, TitleInfo
from bibld.text.dates import years
from bibld.text.designations import is_designation, read_designation
from bibld.text.statements import stem_of_family
from bibld.text.work_titles import (
    parse_uniform_title,
    undated,
    work_title_key,
)
from bibld.triplify._claims import WorkFacts
from bibld.triplify._works.contents import entries_of_contents, titles_in_title
from bibld.triplify._works.description import Description
from bibld.triplify._works.facts import Evidence, Titles, main_title, make_facts, stated_title, title_in_ties
from bibld.triplify._works.kinds import (
    count_of_volumes,
    designation_of,
    number_traits,
    remainder_of,
    steps_of_title,
)
from bibld.triplify._works.music import read_music
from bibld.triplify._works.people import Creator, creators_of_heading
from bibld.triplify._works.titles import divide_content, numbers_of, titles_of

_MAX_CONTENTS = 30
_FROM_COLLECTION = re.compile(
    r"\b(?:из|from)\s+(?:кн\.|книги|романа|поэмы|повести|цикла|сборника|трилогии|the novel|the "
    r"book)\s*:?\s*[\"«„“]?([^\"»“”]+)",
    re.IGNORECASE,
)
_OF_TRANSLATION = ("kind", "number", "issn", "in ")
"""Traits of a translation that its original may not have."""

_QUALIFIER = re.compile(r"\([^()\d]{8,}\)$")
"""What distinguishes serials of one title: "CRS reports (Library of Congress)"."""

_FROM = ("Из ", "From ", "из ")


class NamedWork(msgspec.Struct, frozen=True):
    """A work that a description names: the forms of its title, the preferred one first, its creators, its facts.

    ``names`` are the names of the creators with their paths in the description (``name/0``). ``is_identified``: title
    and creators distinguish it from all others, so that it is the same where both occur.
    """

    titles: tuple[TitleInfo, ...]
    names: tuple[tuple[Name, str], ...]
    facts: WorkFacts
    path: str
    is_identified: bool = False


class PublicationWorks(msgspec.Struct, frozen=True):
    """The work of a publication, and what the publication states of its relations to other works.

    ``original`` is the work that it is a translation of, ``host`` the set, serial or collection that it is a part of,
    ``bases`` are works that it is derived from (an adaptation, a libretto, an abridgement), ``contents`` those that it
    contains. An original of which no title is stated has the title of the translation.
    """

    own: NamedWork
    original: NamedWork | None = None
    host: NamedWork | None = None
    bases: tuple[NamedWork, ...] = ()
    contents: tuple[NamedWork, ...] = ()


def _identifies(title: str, creators: Sequence[Creator]) -> bool:
    """Whether a title and those who created the work distinguish it from all others."""
    has_creator = any(creator.names for creator in creators) and not work_title_key(title).is_generic
    return has_creator or _QUALIFIER.search(title) is not None


def find_works(mods: Mods) -> PublicationWorks:
    """Return the works that a description names, from all its elements but the headings of other works."""
    return _Works(mods).works()


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
    return make_facts(facts, titles_of([one.title for one in parsed], found), found, Evidence())


class _Works(Description):
    """Makes the works of one description."""

    def works(self) -> PublicationWorks:
        """Return the works."""
        steps = [step for title in self.proper for step in steps_of_title(title)]
        part, covered = designation_of(steps)
        if not part and self.host is not None:
            if self._is_article():
                covered = (*covered, "!article", *(f"in host:{number}" for number in numbers_of(self.host)))
            else:
                part, _ = designation_of(step for number in numbers_of(self.host) for step in read_designation(number))
                self.is_volume = bool(part)
        name_of_part = self._work_in_volume(part)
        traits = self._traits()
        if name_of_part:
            part = ""
        else:
            traits = [*covered, *traits]
        count = self.count = count_of_volumes(
            [text for title in self.proper for text in (title.title, *title.sub_title)],
            [extent.value for one in self.mods.physical_description for extent in one.extent],
        )
        if part:
            count = self.count = count_of_volumes(
                [text for title in self._host_titles() for text in title.sub_title], ()
            )
            has_name = any(not is_designation(name) for title in self.proper for name in title.part_name)
            traits += [f"of:{count}"] * (bool(count) and not has_name)
        elif count and self.proper and work_title_key(self.proper[0].title).is_generic:
            traits.append(f"of:{count}")
        creators = self.people.creators
        is_literature = self.form == "text" and self.has_person
        self.in_title = titles_in_title(self.proper[0], traits) if self.proper and is_literature else []
        if self.in_title and not part:
            traits.append("!omnibus")
        if not self.has_person:
            traits += self._year_of_report()
        traits += self._numbers_in_series() if self.form != "music" else ()
        if self.form == "music":
            part = " ".join(step for step in part.split() if not step[0].isdecimal())
            titles_of_music = [stated_title(title) for title in (*self.proper, *self.uniform)]
            music = read_music(titles_of_music, [text for title in self.proper for text in title.sub_title])
            traits += music.traits
        elif not any(trait.startswith("genre") for trait in traits):
            traits += number_traits(text for title in self.proper[:1] for text in title.sub_title)
        if self._contains_itself():
            traits.append("!collection")
        self.part = part
        keys = [work_title_key(name) for name in self._names_of_volume()]
        traits += [f"name:{title_in_ties(key)}" for key in keys if not key.is_generic]
        traits = list(dict.fromkeys(traits))
        titles = self._titles(name_of_part, creators)
        evidence = self._evidence(count, part, covered)
        if self.form == "music":
            evidence = Evidence(numbers=music.ties, is_name=evidence.is_name)
        facts = WorkFacts(
            self.form,
            tuple(traits),
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
            self._original(titles, creators, names, part, traits) if self.is_translation else None,
            self._containing(name_of_part, part, covered, creators, names, facts),
            self._bases(facts, titles, creators, names),
            tuple(self._contents(facts, creators, names)),
        )

    def _original(
        self,
        own: Titles,
        creators: Sequence[Creator],
        names: tuple[tuple[Name, str], ...],
        part: str,
        own_traits: Sequence[str],
    ) -> NamedWork:
        """Return the work that the publication is a translation of; it ties with others by the translation's title."""
        titles = titles_of(self.original_titles, creators)
        traits = tuple(trait for trait in own_traits if not trait.startswith(_OF_TRANSLATION))
        facts = WorkFacts(self.form, traits, " ".join(sorted(self.originals)), part=part, origin="original")
        named = make_facts(facts, titles, creators, Evidence())
        translated = make_facts(facts, own, creators, Evidence())
        ties = tuple(dict.fromkeys((*named.ties, *(f"translated {tie}" for tie in translated.ties))))
        variants = (*named.variants, *(f"translated {tie}" for tie in translated.variants))
        stated = tuple(TitleInfo(title=title) for title in self.original_titles) or tuple(self.proper[:1])
        facts = msgspec.structs.replace(named, ties=ties, variants=variants)
        is_identified = bool(self.original_titles) and _identifies(self.original_titles[0], creators)
        return NamedWork(stated, names, facts, "title_info/0", is_identified)

    def _containing(
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
        its_creators: Sequence[Creator] = creators
        stated = [*(note for note in self.notes if note.startswith(_FROM)), self.about]
        taken = next((match[1] for text in stated if (match := _FROM_COLLECTION.search(text))), "")
        volume = self._series_of_volume()
        if taken:
            title = taken.strip(" .")
        elif self.host is not None and self._host_titles():
            index = self.mods.related_item.index(self.host)
            title, path = main_title(self._host_titles()[0]), f"related_item/{index}"
            of_volumes = count_of_volumes([text for one in self._host_titles() for text in one.sub_title], ())
            if self.host.mods.name:
                its_creators = creators_of_heading(
                    (name, f"{path}/name/{number}") for number, name in enumerate(self.host.mods.name)
                )
            elif not self.host.other_type and not self.is_volume:
                its_creators = ()
        elif volume is not None:
            title = main_title(volume.mods.title_info[0])
            of_volumes = count_of_volumes(volume.mods.title_info[0].sub_title, ())
            path = f"related_item/{self.mods.related_item.index(volume)}"
            its_creators = ()
        elif part or name_of_part or (covered and not self.has_person):
            title = undated(main_title(self.proper[0])) if self.proper else ""
            of_volumes = count_of_volumes(self.proper[0].sub_title, ()) if self.proper else ""
        key = work_title_key(title)
        if not key.text or not title:
            return None
        traits = (*(trait for trait in facts.traits if trait.startswith(("!", "genre", "kind"))), "?serial")
        facts_of_set = msgspec.structs.replace(facts, part="", traits=traits)
        years_of_set = [
            date.value for info in (self.host.mods.origin_info if self.host else ()) for date in info.date_issued
        ]
        evidence = Evidence(
            tuple(f"in {of_volumes} {publisher}" for publisher in self._publishers() if of_volumes)
            + tuple(f"by {stem_of_family(name.split()[0])}" for name in self.people.others),
            tuple(f"year {year}" for date in years_of_set for year in years(date)[:1]),
        )
        entries = tuple(entry for creator in its_creators for entry in creator.names)
        is_identified = _identifies(title, its_creators)
        if is_identified:
            traits = (*(trait for trait in facts.traits if trait == "!serial"), "?serial")
            facts_of_set = WorkFacts(facts.form, traits, facts.language)
        found = make_facts(facts_of_set, titles_of([title], its_creators), its_creators, evidence)
        return NamedWork((TitleInfo(title=title),), entries, found, path, is_identified)

    def _series_of_volume(self) -> RelatedItem | None:
        """Return the set that a record states as a series: one that counts its volumes."""
        for item in self.mods.related_item:
            if (
                item.type == "series"
                and item.mods.title_info
                and count_of_volumes(item.mods.title_info[0].sub_title, ())
            ):
                return item
        return None

    def _bases(
        self, facts: WorkFacts, titles: Titles, creators: Sequence[Creator], names: tuple[tuple[Name, str], ...]
    ) -> tuple[NamedWork, ...]:
        """Return the work that a retelling, an abridgement or an arrangement has in its title."""
        strict = [trait for trait in facts.traits if trait in ("!abridged", "!retold", "!arranged", "!selection")]
        if not strict or not creators or facts.part:
            return ()
        base = WorkFacts(
            facts.form, tuple(trait for trait in facts.traits if trait.startswith("genre")), facts.language
        )
        found = make_facts(base, titles, creators, Evidence())
        is_identified = _identifies(main_title(self.proper[0]), creators)
        named = NamedWork(tuple(self.proper[:1]), names, found, "title_info/0", is_identified)
        return (named,) if found.ties else ()

    def _contents(
        self, facts: WorkFacts, creators: Sequence[Creator], names: tuple[tuple[Name, str], ...]
    ) -> Iterator[NamedWork]:
        """Yield the works that the title or the table of contents of a collection names."""
        for number, text in enumerate(self._titles_of_contents()):
            if number == _MAX_CONTENTS:
                return
            written_by, title = divide_content(text)
            authors = written_by or creators
            key = work_title_key(title)
            if key.is_generic or not authors:
                continue
            content = WorkFacts(facts.form, (), facts.language, translators=facts.translators, origin=facts.origin)
            found_facts = make_facts(content, titles_of([title]), authors, Evidence())
            if found_facts.ties:
                is_identified = (
                    not facts.origin and not facts.translators and not written_by and _identifies(title, authors)
                )
                yield NamedWork(
                    (TitleInfo(title=title),),
                    () if written_by else names,
                    found_facts,
                    f"content/{number}",
                    is_identified,
                )

    def _titles_of_contents(self) -> Iterator[str]:
        yield from self.in_title
        if not self.contents:
            return
        is_collection = any(
            work_title_key(text).is_generic
            for title in self.proper[:1]
            for text in (title.title, *title.sub_title)
            if text
        )
        if is_collection or len(self.contents) == 1:
            yield from entries_of_contents(self.contents)
