"""Makes SVG pictures on paper that follows the colours of the reader's screen."""

from xml.sax.saxutils import escape

SANS = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
STYLE = """
  .paper { fill: #ffffff; stroke: #d0d7de } .text { fill: #1f2328 } .soft { fill: #59636e }"""
DARK_STYLE = """
    .paper { fill: #0d1117; stroke: #3d444d } .text { fill: #f0f6fc } .soft { fill: #9198a1 }"""


def text_at(x, y, words, kind="text", anchor="start"):
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(words)}</text>'


def picture(size, title, body, style, dark_style=""):
    """Returns an SVG of a width and a height. The rules of both styles are added to those of paper and text."""
    width, height = size
    dark = f"\n  @media (prefers-color-scheme: dark) {{{DARK_STYLE}{dark_style}\n  }}"
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
                      f"<title>{escape(title)}</title>", f"<style>{STYLE}{style}{dark}\n</style>",
                      f'<rect class="paper" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
                      *body, "</svg>", ""])
