"""Pictures put into a page: only what draws gets through.

An instrument may come from anyone, and a label in its picture from a model. The drawing is parsed and written
anew from a list of what is allowed: no script, style sheet, link, image, event handler or outside reference.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from assay.errors import InputError

from .text import visible

__all__ = ["ATTRIBUTES", "ELEMENTS", "inline_svg"]

_WORDS = re.compile(r"\S+").findall
ELEMENTS = frozenset(
    _WORDS("svg g defs path rect circle ellipse line polyline polygon text tspan clipPath use title desc")
)
ATTRIBUTES = frozenset(
    _WORDS(
        "id d x y x1 y1 x2 y2 cx cy r rx ry dx dy width height viewBox transform points clipPathUnits style "
        "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap "
        "stroke-linejoin opacity clip-path clip-rule text-anchor dominant-baseline font-size font-weight font-style"
    )
)
_PROPERTIES = ATTRIBUTES - {"id", "d", "style", "transform", "viewBox"} | {
    "stroke-miterlimit",
    "stroke-dashoffset",
}
DEEPEST = 100
_PLAIN = re.compile(r"[\w\s#.,%+()-]*")
_REFERENCE = re.compile(r"url\(\s*#([\w.-]+)\s*\)")
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"


def inline_svg(svg: str, prefix: str, alt: str) -> str:
    """The drawing as an ``<svg>`` element for the page; ids get the prefix, so that drawings do not mix."""
    if "<!DOCTYPE" in svg or "<!ENTITY" in svg:
        raise InputError("a picture with a document type or entities is not shown")
    try:
        root = ElementTree.fromstring(svg)  # noqa: S314 - no document type, so no entities to expand
    except (ElementTree.ParseError, UnicodeError) as error:
        raise InputError(f"a picture is not well-formed SVG: {error}") from None
    if root.tag != f"{_SVG}svg":
        raise InputError("a picture is not an SVG drawing")
    out: list[str] = []
    _write(root, prefix, out, top=f' role="img" aria-label={quoteattr(visible(alt))}')
    return "".join(out)


def _write(node: ElementTree.Element, prefix: str, out: list[str], top: str = "", depth: int = 0) -> None:
    if depth > DEEPEST:
        raise InputError("a picture is nested too deeply to be shown")
    name = str(node.tag).removeprefix(_SVG)
    if name not in ELEMENTS or (name == "svg" and not top):
        return
    attributes = dict(_attributes(node, name, prefix))
    if top:
        attributes.pop("width", None), attributes.pop("height", None)
    pairs = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    out.append(f"<{name}{top}{pairs}>")
    if name in ("text", "tspan", "title", "desc"):
        out.append(escape(visible(node.text or "")))
    for child in node:
        _write(child, prefix, out, depth=depth + 1)
        if name == "text":
            out.append(escape(visible(child.tail or "")))
    out.append(f"</{name}>")


def _attributes(node: ElementTree.Element, name: str, prefix: str) -> list[tuple[str, str]]:
    found = []
    for key, value in node.attrib.items():
        if name == "use" and key in ("href", _LINK):
            if re.fullmatch(r"#[\w.-]+", value):
                found.append(("href", f"#{prefix}{value[1:]}"))
        elif key == "id":
            if re.fullmatch(r"[\w.-]+", value):
                found.append(("id", prefix + value))
        elif key == "style":
            found.append(("style", "; ".join(_declarations(value, prefix))))
        elif key in ATTRIBUTES and (plain := _value(value, prefix)) is not None:
            found.append((key, plain))
    return found


def _declarations(style: str, prefix: str) -> list[str]:
    kept = []
    for declaration in style.split(";"):
        key, _, value = declaration.partition(":")
        plain = _value(value.strip(), prefix)
        if key.strip() in _PROPERTIES and plain is not None:
            kept.append(f"{key.strip()}: {plain}")
    return kept


def _value(value: str, prefix: str) -> str | None:
    """The value, or None when it is more than a number, a colour, a path or a reference within the drawing."""
    if reference := _REFERENCE.fullmatch(value):
        return f"url(#{prefix}{reference[1]})"
    if not _PLAIN.fullmatch(value) or "url" in value.lower():
        return None
    return " ".join(value.split())
