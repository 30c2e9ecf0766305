"""JSON: a value in a reply, checked against a JSON Schema and what is expected of its fields.

==========  =======================================================================================
rung        the same are outputs with equal
==========  =======================================================================================
``bytes``   bytes
``text``    text but for line ends and trailing blanks (``lines/1``)
``layout``  tokens: white space between them aside (``json-layout/1``)
``keys``    tokens, the order of keys and how characters are escaped aside (``json-keys/1``)
``value``   values: formats of numbers aside, 1 = 1.0 = 10e-1, every digit counts (``json-value/1``)
==========  =======================================================================================

What is not JSON stays in the class that its text gives it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET

from assay.canonical import encode
from assay.instruments.repeatability.programs.distance import DISTANCE
from assay.instruments.repeatability.programs.extraction import choose_block
from assay.instruments.repeatability.programs.oracle import OracleJudgement

from .base import LINES, Examination, Examined, Inputs, NormalForms, OutputKind, plain_lines
from .json_values import (
    ABSENT,
    Json,
    NotJson,
    SpeltNumber,
    at_pointer,
    balanced,
    leaves,
    near,
    plain,
    read_json,
    without_layout,
    written,
)

if TYPE_CHECKING:
    from assay.instruments.repeatability.expectations import FieldCheck
    from assay.instruments.repeatability.programs.contracts import Contract

__all__ = ["JsonForms", "JsonOutputs", "schema_fault"]

ORACLE = "json-oracle/1"
MOST_FIELDS = 100
_ABSENT = "absent"  # no JSON text is this


class JsonForms(NamedTuple):
    """Normal forms, and the leaves of the value by their JSON Pointers."""

    text: str
    layout: str
    keys: str
    value: str
    leaves: dict[str, str]
    fallback: bool


class JsonOutputs(OutputKind):
    name, noun, oracle = "json", "output", ORACLE
    judged_by = ("extraction", "json.extraction", "lines", "json.oracle")
    rungs, levels = ("bytes", "text", "layout", "keys", "value"), ("text", "value")
    versions = MappingProxyType(
        {
            "lines": LINES,
            "json.layout": "json-layout/1",
            "json.keys": "json-keys/1",
            "json.value": "json-value/1",
            "json.oracle": ORACLE,
            "json.distance": "leaves/1",
            "json.extraction": "json-extract/1",
            "distance": DISTANCE,
        }
    )

    def __init__(self, fields: tuple[str, ...] = ()) -> None:
        self.fields = fields

    @classmethod
    def of(cls, contract: Contract) -> JsonOutputs:
        """The fields whose agreement is measured: those that are declared, else expected, else in the schema."""
        if contract.fields:
            return cls(tuple(check.pointer for check in contract.fields))
        if contract.expected is not UNSET:
            return cls(tuple(leaves(_expected(contract.expected)))[:MOST_FIELDS])
        properties = contract.schema.get("properties", {}) if isinstance(contract.schema, dict) else {}
        return cls(tuple(f"/{key.replace('~', '~0').replace('/', '~1')}" for key in properties)[:MOST_FIELDS])

    def forms(self, output: str) -> JsonForms:
        text = plain_lines(output)
        try:
            value = read_json(output)
        except NotJson:
            return JsonForms(text, text, text, text, {}, fallback=True)
        return JsonForms(
            text,
            layout=without_layout(output),
            keys=written(value),
            value=written(value, numbers=True),
            leaves=leaves(value),
            fallback=False,
        )

    def distance(self, one: NormalForms, other: NormalForms, level: str) -> Fraction:
        """At level ``value`` the share of leaves, of either value, that the other does not have (``leaves/1``)."""
        if level != "value":
            return super().distance(one, other, level)
        assert isinstance(one, JsonForms)
        assert isinstance(other, JsonForms)
        if one.value == other.value:
            return Fraction(0)
        if one.fallback or other.fallback:
            return Fraction(1)
        every = one.leaves.keys() | other.leaves.keys()
        return Fraction(sum(one.leaves.get(at) != other.leaves.get(at) for at in every), len(every))

    def field(self, output: str, name: str) -> str | None:
        try:
            found = at_pointer(read_json(output), name)
        except NotJson:
            return None
        return _ABSENT if found is ABSENT else written(found, numbers=True)

    def find(self, reply: str, contract: Contract) -> tuple[int, int]:
        """A fenced block, or else an object or list in the prose: the first that meets the schema, else is JSON."""
        wanted = [lambda text: _complaint(contract, text) == "", _is_json]
        if (block := choose_block(reply, wanted, ("json", "jsonc", "json5"))) is not None:
            return block
        spans = balanced(reply)
        begin = len(reply) - len(reply.lstrip())
        cut_short = reply[begin : begin + 1] in ("{", "[") and all(start != begin for start, _ in spans)
        if not cut_short and not _is_json(reply):
            for fits in wanted:
                for start, end in spans:
                    if fits(reply[start:end]):
                        return start, end
        return 0, len(reply)

    def examine(self, output: str, contract: Contract, inputs: Inputs) -> Examination:
        yield from ()
        return Examined(_judged(output, contract))


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except NotJson:
        return False
    return True


def _judged(output: str, contract: Contract) -> OracleJudgement:
    """First the schema, then the expected value or fields, each a test."""
    tests = contract.tests
    try:
        value = read_json(output)
    except NotJson as error:
        return OracleJudgement("unparseable", 0, tests, f"not JSON: {error}", 0)
    said = _invalid(contract.schema, value)
    found = [said, *_differences(value, contract)]
    passed = sum(not one for one in found)
    if passed == tests:
        return OracleJudgement("pass", passed, tests)
    failing = next(number for number, one in enumerate(found) if one)
    return OracleJudgement("invalid" if said else "wrong", passed, tests, found[failing], failing)


def _complaint(contract: Contract, text: str) -> str:
    try:
        return _invalid(contract.schema, read_json(text))
    except NotJson as error:
        return str(error)


def _differences(value: Json, contract: Contract) -> Iterator[str]:
    if contract.expected is not UNSET:
        same = written(value, numbers=True) == written(_expected(contract.expected), numbers=True)
        yield "" if same else "not the expected value"
    for check in contract.fields:
        if check.decides:
            yield (
                "" if _meets(at_pointer(value, check.pointer), check) else f"{check.pointer}: not as expected"
            )


def _meets(found: Any, check: FieldCheck) -> bool:
    if found is ABSENT:
        return False
    wanted = check.any_of if check.expected is UNSET else (check.expected,)
    return any(_equal(found, _expected(one), check.tolerance) for one in wanted)


def _equal(found: Json, wanted: Json, tolerance: float | None) -> bool:
    if tolerance is not None and isinstance(found, SpeltNumber) and isinstance(wanted, SpeltNumber):
        return near(found, wanted, tolerance)
    return written(found, numbers=True) == written(wanted, numbers=True)


def _expected(value: Any) -> Json:
    """A value of a contract, read as outputs are: a real is its shortest decimal."""
    return read_json(encode(value).decode())


# JSON Schema.


def schema_fault(schema: Any) -> str:
    """What is wrong with a schema, or nothing."""
    import jsonschema_rs

    try:
        _validator(encode(schema))
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        return str(error).partition("\n")[0][:300]
    return ""


def _invalid(schema: Any, value: Json) -> str:
    """Why a value does not meet a schema, or nothing."""
    validator = _validator(encode(schema))
    given = plain(value)
    if validator.is_valid(given):
        return ""
    error = next(validator.iter_errors(given))
    where = "".join(f"/{part}" for part in error.instance_path)
    return f"{where}: {error.message}"[:300]


@lru_cache(maxsize=256)
def _validator(schema: bytes) -> Any:
    """Nothing is fetched, and expressions take linear time: both are refused when the contract is read."""
    import jsonschema_rs

    def fetch(uri: str) -> Any:
        raise ValueError(f"{uri} is not part of the schema, and nothing is fetched")

    return jsonschema_rs.validator_for(
        schema.decode(),
        validate_formats=True,
        ignore_unknown_formats=False,
        retriever=fetch,
        pattern_options=jsonschema_rs.RegexOptions(),
    )
