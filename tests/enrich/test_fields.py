"""Values of descriptions as fields of MARC 21 and of UNIMARC, and headings as names and subjects."""

import pytest

from bibld.enrich._marc21 import MARC21
from bibld.enrich._slices import NewField
from bibld.enrich._unimarc import UNIMARC
from bibld.model.enrichment import MARC21_MARKS, UNIMARC_MARKS, AdditionSource, provenance_subfields
from bibld.model.marc import DataField, Leader, MarcRecord, Subfield
from bibld.model.mods import (
    Classification,
    Genre,
    Geographic,
    Identifier,
    Language,
    LanguageTerm,
    Name,
    NamePart,
    Subject,
    Temporal,
    TitleInfo,
    Topic,
    Url,
)
from bibld.model.origin import Origin
from bibld.worklist import FormatChecker, load_format

TOLSTOY = Name(
    type="personal",
    name_part=(
        NamePart(value="Толстой, Лев Николаевич"),
        NamePart(value="граф", type="termsOfAddress"),
        NamePart(value="1828-1910", type="date"),
    ),
)
RSL = Name(type="corporate", name_part=(NamePart(value="Российская государственная библиотека"),))

SUBJECTS = [
    (
        Subject(parts=(Topic(value="Books"), Geographic(value="Russia"), Genre(value="Maps")), authority="lcsh"),
        "650  0$aBooks$zRussia$vMaps",
        "606 0 $aBooks$yRussia$jMaps$2lcsh",
    ),
    (
        Subject(parts=(Topic(value="Книги"), Topic(value="История"), Temporal(value="19 в.")), authority="nlr-sh"),
        "650  7$aКниги$xИстория$y19 в.$2nlr-sh",
        "606 0 $aКниги$xИстория$z19 в.$2nlr-sh",
    ),
    (Subject(parts=(Topic(value="Книги"),)), "653   $aКниги", "610 0 $aКниги"),
    (Subject(parts=(Geographic(value="Москва"),), authority="rubbk"), "651  7$aМосква$2rubbk", "607   $aМосква$2rubbk"),
    (Subject(parts=(Temporal(value="1900"),), authority="fast"), "648  7$a1900$2fast", None),
    (Subject(parts=(Genre(value="Novels"),), authority="lcgft"), "655  7$aNovels$2lcgft", "608   $aNovels$2lcgft"),
    (
        Subject(parts=(TOLSTOY, Topic(value="Criticism")), authority="lcsh"),
        "600 10$aТолстой, Лев Николаевич$cграф$d1828-1910$xCriticism",
        "600  1$aТолстой$bЛев Николаевич$cграф$f1828-1910$xCriticism$2lcsh",
    ),
    (
        Subject(parts=(TOLSTOY, TitleInfo(title="Война и мир")), authority="lcsh"),
        "600 10$aТолстой, Лев Николаевич$cграф$d1828-1910$tВойна и мир",
        None,
    ),
    (Subject(parts=(RSL,)), f"610 24$a{RSL.name_part[0].value}", f"610 0 $a{RSL.name_part[0].value}"),
    (Subject(parts=(TitleInfo(title="Bible", non_sort="The "),)), "630 04$aThe Bible", "610 0 $aThe Bible"),
    (
        Subject(parts=(Topic(value="Книги"), Topic(value="История"))),
        "650  4$aКниги$xИстория",
        "610 0 $aКниги -- История",
    ),
    (Subject(parts=(Genre(value="Novels"),)), "655  4$aNovels", None),
    (Subject(), None, None),
]


def line(field):
    if field is None:
        return None
    return f"{field.tag} {field.indicators}" + "".join(f"${one.code}{one.value}" for one in field.subfields)


@pytest.mark.parametrize(("value", "marc21", "unimarc"), SUBJECTS)
def test_subjects(value, marc21, unimarc):
    assert (line(MARC21.subject(value)), line(UNIMARC.subject(value))) == (marc21, unimarc)


@pytest.mark.parametrize(
    ("value", "marc21", "unimarc"),
    [
        (Classification(value="821.161.1", authority="udc"), "080   $a821.161.1", "675   $a821.161.1"),
        (Classification(value="891.7", authority="ddc", edition="22"), "082 04$a891.7$222", "676   $a891.7$v22"),
        (Classification(value="891.7", authority="ddc"), "082 04$a891.7", "686   $a891.7$2ddc"),
        (Classification(value="PG3365", authority="lcc"), "050  4$aPG3365", "680   $aPG3365"),
        (Classification(value="84(2Рос=Рус)1", authority="rubbk"), *["{} $a84(2Рос=Рус)1$2rubbk"] * 2),
        (Classification(value="17.82", authority="rugasnti"), *["{} $a17.82$2rugasnti"] * 2),
        (Classification(value="A"), None, None),
    ],
)
def test_class_marks(value, marc21, unimarc):
    marc21 = marc21 and marc21.format("084  ")
    unimarc = unimarc and unimarc.format("686  ")
    assert (line(MARC21.classification(value)), line(UNIMARC.classification(value))) == (marc21, unimarc)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Identifier(value="5-7390-0346-6", type="isbn"), "$a5739003466"),
        (Identifier(value="978-5-17-080115-2 (в пер.)", type="isbn"), "$a9785170801152"),
        (Identifier(value="5-7390-0346-7", type="isbn"), None),
        (Identifier(value="5-7390-0346-6", type="isbn", invalid="yes"), None),
        (Identifier(value="5-7390-0346-6", type="local"), None),
    ],
)
def test_only_valid_isbns(value, expected):
    for fields, tag in ((MARC21, "020"), (UNIMARC, "010")):
        assert line(fields.standard_number(value)) == (expected and f"{tag}   {expected}")


