"""UNIMARC as other countries write it (France, Italy, Portugal, Romania …): IFLA's bibliographic format, edition 2008,
with the later fields 181–183 and 214.

Differs from RUSMARC in tables: holdings stand in 995 as the French recommendation has it, 899 means nothing.
"""

from __future__ import annotations

from bibld.crosswalk import rusmarc
from bibld.crosswalk._flavour import is_unimarc
from bibld.crosswalk._rules import Coverage
from bibld.crosswalk._unimarc.engine import convert as _convert
from bibld.crosswalk._unimarc.engine import flavour
from bibld.crosswalk._unimarc.holdings import UNIMARC_BOOK
from bibld.crosswalk._unimarc.view import UnimarcSettings
from bibld.model.marc import MarcRecord
from bibld.protocols import Converted

_PRIVATE = {"899": "efx"}
"""Flags of the Italian union catalogue."""

FLAVOUR = flavour(UNIMARC_BOOK.rules, rusmarc.of_marc21, _PRIVATE)
_COVERAGE = Coverage(FLAVOUR.rules, FLAVOUR.private)

PRIORITY = -1
"""Behind other crosswalks, because it recognises every record of the UNIMARC family that is not RUSMARC."""


class Settings(UnimarcSettings, frozen=True):
    """As in all the family."""


def sniffs(record: MarcRecord) -> bool:
    """Whether a record is UNIMARC, but not RUSMARC."""
    return is_unimarc(record) and not rusmarc.sniffs(record)


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one bibliographic record; a pure function of its arguments."""
    return _convert(record, settings, FLAVOUR, _COVERAGE)
