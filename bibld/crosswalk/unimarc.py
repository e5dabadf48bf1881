"""UNIMARC to MODS, as France, Italy, Portugal, Romania and other countries write it.

IFLA's bibliographic format, edition 2008, with the later fields 181–183 and 214. Differs from RUSMARC in holdings: they
are in 995 (French recommendation), or in 899 by the code of the library (Italy).
"""

from __future__ import annotations

from bibld.crosswalk import rusmarc
from bibld.crosswalk._codes import reasons_of
from bibld.crosswalk._flavour import is_unimarc
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._unimarc.holdings import UNIMARC_BOOK
from bibld.crosswalk._unimarc.rules import COMMON_RULES, PRIVATE_SUBFIELDS, STRUCTURAL
from bibld.crosswalk._unimarc.rules import convert as _convert
from bibld.crosswalk._unimarc.view import UnimarcSettings
from bibld.model.marc import MarcRecord
from bibld.protocols import Converted

_FLAGS = {"899": "efx"}
"""Flags of the Italian union catalogue."""

RULES = RuleSet((COMMON_RULES, UNIMARC_BOOK), PRIVATE_SUBFIELDS | _FLAGS, STRUCTURAL, reasons_of("unimarc"))


PRIORITY = -1
"""Behind other crosswalks, because it recognises every record of the UNIMARC family that is not RUSMARC."""


class Settings(UnimarcSettings, frozen=True):
    """As in all the family."""


def sniffs(record: MarcRecord) -> bool:
    """Whether a record is UNIMARC, but not RUSMARC."""
    return is_unimarc(record) and not rusmarc.sniffs(record)


def convert(record: MarcRecord, settings: Settings) -> Converted:
    """Convert one bibliographic record; a pure function of its arguments."""
    return _convert(record, settings, RULES)
