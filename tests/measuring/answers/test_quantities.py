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
        ("48 x 15 = 720", 720.0),
        ("48 * 15 = **720**", 720.0),
        ("48*150 = 7200", 7200.0),
        ("$48 \\times 15 = 720$", 720.0),
        ("48 fields x 15 forks = 720 forks", 720.0),
        ("12 + 3 - 5 = 10 dollars", 10.0),
        ("720 = 48 x 15", 720.0),
        ("48 x 15 = 720, since 1 + 1 = 2", 720.0),
        ("42, since x = 3", 42.0),
        ("720 (48 x 15)", 720.0),
        ("720 forks (15 per field, so 48 x 15)", 720.0),
        ("720 and the tax is 5", 720.0),
        ("75 % = 0.75", 75.0),
        ("3/4 = 0.75", 0.75),
        ("720, not 144", 720.0),
        ("720. There are 48 fields.", 720.0),
        ("720, with 2 caveats", 720.0),
        ("720, confidence: 80", 720.0),
        ("720, 80 % sure", 720.0),
        ("720, the one that fits", 720.0),
        ("720, i.e. 720.0", 720.0),
        ("1 200", 1200.0),
        ("1\u2009200\u2009000", 1.2e6),
        ("1\u202f200", 1200.0),
        ("1\u2019200", 1200.0),
        ("1'200", 1200.0),
        ("$1{,}200$", 1200.0),
        ("seven hundred twenty", 720.0),
        ("two thousand five hundred and one", 2501.0),
        ("twenty-five", 25.0),
        ("5 m", 5.0),
        ("5m", 5.0),
        ("$5 m$", 5.0),
        ("$5m", 5e6),
        ("€5m", 5e6),
        ("5M", 5e6),
        ("5 mn", 5e6),
        ("5k", 5e3),
        ("48*150", None),
        ("48 * 15", None),
        ("15 per field, so 720", None),
        ("15 per field, 720 in all", None),
        ("15 for each of the fields, 720 in all", None),
        ("15 (48 fields), so 720", None),
        ("144? No, 720", None),
        ("144. Wait, 720", None),
        ("20, 30", None),
        ("10^3", None),
        ("10^{-3} for 5 fields", None),
        ("10³", None),
        ("3 x 10^6", None),
        ("1 hour 20 minutes", None),
        ("one hour twenty minutes", None),
        ("1:30", None),
        ("2024-05-01", None),
        ("3 1/2", None),
        ("2 and a half", None),
        ("half of 1440", None),
        ("50 % of 1440", None),
        ("$\\frac{1}{2}$", None),
    ],
)
def test_a_declaring_line_states_one_value_or_none(text: str, value: float | None) -> None:
    assert read_number(f"We begin.\n\nAnswer: {text}").value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\\boxed{48 \\times 15 = 720}", 720.0),
        ("\\boxed{720} of 900, 15 each", 720.0),
        ("\\boxed{1 200}", 1200.0),
        ("\\boxed{48 \\times 15}", None),
        ('{"answer": 720, "year": 2024}', 720.0),
        ("Answer: 25. My estimate is between 20 and 30.", 25.0),
        ("1:30", None),
        ("3.2 × 10^4 N/C", None),
        ("It is 5, somewhere between 3 and 7.", 5.0),
        ("1 200", 1200.0),
    ],
)
def test_one_value_in_a_box_a_field_or_a_line(text: str, value: float | None) -> None:
    assert read_number(text).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("48 x 15 = 720", 720.0),
        ("48*15=720.", 720.0),
        ("**48 × 15 = 720**", 720.0),
        ("48 x 15 = **720**", 720.0),
        ("\\(48 \\times 15 = 720\\)", 720.0),
        ("$600 + $120.50 = $720.50", 720.5),
        ("1,440 / 2 = 720", 720.0),
        ("50 - 8 = 42", 42.0),
        ("8 + 3 - 50 = -39", -39.0),
        ("2 + 2 = 5", 5.0),  # what it states, not what is right
        ("720 = 48 x 15", None),
        ("48 x 15", None),
        ("48 x 15 = 720 = 700", None),
        ("48 x 15 = 720 or 700", None),
        ("48 x 15 = 720, not 700", None),
        ("48 x 15 = 720?", None),
        ("48 x 15 = 720 x 1", None),
        ("48 x 15 = 7.2 x 10^2", None),
        ("48 x 15 = 720-730", None),
        ("48 x 15 = 720 k", None),
        ("48 x 15 = at least 720", None),
        ("Not 48 x 15 = 720", None),
        ("x + 15 = 48", None),
        ("5 + ? = 12", None),
        ("48 x 15 = 720\n48 x 16 = 768", None),
    ],
)
def test_a_reply_that_is_one_equation_states_its_result(text: str, value: float | None) -> None:
    assert read_number(text).value == value


def test_the_result_of_an_equation_has_a_path_and_a_place() -> None:
    found = read_number("48 x 15 = **720**")
    assert (found.path, found.span) == ("bare", (12, 15))


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
