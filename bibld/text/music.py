"""What a score is for, and its form: instruments and voices; full score, vocal score or piano reduction, parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bibld.text.designations import Step
from bibld.text.part_units import FORM_OF_SCORE, SCORING

_INSTRUMENTS = {
    "a": r"аккордеон\w*|accord[ei]on\w*|akkordeon\w*|akordeon\w*",
    "b": r"баян\w*",
    "c": r"виолончел\w*|віолончел\w*|(?:violon)?cell[oi]s?|violoncelles?",
    "d": r"контрабас\w*|double bass(?:es)?|kontraba[sß]\w*|contrabasses?",
    "e": r"альт[ауо]?м?|viola|violas|bratsche\w*",
    "f": r"флейт\w*|flutes?|flöten?|flûtes?|flauti?",
    "g": r"гитар\w*|гітар\w*|guitars?|gitarren?|guitares?|chitarra",
    "h": r"арф[аеыуо]\w*|harps?|harfen?|harpes?",
    "i": r"скрип(?:к|о[кч])\w*|скрыпк\w*|violins?|violinen?|geigen?|violons?|violini?",
    "k": r"кларнет\w*|clarinets?|klarinetten?|clarinettes?",
    "l": r"балалайк\w*|balalaika\w*",
    "m": r"мандолин\w*|mandolin\w*",
    "n": r"домр\w*|domra",
    "o": r"оркестр\w*|orchest\w*|ork\.|орк\.",
    "p": r"ф(?:ортеп|-п|\.\s?-?п|п\b)\w*|рояля?|pianos?|pianoforte|klavier\w*|clavier|fortepian\w*|pf\.",
    "q": r"хор[аоуе]?м?|хоров|choirs?|chor(?:us)?|gemischter chor|ch(?:œ|oe)urs?|coro",
    "r": r"саксофон\w*|saxophon\w*|saksofon\w*",
    "s": r"фагот\w*|bassoons?|fagotte?",
    "t": r"труб[аыуеой]{1,2}|trumpets?|trompeten?|trompettes?",
    "u": r"валторн\w*|horns?|hörner|cors?",
    "v": r"голос(?:а|ов|ом|у)?|пени[яею]м?|голосу|співу?|voices?|singstimmen?|gesang|voix|chant|canto",
    "w": r"гобо\w*|oboes?|oboen?|hautbois",
    "x": r"тромбон\w*|trombones?|posaunen?",
    "y": r"орган[аоу]?м?|organs?|orgel|orgue",
    "z": r"клавесин\w*|harpsichords?|cembal[oi]\w*|clavecins?",
}
"""By the letter that a designation has for each; the names of the letters are ``part_units.SCORED_FOR``."""
_PARTS = "p"
_FORMS = {
    "f": r"партитур\w*|full score|partituren?|partitura",
    "k": r"клавир\w*|клавір\w*|vocal scores?|piano scores?|piano reduction|klavierausz[uü]g\w*",
    _PARTS: r"голоса|orchestral parts|set of parts|orchesterstimmen|stimmen|komplett der stimmen",
}
_FOR = re.compile(
    r"(?<!\w)(?:для|на|for|für|pour|per|para|dla|with|с|mit|avec|et|und|and|и|у|соло)(?!\w)", re.IGNORECASE
)


def _compiled(patterns: dict[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?<!\w)(?P<{name}>{words})(?!\w)" for name, words in patterns.items()), re.IGNORECASE)


_INSTRUMENT, _FORM = _compiled(_INSTRUMENTS), _compiled(_FORMS)


def read_scoring(titles: Iterable[str], forms: Iterable[str]) -> Iterator[Step]:
    """Yield the instruments and voices that titles name behind a word such as "for", and the form of a score that
    titles, editions or extents (``forms``) state.

    >>> from bibld.text.designations import canonical
    >>> canonical(read_scoring(["Песни : для голоса и баяна"], ["1 vocal score (20 p.)"]))
    'jbv fk'
    """
    titles = list(titles)
    scored_for = {found.lastgroup or "" for title in titles for found in _INSTRUMENT.finditer(_behind_for(title))}
    if scored_for:
        yield Step(SCORING, "".join(sorted(scored_for)))
    stated = {found.lastgroup or "" for title in titles for found in _FORM.finditer(title)} - {_PARTS}  # «для голоса»
    stated |= {found.lastgroup or "" for form in forms for found in _FORM.finditer(form)}
    if stated:
        yield Step(FORM_OF_SCORE, "".join(sorted(stated)))


def _behind_for(title: str) -> str:
    """Return the part of a title from the first word such as "for" on."""
    found = _FOR.search(title)
    return title[found.end() :] if found else ""
