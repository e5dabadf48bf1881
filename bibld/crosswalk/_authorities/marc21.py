"""MARC 21 authority records (https://www.loc.gov/marc/authority/) to an ``Authority``."""

from __future__ import annotations

from bibld.crosswalk._authorities.marc21_facts import FACTS, PRIVATE
from bibld.crosswalk._authorities.marc21_headings import HEADINGS
from bibld.crosswalk._codes import reasons_of
from bibld.crosswalk._marc21.conventions import STRUCTURAL, Marc21View, link
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._view import Conventions
from bibld.errors import CrosswalkError
from bibld.model.authority import ConvertedAuthority, collect_authority
from bibld.model.marc import DataField, MarcRecord

RULES = RuleSet((HEADINGS, FACTS), PRIVATE, STRUCTURAL, reasons_of("marc21 authorities"))
"""The rules; docs and coverage are made of them."""


def _is_private(field: DataField) -> bool:
    return "9" in field.tag


CONVENTIONS = Conventions(
    is_private=_is_private, link=link, cleans=lambda tag: True, titles=lambda tag: "at" if tag[1:] == "30" else "t"
)
"""As in bibliographic records."""


def convert(record: MarcRecord) -> ConvertedAuthority:
    """Convert one authority record. Raises ``CrosswalkError`` for a record without a heading that is not deleted."""
    view = Marc21View(record, None, CONVENTIONS)
    authority = collect_authority((view.control("001") or "").strip(), RULES.run(view))
    if not authority.headings and authority.state.status not in ("deleted", "replaced", "split"):
        reason = "authority record without a heading (1XX); correct it, or leave it out of the source"
        raise CrosswalkError(record.origin, reason, control_number=record.control_number)
    unmapped, private = RULES.account(view)
    return ConvertedAuthority(authority, unmapped, private, tuple(view.warnings))
