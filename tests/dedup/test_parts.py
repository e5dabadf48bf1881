"""Parts in every notation and field: records as libraries write them, through the crosswalks to the decision."""

import numpy as np
import pytest

from bibld.crosswalk import marc21, rusmarc
from bibld.dedup.clustering import PersonDecisions, cluster_pairs
from bibld.dedup.decisions import RELATED as RELATED_DECISION
from bibld.dedup.decisions import SAME, Decider
from bibld.dedup.exceptions import Exceptions, find_exceptions
from bibld.dedup.features import features_of
from bibld.model.features import FeatureColumns
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin
from bibld.protocols import adapters
from tests.dedup import similarity
from tests.dedup.test_decisions import DecisionConfig

EQUAL, RELATED, DIFFERENT = "equal", "nested_parts", "part_numbers"


def record(*fields):
    """A record from texts such as ``200 1#$aTitle``: MARC 21 if it has a field 245, else RUSMARC."""
    made = [ControlField("001", "1")]
    for text in fields:
        indicators, *subfields = text[4:].split("$")
        values = tuple(Subfield(item[0], item[1:]) for item in subfields)
        made.append(DataField(text[:3], *indicators.replace("#", " ")[:2], values))
    is_marc21 = any(text.startswith("245") for text in fields)
    level = "2" if any(text.startswith("461") for text in fields) else "0"
    leader = "00000nam a2200000 i 4500" if is_marc21 else f"     nam{level} 22     i 450 "
    return MarcRecord(Origin("x", "x.mrk", 1, 0), Leader(leader), tuple(made)), marc21 if is_marc21 else rusmarc


def features(fields):
    made, adapter = record(*fields.split(" + "))
    return features_of(adapter.convert(made, adapter.Settings()).mods)


def relations(records, left, right):
    """How the parts of pairs of records are related."""
    columns = FeatureColumns.from_features(enumerate(records))
    found = find_exceptions(columns, np.array(left, np.uint32), np.array(right, np.uint32))
    nested, different = int(Exceptions.NESTED_PARTS), int(Exceptions.PART_NUMBERS)
    return [DIFFERENT if bits & different else RELATED if bits & nested else EQUAL for bits in found.tolist()]


NUMBER_FIELDS = (
    "200 1#$aСобрание сочинений$h{}",
    "200 1#$a{} + 461 #0$12001#$aСобрание сочинений",
    "200 1#$aСобрание сочинений + 461 #0$12001#$aСобрание сочинений$v{}",
    "245 10$aSobranie sochinenii.$n{}",
    "245 10$aSobranie sochinenii.$n{},$pRasskazy",
)
TITLE_FIELDS = (
    "200 1#$aСобрание сочинений. {}",
    "200 1#$aСобрание сочинений$e{}",
    "200 1#$aСобрание сочинений$eв 18 т.$e{}",
    "200 1#$aСобрание сочинений$i{}",
    "200 1#$aСобрание сочинений$eв 18 т. {}$eроман",
    "245 10$aSobranie sochinenii. {}",
    "245 10$aSobranie sochinenii :$b{}",
    "245 10$aSobranie sochinenii :$bv 18 t. {}",
    "245 10$aSobranie sochinenii.$p{}",
)

NOTATIONS = {
    "1": """Т. 1|т.1|Том 1|Том I|Том І|Том первый|Первый том|Том 1-й|1-й том|[Т.] 1|T. 1|Tom 1|Tom pervyĭ|Tom pervyi
        |Vol. 1|vol. I|Volume one|Volume the first|First volume|1st volume|v. 1|Bd. 1|Bd. I|Band 1|Erster Band|1. Band
        |Tome premier|Tome I|Premier tome|Том перший|Перший том|Том першы|Першы том|Т. 01|В 3 т. Т. 1|In 3 vols. Vol. 1
        |Кн. 1|Книга первая|Книга перша|Кніга першая|Book one|Bk. 1|Erstes Buch|Livre premier|Kn. 1|Kniga pervaia
        |Ч. 1|Часть первая|Часть 1-я|Часть I|Частина перша|Частка першая|Pt. 1|Part I|Part the first|Erster Teil|1. Teil
        |Première partie|Ch. 1|Chastʹ pervaia|Вып. 1|Выпуск первый|Vyp. 1|Heft 1|Fasc. 1|Тетрадь первая|Тетрадь 1""",
    "2": """Т. 2|Том II|Том второй|Том 2-й|2-й том|Второй том|Vol. 2|Volume two|Second volume|2nd volume|Bd. II|Band 2
        |Zweiter Band|2. Bd.|Tome second|Tome II|Deuxième tome|Том другий|Том другі|Книга друга|Кн. 2|Книга вторая
        |Часть вторая|Часть II|Часть ІІ|Ч. 2|Частина друга|Zweiter Theil|Second part|Part two|Deuxième partie|Pt. II
        |Вып. 2-й|Выпуск второй|Тетрадь вторая|Chastʹ vtoraia|Kniga vtoraia|Tom vtoroi|Т. 2-ой|Том 2-ой""",
    "3": """Т. 3|Том третий|Том III|Vol. III|Volume three|Third volume|Dritter Band|Troisième tome|Том третій|Том трэці
        |Книга третья|Часть третья|Часть 3-я|Частина третя|Kniga tretʹia""",
    "4": "Том четвёртый|Том четвертый|Т. 4|Vol. IV|Vol. IIII|Fourth volume|Vierter Band|Quatrième tome|Том ІV|Tom IV",
    "12": "Т. 12|Том двенадцатый|Т. XII|Т. ХІІ|Twelfth volume|Zwölfter Band|Том дванадцятий|Вып. 012|Bd. XII",
    "15": "Т. 15|Т. XV|Т. ХV|Т. ХУ|Том пятнадцатый|Том пʼятнадцятий|Fifteenth volume|Fünfzehnter Band",
    "21": """Т. 21|Том двадцать первый|Т. XXI|Twenty-first volume|Volume twenty-one|Einundzwanzigster Band
        |Книга двадцать первая|Часть двадцать первая""",
    "40": "Т. 40|Том сороковой|Т. XL|Fortieth volume|Vierzigster Band|Сороковой том",
    "99": "Т. 99|Том девяносто девятый|Т. XCIX|Ninety-ninth volume|Volume ninety-nine",
}
ALONE = {"1": "1|I|[1]|№ 1|No. 1|Nr. 1|Первая", "2": "2|II|№ 2|ІІ|Вторая", "3": "3|III", "21": "21|XXI"}
REFERENCE = "200 1#$aСобрание сочинений$h{}"


