"""The profile ``loc``: whatever a record holds becomes MODS, and the faults of the stylesheet are followed."""

from __future__ import annotations

from hypothesis import given, settings
from lxml import etree

from bibld.crosswalk import marc21
from bibld.errors import CrosswalkError
from bibld.model.mods_xml import to_element, to_xml
from tests.crosswalk.test_marc21_any_record import records
from tests.crosswalk.test_marc21_corrections import lines, record

LOC = marc21.Settings(profile="loc")


@given(made=records)
@settings(max_examples=300, deadline=None)
def test_any_record_becomes_mods_or_is_refused(made):
    try:
        converted = marc21.convert(made, LOC)
    except CrosswalkError:
        assert made.leader.text[6:7] in "zuvxywq"
        return
    assert etree.fromstring(to_xml(converted.mods)) is not None
    assert marc21.convert(made, LOC) == converted


@given(made=records)
@settings(max_examples=100, deadline=None)
def test_corrections_keep_the_record_convertible(made):
    every = marc21.Corrections(**dict.fromkeys(marc21.Corrections.__struct_fields__, True))
    none = marc21.Corrections(**dict.fromkeys(marc21.Corrections.__struct_fields__, False))
    for profile, corrections in (("loc", every), ("std", none)):
        try:
            to_element(marc21.convert(made, marc21.Settings(profile, corrections)).mods)
        except CrosswalkError:
            assert made.leader.text[6:7] in "zuvxywq"


def test_a_field_and_its_counterpart_in_another_script_are_one_group():
    made = record(
        "100 1# $6880-01$aTolstoi, Lev", "245 14 $6880-02$aThe war :$ba novel", "880 1# $6100-01/(N$aТолстой, Лев",
        "880 10 $6245-02/(N$aВойна :$bроман",
    )  # fmt: skip
    found = lines(made, "loc")
    assert found["titleInfo[altRepGroup=02,script=Latn]/nonSort=The"] == 1
    assert found["titleInfo[altRepGroup=02,script=Cyrl]/subTitle=роман"] == 1
    assert found["name[altRepGroup=01,script=Cyrl,type=personal,usage=primary]/namePart=Толстой, Лев"] == 1


def test_each_field_of_publication_with_a_counterpart_repeats_the_coded_data():
    made = record(
        "008 880101m18681869ru            000 1 rus  ", "250 ## $a2nd ed.", "260 ## $6880-03$aMoskva :$bRis,",
        "880 ## $6260-03/(N$aМосква :$bРис,",
    )  # fmt: skip
    found = lines(made, "loc")
    assert found["originInfo/issuance=monographic"] == 1
    for script, town in (("Latn", "Moskva"), ("Cyrl", "Москва")):
        here = f"originInfo[altRepGroup=03,script={script}]"
        assert found[f"{here}/place/placeTerm[type=text]={town}"] == 1
        assert found[f"{here}/dateIssued[encoding=marc,point=start]=1868"] == 1


def test_a_related_item_holds_both_scripts():
    made = record("245 00 $aTitle", "830 #0 $6880-01$aWorks ;$v2", "880 #0 $6830-01/(N$aТруды ;$v2")
    found = lines(made, "loc")
    assert found["relatedItem[type=series]"] == 1
    assert found["relatedItem[type=series]/titleInfo[altRepGroup=01,script=Latn]/title=Works"] == 1
    assert found["relatedItem[type=series]/titleInfo[altRepGroup=01,script=Cyrl]/title=Труды"] == 1


def test_empty_elements_and_attributes_are_written():
    found = lines(record("245 10 $c[s.n.]", "040 ## $beng", "337 ## $aaudio", "810 2# $aBody$tWorks"), "loc")
    assert found["titleInfo/title"] == 1
    assert found["recordInfo/recordContentSource[authority=marcorg]"] == 1
    assert found["physicalDescription/form[authority=,type=media]=audio"] == 1
    assert found["relatedItem[type=series]/name[type=corporate]/namePart"] == 1


def test_a_note_on_exhibitions_in_another_script_is_read_twice():
    found = lines(record("245 00 $aTitle", "880 ## $6585-00/(N$aВыставка", "880 ## $6588-00/(N$aОписание"), "loc")
    assert found["note[script=Cyrl,type=exhibitions]=Выставка"] == 1
    assert found["note[script=Cyrl]=Выставка"] == 1
    assert not any("Описание" in line for line in found)


def test_what_is_not_mapped_is_listed():
    converted = marc21.convert(record("245 00 $aTitle", "222 #0 $aKey", "024 3# $a1", "900 ## $alocal"), LOC)
    assert converted.unmapped == ("222$a",)
    assert converted.private == ("900$a",)


def test_characters_that_xml_cannot_contain_are_removed_before_positions_are_counted():
    made = record("245 10 $aTi\x01tle", leader="\x0100000nam a2200000 i 4500")
    assert lines(made, "loc") == lines(record("245 10 $aTitle", leader="00000nam a2200000 i 4500"), "loc")
