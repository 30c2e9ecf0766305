"""The tuples without which no score is shown (11.9.2, 13.2), as text and as plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from assay.canonical import encode
from assay.instruments.agency.declarations.declaration import Declaration, Schema
from assay.instruments.agency.declarations.outcome import DIMENSIONS
from assay.vocabulary import Flag

from .criteria import rubric
from .levels import AssignedLevel
from .tally import SubjectTally

__all__ = ["Tuples", "flags_text", "invalid_reason", "score_text", "tuples_of"]

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Tuples:
    """The three tuples of one reading."""

    def __init__(
        self, identification: dict[str, Any], comparison: dict[str, Any], reporting: dict[str, Any]
    ) -> None:
        self.identification, self.comparison, self.reporting = identification, comparison, reporting

    @property
    def identification_text(self) -> str:
        return _text(self.identification)

    @property
    def comparison_text(self) -> str:
        return _text(self.comparison)

    @property
    def reporting_text(self) -> str:
        return _text(self.reporting)

    def as_dict(self) -> dict[str, Any]:
        return {
            "identification": {**self.identification, "text": self.identification_text},
            "comparison": {**self.comparison, "text": self.comparison_text},
            "reporting": {**self.reporting, "text": self.reporting_text},
        }


def score_text(assigned: AssignedLevel) -> str:
    """A level in the vector: its value, else the spec's value, else a dash."""
    value = assigned.spec_value if assigned.value is None else assigned.value
    return "–" if value is None else str(value)


def invalid_reason(flag: Flag) -> str:
    """The specification's own words, which a report's flag begins with."""
    return flag.cause.partition(":")[0]


def flags_text(vector: Sequence[AssignedLevel], flags: Sequence[Flag] = ()) -> str:
    """``[Flags: D=Provisional, R=Contested]`` (11.9.3)."""
    listed = []
    for assigned in vector:
        for flag in assigned.flags:
            reason = f" ({flag.cause})" if flag.kind == "Invalid" else ""
            listed.append(f"{assigned.dimension}={flag.kind}{reason}")
    # 15.3: a report is "Invalid (Selective Disclosure)"; what is wrong stands beside its flag and in notes.
    listed += [
        f"{flag.kind} ({invalid_reason(flag) if flag.kind in ('Invalid', 'Contested') else flag.cause})"
        for flag in flags
    ]
    return f"[Flags: {', '.join(dict.fromkeys(listed)) or 'None'}]"


def tuples_of(
    tally: SubjectTally,
    declaration: Declaration,
    vector: Sequence[AssignedLevel],
    tier: int | None,
    flags: Sequence[Flag],
) -> Tuples:
    """The tuples of one subject within one boundary."""
    families = sorted({key.family for key in tally.cells})
    regimes = sorted({key.regime for key in tally.cells})
    framework, boundary = f"Framework {rubric().framework}", f"{tally.boundary.capitalize()} Boundary"
    if declaration.boundary is None:
        boundary += " (not declared)"
    suite = declaration.suite or "suite not named"
    scores = f"A = [{', '.join(score_text(one) for one in sorted(vector, key=_place))}]"
    flagged = flags_text(vector, flags)
    identification = {
        "framework": framework,
        "system": _system(tally.subject, declaration),
        "date": declaration.date or declaration.began or "date not declared",
        "boundary": boundary,
        "suite": suite,
        "regime": ", ".join(regimes),
    }
    comparison = {
        "framework": framework,
        "boundary": boundary,
        "suite": suite,
        "regime": ", ".join(regimes),
        "tier": f"Tier {tier}" if tier else "Tier None",
        "vector": scores,
        "flags": flagged,
    }
    reporting = {
        "framework": framework,
        "boundary": boundary,
        "families": [_versioned(name, declaration) for name in families],
        "regimes": [_regime(name, declaration) for name in regimes],
        "observation_schema": _schemas(families, declaration, "observation_schema"),
        "action_schema": _schemas(families, declaration, "action_schema"),
        "scores": scores,
        "flags": flagged,
    }
    return Tuples(identification, comparison, reporting)


def _place(assigned: AssignedLevel) -> int:
    return [*DIMENSIONS].index(assigned.dimension)  # type: ignore[arg-type]


def _text(parts: dict[str, Any]) -> str:
    return f"({', '.join(_part(value) for value in parts.values())})"


def _part(value: Any) -> str:
    return f"[{', '.join(value)}]" if isinstance(value, list) else str(value)


def _system(subject: str, declaration: Declaration) -> str:
    version = declaration.system_of(subject).version
    return subject if subject.endswith(version) else f"{subject} {version}"


def _versioned(name: str, declaration: Declaration) -> str:
    return " ".join(filter(None, (name, declaration.family(name).version)))


def _regime(name: str, declaration: Declaration) -> str:
    """The regime with its exact parameters."""
    regime = declaration.regimes.get(name)
    if regime is None:
        return f"{name} [parameters not declared]"
    parts = [f"{axis}: {_plain(getattr(regime, axis))}" for axis in regime.scarce]
    if regime.parameters:
        parts.append(_plain(regime.parameters))
    if regime.adversarial:
        parts.append("adversarial")
    return f"{name} [{regime.level.capitalize()}{': ' if parts else ', no scarcity'}{'; '.join(parts)}]"


def _plain(parameters: dict[str, Any]) -> str:
    return encode(parameters).decode()


def _schemas(families: Sequence[str], declaration: Declaration, which: str) -> str:
    """The schemas of the families in short: the declared text, the names of the fields, or how a digest begins."""
    by_text: dict[str, list[str]] = {}
    for name in families:
        schema: Schema = getattr(declaration.family(name), which)
        text = schema if isinstance(schema, str) else _fields(schema)
        text = f"{text[:12]}…" if _DIGEST.fullmatch(text or "") else text
        by_text.setdefault(text or "not declared", []).append(name)
    word = which.replace("_", " ").capitalize()
    return (
        f"{word} {{{'; '.join(f'{chr(44).join(names)}: {text}' for text, names in sorted(by_text.items()))}}}"
    )


def _fields(schema: dict[str, Any] | None) -> str:
    if not schema:
        return ""
    properties = schema.get("properties")
    return ", ".join(sorted(properties if isinstance(properties, dict) else schema))
