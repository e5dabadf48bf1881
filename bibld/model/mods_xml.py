"""``Mods`` to and from MODS 3.8 XML (https://www.loc.gov/standards/mods/), as ``bibld.model.mods`` declares it.

Nothing here knows an element of MODS by name; a field that is added to a class of the model is written and read at
once (``bibld.model.mods_plan``).

Writing drops characters that are illegal in XML 1.0, and empty texts. Reading is tolerant: elements without a
namespace are read like those of MODS, texts are trimmed (except ``nonSort``), empty elements and attributes are
ignored, repeated elements for which the model has one text are joined with `` ; ``. :func:`read_element` reports what
the model has no place for. So ``from_xml(to_xml(mods)) == mods`` for every ``mods`` of trimmed,
legal, non-empty values whose foreign XML is in exclusive canonical form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

from lxml import etree

from bibld.model.foreign_xml import ILLEGAL_CHARACTERS, parse_xml
from bibld.model.mods import Mods
from bibld.model.mods_plan import MODS, XLINK, XML, Child, Plan, plan_of, tag_named, tag_of

VERSION = "3.8"
"""The version that is written."""

_XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
_SPACE = f"{{{XML}}}space"
_WHITE = " \t\r\n"

# A prefix, not a default namespace: foreign XML without a namespace would fall into that.
_PREFIXES = {"mods": MODS, "xlink": XLINK}


def to_element(mods: Mods) -> etree._Element:
    """Write a description as the element ``mods`` of MODS 3.8.

    Raises ``ValueError`` if foreign XML (``extension`` and the like) is not well-formed.
    """
    element = etree.Element(tag_named("mods"), nsmap=_PREFIXES)
    element.set("version", VERSION)
    _write(element, mods, plan_of(Mods))
    return element


def to_xml(mods: Mods, *, pretty: bool = False) -> bytes:
    """Write a description as a document in UTF-8; raises ``ValueError`` as :func:`to_element` does.

    ``pretty`` indents the elements, those of foreign XML too.

    >>> mods = next(bibld.to_mods("rsl.mrc"))
    >>> bibld.to_xml(mods)[:38]
    b"<?xml version='1.0' encoding='UTF-8'?>"
    """
    if not isinstance(mods, Mods):
        raise TypeError(f"expected MODS, got {type(mods).__name__}; convert files and records with bibld.to_mods first")
    return etree.tostring(to_element(mods), encoding="UTF-8", xml_declaration=True, pretty_print=pretty)


def write_collection(descriptions: Iterable[Mods], out: BinaryIO) -> int:
    """Write descriptions as a ``modsCollection``, one at a time; return their number."""
    count = 0
    with etree.xmlfile(out, encoding="UTF-8") as file:
        file.write_declaration()
        with file.element(tag_named("modsCollection"), nsmap=_PREFIXES):
            for mods in descriptions:
                file.write("\n")
                file.write(to_element(mods))
                count += 1
            file.write("\n")
    return count


def join_collection(documents: Iterable[bytes], out: BinaryIO) -> int:
    """Write documents of :func:`to_xml` as one ``modsCollection``, unparsed; return their number."""
    prefixes = "".join(f' xmlns:{prefix}="{namespace}"' for prefix, namespace in _PREFIXES.items())
    out.write(f"<?xml version='1.0' encoding='UTF-8'?>\n<mods:modsCollection{prefixes}>\n".encode())
    count = 0
    for document in documents:
        _, _, element = document.partition(b"?>\n")
        out.write(element.replace(prefixes.encode(), b"", 1) + b"\n")
        count += 1
    out.write(b"</mods:modsCollection>\n")
    return count


def from_xml(data: bytes | str) -> Mods:
    """Read a document that is one ``mods``.

    Raises ``ValueError`` for what is not well-formed XML, has a document type declaration (which bibld never reads), or
    is something else than MODS.

    >>> mods = next(bibld.to_mods("rsl.mrc"))
    >>> bibld.from_xml(bibld.to_xml(mods)) == mods
    True
    """
    try:
        if isinstance(data, str):  # whatever charset it declares
            root = parse_xml(data.encode(), is_huge=True, charset="utf-8")
        else:
            root = parse_xml(data, is_huge=True)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"not well-formed XML: {error}") from error
    if root.getroottree().docinfo.doctype:  # type: ignore[attr-defined]
        raise ValueError("the document has a document type declaration, which is not read: remove <!DOCTYPE …>")
    return from_element(root)


def from_element(element: etree._Element) -> Mods:
    """Read an element ``mods``; raises ``ValueError`` for another element."""
    return read_element(element)[0]


def read_element(element: etree._Element) -> tuple[Mods, tuple[str, ...]]:
    """Read an element ``mods`` and report what the model has no place for; raises ``ValueError`` for another element.

    What is left out is reported by its path, once for each occurrence: ``titleInfo/subTitle/@xml:lang``,
    ``subject/cartographics/cartographicExtension``, ``name/text()``.
    """
    if element.tag not in (tag_named("mods"), "mods"):
        raise ValueError(f"the element is <{element.tag}>, not <mods> of the namespace {MODS}")
    left_out: list[str] = []
    return _read(element, Mods, "", left_out), tuple(left_out)


def without_illegal_characters(text: str) -> str:
    """Remove the characters that are illegal in XML 1.0 (2.2)."""
    return ILLEGAL_CHARACTERS.sub("", text)


# --- writing


def _write(element: etree._Element, item: Any, plan: Plan) -> None:  # noqa: ANN401
    for value, (_, name) in zip(plan.attribute_values(item), plan.attributes, strict=True):
        if value is not None:
            try:
                element.set(name, value)
            except ValueError:
                element.set(name, without_illegal_characters(value))
    if plan.has_text and item.value:
        _write_text(element, item.value)
    for value, child in zip(plan.child_values(item), plan.children, strict=True):
        if value:
            _write_child(element, value, child)
        elif child.is_flag and value == "":
            etree.SubElement(element, child.tag)
    if plan.raw is not None:
        for xml in getattr(item, plan.raw):
            element.append(_parse_foreign(xml))
    if plan.inline is not None:
        _write_inline(element, getattr(item, plan.inline), plan)


def _write_child(element: etree._Element, value: Any, child: Child) -> None:  # noqa: ANN401
    tag, kind = child.tag, child.kind
    for one in value if child.is_many else (value,):
        if kind is not None:
            _write(etree.SubElement(element, tag), one, plan_of(kind))
        elif one:
            node = etree.SubElement(element, tag)
            _write_text(node, one)
            if child.is_spaced:
                node.set(_SPACE, "preserve")


def _write_inline(element: etree._Element, value: Any, plan: Plan) -> None:  # noqa: ANN401
    if plan.is_inline_mods:
        _write(element, value, plan_of(Mods))
        return
    for part in value:
        kind: type = type(part)
        _write(etree.SubElement(element, tag_of(kind)), part, plan_of(kind))


def _write_text(element: etree._Element, text: str) -> None:
    try:
        element.text = text
    except ValueError:
        element.text = without_illegal_characters(text)


def _parse_foreign(xml: str) -> etree._Element:
    try:
        return parse_xml(without_illegal_characters(xml).encode(), is_huge=True)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"foreign XML that is not well-formed: {error}: {xml[:200]!r}") from error


# --- reading


def _read(element: etree._Element, kind: type, path: str, left_out: list[str]) -> Any:  # noqa: ANN401
    plan = plan_of(kind)
    values = _read_attributes(element, plan, path, left_out)
    if len(element) and not plan.has_text:
        values.update(_read_children(element, plan, path, left_out))
    if plan.has_text:
        values["value"] = _text_of(element, plan, path, left_out)
    elif plan.raw is None and _has_stray_text(element):
        left_out.append(f"{path}text()")
    if plan.raw is not None:
        values[plan.raw] = tuple(_to_canonical(child) for child in element.iterchildren("*"))
    return kind(**values)


def _read_attributes(element: etree._Element, plan: Plan, path: str, left_out: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in element.attrib.items():
        field = plan.field_of_attribute.get(str(name))
        if field is not None:
            if value:
                values[field] = value
        elif path or name != "version":
            _leave_out_attribute(str(name), path, left_out)
    return values


def _leave_out_attribute(name: str, path: str, left_out: list[str]) -> None:
    if name == _SPACE or name.startswith(_XSI):
        return
    shown = name.replace(f"{{{XML}}}", "xml:").replace(f"{{{XLINK}}}", "xlink:")
    left_out.append(f"{path}@{shown}")


def _read_children(element: etree._Element, plan: Plan, path: str, left_out: list[str]) -> dict[str, Any]:
    """Read the child elements into values by field name; raw XML is not read here."""
    if plan.raw is not None:
        return {}
    found: dict[str, list[Any]] = {}
    for node in element.iterchildren("*"):
        tag = str(node.tag)
        here = f"{path}{_short_name(tag)}/"
        child = plan.child_of_tag.get(tag)
        if child is None and plan.is_inline_mods:
            child = plan_of(Mods).child_of_tag.get(tag)
        if child is not None:
            value: Any = _read_child(node, child, here, left_out)
            field = child.field
        elif tag in plan.inline_kinds and plan.inline is not None:
            value, field = _read_struct(node, plan.inline_kinds[tag], here, left_out), plan.inline
        else:
            left_out.append(here[:-1])
            continue
        if value is not None:
            found.setdefault(field, []).append(value)
    return _combine(found, plan, path, left_out)


def _combine(found: dict[str, list[Any]], plan: Plan, path: str, left_out: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if plan.is_inline_mods and plan.inline is not None:
        own = {child.field for child in plan.children}
        inner = {field: tuple(items) for field, items in found.items() if field not in own}
        values[plan.inline] = Mods(**inner)
        found = {field: items for field, items in found.items() if field in own}
    elif plan.inline is not None and plan.inline in found:
        values[plan.inline] = tuple(found.pop(plan.inline))
    for child in plan.children:
        items = found.get(child.field)
        if items is None:
            continue
        if child.is_many:
            values[child.field] = tuple(items)
        elif child.kind is None:
            values[child.field] = " ; ".join(text for text in items if text) if len(items) > 1 else items[0]
        else:
            values[child.field] = items[0]
            left_out.extend(f"{path}{_short_name(child.tag)}" for _ in items[1:])
    return values


def _read_child(node: etree._Element, child: Child, path: str, left_out: list[str]) -> Any:  # noqa: ANN401
    if child.kind is not None:
        return _read_struct(node, child.kind, path, left_out)
    for name in node.attrib:
        _leave_out_attribute(str(name), path, left_out)
    text = _all_text(node, path, left_out)
    if child.is_spaced:
        return text or None
    text = text.strip(_WHITE)
    return text if text or child.is_flag else None


def _read_struct(node: etree._Element, kind: type, path: str, left_out: list[str]) -> Any:  # noqa: ANN401
    value = _read(node, kind, path, left_out)
    return None if value == plan_of(kind).nothing else value


def _text_of(element: etree._Element, plan: Plan, path: str, left_out: list[str]) -> str:
    if plan.raw is None:
        return _all_text(element, path, left_out).strip(_WHITE)
    return "".join((element.text or "", *(child.tail or "" for child in element))).strip(_WHITE)


def _all_text(element: etree._Element, path: str, left_out: list[str]) -> str:
    """Return all text in an element, that of child elements too, which are reported as left out."""
    if not len(element):
        return element.text or ""
    left_out.extend(f"{path}{_short_name(str(child.tag))}" for child in element.iterchildren("*"))
    return str(element.xpath("string()"))


def _has_stray_text(element: etree._Element) -> bool:
    if element.text and element.text.strip(_WHITE):
        return True
    return any(child.tail and child.tail.strip(_WHITE) for child in element)


def _short_name(tag: str) -> str:
    name = etree.QName(tag)
    return name.localname if name.namespace in (MODS, None) else tag


def _to_canonical(element: etree._Element) -> str:
    """Return an element in exclusive canonical form (https://www.w3.org/TR/xml-exc-c14n/), independent of its context.

    An element with a relative namespace has no such form and is written unchanged.
    """
    try:
        return etree.tostring(element, method="c14n", exclusive=True, with_tail=False).decode()
    except etree.C14NError:
        return etree.tostring(element, encoding="unicode", with_tail=False)
