"""The facts of a work: what it is made of, who created it, and the ties by which equal works find each other.

A tie is made of the title alone if that is specific, of the title and the beginning of a creator's name otherwise, and
of a third thing for titles such as «Стихотворения» or "Annual report", which many works have: an editor, the number of
volumes, the year of the edition that is reprinted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from bibld.model.mods import TitleInfo
from bibld.text.keys import consonants
from bibld.text.statements import name_word, stem_of_family
from bibld.text.work_titles import TitleKey, work_title_key
from bibld.triplify._claims import BODY, WorkFacts
from bibld.triplify._works.people import Creator

_MAX_TIES_OF_OWN, _MAX_VARIANTS, _MAX_STEMS = 6, 4, 4
_LETTERS_OF_BODY = 10
_MAX_CHARACTERS = 80
_MIN_CONSONANTS = 6
_NOBODY = "-"
"""What ties have instead of the beginning of a name, where no person created a work."""

_ENDS_OF_ARTICLES = " '’-"


def main_title(title: TitleInfo) -> str:
    """Return a title with its non-sorting beginning."""
    if not title.non_sort:
        return title.title
    return f"{title.non_sort}{'' if title.non_sort[-1] in _ENDS_OF_ARTICLES else ' '}{title.title}"


def stated_title(title: TitleInfo) -> str:
    """Return a title with its parts, as a heading has them."""
    return ". ".join(filter(None, (main_title(title).rstrip("."), *title.part_number, *title.part_name)))


class Titles(msgspec.Struct, frozen=True):
    """The titles that tie a work: its own, others that name it, and the beginnings of
    long ones, and titles with the name of an author that they contain."""

    own: tuple[str, ...]
    others: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()


class Evidence(msgspec.Struct, frozen=True):
    """What ties works of a generic title: texts about the work, and the texts that others may state of it.
    ``numbers`` are those of music, in lists of the works of its composer. ``is_name``: the title is but the name of the
    creator."""

    own: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    is_name: bool = False


def make_facts(facts: WorkFacts, titles: Titles, creators: Sequence[Creator], evidence: Evidence) -> WorkFacts:
    """Return facts with the ties of titles."""
    stems = list(_stems(creators))
    own = list(_ties(facts.form, titles.own, stems, evidence, facts.part))[:_MAX_TIES_OF_OWN]
    own += [(f"{facts.form}  {stem} {number}", True) for number in evidence.numbers for stem in stems]
    others = list(_ties(facts.form, titles.others, stems, evidence, facts.part))[: _MAX_TIES_OF_OWN + _MAX_VARIANTS]
    others += [
        pair
        for title, name in titles.named
        for pair in _ties(facts.form, [title], [stem_of_family(name_word(name.split()[-1]))], evidence, facts.part)
    ]
    beginnings = [tie for tie, _ in _ties(facts.form, titles.beginnings, stems, evidence, facts.part)]
    named = [tie for tie, is_own in own if is_own]
    variants = [
        tie
        for tie, _ in (*(pair for pair in own if not pair[1]), *others, *((tie, False) for tie in beginnings))
        if tie not in named
    ]
    ties = dict.fromkeys((*named, *variants))
    return msgspec.structs.replace(
        facts,
        creators=tuple(one.key for one in creators),
        ties=tuple(ties),
        variants=tuple(dict.fromkeys(variants)),
        beginnings=tuple(tie for tie in dict.fromkeys(beginnings) if tie not in named),
    )


def _stems(creators: Iterable[Creator]) -> Iterator[str]:
    """Yield the beginnings of names that ties contain."""
    found: dict[str, None] = {}
    for creator in creators:
        for form in creator.forms:
            if form.startswith(BODY):
                found[form.removeprefix(BODY).replace(" ", "")[:_LETTERS_OF_BODY]] = None
                continue
            words = form.split()
            found[stem_of_family(words[0])] = None
    if all(creator.is_body for creator in creators):
        found[_NOBODY] = None
    yield from list(found)[:_MAX_STEMS]


def _ties(
    form: str, titles: Iterable[str], stems: Sequence[str], evidence: Evidence, part: str
) -> Iterator[tuple[str, bool]]:
    """Yield ties, and whether they are those of the work itself."""
    for title in titles:
        key = work_title_key(title, is_music=True) if form == "music" else work_title_key(title)
        if not key.text:
            continue
        if form == "music" and key.is_specific:
            key = key._replace(is_specific=False)
        if form == "music" and stems == [_NOBODY]:
            continue
        if evidence.is_name:
            key = key._replace(is_generic=True)
        text = title_in_ties(key)
        for end, is_own in _ends(key, stems, evidence, part):
            yield f"{form} {text} {end}", is_own


def title_in_ties(key: TitleKey) -> str:
    """Return the consonants of a title that has several, so that other endings do not matter; of a long one the
    beginning and a hash."""
    text = consonants(key.text)
    if len(text) < _MIN_CONSONANTS:
        return key.text
    if len(text) <= _MAX_CHARACTERS:
        return text
    return text[:_MAX_CHARACTERS] + hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def _ends(key: TitleKey, stems: Sequence[str], evidence: Evidence, part: str) -> Iterator[tuple[str, bool]]:
    """Yield what is behind the title in a tie."""
    if key.is_generic:
        for stem in stems[:1]:
            for text in evidence.own:
                yield f"{stem} {text}", True
            for text in evidence.others:
                yield f"{stem} {text}", False
    elif key.is_specific:
        yield "", True
    else:
        for stem in stems:
            if stem != _NOBODY or not key.text.isdecimal():
                yield stem, True
