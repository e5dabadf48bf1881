"""Descriptions of one book as libraries make them: what the tests of merging put together, and what hypothesis may."""

from __future__ import annotations

from hypothesis import strategies as st

from bibld.config import MergeConfig
from bibld.merge import Policies, merge_records
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import (
    Abstract,
    Date,
    Edition,
    Extent,
    Identifier,
    Language,
    LanguageTerm,
    Mods,
    Name,
    NameIdentifier,
    NamePart,
    Note,
    OriginInfo,
    PhysicalDescription,
    Place,
    PlaceTerm,
    Publisher,
    RecordInfo,
    RelatedItem,
    Role,
    RoleTerm,
    TitleInfo,
)
from bibld.model.origin import RecordId

RSL, NLR, SLAVICA = RecordId("rsl", "1"), RecordId("nlr", "2"), RecordId("slavica", "3")
POLICIES = ("union", "fill", "newest", "most_trusted", "longest")
TRUST = {"rsl": 1, "nlr": 3, "slavica": 2}


def made(day: str, changed: str = "") -> tuple[RecordInfo, ...]:
    """About a record: when it was made, and when it was changed last."""
    dates = (Date(changed, encoding="iso8601"),) if changed else ()
    return (RecordInfo(record_creation_date=(Date(day, encoding="w3cdtf"),), record_change_date=dates),)


def in_language(*codes: str) -> tuple[Language, ...]:
    return tuple(Language((LanguageTerm(code, type="code"),)) for code in codes)


def person(heading: str, dates: str = "", role: str = "", identifier: NameIdentifier | None = None) -> Name:
    parts = (NamePart(heading), *((NamePart(dates, type="date"),) if dates else ()))
    roles = (Role((RoleTerm(role, type="code"),)),) if role else ()
    return Name(parts, role=roles, name_identifier=(identifier,) if identifier else (), type="personal")


def published(place: str = "", publisher: str = "", date: str = "") -> tuple[OriginInfo, ...]:
    return (
        OriginInfo(
            place=(Place((PlaceTerm(place, type="text"),)),) if place else (),
            publisher=(Publisher(publisher),) if publisher else (),
            date_issued=(Date(date),) if date else (),
        ),
    )


def extent(*texts: str) -> tuple[PhysicalDescription, ...]:
    return (PhysicalDescription(extent=tuple(map(Extent, texts))),)


def series(title: str, number: str = "") -> tuple[RelatedItem, ...]:
    info = TitleInfo(title, part_number=(number,) if number else ())
    return (RelatedItem(type="series", mods=Mods(title_info=(info,))),)


def by(policy: str, *elements: str) -> Policies:
    """The policy for these elements (for all where none is named), the paper's rule for the others."""
    return Policies(MergeConfig(**dict.fromkeys(elements or MergeConfig.__struct_fields__, policy)), TRUST)


def merge(*records: tuple[RecordId, Mods], policies: Policies | None = None) -> Merged:
    members = tuple(record for record, _ in records)
    return merge_records(Cluster(members[0], members), records, policies)


def of(*descriptions: Mods, policies: Policies | None = None) -> Merged:
    """Merge descriptions of the three libraries, the oldest first unless their dates differ."""
    records = [
        (record, mods if mods.record_info else _made(mods, f"19{90 + number}-01-01"))
        for number, (record, mods) in enumerate(zip((RSL, NLR, SLAVICA), descriptions, strict=False))
    ]
    return merge(*records, policies=policies)


def _made(mods: Mods, day: str) -> Mods:
    return Mods(**{field: getattr(mods, field) for field in Mods.elements} | {"record_info": made(day)})


def not_shown(result: Merged) -> dict[str, tuple[str, set[RecordId]]]:
    return {source.path: (source.value, set(source.records)) for source in result.sources if not source.is_shown}


def spellings(result: Merged) -> dict[str, dict[str, set[RecordId]]]:
    return {
        source.path: {one.value: set(one.records) for one in source.spellings}
        for source in result.sources
        if source.spellings
    }


# --- what hypothesis may make up

