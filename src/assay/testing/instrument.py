"""``check_instrument``: the contract of an instrument, tried out in small studies from lock to audit.

Three studies: one with an ordinary subject, which is also killed, stopped and resumed; one with a subject that
sends what nobody hopes for; one of which every call is lost.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from assay.bench import named_instrument
from assay.study import SubjectSpec

from .answering import Answer
from .conformance import Conformance, broken_rules, conclude
from .instrument_rules import DECLARATION_RULES, FORM_RULES, RUN_RULES, another_process_scores_the_same
from .rehearsal import Rehearsals
from .result_rules import RESULT_RULES

__all__ = ["check_instrument"]


def check_instrument(
    instrument: Any,
    subject: str | SubjectSpec | Answer,
    *,
    options: dict[str, Any] | None = None,
    estimated: Sequence[Literal["trials", "calls"]] = (),
    other_process: bool = True,
) -> Conformance:
    """Raise ``ContractBroken`` with every rule that the instrument breaks, or tell what was checked.

    ``instrument``: a class or an object, the name of an installed one, or the path of a file (.py).
    ``subject``: a spec such as ``reference:same``, or a pure function from what is sent to the reply.
    ``options``: of the study; the instrument's ``quick`` ones unless given.
    ``estimated``: what of its plan a run may exceed or fall short of.
    ``other_process``: whether the result is also computed in another process, under another hash seed.
    """
    if isinstance(instrument, str | Path):
        instrument = named_instrument(str(instrument))
    elif isinstance(instrument, type):
        instrument = instrument()
    what = f"the instrument {getattr(instrument, 'name', type(instrument).__name__)}"
    conclude(what, FORM_RULES, broken_rules(instrument, FORM_RULES))  # the rest would only stumble over it
    with tempfile.TemporaryDirectory(prefix="assay-check-") as root:
        studies = Rehearsals(
            Path(root), instrument, subject, instrument.quick if options is None else options
        )
        studies.estimated = frozenset(estimated)
        conclude(what, DECLARATION_RULES, broken_rules(studies, DECLARATION_RULES))
        studies.run()
        rules = [*RUN_RULES, *([another_process_scores_the_same] if other_process else ())]
        broken = [*broken_rules(studies, rules)]
        for run in studies.runs:
            if run.scored:
                found = broken_rules(run, RESULT_RULES)
                broken += [(rule, f"with the {run.name} subject, {wrong}") for rule, wrong in found]
    return conclude(what, [*FORM_RULES, *DECLARATION_RULES, *rules, *RESULT_RULES], broken)
