"""The fixed words of the synthetic catalogue: letters, endings, given names, places, generic titles and the like.

All other words are made out of letters. A list with weights gives each text in proportion to its weight. All texts are
in their own script, folded.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CYRILLIC, LATIN = 0, 1
SCRIPTS = ("cyrillic", "latin")

FUNCTION_WORDS = {
    "cyrillic": ("и", "в", "на", "с", "по", "для", "о", "из", "от", "к", "об", "до"),
    "latin": ("of", "the", "and", "in", "a", "to", "for", "on", "with", "from", "an", "by", "at", "der", "und", "de"),
}
"""Their shares of all words are measured (``profile.json``)."""

_SMALL = {
    "consonants": ("н7 т6 р5 с5 в5 л5 к4 м3 д3 п3 з2 б2 г2 ч1 х1 ж1 ш1 ц1 ф1 й1", "n7 t8 r7 s7 l5 d4 c4 m3 p3 f2 g2 b2 "
                   "h2 v2 k1 w1 j1 z1 th1 ch1 sh1 x1"),
    "vowels": ("о11 е9 а8 и7 у3 ы2 я2 ю1", "e12 a8 o8 i8 u3 y1 ea1 io1"),
    "clusters": ("ст4 пр4 тр2 ск2 нт2 кр1 гр1 дн1 вл1 сл1 бр1 рт1 рм1 лн1 щ1",
                 "st4 tr2 nt3 nd3 pr2 rt1 ct2 ll1 ss1 rs1 mp1 br1 cr1 gr1 pl1 ck1"),
    "endings": ("а8 ы6 ов5 ие5 ия5 ого4 ая4 ий4 ый4 ой4 ии3 ния3 ение3 ских3 ская2 ский2 ость2 ости2 ного2 ные2 ных2 "
                "ации2 ике1 ом2 е2 и3 у2 ах1 ями1",
                "s8 ing5 ed3 tion5 e8 al4 er5 ic3 ity3 y4 ments2 ion3 ical2 ies2 an3 ism2 en2 us1 ly1 ance2 or2 ers2"),
    "surname_endings": ("ов12 ев8 ин8 ова6 ева4 ина4 ский4 енко3 ая1 ук2 ко2 ян1 ер2 ман1 дзе1 швили1",
                        "son6 er10 man5 s6 ton4 ey4 ard3 ell4 ing2 mann2 in3 ski1 ez1 i2 ley3 e4 t3"),
    "given": ("александр9 сергей7 владимир7 николай6 виктор4 иван5 михаил4 андрей4 алексей4 юрий4 елена4 ольга4 "
              "татьяна4 наталья4 ирина4 анна3 мария3 светлана3 людмила3 борис2 василий2 петр2 павел2 георгий2 лев1 "
              "константин1 игорь2 олег2 валентина2 галина2 евгений2 анатолий2 дмитрий2 федор1 григорий1 яков1 семен1",
              "john8 william7 james6 robert5 george5 charles5 thomas4 henry4 david4 mary4 richard4 edward3 joseph3 "
              "elizabeth2 michael2 frank2 peter2 paul2 arthur2 margaret2 walter2 albert2 frederick2 samuel2 anna2 "
              "daniel1 alice1 harold1 karl1 hans1 jean1 pierre1 maria1 helen1 susan1 barbara1 philip1 stephen1"),
    "second": ("александрович8 николаевич7 иванович7 владимирович6 михайлович5 сергеевич5 васильевич4 петрович4 "
               "викторович3 андреевич3 юрьевич2 борисович2 алексеевна3 ивановна4 николаевна4 владимировна3 петровна2 "
               "михайловна2 павлович2 григорьевич1 львович1 федорович1",
               "henry3 william3 james2 lee2 edward2 ann2 louise1 marie1 francis2 howard1 allen1 charles2 augustus1 "
               "martin1 elizabeth1 jane1 r1 a1 b1"),
    "genres": ("роман17 повесть6 стихи4 учебник4 учебное_пособие6 рассказы3 сборник_статей3 монография3 "
               "повести_и_рассказы2 справочник2 материалы_конференции2 для_детей1 очерки1 учебник_для_вузов2",
               "a_novel6 poems2 and_other_poems2 proceedings2 a_biography2 an_introduction2 report2 a_symposium1 "
               "a_history2 essays1 a_study1 roman2 theory_and_practice1 a_handbook1 selected_papers1"),
    "generic": ("избранное8 собрание_сочинений7 сочинения6 избранные_произведения5 стихотворения6 рассказы5 стихи4 "
                "повести_и_рассказы3 труды4 полное_собрание_сочинений3 избранные_труды3 лирика1 пьесы1 воспоминания2 "
                "сказки2 письма1",
                "poems8 works6 selected_poems5 collected_poems4 essays3 collected_works4 plays3 letters3 memoirs2 "
                "sermons2 short_stories3 selected_works2 report3 proceedings4 history1 autobiography1"),
    "institutions": ("институт5 университет6 академия_наук3 министерство3 библиотека2 музей2 комитет2 общество2 "
                     "академия2 управление2 центр2 научно_исследовательский_институт3",
                     "university6 department_of4 institute_of4 bureau_of3 society_of2 association_of2 office_of2 "
                     "committee_on2 national_library_of1 museum_of1 academy_of2 commission_on2"),
    "reports": ("отчет_о_деятельности3 годовой_отчет3 материалы_к_отчету1 отчет_о_работе2 сборник_трудов2",
                "annual_report7 report4 proceedings2 financial_report1"),
    "publisher_nouns": ("издательство3 книга1 пресс3 наука1 книжное_издательство2 университет2 литература2",
                        "press4 university_press3 books2 and_company3 and_co2 publishing_company1 verlag2 and_sons2"),
    "places": ("москва42 санкт_петербург10 ленинград12 казань6 киев5 минск4 новосибирск3 ростов_на_дону3 екатеринбург2 "
               "нижний_новгород2 саратов2 харьков2 одесса1 томск1 воронеж1 самара1 уфа1 владивосток1",
               "new_york28 london18 washington11 boston5 philadelphia4 chicago4 oxford2 cambridge3 paris3 berlin3 "
               "leipzig2 stuttgart2 munchen2 toronto1 amsterdam1 edinburgh2 san_francisco1 baltimore1"),
    "series_nouns": ("серия3 библиотека4 классика2 записки1 труды2 мастера2 школьная_библиотека2",
                     "library_of3 studies_in4 series3 classics2 bulletin2 technical_report2 occasional_papers1"),
    "edition_words": ("изд5 изд_перераб_и_доп3 изд_испр2 изд_стер2 изд_испр_и_доп2",
                      "ed9 ed_rev2 edition3 printing1 rev_ed1"),
    "part_units": ("т5 ч3 кн2 вып2", "v4 vol4 pt2 bk1"),
    "languages": ("rus90 ukr4 tat3 bel2 bul1", "eng74 ger10 fre7 spa3 ita2 pol2 lat1 cze1"),
    "editors": ("под_ред3 составитель2 сост2 пер_с_англ1", "edited_by3 by4 translated_by1 compiled_by1"),
    "carriers": ("print93 electronic3 microform1 score2 map1", "print90 electronic6 microform2 score1 map1"),
}  # fmt: skip
"""``text`` and weight; ``_`` stands for a blank. The first string is Cyrillic, the second Latin."""

LISTS = {name: number for number, name in enumerate((*_SMALL, "function"))}
"""The number of each list; the list of a script is at ``2 * number + script``."""


class Lexicon(NamedTuple):
    """All texts behind each other, and for each list where its texts begin and how far their weights reach.

    Text ``t`` is ``codes[offsets[t]:offsets[t + 1]]``; list ``n`` has the texts ``starts[n]`` to ``starts[n + 1]``,
    whose ``reaches`` ascend to 1.
    """

    codes: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    reaches: npt.NDArray[np.float64]


def lexicon(function_words: Sequence[dict[str, float]]) -> Lexicon:
    """Put all lists into arrays; those of function words have measured weights."""
    texts: list[str] = []
    reaches: list[float] = []
    starts = [0]
    for weighted in (*(_weighted(text) for pair in _SMALL.values() for text in pair), *function_words):
        total, running = sum(weighted.values()), 0.0
        for text, weight in weighted.items():
            running += weight
            texts.append(text)
            reaches.append(running / total)
        starts.append(len(texts))
    offsets = np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    return Lexicon(codes, offsets, np.array(starts, np.int64), np.array(reaches))


def _weighted(text: str) -> dict[str, float]:
    result = {}
    for item in text.split():
        word = item.rstrip("0123456789")
        result[word.replace("_", " ")] = float(item[len(word) :])
    return result
