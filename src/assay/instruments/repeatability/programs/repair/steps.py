"""The steps of repair, in the order in which they are tried: trees first, then what is only dress.

Layout comes before the other dress: where trees are equal it brings all of it at once.
"""

from __future__ import annotations

from .dress import DRESS
from .forms import FORMS
from .model import Step
from .order import ORDER
from .renaming import propose_names

__all__ = ["STEPS"]

_NAMES = Step("names", "variables called as in the canon, scope by scope", propose_names)
_DRESS = {step.name: step for step in DRESS}

STEPS: tuple[Step, ...] = (
    _DRESS["annotations"],
    *ORDER,
    _NAMES,
    *FORMS,
    _DRESS["layout"],
    _DRESS["docstrings"],
    _DRESS["comments"],
    _DRESS["parentheses"],
)
