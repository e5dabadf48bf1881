"""Fields as the configuration of a source describes them: copies, the libraries that codes mean, other fields."""

import pytest

from bibld.config import CopyFields, SourceConfig, read_local_fields
from bibld.crosswalk import LocalFields, convert
from bibld.model.mods import Location, Mods, PhysicalLocation
from bibld.model.mods_plan import words_of
from tests.crosswalk.test_rusmarc import record

SIRSI = {"999": CopyFields(call_number="a", location="ml", barcode="i", copy_number="c", holdings="v", note="z")}
LEADER = "00000nam a2200000 i 4500"


def copies_of(source: SourceConfig, *fields: str) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return library, places, shelf marks, numbers, statements and notes of each copy, and the private subfields."""
    made = convert(record(*fields, leader=LEADER), "marc21", local=LocalFields.from_source(source))[1]
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
    _, made = convert(mods, local=LocalFields.from_source(SourceConfig("a", libraries=LIBRARIES)))
    assert [place.value for place in made.mods.location[0].physical_location] == ["Alderman Library", "STACKS"]


def test_a_source_that_states_nothing_costs_nothing():
    assert LocalFields.from_source(SourceConfig("a", label={"en": "A"})) is None


def published(fields, *stated, crosswalk="marc21", **source):
    """Return the notes, topics and class marks of a record by the rules of ``[source.fields]``, and what is private."""
    rules, faults = read_local_fields(SourceConfig("a", fields=fields, crosswalk=crosswalk, **source))
    assert not faults
    made = convert(record(*stated, leader=LEADER), crosswalk, local=LocalFields.from_source(SourceConfig("a"), rules))[
        1
    ]
    notes = [f"{note.type_uri or note.type or ''}={note.xlink_href or note.value}" for note in made.mods.note]
    return [*notes, *(words_of(subject) for subject in made.mods.subject)], made.private, made.warnings[1:]


@pytest.mark.parametrize(
    ("fields", "stated", "expected"),
    [
        ({"990": {"a": "note"}}, "990 ##$aone$atwo", (["=one", "=two"], (), ())),
        ({"990": {"ab": "note"}}, "990 ##$bone$atwo$cthree", (["=one two"], ("990$c",), ())),
        ({"990": "note"}, "990 ##$aone$btwo$6880-01", (["=one two"], (), ())),
        ({"990": {"a": "note[@type=x]", "b": "subject/topic"}}, "990 ##$aone$btwo", (["x=one", "two"], (), ())),
        ({"020": {"9": "note[@type=x]"}}, "020 ##$9local", (["x=local"], (), ())),
        ({"990": {"a": "https://x.y/z"}}, "990 ##$atext", (["https://x.y/z=text"], (), ())),
        ({"990": {"a": "https://x.y/z"}}, "990 ##$ahttp://a.b/", (["https://x.y/z=http://a.b/"], (), ())),
        (
            {"990": {"a": "dcterms:relation"}},
            "990 ##$aword",
            ([], ("990$a",), ("990$a 'word' is no address, as <http://purl.org/dc/terms/relation> needs; left out",)),
        ),
        ({"542": {"a": "note"}}, "542 0#$asecret", ([], ("542$a",), ())),
        ({"542": {"a": "note"}}, "542 1#$apublic", (["=public"], (), ())),
        ({"990": {"a": "note"}}, "990 ##$a  ", ([], ("990$a",), ())),
    ],
)
def test_local_fields_are_published_as_configured(fields, stated, expected):
    assert published(fields, stated) == expected


def test_a_rule_for_every_format_applies_where_the_format_has_no_rule():
    """200$a is the title in RUSMARC, and nothing in MARC 21."""
    rules, faults = read_local_fields(SourceConfig("a", fields={"200": {"a": "note"}}))
    local = LocalFields.from_source(SourceConfig("a"), rules)
    assert not faults
    assert not convert(record("200 1#$aTitle", "801 #0$aRU"), "rusmarc", local=local)[1].mods.note
    assert convert(record("245 00$aTitle", "200 1#$aWord", leader=LEADER), "marc21", local=local)[1].mods.note


@pytest.mark.parametrize(
    ("source", "key", "fault"),
    [
        ({"fields": {"99": "note"}}, "99", '"99" is not a tag'),
        ({"fields": {"990": {"$a": "note"}}}, "990.$a", '"$a" names no subfields'),
        ({"fields": {"990": {"a": "nota"}}}, "990.a", '"nota" is no text of MODS 3.8'),
        ({"fields": {"990": {"a": "dcterms:relatoin"}}}, "990.a", 'did you mean "dcterms:relation"?'),
        ({"fields": {"990": {"a": "rdf:type"}}}, "990.a", "states what a thing is"),
        ({"fields": {"990": {"a": "http://www.w3.org/2002/07/owl#sameAs"}}}, "990.a", "states what a thing is"),
        ({"fields": {"990": {"ab": "note", "b": "note"}}}, "990.b", "$b belongs to another rule of the field"),
        ({"fields": {"999": {"i": "note"}}, "holdings": SIRSI}, "999.i", "$i belongs to holdings.999"),
        ({"fields": {"500": {"a": "abstract"}}}, "500.a", "marc21: 500$a is published already"),
        ({"fields": {"365": {"b": "note"}}, "crosswalk": "marc21"}, "365.b", "the format makes 365$b private"),
        ({"fields": {"899": {"x": "note"}}, "crosswalk": "rusmarc"}, "899.x", "the format makes 899$x private"),
        ({"fields": {"990": "note"}, "crosswalk": "xslt"}, "", 'cannot be used with crosswalk = "xslt"'),
        ({"fields": {"990": "note"}, "read": "csv"}, "", 'cannot be used with read = "csv"'),
        ({"fields": {"990": "note"}, "kind": "authority"}, "", 'cannot be used with kind = "authority"'),
    ],
)
def test_a_rule_that_can_never_do_anything_is_a_fault(source, key, fault):
    ((at, message),) = read_local_fields(SourceConfig("a", **source))[1]
    assert at == f"fields.{key}".rstrip(".")
    assert fault in message