def forms():
    """Each notation of a number, in a field for numbers and in one for titles."""
    for number, texts in NOTATIONS.items():
        for place, text in enumerate(texts.split("|")):
            yield number, NUMBER_FIELDS[place % len(NUMBER_FIELDS)].format(text.strip())
            yield number, TITLE_FIELDS[place % len(TITLE_FIELDS)].format(text.strip())
    for number, texts in ALONE.items():
        for text in texts.split("|"):
            yield number, NUMBER_FIELDS[0].format(text)
            yield number, NUMBER_FIELDS[3].format(text)


FORMS = list(forms())


def test_the_table_has_many_forms():
    assert len({form for _, form in FORMS}) > 350


@pytest.mark.parametrize(("number", "form"), FORMS)
def test_a_part_is_equal_to_the_same_and_different_from_others_in_any_notation(number, form):
    others = [REFERENCE.format(f"Т. {other}") for other in (number, int(number) + 1, int(number) + 10)]
    records = [features(fields) for fields in (form, *others)]
    assert relations(records, (0, 0, 0), (1, 2, 3)) == [EQUAL, DIFFERENT, DIFFERENT]


class EqualScores:
    """A scorer that finds all records equal."""

    Settings = similarity.Settings

    @staticmethod
    def scores(columns, left, right, settings):
        return np.ones(len(left), dtype=np.float32)


def decided(monkeypatch, records):
    """Decide about all pairs of records whose scores are 1, and cluster them."""
    monkeypatch.setattr(adapters, "load_adapter", lambda stage, name: EqualScores)
    columns = FeatureColumns.from_features(enumerate(records))
    decider = Decider(columns, np.arange(len(records)), DecisionConfig(similarity.Settings()))
    left, right = np.triu_indices(len(records), 1)
    nobody = PersonDecisions.from_verdicts({})
    return cluster_pairs(decider, decider.decide(left, right), nobody, lambda nodes: nodes)


def test_no_score_joins_different_parts_directly_or_through_a_record_without_a_part(monkeypatch):
    records = [features(form) for _, form in FORMS]
    without_part = [features("200 1#$aСобрание сочинений"), features("245 10$aSobranie sochinenii")]
    found = decided(monkeypatch, records + without_part)
    clusters = [{FORMS[row][0] for row in cluster if row < len(FORMS)} for cluster in found.clusters()]
    assert sorted(len(numbers) for numbers in clusters) == [1] * len(NOTATIONS)
    numbers = np.array([*(int(number) for number, _ in FORMS), 0, 0])
    is_equal = (numbers[found.pairs.left] == numbers[found.pairs.right]) & (numbers[found.pairs.left] > 0)
    assert set(found.decisions[is_equal].tolist()) == {SAME}  # none is for review
    is_different = (numbers[found.pairs.left] > 0) & (numbers[found.pairs.right] > 0) & ~is_equal
    assert set(found.decisions[is_different].tolist()) == {RELATED_DECISION}


def test_a_range_that_contains_two_parts_joins_neither(monkeypatch):
    texts = ("Т. 1-2", "Т. 1", "Т. 2", "Т. 1, 2")
    found = decided(monkeypatch, [features(REFERENCE.format(text)) for text in texts])
    assert [cluster.tolist() for cluster in found.clusters()] == [[0, 3]]


