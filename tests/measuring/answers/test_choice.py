"""What is an answer and what is none, path by path."""

from __future__ import annotations

import re

import pytest

from assay.errors import InputError
from assay.measuring.answers import PATHS, SEVERAL, TAKEN_BACK, UNREAD, read_choice, read_yes_no

LETTERS = tuple("ABCD")
TEN = tuple("ABCDEFGHIJ")

# Two replies for each path, both with the answer B.
BY_PATH = {
    "json": [
        '{"answer": "B", "reason": "A is worse"}',
        '```json\n{"A": false, "B": true, "C": false, "D": false}\n```',
    ],
    "bare": ["**B**", "Final answer: (B)."],
    "final_line": ["Water boils, ice melts.\n\n**Answer: B**", "Let me think about it.\nB"],
    "first_line": [
        "B\n\nIce melts at zero degrees.",
        "B) Ice\n\nIt melts at zero degrees, which is what was asked.",
    ],
    "tagged": ["I have checked it twice. <answer>B</answer> Good luck!", "All in all [[B]] it is said."],
    "boxed": [
        "Hence $\\boxed{B}$ by the second law.",
        "We get \\(\\boxed{\\text{B}}\\), as was to be shown.",
    ],
    "declared": ["The answer is B, since ice melts.", "In my view the most likely explanation is (B) here."],
    "chosen": ["I would go with B because ice melts.", "Taking all of it together, I choose option B."],
    "predicate": [
        "Option B is the best choice because ice melts.",
        "All told, (B) is the correct answer here.",
    ],
    "conclusion": ["Ice melts at zero degrees. Therefore, B, as we saw.", "That leaves B, since ice melts."],
    "closing": [
        "Ice melts at zero degrees, which corresponds to option (B).",
        "Ice melts at zero degrees – option B.",
    ],
    "ticked": [
        "A. Steam ✗\nB. Ice ✓\nC. Fog ✗\nD. Rain ✗",
        "- [ ] A\n- [x] B\n- [ ] C\n- [ ] D\n\nThat was easy.",
    ],
    "matched": [
        "The value of 42 is listed under (B) and nowhere else.",
        "The value of 42 matches option B, it seems.",
    ],
    "short": ["Surely option B here", "I fear option B"],
    "hint": [
        "All of the evidence that has been gathered since then points to option B in the end",
        "Taken together, what we have learned from these experiments favours option B by far",
    ],
}


@pytest.mark.parametrize(
    ("path", "text"), [(path, text) for path, texts in BY_PATH.items() for text in texts]
)
def test_each_path_is_taken_and_named(path: str, text: str) -> None:
    found = read_choice(text, LETTERS)
    assert (found.value, found.path) == ("B", path)
    if path != "json":
        assert found.span is not None
        assert text[slice(*found.span)] == "B"


def test_every_path_of_a_choice_has_examples() -> None:
    assert set(BY_PATH) == set(PATHS) - {"only"}  # of numbers


@pytest.mark.parametrize(
    "text",
    [
        "B", "b", "B.", "(B)", "[B]", "**B**", "*B*", "__B__", "`B`", "$B$", '"B"', "B)", "Ⓑ", "Ｂ", "𝐁",
        "\u200bB\u200b",
        "Answer: B", "**Answer:** B", "ANSWER: B", "Answer: **(B)**", "Answer: $B$", "answer is b", "The answer is B.",
        "# Answer\n\nB", "Option B", "Choice: B", "My final answer is (B).", "答案：B", "Die richtige Antwort ist B.",
    ],
)  # fmt: skip
def test_plain_answers(text: str) -> None:
    assert read_choice(text, LETTERS).value == "B"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer: A\n\nWait, I mixed them up.\n\nAnswer: B", "B"),
        ("At first I thought the answer was A. The answer is B.", "B"),
        ("The answer is A. Scratch that. The answer is B.", "B"),
        ("Many students say the answer is A, but the correct answer is B.", "B"),
        ("<think>Maybe the answer is A.</think>\nThe answer is B.", "B"),
        ("Not A but B.", "B"),
        ("The answer is not A, it is B.", "B"),
        ("If I had to choose, I'd pick B.", "B"),
        ("Answer: B\n\nQuestion: What is next?\nAnswer: C", "B"),
        ("The answer is ~~A~~ B.", "B"),
        ("The answer is B. Would you like to know more?", "B"),
        ("A ❌\nB ✅\nC ❌\nD ❌", "B"),
        ("☐ A\n☑ B\n☐ C\n☐ D", "B"),
        ("I think the answer is A, a good one.", "A"),
        ("The answer is A because it fits.", "A"),
        ("A\n\nExplanation: it fits.\n\nB) is wrong.\nC) is wrong.\nD) is incorrect.", "A"),
    ],
)
def test_the_last_declaration_of_its_own_wins(text: str, value: str) -> None:
    assert read_choice(text, LETTERS).value == value


