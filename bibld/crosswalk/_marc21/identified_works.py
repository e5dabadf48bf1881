"""Works and other resources that an IRI identifies: 758 → relatedItem."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._marc21.conventions import Marc21View
from bibld.crosswalk._marc21.links import relation_attributes
from bibld.crosswalk._marc21.titles import title_info
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chopped_values, first_address
from bibld.model.marc import DataField
from bibld.model.mods import RelatedItem, collected

IDENTIFIED_WORKS = RuleBook()


@IDENTIFIED_WORKS.field("758", "ai014", "relatedItem with xlink:href, otherTypeURI from $4")
def identified_resource(field: DataField, view: Marc21View) -> Iterator[RelatedItem]:
    """Resource that an IRI identifies; ``$4`` or ``$i`` states the relation, mostly that it is the work manifested."""
    href = first_address(field.values("1", "0"))
    titles = [title_info(text) for text in chopped_values(field, "a")]
    if href or titles:
        attributes = relation_attributes(None, field)
        relation = first_address(field.values("4")) if attributes["type"] is None else None
        yield RelatedItem(mods=collected(titles), xlink_href=href, other_type_uri=relation, **attributes)
