"""What the PDF library says about a page's letters, as arrays. Pure values: no PDF library here.

Coordinates are points of the displayed page, origin at the top left, y downwards.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RawText:
    """All characters of a page in the order in which the file draws them.

    Per character: `codes` (code points), `boxes` (n, 4), `line` (index into the line arrays),
    `size` (font size in points), `style` (index into the style arrays). Per line, a run of text
    that the file draws in one go: `direction` (m, 2) unit vector, `vertical` (top-down writing),
    `group` (the library's block). Per style: `bold`, `italic`.
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

    def keep(self, chosen: Flags | Integers) -> "RawText":
        """The same page with only the chosen characters, in that order."""
        return RawText(
            self.width,
            self.height,
            self.codes[chosen],
            self.boxes[chosen],
            self.line[chosen],
            self.size[chosen],
            self.style[chosen],
            self.direction,
            self.vertical,
            self.group,
            self.bold,
            self.italic,
        )
