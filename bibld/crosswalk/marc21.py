"""MARC 21 to MODS.

MARC 21 Format for Bibliographic Data (https://www.loc.gov/marc/bibliographic/) to MODS 3.7, along the mapping of the
Library of Congress, without the faults of its stylesheet: coded dates are W3CDTF, ISBD punctuation is removed, roles
and authority links are resolved, numbers are checked. ``RULES`` states what each field becomes.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._codes import reasons_of
from bibld.crosswalk._flavour import is_unimarc, refuse_other_kinds
from bibld.crosswalk._marc21.conventions import (
    CONVENTIONS,
    PRIVATE_BY_INDICATOR,
    STRUCTURAL,
    Marc21View,
    with_complete_008,
    with_superscripts,
)
from bibld.crosswalk._marc21.form import KIND_AND_LANGUAGE, PHYSICAL
from bibld.crosswalk._marc21.holdings import HOLDINGS
from bibld.crosswalk._marc21.identification import IDENTIFIERS, RECORD
from bibld.crosswalk._marc21.links import RELATED
from bibld.crosswalk._marc21.names import NAMES
from bibld.crosswalk._marc21.notes import NOTES, PRIVATE_SUBFIELDS
from bibld.crosswalk._marc21.origin import ORIGIN
from bibld.crosswalk._marc21.subjects import SUBJECTS
from bibld.crosswalk._marc21.titles import TITLES
from bibld.crosswalk._marc21.work_attributes import WORK_ATTRIBUTES
from bibld.crosswalk._rules import RuleSet
from bibld.model.marc import MarcRecord
from bibld.protocols import Converted


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``profile``: the mapping, which is always ``std``; another one is run by the crosswalk ``xslt``."""

    profile: Literal["std"] = "std"


_BY_STYLESHEET = 'crosswalk = "xslt" in the source and stylesheet = "MARC21slim2MODS3-7.xsl" in [crosswalk.xslt]'

REPLACED = {
    "profile": f'must be "std"; to convert by the stylesheet of the Library of Congress, write {_BY_STYLESHEET}',
    "corrections": "cannot be chosen any more: all are made; remove this table, or convert by a stylesheet: write "
    + _BY_STYLESHEET,
}
"""What to write instead of keys and values that were removed."""


RULES = RuleSet(
    (
        TITLES, NAMES, KIND_AND_LANGUAGE, ORIGIN, PHYSICAL, NOTES, WORK_ATTRIBUTES, SUBJECTS, HOLDINGS, RELATED,
        IDENTIFIERS, RECORD,
    ),
    PRIVATE_SUBFIELDS | dict.fromkeys(("852", "856", "863", "864", "865", "866", "867", "868"), "x"),
    STRUCTURAL,
    reasons_of("marc21"),
    PRIVATE_BY_INDICATOR,
)  # fmt: skip
"""The rules. Fields that their indicator or tag makes private are set aside before any rule."""

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
    record, warnings = with_complete_008(with_superscripts(record))
    converted = RULES.convert(Marc21View(record, None, CONVENTIONS))
    if not converted.mods.title_info:
        warnings += ("the record has no title (245$a)",)
    return replace(converted, warnings=(*converted.warnings, *warnings)) if warnings else converted
