"""Only what draws gets from a picture into the page."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.report.svg import inline_svg

from .samples import Page

SPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
OPEN = f'<svg {SPACES} width="9pt" viewBox="0 0 9 9">'


def shown(inner: str) -> str:
    return inline_svg(f"{OPEN}{inner}</svg>", "p-", "what it shows")


@pytest.mark.parametrize(
    "inner",
    [
        "<script>alert(1)</script>",
        '<g onload="alert(1)"><path d="M 0 0" onclick="x"/></g>',
        "<style>@import url(http://evil.example)</style>",
        "<foreignObject><p xmlns='http://www.w3.org/1999/xhtml'>x</p></foreignObject>",
        '<image href="http://evil.example/x.png"/>',
        '<a href="javascript:alert(1)"><path d="M 0 0"/></a>',
        '<use xlink:href="http://evil.example/#x"/>',
        '<use href="data:image/svg+xml,x"/>',
        '<path style="fill: url(http://evil.example/#x); background: url(//evil.example)"/>',
        '<path fill="url(http://evil.example)"/>',
        '<animate attributeName="href" to="javascript:alert(1)"/>',
        '<svg onload="alert(1)"/>',
        "<html:script xmlns:html='http://www.w3.org/1999/xhtml'>alert(1)</html:script>",
    ],
)
def test_what_does_more_than_draw_is_left_out(inner: str) -> None:
    html = shown(inner)
    for word in ("script", "alert", "evil", "on", "import", "javascript", "data:"):
        assert word not in html.replace("aria-label", "").replace("what it shows", "")


def test_what_draws_stays() -> None:
    html = shown(
        '<defs><clipPath id="c"><rect x="0" y="0" width="9" height="9"/></clipPath>'
        '<path id="m" d="M 0 0 L 1 1"/></defs>'
        '<g clip-path="url(#c)" style="fill: #0072b2; stroke: currentColor"><use xlink:href="#m" x="1.5"/></g>'
        '<text x="1" transform="rotate(-90 1 2)">a &lt; b</text>'
    )
    assert '<clipPath id="p-c">' in html
    assert 'clip-path="url(#p-c)"' in html
    assert '<use href="#p-m" x="1.5">' in html
    assert 'style="fill: #0072b2; stroke: currentColor"' in html
    assert 'transform="rotate(-90 1 2)">a &lt; b</text>' in html


def test_the_drawing_takes_the_width_of_its_place_and_says_what_it_shows() -> None:
    (name, attributes), *_ = Page(shown("<g/>")).elements
    assert name == "svg"
    assert attributes == {"role": "img", "aria-label": "what it shows", "viewbox": "0 0 9 9"}


@pytest.mark.parametrize(
    "svg",
    [
        '<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
        "<svg",
        "",
        "<p>no drawing</p>",
        "<svg/>",
        f"{OPEN}\ud800</svg>",
        f"{OPEN}{'<g>' * 5000}{'</g>' * 5000}</svg>",
    ],
)
def test_what_is_no_drawing_is_refused(svg: str) -> None:
    with pytest.raises(InputError, match="picture"):
        inline_svg(svg, "p-", "")
