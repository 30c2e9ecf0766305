"""Sequential sampling: batch after batch until a level is decided (section 11.5.1).

The order of instances is fixed before the first one: the families of a level take turns. A decision looks at the
outcomes in that order, so stopping early is valid: `assay.stats.sequential_share` holds at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.evidence.records import Evidence
from assay.instruments.agency.declarations.declaration import Decided
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.options import AgencyOptions, is_tested, regimes_of
from assay.instruments.agency.rubric.criteria import rubric
from assay.stats import SequentialShare, sequential_share
from assay.study import SubjectSpec

from .schedule import PlannedCell, evidencing, instance_of, robust_places, schedule

__all__ = ["decide", "decisions", "next_batch", "positions"]


def positions(
    cells: list[PlannedCell], options: AgencyOptions, dimension: str, level: int
) -> list[tuple[PlannedCell, int]]:
    """The instances that a level's decision counts, in their order; families take turns."""
    regimes = evidencing(regimes_of(options), dimension, level)
    if not regimes or options.sequential is None or not is_tested(dimension, options):
        return []
    own = [cell for cell in cells if cell.regime == regimes[-1]]  # of a drop, the regime it leads to
    most = options.sequential.most
    return [(own[place % len(own)], place // len(own)) for place in range(most)] if own else []


def next_batch(
    stratum: str, cells: list[PlannedCell], options: AgencyOptions, evidence: Evidence, spec: SubjectSpec
) -> Iterator[tuple[PlannedCell, int]]:
    """The next instances of a level for one subject: robustness whose level is known all at once, the rest until the
    level is decided.
    """
    plan = options.sequential
    assert plan is not None
    dimension, level = stratum[:-1], int(stratum[-1])
    whole = {
        place.families[level]: options.robustness_instances
        for place in robust_places(options)
        if not place.chosen and (place.dimension, place.at(())) == (dimension, level)
    }
    wave = evidence.waves
    if not wave:
        for cell in cells:
            yield from ((cell, number) for number in range(whole.get(cell.family, 0)))
    order = positions(cells, options, dimension, level)
    # Robustness has asked some already: batches are made of the rest, or one without any would end the sampling.
    left = [place for place, (cell, number) in enumerate(order) if number >= whole.get(cell.family, 0)]
    batch = left[wave * plan.batch : (wave + 1) * plan.batch]
    if not batch or (wave and _settled(order[: batch[0]], options, evidence, spec, level)):
        return
    paired = evidencing(regimes_of(options), dimension, level)
    for cell, number in (order[place] for place in batch):
        yield cell, number
        for other in cells:  # a drop is judged on the same content in two regimes
            if other.family == cell.family and other.regime != cell.regime and other.regime in paired:
                yield other, number


def _settled(
    done: list[tuple[PlannedCell, int]],
    options: AgencyOptions,
    evidence: Evidence,
    spec: SubjectSpec,
    level: int,
) -> bool:
    found = {
        (r.trial.instance.item, r.trial.instance.repetition, r.trial.regime): r.outcome
        for r in evidence
        if r.trial.subject == spec.title
    }
    outcomes = [found.get((f"{cell.family}/{cell.level}", number, cell.regime)) for cell, number in done]
    return decide(outcomes, options, level).decision != "continue"


def decisions(outcomes: Iterable[OutcomeRow], options: AgencyOptions, seed: int) -> dict[str, Decided]:
    """The decision for every level that was sampled in batches, from one subject's outcomes."""
    plan = options.sequential
    if plan is None:
        return {}
    found = {(o.family, o.level, o.regime, o.instance): o.outcome for o in outcomes}
    made: dict[str, Decided] = {}
    for stratum, cells in schedule(options).items():
        said: list[str] = []
        for cell, number in positions(cells, options, stratum[:-1], int(stratum[-1])):
            outcome = found.get((*cell[:3], instance_of(cell, number, seed).digest))
            if outcome is None:
                break  # so far it was asked
            said.append(outcome)
        if said:
            done = decide(said, options, int(stratum[-1]))
            made[stratum] = Decided(
                decision=done.decision,
                n=done.n,
                successes=done.successes,
                alternative=plan.alternative,
                alpha=plan.alpha,
            )
    return made


def decide(outcomes: Iterable[str | None], options: AgencyOptions, level: int) -> SequentialShare:
    """The sequential test on outcomes in their order. Excluded ones are skipped."""
    plan = options.sequential
    assert plan is not None
    least = rubric().least(level).instances
    return sequential_share(
        [outcome == "success" for outcome in outcomes if outcome in ("success", "failure")],
        threshold=rubric().threshold,
        alternative=plan.alternative,
        alpha=plan.alpha,
        beta=plan.beta,
        least=least,
        most=max(plan.most, least),
    )
