"""MODS becomes MARC 21, UNIMARC and RUSMARC that other software reads, and that gives the same MODS again.

``back/FLAVOUR/NAME`` has ``mods.xml`` and the record that must be made of it, ``expected.mrk`` (``\\`` is a blank).
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pymarc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from bibld.crosswalk import convert, to_marc
from bibld.model import mods as elements
from bibld.model.marc import ControlField, MarcRecord, flat_subfields
from bibld.model.marc_writers import to_iso2709, to_mrk
from bibld.model.mods import Mods, NamePart, TitleInfo
from bibld.model.mods_xml import from_xml
from bibld.protocols import Raw
from bibld.read import iso2709
from tests.strategies import mods as any_mods

FLAVOURS = ("marc21", "unimarc", "rusmarc")
FOLDER = Path(__file__).parent
EXPECTED = sorted(folder for flavour in FLAVOURS for folder in (FOLDER / "back" / flavour).iterdir())
CASES = sorted(folder for flavour in FLAVOURS for folder in (FOLDER / "cases" / flavour).iterdir())
ONCE = {
    "marc21": ("001", "003", "005", "008", "010", "040", "043", "044", "100", "110", "111", "130", "240", "245", "310"),
    "unimarc": ("001", "005", "100", "101", "105", "106", "110", "700", "710", "720"),
}


def fields_of(record: MarcRecord, tag: str) -> list[str]:
    """Return the fields with a tag as text: indicators and subfields."""
    return [
        f"{field.indicator1}{field.indicator2}" + "".join(f"${one.code}{one.value}" for one in field.subfields)
        for field in record.fields(tag)
    ]


def read_back(data: bytes) -> list[MarcRecord]:
    carrier = iso2709.examine(io.BytesIO(data), "back.mrc", "case", iso2709.Settings(charset="utf-8"))
    raws = list(carrier.raws(io.BytesIO(data)))
    assert all(isinstance(raw, Raw) for raw in raws)
    return [carrier.parse(raw).record for raw in raws]


def values_of(mods: Mods) -> dict[str, list[str]]:
    """Return the XML of each kind of element, in any order, without the name of the converter."""
    infos = tuple(replace(info, record_origin=()) for info in mods.record_info)
    builtins = to_builtins(replace(mods, record_info=infos))
    return {kind: sorted(map(str, found)) for kind, found in builtins.items()}


# --- cases


@pytest.mark.parametrize("case", EXPECTED, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_mods_becomes_the_expected_record(case):
    record = to_marc(from_xml((case / "mods.xml").read_bytes()), case.parent.name)
    assert to_mrk(record) == (case / "expected.mrk").read_text(encoding="utf-8")


LOST = {
    "marc21-contained-works": "linking entries have no subfield for the address of the work",
    "marc21-e-book": "the imprint in a linking entry is read as place, publisher and date",
    "marc21-identified-works": "a title has one link in MODS where the record had two",
    "marc21-subjects": "045 names no list, as the subject of a period in MODS does",
    "marc21-two-scripts-japanese": "the code for East Asian scripts does not name one",
    "marc21-two-scripts-russian": "a series statement and its heading cannot have the same number of a link",
    "rusmarc-article-in-two-issues": "two issues of one year are one link",
    "rusmarc-book-without-isbn": "the statement of a doubtful beginning is kept beside its date",
    "rusmarc-copy-bound-with-others": "the condition of a copy is in codes; the note is a general one",
    "rusmarc-dissertation": "RUSMARC has no field for a note on a thesis; it is a general one",
    "rusmarc-medal": "physical details in codes are a note: RUSMARC has one 215",
    "rusmarc-newspaper-on-microfilm": "physical details in codes are a note: RUSMARC has one 215",
    "rusmarc-old-printed-book": "physical details in codes are a note: RUSMARC has one 215",
    "rusmarc-patent": "free terms (610) have no subdivisions",
    "rusmarc-persons-and-their-roles": "a person has a field for each role, and a role needs a code",
    "rusmarc-poster": "physical details in codes are a note: RUSMARC has one 215",
    "rusmarc-series-with-established-title": "461 with a record number would be a set",
    "rusmarc-family-archive": "periods are days (122), no codes of decades (661)",
    "rusmarc-map": "periods are days (122), no codes of decades (661)",
    "rusmarc-film": "a videodisc has no code beside the kinds of films",
    "rusmarc-parallel-titles": "a parallel title is in 200 and in 510, once without its article",
    "rusmarc-title-in-many-forms": "a parallel title is in 200 and in 510, once without its article",
    "rusmarc-reprint-described-in-plain-subfields": "the series of a related resource is one of the record",
    "rusmarc-songs-on-a-disc": "the date of a recording belongs to its place",
    "rusmarc-translation-of-tatar-tales": "another form of a name has no dates",
    "unimarc-french-book": "a host with a volume is that of an article",
    "unimarc-italian-book-in-the-union-catalogue": "the codes of libraries are those of 852",
}
"""Cases of which something changes on the way back, and why."""


@pytest.mark.parametrize("punctuation", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_the_record_gives_the_same_mods_again(case, punctuation):
    flavour = case.parent.name
    before = from_xml((case / "expected.mods.xml").read_bytes())
    found, converted = convert(to_marc(before, flavour, punctuation=punctuation), flavour)
    assert found == flavour
    if f"{flavour}-{case.name}" in LOST:
        assert values_of(converted.mods) != values_of(before), "the case need not be excepted any more"
    else:
        assert values_of(converted.mods) == values_of(before)


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("case", CASES, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_record_of_each_flavour_becomes_one_of_the_others(case, flavour):
    record = to_marc(from_xml((case / "expected.mods.xml").read_bytes()), flavour)
    (again,) = read_back(to_iso2709(record))
    assert again.all_fields == record.all_fields
    assert convert(again)[0] == ("marc21" if flavour == "marc21" else convert(again)[0])
    assert record.control_number is None or again.control_number == record.control_number


# --- what a record can have once


def named(text, **attributes):
    return elements.Name(name_part=(NamePart(value=text),), type="personal", **attributes)


MERGED = Mods(
    title_info=(TitleInfo("Anna Karenina"), TitleInfo("Anna Karenin"), TitleInfo("Анна Каренина", type="uniform")),
    name=(named("Tolstoy, Leo", usage="primary"), named("Tolstoi, Lew", usage="primary")),
    note=(
        elements.Note("by Leo Tolstoy", type="statement of responsibility"),
        elements.Note("L. N. Tolstoi", type="statement of responsibility"),
    ),
    identifier=(elements.Identifier("65012345", type="lccn"), elements.Identifier("66012345", type="lccn")),
)


def test_of_merged_descriptions_the_first_values_have_the_fields_that_occur_once():
    record = to_marc(MERGED, "marc21")
    assert fields_of(record, "245") == ["10$aAnna Karenina$cby Leo Tolstoy"]
    assert fields_of(record, "246") == ["3 $aAnna Karenin"]
    assert fields_of(record, "100") == ["1 $aTolstoy, Leo"]
    assert fields_of(record, "700") == ["1 $aTolstoi, Lew"]
    assert fields_of(record, "500") == ["  $aL. N. Tolstoi"]
    assert fields_of(record, "010") == ["  $a   65012345"]
    assert fields_of(record, "035") == ["  $a(DLC)   66012345"]


def test_of_merged_descriptions_unimarc_has_one_200_and_one_700():
    record = to_marc(MERGED, "unimarc")
    assert fields_of(record, "200") == ["1 $aAnna Karenina$fby Leo Tolstoy"]
    assert fields_of(record, "517") == ["1 $aAnna Karenin"]
    assert fields_of(record, "700") == [" 1$aTolstoy$bLeo"]
    assert fields_of(record, "701") == [" 1$aTolstoi$bLew"]


# --- single elements


@pytest.mark.parametrize(
    ("element", "tag", "field"),
    [
        (TitleInfo("Book", non_sort="The "), "245", "04$aThe Book"),
        (TitleInfo("Book", non_sort="The"), "245", "04$aThe Book"),
        (TitleInfo("avventura", non_sort="L'"), "245", "02$aL'avventura"),
        (TitleInfo("Book", sub_title=("a novel",)), "245", "00$aBook$ba novel"),
        (TitleInfo("Key (Paris)", type="alternative", display_label="key title"), "222", " 0$aKey$b(Paris)"),
        (TitleInfo("Cover", type="alternative", display_label="cover title"), "246", "14$aCover"),
        (TitleInfo("Sonatas, 2 vl, bc, D", type="uniform"), "130", "0 $aSonatas$m2 vl, bc$rD"),
        (TitleInfo("Bible. English. 1901", type="uniform"), "130", "0 $aBible.$lEnglish.$f1901"),
        (named("Wells, H. G. (Herbert George)"), "700", "1 $aWells, H. G.$q(Herbert George)"),
        (elements.Identifier("9780306406157", type="isbn"), "020", "  $a9780306406157"),
        (elements.Identifier("123", type="oclc"), "035", "  $a(OCoLC)123"),
        (elements.Identifier("10.1/x", type="doi"), "024", "7 $a10.1/x$2doi"),
        (elements.Note("Includes index", type="bibliography"), "504", "  $aIncludes index"),
        (elements.Note("Thesis (M.A.)", type="thesis"), "502", "  $aThesis (M.A.)"),
        (elements.Note("Description based on: v. 1"), "588", "  $aDescription based on: v. 1"),
        (elements.Classification("QA76.9 .C55 2001", authority="lcc"), "050", " 4$aQA76.9$b.C55 2001"),
        (elements.Classification("У052.9", authority="rubbk"), "084", "  $aУ052.9$2rubbk"),
        (elements.Subject((elements.Topic("Cats"), elements.Genre("Fiction")), authority="lcsh"), "650",
         " 0$aCats$vFiction"),
        (elements.Subject((elements.Topic("cats"),)), "653", "  $acats"),
        (elements.Subject((elements.GeographicCode("e-fr", authority="marcgac"),)), "043", "  $ae-fr---"),
        (elements.Abstract("About cats", display_label="Summary"), "520", "  $aAbout cats"),
    ],
)  # fmt: skip
def test_an_element_becomes_a_field_of_marc21(element, tag, field):
    assert field in fields_of(to_marc(elements.collected([element])), tag)


@pytest.mark.parametrize(
    ("element", "tag", "field"),
    [
        (TitleInfo("Book", non_sort="The "), "200", "1 $a\x98The \x9cBook"),
        (TitleInfo("Book", sub_title=("a novel : in verse",)), "200", "1 $aBook$ea novel$ein verse"),
        (named("Пушкин, А. С."), "702", " 1$aПушкин$bА. С."),
        (elements.Identifier("RU 98-9425", type="legal deposit"), "021", "  $aRU$b98-9425"),
        (elements.Subject((elements.Topic("Cats"), elements.Geographic("Rome")), authority="rameau"), "606",
         "  $aCats$yRome$2rameau"),
        (elements.Classification("821.161", authority="udc"), "675", "  $a821.161"),
    ],
)  # fmt: skip
def test_an_element_becomes_a_field_of_unimarc(element, tag, field):
    assert field in fields_of(to_marc(elements.collected([element]), "unimarc"), tag)


def made_by(agency, **attributes):
    return elements.RecordInfo(record_content_source=(elements.RecordContentSource(agency, **attributes),))


WORK = elements.Subject((elements.Name(name_part=(NamePart("Пушкин, А. С."),), type="personal"), TitleInfo("Онегин")))
RDA = elements.PhysicalDescription(
    form=(
        elements.Form("text", type="content", authority="rdacontent"),
        elements.Form("unmediated", type="media", authority="rdamedia"),
    )
)


@pytest.mark.parametrize(
    ("element", "flavour", "tag", "field"),
    [
        (made_by("DLC", authority="marcorg"), "rusmarc", "801", " 0$aUS$bDLC"),
        (made_by("RuMoRGB", authority="marcorg"), "unimarc", "801", " 0$aRU$bRuMoRGB"),
        (made_by("DE-101"), "unimarc", "801", " 0$aDE$bDE-101"),
        (made_by("RU NLR"), "marc21", "040", "  $aNLR"),
        (RDA, "unimarc", "181", "  $ctxt$2rdacontent"),
        (RDA, "rusmarc", "181", "  $ai $bxxxe  "),
        (RDA, "rusmarc", "182", "  $an"),
        (WORK, "rusmarc", "604", "  $1700 1$aПушкин$bА. С.$150010$aОнегин"),
        (TitleInfo("J. chem.", type="abbreviated"), "unimarc", "531", "  $aJ. chem."),
        (TitleInfo("Half", type="alternative", display_label="Half title"), "unimarc", "511", "1 $aHalf"),
        (TitleInfo("Seal", type="alternative", display_label="Title on seal"), "unimarc", "312",
         "  $aTitle on seal: Seal"),
        (elements.Identifier("GB9876543", type="nbn"), "rusmarc", "020", "  $aGB$bGB9876543"),
        (elements.RelatedItem(type="series", mods=Mods(title_info=(TitleInfo("Азбука"),))), "marc21", "490",
         "0 $aАзбука"),
        (elements.RelatedItem(type="original", other_type="reproductionOf", mods=Mods(title_info=(TitleInfo("A"),))),
         "marc21", "775", "08$iReproduction of:$tA"),
        (elements.RelatedItem(type="otherVersion", other_type="otherEdition", mods=Mods(title_info=(TitleInfo("A"),))),
         "marc21", "775", "0 $tA"),
    ],
)  # fmt: skip
def test_an_element_is_written_as_the_format_defines(element, flavour, tag, field):
    assert field in fields_of(to_marc(elements.collected([element]), flavour), tag)


def test_the_call_states_the_country_of_an_agency_without_one():
    mods = elements.collected([made_by("Областная библиотека")])
    assert fields_of(to_marc(mods, "rusmarc", country="RU"), "801") == [" 0$aRU$bОбластная библиотека"]
    assert fields_of(to_marc(mods, "rusmarc"), "801") == [" 0$aXX$bОбластная библиотека"]


def test_a_role_has_a_code_or_is_a_part_in_words_and_a_person_one_in_each_field():
    roles = [elements.Role((elements.RoleTerm(code, type="code"),)) for code in ("edt", "trl", "cpc")]
    mods = elements.collected([named("Иванов, И.", role=tuple(roles))])
    assert fields_of(to_marc(mods, "rusmarc"), "702") == [" 1$aИванов$bИ.$4340", " 1$aИванов$bИ.$4730"]


def test_the_printed_series_statement_is_kept_beside_the_heading():
    titles = (TitleInfo("Литературные памятники"), TitleInfo("Лит. памятники", type="alternative"))
    record = to_marc(elements.collected([elements.RelatedItem(type="series", mods=Mods(title_info=titles))]))
    assert fields_of(record, "490") == ["1 $aЛит. памятники"]
    assert fields_of(record, "830") == [" 0$aЛитературные памятники"]


def test_titles_in_two_scripts_are_linked():
    titles = (
        TitleInfo("Voĭna i mir", alt_rep_group="01", script="Latn"),
        TitleInfo("Война и мир", alt_rep_group="01", script="Cyrl"),
    )
    marc21, unimarc = (to_marc(Mods(title_info=titles), flavour) for flavour in ("marc21", "unimarc"))
    assert fields_of(marc21, "245") == ["00$6880-01$aVoĭna i mir"]
    assert fields_of(marc21, "880") == ["00$6245-01/(N$aВойна и мир"]
    assert fields_of(unimarc, "200") == ["1 $6a01$7ba$aVoĭna i mir", "1 $6a01$7ca$aВойна и мир"]


def test_punctuation_is_that_of_isbd_and_its_absence_is_coded():
    mods = Mods(
        title_info=(TitleInfo("Title", sub_title=("a novel",)),),
        note=(elements.Note("A. Smith", type="statement of responsibility"),),
    )
    plain, punctuated = to_marc(mods), to_marc(mods, punctuation=True)
    assert (plain.leader.text[18], fields_of(plain, "245")) == ("c", ["00$aTitle$ba novel$cA. Smith"])
    assert (punctuated.leader.text[18], fields_of(punctuated, "245")) == ("i", ["00$aTitle :$ba novel /$cA. Smith."])


# --- any description


@given(any_mods(), st.sampled_from(FLAVOURS), st.booleans())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_mods_becomes_a_record_that_iso_2709_holds(mods, flavour, punctuation):
    record = to_marc(mods, flavour, punctuation=punctuation)
    assert len(record.leader.text) == 24
    counts = Counter(field.tag for field in record.all_fields)
    assert all(counts[tag] <= 1 for tag in ONCE.get(flavour, ONCE["unimarc"]))
    assert flavour != "marc21" or len(record.control("008") or "") == 40
    try:
        data = to_iso2709(record)
    except ValueError as error:
        assert "too long" in str(error) or "at most" in str(error)
        return
    (again,) = read_back(data)
    assert len(again.all_fields) == len(record.all_fields)
    for one, other in zip(record.all_fields, again.all_fields, strict=True):
        assert (one.tag, type(one)) == (other.tag, type(other))
        if isinstance(one, ControlField):
            assert one.value == other.value
        else:
            assert list(flat_subfields(one)) == list(flat_subfields(other))
    (foreign,) = pymarc.MARCReader(data, to_unicode=True, force_utf8=True)
    assert foreign is not None
    assert [field.tag for field in foreign.fields] == [field.tag for field in record.all_fields]


YAZ = pytest.mark.skipif(shutil.which("yaz-marcdump") is None, reason="needs yaz-marcdump (Debian: yaz)")
REAL = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="needs real records: set BIBLD_TEST_DATA")


@YAZ
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_yaz_reads_all_records(flavour, tmp_path):
    file = tmp_path / "made.mrc"
    records = [to_marc(from_xml((case / "expected.mods.xml").read_bytes()), flavour) for case in CASES]
    file.write_bytes(b"".join(map(to_iso2709, records)))
    done = subprocess.run(["yaz-marcdump", "-n", "-v", file], capture_output=True, text=True, check=True)
    assert not done.stderr
    lines = subprocess.run(["yaz-marcdump", file], capture_output=True, text=True, check=True).stdout.splitlines()
    assert sum(line.startswith(("001 ", "245 ", "200 ")) for line in lines) >= len(records)


@REAL
@pytest.mark.parametrize(
    ("name", "flavour"), [("rusmarc/nlr_cp1251.iso", "marc21"), ("marc21/loc_testbed_utf8.mrc", "rusmarc")]
)
def test_real_files_are_converted_into_the_other_format(name, flavour):
    import bibld

    file = Path(os.environ["BIBLD_TEST_DATA"]) / name
    records = [to_marc(mods, flavour) for mods in bibld.to_mods(file)]
    again = read_back(b"".join(map(to_iso2709, records)))
    assert [record.all_fields for record in again] == [record.all_fields for record in records]
    assert all(list(record.fields("245" if flavour == "marc21" else "200")) for record in records)
