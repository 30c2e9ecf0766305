"""How the time to read an answer grows with the length of hostile replies: the ratio for 2n characters against n.

python benchmarks/answers.py [--characters 20000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from assay.measuring.answers import Answer, read_choice, read_confidence, read_number, read_share, read_yes_no

PIECES = (
    "answer ",
    "the answer is ",
    "the answer is not B, ",
    "The answer is B. ",
    "if the answer is B ",
    "**",
    "<think>",
    "<think>B</think>",
    "</think>",
    "(",
    "A,",
    "A, B and ",
    "B) no\n",
    "B\n",
    '"',
    '"The answer is B ',
    " ",
    "\n",
    "1",
    "1 ",
    "1,",
    "1.",
    "100 ",
    "1-",
    "1 x 1 = ",
    "Answer: 1 ",
    "Answer: 1 x 1 = 1 ",
    "seven hundred ",
    "[",
    "\\boxed{",
    "\\boxed{B} ",
    "Question: a?\n",
    "Answer: B\nQuestion: a?\n",
    "Alice: hi\nBob: ho\n",
    "Alice: the answer is B\nBob: the answer is C\n",
    "scratch that ",
    "option B is the best choice ",
    "most likely ",
    "is ",
    "confidence: ",
    "```python\n",
    "~~",
    "_",
    "\u200b",
    "- [x] ",
)


def choice(text: str) -> Answer:
    return read_choice(text, "ABCD")


READERS: dict[str, Callable[[str], Answer]] = {
    "choice": choice,
    "yes_no": read_yes_no,
    "number": read_number,
    "share": read_share,
    "confidence": read_confidence,
}


def seconds(reader: Callable[[str], Answer], text: str) -> float:
    start = time.perf_counter()
    reader(text)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--characters", type=int, default=20_000)
    length = parser.parse_args().characters
    for name, reader in READERS.items():
        reader("warm up: the answer is 1")
        for piece in PIECES:
            once = (piece * (length // len(piece) + 1))[:length]
            short, long = seconds(reader, once), seconds(reader, once + once)
            print(f"{name:<11}{piece!r:<50}{short:>8.3f} s {long:>8.3f} s   ratio {long / short:.1f}")


if __name__ == "__main__":
    main()