PAIRS = (
    # Letters, in Cyrillic, romanised, and typed in the wrong alphabet
    ("200 1#$aАлгебра$hЧ. А", "200 1#$aАлгебра. Ч. А", EQUAL),
    ("200 1#$aАлгебра$hЧ. А", "200 1#$aАлгебра$hЧ. A", EQUAL),
    ("200 1#$aАлгебра$hЧ. А", "245 10$aAlgebra.$nCh. A", EQUAL),
    ("200 1#$aАлгебра$hЧ. В", "200 1#$aАлгебра$hЧ. B", EQUAL),
    ("200 1#$aАлгебра$hЧ. Б", "245 10$aAlgebra.$nCh. B", EQUAL),
    ("200 1#$aАлгебра$hЧ. Я", "245 10$aAlgebra.$nCh. I︠A︡", EQUAL),
    ("200 1#$aАлгебра$hЧ. А", "200 1#$aАлгебра$hЧ. Б", DIFFERENT),
    ("200 1#$aАлгебра$hЧ. А", "200 1#$aАлгебра$eЧ. Б", DIFFERENT),
    ("200 1#$aАлгебра$hЧ. А", "200 1#$aАлгебра$hЧ. Я", DIFFERENT),
    ("200 1#$aАлгебра$hЧасть А", "245 10$aAlgebra.$nChastʹ B", DIFFERENT),
    ("200 1#$aАлгебра. Часть А", "200 1#$aАлгебра. Часть Б", DIFFERENT),
    ("245 10$aAlgebra.$nPart A", "245 10$aAlgebra.$nPart B", DIFFERENT),
    ("245 10$aAlgebra.$nPart A", "245 10$aAlgebra. Part A", EQUAL),
    ("245 10$aAlgebra.$nPart A", "245 10$aAlgebra :$bpart B", DIFFERENT),
    ("245 10$aAlgebra.$nPart A.", "245 10$aAlgebra.$nA", EQUAL),
    ("245 10$aZeitschrift.$nReihe A", "245 10$aZeitschrift.$nReihe B", DIFFERENT),
    ("200 1#$aТруды$hСерия А", "200 1#$aТруды$hСерия Б", DIFFERENT),
    ("200 1#$aТруды$hСерия 1", "200 1#$aТруды$hСер. I", EQUAL),
    ("200 1#$aТруды$hСерия Б, вып. 3", "200 1#$aТруды$hВып. 3", EQUAL),
    ("200 1#$aТруды$hСерия Б, вып. 3", "200 1#$aТруды$hВып. 4", DIFFERENT),
    ("200 1#$aТруды$hСерия Б, вып. 3", "200 1#$aТруды$hСер. В, вып. 3", DIFFERENT),
    # Letters of the alphabet
    ("200 1#$aСловарь$hА - К", "200 1#$aСловарь$hЛ - Я", DIFFERENT),
    ("200 1#$aСловарь$iА - К", "200 1#$aСловарь$iЛ - Я", DIFFERENT),
    ("200 1#$aСловарь$iА - К", "200 1#$aСловарь$eЛ - Я", DIFFERENT),
    ("200 1#$aСловарь. А-К", "200 1#$aСловарь. Л-Я", DIFFERENT),
    ("200 1#$aСловарь. А-К", "200 1#$aСловарь$hА — К", EQUAL),
    ("200 1#$aСловарь$hА–К", "245 10$aSlovarʹ.$nA - K", EQUAL),
    ("200 1#$aСловарь$hЛ–Я", "245 10$aSlovarʹ.$pL-I︠A︡", EQUAL),
    ("200 1#$aСловарь$hЛ–Я", "245 10$aSlovarʹ.$pA-K", DIFFERENT),
    ("200 1#$aСловарь$hТ. 1$iА - К", "200 1#$aСловарь$hТ. 2$iЛ - Я", DIFFERENT),
    ("200 1#$aЭнциклопедия$iАбак - Антенна", "200 1#$aЭнциклопедия$iАнтилопа - Бронза", DIFFERENT),
    ("245 10$aLexikon.$nA-K", "245 10$aLexikon.$nL-Z", DIFFERENT),
    ("245 10$aLexikon.$nBd. 1,$pA-K", "245 10$aLexikon.$nBand I", EQUAL),
    ("200 1#$aКаталог$iБуквы А-Д", "200 1#$aКаталог$iБуквы Е-К", DIFFERENT),
    ("200 1#$aКаталог$iБуквы А-Д", "200 1#$aКаталог$iА - Д", EQUAL),
    ("200 1#$aКаталог$iБуква А", "200 1#$aКаталог$iБуква Б", DIFFERENT),
    ("200 1#$aКаталог$iА", "200 1#$aКаталог$iБ", DIFFERENT),
    ("200 1#$aКаталог$iот А до К", "200 1#$aКаталог$iот Л до Я", DIFFERENT),
    ("200 1#$aКаталог. Вып. 2: А-Д", "200 1#$aКаталог. Вып. 3: Е-К", DIFFERENT),
    # Brackets, commas and units in titles
    ("200 1#$aОчерки (том второй)", "200 1#$aОчерки (том первый)", DIFFERENT),
    ("200 1#$aОчерки [Т. 2]", "200 1#$aОчерки$hТ. 2", EQUAL),
    ("200 1#$aОчерки, ч. вторая", "200 1#$aОчерки, ч. первая", DIFFERENT),
    ("200 1#$aОчерки, часть вторая: Лето", "200 1#$aОчерки$hЧ. 2$iЛето", EQUAL),
    ("200 1#$aОчерки$eв трех книгах$eкнига третья", "200 1#$aОчерки$eв трех книгах$eкнига вторая", DIFFERENT),
    ("200 1#$aТруды$eвыпуск № 3", "200 1#$aТруды$eвыпуск № 4", DIFFERENT),
    ("245 10$aPapers. No. 3", "245 10$aPapers :$bno. 4", DIFFERENT),
    ("245 10$aPapers. No. 3", "245 10$aPapers.$nNr. 3", EQUAL),
    ("245 10$aHandbuch.$n1. Halbband", "245 10$aHandbuch.$nZweiter Halbbd.", DIFFERENT),
    ("200 1#$aДневник$iЯнварь - июнь 1941", "200 1#$aДневник$iИюль - декабрь 1941", DIFFERENT),
    ("200 1#$aКапитал$hТ. 1, кн. 1", "245 10$aDas Kapital.$nErster Band, Buch I", EQUAL),
    ("245 10$aWar and peace.$nBooks 1-3", "245 10$aWar and peace.$nBooks four to six", DIFFERENT),
    # Ranges of numbers
    ("200 1#$aАрхипелаг$hТ. 1$iЧ. 1-2", "200 1#$aАрхипелаг$hТ. 1", EQUAL),
    ("200 1#$aАрхипелаг$hТ. 1$iЧ. 1-2", "200 1#$aАрхипелаг$hТ. 2", DIFFERENT),
    ("200 1#$aСочинения$hТ. 1-2", "200 1#$aСочинения$hТ. 1, 2", EQUAL),
    ("200 1#$aСочинения$hТ. 1-2", "200 1#$aСочинения$hТ. 1 и 2", EQUAL),
    ("200 1#$aСочинения$hТ. 1-2", "200 1#$aСочинения. Т. 1/2", EQUAL),
    ("200 1#$aСочинения$hТ. 1-2", "200 1#$aСочинения$hТ. 1 - Т. 2", EQUAL),
    ("200 1#$aСочинения$hТ. 1-2", "245 10$aSochinenii︠a︡.$nT. I-II", EQUAL),
    ("200 1#$aСочинения$hТ. 1-3", "245 10$aSochinenii︠a︡.$nT. 1, 2, 3", EQUAL),
    ("200 1#$aСочинения$hТ. 1-2", "200 1#$aСочинения$hТ. 3-4", DIFFERENT),
    ("200 1#$aСочинения$hТ. 1-2", "200 1#$aСочинения$hТ. 3", DIFFERENT),
    ("200 1#$aСочинения$hТ. 1-2", "200 1#$aСочинения$hТ. 2", RELATED),
    ("200 1#$aСочинения$hТ. 1-2", "200 1#$aСочинения$hТ. 2-3", RELATED),
    ("200 1#$aСборник$hВып. 7/8", "245 10$aSbornik.$nVyp. 7-8", EQUAL),
    ("245 10$aWerke.$nBand 1 und 2", "245 10$aWerke.$nBd. 1/2", EQUAL),
    ("245 10$aWorks.$nVols. 1 & 2", "245 10$aWorks.$nVolumes 1-2", EQUAL),
    # Paths of different depth
    ("200 1#$aКурс$hПолутом 2", "200 1#$aКурс$hТ. 1, полут. 2", EQUAL),
    ("200 1#$aКурс$hТ. 1, второй полутом", "200 1#$aКурс$hТ. 1, полут. 2", EQUAL),
    ("200 1#$aКурс$hТ. 1, полут. 1", "200 1#$aКурс$hТ. 1, полут. 2", DIFFERENT),
    ("200 1#$aКурс$hПолутом 1", "200 1#$aКурс$hТ. 1, полут. 2", DIFFERENT),
    ("200 1#$aКурс$hТ. 1, полут. 2", "200 1#$aКурс$hТ. 2, полут. 2", DIFFERENT),
    ("200 1#$aКурс$hТ. 2", "200 1#$aКурс$hПолутом 2", RELATED),
    ("200 1#$aКурс$hТ. 1", "200 1#$aКурс$hТ. 1, ч. 2", RELATED),
    ("200 1#$aКурс$hТ. 2", "200 1#$aКурс$hТ. 1, ч. 2", DIFFERENT),
    ("200 1#$aКурс$hЧ. 2", "200 1#$aКурс$hТ. 1, ч. 2", EQUAL),
    ("200 1#$aКурс$hТ. 1$hЧ. 2", "245 10$aKurs.$nT. 1, ch. 2", EQUAL),
    ("200 1#$aКурс$hТ. 1, ч. 1", "245 10$aKurs.$nT. 1, ch. 2", DIFFERENT),
    ("200 1#$aКурс$hТ. 1, кн. 1", "200 1#$aКурс. Т. 1. Кн. 2", DIFFERENT),
    ("200 1#$aКурс$hТ. 1, кн. 2", "200 1#$aКурс. Т. 1. Кн. 2", EQUAL),
    ("200 1#$aКурс. Том первый$hКн. 2", "200 1#$aКурс$hТ. 2, кн. 2", DIFFERENT),
    ("245 10$aHandbuch.$nBd. 2, 1. Teil", "245 10$aHandbuch.$nBand II, Teil 1", EQUAL),
    ("245 10$aHandbuch.$nBd. 2, 1. Teil", "245 10$aHandbuch.$nBd. 2, 2. Teil", DIFFERENT),
    ("200 1#$aСочинения$hТ. 3", "200 1#$aСочинения$hТ. 3, доп.", RELATED),
    ("200 1#$aСочинения$hТ. 1", "200 1#$aСочинения$eв 10 т.$hТ. 1", EQUAL),
    ("200 1#$aСочинения$eв 10 т. Т. 1", "245 10$aSochinenii︠a︡.$nT. 1", EQUAL),
    ("200 1#$aСочинения : в 30 т. Письма : в 12 т. Т. 1", "200 1#$aСочинения$hТ. 1", EQUAL),
    ("200 1#$aСочинения : в 30 т. Письма : в 12 т. Т. 2", "200 1#$aСочинения$hТ. 12", DIFFERENT),
    ("200 1#$aСочинения$eв двух томах. Том первый", "200 1#$aСочинения$eв 2 т.$hТ. 2", DIFFERENT),
    ("200 1#$aТ. 1$eПовести + 461 #0$12001#$aСочинения", "200 1#$aСочинения$hТ. 2$iПовести", DIFFERENT),
    ("200 1#$aТ. 1$eПовести + 461 #0$12001#$aСочинения", "200 1#$aСочинения$hТ. 1$iПовести", EQUAL),
    ("200 1#$aПовести + 461 #0$12001#$aСочинения$vТ. 1", "200 1#$aПовести + 461 #0$12001#$aСочинения$vТ. 2", DIFFERENT),
    ("200 1#$aСочинения$iЧ. 2. Геометрия", "200 1#$aСочинения$hЧ. 2$iГеометрия", EQUAL),
    ("200 1#$aСочинения$iЧ. 1. Геометрия", "200 1#$aСочинения$hЧ. 2$iГеометрия", DIFFERENT),
    # Classes of schools
    ("200 1#$aМатематика$eучебник для 5 класса", "200 1#$aМатематика$e6 класс : учебник", DIFFERENT),
    ("200 1#$aМатематика$eучебник для 5 класса", "200 1#$aМатематика$e5 кл. : учебник", EQUAL),
    ("200 1#$aМатематика. 5 класс", "200 1#$aМатематика$eучебник для V класса", EQUAL),
    ("200 1#$aМатематика. 5-й класс", "245 10$aMatematika :$buchebnik dli︠a︡ 6 klassa", DIFFERENT),
    ("200 1#$aМатематика. Пятый класс", "200 1#$aМатематика. Шестой класс", DIFFERENT),
    ("200 1#$aМатематика. 5-6 классы", "200 1#$aМатематика. 7-8 классы", DIFFERENT),
    ("200 1#$aМатематика$e5 класс$hЧ. 1", "200 1#$aМатематика$e6 класс$hЧ. 1", DIFFERENT),
    ("200 1#$aМатематика$e5 класс$hЧ. 1", "200 1#$aМатематика$hЧ. 1", EQUAL),
    ("200 1#$aМатематика$h5 класс", "200 1#$aМатематика$hЧ. 1", EQUAL),
    ("245 10$aMathematics.$nGrade 5", "245 10$aMathematics.$nGrade 6", DIFFERENT),
    ("245 10$aMathematics.$nGrade 5", "245 10$aMathematics :$bgrade 5", EQUAL),
    # Years and seasons
    ("200 1#$aОтчёт$eза 1998 год", "200 1#$aОтчёт$eза 1999 год", DIFFERENT),
    ("200 1#$aОтчёт$eза 1998 г.", "200 1#$aОтчёт$h1998", EQUAL),
    ("200 1#$aОтчёт за 1998 год", "200 1#$aОтчёт за 1999 год", DIFFERENT),
    ("200 1#$aОтчёт за 2005/2006 год", "200 1#$aОтчёт за 2006/2007 год", DIFFERENT),
    ("200 1#$aОтчёт за 2005-2006 гг.", "200 1#$aОтчёт за 2005/06 год", EQUAL),
    ("200 1#$aАльманах$hЗима 2005/2006", "200 1#$aАльманах$hЗима 2006/2007", DIFFERENT),
    ("200 1#$aАльманах$hВесна 2001", "200 1#$aАльманах$hОсень 2001", DIFFERENT),
    ("245 10$aCatalog.$nSpring 2001", "245 10$aCatalog.$nFall 2001", DIFFERENT),
    ("245 10$aCatalog.$nSpring 2001", "245 10$aCatalog, spring 2001", EQUAL),
    ("245 10$aYearbook.$n1998", "245 10$aYearbook, 1999", DIFFERENT),
    ("245 10$aYearbook.$n1998", "245 10$aYearbook.$n1998", EQUAL),
    ("245 10$aYearbook.$nVol. 3", "245 10$aYearbook.$n1998", EQUAL),
    ("245 10$aBericht.$nJahr 1998", "245 10$aBericht.$n1999", DIFFERENT),
    ("245 10$aRadio noise data, March, April, May 1960", "245 10$aRadio noise data, June, July 1960", DIFFERENT),
    ("245 10$aRadio noise data, December 1960", "245 10$aRadio noise data, Dec. 1960", EQUAL),
    ("200 1#$aВедомости$hМай 1913", "200 1#$aВедомости$hИюнь 1913", DIFFERENT),
    ("245 10$aHearing, May 24, 1991", "245 10$aHearing, May 24, 1995", DIFFERENT),
    ("245 10$aAid in fiscal years 1992-93 :$bhearing, April 17, 1991", "245 10$aAid in fiscal years 1992-93", EQUAL),
    ("245 10$aHistory, 1941-1945", "245 10$aHistory, 1941-45 :$ba survey", EQUAL),
    ("245 10$a1990 annual report", "245 10$a1991 annual report", DIFFERENT),
    ("245 10$a1990 annual report", "245 10$aAnnual report.$n1990", EQUAL),
    ("245 10$aProceedings of the 1998 IEEE Symposium", "245 10$aProceedings of the 1999 IEEE Symposium", DIFFERENT),
    ("245 10$aReport for 1990/91", "245 10$aReport for 1991-92", DIFFERENT),
    ("245 10$aReport for 1990/91", "245 10$aReport.$n1990-1991", EQUAL),
    ("245 10$aSeason 1985-86", "245 10$aSeason, 1986/1987", DIFFERENT),
    ("245 10$aAnnual report, FY90", "245 10$aAnnual report, fiscal year 1991", DIFFERENT),
    ("245 10$aEuro-Par '98 :$bproceedings", "245 10$aEuro-Par '99 :$bproceedings", DIFFERENT),
    ("245 10$aEuro-Par '98 :$bproceedings", "245 10$aEuro-Par 1998", EQUAL),
    ("245 10$aJahrbuch.$nJg. 5", "245 10$aJahrbuch.$n6. Jahrgang", DIFFERENT),
    ("245 10$aTwenty-third annual report of the Society", "245 10$a24th annual report of the Society", DIFFERENT),
    ("200 1#$aДвадцать третий отчёт общества", "200 1#$a23-й отчет общества", EQUAL),
    ("200 1#$aЕжегодник БСЭ за 1987 год", "200 1#$aЕжегодник БСЭ$h1988", DIFFERENT),
    ("200 1#$aЕжегодник БСЭ за 1987 год", "200 1#$aЕжегодник БСЭ$hГод 1987", EQUAL),
    ("200 1#$a1987 + 461 #0$12001#$aЕжегодник", "200 1#$aЕжегодник за 1988 год", DIFFERENT),
    ("200 1#$aИтоги 1975 года", "200 1#$aИтоги 1976 года", DIFFERENT),
    ("200 1#$aКалендарь на 1990 год", "200 1#$aКалендарь, 1991", DIFFERENT),
    ("200 1#$aСправочник на 1990/91 учебный год", "200 1#$aСправочник на 1991/92 учебный год", DIFFERENT),
    ("200 1#$aХроника (1912-1913)", "200 1#$aХроника, 1914-1915 гг.", DIFFERENT),
    ("200 1#$aКонференция-98$eтезисы", "200 1#$aКонференция 1999$eтезисы", DIFFERENT),
    ("200 1#$aОтчёт за I квартал 1990 г.", "200 1#$aОтчёт за 2-й квартал 1990 г.", DIFFERENT),
    ("200 1#$aОтчёт за первое полугодие 1990 г.", "200 1#$aОтчёт за 2-е полугодие 1990 г.", DIFFERENT),
    ("200 1#$aОтчёт за январь-март 1990 г.", "200 1#$aОтчёт за I квартал 1990 г.", EQUAL),
    # Years in titles that are no parts
    ("200 1#$aОтечественная война 1812 года", "200 1#$aОтечественная война 1812 г.$e1812-2012", EQUAL),
    ("200 1#$aРеволюция 1905 года", "200 1#$aРеволюция 1905-1907 гг.", EQUAL),
    ("200 1#$aУчебник$eизд. 1999 г.", "200 1#$aУчебник$e3-е изд., 2001", EQUAL),
    ("200 1#$a1812 год$eроман", "200 1#$a1812$eроман", EQUAL),
    ("245 10$a1984", "245 10$a1984 :$ba novel", EQUAL),
    # Letters of the alphabet with and without the half volume
    ("200 1#$aСловарь$hТ. 1а, полут. 2$iАлтай - Арагвай", "200 1#$aСловарь$hТ. 1а$iАлтай - Арагвай", EQUAL),
    ("200 1#$aСловарь$hТ. 1а, полут. 2$iАлтай - Арагвай", "200 1#$aСловарь$hТ. 1а$iАрагва - Астра", DIFFERENT),
    # Chapters, repeated units, Tatar
    ("200 1#$aРоман$hУзел 2$iГл. 1-37", "200 1#$aРоман$hУзел 2$iГл. 38-75", DIFFERENT),
    ("200 1#$aТуризм$hТ. 4. кн. 7. кн. 8", "200 1#$aТуризм$hТ. 4, кн. 7-8", EQUAL),
    ("200 1#$aТуризм$hТ. 4. кн. 7. кн. 8", "200 1#$aТуризм$hТ. 4, кн. 9", DIFFERENT),
    ("200 1#$aДәреслек$h2нче китап", "200 1#$aДәреслек$hКит. 2", EQUAL),
    ("200 1#$aДәреслек$h1нче китап", "200 1#$aДәреслек$hКит. 2", DIFFERENT),
    ("200 1#$aБеренче китап + 461 #0$12001#$aСайланма әсәрләр", "200 1#$aСайланма әсәрләр$h2 китап", DIFFERENT),
    ("200 1#$aТөртінші том + 461 #0$12001#$aСөздік", "200 1#$aСөздік$h4-том", EQUAL),
    ("200 1#$aТөртінші том + 461 #0$12001#$aСөздік", "200 1#$aСөздік$h3-том", DIFFERENT),
    ("200 1#$aЎн тўртинчи том + 461 #0$12001#$aАсарлар", "200 1#$aАсарлар$h15 том", DIFFERENT),
    ("200 1#$aОлоҥхо$hБастакы кинигэ", "200 1#$aОлоҥхо$h1-гы кинигэ", EQUAL),
    ("200 1#$aІсторія$hТ. 9, перша половина", "245 10$aIstorii︠a︡.$nTom IX, pershyĭ pivtom", EQUAL),
    ("200 1#$aТвори$hТом другий", "245 10$aTvory.$nTom druhyĭ", EQUAL),
    ("200 1#$aСловарь$hТ. 1. П/т. 2", "200 1#$aСловарь$hТ. 1, полут. 2", EQUAL),
    ("200 1#$aДаффа - Меди + 461 #0$12001#$aСправочник", "200 1#$aСправочник$iА - Дарзана", DIFFERENT),
    ("200 1#$aДаффа - Меди + 461 #0$12001#$aСправочник", "200 1#$aСправочник$hТ. 1$iА - Дарзана", DIFFERENT),
    # Numbers of conferences
    ("200 1#$aТруды 4-й Междунар. науч.-практ. конф.", "200 1#$aIII Международная конференция$eтруды", DIFFERENT),
    ("200 1#$aТруды 4-й Междунар. науч.-практ. конф.", "200 1#$aЧетвёртая Международная конференция", EQUAL),
    ("200 1#$aМатериалы двадцатой Зимней школы", "200 1#$aФизика$eматериалы XXI Зим. школы", DIFFERENT),
    ("245 10$a4th International Symposium", "245 10$aFifth International Symposium", DIFFERENT),
    ("245 10$aA symposium on 4 questions", "245 10$aFifth International Symposium", EQUAL),
    # Levels, variants and seasons, with and without a number
    ("245 10$aWords at work :$bbeginner", "200 1#$aWords at work$eIntermediate", DIFFERENT),
    ("245 10$aWords at work :$bintermediate", "200 1#$aWords at work$eUpper-Intermediate", DIFFERENT),
    ("245 10$aLe français du rail :$bniveau 1", "245 10$aLe français du rail :$bniveau 3", DIFFERENT),
    ("200 1#$aЗадачник$eбазовый уровень", "200 1#$aЗадачник$eуглублённый уровень", DIFFERENT),
    ("200 1#$aЗадачник$eбазовый и углублённый уровни", "200 1#$aЗадачник$eуглублённый уровень", EQUAL),
    ("200 1#$aСправочник$eверсия 3.0", "200 1#$aСправочник$eверсия 4.0", DIFFERENT),
    ("200 1#$aСправочник$eверсия 3.0", "200 1#$aСправочник$eверсия 3.1", DIFFERENT),
    ("200 1#$aСправочник$eверсия 3.0", "200 1#$aСправочник + 205 ##$aВерс. 3", EQUAL),
    ("245 10$aReport :$bversion: 2", "245 10$aReport :$bversion: 5", DIFFERENT),
    ("245 10$aReport :$bEnglish version", "245 10$aReport", EQUAL),
    ("200 1#$aФинский язык$eначальный этап", "200 1#$aФинский язык. Основной этап", DIFFERENT),
    ("245 10$aDeutsch :$bA2", "200 1#$aDeutsch$eУровень А2", EQUAL),
    ("245 10$aDeutsch :$bA2", "200 1#$aDeutsch$eB1", DIFFERENT),
    ("200 1#$aКонтрольные работы$eвариант А", "200 1#$aКонтрольные работы$eВариант Б", DIFFERENT),
    ("200 1#$aМоды года$eвесна-лето", "200 1#$aМоды года$eосень-зима", DIFFERENT),
    ("200 1#$aМоды года$eосень-зима", "200 1#$aМоды года$eОсень/зима 2001", EQUAL),
    ("200 1#$aИзвестия$e3 июля", "200 1#$aИзвестия$e5 июля", DIFFERENT),
    ("200 1#$aТатар теле$e5 сыйныф", "200 1#$aТатар теле. 6 кл.", DIFFERENT),
    # Words of other languages
    ("245 10$aOpowieści :$bksięga pierwsza", "245 10$aOpowieści.$nKs. III", DIFFERENT),
    ("245 10$aOpowieści :$bczęść druga", "200 1#$aOpowieści$hCz. 2", EQUAL),
    ("245 10$aBibliotheca.$nVolumen alterum", "200 1#$aBibliotheca$hVol. II", EQUAL),
    ("245 10$aOpera.$nPars prima", "200 1#$aOpera$hP. I", EQUAL),
    ("245 10$aStoria.$nLibro secondo", "245 10$aStoria.$nLibro terzo", DIFFERENT),
    ("245 10$aHistoria.$nTomo tercero", "245 10$aHistoria.$nT. 3", EQUAL),
    ("245 10$aBuch der Imker.$nNachtragsband", "245 10$aBuch der Imker.$nNachtr.-Bd.", EQUAL),
    ("245 10$aStudia.$ntom dodatkowy", "200 1#$aStudia$ht. dod.", EQUAL),
    ("200 1#$aСочинения$hДополнительный том", "200 1#$aСочинения$hДоп. т.", EQUAL),
    ("200 1#$aСочинения$hТ. 3", "200 1#$aСочинения$hПриложение к т. 3", RELATED),
    ("245 10$aKunst :$bTafelband", "245 10$aKunst :$bTextband", DIFFERENT),
    # Dictionaries and maps
    ("200 1#$aНемецко-русский словарь", "200 1#$aРусско-немецкий словарь", DIFFERENT),
    ("200 1#$aНемецко-русский словарь", "245 10$aDeutsch-russisches Wörterbuch", EQUAL),
    # Numbers that are no parts
    ("200 1#$aПалата № 6", "200 1#$aПалата № 7", EQUAL),
    ("245 10$aCatch-22", "245 10$aCatch-23", EQUAL),
    ("245 00$a1984", "245 00$a1985", EQUAL),
    ("200 1#$aСочинения$eв 2 т.", "200 1#$aСочинения$eв 3 т.", EQUAL),
    ("245 10$aWorks :$bin 2 vols.", "245 10$aWorks :$bin three volumes", EQUAL),
    ("200 1#$aКобзарь$eсборник памяти Т. Г. Шевченко", "200 1#$aКобзарь$hТ. 1", EQUAL),
    ("245 10$aV. I. Lenin :$ba biography", "245 10$aV. V. Stasov :$ba biography", EQUAL),
    ("200 1#$aДве книги", "200 1#$aТри книги", EQUAL),
)  # fmt: skip


