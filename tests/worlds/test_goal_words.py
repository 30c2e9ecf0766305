"""What goals say, beside the names of the actions that are offered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.streams import Stream
from assay.worlds import Episode, Task, all_families, draw_task, shipped_regimes
from assay.worlds.learning import learning_families
from assay.worlds.model import WorldSource

SEEDS = 15
_BEGINNING = re.compile(r"""(?:^|(?<=[.!?])["\u201d)]?\s+|\n\s*)([A-Za-z_-]+)\b""")

# Where a sentence begins with the name of an action, it asks for that action; read one by one.
ASKED = {
    "accounts": {"approve", "next"},
    "allocation": {"grant"},
    "archive": {"answer"},
    "deadline": {"ask", "build", "commit", "decline", "halt", "propose"},
    "dispatch": {"dispatch"},
    "drifting-service": {"send"},
    "experiment": {"prepare"},
    "filing": {"move"},
    "forms": {"fill"},
    "freight": {"ask", "book", "halt"},
    "greenhouse": {"sow"},
    "helpdesk": {"route"},
    "inbox": {"register"},
    "incidents": {"report"},
    "invoices": {"book"},
    "metering": {"serve"},
    "purchase": {"close", "decline", "order", "propose"},
    "release": {"revert"},
    "resupply": {"order"},
    "signals": {"press"},
    "sorting": {"put"},
    "strategies": {"choose"},
}
# Where it is another verb, and why it stays.
OTHERWISE = {
    ("courier", "go"): "`Go by the spelling`: the action needs a place, so the words alone are no action",
    ("duty", "do"): "`Do not let`: says what is not to be done, and the action needs a job",
    ("project", "look"): "`Look at what is open after each step`: `look` shows what is open",
    ("preferences", "look"): "`Look at the marks`: `look` shows the marks",
    ("resupply", "finish"): "`Finish with a report`: the action `report` comes last, and then `finish`",
}


def tasks() -> Iterator[tuple[WorldSource, Task]]:
    for family in all_families().values():
        for level in family.levels:
            for seed in range(SEEDS):
                yield family, draw_task(family, level, Stream("goals", family.name, str(level), str(seed)))
    for learnt in learning_families().values():
        for seed in range(SEEDS):
            stream = Stream("goals", learnt.name, str(seed))
            yield learnt, learnt.draw("practice", learnt.secret(stream), stream)


def test_no_sentence_of_a_goal_begins_with_the_name_of_an_action_in_another_sense() -> None:
    """`Look at each ticket` was taken for the action `look`, which changes nothing, in five episodes of five."""
    offered: dict[tuple[str, int], set[str]] = {}
    found = set()
    for family, task in tasks():
        if (family.name, task.level) not in offered:
            episode = Episode(family, task, shipped_regimes()["Baseline"], Stream("faults", family.name))
            try:
                offered[family.name, task.level] = {action.name for action in episode.brief.actions}
            finally:
                episode.close()
        words = {word.lower() for word in _BEGINNING.findall(task.goal)}
        found |= {(family.name, word) for word in words & offered[family.name, task.level]}
    asked = {(name, word) for name, words in ASKED.items() for word in words}
    assert found - asked - set(OTHERWISE) == set()
    assert (asked | set(OTHERWISE)) - found == set()  # an entry that fits nothing is taken out