def test_languages_and_addresses():
    russian = LanguageTerm(value="rus", type="code", authority="iso639-2b")
    assert line(MARC21.language_field(Language(language_term=(russian,)))) == "041   $arus"
    assert line(UNIMARC.language_field(Language(language_term=(russian,)))) == "101 | $arus"
    assert MARC21.language_field(Language(language_term=(russian,), object_part="summary")) is None
    url = Url(value="https://example.org/1", display_label="Обложка")
    assert line(MARC21.address(url, True)) == "856 42$3Обложка$uhttps://example.org/1"
    assert line(UNIMARC.address(url, True)) == "856 41$uhttps://example.org/1$2Обложка"
    assert line(MARC21.address(Url(value="https://example.org/1"), False)) == "856 41$uhttps://example.org/1"
    assert [line(one) for one in MARC21.publication("https://a/1", "")] == ["024 7 $ahttps://a/1$2uri"]


def heading(text):
    tag, *parts = text.split("$")
    return DataField(tag[:3], tag[3], tag[4], tuple(Subfield(part[0], part[1:]) for part in parts))


@pytest.mark.parametrize(
    ("fields", "field", "forms"),
    [
        (MARC21, "1001 $aТолстой, Л. Н.$cграф,$d1828", ["Толстой, Л. Н. граф,", "Толстой, Л. Н."]),
        (MARC21, "7102 $aBodies.$bParts.", ["Bodies. Parts."]),
        (MARC21, "7001 $aName$tWork", []),
        (UNIMARC, "700 1$aТолстой$bЛ. Н.$gЛев Николаевич$cграф",
         ["Толстой, Лев Николаевич, граф", "Толстой, Лев Николаевич", "Толстой, Л. Н., граф", "Толстой, Л. Н."]),
        (UNIMARC, "71002$aТело$bЧасть", ["Тело Часть"]),
        (UNIMARC, "600 1$aИмя$tТруд", []),
    ],
)  # fmt: skip
def test_names_of_headings(fields, field, forms):
    assert fields.name_forms(heading(field)) == forms


def test_links_and_numbers():
    links = {"viaf": "http://viaf.org/viaf/96987389", "isni": "https://isni.org/isni/0000000121032683"}
    assert [one.value for one in MARC21.link_subfields(links)] == list(links.values())
    assert UNIMARC.link_subfields(links) == (Subfield("o", "ISNI0000000121032683"),)
    assert UNIMARC.link_subfields({"viaf": links["viaf"]}) == (Subfield("o", "VIAF96987389"),)
    assert UNIMARC.link_subfields({"wikidata": "http://www.wikidata.org/entity/Q7243"}) == ()
    gnd = {"gnd": "https://d-nb.info/gnd/1"}
    assert UNIMARC.number_subfields({}, "RU\\NLR\\AUTH\\7", False) == (Subfield("3", "RU\\NLR\\AUTH\\7"),)
    assert UNIMARC.number_subfields(gnd, "", False) == ()
    assert UNIMARC.number_subfields(gnd, "", True) == (Subfield("3", gnd["gnd"]),)
    assert MARC21.number_subfields(gnd, "RU\\NLR\\AUTH\\7", True) == (Subfield("0", gnd["gnd"]),)
    assert MARC21.number_subfields({}, "(CaQ)12", True) == (Subfield("0", "(CaQ)12"),)


@pytest.mark.parametrize(
    ("fields", "marks", "flavour"),
    [(MARC21, MARC21_MARKS, "marc21"), (UNIMARC, UNIMARC_MARKS, "rusmarc"), (UNIMARC, UNIMARC_MARKS, "unimarc")],
)
def test_every_field_is_defined_by_its_format(fields, marks, flavour):
    russian = Language(language_term=(LanguageTerm(value="rus", type="code", authority="iso639-2b"),))
    made = [fields.subject(value) for value, *_ in SUBJECTS]
    made += [fields.classification(Classification(value="891.7", authority=one)) for one in ("udc", "ddc", "lcc", "x")]
    made += [fields.classification(Classification(value="891.7", authority="ddc", edition="22"))]
    made += [
        fields.address(Url(value="https://example.org/1", display_label="x"), is_cover) for is_cover in (True, False)
    ]
    made += [*fields.publication("https://a/1", "https://a/2"), fields.language_field(russian)]
    made += [fields.standard_number(Identifier(value="5-7390-0346-6", type="isbn"))]
    made += [NewField(*place, (Subfield("a", "x"),)) for place in (fields.abstract, fields.contents)]
    source = AdditionSource("subjects", "https://a/3", "RU-1", 0.9, "(RU-1)7")
    link = Subfield(marks.link_code, marks.link_text(1))
    marked = [DataField(one.tag, *one.indicators, (link, *one.subfields)) for one in made if one is not None]
    marked.append(DataField(marks.tag, "0", " ", provenance_subfields(source, 1, marks)))
    record = MarcRecord(Origin("s", "f", 1, 0), Leader("00000nam a2200000 i 4500"), tuple(marked))
    faults = FormatChecker(load_format(flavour)).inspect(record).faults
    assert [one for one in faults if one.where[:3] in {field.tag for field in marked}] == []