@pytest.mark.parametrize(("left", "right", "relation"), PAIRS)
def test_parts_are_equal_related_or_different_in_either_order(left, right, relation):
    pair = [features(left), features(right)]
    assert relations(pair, (0, 1), (1, 0)) == [relation, relation]


@pytest.mark.parametrize(
    "title",
    ["Война и мир", "Catch-22", "1984", "Fahrenheit 451", "Chapter 27", "Палата № 6", "12 стульев", "Том и Джерри",
     "Часть речи", "Книга джунглей", "и т. д.", "Дом, в котором", "Т. Г. Шевченко", "Lenin, V. I.",
     "The Book of Mormon", "Part of the whole", "Две книги", "Москва - Петушки", "Volume of a sphere",
     "1001 ночь", "Путешествие в страну П", "Symphony no. 5", "Соната № 14",
     "20 000 льё под водой", "Б. И. Иванов", "В. И. Ленин", "Фауст. Фауст : трагедия",
     "Три товарища", "Les trois mousquetaires", "Seven pillars", "Level 7", "Area 51", "Формула 1", "Apollo 13",
     "Advanced calculus", "Основной курс", "Осень", "Зима в лесу", "От двух до пяти", "Мамин-Сибиряк"],
)  # fmt: skip
def test_a_title_with_a_number_is_no_part(title):
    assert features(f"200 1#$a{title}").designation == features(f"245 10$a{title}").designation == ""


@pytest.mark.parametrize(
    ("fields", "designation"),
    [
        (("200 1#$aСправочник лесничего", "215 ##$aЧ. 1. - 411 с."), "p1"),
        (("200 1#$aСправочник лесничего", "215 ##$aТ. 1-3"), ""),
        (("245 00$aHandbook", "300 ##$av. 2 (320 p.)"), "v2"),
        (("245 00$aHandbook", "300 ##$a3 v."), ""),
        (("200 1#$aСправочник", "300 ##$aНа корешке: т. 2"), "v2"),
        (("200 1#$aСправочник", "300 ##$aБиблиография: 3 назв."), ""),
    ],
)
def test_a_part_is_found_in_the_extent_or_a_note(fields, designation):
    assert features(" + ".join(fields)).designation == designation
