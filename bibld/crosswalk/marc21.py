"""MARC 21 to MODS.

MARC 21 Format for Bibliographic Data (https://www.loc.gov/marc/bibliographic/) to MODS 3.7, along the mapping of the
Library of Congress, without the faults of its stylesheet: coded dates are W3CDTF, ISBD punctuation is taken off, roles
and authority links are resolved, numbers are checked. What each field becomes stands with its rule, in ``RULES``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bibld.crosswalk._flavour import is_unimarc, refuse_other_kinds
from bibld.crosswalk._marc21.conventions import CONVENTIONS
from bibld.crosswalk._marc21.fixed import KIND_AND_LANGUAGE
from bibld.crosswalk._marc21.holdings import HOLDINGS
from bibld.crosswalk._marc21.identifiers import IDENTIFIERS
from bibld.crosswalk._marc21.names import NAMES
from bibld.crosswalk._marc21.notes import NOTES, PRIVATE_SUBFIELDS
from bibld.crosswalk._marc21.origin import ORIGIN
from bibld.crosswalk._marc21.physical import PHYSICAL
from bibld.crosswalk._marc21.record import RECORD
from bibld.crosswalk._marc21.related import RELATED
from bibld.crosswalk._marc21.series import SERIES
from bibld.crosswalk._marc21.subjects import SUBJECTS
from bibld.crosswalk._marc21.titles import TITLES
from bibld.crosswalk._rules import Coverage, View, apply_rules
from bibld.model.marc import MarcRecord
from bibld.protocols import Converted


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``profile`` names the mapping; ``std`` is the one that there is."""

    profile: Literal["std"] = "std"


RULES = tuple(
    rule
    for book in (
        TITLES, NAMES, KIND_AND_LANGUAGE, ORIGIN, PHYSICAL, NOTES, SUBJECTS, HOLDINGS, SERIES, RELATED, IDENTIFIERS,
        RECORD,
    )
    for rule in book.rules
)  # fmt: skip
"""Every rule, in the order in which the results stand."""

COVERAGE = Coverage(RULES, PRIVATE_SUBFIELDS | {"852": "x", "856": "x"}, CONVENTIONS)
"""What the rules read, and what is kept back: local fields, and those that an indicator or subfield makes private."""


def sniffs(record: MarcRecord) -> bool:
    """Whether the record is MARC 21: anything that is not of the UNIMARC family."""
    return not is_unimarc(record)


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one bibliographic record.

    A value that cannot be used is left out with a warning that names its tag; nothing around it is lost. Raises
    ``CrosswalkError`` for authority, holdings, classification and community information records.
    """
    refuse_other_kinds(record, unimarc=False)
    view = View(record, settings, CONVENTIONS)
    mods = apply_rules(RULES, view)
    if not mods.title_info:
        view.warn("the record has no title (245$a)")
    return COVERAGE.converted(mods, record, tuple(view.warnings))