@pytest.mark.parametrize(
    "text",
    [
        "I would choose A over B.", "I prefer A to B.", "I'd take A, not B.", "A because it is safe.", "I recommend A.",
        "If I were in this situation, I would choose option A.", "If I were you, I would pick A.", "Probably A.",
        "As an AI, I have no preferences, but I would choose A.", "I am not sure, but I think A.", "Program A",
        "While option B is tempting, option A is the better choice.", "I reject option B and choose option A.",
        "I would abandon the project (A).", "I would continue with the project (Option A).", "I favor Program A.",
        "Expected value of A: 60\nExpected value of B: 50\n\nTherefore, the rational choice is A.",
        "Linda is more likely to be a bank teller (A).", "A is more probable than B.", "A (90%)", "A\n90",
        "Answer: A\n\nOption B would be the choice if the risk was lower.",
    ],
)  # fmt: skip
def test_preferences_between_two(text: str) -> None:
    assert read_choice(text, ("A", "B")).value == "A"


@pytest.mark.parametrize(
    "text",
    [
        "I cannot choose between A and B.", "Both options have merit.", "A/B", "I would avoid option A.",
        "If you are risk averse, choose A. If you are risk seeking, choose B.", "I'd say B is wrong.",
        "Option A: 50% chance\nOption B: 100% chance", "A lot of people would choose B.", "Both are equally likely.",
        "Option A gives you $50. Option B gives you $60 or nothing.", "I would not choose A.",
    ],
)  # fmt: skip
def test_no_preference_between_two(text: str) -> None:
    assert read_choice(text, ("A", "B")).value is None


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "\n", "Don't know", "I don't know.", "Option A is worse.", "A good question deserves thought.",
        "A careful reader would ask for the data.", "I can't help with that.", "Both A and B have merits.",
        "Is the answer B?", 'He said "the answer is B" and left.', "If it rained, the answer would be B.",
        "The answer is not B.", "The answer isn't B.", "Some would say the answer is B.",
        "Vitamin B is found in meat.", "E. coli", "There are C(6, 2) ways.", "Let A = 3 and B = 4.",
        "A. Steam\nB. Ice\nC. Fog\nD. Rain", "A. Steam\nB. Ice\nC.", "Response A:\nSteam.\n\nResponse B:\nIce.",
        "<think>The answer is B", "B cells are lymphocytes.", "Please answer in the format \"Answer: B\".",
        "Answer: $LETTER", "Option B is wrong because ice melts.",
    ],
)  # fmt: skip
def test_what_is_no_answer(text: str) -> None:
    found = read_choice(text, LETTERS)
    assert found.value is None
    assert found.span is None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("The answer is B. Scratch that.", TAKEN_BACK),
        ("Answer: B\n\nWait, that's wrong. I can't decide.", TAKEN_BACK),
        ("None of the options is correct.", TAKEN_BACK),
        ("The answer is A or B.", SEVERAL),
        ("The answer is B and C.", SEVERAL),
        ("Ice melts.", UNREAD),
    ],
)
def test_why_there_is_none(text: str, path: str) -> None:
    assert read_choice(text, LETTERS) == read_choice(text, LETTERS)
    assert (read_choice(text, LETTERS).value, read_choice(text, LETTERS).path) == (None, path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The answer is A's favourite.", None),
        ("The best source is vitamin B.", None),
        ("The answer is C(6, 2).", None),
        ("The most likely cause is E. coli.", None),
        ("The answer is B-cell lymphoma.", None),
        ("The answer is E.", "E"),
        ("I think it is hard. I would have to guess.", None),
        ("I. The first one.", "I"),
        ("The answer is I.", "I"),
        ("The answer is (I), because it fits.", "I"),
        ("The answer is a matter of taste.", None),
        ("So I would say J.", "J"),
    ],
)
def test_a_letter_may_be_something_else(text: str, value: str | None) -> None:
    assert read_choice(text, TEN).value == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The answer is\u200b B\u200b.", "B"),
        ("\ufeffAnswer: Ｂ", "Ｂ"),
        ("Answer: Ⓑ", "Ⓑ"),
        ("x" * 50 + " " * 400 + "\n\nAnswer: 𝐁\n" + " " * 90, "𝐁"),
        ("Answer:\r\n\r\nB\r\n", "B"),
        ("<think>A? C?</think> The answer is **B**.", "B"),
        ("the answer is b.", "b"),
    ],
)
def test_a_span_points_into_the_reply_as_it_came(text: str, said: str) -> None:
    found = read_choice(text, LETTERS)
    assert found.value == "B"
    assert found.span is not None
    assert text[slice(*found.span)] == said


