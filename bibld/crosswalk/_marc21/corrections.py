"""Corrections of the mapping of the Library of Congress stylesheet, each a switch."""

from __future__ import annotations

from functools import cache

import msgspec

NO_TEXT = " "
"""The text of an element that is written empty; in the model, an empty text is no element."""


class Corrections(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Switches: true corrects, false does as the stylesheet MARC21slim2MODS3-7 (revision 1.140) does.

    A switch that is not set has the default of the profile: ``std`` corrects everything, ``loc`` nothing. The note at
    each states what the stylesheet does. Two of its faults have no switch, since they are not MODS: the bare text that
    it leaves in physicalDescription where only some of the physical fields have ``$6``, and its stop at ``$n`` of a
    534 with ``$6``.
    """

    coordinates_written: bool | None = None
    """034 is never mapped."""

    government_numbers_written: bool | None = None
    """086 is never mapped."""

    every_coded_genre: bool | None = None
    """Of several codes in 008/24-27 only the first by alphabet becomes a genre; patent and offprint are looked for in
    008/24 of books alone; a map, atlas or model of 007 yields to 008 or hides it."""

    coded_genres_by_kind: bool | None = None
    """008/25 ``d`` makes a globe of any record, 008/28 ``u`` and ``|`` a government publication; serials are none."""

    index_terms_separate: bool | None = None
    """All subfields of a 653 are one text without blanks; a person is what has first indicator 0 or 1."""

    literary_forms_read: bool | None = None
    """008/33 ``l`` is fiction and ``1 m p`` are nothing; ``g`` of visual material is a legal article."""

    form_of_item_by_kind: bool | None = None
    """008/23 and 008/29 are both read for every kind of record; ``c d o q r`` are nothing."""

    addresses_by_field: bool | None = None
    """One 856 with ``$u`` that is no related resource gives every 856 a location (``electronic resource`` where it has
    no label); so does one 045 with first indicator 2 give every 045 a range."""

    places_unbracketed: bool | None = None
    """Of ``[Moscow]`` in 260$a the first bracket goes and the second stays."""

    part_languages_kept: bool | None = None
    """A language in 041$b-$h that is also that of 008/35-37 is left out."""

    conference_roles_read: bool | None = None
    """The role of a conference is read from ``$e``, which is its subordinate unit, and not from ``$j``."""

    version_written_once: bool | None = None
    """``$s`` of 130 and 730 is written twice in the title."""

    contained_titles_once: bool | None = None
    """A 740 with second indicator 2 is a title of the resource as well as a work that it contains."""

    country_codes_written: bool | None = None
    """044 is not mapped unless it, or another field of originInfo, has ``$6``. (The stylesheet leaves the bare text of
    ``$c`` in originInfo, which is no MODS.)"""

    functions_tidied: bool | None = None
    """264 keeps its punctuation, an absent place or publisher is an empty element, and copyright dates (second
    indicator 4) are lost."""

    names_tidied: bool | None = None
    """Names and terms of address keep their final punctuation."""

    dates_normalized: bool | None = None
    """Coded dates are raw (``encoding="marc"``) and left out where 260$c states the same; none is a key date."""

    genre_authority_named: bool | None = None
    """The authority of a 655 without ``$2`` is the digit of its second indicator, or marcgt."""

    scripts_named: bool | None = None
    """``script`` is ``CJK`` for ``$1`` and empty for any code but those of MARC-8."""

    roles_paired: bool | None = None
    """The term and the code of one role are two roles."""

    authority_links_resolved: bool | None = None
    """``$0`` of names, titles and subjects is ``xlink:href`` and nameIdentifier, unchanged."""

    every_name_kept: bool | None = None
    """A 100 or 700 whose first indicator is not 0, 1 or 3 is lost."""

    parallel_titles_split: bool | None = None
    """``=`` and the parallel title stay in the title and subtitle of a 245."""

    traced_series_kept: bool | None = None
    """A 490 with first indicator 1 is lost even where no 8XX traces it."""

    imprints_parsed: bool | None = None
    """``$d`` of a linking entry is all publisher."""

    isbns_normalized: bool | None = None
    """020 is written unchanged, with hyphens and qualifier; check digits are not checked."""

    kits_typed: bool | None = None
    """The typeOfResource of kits, and of unknown codes in leader/06, is an empty element."""

    relations_named: bool | None = None
    """``$i`` is otherType, unchanged (and displayLabel in 76X-78X)."""

    coded_forms_in_every_script: bool | None = None
    """007 is left out of a physicalDescription that has a counterpart in another script."""

    empty_details_dropped: bool | None = None
    """773$q always gives three details and a start page, empty ones too."""


@cache
def effective_corrections(profile: str, chosen: Corrections) -> Corrections:
    """Return the corrections, with the default of the profile for those that are not set."""
    given = profile == "std"
    return Corrections(
        **{name: given if value is None else value for name, value in msgspec.structs.asdict(chosen).items()}
    )
