# SPDX-License-Identifier: Apache-2.0
"""Small SVG documents with plain Python: text, boxes, arrows, charts. They follow the reader's choice of light or dark."""
import math
from html import escape

STYLE = """
  .ground{fill:#ffffff}.ink{fill:#1f2933}.soft{fill:#55606e}.grid{stroke:#d5dae1;stroke-width:1}.axis{stroke:#8a94a3;stroke-width:1}
  .box{fill:#f3f6fa;stroke:#8a94a3;stroke-width:1.2}.strong{fill:#e3edf9;stroke:#2b62a8;stroke-width:1.4}
  .arrow{stroke:#55606e;stroke-width:1.6;fill:none}.head{fill:#55606e}
  .s0{stroke:#2b62a8}.f0{fill:#2b62a8}.s1{stroke:#c2611a}.f1{fill:#c2611a}.s2{stroke:#238a5e}.f2{fill:#238a5e}.s3{stroke:#7a8494}.f3{fill:#7a8494}
  .line{fill:none;stroke-width:2.4}.dashed{stroke-dasharray:6 4}
  text{font-family:system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:14px}.small{font-size:12px}.bold{font-weight:600}
  @media (prefers-color-scheme:dark){
  .ground{fill:#1e2129}.ink{fill:#e6e9ee}.soft{fill:#aab3c0}.grid{stroke:#363c48}.axis{stroke:#788394}
  .box{fill:#282d37;stroke:#788394}.strong{fill:#24364e;stroke:#6ba4e8}.arrow{stroke:#aab3c0}.head{fill:#aab3c0}
  .s0{stroke:#6ba4e8}.f0{fill:#6ba4e8}.s1{stroke:#f0975a}.f1{fill:#f0975a}.s2{stroke:#5cc596}.f2{fill:#5cc596}.s3{stroke:#98a2b3}.f3{fill:#98a2b3}}
"""


def number(value):
    """Coordinates with one decimal, so that every machine writes the same text."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def short(value):
    """A label such as 10K or 0.5."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "K")):
        if abs(value) >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


class Svg:
    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, text, style="ink", anchor="start"):
        self.add(f'<text x="{number(x)}" y="{number(y)}" class="{style}" text-anchor="{anchor}">{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, style):
        self.add(f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="{style}"/>')

    def path(self, points, style):
        self.add('<polyline points="' + " ".join(f"{number(x)},{number(y)}" for x, y in points) + f'" class="{style}"/>')

    def bar(self, x, y, width, height, style):
        self.add(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="2" class="{style}"/>')

    def dot(self, x, y, style):
        self.add(f'<circle cx="{number(x)}" cy="{number(y)}" r="3.5" class="{style}"/>')

    def box(self, x, y, width, height, lines, style="box"):
        """A box with lines of text in its middle; the first is a title."""
        self.add(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="8" class="{style}"/>')
        top = y + height / 2 - 9 * (len(lines) - 1) + 5
        for index, line in enumerate(lines):
            self.text(x + width / 2, top + 18 * index, line, "ink bold" if index == 0 else "soft small", "middle")

    def arrow(self, *points):
        self.path(points, "arrow")
        (x1, y1), (x2, y2) = points[-2:]
        angle = math.atan2(y2 - y1, x2 - x1)
        corners = [(x2, y2)] + [(x2 - 9 * math.cos(angle + side), y2 - 9 * math.sin(angle + side)) for side in (0.45, -0.45)]
        self.add('<polygon points="' + " ".join(f"{number(x)},{number(y)}" for x, y in corners) + '" class="head"/>')

    def __str__(self):
        body = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
                f'height="{self.height}" role="img" aria-label="{escape(self.title, quote=True)}">\n<title>{escape(self.title)}</title>\n'
                f'<style>{STYLE}</style>\n<rect width="{self.width}" height="{self.height}" rx="8" class="ground"/>\n{body}\n</svg>\n')


class Axes:
    """A panel with two axes, each logarithmic or linear."""

    def __init__(self, svg, place, x_range, y_range, x_log=True, y_log=True):
        self.svg, self.place, self.ranges, self.logs = svg, place, (x_range, y_range), (x_log, y_log)

    def share(self, axis, value):
        low, high = self.ranges[axis]
        if self.logs[axis]:
            return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
        return (value - low) / (high - low)

    def at(self, x, y):
        left, top, width, height = self.place
        return left + width * self.share(0, x), top + height * (1 - self.share(1, y))

    def frame(self, title, x_name, y_name, x_ticks, y_ticks, x_label=short, y_label=short):
        left, top, width, height = self.place
        self.svg.text(left, top - 12, title, "ink bold")
        for tick in y_ticks:
            _, y = self.at(self.ranges[0][0], tick)
            self.svg.line(left, y, left + width, y, "grid")
            self.svg.text(left - 6, y + 4, y_label(tick), "soft small", "end")
        for tick in x_ticks:
            x, _ = self.at(tick, self.ranges[1][0])
            self.svg.line(x, top + height, x, top + height + 4, "axis")
            self.svg.text(x, top + height + 18, x_label(tick), "soft small", "middle")
        self.svg.line(left, top + height, left + width, top + height, "axis")
        self.svg.text(left + width / 2, top + height + 36, x_name, "soft small", "middle")
        if y_name:
            self.svg.text(left - 6, top - 12, y_name, "soft small", "end")

    def curve(self, points, style, dots=True, dashed=False):
        placed = [self.at(x, y) for x, y in points]
        self.svg.path(placed, f"line s{style}" + (" dashed" if dashed else ""))
        for x, y in placed if dots else ():
            self.svg.dot(x, y, f"f{style}")


def legend(svg, x, y, names):
    """Coloured names beside each other: (name, style)."""
    for name, style in names:
        svg.bar(x, y - 9, 14, 10, f"f{style}")
        svg.text(x + 20, y, name, "ink small")
        x += 34 + 7 * len(name)
