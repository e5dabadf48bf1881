"""Copies as the configuration of a source describes them: local fields, and the libraries that codes mean."""

import pytest

from bibld.config import CopyFields, SourceConfig
from bibld.crosswalk import SourceCopies, convert
from bibld.model.mods import Location, Mods, PhysicalLocation
from tests.crosswalk.test_rusmarc import record

SIRSI = {"999": CopyFields(call_number="a", location="ml", barcode="i", copy_number="c", holdings="v", note="z")}
LEADER = "00000nam a2200000 i 4500"


def copies_of(source: SourceConfig, *fields: str) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return library, places, shelf marks, numbers, statements and notes of each copy, and the private subfields."""
    made = convert(record(*fields, leader=LEADER), "marc21", copies=SourceCopies.from_source(source))[1]
    rows = []
    for location in made.mods.location:
        row = [
            f"{place.authority or place.xml_lang or 'library'}: {place.value}" for place in location.physical_location
        ]
        row += [f"mark: {mark}" for mark in location.shelf_locator]
        for copy in location.holding_simple.copy_information if location.holding_simple else ():
            row += [f"place: {place}" for place in copy.sub_location]
            row += [f"note: {note.value}" for note in copy.note]
            row += [f"volumes: {one.value}" for one in copy.enumeration_and_chronology]
            row += [f"{one.type}: {one.value}" for one in copy.item_identifier]
        rows.append(row)
    return rows, made.private


@pytest.mark.parametrize(
    ("field", "copy"),
    [
        (
            "999 ##$aPS3515$wLC$iX000752456$lSTACKS$mMAIN",
            [["mark: PS3515", "place: STACKS", "place: MAIN", "barcode: X000752456"]],
        ),
        (
            "999 ##$aPS3515 v.2$c2$vv.2$zin a box",
            [["mark: PS3515 v.2", "note: in a box", "volumes: v.2", "copy number: 2"]],
        ),
        ("999 ff$i7c180b39-3932$s59d26274", []),
        ("090 ##$aPS3515$mMAIN", []),
    ],
)
def test_local_fields_are_copies_where_the_configuration_names_them(field, copy):
    assert copies_of(SourceConfig("a", holdings=SIRSI), field)[0] == copy


def test_without_configuration_local_fields_stay_private():
    assert copies_of(SourceConfig("a"), "999 ##$aPS3515$wLC") == ([], ("999$a", "999$w"))


def test_subfields_that_are_read_are_not_counted_as_private():
    assert copies_of(SourceConfig("a", holdings=SIRSI), "999 ##$aPS3515$wLC", "999 ##$i1")[1] == ("999$w", "999$i")


LIBRARIES = {
    "CB": "XX-7",
    "XX-7": {"en": "Central Library", "ru": "Центральная библиотека"},
    "VA@@": "Alderman Library",
    "VA@N": {"en": "Music Library", "fr": "Bibliothèque de musique"},
    "RSL1": "РГБ",
    "ring": "ring",
}


@pytest.mark.parametrize(
    ("code", "library"),
    [
        ("CB", ["isil: XX-7", "en: Central Library", "ru: Центральная библиотека"]),
        ("XX-7", ["isil: XX-7", "en: Central Library", "ru: Центральная библиотека"]),
        ("VA@@", ["library: Alderman Library"]),
        ("VA@N", ["en: Music Library", "fr: Bibliothèque de musique"]),
        ("RSL1", ["local: РГБ"]),
        ("ring", ["library: ring"]),
        ("XX-8", ["library: XX-8"]),
    ],
)
def test_a_code_becomes_the_library_that_the_configuration_names(code, library):
    assert copies_of(SourceConfig("a", libraries=LIBRARIES), f"852 ##$a{code}")[0] == [library]


@pytest.mark.parametrize(
    ("source", "library"),
    [
        (SourceConfig("a"), []),
        (SourceConfig("a", isil="XX-1"), ["isil: XX-1"]),
        (SourceConfig("a", isil="XX-1", label={"en": "Own Library"}), ["isil: XX-1", "en: Own Library"]),
        (SourceConfig("a", isil="XX-1", libraries={"": "Other Library"}), ["library: Other Library"]),
        (SourceConfig("a", label={"en": "A union catalogue"}), []),
    ],
)
def test_copies_without_a_library_are_in_that_of_the_source(source, library):
    assert copies_of(source, "852 ##$bMAIN$cSTACKS")[0] == [[*library, "place: MAIN", "place: STACKS"]]


def test_an_address_is_no_copy_of_the_library():
    rows, _ = copies_of(SourceConfig("a", isil="XX-1"), "856 40$uhttps://example.org/1")
    assert rows == [[]]


def test_records_that_are_mods_name_libraries_by_the_same_codes():
    mods = Mods(location=(Location(physical_location=(PhysicalLocation("VA@@"), PhysicalLocation("STACKS"))),))
    _, made = convert(mods, copies=SourceCopies.from_source(SourceConfig("a", libraries=LIBRARIES)))
    assert [place.value for place in made.mods.location[0].physical_location] == ["Alderman Library", "STACKS"]


def test_a_source_that_states_nothing_costs_nothing():
    assert SourceCopies.from_source(SourceConfig("a", label={"en": "A"})) is None
