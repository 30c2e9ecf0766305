"""What families of tier 5 share: partners of declared policies, who are met again under their names (12.8).

Three partners, each of another policy, are met once to get to know them, then twice more in any order. What a partner
does follows from its policy and from what happened between the two; partners of every policy say
the same. So who keeps the partners apart by name knows what each will do, and who does not can only guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec

from assay.canonical import digest
from assay.streams import Stream
from assay.worlds.base import Steady, WorldBase, finish
from assay.worlds.model import Act, Action, Effect, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, array, obj
from assay.worlds.tiers import MASKED, NON_SOCIAL, PERMUTED, SCRAMBLED, InteractionKind, Mode, TierBase

__all__ = ["POLICIES", "Encounter", "Meetings", "Modeller", "PartnerFamily", "met_schema"]

PARTNERS, COUNTED = 3, 2  # who are met, and how often each of them when it counts
LEAST = PARTNERS * COUNTED - 1  # meetings that must go well


class Encounter(NamedTuple):
    """What a partner acts on, each as the number that acting by it alone would give."""

    said: int
    bluff: int  # what stands behind the words of one who bluffs
    habit: int  # what it does whatever was said
    yours: int = 0  # what the subject did at their last meeting
    lowest: int = 0
    more: int = 0  # what it does who does more than is asked


# The library of policies. A family has four of them; in an instance three occur, one for each partner.
POLICIES: dict[str, Callable[[Encounter], int]] = {
    "keeps": lambda scene: scene.said,
    "bluffs": lambda scene: scene.bluff,
    "stubborn": lambda scene: scene.habit,
    "forgets": lambda scene: scene.habit,
    "mirrors": lambda scene: scene.yours,
    "concedes": lambda scene: scene.lowest,
    "overdoes": lambda scene: scene.more,
}
ARMS: dict[str, str] = {
    NON_SOCIAL: "who is who: all partners have one label, and what is known of them is pooled (12.3.2)",
    PERMUTED: "nothing: the policies of the instance belong to other partners, from beginning to end",
    SCRAMBLED: "what makes a name worth knowing: policies are dealt to partners anew at every meeting",
    MASKED: "who is who: partners have a fresh label at every meeting",
}
Last = tuple[int, int]  # what the partner and what the subject did at their last meeting
Move = dict[str, Any]


def met_schema(case: dict[str, Any], move: dict[str, Any]) -> dict[str, Any]:
    """The schema of observations: the meeting that is on, and those that are past. ``case``: what else it is about."""
    now = obj({"number": INTEGER, "of": INTEGER, "who": STRING, "text": STRING, **case})
    past = {"meeting": INTEGER, "who": STRING, "text": STRING, **case, **move, "reply": STRING}
    return obj(
        {"meeting": {**now, "type": ["object", "null"]}, "log": array(obj(past), "0: from before today")}
    )


class Meetings(WorldBase):
    """One partner after the other. A move ends a meeting; what the partner did is reported in words."""

    replies: ClassVar[Mapping[str, Sequence[str]]]

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._last: dict[int, Last] = {
            number: (theirs, yours) for number, (theirs, yours) in enumerate(self.setup["last"])
        }
        self._log: list[dict[str, Any]] = [dict(entry) for entry in self.setup["earlier"]]
        self._met: list[dict[str, Any]] = []
        for move, theirs in self.setup.get("past", ()):  # of a meeting that is a task of its own (`seats`)
            self._close(move, theirs)

    @property
    def meeting(self) -> dict[str, Any]:
        """The one that is on."""
        found: dict[str, Any] = self.setup["meetings"][len(self._met)]
        return found

    def look(self) -> dict[str, Any]:
        number, last = len(self._met) + 1, len(self.setup["meetings"])
        of, now = self.setup.get("of", last), None
        if number <= last:
            meeting = self.meeting
            now = {"number": number, "of": of, "who": meeting["who"], "text": meeting["text"]}
            now |= meeting["shown"]
        return {"meeting": now, "log": [dict(entry) for entry in self._log]}

    def meet(self, move: Move) -> Effect:
        """The partner acts by its policy, and the meeting is over."""
        if len(self._met) >= len(self.setup["meetings"]):
            raise Refused("nobody is left to meet")
        meeting = self.meeting
        if wrong := self.refusal(meeting["case"], move):
            raise Refused(wrong)
        if self.setup.get("seat"):  # what the other one does is not known yet
            self._met.append({**move, "well": True})
        elif "theirs" in meeting:
            self._close(move, meeting["theirs"])
        else:
            last = self._last.get(meeting["partner"], (0, 0))
            self._close(move, POLICIES[meeting["policy"]](self.scene(meeting["case"], last, move)))
        return Effect(done=len(self._met) == len(self.setup["meetings"]))

    def _close(self, move: Move | None, theirs: int | None) -> None:
        """The meeting that is on ends. Without a move of one side nothing happened between the two."""
        meeting, place = self.meeting, len(self._met) + 1
        if move is None or theirs is None:
            self._met.append({"well": False})
            return
        case, partner, policy = meeting["case"], meeting["partner"], meeting["policy"]
        kind, slots = self.told(case, move, theirs)
        reply = self.replies[kind][meeting["wording"]].format(**slots)
        self._log.append(
            {
                "meeting": place, "who": meeting["who"], "text": meeting["text"], **meeting["shown"], **move,
                "reply": reply,
            }
        )  # fmt: skip
        well = self.goes_well(case, move, theirs, policy)
        self._met.append({"partner": partner, "theirs": theirs, **move, "well": well})
        self._last[partner] = theirs, self.figure(case, move)

    def snapshot(self) -> dict[str, Any]:
        return {"met": [dict(one) for one in self._met]}

    # What a family says of its game.

    @staticmethod
    def scene(case: Mapping[str, Any], last: Last, move: Move) -> Encounter:
        raise NotImplementedError

    @staticmethod
    def goes_well(case: Mapping[str, Any], move: Move, theirs: int, policy: str) -> bool:
        raise NotImplementedError

    @staticmethod
    def told(case: Mapping[str, Any], move: Move, theirs: int) -> tuple[str, dict[str, Any]]:
        """The kind of reply, and what fills it."""
        raise NotImplementedError

    @staticmethod
    def figure(case: Mapping[str, Any], move: Move) -> int:
        """A move as a number that a partner may mirror."""
        return 0

    @staticmethod
    def move_of(case: Mapping[str, Any], figure: int) -> Move:
        """The move that a number stands for, where both sides move alike."""
        raise NotImplementedError

    @staticmethod
    def refusal(case: Mapping[str, Any], move: Move) -> str:
        """Why a move cannot be made; nothing where it can."""
        return ""


class Modeller(Steady):
    """Keeps apart what is known of each partner, by name, and does what suits the policy that it shows.

    The novice treats all alike: whatever name is shown, it expects what was seen last of anybody.
    """

    world: ClassVar[type[Meetings]]
    policies: ClassVar[tuple[str, ...]]

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        meeting = observation["meeting"]
        if meeting is None:
            return finish()
        fits, last = self.model(meeting["who"], observation["log"])
        policy = next(policy for policy in self.policies if policy in fits)
        return self.answer(policy, self.case(meeting), last)

    def model(self, who: str, log: Sequence[dict[str, Any]]) -> tuple[set[str], Last]:
        """The policies that fit what a partner did, and the last that is known of the two."""
        fits, last = set(self.policies), (0, 0)
        for entry in log:
            if not self.is_novice and entry["who"] != who:
                continue
            move, theirs = self.past(entry)
            case = self.case(entry) if entry["meeting"] else self.unsaid()
            if entry["meeting"]:
                scene = self.world.scene(case, last, move)
                shown = {policy for policy in self.policies if POLICIES[policy](scene) == theirs}
                fits = fits & shown or shown or set(self.policies)
            last = theirs, self.world.figure(case, move)
        return fits, last

    # What a family says of its texts and moves.

    def case(self, shown: dict[str, Any]) -> dict[str, Any]:
        """What a meeting is about, read from what is shown of it."""
        raise NotImplementedError

    def unsaid(self) -> dict[str, Any]:
        """The case of a meeting before today, of which no words are known."""
        return {}

    def past(self, entry: dict[str, Any]) -> tuple[Move, int]:
        """The subject's move, and what the partner did."""
        raise NotImplementedError

    def answer(self, policy: str, case: dict[str, Any], last: Last) -> Act:
        raise NotImplementedError


