"""What a record has is not added, in whatever form it has it."""

import pytest

from bibld.enrich import Addition
from bibld.enrich._marc21 import MARC21
from bibld.enrich._stated import StatedValues
from bibld.enrich._unimarc import UNIMARC
from bibld.model.enrichment import AdditionSource
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin


def field(text):
    if text[:3] < "010":
        return ControlField(text[:3], text[4:])
    head, *parts = text.split("$")
    tag, indicators = head[:3], f"{head[4:6]:2}"
    return DataField(tag, *indicators, tuple(Subfield(part[0], part[1:]) for part in parts))


def is_stated(element, fields, own, added):
    record = MarcRecord(Origin("s", "f", 1, 0), Leader(" " * 24), tuple(map(field, own)))
    new = field(added)
    addition = Addition(AdditionSource(element, "https://a/"), new.tag, new.subfields, new.indicator1 + new.indicator2)
    stated = StatedValues(record, fields)
    return stated.contains(addition), stated.contains(addition)


HEADINGS = [
    # what is the same or other                    the record has                              to be added
    ("a full stop at the end", True, MARC21, "650  0$aBridges.", "650  0$aBridges"),
    ("case", True, MARC21, "650  0$aBRIDGES", "650  0$aBridges"),
    ("a number of an authority file", True, MARC21, "650  0$aBridges$0(DLC)sh85016829", "650  0$aBridges"),
    ("another thesaurus", True, MARC21, "650  7$aBridges$2fast", "650  0$aBridges"),
    ("dashes for subdivisions", True, MARC21, "650  4$aBridges -- Russia--Maps", "650  0$aBridges$zRussia$vMaps"),
    ("other codes of subdivisions", True, MARC21, "650  0$aBridges$xRussia$xMaps", "650  0$aBridges$zRussia$vMaps"),
    ("hyphens and apostrophes", True, MARC21, "650  0$aSteel-bridges’ tests", "650  0$aSteel bridges' tests"),
    ("ё and e", True, MARC21, "650  4$aПчелы", "650  7$aПчёлы$2nlr-sh"),
    ("an uncontrolled term", True, MARC21, "653   $aBridges$aRussia", "650  0$aBridges"),
    ("terms in one subfield", True, MARC21, "653   $aMaps; Bridges; Russia", "650  0$aBridges"),
    ("a controlled heading", True, MARC21, "650  0$aBridges", "653   $aBridges"),
    ("a place among topics", True, MARC21, "650  4$aRussia", "651  0$aRussia"),
    ("a relator term", True, MARC21, "650  0$aBridges$edepicted", "650  0$aBridges"),
    ("a person without dates", True, MARC21, "600 14$aТолстой, Лев Николаевич",
     "600 10$aТолстой, Лев Николаевич$d1828-1910"),
    ("a person with a title", True, MARC21, "600 10$aТолстой, Лев Николаевич,$cграф,$d1828-1910.",
     "600 10$aТолстой, Лев Николаевич$d1828-1910"),
    ("another person of the name", False, MARC21, "600 10$aИванов, Иван$d1900-1970", "600 10$aИванов, Иван$d1980-"),
    ("a work of a person", False, MARC21, "600 10$aТолстой, Лев Николаевич", "600 10$aТолстой, Лев Николаевич$tВойна"),
    ("a narrower heading", False, MARC21, "650  0$aBridges", "650  0$aBridges$zRussia"),
    ("a broader heading", False, MARC21, "650  0$aBridges$zRussia", "650  0$aBridges"),
    ("another heading", False, MARC21, "650  0$aBridges", "650  0$aTunnels"),
    ("a title, not a subject", False, MARC21, "245 10$aBridges", "650  0$aBridges"),
    ("subfields of RUSMARC in one string", True, UNIMARC, "606 0 $aКниги - История - 19 в.",
     "606 0 $aКниги$xИстория$z19 в.$2nlr-sh"),
    ("an uncontrolled term of RUSMARC", True, UNIMARC, "610 0 $aмосты$aдороги", "606 0 $aМосты$2rubbk"),
    ("a controlled heading of RUSMARC", True, UNIMARC, "606 0 $3RU\\NLR\\auth\\66$aМосты$2nlr-sh", "610 0 $aМосты"),
    ("initials with the full names", True, UNIMARC, "600  1$aТолстой$bЛ. Н.$gЛев Николаевич$f1828-1910",
     "600  1$aТолстой$bЛев Николаевич$f1828-1910$2lcsh"),
    ("a body in one subfield", True, UNIMARC, "601 02$aАкадемия наук$bИнститут", "601 02$aАкадемия наук. Институт"),
    ("another part of a body", False, UNIMARC, "601 02$aАкадемия наук", "601 02$aАкадемия наук$bИнститут"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("same", "fields", "own", "added"), [case[1:] for case in HEADINGS], ids=[c[0] for c in HEADINGS]
)
def test_headings(same, fields, own, added):
    assert is_stated("subjects", fields, [own], added) == (same, True)


@pytest.mark.parametrize(
    ("element", "same", "fields", "own", "added"),
    [
        ("classification", True, MARC21, "080   $a821.161.1 - 31", "080   $a821.161.1-31"),
        ("classification", True, MARC21, "080   $a821.161.1$23", "080   $a821.161.1$24"),
        ("classification", True, MARC21, "082 04$a891.73/3$222", "082 04$a891.733"),
        ("classification", True, MARC21, "082 04$a891.733.", "082 04$a891.733$221"),
        ("classification", True, MARC21, "050 00$aPG3365$b.A6 1970", "050  4$aPG3365.A6 1970"),
        ("classification", True, MARC21, "050 00$aPG3365$b.A6 1970", "050  4$aPG3365"),
        ("classification", True, MARC21, "084   $aш5(2=р)1 $2rubbk", "084   $aШ5(2=Р)1$2rubbk"),
        ("classification", True, MARC21, "084   $a84(2)$2bbk", "084   $a84(2)$2rubbk"),
        ("classification", True, MARC21, "084   $a84(2)", "084   $a84(2)$2rubbk"),
        ("classification", True, MARC21, "084   $a821$2udc", "080   $a821"),
        ("classification", False, MARC21, "080   $a51", "082 04$a51"),
        ("classification", False, MARC21, "080   $a82.1", "080   $a821"),
        ("classification", True, UNIMARC, "675   $a821.161.1 .", "675   $a821.161.1"),
        ("classification", True, UNIMARC, "686   $aШ5 (2=Р) 1$2rubbk", "686   $aШ5(2=Р)1$2rubbk"),
        ("classification", True, UNIMARC, "676   $a891.7$v22", "686   $a891.7$2ddc"),
        ("classification", False, UNIMARC, "686   $a17.82$2rugasnti", "686   $a17.82$2rubbk"),
        ("isbn", True, MARC21, "020   $a5-7390-0346-6 (в пер.)", "020   $a9785739003461"),
        ("isbn", True, MARC21, "020   $z5739003466", "020   $a5739003466"),
        ("isbn", True, UNIMARC, "010   $a978-5-7390-0346-1", "010   $a5739003466"),
        ("isbn", False, MARC21, "024   $a5739003466", "020   $a5739003466"),
        ("language", True, MARC21, "041 0 $arus", "041   $arus"),
        ("language", True, MARC21, "008 " + " " * 35 + "rus d", "041   $arus"),
        ("language", True, MARC21, "546   $aТекст на рус. яз.", "041   $arus"),
        ("language", True, UNIMARC, "101 0 $aрусский", "101 | $arus"),
        ("language", False, MARC21, "008 " + " " * 35 + "    d", "041   $arus"),
        ("full_text", True, MARC21, "856 40$uhttp://Example.org/1/", "856 41$uhttps://Example.org/1"),
        ("full_text", True, UNIMARC, "856 40$uhttps://example.org/1$2x", "856 40$uhttp://example.org/1"),
        ("full_text", False, MARC21, "856 40$uhttps://example.org/1", "856 41$uhttps://example.org/2"),
        ("identifiers", True, MARC21, "758   $iWork:$1https://a/work/1", "758   $iWork manifested:$1https://a/work/1"),
        ("identifiers", False, MARC21, "758   $iWork manifested:$1https://a/work/2",
         "758   $iWork manifested:$1https://a/work/1"),
    ],
)  # fmt: skip
def test_other_values(element, same, fields, own, added):
    first, again = is_stated(element, fields, [own], added)
    assert first is same
    assert again or element == "language"
