"""Identifiers: 010, 020, 022, 024, 028, 035, 037, 856$u → identifier."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._marc21.identifiers import isbns
from bibld.crosswalk._marc21_loc.fields import StylesheetView, has_any, normalize_space
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.model.mods import Element, Identifier

IDENTIFIERS = RuleBook()

# None of these fields is read in another script.


@IDENTIFIERS.record("identifier[isbn], invalid for $z", t020="az")
def isbn(view: StylesheetView) -> Iterator[Element]:
    """ISBN."""
    for field in view.regular("020"):
        yield from isbns(field, view)


_ISSN_KINDS = (("a", "issn", None), ("z", "issn", "yes"), ("y", "issn", "yes"), ("l", "issn-l", None))


@IDENTIFIERS.record("identifier[issn, issn-l], invalid for $m $y $z", t022="almyz")
def issn(view: StylesheetView) -> Iterator[Identifier]:
    """ISSN and ISSN-L: the first of each kind in a field."""
    for field in view.regular("022"):
        for code, kind, invalid in (*_ISSN_KINDS, ("m", "issn-l", "yes")):
            text = field.first(code)
            if text is not None:
                yield Identifier(value=text, type=kind, invalid=invalid)


@IDENTIFIERS.record("identifier, type from the first indicator or $2", t024="ab2")
def other_standard_number(view: StylesheetView) -> Iterator[Identifier]:
    """Other standard identifiers; an EAN (3) is none."""
    for field in view.regular("024"):
        indicator, text = field.indicator1, field.first("a")
        if indicator in ("0", "2") and text is not None:
            yield Identifier(value=text, type="isrc" if indicator == "0" else "ismn")
        elif indicator == "1":
            yield Identifier(value=text or "", type="upc")
        elif indicator == "4":
            yield Identifier(value=join(field, "ab"), type="sici")
        elif indicator in ("7", "8"):
            yield Identifier(value=text or "", type=field.first("2") if indicator == "7" else None)


@IDENTIFIERS.record("identifier[lccn], invalid for $z", t010="az")
def lccn(view: StylesheetView) -> Iterator[Identifier]:
    """Library of Congress control number."""
    for field in view.regular("010"):
        for code, invalid in (("a", None), ("z", "yes")):
            text = field.first(code)
            if text is not None:
                yield Identifier(value=normalize_space(text), type="lccn", invalid=invalid)


_PUBLISHER_NUMBER = {
    "0": "issue number", "1": "matrix number", "2": "music plate", "3": "music publisher",
    "4": "videorecording identifier",
}  # fmt: skip


@IDENTIFIERS.record("identifier, type from the first indicator", t028="ab")
def publisher_number(view: StylesheetView) -> Iterator[Identifier]:
    """Publisher or distributor number."""
    for field in view.regular("028"):
        yield Identifier(value=join(field, "ab"), type=_PUBLISHER_NUMBER.get(field.indicator1, ""))


@IDENTIFIERS.record("identifier[oclc, WlCaITV]", t035="a")
def system_number(view: StylesheetView) -> Iterator[Identifier]:
    """Numbers in two other systems; a field is known by any of its ``$a``, the number is that of the first."""
    for prefix, kind in (("(OCoLC)", "oclc"), ("(WlCaITV)", "WlCaITV")):
        for field in view.regular("035"):
            texts = field.values("a")
            if any(prefix in text for text in texts):
                yield Identifier(value=normalize_space(texts[0].partition(prefix)[2]), type=kind)


@IDENTIFIERS.record("identifier[stock number], displayLabel from $c", t037="abc")
def stock_number(view: StylesheetView) -> Iterator[Identifier]:
    """Source of acquisition."""
    for field in view.regular("037"):
        label = join(field, "c") if has_any(field, "c") else None
        yield Identifier(value=join(field, "ab"), type="stock number", display_label=label)


_HANDLES = "http://hdl.loc.gov/"


@IDENTIFIERS.record("identifier[hdl] from a handle in the address", t856="u3yz")
def handle(view: StylesheetView) -> Iterator[Identifier]:
    """A handle of the Library of Congress; one that begins with ``hdl`` gives two identifiers without a number."""
    for field in view.regular("856"):
        address = field.first("u") or ""
        value = "hdl:" + address.partition(_HANDLES)[2]
        is_name = address.startswith(("urn:hdl", "hdl"))
        if is_name or address.startswith("http://hdl.loc.gov"):
            yield Identifier(value=value, type="hdl")
        if is_name:
            label = join(field, "y3z") if has_any(field, "y3z") else None
            yield Identifier(value=value, type="hdl", display_label=label)
