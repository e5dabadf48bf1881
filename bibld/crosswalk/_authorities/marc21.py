"""MARC 21 authority records (https://www.loc.gov/marc/authority/) to an ``Authority``."""

from __future__ import annotations

from bibld.crosswalk._authorities.marc21_facts import FACTS, PRIVATE
from bibld.crosswalk._authorities.marc21_headings import HEADINGS
from bibld.crosswalk._authorities.statements import convert_by
from bibld.crosswalk._codes import reasons_of
from bibld.crosswalk._marc21.conventions import STRUCTURAL, Marc21View, link
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._view import Conventions
from bibld.model.authority import ConvertedAuthority
from bibld.model.marc import MarcRecord

RULES = RuleSet((HEADINGS, FACTS), PRIVATE, STRUCTURAL, reasons_of("marc21 authorities"))
"""The rules; docs and coverage are made of them."""


CONVENTIONS = Conventions(
    is_private=lambda field: "9" in field.tag,
    link=link,
    cleans=lambda tag: True,
    titles=lambda tag: "at" if tag[1:] == "30" else "t",
)
"""As in bibliographic records."""


def convert(record: MarcRecord) -> ConvertedAuthority:
    """Convert one authority record. Raises ``CrosswalkError`` for a record without a heading that is not deleted."""
    return convert_by(RULES, Marc21View(record, None, CONVENTIONS), "1XX")
