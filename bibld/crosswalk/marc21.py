"""MARC 21 to MODS.

MARC 21 Format for Bibliographic Data (https://www.loc.gov/marc/bibliographic/) to MODS 3.7, along the mapping of the
Library of Congress, without the faults of its stylesheet: coded dates are W3CDTF, ISBD punctuation is removed, roles
and authority links are resolved, numbers are checked. ``RULES`` states what each field becomes.

The profile ``loc`` writes what the stylesheet MARC21slim2MODS3-7 (revision 1.140) writes for a document of one record,
faults included, by ``LOC_RULES``; it differs only where the stylesheet writes no MODS (bare text in ``originInfo`` and
``physicalDescription``, ``extraterrestrialArea``, ``script`` on a ``relatedItem``).
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._flavour import is_unimarc, refuse_other_kinds
from bibld.crosswalk._marc21.conventions import STRUCTURAL, conventions
from bibld.crosswalk._marc21.corrections import Corrections, effective_corrections
from bibld.crosswalk._marc21.fixed import KIND_AND_LANGUAGE, RECORD
from bibld.crosswalk._marc21.holdings import HOLDINGS
from bibld.crosswalk._marc21.identifiers import IDENTIFIERS
from bibld.crosswalk._marc21.names import NAMES
from bibld.crosswalk._marc21.notes import NOTES, PRIVATE_SUBFIELDS
from bibld.crosswalk._marc21.origin import ORIGIN
from bibld.crosswalk._marc21.physical import PHYSICAL
from bibld.crosswalk._marc21.related import RELATED
from bibld.crosswalk._marc21.short_008 import with_complete_008
from bibld.crosswalk._marc21.subjects import SUBJECTS
from bibld.crosswalk._marc21.titles import TITLES
from bibld.crosswalk._marc21_loc.description import DESCRIPTION as LOC_DESCRIPTION
from bibld.crosswalk._marc21_loc.fields import StylesheetView
from bibld.crosswalk._marc21_loc.notes_and_numbers import NOTES_AND_NUMBERS as LOC_NOTES_AND_NUMBERS
from bibld.crosswalk._marc21_loc.related import RELATED as LOC_RELATED
from bibld.crosswalk._marc21_loc.subjects import SUBJECTS as LOC_SUBJECTS
from bibld.crosswalk._marc21_loc.titles_and_names import TITLES_AND_NAMES as LOC_TITLES_AND_NAMES
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._view import View
from bibld.model.marc import MarcRecord
from bibld.protocols import Converted


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The profile and its corrections.

    ``profile`` names the mapping: ``std``, or ``loc`` for what the stylesheet of the Library of Congress writes;
    ``corrections``: single ones that are switched off in ``std``, or on in ``loc``.
    """

    profile: Literal["std", "loc"] = "std"
    corrections: Corrections = Corrections()


RULES = RuleSet(
    (
        TITLES, NAMES, KIND_AND_LANGUAGE, ORIGIN, PHYSICAL, NOTES, SUBJECTS, HOLDINGS, RELATED, IDENTIFIERS,
        RECORD,
    ),
    PRIVATE_SUBFIELDS | {"852": "x", "856": "x"},
    STRUCTURAL,
)  # fmt: skip
"""The rules of ``std``. Fields that their indicator or tag makes private are set aside before any rule."""

LOC_RULES = RuleSet(
    (LOC_TITLES_AND_NAMES, LOC_DESCRIPTION, LOC_NOTES_AND_NUMBERS, LOC_SUBJECTS, LOC_RELATED), structural=STRUCTURAL
)
"""The rules of ``loc``; only local fields are private."""


def rules_for(settings: Settings) -> RuleSet:
    """Return the rules of the profile."""
    return LOC_RULES if settings.profile == "loc" else RULES


PRIORITY = -1
"""Behind other crosswalks, because it recognises every record that is not of the UNIMARC family."""


PRIORITY = -1
"""Behind other crosswalks, because it recognises every record that is not of the UNIMARC family."""


def sniffs(record: MarcRecord) -> bool:
    """Whether the record is MARC 21: anything that is not of the UNIMARC family."""
    return not is_unimarc(record)


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one bibliographic record.

    A value that cannot be used is left out with a warning that names its tag; nothing around it is lost. Raises
    ``CrosswalkError`` for authority, holdings, classification and community information records.
    """
    refuse_other_kinds(record, unimarc=False)
    corrections = effective_corrections(settings.profile, settings.corrections)
    if settings.profile == "loc":
        return LOC_RULES.convert(StylesheetView(record, corrections))
    record, warnings = with_complete_008(record)
    converted = RULES.convert(View(record, corrections, conventions(bool(corrections.scripts_named))))
    if not converted.mods.title_info:
        warnings += ("the record has no title (245$a)",)
    return replace(converted, warnings=(*converted.warnings, *warnings)) if warnings else converted