_HEADINGS = (
    "Толстой, Л.", "Толстой, Л. Н.", "Толстой Л.Н.", "Толстой, Лев Николаевич", "Толстой, Леонид Никитич",
    "Толстой, Лев Николаевич, 1828-1910", "Толстой, Л. Н. (Лев Николаевич)",
    "Tolstoĭ, Lev Nikolaevich", "Tolstoĭ, L. N.", "Достоевский, Ф. М.", "Гоголь",
)  # fmt: skip
_TITLES = (
    "Война и мир",
    "Война и мир.",
    "Voĭna i mir",
    "Война и мир : роман",
    "Voĭna i mir : roman",
    "War and peace",
    "?",
)
_SUB_TITLES = ("роман", "Роман.", "roman", "роман в четырех томах")
_EXTENTS = (
    "349 с.", "349, [2] с.", "349, [3] с.", "349, [2] с. : ил. ; 22 см", "349 p.", "349 p. : ill. ; 22 cm",
    "3 т.", "3 v.", "[16] с.",
)  # fmt: skip
_PLACES = ("М.", "Москва", "[Москва]", "Moskva", "СПб.", "Санкт-Петербург", "Л.")
_PUBLISHERS = ("Наука", "наука.", "Nauka", "Изд-во Наука", "Худож. лит.")
_DATES = ("1999", "[1999]", "1999?", "cop. 1998")
_ISBNS = ("5-280-00710-3", "5280007103", "978-5-280-00710-7", "5-280-00710-4")
_SERIES = ("Библиотека поэта", "Biblioteka poėta")
_LANGUAGES = ((), ("rus",), ("rus",), ("eng",), ("rus", "eng"))
_DAYS = ("1990-01-01", "1995-01-01", "920101", "?")
_WORDS = ("О войне.", "о войне", "О мире", "Об Отечественной войне 1812 года", "...")


def _some(values: st.SearchStrategy, most: int = 2) -> st.SearchStrategy[tuple]:
    return st.lists(values, max_size=most).map(tuple)


def _sampled(*values: str) -> st.SearchStrategy[str]:
    return st.sampled_from(values)


def _titles() -> st.SearchStrategy[TitleInfo]:
    numbers = _some(_sampled("Т. 1", "1", "Т. 2"), 1)
    kinds = st.sampled_from((None, None, None, "alternative"))
    return st.builds(
        TitleInfo, _sampled(*_TITLES), sub_title=_some(_sampled(*_SUB_TITLES), 1), part_number=numbers, type=kinds
    )


def _names() -> st.SearchStrategy[Name]:
    identifiers = st.none() | st.builds(NameIdentifier, _sampled("1", "2"), type=_sampled("viaf", "local"))
    return st.builds(
        person, _sampled(*_HEADINGS), _sampled("", "", "1828-1910", "1828-"), _sampled("", "aut"), identifiers
    )


def _origins() -> st.SearchStrategy[OriginInfo]:
    return st.builds(
        OriginInfo,
        place=_some(_sampled(*_PLACES).map(lambda text: Place((PlaceTerm(text, type="text"),)))),
        publisher=_some(_sampled(*_PUBLISHERS).map(Publisher)),
        date_issued=_some(_sampled(*_DATES).map(Date)),
        edition=_some(_sampled("2-е изд.", "2-e izd.", "Изд. 2-е").map(Edition), 1),
        event_type=st.sampled_from((None, None, "manufacture")),
    )


def books() -> st.SearchStrategy[Mods]:
    """Descriptions whose values are likely to be forms of each other."""
    return st.builds(
        Mods,
        title_info=_some(_titles(), 3),
        name=_some(_names(), 4),
        origin_info=_some(_origins(), 1),
        language=st.sampled_from(_LANGUAGES).map(lambda codes: in_language(*codes)),
        physical_description=_some(_sampled(*_EXTENTS), 2).map(lambda texts: extent(*texts) if texts else ()),
        abstract=_some(_sampled(*_WORDS).map(Abstract)),
        note=_some(_sampled(*_WORDS).map(Note)),
        related_item=st.just(()) | st.builds(series, _sampled(*_SERIES), _sampled("", "1", "2")),
        identifier=_some(_sampled(*_ISBNS).map(lambda text: Identifier(text, type="isbn"))),
        record_info=st.builds(made, _sampled(*_DAYS), _sampled("", "20050101120000.0")),
    )


def clusters() -> st.SearchStrategy[list[tuple[RecordId, Mods]]]:
    """Records of up to three libraries."""
    some = st.lists(books(), min_size=1, max_size=3)
    return some.map(lambda found: list(zip((RSL, NLR, SLAVICA), found, strict=False)))
