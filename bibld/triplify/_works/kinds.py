"""What a work is made of, and what kind of work it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from bibld.model.mods import Mods, TitleInfo
from bibld.text.designations import Step, canonical, may_designate, read_designation
from bibld.text.folding import tidy
from bibld.text.keys import title_key
from bibld.text.part_units import CLASS, COVERED, LETTERS, LEVEL, MEETING, VERSION, YEAR
from bibld.text.part_values import Field
from bibld.text.scripts import has_cyrillic
from bibld.text.work_titles import is_function_word

_CACHED = 1 << 14
_FORMS = {
    "text": "text", "software, multimedia": "text", "sound recording-nonmusical": "text", "notated music": "music",
    "sound recording-musical": "music", "moving image": "film", "cartographic": "map", "still image": "image",
    "three dimensional object": "object", "mixed material": "mixed",
}  # fmt: skip
_LETTERS_OF_RANGE, _LETTERS_OF_WORD, _MAX_CHARACTERS = 8, 5, 80
_TRAITS = {
    "!abridged": r"сокращ[её]нн|в сокр(?:ащ|\.)|сокр\. (?:изд|пер|вар)|(?<!un)abridg|(?<!un)gekürzt|в сжатом",
    "!retold": r"пересказ(?!\w* с \w+\.)|переложен\w+ для дет|retold|retelling|адаптир|адапт\.|adapted|"
    r"simplified|graphic novel|комикс|"
    r"graded reader|bookworms|easy reader|книга для чтения|nacherz|frei nach ",
    "!selection": r"\bизбранн|избр\.|\bотрыв(?:ок|ки) из (?:рома|поэм|пове|книг|пьес)|^(?:отрыв(?:ок|ки)|глав[аы])$|"
    r"\bглав[аы] из|отдельные главы|selections|selected (?:poems|stories|from)|auswahl|в извлеч",
    "!libretto": r"либретто|libretto",
    "!screenplay": r"сценари|screenplay|filmscript|drehbuch",
    "!abstract": r"автореф|авторефер|avtoref",
    "!thesis": r"(?<!автореферат )(?<!автореф\. )\bдис\.|диссертац|dissertat|\bthesis|\bдисс\.",
    "!exercise": r"контрольн|самостоятельн|рабочая тетрадь|раб\. тетрадь|workbook|сборник (?:вопросов|задач|"
    r"упражнен|заданий)|\bтесты|тестов|"
    r"exercises|дидактич|проверочн|прописи|задачник|практикум",
    "!teacher": r"книга для учител|для учител\w+ к|метод(?:\.|ическ\w+) (?:пособ|указ|реком|матер|к )|teacher|"
    r"lehrerhand",
    "!commentary": r"комментарий к|критич|этюд о|a critical|a study of|monsters and the critics|interpretat|анализ",
    "!summary": r"\bsummary\b|zusammenfassung|краткое изложение|краткое содержание",
    "!dramatized": r"hörspielfassung|hörspielbearb|инсцениров|переделк|"
    r"\bпо (?:одноим|мотив|поэме|роману|повести|рассказ\w+|пьесе|сказке|новелле) |based on the (?:novel|story|play)|"
    r"nach dem (?:roman|stück)|dramati[sz]ed|dramati[sz]ation|литературно-муз",
    "!advanced": r"углубл[.её]",
    "kind:guide": r"путевод|putevod|\bguide\b",
    "kind:catalogue": r"каталог|katalog|catalogue?",
    "kind:album": r"альбом\b",
    "kind:dictionary": r"словарь|dictionary|wörterbuch",
    "kind:textbook": r"учебник|учеб\.|учебн\w+ пособ|textbook|lehrbuch|підруч|учебное",
    "genre:drama": r"пьеса|комеді|комеди|трагед|драма\b|\bplay\b|comedy|tragedy|schauspiel|hörspiel\b|comédie|"
    r"komödie|lustspiel|trauerspiel|"
    r"водевиль|инсцениров|спектакл|komedi",
    "genre:verse": r"\[?стихи\]?$|стихотворен|\bpoems\b|gedichte",
    "genre:prose": r"роман(?! в стихах)(?!ы)|\bповесть|рассказ\b|\bсказка\b|\bnovel\b|roman\b|povestʹ|erzählung\b|"
    r"\bromance\b",
    "genre:stories": r"\bпьесы\b|\bкомедии\b|\bдрамы\b|\bпроза\b|рассказы и|повести и|сборник рассказ|сборник "
    r"повест|\bplays\b|\bроманы|\bповести\b(?! (?:о|об|в)\b)|\bрассказы\b(?! (?:о|об)\b)|\bсказки\b|\bstories|"
    r"\bnovels|\btales|erzählungen|schönsten märchen|geschichten\b|povesti|rasskazy",
    "score:vocal": r"переложен\w* для пения|для пения с ф|клавир|klavier?ausz|vocal score|klavir|piano score",
    "score:full": r"партитур|full score|orchestral score|partitur",
}
_PATTERNS = {trait: re.compile(words, re.IGNORECASE) for trait, words in _TRAITS.items()}
_LETTERS_OF_BEGINNING = 4
_BEGINNINGS = {
    "!abridged": "сокр сжат abri gekü",
    "!retold": "пере адап adap reto rete simp frei grap коми grad book easy книг nach",
    "!selection": "избр отры отде глав sele ausw извл",
    "!libretto": "либр libr",
    "!screenplay": "сцен кино теле scre film dreh",
    "!abstract": "авто avto",
    "!thesis": "дис дисс dis diss thes",
    "!exercise": "конт само рабо раб work сбор тест exer дида пров проп зада прак",
    "!teacher": "учит для мето науч учеб teac lehr",
    "!commentary": "комм крит этюд crit stud mons inte анал",
    "!summary": "summ zusa крат proj exec",
    "!dramatized": "hörs инсц пере одно моти поэм рома пове расс пьес сказ нове base roma stüc dram лите",
    "!advanced": "углу",
    "kind:guide": "путе putev pute guid",
    "kind:catalogue": "ката kata cata",
    "kind:album": "альб фото",
    "kind:dictionary": "слов dict wört",
    "kind:textbook": "учеб text lehr підр",
    "genre:drama": "пьес коме траг драм ради ауди спек play come trag scha comé komö lust trau воде инсц kome hörs",
    "genre:verse": "стих poem gedi",
    "genre:stories": "пьес коме драм проз расс пове сбор play рома сказ stor nove tale erzä schö gesc pove rass",
    "genre:prose": "рома пове расс сказ nove roma pove erzä",
    "score:vocal": "пере для клав klav voca pian",
    "score:full": "парт full orch part",
}
"""The beginnings of words in the patterns, by which a quick test finds those that are worth a search."""

_TRAITS_OF_BEGINNINGS: dict[str, list[str]] = {}
for _trait, _words in _BEGINNINGS.items():
    for _word in _words.split():
        _TRAITS_OF_BEGINNINGS.setdefault(_word[:_LETTERS_OF_BEGINNING], []).append(_trait)
_STATE_OF_LAW = re.compile(
    r"\(?\d\d\.\d\d\.\d\d\)?|(?:с изм\w*\.?|с последн\w+|по сост\w*\.?|с учетом|текст с|офиц\w*\.? текст|в "
    r"ред\w*\.?|с доп\w*\.?|пер\. с|репринт|факс|воспр|изд\.|от |принят|утв\w*|одобр).*",
    re.IGNORECASE,
)
_IN_CONFERENCE = re.compile(r"\((?:(\d+)\s*[;:,])?\s*(\d{4})?")
TRANSLATION = re.compile(r"\btranslation\b|\btransl\.|\bпер(?:\.|евод)|übersetz", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b[вуin]{1,2}\s+(\d+)(?:-?[а-я]{1,2})?\s*(?:т|ч|кн|vols?|volumes|parts|bd|bänden|томах|частях)\b", re.IGNORECASE
)
_VOLUMES = re.compile(r"^\W*(\d{1,3})\s*(?:т\b|тт\b|v\b|vol|bde?\b|bände|ч\b)", re.IGNORECASE)
_SEASONS_AND_DAYS = COVERED - {CLASS, LEVEL, YEAR, MEETING, VERSION}


_NUMBER = re.compile(
    r"(?<![\d.,:/-])(\d{1,3})(?![\d]|[.,:/-]\d|-?(?:е|го|ое|st|nd|rd|th)\b|(?:-?[а-яx]{1,2})? ?(?:т|ч|кн|д|акт|"
    r"действ|карт|песн|vols?|"
    r"volumes|acts?|parts?|books|cantos|aufz|akt|bd|b[äa]nd|teil|класс|кл|глав|chapters|рис|илл|ил|табл|портр|чертеж|"
    r"plates?|illus|ill|maps?|fig|abb|тыс|000)\w*\b)",
    re.IGNORECASE,
)
_PHASE = re.compile(
    r"\b(?:phase|stage|type|group|paper|этап|группа|тип|вариант)\s+([IVX]+|\d+|[A-DА-Г])\b", re.IGNORECASE
)
_BY_AUTHOR = re.compile(r"соч(?:\.|инен)[^|:]*|перев[^|:]*", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


def number_traits(texts: Iterable[str]) -> Iterator[str]:
    """Yield the small numbers in other title information that count neither volumes nor acts: «50 лет»."""
    for text in texts:
        if not any(map(str.isdecimal, text)) and "I" not in text:
            continue
        plain = without_state_of_law(text)
        yield from (f"number:{found}" for found in _NUMBER.findall(plain))
        yield from (f"phase:{found.casefold()}" for found in _PHASE.findall(plain))


@lru_cache(_CACHED)
def _key_of_word(word: str) -> str:
    return "" if is_function_word(key := title_key(word)) else key[:_LETTERS_OF_WORD]


@lru_cache(_CACHED)
def remainder_of(text: str) -> str:
    """Return the words of other title information as keys, of which works that differ in one are different."""
    if has_cyrillic(text):
        text = _BY_AUTHOR.sub("", text)
    words = [_key_of_word(word) for word in _WORD.findall(without_state_of_law(text))]
    return " ".join(word for word in words if word)[:_MAX_CHARACTERS]


@lru_cache(_CACHED)
def without_state_of_law(text: str) -> str:
    """Return other title information without what it states of the state of a law, and of a text in general."""
    return _STATE_OF_LAW.sub("", text) if has_cyrillic(text) else text


def form_of(mods: Mods) -> str:
    """Return what the work is made of, by the kind of resource."""
    found = [_FORMS.get(tidy(kind.value).lower(), "") for kind in mods.type_of_resource]
    if "sound recording" in (tidy(kind.value).lower() for kind in mods.type_of_resource) and not any(found):
        return (
            "music"
            if any(
                term.value in ("cmp", "prf", "cnd")
                for name in mods.name
                for role in name.role
                for term in role.role_term
            )
            else "text"
        )
    return next(filter(None, found), "text")


def texts_about_kind(mods: Mods) -> str:
    """Return the texts in which words may state what kind of work it is."""
    texts = [text for title in mods.title_info if title.type != "uniform" for text in title.sub_title]
    texts += [title.title.partition(":")[2] for title in mods.title_info if ":" in title.title]
    return " | ".join(texts)[:500]


@lru_cache(_CACHED)
def traits_of(text: str, form: str) -> tuple[str, ...]:
    """Return the traits that the words of other title information state.

    >>> traits_of("комедия в 4 действиях", "text"), traits_of("дис. ... канд. ист. наук", "text")
    (('genre:drama',), ('!thesis',))
    """
    beginnings = {word[:_LETTERS_OF_BEGINNING] for word in _WORD.findall(text.casefold())}
    possible = beginnings & _TRAITS_OF_BEGINNINGS.keys() if text else ()
    wanted = {trait for beginning in possible for trait in _TRAITS_OF_BEGINNINGS[beginning]}
    found = [trait for trait in _TRAITS if trait in wanted and _PATTERNS[trait].search(text)]
    if form == "music":
        found = [trait for trait in found if trait.startswith("score:")]
    elif form != "film":
        found = [trait for trait in found if not trait.startswith("score:")]
    else:
        found = []
    if "!abstract" in found and "!thesis" in found:
        found.remove("!thesis")
    return tuple(found)


_OF_NOTES = ("!abridged", "!retold", "!dramatized", "!commentary")


def traits_of_note(text: str) -> list[str]:
    """Return the traits that notes state."""
    return [trait for trait in traits_of(text, "text") if trait in _OF_NOTES]


def steps_of_title(title: TitleInfo) -> Iterator[Step]:
    """Yield the designations of parts, and of what a part covers, in a title."""
    yield from _read(title.title, Field.TITLE)
    for text in title.part_number:
        yield from _read(text, Field.NUMBER)
    for text in title.sub_title:
        steps = _read(without_state_of_law(text), Field.NAME)
        yield from (
            step for step in steps if step.unit != LETTERS or len(step.value) < _LETTERS_OF_RANGE
        )  # роман-эпопея
    for text in title.part_name:
        yield from _read(text, Field.NAME)


def _read(text: str, field: Field) -> tuple[Step, ...]:
    return read_designation(text, field) if may_designate(text) else ()


def designation_of(steps: Iterable[Step]) -> tuple[str, tuple[str, ...]]:
    """Return the designation of a part, and traits for what it covers."""
    found = list(dict.fromkeys(steps))
    part = canonical(step for step in found if step.unit not in COVERED or step.unit in (CLASS, LEVEL))
    traits = [f"year:{step.value}" for step in found if step.unit == YEAR]
    traits += [f"meeting:{step.value}" for step in found if step.unit == MEETING]
    traits += [f"{step.unit}:{step.value}" for step in found if step.unit in _SEASONS_AND_DAYS]
    return part, tuple(dict.fromkeys(traits))


def conference_traits(names: Iterable[str]) -> Iterator[str]:
    """Yield number and year of a conference from its name: "… (3 ; 2005 ; Самара)"."""
    for name in names:
        found = _IN_CONFERENCE.search(name)
        if found and found[1]:
            yield f"meeting:{found[1]}"
        if found and found[2]:
            yield f"year:{found[2]}"


def count_of_volumes(texts: Iterable[str], extents: Iterable[str]) -> str:
    """Return the number of volumes that a title (first) or an extent states, if it is more than one."""
    for pattern, given in ((_COUNTED, texts), (_VOLUMES, extents)):
        for text in given:
            found = pattern.search(text)
            if found and found[1] not in ("0", "1"):
                return found[1]
    return ""