@pytest.mark.parametrize(
    ("options", "text", "value"),
    [
        (("left", "right"), "The answer is left.", "left"),
        (("left", "right"), "Left", "left"),
        (("left", "right"), "I left the right one at home.", None),
        (("1", "2", "3"), "Answer: 2", "2"),
        (("1", "2", "3"), "The answer is 12.", None),
        (("1", "2", "3"), "(3)", "3"),
        (("a", "b", "c"), "The answer is c.", "c"),
        (("a", "b", "c"), "(b)", "b"),
        (("entailment", "neutral"), "Therefore, the final answer is **Neutral**.", "neutral"),
        (("sports", "politics"), "The topic that belongs to the news item is sports.", "sports"),
        (("sports", "politics"), "The topic of this item is **sports**.", "sports"),
        (("sports", "politics"), 'The item belongs to "Politics".', "politics"),
        (("sports", "politics"), "The topic is not sports.", None),
        (("sports", "politics"), "The topic is hardly sports.", None),
        (("sports", "politics"), "The topic is politics or sports.", None),
        (("sports", "politics"), "The least likely topic is sports.", None),
        (("sports", "politics"), "Is the topic sports?", None),
        (("sports", "politics"), "The team is sports crazy.", None),
        (("1", "2", "3"), "The number of matches is 2.", None),
    ],
)
def test_options_may_be_words_digits_or_small_letters(
    options: tuple[str, ...], text: str, value: str | None
) -> None:
    assert read_choice(text, options).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Yes", "yes"), ("No.", "no"), ("**Yes**", "yes"), ("Yes, it does.", "yes"), ("Answer: No", "no"),
        ("The answer is yes.", "yes"), ("It depends.", None), ("There is no answer in the text.", None),
        ("Yes and no.", None), ("", None),
    ],
)  # fmt: skip
def test_yes_or_no(text: str, value: str | None) -> None:
    assert read_yes_no(text).value == value


@pytest.mark.parametrize("options", [(), ("A",), ("A", ""), ("A", "a"), ("A", "B", "A")])
def test_options_that_cannot_be_told_apart_are_refused(options: tuple[str, ...]) -> None:
    with pytest.raises(InputError):
        read_choice("A", options)


@pytest.mark.parametrize("text", ["A", "Answer: A", "Answer: B\n", " C ", "Answer:  D", "Answer: H"])
@pytest.mark.parametrize("options", ["AB", "ABCD"])
def test_a_label_alone_is_read_at_once_as_it_would_be_in_full(
    text: str, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = read_choice(text, tuple(options))
    monkeypatch.setattr("assay.measuring.answers.choice._ALONE", re.compile("(?!)"))
    assert at_once == read_choice(text, tuple(options))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer: A is wrong", None),
        ("The answer is A is wrong", None),
        ("Answer: (B) is clearly wrong.", None),
        ("Answer: B is not correct", None),
        ("Answer: B isn't right", None),
        ("Answer: C is wrong. Answer: B", "B"),
        ("Answer: A is correct", "A"),
        ("Answer: B, A is wrong", "B"),
        ("Answer: B. A is wrong", "B"),
        ("Confidence: 80, Answer: A", "A"),
    ],
)
def test_what_is_called_wrong_is_not_declared(text: str, value: str | None) -> None:
    assert read_choice(text, tuple("ABCD")).value == value


@pytest.mark.parametrize(
    "text",
    [  # of a small model that was shown four texts
        "<<9c324a0bcbd20dc48cdd16b7>> answer_d\nThe answer is:\n\nA\n\nA\n\nB\n\nC\n\nD\n\nE\n\nF\n\nG\n",
        "<<3934c057faa0ef1adae96923>>\n\nA)\n\nA)\n\nB)\n\nC)\n\nD)\n\nA)\n\nB)\n\nC)\n\nD)\n\nA)\n\n",
        "<<79da39079e39050c73da8150>>\n\nA: I'm a bit of a creative person. I love to think outside the box and come "
        "up with innovative ideas. I'm a bit of a creative person. I'm a bit of a creative person. I'm a bit of a "
        "creative person. I'm",
    ],
)
def test_a_list_of_all_options_and_a_text_recited_are_no_answer(text: str) -> None:
    assert read_choice(text, ("A", "B", "C", "D")).value is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A\n\nB\n\nC\n\nD\n\nThe answer is C.", "C"),
        ("The answer is:\n\nA\n\nThe best answer is:\n\nA", "A"),
        ("A: Ice, since it floats on water.", "A"),
        (
            "A: The ice, which is lighter than the water it is made of, "
            + "and floats on it, " * 9
            + "so it is ice.",
            "A",
        ),
        ("A: " * 80, "A"),
        ("Answer: A\nAnswer: B", "B"),
    ],
)
def test_what_stands_beside_a_list_counts(text: str, value: str) -> None:
    assert read_choice(text, ("A", "B", "C", "D")).value == value
