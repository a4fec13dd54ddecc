"""What the PDF library says about a page's letters, as arrays. Pure values: no PDF library here.

Coordinates are points of the displayed page, origin at the top left, y downwards.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
Flags = NDArray[np.bool_]

SPACE = 0x20
LINE_END = 0x0A


@dataclass(frozen=True, slots=True)
class RawText:
    """All characters of a page in the order in which the file draws them.

    Per character: `codes` (code points), `boxes` (n, 4), `line` (index into the line arrays),
    `size` (font size in points), `style` (index into the style arrays). Per line, a run of text
    that the file draws in one go: `direction` (m, 2) unit vector, `vertical` (top-down writing),
    `group` (the library's block). Per style: `bold`, `italic`, `hidden` (drawn without ink, like
    the text under a scan).
    """

    width: float
    height: float
    codes: Integers
    boxes: Floats
    line: Integers
    size: Floats
    style: Integers
    direction: Floats
    vertical: Flags
    group: Integers
    bold: Flags
    italic: Flags
    hidden: Flags

    def keep(self, chosen: Flags | Integers) -> "RawText":
        """The same page with only the chosen characters, in that order."""
        return replace(
            self,
            codes=self.codes[chosen],
            boxes=self.boxes[chosen],
            line=self.line[chosen],
            size=self.size[chosen],
            style=self.style[chosen],
        )
