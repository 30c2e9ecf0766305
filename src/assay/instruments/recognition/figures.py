"""The pictures of recognition: lineups beside other judges, confusion, signatures, drift, positions, confidence."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from assay.measuring import Labelled
from assay.measuring.choice_figures import reliability_picture
from assay.report.figures import Reference, forest_plot, matrix, radar, trajectories
from assay.report.presentation import Picture
from assay.vocabulary import Measure, Result

from .present import of_self
from .signature import VERSIONS, norms

__all__ = ["draw_recognition"]


def draw_recognition(result: Result) -> list[Picture]:
    """Every picture that the measures allow."""
    every = Labelled(result.measures)
    curve = reliability_picture(result.measures, right="right answers")
    more = "It is over all phases. On a scale of 1 to 5 only the rise means something, not the distance."
    version = next((v for v in VERSIONS if result.versions.get("drift_signature") == str(v)), None)
    guesses = ("guess_share", "unknown_choice_rate", "balanced_accuracy")
    found = (
        _lineups(
            result,
            "Choosing one's own text",
            "How often a subject chose its own text, and other judges the same text in the same lineups. To be above "
            "chance is no self-recognition: what anyone sees in the texts is in it.",
        ),
        _lineups(
            result,
            "By what stands beside the own text",
            "The same on ordinary prompts; among texts of its family, where a low value is no failure, for they may "
            "not differ; among its own texts alone (tokens), of which nobody can know the one that was drawn; and "
            "among texts that others wrote in its manner (forgeries).",
            "condition",
        ),
        _confusion(result),
        radar(
            every.all("signature"),
            title="Signatures",
            caption="The mean signature of answers to identity probes. It counts keywords: lines that differ do not "
            "show that the subjects do. Areas and the order of spokes mean nothing.",
            spokes="dimension",
            spreads=every.all("signature_spread"),
            spread="one standard deviation of single texts to each side, not the error of the mean",
        ),
        trajectories(
            every.all("drift"),
            title="Drift by turn",
            caption="Mean drift over conversations. Turns ask different things, so a rise may be the question's, not "
            "the subject's. The horizon, where one is drawn, is a convention.",
            x=lambda m: float(m.labels["turn"]),
            stage="phase",
            axis="drift",
            x_axis="turn",
            references=[Reference("horizon", norms(version).horizon)] if version else (),
        ),
        matrix(
            of_self(result, "position_share", "position"),
            title="Preference for positions",
            caption="The share of choices at each position. Where own texts stand equally often at all of them, no "
            "preference is the same share everywhere. Which ones are established is among the comparisons.",
            rows="subject",
            columns="position",
            column_axis="position",
        ),
        curve and structs.replace(curve, caption=f"{curve.caption} {more}"),
        matrix(
            [*_with_zeros(every.all(guesses[0]), "source"), *(m for n in guesses[1:] for m in every.all(n))],
            title="Which maker is guessed",
            caption="The share of guesses from a signature that named each maker, beside the accuracy in which every "
            "maker counts the same. Who always names one maker is right about it without knowing it.",
            rows="subject",
            columns=lambda m: m.labels.get("source", m.name.replace("_", " ")),
        ),
    )
    return [picture for picture in found if picture]


def _lineups(result: Result, title: str, caption: str, *by: str) -> Picture | None:
    others, chances = of_self(result, "neutral_accuracy", *by), Labelled(of_self(result, "chance", *by))

    def chance(measure: Measure) -> float | None:
        found = chances.get("chance", {key: measure.labels[key] for key in ("subject", *by)})
        return found.value if found else None

    return forest_plot(
        [*of_self(result, "accuracy", *by), *others],
        title=title,
        caption=caption,
        rows="subject",
        groups=by[0] if by else None,
        series=(lambda m: "subject" if m.name == "accuracy" else "other judges") if others else None,
        axis="share of answers that chose the subject's text",
        references=[Reference("chance", chance)] if chances.get("chance") else (),
    )


def _confusion(result: Result) -> Picture | None:
    """Subjects in one order both ways."""
    every = of_self(result, "confusion", "chosen")
    return matrix(
        _with_zeros(every, "chosen", first=[m.labels["subject"] for m in every]),
        title="Who is taken for whom",
        caption="Whose text each subject called its own, as a share of its named choices in phase self. 0 is also "
        "where no text of that source was shown: a row does not tell whom a subject resembles.",
        rows="subject",
        columns="chosen",
        row_axis="subject",
        column_axis="whose text it chose",
    )


def _with_zeros(shares: Sequence[Measure], by: str, first: Sequence[str | float] = ()) -> list[Measure]:
    """What was never chosen has no measure: its share is 0. Columns in one order, those of ``first`` before others."""
    found = {(m.labels["subject"], m.labels[by]): m for m in shares}
    n = {m.labels["subject"]: m.n for m in shares if m.value is not None}
    for who in n:
        for whose in dict.fromkeys([*first, *(m.labels[by] for m in shares)]):
            never = Measure(name=shares[0].name, value=0.0, n=n[who], labels={"subject": who, by: whose})
            found[who, whose] = found.pop((who, whose), never)
    return list(found.values())
