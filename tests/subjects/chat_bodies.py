"""Bodies as endpoints send them: a good one, and whatever can be drawn."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["BODIES", "JSON", "VALUES", "body"]

JSON = "application/json"


def body(**changes: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": "hello", "refusal": None}
    return {
        "id": "c1",
        "object": "chat.completion",
        "model": "m-1",
        "system_fingerprint": "fp",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        **changes,
    }


# What can be drawn.

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FUNCTIONS = st.fixed_dictionaries(
    {"name": st.text()}, optional={"arguments": st.text() | VALUES, "strict": st.booleans()}
)
CALLS = st.fixed_dictionaries(
    {"function": FUNCTIONS},
    optional={"id": st.text() | st.none(), "type": st.just("function") | SCALARS, "index": SCALARS},
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": st.just("assistant") | st.text(),
        "content": st.text() | st.none(),
        "refusal": SCALARS,
        "tool_calls": st.lists(CALLS, max_size=2) | st.none(),
        "reasoning": st.text() | VALUES,
        "reasoning_content": st.text() | VALUES,
    },
)
CHOICES = st.fixed_dictionaries(
    {"message": MESSAGES},
    optional={"index": st.just(0) | SCALARS, "finish_reason": st.just("stop") | SCALARS, "logprobs": VALUES},
)
COUNTS = st.integers(0, 9) | SCALARS
USAGES = st.fixed_dictionaries(
    {},
    optional={
        "prompt_tokens": COUNTS,
        "completion_tokens": COUNTS,
        "total_tokens": COUNTS,
        "completion_tokens_details": st.fixed_dictionaries(
            {}, optional={"reasoning_tokens": COUNTS, "x": VALUES}
        )
        | VALUES,
    },
)
BODIES = st.fixed_dictionaries(
    {"choices": st.lists(CHOICES, min_size=1, max_size=2)},
    optional={
        "id": st.text(),
        "model": st.text() | SCALARS,
        "system_fingerprint": st.text() | SCALARS,
        "usage": USAGES | SCALARS,
        "choice": VALUES,
        "more_choices": VALUES,
        "error": VALUES,
    },
)
