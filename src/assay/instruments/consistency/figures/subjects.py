"""The measures and verdicts of a result, found by subject."""

from __future__ import annotations

from assay.measuring import Labelled
from assay.vocabulary import Measure, Result, Verdict

__all__ = ["SubjectMeasures"]


class SubjectMeasures:
    """``subjects`` are in the order of the result."""

    def __init__(self, result: Result) -> None:
        self._measures = Labelled(result.measures)
        self._thresholds = Labelled(v for v in result.verdicts if v.kind == "threshold")
        self.equivalences = [v for v in result.verdicts if v.name == "equivalent"]
        self.subjects = [str(subject) for subject in self._measures.label_values("M5", "subject")]
        self.pairs = [
            (str(m.labels["subject"]), str(m.labels["against"])) for m in self._measures.all("M5_difference")
        ]

    def measure(self, subject: str, name: str) -> Measure:
        return self._found(name, {"subject": subject})

    def difference(self, pair: tuple[str, str], name: str) -> Measure:
        """By how much a measure of the first differs from that of the second."""
        return self._found(f"{name}_difference", {"subject": pair[0], "against": pair[1]})

    def threshold(self, subject: str) -> Verdict | None:
        """Whether the subject's M5 reaches the threshold."""
        return self._thresholds.exact("M5", {"subject": subject})

    def _found(self, name: str, labels: dict[str, str | float]) -> Measure:
        found = self._measures.exact(name, labels)
        assert found is not None, f"every subject has {name}"
        return found
