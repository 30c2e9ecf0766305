"""The steps of repair, in the order in which they are tried: what is only dress first, layout last."""

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
    *(step for step in DRESS if step.name != "layout"),
    *ORDER,
    _NAMES,
    *FORMS,
    _DRESS["layout"],
)
