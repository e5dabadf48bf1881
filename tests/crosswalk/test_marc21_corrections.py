"""Each correction of the stylesheet is a switch, and a switch changes nothing but the fault that it corrects."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from lxml import etree

from bibld.crosswalk import marc21
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods_xml import to_element
from bibld.model.origin import Origin

Corrections = marc21.Corrections
NAMES = Corrections.__struct_fields__


def record(*lines: str, leader: str = "00000nam a2200000 i 4500") -> MarcRecord:
    """A record from lines such as ``245 10 $aNature :$bweekly`` and ``008 840412s1884``."""
    fields: list[ControlField | DataField] = []
    for line in lines:
        tag, text = line[:3], line[4:]
        if tag < "010":
            fields.append(ControlField(tag, text))
            continue
        subfields = tuple(Subfield(part[0], part[1:]) for part in text[3:].split("$")[1:])
        fields.append(DataField(tag, text[0].replace("#", " "), text[1].replace("#", " "), subfields))
    return MarcRecord(Origin("test", "made.mrk", 1, 0), Leader(leader), tuple(fields))


def coded(**positions: str) -> str:
    """A line of 008 with these codes, ``p24="ri"`` from position 24."""
    text = "840412s1884    xx ".ljust(35) + "eng  "
    for name, codes in positions.items():
        start = int(name[1:])
        text = text[:start] + codes + text[start + len(codes) :]
    return f"008 {text}"


def lines(made: MarcRecord, profile: str, **switches: bool) -> Counter[str]:
    """What the record becomes: a line for each element, such as ``originInfo/place`` and ``genre[type=x]=y``."""
    settings = marc21.Settings(profile=profile, corrections=Corrections(**switches))
    found: Counter[str] = Counter()

    def walk(element: etree._Element, path: str) -> None:
        attributes = ",".join(
            f"{etree.QName(name).localname}={value}"
            for name, value in sorted(element.attrib.items())
            if not name.endswith("space")
        )
        here = path + etree.QName(element).localname + (f"[{attributes}]" if attributes else "")
        text = (element.text or "").strip()
        found[f"{here}={text}" if text else here] += 1
        for child in element:
            walk(child, here + "/")

    for top in to_element(marc21.convert(made, settings).mods):
        walk(top, "")
    return found


def difference(made: MarcRecord, profile: str, switch: str) -> tuple[list[str], list[str]]:
    """Return what is there only with the correction, and what only without it."""
    corrected = lines(made, profile, **{switch: True})
    plain = lines(made, profile, **{switch: False})
    return sorted((corrected - plain).elements()), sorted((plain - corrected).elements())


TITLE = "245 00 $aTitle"

CASES = {
    "coordinates_written": (
        record(TITLE, "034 1# $aa$dE0350000$eE0400000$fN0580000$gN0540000", "255 ## $aScale 1:2,500,000"),
        ["subject", "subject/cartographics", "subject/cartographics/coordinates=E0350000 E0400000 N0580000 N0540000"],
        [],
    ),
    "government_numbers_written": (
        record(TITLE, "086 0# $aI 19.81:M"),
        ["classification[authority=sudocs]=I 19.81:M"],
        [],
    ),
    "every_coded_genre": (
        record(TITLE, coded(p24="rbi")),
        ["genre[authority=marcgt]=directory", "genre[authority=marcgt]=index"],
        [],
    ),
    "coded_genres_by_kind": (
        record(TITLE, coded(p25="d", p28="|")),
        [],
        ["genre[authority=marcgt]=globe", "genre[authority=marcgt]=government publication"],
    ),
    "index_terms_separate": (
        record(TITLE, "653 #0 $arelativity$alight", "653 #1 $aNewton, Isaac", "653 0# $aspace"),
        [
            "subject",
            "subject/name[type=personal]/namePart=Newton, Isaac",
            "subject/topic=light",
            "subject/topic=relativity",
        ],
        ["subject/name[type=personal]/namePart=space", "subject/topic=relativitylight"],
    ),
    "literary_forms_read": (
        record(TITLE, coded(p33="1")),
        ["genre[authority=marcgt]=fiction"],
        [],
    ),
    "form_of_item_by_kind": (
        record(TITLE, coded(p23="o")),
        ["physicalDescription", "physicalDescription/form[authority=marcform]=electronic"],
        [],
    ),
    "addresses_by_field": (
        record(TITLE, "856 40 $uhttp://example.org/1", "856 4# $zonly a note"),
        ["location/url[usage=primary display]=http://example.org/1"],
        [
            "location",
            "location/url[displayLabel=electronic resource,note=only a note]",
            "location/url[displayLabel=electronic resource,usage=primary display]=http://example.org/1",
        ],
    ),
    "places_unbracketed": (
        record(TITLE, "260 ## $a[Hamburg] :$bGrammophon"),
        ["originInfo/place[supplied=yes]", "originInfo/place[supplied=yes]/placeTerm[type=text]=Hamburg"],
        ["originInfo/place", "originInfo/place/placeTerm[type=text]=Hamburg]"],
    ),
    "part_languages_kept": (
        record(TITLE, coded(p35="ger"), "041 1# $ager$hger$hfre"),
        [
            "language[objectPart=translation]",
            "language[objectPart=translation]/languageTerm[authority=iso639-2b,type=code]=ger",
        ],
        [],
    ),
    "conference_roles_read": (
        record(TITLE, "711 2# $aCongress$eSection of Maps$jcongress venue"),
        ["name[type=conference]/role/roleTerm[type=text]=congress venue"],
        ["name[type=conference]/role/roleTerm[type=text]=Section of Maps"],
    ),
    "version_written_once": (
        record(TITLE, "130 0# $aBible.$sAuthorized"),
        ["titleInfo[type=uniform]/title=Bible. Authorized"],
        ["titleInfo[type=uniform]/title=Bible. Authorized Authorized"],
    ),
    "contained_titles_once": (
        record(TITLE, "740 02 $aThe wild duck"),
        [],
        ["titleInfo[type=alternative]", "titleInfo[type=alternative]/title=The wild duck"],
    ),
    "country_codes_written": (
        record(TITLE, "044 ## $cDE"),
        ["originInfo/place", "originInfo/place/placeTerm[authority=iso3166,type=code]=DE"],
        [],
    ),
    "functions_tidied": (
        record(TITLE, coded(), "264 #1 $aMoskva :$c[1999]", "264 #4 $c©1998"),
        [
            "originInfo/copyrightDate[encoding=w3cdtf]=1998",
            "originInfo[eventType=publisher]/place/placeTerm[type=text]=Moskva",
        ],
        [
            "originInfo[eventType=publisher]/place/placeTerm[type=text]=Moskva :",
            "originInfo[eventType=publisher]/publisher",
        ],
    ),
    "names_tidied": (
        record(TITLE, "100 1# $aTwain, Mark,$d1835-1910."),
        ["name[type=personal,usage=primary]/namePart=Twain, Mark"],
        ["name[type=personal,usage=primary]/namePart=Twain, Mark,"],
    ),
    "dates_normalized": (
        record(TITLE, coded(p7="1977"), "260 ## $c1977."),
        ["originInfo/dateIssued[encoding=w3cdtf,keyDate=yes]=1977"],
        ["originInfo/dateIssued=1977"],
    ),
    "genre_authority_named": (
        record(TITLE, "655 #0 $aNovels"),
        ["genre[authority=lcsh]=Novels"],
        ["genre[authority=0]=Novels"],
    ),
    "scripts_named": (
        record("245 00 $6880-01$aTaitoru", "880 00 $6245-01/Jpan$aタイトル"),
        ["titleInfo[altRepGroup=01,script=Jpan]", "titleInfo[altRepGroup=01,script=Jpan]/title=タイトル"],
        ["titleInfo[altRepGroup=01,script=]", "titleInfo[altRepGroup=01,script=]/title=タイトル"],
    ),
    "roles_paired": (
        record(TITLE, "700 1# $aKemble, E. W.,$eillustrator$4ill"),
        ["name[type=personal]/role/roleTerm[authority=marcrelator,type=text]=illustrator"],
        ["name[type=personal]/role", "name[type=personal]/role/roleTerm[type=text]=illustrator"],
    ),
    "authority_links_resolved": (
        record(TITLE, "650 #7 $aMaps$0(DE-588)4129942-5$2gnd"),
        [
            "subject[authority=gnd,authorityURI=https://d-nb.info/gnd/,valueURI=https://d-nb.info/gnd/4129942-5]",
            "subject[authority=gnd,authorityURI=https://d-nb.info/gnd/,valueURI=https://d-nb.info/gnd/4129942-5]/topic=Maps",
        ],
        ["subject[authority=gnd,href=(DE-588)4129942-5]", "subject[authority=gnd,href=(DE-588)4129942-5]/topic=Maps"],
    ),
    "every_name_kept": (
        record(TITLE, "700 2# $aIvanov, I."),
        ["name[type=personal]", "name[type=personal]/namePart=Ivanov, I."],
        [],
    ),
    "parallel_titles_split": (
        record("245 00 $aThe region =$bOblast"),
        ["titleInfo/title=The region", "titleInfo[type=translated]", "titleInfo[type=translated]/title=Oblast"],
        ["titleInfo/subTitle=Oblast", "titleInfo/title=The region ="],
    ),
    "traced_series_kept": (
        record(TITLE, "490 1# $aWorks ;$vv. 3"),
        [
            "relatedItem[type=series]",
            "relatedItem[type=series]/titleInfo",
            "relatedItem[type=series]/titleInfo/partNumber=v. 3",
            "relatedItem[type=series]/titleInfo/title=Works",
        ],
        [],
    ),
    "imprints_parsed": (
        record(TITLE, "776 1# $tReader$dLeipzig : Barth, 1905"),
        [
            "relatedItem[type=otherFormat]/originInfo/dateIssued[encoding=w3cdtf]=1905",
            "relatedItem[type=otherFormat]/originInfo/place",
            "relatedItem[type=otherFormat]/originInfo/place/placeTerm[type=text]=Leipzig",
            "relatedItem[type=otherFormat]/originInfo/publisher=Barth",
        ],
        ["relatedItem[type=otherFormat]/originInfo/publisher=Leipzig : Barth, 1905"],
    ),
    "isbns_normalized": (
        record(TITLE, "020 ## $a978-5-389-06256-6 (cloth)"),
        ["identifier[displayLabel=cloth,type=isbn]=9785389062566"],
        ["identifier[type=isbn]=978-5-389-06256-6 (cloth)"],
    ),
    "kits_typed": (
        record(TITLE, leader="00000nom a2200000 i 4500"),
        ["typeOfResource=mixed material"],
        ["typeOfResource"],
    ),
    "relations_named": (
        record(TITLE, "775 1# $iReprint of:$tNature"),
        [
            "relatedItem[displayLabel=Reprint of,type=otherVersion]",
            "relatedItem[displayLabel=Reprint of,type=otherVersion]/titleInfo",
            "relatedItem[displayLabel=Reprint of,type=otherVersion]/titleInfo/title=Nature",
        ],
        [
            "relatedItem[displayLabel=Reprint of:,otherType=Reprint of:,type=otherVersion]",
            "relatedItem[displayLabel=Reprint of:,otherType=Reprint of:,type=otherVersion]/titleInfo",
            "relatedItem[displayLabel=Reprint of:,otherType=Reprint of:,type=otherVersion]/titleInfo/title=Nature",
        ],
    ),
    "coded_forms_in_every_script": (
        record(TITLE, "007 sd fsngnnmmned", "300 ## $6880-01$a1 disc", "880 ## $6300-01/(N$a1 disk"),
        [
            "physicalDescription[altRepGroup=01,script=Latn]/form[authority=marccategory]=sound recording",
            "physicalDescription[altRepGroup=01,script=Latn]/form[authority=marcsmd]=sound disc",
        ],
        [],
    ),
    "empty_details_dropped": (
        record(TITLE, "773 0# $tAnnalen$q17<891"),
        [],
        [
            "relatedItem[type=host]/part/detail[level=2]",
            "relatedItem[type=host]/part/detail[level=2]/number",
            "relatedItem[type=host]/part/detail[level=3]",
            "relatedItem[type=host]/part/detail[level=3]/number",
        ],
    ),
}
"""For each correction a record, what is in the MODS only with it, and what only without it."""


def test_there_is_a_case_for_each_correction() -> None:
    assert [*CASES] == [*NAMES]


@pytest.mark.parametrize("profile", ["std", "loc"])
@pytest.mark.parametrize("switch", NAMES)
def test_a_correction_changes_its_fault_and_nothing_else(switch: str, profile: str) -> None:
    made, corrected, plain = CASES[switch]
    assert corrected or plain
    assert difference(made, profile, switch) == (corrected, plain)


@pytest.mark.parametrize("switch", NAMES)
def test_a_switch_that_is_not_set_has_the_default_of_the_profile(switch: str) -> None:
    made = CASES[switch][0]
    assert lines(made, "std") == lines(made, "std", **{switch: True})
    assert lines(made, "loc") == lines(made, "loc", **{switch: False})


def test_settings_are_read_from_a_table() -> None:
    table = {"profile": "loc", "corrections": {"names_tidied": True}}
    settings = msgspec.convert(table, marc21.Settings)
    assert settings == marc21.Settings("loc", Corrections(names_tidied=True))
    with pytest.raises(msgspec.ValidationError, match="names_tided"):
        msgspec.convert({"corrections": {"names_tided": True}}, marc21.Settings)
    with pytest.raises(msgspec.ValidationError, match="corrections"):
        msgspec.convert({"corrections": {"names_tidied": "yes"}}, marc21.Settings)


@pytest.mark.parametrize(
    ("code", "script"), [("(N", "Cyrl"), ("(3/r", "Arab"), ("(3r", "Arab"), ("$1", "CJK"), ("Cyrl", ""), ("", "Latn")]
)
def test_without_named_scripts_only_the_codes_of_marc_8_are_understood(code, script):
    linkage = Subfield("6", f"245-01/{code}" if code else "245-01")
    made = record("245 10 $6880-01$aX")
    other = DataField("880", "1", "0", (linkage, Subfield("a", "Y")))
    made = MarcRecord(made.origin, made.leader, (*made.all_fields, other))
    assert lines(made, "std", scripts_named=False)[f"titleInfo[altRepGroup=01,script={script}]/title=Y"] == 1
