"""How figures come onto a page: in the house style of `elegans.claims.drawing`, whether or not they were begun with it.

Letters become outlines, so that a phone without the font shows the same figure, and equal figures give equal bytes.
"""

import contextlib
from collections.abc import Generator
from typing import Any

from elegans.base.errors import UsageError
from elegans.claims.drawing import COLOURS, COLUMN, STYLE

SAVING: Any = {"svg.fonttype": "path", "svg.hashsalt": "elegans", "savefig.dpi": 160}


@contextlib.contextmanager
def applied() -> Generator[None, None, None]:
    """Figures made inside look like the atlas; settings of matplotlib that a figure changes end here."""
    try:
        import matplotlib as mpl
        from cycler import cycler
    except ImportError as error:
        raise UsageError("the atlas draws with matplotlib; install it with: pip install 'elegans[plot]'") from error
    size = {"figure.figsize": (COLUMN, 3.2), "figure.constrained_layout.use": True, "image.cmap": "cividis"}
    look: Any = {**STYLE, **size, "axes.prop_cycle": cycler(color=COLOURS)}
    with mpl.rc_context(look):
        yield


@contextlib.contextmanager
def saving() -> Generator[None, None, None]:
    """Settings that hold while a figure is written."""
    import matplotlib as mpl

    with mpl.rc_context(SAVING):
        yield
