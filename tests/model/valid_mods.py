"""Plain descriptions that the schema of MODS allows; the model allows some attributes on every element besides."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from bibld.model import mods
from tests.strategies import texts

_WORDS = texts(12)
_ATTRIBUTE = st.none() | _WORDS
_CONTROLLED = {
    "authority": _ATTRIBUTE,
    "authority_uri": st.none() | st.just("http://example.org/a"),
    "lang": _ATTRIBUTE,
}
_CODE_OR_TEXT = st.sampled_from([None, "code", "text"])
_PLACES = st.sampled_from([None, "marccountry", "marcgac"])


def _many(strategy: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[Any]:
    return st.lists(strategy, min_size=least, max_size=2).map(tuple)


_TITLE_INFO = st.builds(
    mods.TitleInfo,
    title=_WORDS,
    non_sort=st.none() | st.just("The "),
    sub_title=_many(_WORDS),
    part_number=_many(_WORDS),
    part_name=_many(_WORDS),
    type=st.sampled_from([None, "abbreviated", "translated", "alternative", "uniform"]),
    display_label=_ATTRIBUTE,
    xml_lang=st.sampled_from([None, "ru", "en-US"]),
    **_CONTROLLED,
)
_ROLE = st.builds(
    mods.Role, role_term=_many(st.builds(mods.RoleTerm, value=_WORDS, type=_CODE_OR_TEXT, **_CONTROLLED), 1)
)
_NAME_PART = st.builds(
    mods.NamePart, value=_WORDS, type=st.sampled_from([None, "date", "family", "given", "termsOfAddress"])
)
_NAME_IDENTIFIER = st.builds(mods.NameIdentifier, value=_WORDS, type=_ATTRIBUTE, invalid=st.sampled_from([None, "yes"]))
_NAME = st.builds(
    mods.Name,
    name_part=_many(_NAME_PART),
    display_form=_many(_WORDS),
    affiliation=_many(_WORDS),
    role=_many(_ROLE),
    name_identifier=_many(_NAME_IDENTIFIER),
    type=st.sampled_from([None, "personal", "corporate", "conference", "family"]),
    **_CONTROLLED,
) | st.builds(mods.Name, etal=st.just(""), role=_many(_ROLE))
_DATE = st.builds(
    mods.Date,
    value=_WORDS,
    encoding=st.sampled_from([None, "w3cdtf", "iso8601", "marc", "edtf"]),
    qualifier=st.sampled_from([None, "approximate", "inferred", "questionable"]),
    point=st.sampled_from([None, "start", "end"]),
    key_date=st.sampled_from([None, "yes"]),
)
_PLACE = st.builds(
    mods.Place, place_term=_many(st.builds(mods.PlaceTerm, value=_WORDS, type=_CODE_OR_TEXT, authority=_PLACES), 1)
)
_ORIGIN_INFO = st.builds(
    mods.OriginInfo,
    place=_many(_PLACE),
    publisher=_many(st.builds(mods.Publisher, value=_WORDS)),
    date_issued=_many(_DATE, 1),
    copyright_date=_many(_DATE),
    edition=_many(st.builds(mods.Edition, value=_WORDS)),
    issuance=_many(st.sampled_from(["monographic", "serial"])),
    event_type=_ATTRIBUTE,
)
_LANGUAGE = st.builds(
    mods.Language,
    language_term=_many(
        st.builds(mods.LanguageTerm, value=_WORDS, type=_CODE_OR_TEXT, authority=st.sampled_from([None, "iso639-2b"])),
        1,
    ),
    object_part=_ATTRIBUTE,
)
_EXTENT = st.builds(mods.Extent, value=_WORDS, unit=_ATTRIBUTE)
_NOTE = st.builds(mods.Note, value=_WORDS, type=_ATTRIBUTE, display_label=_ATTRIBUTE)
_PHYSICAL_DESCRIPTION = st.builds(
    mods.PhysicalDescription,
    form=_many(st.builds(mods.Form, value=_WORDS, type=_ATTRIBUTE, **_CONTROLLED)),
    extent=_many(_EXTENT, 1),
    digital_origin=_many(st.just("born digital")),
    note=_many(_NOTE),
)
_PARTS = (
    st.builds(mods.Topic, value=_WORDS, **_CONTROLLED)
    | st.builds(mods.Geographic, value=_WORDS, **_CONTROLLED)
    | st.builds(mods.Temporal, value=_WORDS, encoding=st.sampled_from([None, "w3cdtf"]))
    | st.builds(mods.TitleInfo, title=_WORDS, part_name=_many(_WORDS))
    | st.builds(mods.Name, name_part=_many(_NAME_PART, 1), type=st.sampled_from([None, "personal"]))
    | st.builds(mods.HierarchicalGeographic, country=_many(_WORDS, 1), extraterrestrial_area=_many(_WORDS))
    | st.builds(mods.Genre, value=_WORDS)
)
_SUBJECT = st.builds(mods.Subject, parts=_many(_PARTS, 1), **_CONTROLLED)
_LOCATION = st.builds(
    mods.Location,
    physical_location=_many(st.builds(mods.PhysicalLocation, value=_WORDS, type=_ATTRIBUTE)),
    shelf_locator=_many(_WORDS),
    url=_many(st.builds(mods.Url, value=st.just("http://example.org/a"), usage=st.sampled_from([None, "primary"]))),
)
_PART = st.builds(
    mods.Part,
    detail=_many(st.builds(mods.Detail, number=_many(_WORDS, 1), caption=_many(_WORDS), type=_ATTRIBUTE)),
    extent=_many(st.builds(mods.PartExtent, start=_WORDS, end=st.none() | _WORDS, unit=_ATTRIBUTE)),
    text=_many(st.builds(mods.PartText, value=_WORDS)),
)
_RECORD_INFO = st.builds(
    mods.RecordInfo,
    record_content_source=_many(st.builds(mods.RecordContentSource, value=_WORDS, authority=_ATTRIBUTE)),
    record_creation_date=_many(_DATE),
    record_identifier=_many(st.builds(mods.RecordIdentifier, value=_WORDS, source=_ATTRIBUTE), 1),
    language_of_cataloging=_many(_LANGUAGE),
)


def _described(**more: st.SearchStrategy[Any]) -> st.SearchStrategy[mods.Mods]:
    return st.builds(
        mods.Mods,
        title_info=_many(_TITLE_INFO, 1),
        name=_many(_NAME),
        origin_info=_many(_ORIGIN_INFO),
        identifier=_many(st.builds(mods.Identifier, value=_WORDS, type=_ATTRIBUTE)),
        part=_many(_PART),
        **more,
    )


def valid_mods() -> st.SearchStrategy[mods.Mods]:
    """Descriptions with all usual elements."""
    related = st.builds(
        mods.RelatedItem,
        mods=_described(),
        type=st.sampled_from([None, "host", "series", "preceding"]),
        display_label=_ATTRIBUTE,
    )
    return _described(
        type_of_resource=_many(st.builds(mods.TypeOfResource, value=st.just("text"))),
        genre=_many(st.builds(mods.Genre, value=_WORDS, type=_ATTRIBUTE, **_CONTROLLED)),
        language=_many(_LANGUAGE),
        physical_description=_many(_PHYSICAL_DESCRIPTION),
        abstract=_many(st.builds(mods.Abstract, value=_WORDS, type=_ATTRIBUTE)),
        note=_many(_NOTE),
        subject=_many(_SUBJECT),
        classification=_many(st.builds(mods.Classification, value=_WORDS, edition=_ATTRIBUTE, **_CONTROLLED)),
        location=_many(_LOCATION),
        related_item=_many(related),
        record_info=_many(_RECORD_INFO),
    )
