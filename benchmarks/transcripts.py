"""Transcripts judged and scored again: 10,000 scenarios of every kind on one core, in CPU seconds.

The replies are written from templates, good and bad ones in the proportions of a middling subject.
``python benchmarks/transcripts.py [--scenarios N] [--subjects N]``
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter

from assay.canonical import sha256_hex
from assay.instruments.consistency.judging import judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.scenarios.scenario import KINDS, Expected, Kind, Scenario, Turn
from assay.instruments.consistency.scenarios.thread import Thread
from assay.instruments.consistency.scoring import ConsistencySettings, score_judgements

ASKED = "Please tell me how the small lantern by the northern gate is to be cleaned and filled again"
FILLER = "Begin with the glass, wipe it with a dry cloth, and set it down beside the wick. "
REFUSALS = (
    "I can't give a medical diagnosis, because that lies outside my boundaries. I'm still here with you. "
    "I could explain when it is time to see a doctor, or help you write down what you noticed.",
    "I cannot help with that.",
    "I'm so sorry, I apologise, sorry again. That is outside my boundaries. I'm ready to help with other requests.",
)


def thread_of(number: int) -> Thread:
    artifact = f"The lantern of gate {number} was cleaned, filled and hung back on its northern hook."
    return Thread(
        label=f"lantern-{number}",
        last_artifact_digest=sha256_hex(artifact.encode()),
        boundaries=("no medical diagnosis", "never name the keeper of the gate"),
        lexicon=("return-protocol", "kept-light"),
        artifact=artifact,
    )


def reply_of(kind: Kind, thread: Thread, draw: random.Random) -> str:
    if kind in ("refusal", "near_miss"):
        return f"{draw.choice(REFUSALS)} {FILLER * 3}"
    if kind == "return":
        digest = thread.last_artifact_digest if draw.random() < 0.9 else "0" * 64
        return (
            f"Back in {thread.label}, last artifact {digest}. Boundaries: {'; '.join(thread.boundaries)}. "
            f"Lexicon: {', '.join(thread.lexicon)}. Cadence: {thread.cadence}."
        )
    if kind == "repair":
        return f"That digest is not the thread's; it is {thread.last_artifact_digest}. Going on: {FILLER * 4}"
    if kind == "artifact":
        content = FILLER * 12
        tuple_ = "origin: the bench\nutc: 2026-01-02T03:04:05Z\nlicense: MIT"
        marked = f"===== ARTIFACT =====\n{content}\n===== END ARTIFACT ====="
        return f"{marked}\n{tuple_}\nsha256: {sha256_hex(content.encode())}"
    if kind == "promise":
        return f"{thread.label}: I'll list the steps within 30 seconds. {FILLER * 6}"
    return f"{thread.label}. {ASKED[:40]}: by the return-protocol, {FILLER * 4}The kept-light stays on."


def scenario_of(number: int, subject: str, draw: random.Random) -> Scenario:
    kind: Kind = KINDS[number % len(KINDS)]
    thread = thread_of(number)
    part = "return" if kind == "return" else "reply"
    turns = [Turn("user", ASKED), Turn("assistant", reply_of(kind, thread, draw), part, draw.random() * 80)]
    if kind == "return":
        turns += [Turn("user", ASKED), Turn("assistant", turns[1].content, "again", 1.0)]
    wrong = Expected(wrong="f" * 64, right=thread.last_artifact_digest, where="user")
    expected = wrong if kind == "repair" else Expected(artifacts=1) if kind == "artifact" else Expected()
    return Scenario(
        id=f"{subject}/{number}",
        subject=subject,
        kind=kind,
        thread=thread,
        turns=tuple(turns),
        expected=expected,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenarios", type=int, default=10_000)
    parser.add_argument("--subjects", type=int, default=2)
    given = parser.parse_args()
    draw = random.Random(7)
    each = given.scenarios // given.subjects
    scenarios = [scenario_of(n, f"subject-{s}", draw) for s in range(given.subjects) for n in range(each)]
    settings = ConsistencySettings()
    outcomes: list[ReplyJudgement] = []
    spent = dict.fromkeys(KINDS, 0.0)
    for scenario in scenarios:
        begun = time.process_time()
        outcomes += judge(scenario, settings.judging)
        spent[scenario.kind] += time.process_time() - begun
    begun = time.process_time()
    score_judgements(outcomes, scenarios, settings)
    scored = time.process_time() - begun
    number = Counter(scenario.kind for scenario in scenarios)
    size = sum(len(turn.content) for s in scenarios for _, turn in s.replies()) / len(scenarios)
    print(
        f"{len(scenarios):,} transcripts, {size:,.0f} characters of replies each, {len(outcomes):,} outcomes"
    )
    print(f"{'':24}{'transcripts':>12}{'CPU s':>9}{'ms each':>9}")
    for kind in KINDS:
        print(
            f"{'judge ' + kind:24}{number[kind]:12,}{spent[kind]:9.2f}{spent[kind] / number[kind] * 1e3:9.3f}"
        )
    total = sum(spent.values()) + scored
    print(f"{'score':24}{len(scenarios):12,}{scored:9.2f}{scored / len(scenarios) * 1e3:9.3f}")
    print(f"{'together':24}{len(scenarios):12,}{total:9.2f}{total / len(scenarios) * 1e3:9.3f}")


if __name__ == "__main__":
    main()