class PartnerFamily(TierBase):
    """A `SocialFamily` with partners of the library. Its part ``social`` of the table declares the interaction."""

    arms: ClassVar[dict[str, str]] = ARMS
    mode: ClassVar[Mode]
    kind: ClassVar[InteractionKind]
    roles: ClassVar[tuple[str, ...]]
    interaction: ClassVar[str]
    constraints: ClassVar[tuple[str, ...]]
    words: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, *, table: dict[str, Any] | None = None) -> None:
        super().__init_subclass__(table=table)
        if table is not None:
            about = table["social"]
            cls.mode, cls.kind, cls.interaction = about["mode"], about["kind"], about["interaction"]
            cls.roles, cls.constraints = tuple(about["roles"]), tuple(about["constraints"])
            cls.words = table

    def assembled(
        self,
        level: int,
        situation: str,
        stream: Stream,
        *,
        cases: Callable[[int, bool], Mapping[str, Any]],
        earlier: Sequence[Mapping[str, Any]] = (),
        last: Sequence[Last] = (),
        observation: dict[str, Any],
        actions: tuple[Action, ...],
    ) -> Task:
        """A task. ``cases`` gives, for a partner who is met for the first time or again, ``case``, ``text``, ``shown``.

        ``earlier`` and ``last`` say of each partner what happened before today.
        """
        story, words = self.words["situations"][situation], self.words
        names = stream.shuffled(story["names"])[:PARTNERS]
        policies = stream.shuffled(sorted(words["manners"]))[:PARTNERS]
        order = [*stream.shuffled(range(PARTNERS)), *stream.shuffled([*range(PARTNERS)] * COUNTED)]
        meetings = [
            {
                **cases(partner, place < PARTNERS),
                "partner": partner,
                "who": names[partner],
                "policy": policies[partner],
                "wording": stream.below(6),
            }
            for place, partner in enumerate(order)
        ]
        manners = [
            stream.choice(words["manners"][name]) for name in stream.shuffled(sorted(words["manners"]))
        ]
        head, rule, intro, count = (
            stream.choice(words[part]) for part in ("heads", "rules", "intros", "counts")
        )
        goal = f"{head} {rule} {intro} {'; '.join(manners)}. {count}"
        return self.task(
            level,
            situation,
            goal=goal.format_map(story),
            observation=observation,
            actions=actions,
            criterion=words["criterion"],
            expected={"least": LEAST, "from": PARTNERS + 1},
            setup={
                "policies": policies,
                "earlier": [
                    {"meeting": 0, "who": names[number], **entry} for number, entry in enumerate(earlier)
                ],
                "last": [list(one) for one in last],
                "meetings": meetings,
            },
            needed=len(meetings),
            noisy=("text", "reply"),
        )

    def in_arm(self, task: Task, arm: str) -> Task:
        """The same meetings with other labels, or with policies dealt otherwise."""
        setup = task.setup
        draws = Stream("arm", arm, digest([task.goal, setup]))
        policies: list[str] = setup["policies"]
        earlier, meetings = [dict(one) for one in setup["earlier"]], [dict(one) for one in setup["meetings"]]
        if arm == PERMUTED:
            by = 1 + draws.below(len(policies) - 1)
            policies = [*policies[by:], *policies[:by]]
            for meeting in meetings:
                meeting["policy"] = policies[meeting["partner"]]
        elif arm == SCRAMBLED:
            for meeting in meetings:
                meeting["policy"] = draws.shuffled(policies)[meeting["partner"]]
        else:
            label = self.words["situations"][task.situation]["other"]
            tokens = iter(_tokens(draws, len(earlier) + len(meetings)))
            for one in (*earlier, *meetings):
                one["who"] = label if arm == NON_SOCIAL else next(tokens)
        changed = {**setup, "policies": policies, "earlier": earlier, "meetings": meetings}
        return msgspec.structs.replace(task, setup=changed)

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        right, met = task.criterion.expected, state["met"]
        held = met[right["from"] - 1 :]
        well = sum(one["well"] for one in held)
        if well < right["least"]:
            yield f"{well} of {len(held)} meetings that count went well; {right['least']} are needed"


def _tokens(draws: Stream, count: int) -> list[str]:
    """Labels that are given once and mean nothing."""
    letters, found = "BCDFGHJKLMNPQRSTVWXZ", list[str]()
    while len(found) < count:
        token = f"{draws.choice(letters)}{draws.choice(letters)}{draws.integer(10, 99)}"
        if token not in found:
            found.append(token)
    return found
