"""Numbers, shares and confidences."""

from __future__ import annotations

import pytest

from assay.measuring.answers import SEVERAL, UNREAD, read_confidence, read_number, read_share


@pytest.mark.parametrize(
    ("text", "value", "path"),
    [
        ("42", 42.0, "bare"),
        ("**42**", 42.0, "bare"),
        ("-3.5", -3.5, "bare"),
        ("$1,234.50", 1234.5, "bare"),
        ("3 million", 3e6, "bare"),
        ("The answer is 42.", 42.0, "declared"),
        ("x = 3 and y = 4. Total: 7", 7.0, "declared"),
        ("My estimate is roughly $1,200 per year, with 2 caveats.", 1200.0, "declared"),
        ("Answer: 5\nNo, wait.\nAnswer: 6", 6.0, "declared"),
        ("We add 3 and 4.\n\n7", 7.0, "final_line"),
        ("7\n\nWe add 3 to 4.", 7.0, "first_line"),
        ("We add 3 to 4, thus $\\boxed{7}$, as 3 < 4.", 7.0, "boxed"),
        ("I add 3 to 4. <answer>7</answer> Good.", 7.0, "tagged"),
        ("There are 12 of them.", 12.0, "only"),
        ("1e3", 1000.0, "bare"),
        ("1/4", 0.25, "bare"),
        ("It is between 3 and 5.", None, SEVERAL),
        ("3-5", None, SEVERAL),
        ("There are 3 cats and 4 dogs.", None, SEVERAL),
        ("At least 42.", None, UNREAD),
        ("It is not 42.", None, UNREAD),
        ("Many.", None, UNREAD),
        ("", None, UNREAD),
        ("1" + "0" * 400, None, UNREAD),
    ],
)
def test_a_number(text: str, value: float | None, path: str) -> None:
    found = read_number(text)
    assert (found.value, found.path) == (value, path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("35 %", 0.35),
        ("35 percent", 0.35),
        ("0.35", 0.35),
        ("7/20", 0.35),
        ("7 out of 20", 0.35),
        ("35", 0.35),
        ("1 %", 0.01),
        ("0", 0.0),
        ("100", 1.0),
        ("Probability: 35 %, as 2 of 3 agree.", 0.35),
        ("The chance is one half.", 0.5),
        ("The chance is twenty percent.", 0.2),
        ("1", None),
        ("150", None),
        ("-5 %", None),
        ("5/0", None),
        ("between 20 % and 30 %", None),
        ("Likely.", None),
        ("", None),
    ],
)
def test_a_share(text: str, value: float | None) -> None:
    assert read_share(text).value == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "scale", "value"),
    [
        ("Confidence: 80", 100.0, 0.8),
        ("Confidence: 0.8", 100.0, 0.8),
        ("Confidence: 80%", 10.0, 0.8),
        ("I'm 80 % sure that there are 3.", 100.0, 0.8),
        ("confidence (0-100): 90", 100.0, 0.9),
        ('{"answer": "D", "confidence": 0.92}', 100.0, 0.92),
        ("Confidence: 4/5", 5.0, 0.8),
        ("Confidence: 4", 5.0, 0.8),
        ("Confidence: 1", 5.0, 0.2),
        ("Confidence: 6", 5.0, None),
        ("Confidence: high", 100.0, None),
        ("There are 80.", 100.0, None),
        ("80", 100.0, None),
        ("\\boxed{80}", 100.0, None),
        ("", 100.0, None),
    ],
)
def test_a_confidence(text: str, scale: float, value: float | None) -> None:
    assert read_confidence(text, scale).value == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The answer is 42.", "42"),
        ("Answer: \u200b1,200\u200b apples", "1,200"),
        ("Probability (in all): 35 %.", "35 %"),
        ("\\boxed{17}", "17"),
        ("It is a third of them, the fraction is one third.", "one third"),
    ],
)
def test_a_span_is_the_number_as_it_stands(text: str, said: str) -> None:
    found = read_share(text)
    if found.span is None:
        found = read_number(text)
    assert found.span is not None
    assert text[slice(*found.span)] == said
