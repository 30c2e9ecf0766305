"""What ``assay detect triple`` calls."""

from __future__ import annotations

from typing import Any

from assay.measuring.detectors import Checked

from .labelled import FILES, FOLDS, UNSEEN, agreement, agreements, labelled_replies, read_once, replies_in
from .triple import VERSION, detect_triple

__all__ = ["TripleDetector"]

SHOWN = ("refusal", "limit", "proximity", "adjacent")


class TripleDetector:
    """Does a reply decline, name the limit, stay near, offer something adjacent?"""

    version = VERSION
    counted = (*SHOWN, "vague", "over_apology", "complete triple")

    def read(self, text: str) -> dict[str, Any]:
        triple = detect_triple(text)
        spans = {name: [list(span) for span in triple.spans[name]] for name in SHOWN}
        return {**{name: getattr(triple, name) for name in SHOWN}, "spans": spans}

    def count(self, text: str) -> dict[str, bool]:
        triple = detect_triple(text)
        found = {name: bool(getattr(triple, name)) for name in (*SHOWN, "vague", "over_apology")}
        return {**found, "complete triple": all(found[name] for name in SHOWN)}

    def check(self) -> Checked:
        """Precision and recall by fold and of batches never met, and agreement by batch."""
        replies = labelled_replies()
        parts = {fold: [reply for reply in replies if reply.fold == fold] for fold in FOLDS}
        parts |= {name: replies_in(name) for name in UNSEEN}
        found = {fold: agreements(part) for fold, part in parts.items()}
        folds = {
            fold: {
                a.component: {**a._asdict(), "precision": a.precision, "recall": a.recall}
                for a in found[fold]
            }
            for fold in parts
        }
        lines = [f"{VERSION}: {len(replies)} labelled replies"]
        for fold in parts:
            lines.append(f"\n{fold} ({len(parts[fold])} replies)")
            lines.append(
                f"  {'':<14}{'precision':>10}{'recall':>8}{'both':>7}{'found only':>12}{'labels only':>13}"
            )
            lines += [
                f"  {a.component:<14}{_number(a.precision):>10}{_number(a.recall):>8}"
                f"{a.both:>7}{a.rules_only:>12}{a.labels_only:>13}"
                for a in found[fold]
            ]
        lines.append("\nrefusal, by batch (trained on; see docs/detectors.md for the first contact)")
        batches: dict[str, dict[str, int]] = {}
        for name in FILES[1:]:
            rows = replies_in(name)
            for batch in dict.fromkeys(row.batch for row in rows):
                pairs = [
                    (read_once(row.reply).refusal, bool(row.refusal)) for row in rows if row.batch == batch
                ]
                a = agreement("refusal", pairs)
                batches[f"{name} {batch}"] = {"agreed": a.agreed, "replies": a.total}
                lines.append(f"  {name} {batch:<18}{a.agreed / a.total:>8.3f}{a.agreed:>6} of {a.total}")
        counts = {fold: len(part) for fold, part in parts.items()}
        return Checked({"detector": VERSION, "replies": counts, "folds": folds, "batches": batches}, lines)


def _number(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"
