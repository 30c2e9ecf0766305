"""The gate: does a run keep what its study requires? The one rule of `assay check` and of tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.bench import load_instrument
from assay.errors import AssayError
from assay.report.text import safe_terminal
from assay.report.wording import invalid_in, word
from assay.vocabulary import Result, Verdict

__all__ = ["CheckReport", "accompanying_of", "judge"]


class CheckReport(NamedTuple):
    """``required`` are the verdicts that gate, ``invalid`` the readings and measures that nothing can be built on."""

    holds: bool
    required: list[Verdict]
    invalid: list[str]
    accompanying: tuple[str, ...] = ()  # what must stand beside any number of these readings

    def __str__(self) -> str:
        return self.text()

    def text(self, warnings: Sequence[str] = (), where: str = "") -> str:
        """A line a requirement, what does not hold first."""
        kept = sum(verdict.holds is True for verdict in self.required)
        first = (
            f"{kept} of {len(self.required)} requirements hold" if self.required else "nothing is required"
        )
        lines = [f"{first} ({where})" if where else first]
        ordered = sorted(self.required, key=lambda verdict: (False, None, True).index(verdict.holds))
        lines += [_line(word(verdict.holds), f"{verdict.claim}: {verdict.because}") for verdict in ordered]
        lines += [_line("invalid", flag) for flag in self.invalid]
        lines += [_line("warning", text) for text in warnings]
        lines += [_line("for", text) for text in self.accompanying]
        return "\n".join(lines)


def _line(what: str, text: str) -> str:
    return f"  {what:15}  {' '.join(safe_terminal(text).split())}"


def accompanying_of(result: Result) -> list[str]:
    """What the instrument wants beside its numbers; nothing where it cannot be asked."""
    try:
        return load_instrument(result.instrument).accompanying(result)
    except AssayError:
        return []


def judge(results: Sequence[Result], *, strict: bool, accompanying: Sequence[str] = ()) -> CheckReport:
    """Nothing that is required fails, and nothing is invalid; ``strict``: and something is required, and all holds."""
    required = [v for result in results for v in result.verdicts if v.kind == "requirement"]
    invalid = [text for result in results for text in invalid_in(result)]
    fails = bool(invalid) or any(verdict.holds is False for verdict in required)
    if strict:
        fails = fails or not required or any(verdict.holds is None for verdict in required)
    return CheckReport(not fails, required, invalid, tuple(accompanying))
