"""The pictures of recognition: lineups beside other judges, confusion, signatures, drift, positions, confidence."""

from __future__ import annotations

from msgspec import structs

from assay.measuring import Labelled
from assay.measuring.choice_figures import reliability_picture
from assay.report.figures import Reference, forest_plot, matrix, panels, radar, trajectories
from assay.report.presentation import Picture
from assay.report.wording import value_text
from assay.vocabulary import Measure, Result

from .present import of_self
from .signature import VERSIONS, norms

__all__ = ["draw_recognition"]

CONDITIONS = {
    "ordinary": "ordinary prompts",
    "tokens": "texts of its family or of itself",
    "forgeries": "texts written in its manner",
}


def draw_recognition(result: Result) -> list[Picture]:
    """Every picture that the measures allow."""
    curve = reliability_picture(result.measures, right="right answers")
    more = "It is over all phases. On a scale of 1 to 5 only the rise means something, not the distance."
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
            "The same under other conditions. A low value among one's own texts is no failure: they may not differ.",
            "condition",
        ),
        _confusion(result),
        radar(
            _labelled(result, "signature", "dimension"),
            title="Signatures",
            caption="The mean signature of answers to identity probes. It counts keywords: lines that differ do not "
            "show that the subjects do. Areas and the order of spokes mean nothing.",
            spokes="dimension",
            spreads=_labelled(result, "signature_spread", "dimension"),
            spread="one standard deviation of single texts to each side, not the error of the mean",
        ),
        _drift(result),
        panels(
            of_self(result, "position_preference", "position"),
            title="Preference for positions",
            caption="How much more often a position was chosen than the accuracy explains. Where own texts stand "
            "equally often at all positions this cannot raise the accuracy, but it may hide what the subject knows.",
            x=lambda m: float(m.labels["position"]),
            axis="share less what is expected",
            x_axis="position",
        ),
        curve and structs.replace(curve, caption=f"{curve.caption} {more}"),
        _guesses(result),
    )
    return [picture for picture in found if picture]


def _lineups(result: Result, title: str, caption: str, *by: str) -> Picture | None:
    chances = Labelled(of_self(result, "chance", *by))

    def chance(measure: Measure) -> float | None:
        found = chances.get("chance", {key: measure.labels[key] for key in ("subject", *by)})
        return found.value if found else None

    others = of_self(result, "neutral_accuracy", *by)
    return forest_plot(
        [*of_self(result, "accuracy", *by), *others],
        title=title,
        caption=caption,
        rows="subject",
        groups=(lambda m: CONDITIONS.get(str(m.labels[by[0]]), m.labels[by[0]])) if by else None,
        series=(lambda m: "subject" if m.name == "accuracy" else "other judges") if others else None,
        axis="share of answers that chose the subject's text",
        references=[Reference("chance", chance)] if chances.get("chance") else (),
    )


def _confusion(result: Result) -> Picture | None:
    """Subjects in one order both ways. A text that was never chosen has no measure: its share is 0."""
    every = of_self(result, "confusion", "chosen")
    found = {(str(m.labels["subject"]), str(m.labels["chosen"])): m for m in every}
    n = {who: m.n for (who, _), m in found.items()}
    for who in n:
        for whose in dict.fromkeys([*n, *(str(m.labels["chosen"]) for m in every)]):
            never = Measure(name="confusion", value=0.0, n=n[who], labels={"subject": who, "chosen": whose})
            found[who, whose] = found.pop((who, whose), never)
    return matrix(
        list(found.values()),
        title="Who is taken for whom",
        caption="Whose text each subject called its own, as a share of its choices in phase self. 0 is also where no "
        "text of that source was shown: a row does not tell whom a subject resembles.",
        rows="subject",
        columns="chosen",
        row_axis="subject",
        column_axis="whose text it chose",
    )


def _drift(result: Result) -> Picture | None:
    version = next((v for v in VERSIONS if result.versions.get("drift_signature") == str(v)), None)
    return trajectories(
        _labelled(result, "drift", "turn", "phase"),
        title="Drift by turn",
        caption="Mean drift over conversations. Turns ask different things, so a rise may be the question's, not the "
        "subject's. The horizon, where one is drawn, is a convention.",
        x=lambda m: float(m.labels["turn"]),
        stage="phase",
        axis="drift",
        x_axis="turn",
        references=[Reference("horizon", norms(version).horizon)] if version else (),
    )


def _guesses(result: Result) -> Picture | None:
    balanced = Labelled(m for m in result.measures if m.name == "balanced_accuracy")

    def row(measure: Measure) -> str:
        own = balanced.get("balanced_accuracy", {"subject": measure.labels["subject"]})
        return f"{measure.labels['subject']}{f', accuracy {value_text(own, 2)}' if own else ''}"

    return matrix(
        [m for m in result.measures if m.name == "guess_share" and {"subject", "source"} <= m.labels.keys()],
        title="Which maker is guessed",
        caption="The share of guesses from a signature that named each maker, and the accuracy, in which every maker "
        "counts the same (balanced). Who always names one maker is right about it without knowing it.",
        rows=row,
        columns="source",
        column_axis="maker",
    )


def _labelled(result: Result, name: str, *further: str) -> list[Measure]:
    return [m for m in result.measures if m.name == name and m.labels.keys() == {"subject", *further}]
