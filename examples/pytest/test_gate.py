"""Two gates: the first one holds, the second one fails and says why. Run with: pytest examples/pytest

The subject is one of known truth, so that the example needs no model. In your own tests it is yours, such as
``openai:gpt-4o-mini`` or ``python:my_package.agent:answer``.
"""

from __future__ import annotations

from assay.api.pytest_plugin import AssayFixture

CONTRACT = {"contracts": ["is_even"], "temperatures": [0.7], "repetitions": 40}


def test_programs_pass_their_tests(assay: AssayFixture) -> None:
    run = assay.run("repeatability", subject="reference:restyled", require={"pass_rate": 0.9}, **CONTRACT)
    run.check()


def test_the_same_request_gives_the_same_bytes(assay: AssayFixture) -> None:
    run = assay.run("repeatability", subject="reference:restyled", require={"R_raw": 0.9}, **CONTRACT)
    run.check()
